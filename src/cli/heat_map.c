#include "cli/heat_map.h"

#include "base/file.h"
#include "cli/options.h"
#include "cli/watch.h"
#include "report/draw.h"

enum status heat_map_write(const char *path, const struct network_config *network,
                           const struct link_figures *rows, uint32_t count, time_ps whole_ps,
                           struct diag *diag)
{
    if (!network->fabric || !count) {
        usage_error(diag, "--heat-map", "this network model sees no links");
        diag_hint(diag, "use --network-backend flow or link");
        return STATUS_USAGE;
    }
    struct out_file out;
    enum status status = out_file_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    watch_unlink(out.aside);
    draw_svg(network->fabric, rows, (double)whole_ps / (double)PS_PER_NS, out.stream);
    status = out_file_commit(&out, diag);
    watch_unlink(NULL);
    return status;
}
