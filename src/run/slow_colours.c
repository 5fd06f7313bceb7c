#include "run/slow_colours.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/mix.h"
#include "compute/rank_speed.h"
#include "net/model/link_speed.h"

static uint64_t colour_of(const struct pace *pace)
{
    uint64_t colour = 0;
    for (uint32_t i = 0; i < pace->count; i++)
        colour = mix_in(mix_in(colour, pace->mark[i].at), bits_of(pace->mark[i].factor));
    return colour;
}

static uint64_t *made(uint64_t **colours, uint32_t count)
{
    if (!*colours)
        *colours = calloc((size_t)count + 1, sizeof **colours);
    need_memory(*colours != NULL);
    return *colours;
}

static bool add_ranks(struct partition *partition, const struct config *config, struct diag *diag)
{
    struct rank_speed *speed;
    if (rank_speed_create(&speed, config, diag) != STATUS_OK)
        return false;
    uint32_t ranks = partition->ranks.things;
    for (uint32_t r = 0; speed && r < ranks; r++) {
        const struct pace *pace = rank_speed_pace(speed, r);
        uint64_t *colour = made(&partition->rank_colour, ranks);
        if (pace)
            colour[r] = mix_in(colour[r], colour_of(pace));
    }
    rank_speed_destroy(speed);
    return true;
}

static bool add_links(struct partition *partition, const struct config *config, struct diag *diag)
{
    struct network_config network = config->network;
    struct link_speed *speed;
    network.variation = &config->variation;
    if (link_speed_create(&speed, &network, NULL, NULL, diag) != STATUS_OK)
        return false;
    for (uint32_t i = 0; speed && i < speed->count; i++) {
        uint64_t *colour = made(&partition->link_colour, network.fabric->link_count);
        colour[speed->slow[i].link] = colour_of(&speed->slow[i].pace);
    }
    link_speed_destroy(speed);
    return true;
}

bool slow_colours_add(struct partition *partition, const struct config *config)
{
    struct diag diag = DIAG_NONE;
    return add_ranks(partition, config, &diag) && add_links(partition, config, &diag);
}
