/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/explanations.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/report/sentence.h"
#include "core/gang/state/pages.h"
#include "server/http/calls.h"
#include "server/http/json_reply.h"
#include "topology/base/arena.h"

#define PREFIX  "/v1/explain"
#define WHAT_IF "/v1/whatif"
enum {
    NAME_MAX_BYTES = 512, /* of a group's name: KIND/NAME/JOB/INDEX of a derived one */
    WHAT_IFS_MAX = 4,     /* at once */
    LIST_BYTES_MAX = 4096 /* of the arguments set and without */
};

struct question {
    struct skr_call call;
    struct skr_strbuf answer;
    int code;
    bool as_text;
};

struct skr_explanations {
    struct skr_explanations_options options;
    struct skr_calls calls, what_ifs;
};

/* ---- answers ---- */

static void fill(struct skr_call *call, const void *body)
{
    struct question *q = (struct question *)call;
    const struct skr_explain_answer *answer = body;
    skr_strbuf_addn(&q->answer, answer->json, answer->json_len);
    q->code = skr_explain_code(answer->status);
}

void skr_explanations_answer(struct skr_explanations *explanations, uint64_t request,
                             const struct skr_explain_answer *answer)
{
    struct skr_explanations *x = explanations;
    (void)skr_calls_answer(request & 1 ? &x->what_ifs : &x->calls, request >> 1, fill, answer);
}

/* ---- questions ---- */

/* What is posted, with its texts. */
struct asked {
    struct skr_explain_request request;
    char namespace_[256];
    char name[NAME_MAX_BYTES + 1];
    struct skr_what_if what_if;
    struct skr_label change[SKR_WHAT_IF_CHANGES_MAX];
    const char *without[SKR_WHAT_IF_WITHOUT_MAX];
    struct skr_strbuf path[SKR_WHAT_IF_CHANGES_MAX]; /* of the changes */
    char set[LIST_BYTES_MAX + 1], nodes[LIST_BYTES_MAX + 1];
    char size[32], priority[32];
};

static void asked_destroy(void *keep)
{
    struct asked *asked = keep;
    for (size_t i = 0; i < SKR_WHAT_IF_CHANGES_MAX; i++) {
        skr_strbuf_fini(&asked->path[i]);
    }
    free(asked);
}

/* The group in the path; NULL: it names none, and the request was refused. */
static struct asked *asked_create(struct skr_http_request *request, const char *prefix)
{
    struct asked *asked = skr_alloc(sizeof *asked);
    const char *path = request->path + strlen(prefix);
    path += *path == '/';
    const char *slash = strchr(path, '/');
    if (!slash || slash == path || slash[1] == 0 ||
        (size_t)(slash - path) >= sizeof asked->namespace_ ||
        strlen(slash + 1) >= sizeof asked->name) {
        char text[120];
        snprintf(text, sizeof text, "sakkara: no such path; it is %s/NAMESPACE/NAME", prefix);
        skr_http_refuse_json(request, MHD_HTTP_NOT_FOUND, text);
        free(asked);
        return NULL;
    }
    memcpy(asked->namespace_, path, (size_t)(slash - path));
    snprintf(asked->name, sizeof asked->name, "%s", slash + 1);
    for (size_t i = 0; i < SKR_WHAT_IF_CHANGES_MAX; i++) {
        skr_strbuf_init(&asked->path[i]);
    }
    asked->request.namespace_ = asked->namespace_;
    asked->request.name = asked->name;
    return asked;
}

/* Sends the question to the engine and takes it over. Numbers of the two tables differ in the last
 * bit. */
static void enter(struct skr_explanations *x, struct skr_http_request *request, struct asked *asked,
                  bool as_text)
{
    const bool what_if = asked->request.what_if;
    struct question *q = skr_alloc(sizeof *q);
    skr_strbuf_init(&q->answer);
    q->as_text = as_text;
    const uint64_t number = skr_calls_enter(what_if ? &x->what_ifs : &x->calls, &q->call, request);
    if (number == 0) {
        asked_destroy(asked);
        skr_http_refuse_json(request,
                             what_if ? MHD_HTTP_TOO_MANY_REQUESTS : MHD_HTTP_SERVICE_UNAVAILABLE,
                             "sakkara: too many questions at once");
        return;
    }
    const struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                                    .request = {.id = number << 1 | what_if,
                                                .verb = SKR_GANG_EXPLAIN,
                                                .body = &asked->request}};
    x->options.post(x->options.context, &event, asked_destroy, asked);
}

static void handle(void *context, struct skr_http_request *request)
{
    struct skr_explanations *x = context;
    if (!skr_http_allows(request, "GET, HEAD")) {
        return;
    }
    const char *preempt = skr_http_argument(request, skr_view_argument_name(SKR_VIEW_PREEMPT));
    if (preempt && strcmp(preempt, "true") != 0 && strcmp(preempt, "false") != 0) {
        skr_http_refuse_json(request, MHD_HTTP_BAD_REQUEST,
                             "sakkara: preempt must be true or false");
        return;
    }
    const char *as = skr_http_argument(request, "as");
    if (as && strcmp(as, "text") != 0 && strcmp(as, "json") != 0) {
        skr_http_refuse_json(request, MHD_HTTP_BAD_REQUEST, "sakkara: as must be text or json");
        return;
    }
    struct asked *asked = asked_create(request, PREFIX);
    if (asked) {
        asked->request.preempt = preempt && strcmp(preempt, "true") == 0;
        enter(x, request, asked, as && strcmp(as, "text") == 0);
    }
}

