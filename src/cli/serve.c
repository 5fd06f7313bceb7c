/* orrery serve: the pages of a study on this machine, while it runs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/cli.h"
#include "serve/site.h"
#include "sweep/store.h"

struct serve_command {
    const char *store, *listen, *host, *open_for, *point_limit;
};

#define TEXT(option, word, member, what)                                                           \
    {                                                                                              \
        .name = option, .argument = word, .help = what, .take = take_text,                         \
        .offset = offsetof(struct serve_command, member)                                           \
    }

static const struct option options[] = {
    TEXT("--listen", "ADDRESS:PORT", listen, "default 127.0.0.1:0 (any port that is free)"),
    TEXT("--host", "NAME", host,
         "a name, beside localhost, by which browsers may call this server"),
    TEXT("--point-limit", "TIME", point_limit, "for a page of one point; default 60s"),
    TEXT("--open-for", "TIME", open_for, "end after so long; default: at Ctrl-C"),
    {0},
};

static enum status read_time(const char *option, const char *text, double *seconds,
                             struct diag *diag)
{
    struct diag wrong = DIAG_NONE;
    double ns = 0;
    if (!text)
        return STATUS_OK;
    if (units_parse_duration(text, "s", &ns, NULL, &wrong) != STATUS_OK || ns < 1e6 || ns > 1e18)
        return usage_error(diag, option, "expected 1ms or more, such as 60s, found \"%.40s\"",
                           text);
    *seconds = ns / 1e9;
    return STATUS_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* -- what other commands show ------------------------------------------------------------------ */

/* The last line that is no hint. */
static void last_words(FILE *words, char *to, size_t size)
{
    char line[400];
    rewind(words);
    snprintf(to, size, "it ended without a word");
    while (fgets(line, sizeof line, words)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] && line[0] != ' ')
            snprintf(to, size, "%s", line);
    }
}

static bool copy_all(FILE *from, FILE *to)
{
    char block[16384];
    size_t n, all = 0;
    rewind(from);
    while ((n = fread(block, 1, sizeof block, from)) > 0)
        all += fwrite(block, 1, n, to);
    return all > 0;
}

/* What the command writes to standard output. This process ends with it: its streams are not put
 * back. */
static enum status run_into(const struct command *command, char **words, FILE *out,
                            struct diag *diag)
{
    char said[400];
    int count = 0;
    FILE *page = tmpfile(), *errors = tmpfile();
    if (!page || !errors || dup2(fileno(page), STDOUT_FILENO) < 0 ||
        dup2(fileno(errors), STDERR_FILENO) < 0)
        return diag_fail(diag, STATUS_IO, "no temporary file can be made: %s", strerror(errno));
    while (words[count])
        count++;
    command->run(count, words);
    fflush(NULL);
    if (copy_all(page, out))
        return STATUS_OK;
    last_words(errors, said, sizeof said);
    return diag_fail(diag, STATUS_IO, "%s", said);
}

/* As `orrery run STORE:N --html -`. */
static enum status show_point(const char *store, uint32_t ordinal, FILE *out, struct diag *diag)
{
    char result[4200];
    snprintf(result, sizeof result, "%s:%" PRIu32, store, ordinal);
    char *words[] = {result, "--html", "-", "--output", "/dev/null", NULL};
    return run_into(&command_run, words, out, diag);
}

static enum status show_plot(const char *store, const char *name, FILE *out, struct diag *diag)
{
    char path[4200], chart[40];
    snprintf(path, sizeof path, "%s", store);
    snprintf(chart, sizeof chart, "--chart=%s", name);
    char *words[] = {path, chart, NULL};
    return run_into(&command_plot, words, out, diag);
}

/* -- the server -------------------------------------------------------------------------------- */

static void stop(void *loop)
{
    loop_stop(loop);
}

/* Until a signal, or so long. */
static void serve_for(struct loop *loop, double seconds)
{
    struct loop_timer *timer = loop_timer_add(loop, stop, loop);
    if (seconds > 0)
        loop_timer_start(timer, seconds);
    loop_run(loop);
}

