/* reduction_tree: the tree spans its members over cables that exist; where its root is. */
#include "sched/reduction_tree.h"

#include <string.h>

#include "tests/unit/fabric_util.h"

enum { MOST = 64 };

struct case_of_tree {
    struct fabric *fabric;
    struct routing *routing;
    struct arena arena;
    struct reduction_tree tree;
    struct diag diag;
};

/* Members first, first + stride, .. */
static enum status make(struct case_of_tree *at, const char *topology, uint32_t first,
                        uint32_t stride, uint32_t count)
{
    uint32_t member[MOST];
    *at = (struct case_of_tree){.fabric = fabric_from(topology), .diag = DIAG_NONE};
    at->routing = routing_from(at->fabric, ROUTING_AUTO);
    arena_init(&at->arena);
    for (uint32_t i = 0; i < count; i++)
        member[i] = first + i * stride;
    return reduction_tree_make(&at->tree, at->fabric, at->routing, member, count, &at->arena,
                               &at->diag);
}

static void release(struct case_of_tree *at)
{
    arena_release(&at->arena);
    routing_destroy(at->routing);
    fabric_destroy(at->fabric);
}

/* Parents are neighbours, everything leads to the root, children are who names the parent. */
static void check_tree(const struct case_of_tree *at)
{
    const struct reduction_tree *tree = &at->tree;
    for (uint32_t i = 0; i < tree->count; i++) {
        uint32_t parent = tree->parent[i], below = i < tree->members, steps = 0;
        ck_assert_int_eq(parent == TREE_ROOT, i == tree->root);
        if (parent != TREE_ROOT) {
            uint32_t up = fabric_find_link(at->fabric, tree->node[i], tree->node[parent]);
            ck_assert_uint_ne(up, FABRIC_NONE);
            ck_assert_uint_ne(at->fabric->link[up].reverse, FABRIC_NONE);
        }
        for (uint32_t v = i; v != tree->root; v = tree->parent[v])
            ck_assert_uint_lt(steps++, tree->count);
        for (uint32_t c = tree->first_child[i]; c < tree->first_child[i + 1]; c++) {
            ck_assert_uint_eq(tree->parent[tree->child[c]], i);
            below += tree->below[tree->child[c]];
        }
        ck_assert_uint_eq(tree->below[i], below);
    }
    ck_assert_uint_eq(tree->first_child[tree->count], tree->count - 1);
    ck_assert_uint_eq(tree->below[tree->root], tree->members);
}

static const struct {
    const char *topology;
    uint32_t first, stride, members, switches;
    const char *root; /* the name's beginning */
} rows[] = {
    {"switch:8", 0, 1, 8, 1, "switch"},
    {"switch:8", 3, 2, 2, 1, "switch"},
    /* One leaf joins its own; more need a spine, and only one of them. */
    {"leafspine:4x4", 4, 1, 4, 1, "leaf"},
    {"leafspine:4x4", 0, 1, 16, 4 + 1, "spine"},
    {"leafspine:4x4", 0, 4, 4, 4 + 1, "spine"},
    /* A pod of fattree:4 has 2 leaves of 2 and one of its upper switches. */
    {"fattree:4", 0, 1, 4, 2 + 1, "agg"},
    {"fattree:4", 0, 1, 16, 8 + 4 + 1, "core"},
    /* Dimension 0 and dimension 1 of a product. */
    {"switch:4*switch:2", 0, 1, 4, 1, ""},
    {"switch:4*switch:2", 1, 4, 2, 1, ""},
};

START_TEST(trees)
{
    struct case_of_tree at;
    enum status status =
        make(&at, rows[_i].topology, rows[_i].first, rows[_i].stride, rows[_i].members);
    ck_assert_msg(status == STATUS_OK, "%s", at.diag.message);
    check_tree(&at);
    ck_assert_uint_eq(at.tree.members, rows[_i].members);
    ck_assert_uint_eq(at.tree.count, rows[_i].members + rows[_i].switches);
    for (uint32_t m = 0; m < rows[_i].members; m++)
        ck_assert_uint_eq(at.tree.node[m], rows[_i].first + m * rows[_i].stride);
    const struct fabric_node *root = &at.fabric->node[at.tree.node[at.tree.root]];
    ck_assert_int_eq(root->role, ROLE_SWITCH);
    ck_assert_msg(strncmp(root->name, rows[_i].root, strlen(rows[_i].root)) == 0, "%s", root->name);
    release(&at);
}
END_TEST

static const char *const without[] = {"torus:4x4", "ring:8", "full:8", "switch:4*ring:4"};

/* Nothing of switches joins them: NPUs would have to pass on what others reduce. */
START_TEST(no_tree)
{
    struct case_of_tree at;
    ck_assert_int_eq(make(&at, without[_i], 0, 1, 8), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(at.diag.message, "no switch joins the ranks"));
    ck_assert(at.diag.hint[0]);
    release(&at);
}
END_TEST

static Suite *reduction_tree_suite(void)
{
    Suite *suite = suite_create("reduction_tree");
    TCase *tcase = tcase_create("reduction_tree");
    tcase_add_loop_test(tcase, trees, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tcase, no_tree, 0, sizeof without / sizeof *without);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(reduction_tree_suite())
