#include "net/topology/trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Keys of all trees, after those of links; links from level 1 upwards have the `up` ones. */
enum { KEY_UPBW = KEY_FIRST_OWN, KEY_UPLAT, KEY_UPCOUNT, KEY_PLANES, KEY_TAPER, KEY_PODS };
enum { KEY_SPINES = KEY_PODS };

#define UP_KEYS                                                                                    \
    {"upbw", SPEC_BANDWIDTH, -1, NULL, "of a cable between switches (default: bw)"},               \
        {"uplat", SPEC_DURATION, -1, NULL, "of a link between switches (default: lat)"},           \
        {"upcount", SPEC_COUNT, 1, NULL, "parallel cables between switches"},                      \
    {                                                                                              \
        "planes", SPEC_COUNT, 1, NULL, "trees side by side, a port of every NPU in each"           \
    }

struct tree {
    uint32_t levels;
    uint32_t down[SPEC_COLUMNS], up[SPEC_COLUMNS], cables[SPEC_COLUMNS];
    double bandwidth_Bps[2], latency_ns[2]; /* of links of NPUs, and of links above */
};

/* -- from a factor to a tree ------------------------------------------------------------------- */

static void take_links(const struct spec_factor *factor, struct tree *tree)
{
    tree->bandwidth_Bps[0] = spec_number(factor, KEY_BW);
    tree->latency_ns[0] = spec_number(factor, KEY_LAT);
    bool own_bandwidth = factor->value[KEY_UPBW].given,
         own_latency = factor->value[KEY_UPLAT].given;
    tree->bandwidth_Bps[1] = spec_number(factor, own_bandwidth ? KEY_UPBW : KEY_BW);
    tree->latency_ns[1] = spec_number(factor, own_latency ? KEY_UPLAT : KEY_LAT);
    for (uint32_t i = 0; i < tree->levels; i++)
        tree->cables[i] = (uint32_t)spec_number(factor, i == 0 ? KEY_COUNT : KEY_UPCOUNT);
    tree->up[0] = (uint32_t)spec_number(factor, KEY_PLANES);
}

static bool one_size(const struct spec_factor *factor)
{
    return factor->rows == 1 && factor->columns[0] == 1;
}

/* `parents` cables over the taper, whole and at least one. */
static enum status tapered(const struct spec_factor *factor, uint32_t parents, uint32_t *left,
                           struct diag *diag)
{
    double taper = spec_number(factor, KEY_TAPER);
    *left = (uint32_t)(parents / taper + 1e-9);
    if (*left > 0 && fabs(*left * taper - parents) < 1e-6 * parents)
        return STATUS_OK;
    return diag_fail(diag, STATUS_BAD_CONFIG, "taper=%g does not divide the %u links up of a leaf",
                     taper, parents);
}

static enum status fattree_of(const struct spec_factor *factor, struct tree *tree,
                              struct diag *diag)
{
    uint32_t k = factor->size[0][0];
    if (!one_size(factor) || k < 2 || k % 2 != 0)
        return diag_fail(diag, STATUS_BAD_CONFIG, "%s takes the ports of a switch, an even number",
                         factor->kind->name);
    bool three = factor->kind == &tree_fattree;
    uint32_t pods = (uint32_t)spec_number(factor, KEY_PODS);
    if (three && pods > k)
        return diag_fail(diag, STATUS_BAD_CONFIG, "fattree:%u has %u pods, not %u", k, k, pods);
    *tree = (struct tree){.levels = three ? 3 : 2};
    take_links(factor, tree);
    tree->down[0] = tree->down[1] = tree->up[2] = k / 2;
    tree->down[tree->levels - 1] = three && factor->value[KEY_PODS].given ? pods : k;
    return tapered(factor, k / 2, &tree->up[1], diag);
}

static enum status leafspine_of(const struct spec_factor *factor, struct tree *tree,
                                struct diag *diag)
{
    if (factor->rows != 1 || factor->columns[0] != 2)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "leafspine takes two sizes: NPUs per leaf, and leaves");
    *tree = (struct tree){.levels = 2};
    take_links(factor, tree);
    tree->down[0] = factor->size[0][0];
    tree->down[1] = factor->size[0][1];
    if (tree->down[0] == 0 || tree->down[1] == 0)
        return diag_fail(diag, STATUS_BAD_CONFIG, "leafspine: sizes must be 1 or more");
    if (factor->value[KEY_SPINES].given && factor->value[KEY_TAPER].given)
        return diag_fail(diag, STATUS_BAD_CONFIG, "leafspine takes spines or taper, not both");
    tree->up[1] = (uint32_t)spec_number(factor, KEY_SPINES);
    if (factor->value[KEY_SPINES].given)
        return STATUS_OK;
    return tapered(factor, tree->down[0], &tree->up[1], diag);
}

