/* spec: the one-line form is read, printed back, and read again as the same fabric; its errors. */
#include "net/topology/spec.h"
#include "tests/unit/fabric_util.h"

/* text, canonical text */
static const struct {
    const char *text, *canonical;
} forms[] = {
    {"ring:8", "ring:8,bw=50GB/s,lat=500ns"},
    {"Ring:8, bw = 400 Gbps, lat=1.5us", "ring:8,bw=50GB/s,lat=1.5us"},
    {"bidirectional-ring:8,count=1", "ring:8,bw=50GB/s,lat=500ns"},
    {"ring:8,oneway,count=2", "ring:8,bw=50GB/s,lat=500ns,count=2,oneway"},
    {"line:3,lat=0ns", "line:3,bw=50GB/s,lat=0ns"},
    {"fully-connected:4,bw=46.566GiB/s", "full:4,bw=49.999861776384GB/s,lat=500ns"},
    {"star:4,bw=1B/s", "switch:4,bw=1B/s,lat=500ns"},
    {"torus:8x8x4", "torus:8x8x4,bw=50GB/s,lat=500ns"},
    {"torus:8,8,4", "torus:8x8x4,bw=50GB/s,lat=500ns"},
    {"torus:4x4,wrap=1x0", "torus:4x4,bw=50GB/s,lat=500ns,wrap=1x0"},
    {"torus:4x8,twist=4x0", "torus:4x8,bw=50GB/s,lat=500ns,twist=4x0"},
    {"mesh:2x3,bw=0.1GB/s", "mesh:2x3,bw=0.1GB/s,lat=500ns"},
    {"hypercube:16", "hypercube:16,bw=50GB/s,lat=500ns"},
    {"hypercube:512", "hypercube:512,bw=50GB/s,lat=500ns"},
    {"leaf-spine:4x3", "leafspine:4x3,bw=50GB/s,lat=500ns"},
    {"leafspine:4x3,spines=2,upbw=100GB/s,uplat=1us,upcount=2,planes=2",
     "leafspine:4x3,bw=50GB/s,lat=500ns,upbw=100GB/s,uplat=1us,upcount=2,planes=2,spines=2"},
    {"fat-tree:4", "fattree:4,bw=50GB/s,lat=500ns"},
    {"fattree:8,taper=2,pods=3", "fattree:8,bw=50GB/s,lat=500ns,taper=2,pods=3"},
    {"fattree:8,taper=1.3333333333333333",
     "fattree:8,bw=50GB/s,lat=500ns,taper=1.3333333333333333"},
    {"fattree2:8", "fattree2:8,bw=50GB/s,lat=500ns"},
    {"fattreex:2;8,4;1,2;1,1", "xgft:2/8,4/1,2/1,1,bw=50GB/s,lat=500ns"},
    {"dragonfly:4,2;2,1;4,1;2", "dragonfly:4,2/2,1/4,1/2,bw=50GB/s,lat=500ns"},
    {"dragonfly:4/2/4/2,globalbw=25GB/s,globallat=2us",
     "dragonfly:4/2/4/2,bw=50GB/s,lat=500ns,globalbw=25GB/s,globallat=2us"},
    {"rail:4x6", "rail:4x6,bw=50GB/s,lat=500ns,inbw=450GB/s,inlat=300ns"},
    {"rail:4x8,unit=4,pod=1,nic,inside=full,spines=2",
     "rail:4x8,bw=50GB/s,lat=500ns,inbw=450GB/s,inlat=300ns,inside=full,nic,unit=4,spines=2,pod=1"},
    {"parts:(fully:4)+2(ring:6,lat=1us),via=full",
     "parts:(full:4,bw=50GB/s,lat=500ns)+2(ring:6,bw=50GB/s,lat=1us),bw=50GB/s,lat=500ns,via=full"},
    {"parts:(switch:2*ring:3)+(fattree:2),uplinks=1",
     "parts:(switch:2,bw=50GB/s,lat=500ns*ring:3,bw=50GB/s,lat=500ns)+(fattree:2,bw=50GB/s,"
     "lat=500ns),bw=50GB/s,lat=500ns,uplinks=1"},
    {"ring:4,bw=100GB/s * switch:2,bw=25GB/s,lat=700ns",
     "ring:4,bw=100GB/s,lat=500ns*switch:2,bw=25GB/s,lat=700ns"},
    {"switch:2*fattree2:4", "switch:2,bw=50GB/s,lat=500ns*fattree2:4,bw=50GB/s,lat=500ns"},
    {"dragonfly:2/1/2/1*ring:2",
     "dragonfly:2/1/2/1,bw=50GB/s,lat=500ns*ring:2,bw=50GB/s,lat=500ns"},
};

