/*
 * fuzz_slow_list - any text as ranks and as links that are slow for a time: refused with a field, or
 * paces under which work takes the time in which it is done.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/rank_speed.h"
#include "net/model/link_speed.h"
#include "net/topology/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_pace(const struct pace *pace)
{
    for (uint32_t i = 1; i < pace->count; i++)
        promise(pace->mark[i].at > pace->mark[i - 1].at);
    promise(pace->count == 0 || pace->mark[0].at == 0);
    double duration = pace_duration(pace, 1000, 1e9);
    promise(duration >= 0);
    if (duration < 1e15) {
        double work = pace_work(pace, 1000, 1000 + (time_ps)duration);
        promise(fabs(work - 1e9) <= 1e-6 * 1e9 + 2 / pace_at(pace, 1000 + (time_ps)duration));
    }
}

static void read_ranks(const struct config *config)
{
    struct diag diag = DIAG_NONE;
    struct rank_speed *speed;
    if (rank_speed_create(&speed, config, &diag) != STATUS_OK) {
        promise(*diag.message && *diag.field);
        return;
    }
    for (uint32_t r = 0; speed && r < config->network.npu_count; r++) {
        if (rank_speed_pace(speed, r))
            check_pace(rank_speed_pace(speed, r));
    }
    rank_speed_destroy(speed);
}

static void read_links(const struct network_config *network)
{
    struct diag diag = DIAG_NONE;
    struct link_speed *speed;
    if (link_speed_create(&speed, network, NULL, NULL, &diag) != STATUS_OK) {
        promise(*diag.message && *diag.field);
        return;
    }
    for (uint32_t i = 0; speed && i < speed->count; i++)
        check_pace(&speed->slow[i].pace);
    link_speed_destroy(speed);
}

static struct fabric *make_fabric(void)
{
    struct diag diag = DIAG_NONE;
    struct fabric *fabric = NULL;
    promise(fabric_parse("ring:4*switch:2", &fabric, &diag) == STATUS_OK);
    return fabric;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fabric *fabric;
    if (!fabric)
        fabric = make_fabric();
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct config config = {.network = {.npu_count = 8, .fabric = fabric}};
    config.variation.slow_ranks = config.variation.slow_links = text;
    config.network.variation = &config.variation;
    read_ranks(&config);
    read_links(&config.network);
    free(text);
    return 0;
}
