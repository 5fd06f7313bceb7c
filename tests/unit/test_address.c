/* address: what may be listened at, and which names a server answers to. */
#include "tests/unit/unit.h"

#include <string.h>
#include <unistd.h>

#include "serve/address.h"

static const struct {
    const char *text, *shown; /* NULL: refused */
    int port;
    bool is_loopback, is_all;
} addresses[] = {
    {"127.0.0.1:8080", "127.0.0.1", 8080, true, false},
    {"8080", "127.0.0.1", 8080, true, false},
    {":0", "127.0.0.1", 0, true, false},
    {"127.9.9.9:1", "127.9.9.9", 1, true, false},
    {"[::1]:0", "[::1]", 0, true, false},
    {"[0:0:0:0:0:0:0:1]:5", "[::1]", 5, true, false},
    {"0.0.0.0:80", "0.0.0.0", 80, false, true},
    {"[::]:80", "[::]", 80, false, true},
    {"10.1.2.3:65535", "10.1.2.3", 65535, false, false},
    {"10.1.2.3:65536", NULL, 0, false, false},
    {"localhost:80", NULL, 0, false, false}, /* names are not looked up */
    {"127.0.0.1", NULL, 0, false, false},    /* a port is needed */
    {"127.1:80", NULL, 0, false, false},
    {"::1:80", NULL, 0, false, false}, /* which colon? */
    {"[::1]80", NULL, 0, false, false},
    {"[::1:80", NULL, 0, false, false},
    {"127.0.0.1:-1", NULL, 0, false, false},
    {"127.0.0.1:80 ", NULL, 0, false, false},
    {"", NULL, 0, false, false},
    {":", NULL, 0, false, false},
    {"[fe80::1%lo]:80", NULL, 0, false, false},
};

START_TEST(reads_addresses)
{
    struct diag diag = DIAG_NONE;
    struct address address;
    enum status status = address_parse(&address, addresses[_i].text, "--listen", &diag);
    ck_assert_msg((status == STATUS_OK) == (addresses[_i].shown != NULL), "%s", addresses[_i].text);
    if (!addresses[_i].shown) {
        ck_assert_int_eq(status, STATUS_USAGE);
        ck_assert_str_eq(diag.field, "--listen");
        return;
    }
    ck_assert_str_eq(address.text, addresses[_i].shown);
    ck_assert_int_eq(address.port, addresses[_i].port);
    ck_assert_int_eq(address.is_loopback, addresses[_i].is_loopback);
    ck_assert_int_eq(address.is_all, addresses[_i].is_all);
}
END_TEST

static const struct {
    const char *at, *host, *name;
    bool is_ours;
} hosts[] = {
    {"127.0.0.1:80", "127.0.0.1:80", NULL, true},
    {"127.0.0.1:80", "127.0.0.1", NULL, true},
    {"127.0.0.1:80", "localhost:81", NULL, true}, /* a tunnel's near end */
    {"127.0.0.1:80", "LocalHost", NULL, true},
    {"127.0.0.1:80", "[::1]:80", NULL, true},
    {"127.0.0.1:80", "127.0.0.2", NULL, true},
    {"127.0.0.1:80", "localhost.", NULL, false},
    {"127.0.0.1:80", "localhost.evil.example", NULL, false},
    {"127.0.0.1:80", "xlocalhost", NULL, false},
    {"127.0.0.1:80", "evil.example:80", NULL, false},
    {"127.0.0.1:80", "10.0.0.1", NULL, false},
    {"127.0.0.1:80", "localhost:80:80", NULL, false},
    {"127.0.0.1:80", "localhost:", NULL, false},
    {"127.0.0.1:80", "localhost:65536", NULL, false},
    {"127.0.0.1:80", ":80", NULL, false},
    {"127.0.0.1:80", "", NULL, false},
    {"127.0.0.1:80", "user@localhost", NULL, false},
    {"127.0.0.1:80", "box", NULL, false},
    {"127.0.0.1:80", "box:80", "box", true},
    {"127.0.0.1:80", "BOX", "box", true},
    {"127.0.0.1:80", "box.evil.example", "box", false},
    {"10.0.0.1:80", "10.0.0.1:80", NULL, true},
    {"10.0.0.1:80", "10.0.0.2:80", NULL, false},
    {"0.0.0.0:80", "10.0.0.2:80", NULL, true}, /* a number cannot be made to point elsewhere */
    {"0.0.0.0:80", "evil.example", NULL, false},
    {"[::]:80", "[fe80::1]:80", NULL, true},
};

START_TEST(knows_its_names)
{
    struct diag diag = DIAG_NONE;
    struct address address;
    ck_assert_int_eq(address_parse(&address, hosts[_i].at, "", &diag), STATUS_OK);
    ck_assert_msg(address_is_host(&address, hosts[_i].host, hosts[_i].name) == hosts[_i].is_ours,
                  "%s at %s", hosts[_i].host, hosts[_i].at);
}
END_TEST

START_TEST(finds_a_port_and_keeps_it)
{
    struct diag diag = DIAG_NONE;
    struct address first, second;
    ck_assert_int_eq(address_parse(&first, "127.0.0.1:0", "", &diag), STATUS_OK);
    int fd = address_listen(&first, &diag);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_gt(first.port, 0);
    second = first;
    ck_assert_int_lt(address_listen(&second, &diag), 0);
    ck_assert_int_eq(diag.status, STATUS_IO);
    ck_assert_ptr_nonnull(strstr(diag.message, "already in use"));
    ck_assert_ptr_nonnull(strstr(diag.hint, "127.0.0.1:0"));
    close(fd);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("address");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, reads_addresses, 0, (int)(sizeof addresses / sizeof *addresses));
    tcase_add_loop_test(all, knows_its_names, 0, (int)(sizeof hosts / sizeof *hosts));
    tcase_add_test(all, finds_a_port_and_keeps_it);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(suite_of())
