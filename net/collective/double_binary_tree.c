#include "net/collective/double_binary_tree.h"

#include "net/collective/program.h"

enum { SLOT_PARENT, SLOT_LEFT, SLOT_RIGHT, SLOT_TREE_COUNT };

/* Neighbours of a position in the tree; NO_STEP where there is none. */
struct tree_place {
    uint32_t parent, left, right;
    uint32_t slot_at_parent;
};

/*
 * The full tree of n-1 nodes in order is the binary tree over 1 .. n-1 (n a power of two): node i
 * has height ctz(i), children i -/+ 2^(height-1), and its parent is on the side given by the next
 * bit. The extra root is 0 (tree 1), or n after mirroring (tree 0).
 */
static struct tree_place place_in_tree(uint32_t position, uint32_t n, bool root_is_last)
{
    uint32_t node = root_is_last ? position + 1 : position; /* 1 .. n, or 0 .. n-1 */
    uint32_t root = root_is_last ? n : 0;
    uint32_t shift = root_is_last ? 1 : 0;
    uint32_t none = NO_STEP;
    struct tree_place place = {none, none, none, SLOT_LEFT};
    if (node == root) {
        if (root_is_last)
            place.left = n / 2 - shift;
        else
            place.right = n / 2;
        return place;
    }
    uint32_t half = node & -node;
    if (half > 1) {
        place.left = node - half / 2 - shift;
        place.right = node + half / 2 - shift;
    }
    if (half == n / 2) {
        place.parent = root - shift;
        place.slot_at_parent = root_is_last ? SLOT_LEFT : SLOT_RIGHT;
    } else {
        bool is_left = (node & (half << 1)) == 0;
        place.parent = (is_left ? node + half : node - half) - shift;
        place.slot_at_parent = is_left ? SLOT_LEFT : SLOT_RIGHT;
    }
    return place;
}

static enum status check(const struct schedule_request *request, struct diag *diag)
{
    if (request->n & (request->n - 1)) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "doubleBinaryTree needs a power of two of NPUs, here are %u", request->n);
        diag_hint(diag, "use ring, direct or halvingDoubling (ASTRA-sim crashes on this)");
        return STATUS_BAD_CONFIG;
    }
    return STATUS_OK;
}

static void plan(const struct schedule_request *request, struct arena *arena,
                 struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){
        .form = SCHEDULE_PROGRAM, .final_bytes = request->bytes, .slots = SLOT_TREE_COUNT};
}

static void program(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *made)
{
    (void)schedule;
    uint64_t bytes = request->bytes;
    struct tree_place at = place_in_tree(position, request->n, request->tree == 0);
    struct program_builder build;
    program_open(&build, arena, made, 10, 10);
    bool is_root = at.parent == NO_STEP;
    bool is_leaf = !is_root && at.left == NO_STEP;
    if (is_leaf) {
        uint32_t ready = program_local(&build, NO_STEP, false, bytes);
        program_send(&build, ready, at.parent, at.slot_at_parent, bytes);
        uint32_t result = program_recv(&build, ready, at.parent, SLOT_PARENT, bytes);
        program_local(&build, result, false, bytes);
    } else if (is_root) {
        uint32_t child = at.left != NO_STEP ? at.left : at.right;
        uint32_t slot = at.left != NO_STEP ? SLOT_LEFT : SLOT_RIGHT;
        uint32_t part = program_recv(&build, NO_STEP, child, slot, bytes);
        uint32_t done = program_local(&build, part, true, bytes);
        made->step[done].bus_return = BUS_RETURN;
        program_send(&build, done, child, SLOT_PARENT, bytes);
    } else {
        uint32_t left = program_recv(&build, NO_STEP, at.left, SLOT_LEFT, bytes);
        uint32_t right = program_recv(&build, NO_STEP, at.right, SLOT_RIGHT, bytes);
        uint32_t left_in = program_local(&build, left, true, bytes);
        uint32_t right_in = program_local(&build, right, true, bytes);
        made->step[left_in].bus_return = made->step[right_in].bus_return = BUS_RETURN_SECOND;
        uint32_t up = program_send(&build, left_in, at.parent, at.slot_at_parent, bytes);
        program_edge_add(&build, right_in, up);
        uint32_t result = program_recv(&build, up, at.parent, SLOT_PARENT, bytes);
        uint32_t done = program_local(&build, result, true, bytes);
        made->step[done].bus_return = BUS_RETURN;
        program_send(&build, done, at.left, SLOT_PARENT, bytes);
        program_send(&build, done, at.right, SLOT_PARENT, bytes);
    }
    program_close(&build);
}

const struct collective_ops collective_double_binary_tree = {
    .name = "doubleBinaryTree",
    .summary = "all-reduce over two complementary binary trees; n a power of two",
    .check = check,
    .plan = plan,
    .program = program,
};