static void expect_same(const struct fabric *a, const struct fabric *b)
{
    ck_assert_str_eq(a->text, b->text);
    ck_assert_uint_eq(a->npu_count, b->npu_count);
    ck_assert_uint_eq(a->node_count, b->node_count);
    ck_assert_uint_eq(a->link_count, b->link_count);
    ck_assert_uint_eq(a->dim_count, b->dim_count);
    for (uint32_t v = 0; v < a->node_count; v++) {
        ck_assert_str_eq(a->node[v].name, b->node[v].name);
        ck_assert_uint_eq(a->node[v].role, b->node[v].role);
        ck_assert_uint_eq(a->first_link[v], b->first_link[v]);
    }
    for (uint32_t i = 0; i < a->link_count; i++) {
        ck_assert_uint_eq(a->link[i].dst, b->link[i].dst);
        ck_assert_uint_eq(a->link[i].count, b->link[i].count);
        ck_assert(a->link[i].bandwidth_Bps == b->link[i].bandwidth_Bps);
        ck_assert(a->link[i].latency_ns == b->link[i].latency_ns);
    }
}

START_TEST(printed_back)
{
    struct fabric *fabric = fabric_from(forms[_i].text);
    ck_assert_str_eq(fabric->text, forms[_i].canonical);
    struct fabric *again = fabric_from(fabric->text);
    expect_same(fabric, again);
    fabric_destroy(fabric);
    fabric_destroy(again);
}
END_TEST

/* Every pair of every form is reachable, one path or sprayed. */
START_TEST(every_pair)
{
    static const enum net_routing policies[] = {ROUTING_AUTO, ROUTING_ECMP, ROUTING_SPRAY};
    struct fabric *fabric = fabric_from(forms[_i].text);
    for (int p = 0; p < 3 && fabric->node_count < 100; p++) {
        struct routing *routing = routing_from(fabric, policies[p]);
        expect_all_routes(fabric, routing);
        routing_destroy(routing);
    }
    fabric_destroy(fabric);
}
END_TEST

