#include "net/collective/bruck.h"

#include "base/status.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

/* -- bruck ---------------------------------------------------------------------------------- */

static uint32_t radix_of(const struct schedule_request *request)
{
    return request->radix ? request->radix : 2;
}

static enum status check_bruck(const struct schedule_request *request, struct diag *diag)
{
    enum status status = request_check_kind(request, &collective_bruck, diag);
    if (status)
        return status;
    if (request->radix == 1)
        return diag_fail(diag, STATUS_BAD_CONFIG, "bruck needs a radix of 2 or more, here is 1");
    if (!request->sizes)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "bruck cannot run an uneven all-to-all");
    diag_hint(diag, "use linear or pairwise");
    return STATUS_BAD_CONFIG;
}

/* One message of a round. */
struct bruck_message {
    uint64_t weight; /* r^k */
    uint32_t digit;
    uint64_t blocks;
};

/* Distances below n with that digit at the place of that weight. */
static uint64_t count_digit(uint32_t n, uint64_t weight, uint32_t radix, uint32_t digit)
{
    uint64_t cycle = weight * radix, rest = n % cycle, below = weight * digit;
    uint64_t tail = rest > below ? rest - below : 0;
    return n / cycle * weight + (tail < weight ? tail : weight);
}

/* The next message after `last` (all zero: the first); false at the end. */
static bool next_message(const struct schedule_request *request, struct bruck_message *message)
{
    uint32_t n = request->n, radix = radix_of(request);
    if (!message->weight) {
        message->weight = 1;
        message->digit = 0;
    }
    if (++message->digit == radix || message->digit * message->weight >= n) {
        message->weight *= radix;
        message->digit = 1;
    }
    if (message->weight >= n)
        return false;
    uint64_t ahead = n - message->digit * message->weight;
    if (request->kind == COLL_ALL_GATHER)
        message->blocks = ahead < message->weight ? ahead : message->weight;
    else
        message->blocks = count_digit(n, message->weight, radix, message->digit);
    return true;
}

static uint32_t count_messages(const struct schedule_request *request)
{
    uint32_t count = 0;
    for (struct bruck_message message = {0}; next_message(request, &message);)
        count++;
    return count;
}

static void plan_bruck(const struct schedule_request *request, struct arena *arena,
                       struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .symmetry = request_cycle(request),
                                  .slots = count_messages(request)};
    request_cut_blocks(request, 1, schedule);
}

/* all-gather: the blocks p, p + 1, ..; all-to-all: each block that has come so far. */
static void carry_message(struct lanes *lanes, const struct schedule_request *request, uint32_t p,
                          const struct bruck_message *message)
{
    uint32_t n = request->n;
    if (!lanes->is_described) {
        lanes_carry(lanes, 0, message->blocks);
        return;
    }
    if (request->kind == COLL_ALL_GATHER) {
        for (uint32_t i = 0; i < message->blocks; i++)
            lanes_carry(lanes, (p + i) % n, 1);
        return;
    }
    for (uint32_t distance = 0; distance < n; distance++) {
        if (distance / message->weight % radix_of(request) != message->digit)
            continue;
        uint64_t from = (p + n - distance % message->weight) % n;
        lanes_carry(lanes, from * n + (from + distance) % n, 1);
    }
}

/* Sends of a round leave together once all of the round before was handed over. */
static void program_bruck(const struct schedule_request *request, const struct schedule *schedule,
                          uint32_t position, struct arena *arena, struct program *program)
{
    uint32_t n = request->n, slot = 0, back = request->kind == COLL_ALL_GATHER;
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, schedule->slots, arena, program);
    uint32_t ready = lanes_begin(&lanes, 1), last = ready;
    struct bruck_message message = {0};
    uint64_t weight = 1;
    while (next_message(request, &message)) {
        if (message.weight != weight)
            ready = last;
        weight = message.weight;
        uint32_t distance = (uint32_t)(message.digit * weight);
        uint32_t up = exchange_up(position, distance, n);
        uint32_t down = exchange_down(position, distance, n);
        carry_message(&lanes, request, position, &message);
        uint32_t sent = lanes_send(&lanes, ready, back ? down : up, slot);
        uint32_t here = lanes_recv(&lanes, sent, back ? up : down, slot++, message.blocks, false);
        if (message.digit > 1)
            lanes_order(&lanes, last, here);
        last = here;
    }
    lanes_close(&lanes);
}

