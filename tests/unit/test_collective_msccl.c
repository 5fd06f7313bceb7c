/*
 * MSCCL XML: small files and what is wrong with them; every algorithm written, read back, proved
 * again, and of the same time. Files of ../shared are proved by tests/agree, if they are there.
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "config/config.h"
#include "net/collective/msccl.h"
#include "net/collective/msccl_write.h"
#include "net/collective/verify.h"

/* -- reading ----------------------------------------------------------------------------------- */

#define STEP(s, type, rest) "<step s=\"" s "\" type=\"" type "\" " rest "/>"
#define BUFFERS             "srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" "
#define FREE                BUFFERS "depid=\"-1\" deps=\"-1\" hasdep=\"0\""

#define ALGO               "<algo name=\"x\" ngpus=\"2\" nchunksperloop=\"1\" coll=\"allreduce\" inplace=\"1\">"
#define GPU(id)            "<gpu id=\"" id "\" i_chunks=\"1\" o_chunks=\"0\" s_chunks=\"1\">"
#define TB(id, send, recv) "<tb id=\"" id "\" send=\"" send "\" recv=\"" recv "\" chan=\"0\">"
#define END_TB             "</tb>"
#define END_GPU            "</gpu>"

/* Both send what they have into the other's scratch, and add it. */
#define SCRATCH                                                                                    \
    "srcbuf=\"i\" srcoff=\"0\" dstbuf=\"s\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\""
#define ADD "srcbuf=\"s\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\""
#define SWAP(peer)                                                                                 \
    TB("0", peer, peer) STEP("0", "s", SCRATCH) STEP("1", "r", SCRATCH) STEP("2", "re", ADD) END_TB

static const char good[] =
    ALGO GPU("0") SWAP("1") END_GPU "\n" GPU("1") SWAP("0") END_GPU "</algo>";

static struct arena arena;
static struct diag diag;

static void set_up(void)
{
    arena_init(&arena);
    diag = DIAG_NONE;
}

static void tear_down(void)
{
    arena_release(&arena);
}

static enum status prove(struct msccl *msccl, struct schedule_request request,
                         struct verified *verified)
{
    static const struct verify_weights weights = {.latency = 1000003, .per_byte = 3};
    struct schedule schedule = {.program_data = msccl};
    request.is_described = true;
    collective_msccl.plan(&request, &arena, &schedule);
    struct program *program = arena_array(&arena, request.n, sizeof *program);
    for (uint32_t p = 0; p < request.n; p++)
        collective_msccl.program(&request, &schedule, p, &arena, &program[p]);
    return verify_programs(&request, &schedule, program, &weights, verified, &diag);
}

START_TEST(a_small_file_is_proved)
{
    struct msccl *msccl;
    ck_assert_int_eq(msccl_parse(&msccl, "x.xml", good, strlen(good), &arena, &diag), STATUS_OK);
    struct schedule_request request = {
        .kind = COLL_ALL_REDUCE, .n = 2, .bytes = 100, .dim_count = 1, .dim = {2}};
    struct verified verified;
    ck_assert_msg(prove(msccl, request, &verified) == STATUS_OK, "%s", diag.message);
    ck_assert_uint_eq(verified.total_bytes, 200);
    ck_assert_uint_eq(verified.latency_terms, 1);
    ck_assert_int_eq(msccl_fits(msccl, COLL_ALL_REDUCE, &diag), STATUS_OK);
    ck_assert_int_eq(msccl_fits(msccl, COLL_ALL_GATHER, &diag), STATUS_BAD_CONFIG);
}
END_TEST