/* text, part of the message, part of the hint */
static const struct {
    const char *text, *message, *hint;
} refused[] = {
    {"trous:4x4", "unknown kind of topology \"trous\"", "did you mean \"torus\""},
    {"fatree:4", "unknown kind of topology", "did you mean \"fattree\""},
    {"ring:4*qqqqqq:2", "unknown kind of topology \"qqqqqq\"", "a kind such as"},
    {"ring", "ring takes one size", "ring:N"},
    {"ring:", "expected a number", "ring:N"},
    {"ring:x", "expected a number at \"x\"", ""},
    {"ring:4x4", "ring takes one size", "ring:N"},
    {"ring:0", "ring: sizes must be 1 or more", ""},
    {"torus:4x0", "torus: sizes must be 1 or more", ""},
    {"ring:99999999999", "too large", ""},
    {"torus:4096x4096x4096", "more than 16777216 NPUs", ""},
    {"ring:4096*ring:4096*ring:2", "more than 16777216 NPUs", ""},
    {"full:100000", "full:100000 needs more than", ""},
    {"ring:4,bw=0GB/s", "0", ""},
    {"ring:4,bw=-5GB/s", "-5", ""},
    {"ring:4,bw=5", "", ""},
    {"ring:4,bw=5GBs", "GBs", ""},
    {"ring:4,lat=5GB/s", "", ""},
    {"ring:4,lat=-1ns", "", ""},
    {"ring:4,bw", "bw needs a value", ""},
    {"ring:4,oneway=1", "oneway takes no value", ""},
    {"ring:4,bw=1GB/s,bw=2GB/s", "bw is given twice", ""},
    {"ring:4,bwidth=1GB/s", "ring has no option \"bwidth\"", "bw, lat, count, oneway"},
    {"ring:4,count=0", "count: expected a number from 1", ""},
    {"ring:4,count=1.5", "expected a whole number", ""},
    {"ring:4;4", "ring takes one size", ""},
    {"ring:4 ring:4", "cannot read \"ring:4\"", ""},
    {"torus:4x4,wrap=1", "wrap has 1 numbers for a torus of 2 dimensions", ""},
    {"torus:4x4,wrap=1x2", "wrap: expected 1 (a ring) or 0 (a line)", ""},
    {"torus:4x8,twist=0x3", "its own twist is 0", ""},
    {"torus:4x8,twist=8x0", "expected less than the longest dimension, 8", ""},
    {"torus:4x8,twist=4x0*ring:2", "cannot be a factor", ""},
    {"torus:2x2x2x2x2x2x2x2x2", "more than 8 sizes", ""},
    {"torus:2x2x2x2x2x2x2x2*ring:2", "more than 8 dimensions", ""},
    {"hypercube:12", "a power of two", ""},
    {"fattree:5", "an even number", ""},
    {"fattree:4,pods=5", "fattree:4 has 4 pods, not 5", ""},
    {"fattree:8,taper=3", "taper=3 does not divide the 4 links", ""},
    {"leafspine:4", "two sizes", "leafspine:HxL"},
    {"leafspine:4x2,spines=2,taper=2", "spines or taper", ""},
    {"xgft:2/8,4/1,2", "four rows", ""},
    {"xgft:2/8,4,2/1,2/1,1", "row 2 has 3 numbers", ""},
    {"xgft:2/8,4/1,2/1,0", "1 or more", ""},
    {"dragonfly:4/2", "four rows", ""},
    {"rail:8x10,unit=4", "unit=4 does not divide the 10 nodes", ""},
    {"rail:8x12,unit=4,pod=2", "pod=2 does not divide the 3 units", ""},
    {"rail:8x4,inside=mesh", "expected one of switch, full, none, found \"mesh\"", ""},
    {"rail:8x4*ring:2", "rail has dimensions of its own", ""},
    {"parts", "parts needs its parts", ""},
    {"parts:4", "expected a part in parentheses", ""},
    {"parts:(ring:4", "no closing parenthesis", ""},
    {"parts:(ring:4)+(parts:(ring:4))", "cannot be made of parts", ""},
    {"parts:(ring:4)+(rnig:4)", "unknown kind of topology \"rnig\"", "did you mean \"ring\""},
    {"parts:(ring:4)+(ring:2),via=full,uplinks=3", "uplinks=3, but a part has 2 NPUs", ""},
};

START_TEST(refused_with_a_reason)
{
    struct fabric *fabric = NULL;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(fabric_parse(refused[_i].text, &fabric, &diag), STATUS_BAD_CONFIG);
    ck_assert_ptr_null(fabric);
    ck_assert_msg(strstr(diag.message, refused[_i].message), "%s: %s", refused[_i].text,
                  diag.message);
    ck_assert_msg(strstr(diag.hint, refused[_i].hint), "%s: %s", refused[_i].text, diag.hint);
    ck_assert_msg(diag.message[0] && strchr(diag.message, '\n') == NULL, "%s", diag.message);
    ck_assert_msg(diag.field[0], "%s: no field", refused[_i].text);
}
END_TEST

/* T15 of the users' needs: four spellings of one link. */
START_TEST(spellings_of_one_bandwidth)
{
    static const char *const same[] = {"ring:4,bw=50GB/s", "ring:4,bw=400Gbps",
                                       "ring:4,bw=50000MB/s", "ring:4,bw=46.56612873077393GiB/s"};
    for (int i = 0; i < 4; i++) {
        struct fabric *fabric = fabric_from(same[i]);
        ck_assert(fabs(fabric->link[0].bandwidth_Bps / 50e9 - 1) < 1e-12);
        fabric_destroy(fabric);
    }
}
END_TEST

static Suite *spec_suite(void)
{
    Suite *suite = suite_create("spec");
    TCase *tests = tcase_create("spec");
    tcase_add_loop_test(tests, printed_back, 0, sizeof forms / sizeof forms[0]);
    tcase_add_loop_test(tests, every_pair, 0, sizeof forms / sizeof forms[0]);
    tcase_add_loop_test(tests, refused_with_a_reason, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tests, spellings_of_one_bandwidth);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(spec_suite())