static void say_where(const struct address *address)
{
    const char *host = address->is_all ? "localhost" : address->text;
    if (!address->is_loopback)
        fprintf(stderr,
                "orrery: note: whoever reaches %s can read this study: there is no password\n",
                address->is_all ? "this machine" : address->text);
    printf("http://%s:%u/\n", host, address->port);
    fflush(stdout);
}

static enum status run_site(struct site_options *site, double open_for_s, struct diag *diag)
{
    struct loop *loop = loop_create();
    if (!loop)
        return diag_fail(diag, STATUS_IO, "the system refuses an event loop");
    struct site *running = site_create(loop, site, diag);
    if (running) {
        say_where(site->address);
        serve_for(loop, open_for_s);
        struct server_counts counts = site_counts(running);
        if (counts.refused)
            fprintf(stderr, "orrery: %llu of %llu requests were refused\n",
                    (unsigned long long)counts.refused, (unsigned long long)counts.requests);
        site_destroy(running);
    }
    loop_destroy(loop);
    return diag->status;
}

/* A store that is not there at all is a mistake of the command; later it may come and go. */
static enum status check_store(const char *path, struct diag *diag)
{
    struct store *store = store_open(path, false, diag);
    store_close(store);
    return store ? STATUS_OK : diag->status;
}

static enum status serve(const struct serve_command *given, struct diag *diag)
{
    struct address address;
    double open_for_s = 0;
    struct site_options site = {.store = given->store,
                                .version = ORRERY_VERSION,
                                .address = &address,
                                .name = given->host,
                                .point_limit_s = 60,
                                .point = show_point,
                                .plot = show_plot};
    if (!given->store) {
        usage_error(diag, NULL, "a store is needed, which orrery sweep writes");
        diag_hint(diag, "orrery serve study.db");
        return STATUS_USAGE;
    }
    site.title = base_name(given->store);
    enum status status =
        address_parse(&address, given->listen ? given->listen : "127.0.0.1:0", "--listen", diag);
    if (status == STATUS_OK)
        status = read_time("--open-for", given->open_for, &open_for_s, diag);
    if (status == STATUS_OK)
        status = read_time("--point-limit", given->point_limit, &site.point_limit_s, diag);
    if (status == STATUS_OK)
        status = check_store(given->store, diag);
    if (status != STATUS_OK)
        return status;
    site.listening = address_listen(&address, diag);
    if (site.listening < 0)
        return diag->status;
    return run_site(&site, open_for_s, diag);
}

static int run_serve(int argc, char **argv)
{
    struct serve_command given = {0};
    struct diag diag = DIAG_NONE;
    int code;
    if (!options_begin(&command_serve, argc, argv, &given, take_word, &code))
        return code;
    enum status status = serve(&given, &diag);
    if (status != STATUS_OK)
        command_failed(&diag);
    return status_exit_code(status);
}

static void print_routes(FILE *out)
{
    fputs("\nPages:\n", out);
    site_print_routes(out);
}

const struct command command_serve = {
    .name = "serve",
    .summary = "the pages of a study in a browser, while it runs",
    .usage = "STUDY.db [OPTIONS]",
    .about = "Serves the store of orrery sweep over HTTP, read-only, to this machine alone unless\n"
             "--listen says otherwise. Prints its address, and serves until Ctrl-C or SIGTERM:\n"
             "exit code 0. There is no password: what listens beyond this machine is read by\n"
             "whoever reaches it. From another machine: ssh -L 8080:127.0.0.1:PORT HOST.\n",
    .more = print_routes,
    .examples = "  orrery serve study.db\n"
                "  orrery serve study.db --listen 127.0.0.1:0 --point-limit 10s\n"
                "  orrery serve study.db --listen [::1]:0 --open-for 10min\n",
    .options = options,
    .run = run_serve,
};
