/*
 * Refinement of what changed only. All messages are kept with the links of their routes. A
 * message's hash is a sum over what it touches (ends, links with their place and share), and what a
 * thing sees is a sum over the messages that touch it, so that a change of colour adds a difference
 * to each. Things whose sum changed are sorted by it within their class; what was not touched keeps
 * the class's colour, or if all were, the largest part does; the rest changes colour, and so on.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/partition_worklist.h"

/* -- colours ---------------------------------------------------------------------------------- */

static uint64_t colour(uint32_t class)
{
    return mix_in(0, class);
}

/* Terms of a message's hash. */
static uint64_t term(uint32_t class, uint64_t role)
{
    return mix_in(colour(class), role);
}

enum role { ROLE_SENDER = 1, ROLE_RECEIVER, ROLE_GROUP, ROLE_MEMBER, ROLE_LINK = 16 };

static uint64_t role_of_hop(const struct hop *hop)
{
    return ROLE_LINK + (uint64_t)hop->key;
}

static uint64_t role_of_slot(const struct worklist *work, enum role role, uint32_t at)
{
    uint32_t slot = at - work->slot_begin[work->rank_of_slot[at]];
    return role + 4 + 2 * (uint64_t)slot + ((uint64_t)1 << 40);
}

/* -- differences ------------------------------------------------------------------------------ */

static void touch(struct worklist *work, uint32_t thing, uint64_t difference)
{
    struct thing *one = &work->thing[thing];
    one->sees += difference;
    if (one->is_touched)
        return;
    one->is_touched = true;
    work->touched.item[work->touched.count++] = thing;
}

static void change(struct worklist *work, uint32_t message, uint64_t difference)
{
    struct message *one = &work->message[message];
    if (!one->is_changed) {
        one->is_changed = true;
        one->before = one->hash;
        work->changed.item[work->changed.count++] = message;
    }
    one->hash += difference;
}

static uint64_t step_from(uint32_t before, uint32_t now, uint64_t role)
{
    return term(now, role) - term(before, role);
}

static void tell_of_rank(struct worklist *work, uint32_t rank, uint32_t before)
{
    uint32_t now = work->thing[rank].class;
    uint64_t as_sender = step_from(before, now, ROLE_SENDER);
    uint64_t as_receiver = step_from(before, now, ROLE_RECEIVER);
    for (uint32_t m = work->out_begin[rank]; m < work->out_begin[rank + 1]; m++)
        change(work, m, as_sender);
    for (uint32_t i = work->in_begin[rank]; i < work->in_begin[rank + 1]; i++)
        change(work, work->in_of_rank[i], as_receiver);
    for (uint32_t at = work->slot_begin[rank]; at < work->slot_begin[rank + 1]; at++)
        touch(work, work->group_of_slot[at],
              step_from(before, now, role_of_slot(work, ROLE_MEMBER, at)));
}

static void tell_of_link(struct worklist *work, uint32_t thing, uint32_t before)
{
    uint32_t link = thing - work->first_link, now = work->thing[thing].class;
    for (uint32_t i = work->link_begin[link]; i < work->link_begin[link + 1]; i++) {
        const struct hop *hop = &work->hop[work->hop_of_link[i]];
        change(work, hop->message, step_from(before, now, role_of_hop(hop)));
    }
}

static void tell_of_group(struct worklist *work, uint32_t thing, uint32_t before)
{
    uint32_t group = thing - work->first_group, now = work->thing[thing].class;
    for (uint32_t i = work->member_begin[group]; i < work->member_begin[group + 1]; i++) {
        uint32_t at = work->member[i];
        touch(work, work->rank_of_slot[at],
              step_from(before, now, role_of_slot(work, ROLE_GROUP, at)));
    }
}