static enum status xgft_of(const struct spec_factor *factor, struct tree *tree, struct diag *diag)
{
    uint32_t levels = factor->size[0][0];
    if (factor->rows != 4 || factor->columns[0] != 1 || levels == 0 || levels > SPEC_COLUMNS)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "xgft takes four rows: levels/children/parents/cables, up to %d levels",
                         SPEC_COLUMNS);
    for (uint32_t row = 1; row < 4; row++) {
        if (factor->columns[row] != levels)
            return diag_fail(diag, STATUS_BAD_CONFIG, "xgft of %u levels: row %u has %u numbers",
                             levels, row + 1, factor->columns[row]);
        for (uint32_t i = 0; i < levels; i++)
            if (factor->size[row][i] == 0)
                return diag_fail(diag, STATUS_BAD_CONFIG, "xgft: sizes must be 1 or more");
    }
    *tree = (struct tree){.levels = levels};
    take_links(factor, tree);
    for (uint32_t i = 0; i < levels; i++) {
        tree->down[i] = factor->size[1][i];
        tree->up[i] = factor->size[2][i];
        tree->cables[i] = factor->size[3][i];
    }
    if (factor->value[KEY_PLANES].given || factor->value[KEY_COUNT].given ||
        factor->value[KEY_UPCOUNT].given)
        return diag_fail(diag, STATUS_BAD_CONFIG,
                         "xgft: planes are the first number of parents, and counts the last row");
    return STATUS_OK;
}

static enum status tree_of(const struct spec_factor *factor, struct tree *tree, struct diag *diag)
{
    if (factor->kind == &tree_xgft)
        return xgft_of(factor, tree, diag);
    if (factor->kind == &tree_leafspine)
        return leafspine_of(factor, tree, diag);
    return fattree_of(factor, tree, diag);
}

/* Switches of level i (1 ..), links of all levels; 0 and false if too many. */
static uint64_t switches_of(const struct tree *tree, uint32_t level)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < tree->levels && count <= FABRIC_MAX_NODES; i++)
        count *= i < level ? tree->up[i] : tree->down[i];
    return count;
}

static enum status check_tree(const struct spec_factor *factor, uint64_t *npus, struct diag *diag)
{
    struct tree tree;
    enum status status = tree_of(factor, &tree, diag);
    if (status != STATUS_OK)
        return status;
    uint64_t nodes = 0, links = 0;
    *npus = switches_of(&tree, 0);
    for (uint32_t level = 0; level <= tree.levels; level++) {
        uint64_t count = switches_of(&tree, level);
        nodes += count;
        links += level < tree.levels ? 2 * count * tree.up[level] : 0;
    }
    if (nodes > FABRIC_MAX_NODES || links > FABRIC_MAX_LINKS)
        return diag_fail(diag, STATUS_BAD_CONFIG, "%s has more than %d nodes or more than %d links",
                         factor->kind->name, FABRIC_MAX_NODES, FABRIC_MAX_LINKS);
    return STATUS_OK;
}

/* -- building ------------------------------------------------------------------------------- */

static const char *level_name(uint32_t levels, uint32_t level)
{
    static const char *const two[] = {"leaf", "spine"}, *const three[] = {"leaf", "agg", "core"};
    if (levels == 2)
        return two[level - 1];
    return levels == 3 ? three[level - 1] : NULL;
}

static uint32_t add_level(struct fabric_builder *builder, const struct tree *tree, uint32_t level)
{
    uint32_t count = (uint32_t)switches_of(tree, level), first = 0, below = 1, copies = 1;
    const char *word = level_name(tree->levels, level);
    for (uint32_t i = 0; i < level; i++) {
        below *= tree->down[i];
        copies *= tree->up[i];
    }
    for (uint32_t s = 0; s < count; s++) {
        char name[40];
        if (word)
            snprintf(name, sizeof name, "%s%u", word, s);
        else
            snprintf(name, sizeof name, "s%u.%u", level, s);
        uint32_t v = fabric_add_node(builder, ROLE_SWITCH, name);
        struct fabric_node *node = fabric_builder_node(builder, v);
        node->level = (uint8_t)level;
        node->below_first = s / copies * below;
        node->below_stride = 1;
        node->below_count = below;
        first = s == 0 ? v : first;
    }
    return first;
}

