#include "serve/site.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "serve/live.h"
#include "serve/maker.h"
#include "serve/site_pages.h"

struct site {
    const struct site_options *options;
    struct loop *loop;
    struct server *server;
    struct server_options server_options;
    struct maker *maker;
    struct live *live;
    struct body *own; /* the last answer that this process made itself */
    char policy[512];
};

/* What a request asks for. */
struct wanted {
    const struct route *route;
    uint32_t number;
};

enum { STORE_LIMIT_S = 60 };

struct route {
    const char *path; /* ends with '/' if a number follows */
    const char *type;
    enum server_turn (*answer)(struct site *site, const struct wanted *wanted,
                               struct server_reply *reply);
    unsigned (*make)(const struct site_options *options, uint32_t number, FILE *out);
    bool is_constant; /* the same for every version of the store */
    uint32_t number;  /* of a path without one: for `make` */
    const char *meaning;
};

/* -- answers ----------------------------------------------------------------------------------- */

/* Gives a body that this process made. */
static enum server_turn give(struct site *site, struct body *body, struct server_reply *reply)
{
    body_drop(site->own);
    site->own = reply->body = body;
    return SERVER_REPLY;
}

static enum server_turn give_events(struct site *site, const struct wanted *wanted,
                                    struct server_reply *reply)
{
    (void)site;
    (void)wanted;
    (void)reply;
    return SERVER_STREAM;
}

static enum server_turn give_progress(struct site *site, const struct wanted *wanted,
                                      struct server_reply *reply)
{
    (void)wanted;
    return give(site, live_progress(site->live), reply);
}

static enum server_turn give_health(struct site *site, const struct wanted *wanted,
                                    struct server_reply *reply)
{
    struct server_counts counts = server_counts(site->server);
    (void)wanted;
    return give(site,
                body_text(wanted->route->type,
                          "{\"schema\": \"orrery.health/1\", \"store\": %s, \"requests\": %" PRIu64
                          ", \"refused\": %" PRIu64 ", \"connections\": %u, \"streams\": %u}\n",
                          live_state(site->live)->is_well ? "true" : "false", counts.requests,
                          counts.refused, counts.connections, counts.streams),
                reply);
}

/* Rule 3. */
static enum server_turn give_reason(struct site *site, const struct wanted *wanted,
                                    struct server_reply *reply)
{
    const struct store_state *state = live_state(site->live);
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&bytes, &length);
    need_memory(out != NULL);
    bool is_page = strncmp(wanted->route->type, "text/html", 9) == 0;
    if (is_page)
        site_write_reason(site->options->title, &state->why, out);
    else
        fprintf(out, "503 %s\n", state->why.message);
    need_memory(fclose(out) == 0);
    reply->status = 503;
    reply->retry_after_s = 2;
    return give(site,
                body_create(is_page ? wanted->route->type : "text/plain; charset=utf-8", bytes,
                            length, NULL, 0),
                reply);
}

static enum server_turn give_made(struct site *site, const struct wanted *wanted,
                                  struct server_reply *reply)
{
    const struct store_state *state = live_state(site->live);
    if (!state->is_well)
        return give_reason(site, wanted, reply);
    bool is_numbered = wanted->route->path[strlen(wanted->route->path) - 1] == '/' &&
                       wanted->route->path[1] != '\0';
    if (is_numbered && wanted->number >= state->progress.total) {
        reply->status = 404;
        return SERVER_REPLY;
    }
    char key[MAKER_KEY];
    snprintf(key, sizeof key, is_numbered ? "%s%" PRIu32 : "%s", wanted->route->path,
             wanted->number);
    struct maker_order order = {.key = key,
                                .type = wanted->route->type,
                                .version = wanted->route->is_constant ? 1 : state->version,
                                .limit_s =
                                    is_numbered ? site->options->point_limit_s : STORE_LIMIT_S,
                                .is_final = live_is_complete(site->live)};
    return maker_get(site->maker, &order, reply);
}

/* -- routes ------------------------------------------------------------------------------------ */

static const char html[] = "text/html; charset=utf-8", json[] = "application/json",
                  svg[] = "image/svg+xml";