/* ---- what if ---- */

static bool add_change(struct asked *asked, const char *path, const char *value)
{
    struct skr_what_if *w = &asked->what_if;
    static const char *const own[] = {"size", "priority", "within"};
    bool whole = strncmp(path, "constraints.", strlen("constraints.")) == 0;
    if (w->n_changes == SKR_WHAT_IF_CHANGES_MAX) {
        return false;
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        whole = whole || strcmp(path, own[i]) == 0;
    }
    struct skr_strbuf *text = &asked->path[w->n_changes];
    skr_strbuf_addf(text, "%s%s", whole ? "" : "constraints.", path);
    asked->change[w->n_changes++] = (struct skr_label){text->s, value};
    return true;
}

/* "rack.hard:false,within:null": the last colon of each part counts. */
static bool read_set(struct asked *asked)
{
    char *rest = NULL;
    for (char *part = strtok_r(asked->set, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        char *colon = strrchr(part, ':');
        if (!colon || colon == part) {
            return false;
        }
        *colon = 0;
        if (!add_change(asked, part, colon + 1)) {
            return false;
        }
    }
    return true;
}

static bool read_without(struct asked *asked)
{
    char *rest = NULL;
    for (char *part = strtok_r(asked->nodes, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        if (asked->what_if.n_without == SKR_WHAT_IF_WITHOUT_MAX) {
            return false;
        }
        asked->without[asked->what_if.n_without++] = part;
    }
    return true;
}

/* Copies an argument, "" if it is absent. False: it is too long. */
static bool read_argument(struct skr_http_request *request, const char *name, char *ret,
                          size_t size)
{
    const char *value = skr_http_argument(request, name);
    return snprintf(ret, size, "%s", value ? value : "") < (int)size;
}

/* NULL, or what is wrong. */
static const char *read_what_if(struct skr_http_request *request, struct asked *asked)
{
    asked->what_if.change = asked->change;
    asked->what_if.without = asked->without;
    asked->request.what_if = &asked->what_if;
    if (!read_argument(request, "size", asked->size, sizeof asked->size) ||
        !read_argument(request, "priority", asked->priority, sizeof asked->priority)) {
        return "sakkara: size and priority are numbers";
    }
    if (!read_argument(request, "set", asked->set, sizeof asked->set) ||
        !read_argument(request, "without", asked->nodes, sizeof asked->nodes)) {
        return "sakkara: set and without have at most 4096 bytes each";
    }
    if ((asked->size[0] && !add_change(asked, "size", asked->size)) ||
        (asked->priority[0] && !add_change(asked, "priority", asked->priority)) ||
        !read_set(asked)) {
        return "sakkara: set is PATH:VALUE[,...], such as rack.hard:false; at most 16 changes";
    }
    return read_without(asked) ? NULL : "sakkara: without names at most 64 nodes";
}

static void handle_what_if(void *context, struct skr_http_request *request)
{
    struct asked *asked =
        skr_http_allows(request, "GET, HEAD") ? asked_create(request, WHAT_IF) : NULL;
    const char *wrong = asked ? read_what_if(request, asked) : NULL;
    if (wrong) {
        asked_destroy(asked);
        skr_http_refuse_json(request, MHD_HTTP_BAD_REQUEST, wrong);
    } else if (asked) {
        enter(context, request, asked, false);
    }
}

static void resume(void *context, struct skr_http_request *request)
{
    struct question *q = request->user;
    const struct skr_explanations *x = context;
    SKR_STRBUF(text);
    if (!q->as_text || q->code != MHD_HTTP_OK) {
        skr_http_reply_json(request, q->code, &q->answer);
        return;
    }
    x->options.text(q->answer.s, q->answer.len, &text);
    skr_http_reply_buffer(request, MHD_HTTP_OK, SKR_HTTP_TEXT, &text);
}

static void done(void *context, struct skr_http_request *request)
{
    struct question *q = request->user;
    (void)context;
    if (q) {
        request->user = NULL;
        skr_strbuf_fini(&q->answer);
        free(q);
    }
}

static bool hangup_what_if(void *context, struct skr_http_request *request)
{
    struct skr_explanations *x = context;
    return skr_calls_give_up(&x->what_ifs, request->user);
}

static bool hangup(void *context, struct skr_http_request *request)
{
    struct skr_explanations *x = context;
    return skr_calls_give_up(&x->calls, request->user);
}

/* ---- life ---- */

struct skr_explanations *skr_explanations_create(const struct skr_explanations_options *options)
{
    struct skr_explanations *x = skr_alloc(sizeof *x);
    x->options = *options;
    skr_calls_init(&x->calls, SKR_EXPLAIN_ASKERS_MAX);
    skr_calls_init(&x->what_ifs, WHAT_IFS_MAX);
    return x;
}

size_t skr_explanations_routes(struct skr_explanations *explanations, struct skr_admin_route *route)
{
    route[0] = (struct skr_admin_route){.prefix = PREFIX,
                                        .handle = handle,
                                        .context = explanations,
                                        .resume = resume,
                                        .hangup = hangup,
                                        .done = done};
    route[1] = route[0];
    route[1].prefix = WHAT_IF;
    route[1].handle = handle_what_if;
    route[1].hangup = hangup_what_if;
    return 2;
}

void skr_explanations_destroy(struct skr_explanations *explanations)
{
    if (!explanations) {
        return;
    }
    skr_calls_fini(&explanations->calls);
    skr_calls_fini(&explanations->what_ifs);
    free(explanations);
}
