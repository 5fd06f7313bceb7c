/* What was odd about nodes: counted while reading, said once. */
#include <inttypes.h>
#include <stdio.h>

#include "workloads/chakra/chakra_draft.h"

struct draft_place draft_place(const struct chakra_draft *draft,
                               const struct draft_context *context)
{
    struct draft_place place;
    if (context->rank >= 0)
        snprintf(place.text, sizeof place.text, "rank %" PRId64 " node %" PRIu64, context->rank,
                 draft->id);
    else
        snprintf(place.text, sizeof place.text, "node %" PRIu64, draft->id);
    return place;
}

void draft_count_oddities(const struct chakra_draft *draft, struct draft_context *context)
{
    if (draft->other_count && !context->other_attr_count)
        notices_add(context->notices, NOTICE_IGNORED, "attribute that no model reads", 0,
                    "%s: %.*s", draft_place(draft, context).text,
                    draft->other.length < 60 ? (int)draft->other.length : 60,
                    draft->other.at ? draft->other.at : "");
    if (draft->valueless_count && !context->valueless_count)
        notices_add(context->notices, NOTICE_IGNORED, "attribute without a value", 0, "%s",
                    draft_place(draft, context).text);
    if (draft->repeated_count && !context->repeated_count)
        notices_add(context->notices, NOTICE_ODDITY, "attribute given twice: the last one counts",
                    0, "%s", draft_place(draft, context).text);
    if (draft->unknown_field_count && !context->unknown_field_count)
        notices_add(context->notices, NOTICE_IGNORED, "unknown field in a record", 0, "%s",
                    draft_place(draft, context).text);
    context->other_attr_count += draft->other_count;
    context->valueless_count += draft->valueless_count;
    context->repeated_count += draft->repeated_count;
    context->unknown_field_count += draft->unknown_field_count;
}

void draft_report(const struct draft_context *context)
{
    if (context->other_attr_count)
        notices_add(context->notices, NOTICE_IGNORED, "attribute that no model reads",
                    context->other_attr_count, "-");
    if (context->valueless_count)
        notices_add(context->notices, NOTICE_IGNORED, "attribute without a value",
                    context->valueless_count, "-");
    if (context->repeated_count)
        notices_add(context->notices, NOTICE_ODDITY, "attribute given twice: the last one counts",
                    context->repeated_count, "-");
    if (context->unknown_field_count)
        notices_add(context->notices, NOTICE_IGNORED, "unknown field in a record",
                    context->unknown_field_count, "-");
}