/* What the ends and links of a message see of it: the message's hash was `before` (0: nothing). */
static void tell_of_message(struct worklist *work, uint32_t m, bool is_new)
{
    const struct message *message = &work->message[m];
    uint64_t now = message->hash, before = message->before;
    uint64_t sent = mix_in(now, 1) - (is_new ? 0 : mix_in(before, 1));
    uint64_t heard = mix_in(now, 2) - (is_new ? 0 : mix_in(before, 2));
    touch(work, message->src, sent);
    touch(work, message->dst, heard);
    for (uint32_t h = message->hop; h < message[1].hop; h++) {
        const struct hop *hop = &work->hop[h];
        uint64_t role = role_of_hop(hop);
        touch(work, hop->link, mix_in(now, role) - (is_new ? 0 : mix_in(before, role)));
    }
}

/* -- splitting -------------------------------------------------------------------------------- */

static int compare_touched(const void *left, const void *right)
{
    const struct touched *a = left, *b = right;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    if (a->sees != b->sees)
        return a->sees < b->sees ? -1 : 1;
    return a->thing < b->thing ? -1 : a->thing > b->thing;
}

static void recolour(struct worklist *work, const struct touched *part, uint32_t count)
{
    uint32_t before = part->class, now = work->class_count++;
    work->rank_classes += part->thing < work->first_link;
    work->class_size[before] -= count;
    work->class_size[now] = count;
    work->class_sees[now] = part->sees;
    for (uint32_t i = 0; i < count; i++) {
        work->thing[part[i].thing].class = now;
        work->recoloured[work->recoloured_count++] = (struct recoloured){part[i].thing, before};
    }
}

/* How many of [0, count) see the same as the first. */
static uint32_t alike(const struct touched *part, uint32_t count)
{
    uint32_t n = 1;
    while (n < count && part[n].sees == part[0].sees)
        n++;
    return n;
}

/* The touched things of one class. */
static void split_class(struct worklist *work, const struct touched *all, uint32_t count)
{
    uint32_t class = all->class;
    bool some_stay = work->class_size[class] > count;
    uint32_t keep = 0, most = 0;
    for (uint32_t i = 0, n; i < count && !some_stay; i += n) {
        n = alike(all + i, count - i);
        if (n > most) {
            most = n;
            keep = i;
        }
    }
    if (!some_stay)
        work->class_sees[class] = all[keep].sees;
    uint64_t sees = work->class_sees[class];
    for (uint32_t i = 0, n; i < count; i += n) {
        n = alike(all + i, count - i);
        if (all[i].sees != sees)
            recolour(work, all + i, n);
    }
}

static void split(struct worklist *work)
{
    uint32_t count = work->touched.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t thing = work->touched.item[i];
        work->sorted[i] =
            (struct touched){work->thing[thing].sees, work->thing[thing].class, thing};
        work->thing[thing].is_touched = false;
    }
    work->touched.count = work->recoloured_count = 0;
    qsort(work->sorted, count, sizeof *work->sorted, compare_touched);
    for (uint32_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && work->sorted[i + n].class == work->sorted[i].class;)
            n++;
        split_class(work, work->sorted + i, n);
    }
}

static void tell(struct worklist *work)
{
    for (uint32_t i = 0; i < work->recoloured_count; i++) {
        uint32_t thing = work->recoloured[i].thing, before = work->recoloured[i].before;
        if (thing < work->first_link)
            tell_of_rank(work, thing, before);
        else if (thing < work->first_group)
            tell_of_link(work, thing, before);
        else
            tell_of_group(work, thing, before);
    }
    for (uint32_t i = 0; i < work->changed.count; i++) {
        uint32_t message = work->changed.item[i];
        tell_of_message(work, message, false);
        work->message[message].is_changed = false;
    }
    work->changed.count = 0;
}

/* -- from first to last ----------------------------------------------------------------------- */