/* Cables from the nodes of level `level` to the next. */
static void join_levels(struct fabric_builder *builder, const struct tree *tree, uint32_t level,
                        uint32_t first, uint32_t first_above)
{
    uint32_t count = (uint32_t)switches_of(tree, level), copies = 1;
    for (uint32_t i = 0; i < level; i++)
        copies *= tree->up[i];
    uint32_t copies_above = copies * tree->up[level];
    for (uint32_t s = 0; s < count; s++) {
        uint32_t block_above = s / copies / tree->down[level];
        for (uint32_t j = 0; j < tree->up[level]; j++) {
            uint32_t parent = block_above * copies_above + s % copies + j * copies;
            uint32_t handle =
                fabric_add_cable(builder, first + s, first_above + parent,
                                 tree->bandwidth_Bps[level > 0], tree->latency_ns[level > 0], 0);
            fabric_set_count(builder, handle, tree->cables[level]);
        }
    }
}

static enum status build_tree(const struct spec_factor *factor, struct fabric **fabric,
                              struct diag *diag)
{
    struct tree tree;
    enum status status = tree_of(factor, &tree, diag);
    if (status != STATUS_OK)
        return status;
    struct fabric_builder *builder = fabric_builder_create();
    uint32_t npus = (uint32_t)switches_of(&tree, 0), first = 0;
    fabric_add_npus(builder, npus);
    fabric_add_dim(builder,
                   (struct fabric_dim){.kind = FABRIC_TREE,
                                       .npus = npus,
                                       .stride = 1,
                                       .bandwidth_Bps = tree.bandwidth_Bps[0] * tree.cables[0],
                                       .latency_ns = tree.latency_ns[0]});
    for (uint32_t level = 0; level < tree.levels; level++) {
        uint32_t first_above = add_level(builder, &tree, level + 1);
        join_levels(builder, &tree, level, first, first_above);
        first = first_above;
    }
    status = fabric_finish(builder, factor->kind->name, fabric, diag);
    if (status == STATUS_OK)
        (*fabric)->is_tree = true;
    return status;
}

const struct spec_kind tree_xgft = {
    .name = "xgft",
    .aliases = "fattreex",
    .sizes = "LEVELS/m1,m2,../w1,w2,../c1,c2,.. (children, parents, cables per level)",
    .summary = "extended generalised fat-tree",
    .key = {SPEC_LINK_KEYS, UP_KEYS},
    .check = check_tree,
    .build = build_tree,
};

const struct spec_kind tree_fattree = {
    .name = "fattree",
    .aliases = "fattree3",
    .sizes = "K (ports of a switch; K^3/4 NPUs)",
    .summary = "three levels of switches with K ports",
    .key = {SPEC_LINK_KEYS,
            UP_KEYS,
            {"taper", SPEC_RATIO, 1, NULL, "links down over links up of a leaf"},
            {"pods", SPEC_COUNT, 1, NULL, "fewer pods than K", true}},
    .check = check_tree,
    .build = build_tree,
};

const struct spec_kind tree_fattree2 = {
    .name = "fattree2",
    .sizes = "K (ports of a switch; K^2/2 NPUs)",
    .summary = "two levels of switches with K ports",
    .key = {SPEC_LINK_KEYS,
            UP_KEYS,
            {"taper", SPEC_RATIO, 1, NULL, "links down over links up of a leaf"}},
    .check = check_tree,
    .build = build_tree,
};

const struct spec_kind tree_leafspine = {
    .name = "leafspine",
    .sizes = "HxL (NPUs per leaf x leaves)",
    .summary = "every leaf switch has a link to every spine switch",
    .key = {SPEC_LINK_KEYS,
            UP_KEYS,
            {"taper", SPEC_RATIO, 1, NULL, "links down over links up of a leaf"},
            {"spines", SPEC_COUNT, 1, NULL, "spine switches (default: NPUs per leaf / taper)",
             true}},
    .check = check_tree,
    .build = build_tree,
};