static const struct {
    const char *text, *message; /* a part of it */
    uint64_t line;
} bad[] = {
    {"", "not well-formed", 1},
    {ALGO "\n<gpu", "not well-formed", 2},
    {"<!DOCTYPE algo><algo/>", "document type", 1},
    {"<graph/>", "expected <algo>", 1},
    {"<algo ngpus=\"2\"/>", "is missing", 1},
    {"<algo ngpus=\"1\" nchunksperloop=\"1\"/>", "2 or more", 1},
    {"<algo ngpus=\"2\" nchunksperloop=\"0\"/>", "1 or more", 1},
    {"<algo ngpus=\"2\" nchunksperloop=\"1\" coll=\"bcast\"/>", "found \"bcast\"", 1},
    {ALGO "</algo>", "gpu 0 is missing", 0},
    {ALGO "\n" GPU("7") END_GPU "</algo>", "from 0 to 1, found \"7\"", 2},
    {ALGO GPU("0") END_GPU "\n" GPU("0") END_GPU "</algo>", "before", 2},
    {ALGO GPU("0") "\n<step/>" END_GPU "</algo>", "unexpected element <step>", 2},
    {ALGO GPU("0") TB("0", "1", "1") "\n" STEP("0", "sr", FREE), "found \"sr\"", 2},
    {ALGO GPU("0") TB("0", "1", "1") "\n" STEP("1", "s", FREE), "numbered 0, 1", 2},
    {ALGO GPU("0") TB("0", "1", "1") "\n" STEP(
         "0", "s", "srcbuf=\"i\" srcoff=\"1\" cnt=\"1\" depid=\"-1\" deps=\"-1\""),
     "beyond the chunks", 2},
    {ALGO GPU("0") TB("0", "1", "1") "\n" STEP(
         "0", "s", "srcbuf=\"x\" srcoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\""),
     "expected i, o or s", 2},
    {ALGO GPU("0") TB("0", "-1", "1") "\n" STEP("0", "s", FREE) END_TB END_GPU GPU("1") END_GPU
     "</algo>",
     "send=\"-1\"", 2},
    {ALGO GPU("0") TB("0", "1", "-1") "\n" STEP("0", "r", FREE) END_TB END_GPU GPU("1") END_GPU
     "</algo>",
     "recv=\"-1\"", 2},
    {ALGO GPU("0") "\n" TB("0", "0", "1") END_TB END_GPU GPU("1") END_GPU "</algo>",
     "talk to itself", 2},
    {ALGO GPU("0") TB("0", "1", "-1") END_TB "\n" TB("0", "1", "-1") END_TB END_GPU GPU("1") END_GPU
     "</algo>",
     "have id 0", 2},
    {ALGO GPU("0") TB("0", "1", "-1") "\n" STEP("0", "s", FREE) END_TB END_GPU GPU("1") END_GPU
     "</algo>",
     "nobody receives it", 2},
    {ALGO GPU("0") TB("0", "-1", "1") "\n" STEP("0", "r", FREE) END_TB END_GPU GPU("1") END_GPU
     "</algo>",
     "nothing is sent to it", 2},
    {ALGO GPU("0") TB("0", "1", "-1") STEP("0", "s", FREE) END_TB "\n" TB("1", "1", "-1")
         STEP("0", "s", FREE) END_TB END_GPU GPU("1") END_GPU "</algo>",
     "two thread blocks", 2},
    {ALGO GPU("0") TB("0", "1", "-1") "\n" STEP("0", "s", BUFFERS "depid=\"3\" deps=\"0\"")
         END_TB END_GPU GPU("1") END_GPU "</algo>",
     "does not have", 2},
    {ALGO GPU("0") TB("0", "1", "1") "\n" STEP("0", "r", FREE) STEP("1", "s", FREE)
         END_TB END_GPU GPU("1") TB("0", "0", "0") STEP("0", "r", FREE) STEP("1", "s", FREE)
             END_TB END_GPU "</algo>",
     "deadlock", 2},
};

START_TEST(wrong_files_are_told_with_their_line)
{
    struct msccl *msccl;
    enum status status =
        msccl_parse(&msccl, "x.xml", bad[_i].text, strlen(bad[_i].text), &arena, &diag);
    ck_assert_int_eq(status, STATUS_BAD_INPUT);
    ck_assert_msg(strstr(diag.message, bad[_i].message) != NULL, "row %d: %s", _i, diag.message);
    ck_assert_str_eq(diag.file, "x.xml");
    ck_assert_msg(diag.at == bad[_i].line, "row %d: line %lu", _i, diag.at);
}
END_TEST

