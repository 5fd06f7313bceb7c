#include "cli/link_out.h"

#include "cli/options.h"
#include "cli/output.h"
#include "report/draw.h"
#include "report/links.h"

static enum status need_links(const struct run_result *result, const char *option,
                              struct diag *diag)
{
    if (result->link_count)
        return STATUS_OK;
    usage_error(diag, option, "this network model sees no links");
    diag_hint(diag, "use --network-backend flow or link");
    return STATUS_USAGE;
}

enum status link_out_heat_map(const char *path, const struct run_result *result,
                              const struct config *config, struct diag *diag)
{
    struct out_file out;
    enum status status = need_links(result, "--heat-map", diag);
    if (status == STATUS_OK)
        status = output_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    draw_svg(config->network.fabric, result->link, (double)result->end_ps / (double)PS_PER_NS,
             out.stream);
    return output_commit(&out, diag);
}

enum status link_out_table(const char *path, const struct run_result *result,
                           const struct config *config, struct diag *diag)
{
    struct out_file out;
    enum status status = need_links(result, "--links", diag);
    if (status == STATUS_OK)
        status = output_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    links_csv(result, config, out.stream);
    return output_commit(&out, diag);
}