static const struct route routes[] = {
    {"/", html, give_made, site_make_page, true, 0, "the study's page, which follows it"},
    {"/data.json", json, give_made, site_make_data, false, 0, "the data of that page"},
    {"/results.json", json, give_made, site_make_results, false, 0, "as of orrery results"},
    {"/point/", html, give_made, site_make_point, false, 0, "the page of point N, run again"},
    {"/plot/scaling.svg", svg, give_made, site_make_plot, false, PLOT_SCALING,
     "curves of the study"},
    {"/plot/pareto.svg", svg, give_made, site_make_plot, false, PLOT_PARETO, "its Pareto front"},
    {"/plot/distribution.svg", svg, give_made, site_make_plot, false, PLOT_DISTRIBUTION,
     "how many points take how long"},
    {"/events", "text/event-stream", give_events, NULL, false, 0,
     "progress, as server-sent events"},
    {"/progress.json", json, give_progress, NULL, false, 0, "progress"},
    {"/healthz", json, give_health, NULL, false, 0, "the server's own state"},
};

/* "12", as this program writes it. */
static bool read_number(const char *text, uint32_t *number)
{
    uint64_t value = 0;
    size_t length = strlen(text);
    bool is_plain = length > 0 && length < 10 && (text[0] != '0' || length == 1);
    if (!is_plain || !decimal_u64(text, length, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool find_route(const char *path, struct wanted *wanted)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        const struct route *route = &routes[i];
        size_t length = strlen(route->path);
        bool is_numbered = length > 1 && route->path[length - 1] == '/';
        *wanted = (struct wanted){route, route->number};
        if (is_numbered ? strncmp(path, route->path, length) == 0 &&
                              read_number(path + length, &wanted->number)
                        : strcmp(path, route->path) == 0)
            return true;
    }
    return false;
}

static enum server_turn answer(void *context, const char *path, struct server_reply *reply)
{
    struct site *site = context;
    struct wanted wanted;
    if (find_route(path, &wanted))
        return wanted.route->answer(site, &wanted, reply);
    reply->status = 404;
    return SERVER_REPLY;
}

void site_print_routes(FILE *out)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        size_t length = strlen(routes[i].path);
        fprintf(out, "  %s%-*s %s\n", routes[i].path, (int)(24 - length),
                length > 1 && routes[i].path[length - 1] == '/' ? "N" : "", routes[i].meaning);
    }
}

/* -- parts ------------------------------------------------------------------------------------- */

static unsigned make(void *context, const char *key, FILE *out)
{
    const struct site *site = context;
    struct wanted wanted;
    promise(find_route(key, &wanted));
    return wanted.route->make(site->options, wanted.number, out);
}

static void ready(void *context)
{
    const struct site *site = context;
    server_wake(site->server);
}

static void publish(void *context, struct body *event)
{
    const struct site *site = context;
    server_publish(site->server, event);
}

static void fill_policy(struct site *site)
{
    FILE *out = fmemopen(site->policy, sizeof site->policy, "w");
    need_memory(out != NULL);
    site_put_policy(out);
    promise(ftell(out) < (long)sizeof site->policy);
    fclose(out);
}

struct site *site_create(struct loop *loop, const struct site_options *options, struct diag *diag)
{
    static const struct server_ops server_ops = {answer};
    static const struct maker_ops maker_ops = {make, ready};
    static const struct live_ops live_ops = {publish};
    struct site *site = calloc(1, sizeof *site);
    need_memory(site != NULL);
    *site = (struct site){.options = options, .loop = loop};
    fill_policy(site);
    site->server_options = (struct server_options){.address = options->address,
                                                   .listening = options->listening,
                                                   .name = options->name,
                                                   .policy = site->policy};
    site->server = server_create(loop, &site->server_options, &server_ops, site, diag);
    if (!site->server) {
        free(site);
        return NULL;
    }
    site->maker = maker_create(loop, &maker_ops, site);
    site->live = live_create(loop, options->store, &live_ops, site);
    return site;
}

void site_destroy(struct site *site)
{
    if (!site)
        return;
    live_destroy(site->live);
    server_destroy(site->server);
    maker_destroy(site->maker);
    body_drop(site->own);
    free(site);
}

struct server_counts site_counts(const struct site *site)
{
    return server_counts(site->server);
}