/* A schedule that is wrong in its data only is read, and not proved. */
START_TEST(wrong_data_is_found)
{
    char text[sizeof good];
    memcpy(text, good, sizeof good);
    char *re = strstr(text, "\"re\"");
    memcpy(re, "\"cp\"", 4); /* then "cpy" below */
    struct msccl *msccl;
    ck_assert_int_eq(msccl_parse(&msccl, "x.xml", text, strlen(text), &arena, &diag),
                     STATUS_BAD_INPUT); /* no such type */
    diag = DIAG_NONE;
    static const char copies[] =
        ALGO GPU("0") TB("0", "1", "1") STEP("0", "s", SCRATCH) STEP("1", "r", SCRATCH)
            STEP("2", "cpy", ADD) END_TB END_GPU GPU("1") SWAP("0") END_GPU "</algo>";
    ck_assert_int_eq(msccl_parse(&msccl, "x.xml", copies, strlen(copies), &arena, &diag),
                     STATUS_OK);
    struct schedule_request request = {
        .kind = COLL_ALL_REDUCE, .n = 2, .bytes = 100, .dim_count = 1, .dim = {2}};
    struct verified verified;
    ck_assert_int_eq(prove(msccl, request, &verified), STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(diag.message, "of 1 positions, not of 2"));
}
END_TEST

/* -- writing ----------------------------------------------------------------------------------- */

static const uint32_t shapes[][2] = {{2}, {3}, {5}, {8}, {2, 3}, {4, 2}, {3, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static struct schedule_request request_for(int shape, enum collective_kind kind)
{
    uint32_t a = shapes[shape][0], b = shapes[shape][1] ? shapes[shape][1] : 1;
    struct schedule_request request = {
        .kind = kind, .n = a * b, .dim_count = b > 1 ? 2 : 1, .dim = {a, b}, .is_described = true};
    request.bytes = (uint64_t)request.n * 16 * 9 * 5 * 7;
    request.root = request.n - 1;
    return request;
}

static void expect_same(const struct collective_ops *ops, const struct schedule_request *request)
{
    static const struct verify_weights weights = {.latency = 1000003, .per_byte = 3};
    struct schedule schedule;
    struct verified before, after;
    ops->plan(request, &arena, &schedule);
    struct program *program = arena_array(&arena, request->n, sizeof *program);
    for (uint32_t p = 0; p < request->n; p++)
        ops->program(request, &schedule, p, &arena, &program[p]);
    ck_assert_int_eq(verify_programs(request, &schedule, program, &weights, &before, &diag), 0);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    enum status status = msccl_write(request, &schedule, program, ops->name, out, &diag);
    fclose(out);
    if (status) { /* switches */
        ck_assert_msg(strstr(diag.message, "switches") != NULL, "%s: %s", ops->name, diag.message);
        diag = DIAG_NONE;
        free(text);
        return;
    }
    struct msccl *msccl;
    status = msccl_parse(&msccl, ops->name, text, length, &arena, &diag);
    ck_assert_msg(!status, "%s %s n %u: line %lu: %s", ops->name, collective_name(request->kind),
                  request->n, diag.at, diag.message);
    status = prove(msccl, *request, &after);
    ck_assert_msg(!status, "%s %s n %u: %s", ops->name, collective_name(request->kind), request->n,
                  diag.message);
    ck_assert_uint_eq(after.messages, before.messages);
    ck_assert_uint_eq(after.total_bytes, before.total_bytes);
    ck_assert_msg(after.time == before.time, "%s %s n %u: time %lu, not %lu", ops->name,
                  collective_name(request->kind), request->n, after.time, before.time);
    free(text);
}

START_TEST(every_algorithm_goes_round)
{
    const struct collective_ops *ops = collective_algorithms[_i];
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int kind = 0; kind < COLL_KIND_COUNT; kind++) {
            struct schedule_request request = request_for(shape, (enum collective_kind)kind);
            if (!(ops->kinds & KIND_BIT(kind)) || kind == COLL_BARRIER ||
                ops->check(&request, &diag)) {
                diag = DIAG_NONE;
                continue;
            }
            expect_same(ops, &request);
            request.chunks = 3;
            expect_same(ops, &request);
            arena_release(&arena);
            arena_init(&arena);
        }
    }
}
END_TEST

static Suite *msccl_suite(void)
{
    Suite *suite = suite_create("collective_msccl");
    TCase *tcase = tcase_create("msccl");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_small_file_is_proved);
    tcase_add_loop_test(tcase, wrong_files_are_told_with_their_line, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, wrong_data_is_found);
    tcase_add_loop_test(tcase, every_algorithm_goes_round, 0, ALG_COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(msccl_suite())
