/* static routes: a file's routes are taken, others searched; every error with its line. */
#include "tests/unit/fabric_util.h"
#include "tests/unit/temp_file.h"

static enum status create(struct routing **routing, const struct fabric *fabric, const char *text,
                          struct diag *diag)
{
    const char *path = text ? temp_file(text) : NULL;
    struct network_config config = {.routing = ROUTING_STATIC, .routes = path};
    enum status status = routing_create(routing, fabric, &config, diag);
    if (path)
        unlink(path);
    return status;
}

START_TEST(routes_are_taken)
{
    struct fabric *fabric = fabric_from("leafspine:2x2,spines=3");
    struct routing *routing;
    struct diag diag = DIAG_NONE;
    struct route route;
    ck_assert_int_eq(create(&routing, fabric,
                            "# by hand\nnpu0 npu3: leaf0 spine2 leaf1\r\n\n"
                            "npu3 npu0: leaf1 spine1 leaf0 npu0 # back\nnpu1 leaf0:\n",
                            &diag),
                     STATUS_OK);
    routing_find(routing, 0, 3, &route);
    ck_assert_uint_eq(route.count, 4);
    ck_assert_uint_eq(fabric->link[route.link[1]].dst, fabric_find_node(fabric, "spine2"));
    routing_find(routing, 3, 0, &route);
    ck_assert_uint_eq(fabric->link[route.link[1]].dst, fabric_find_node(fabric, "spine1"));
    routing_find(routing, 1, 3, &route);
    ck_assert_uint_eq(fabric->link[route.link[1]].dst, fabric_find_node(fabric, "spine0"));
    expect_all_routes(fabric, routing);
    routing_destroy(routing);
    fabric_destroy(fabric);
}
END_TEST

static const struct {
    const char *text, *message;
    uint64_t line;
} refused[] = {
    {NULL, "needs a file of routes", 0},
    {"npu0 npu9: leaf0\n", "no node \"npu9\"", 1},
    {"\nnpu0 npu3: leaf0 leaf1\n", "no link from leaf0 to leaf1", 2},
    {"npu0 npu3: leaf0 spine0\n", "no link from spine0 to npu3", 1},
    {"npu0 npu3 leaf0\n", "expected \":\"", 1},
    {"npu0: leaf0\n", "expected the name of a node", 1},
    {"npu0 npu0: leaf0\n", "from npu0 to itself", 1},
    {"npu0 npu1: leaf0\nnpu0 npu1: leaf0\n", "a second route from npu0 to npu1", 2},
};

/* A file of another kind is not "no routes". */
START_TEST(not_text)
{
    struct fabric *fabric = fabric_from("leafspine:2x2,spines=3");
    const char *path = temp_file("# \n\n");
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fwrite("\0\0\n", 1, 3, out);
    fclose(out);
    struct network_config config = {.routing = ROUTING_STATIC, .routes = path};
    struct routing *routing = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(routing_create(&routing, fabric, &config, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.file, path);
    unlink(path);
    fabric_destroy(fabric);
}
END_TEST

START_TEST(refused_with_a_reason)
{
    struct fabric *fabric = fabric_from("leafspine:2x2,spines=3");
    struct routing *routing = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_ne(create(&routing, fabric, refused[_i].text, &diag), STATUS_OK);
    ck_assert_ptr_null(routing);
    ck_assert_msg(strstr(diag.message, refused[_i].message), "%s", diag.message);
    ck_assert_uint_eq(diag.at, refused[_i].line);
    fabric_destroy(fabric);
}
END_TEST

static Suite *static_suite(void)
{
    Suite *suite = suite_create("routing_static");
    TCase *tests = tcase_create("routing_static");
    tcase_add_test(tests, routes_are_taken);
    tcase_add_loop_test(tests, refused_with_a_reason, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tests, not_text);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(static_suite())
