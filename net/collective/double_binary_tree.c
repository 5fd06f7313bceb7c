#include "net/collective/double_binary_tree.h"

#include "net/collective/lanes.h"

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
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .final_bytes = request->bytes,
                                  .slots = SLOT_TREE_COUNT,
                                  .pieces = 1,
                                  .piece_bytes = request->bytes};
}

/* Sends the whole data. */
static uint32_t send_all(struct lanes *lanes, uint32_t after, uint32_t peer, uint32_t slot)
{
    lanes_carry(lanes, 0, 1);
    return lanes_send(lanes, after, peer, slot);
}

static void program(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *made)
{
    struct tree_place at = place_in_tree(position, request->n, request->tree == 0);
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, 3, arena, made);
    bool is_root = at.parent == NO_STEP;
    bool is_leaf = !is_root && at.left == NO_STEP;
    if (is_leaf) {
        uint32_t ready = lanes_begin(&lanes, 1);
        send_all(&lanes, ready, at.parent, at.slot_at_parent);
        lanes_recv(&lanes, ready, at.parent, SLOT_PARENT, 1, false);
    } else if (is_root) {
        uint32_t child = at.left != NO_STEP ? at.left : at.right;
        uint32_t slot = at.left != NO_STEP ? SLOT_LEFT : SLOT_RIGHT;
        uint32_t done = lanes_recv(&lanes, NO_STEP, child, slot, 1, true);
        made->step[done].bus_return = BUS_RETURN;
        send_all(&lanes, done, child, SLOT_PARENT);
    } else {
        uint32_t left = lanes_recv_only(&lanes, NO_STEP, at.left, SLOT_LEFT, 1, true);
        uint32_t right = lanes_recv_only(&lanes, NO_STEP, at.right, SLOT_RIGHT, 1, true);
        uint32_t left_in = lanes_local(&lanes, left, true, 1);
        uint32_t right_in = lanes_local(&lanes, right, true, 1);
        made->step[left_in].bus_return = made->step[right_in].bus_return = BUS_RETURN_SECOND;
        uint32_t up = send_all(&lanes, left_in, at.parent, at.slot_at_parent);
        lanes_order(&lanes, right_in, up);
        uint32_t result = lanes_recv_only(&lanes, up, at.parent, SLOT_PARENT, 1, false);
        uint32_t done = lanes_local(&lanes, result, true, 1);
        made->step[done].bus_return = BUS_RETURN;
        send_all(&lanes, done, at.left, SLOT_PARENT);
        send_all(&lanes, done, at.right, SLOT_PARENT);
    }
    lanes_close(&lanes);
}

/* log2 n edges up and down; every position sends up once, inner ones down twice. */
static void cost(const struct schedule_request *request, struct collective_cost *cost_out)
{
    uint64_t levels = 31 - (uint32_t)__builtin_clz(request->n), bytes = request->bytes;
    *cost_out = (struct collective_cost){
        .latency_terms = 2 * levels,
        .path_bytes = 2 * levels * bytes,
        .reduce_bytes = (2 * levels - 1) * bytes,
        .port_bytes = (request->n > 2 ? 3 : 1) * bytes,
        .total_bytes = 2 * (uint64_t)(request->n - 1) * bytes,
    };
}

const struct collective_ops collective_double_binary_tree = {
    .name = "doubleBinaryTree",
    .summary = "all-reduce over two complementary binary trees; n a power of two",
    .steps = "2 log2 n",
    .formula = "2 log2(n)(a + S b)",
    .kinds = KIND_BIT(COLL_ALL_REDUCE),
    .check = check,
    .plan = plan,
    .program = program,
    .cost = cost,
};