static void cost_bruck(const struct schedule_request *request, struct collective_cost *cost)
{
    struct schedule cut;
    plan_bruck(request, NULL, &cut);
    uint64_t weight = 0, longest = 0, rounds = 0, path = 0, all = 0;
    for (struct bruck_message message = {0}; next_message(request, &message);) {
        if (message.weight != weight) {
            path += longest;
            rounds++;
            longest = 0;
        }
        weight = message.weight;
        longest = message.blocks > longest ? message.blocks : longest;
        all += message.blocks;
    }
    *cost = (struct collective_cost){
        .latency_terms = rounds,
        .path_bytes = (path + longest) * cut.piece_bytes,
        .port_bytes = all * cut.piece_bytes,
        .total_bytes = all * cut.piece_bytes * request->n,
    };
}

const struct collective_ops collective_bruck = {
    .name = "bruck",
    .summary = "few messages for any n: blocks travel by the digits of their distance",
    .steps = "ceil(log_r n) rounds of r-1 messages",
    .formula = "log2(n) a + (n-1)m b, all-to-all log2(n)(a + S/2 b); radix 2",
    .kinds = KIND_BIT(COLL_ALL_GATHER) | KIND_BIT(COLL_ALL_TO_ALL),
    .check = check_bruck,
    .plan = plan_bruck,
    .program = program_bruck,
    .cost = cost_bruck,
};

/* -- pat ------------------------------------------------------------------------------------ */

static enum status check_pat(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_pat, diag);
}

/* Blocks that move over the distance 2^k: those that came e before, e a multiple of 2^(k+1), and
 * go on to less than n in all. */
static uint32_t pat_blocks(uint32_t n, uint32_t k)
{
    uint32_t distance = 1u << k;
    return (n - distance - 1) / (2 * distance) + 1;
}

static uint32_t pat_limit(const struct schedule_request *request)
{
    return request->chunks ? request->chunks : UINT32_MAX;
}

static uint32_t pat_messages(const struct schedule_request *request)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < levels_of(request->n); k++)
        count += (uint32_t)ceil_div(pat_blocks(request->n, k), pat_limit(request));
    return count;
}

static void plan_pat(const struct schedule_request *request, struct arena *arena,
                     struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .symmetry = request_cycle(request),
                                  .slots = pat_messages(request)};
    request_cut_blocks(request, 1, schedule);
}

/* The messages over one distance; returns the last step. `owner` is whose block goes first. */
static uint32_t pat_level(struct lanes *lanes, const struct schedule_request *request,
                          uint32_t position, uint32_t k, uint32_t *slot, uint32_t last)
{
    uint32_t n = request->n, distance = 1u << k, blocks = pat_blocks(n, k);
    bool is_gather = request->kind == COLL_ALL_GATHER;
    uint32_t up = exchange_up(position, distance, n), down = exchange_down(position, distance, n);
    uint32_t owner = is_gather ? position : down, limit = pat_limit(request);
    for (uint32_t done = 0, count; done < blocks; done += count) {
        count = blocks - done < limit ? blocks - done : limit;
        for (uint32_t i = done; i < done + count && lanes->is_described; i++)
            lanes_carry(lanes, exchange_down(owner, i * 2 * distance, n), 1);
        if (!lanes->is_described)
            lanes_carry(lanes, 0, count);
        last = lanes_swap(lanes, last, is_gather ? up : down, is_gather ? down : up, (*slot)++,
                          count, !is_gather);
    }
    return last;
}

static void program_pat(const struct schedule_request *request, const struct schedule *schedule,
                        uint32_t position, struct arena *arena, struct program *program)
{
    uint32_t levels = levels_of(request->n), slot = 0;
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, schedule->slots, arena, program);
    uint32_t last = lanes_begin(&lanes, 1);
    for (uint32_t i = 0; i < levels; i++) {
        uint32_t k = request->kind == COLL_ALL_GATHER ? levels - 1 - i : i;
        last = pat_level(&lanes, request, position, k, &slot, last);
    }
    lanes_close(&lanes);
}

static void cost_pat(const struct schedule_request *request, struct collective_cost *cost)
{
    struct schedule cut;
    plan_pat(request, NULL, &cut);
    uint64_t bytes = (request->n - 1) * cut.piece_bytes;
    *cost = (struct collective_cost){
        .latency_terms = cut.slots,
        .path_bytes = bytes,
        .reduce_bytes = request->kind == COLL_ALL_GATHER ? 0 : bytes,
        .port_bytes = bytes,
        .total_bytes = bytes * request->n,
    };
}

const struct collective_ops collective_pat = {
    .name = "pat",
    .summary = "parallel aggregated trees: far and short first; chunks: most blocks of a message",
    .steps = "ceil(log2 n), more with a limit",
    .formula = "log2(n) a + (n-1)m b",
    .kinds = KIND_BIT(COLL_ALL_GATHER) | KIND_BIT(COLL_REDUCE_SCATTER),
    .check = check_pat,
    .plan = plan_pat,
    .program = program_pat,
    .cost = cost_pat,
};