/* Classes of first colours; links, ranks and groups never share one. */
static void start(struct worklist *work, const struct first_colours *first)
{
    struct partition *partition = work->partition;
    struct classes *classes[] = {&partition->ranks, &partition->links, &partition->groups};
    const uint64_t *hash[] = {first->rank, first->link, first->group};
    for (uint32_t k = 0, thing = 0; k < 3; k++) {
        classes_from(classes[k], hash[k]);
        for (uint32_t i = 0; i < classes[k]->things; i++, thing++) {
            work->thing[thing].class = work->class_count + classes[k]->of[i];
            work->class_size[work->thing[thing].class]++;
        }
        work->class_count += classes[k]->count;
    }
    work->rank_classes = partition->ranks.count;
    for (uint32_t m = 0; m < work->message_count; m++) {
        struct message *message = &work->message[m];
        message->hash += term(work->thing[message->src].class, ROLE_SENDER) +
                         term(work->thing[message->dst].class, ROLE_RECEIVER);
        for (uint32_t h = message->hop; h < message[1].hop; h++)
            message->hash += term(work->thing[work->hop[h].link].class, role_of_hop(&work->hop[h]));
        tell_of_message(work, m, true);
    }
    for (uint32_t at = 0; at < work->slot_begin[work->first_link]; at++) {
        uint32_t rank = work->rank_of_slot[at], group = work->group_of_slot[at];
        touch(work, group, term(work->thing[rank].class, role_of_slot(work, ROLE_MEMBER, at)));
        touch(work, rank, term(work->thing[group].class, role_of_slot(work, ROLE_GROUP, at)));
    }
}

static void finish(struct worklist *work)
{
    struct partition *partition = work->partition;
    struct classes *classes[] = {&partition->ranks, &partition->links, &partition->groups};
    uint64_t *hash = calloc((size_t)work->things + 1, sizeof *hash);
    need_memory(hash != NULL);
    for (uint32_t i = 0; i < work->things; i++)
        hash[i] = colour(work->thing[i].class);
    for (uint32_t k = 0, thing = 0; k < 3; k++) {
        classes_from(classes[k], hash + thing);
        thing += classes[k]->things;
    }
    free(hash);
}

static void *array(size_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    need_memory(made != NULL);
    return made;
}

static void make(struct worklist *work)
{
    struct partition *partition = work->partition;
    work->first_link = partition->ranks.things;
    work->first_group = work->first_link + partition->links.things;
    work->things = work->first_group + partition->groups.things;
    work->thing = array(work->things, sizeof *work->thing);
    work->touched.item = array(work->things, sizeof(uint32_t));
    work->recoloured = array(work->things, sizeof *work->recoloured);
    work->sorted = array(work->things, sizeof *work->sorted);
    work->class_size = array(work->things, sizeof *work->class_size);
    work->class_sees = array(work->things, sizeof *work->class_sees);
    worklist_collect(work);
    work->changed.item = array(work->message_count, sizeof(uint32_t));
}

static void release(struct worklist *work)
{
    void *arrays[] = {
        work->message,      work->hop,           work->hop_of_link,  work->link_begin,
        work->in_of_rank,   work->in_begin,      work->out_begin,    work->slot_begin,
        work->rank_of_slot, work->group_of_slot, work->member_begin, work->member,
        work->thing,        work->touched.item,  work->changed.item, work->recoloured,
        work->sorted,       work->class_size,    work->class_sees,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

const char *partition_worklist(struct partition *partition, const struct partition_job *job,
                               const struct first_colours *first, uint32_t most)
{
    struct worklist work = {.partition = partition, .job = job};
    const char *failed = NULL;
    make(&work);
    if (work.is_too_large) {
        failed = partition_too_many_routes;
    } else {
        start(&work, first);
        for (split(&work); work.recoloured_count > 0 && work.rank_classes <= most; split(&work))
            tell(&work);
        if (work.rank_classes > most)
            failed = partition_too_many_classes;
        else
            finish(&work);
    }
    release(&work);
    return failed;
}
