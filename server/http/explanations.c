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

#define PREFIX "/v1/explain"
/* bytes of a group's name: KIND/NAME/JOB/INDEX of a derived one */
enum { NAME_MAX_BYTES = 512 };

struct question {
    struct skr_call call;
    struct skr_strbuf answer;
    int code;
    bool as_text;
};

struct skr_explanations {
    struct skr_explanations_options options;
    struct skr_calls calls;
};

/* ---- answers ---- */

static int code_of(enum skr_explain_status status)
{
    switch (status) {
    case SKR_EXPLAIN_FOUND:
        return MHD_HTTP_OK;
    case SKR_EXPLAIN_NOT_FOUND:
        return MHD_HTTP_NOT_FOUND;
    case SKR_EXPLAIN_NOT_NOW:
    case SKR_EXPLAIN_STATUS_COUNT:
    default:
        return MHD_HTTP_SERVICE_UNAVAILABLE;
    }
}

static void fill(struct skr_call *call, const void *body)
{
    struct question *q = (struct question *)call;
    const struct skr_explain_answer *answer = body;
    skr_strbuf_addn(&q->answer, answer->json, answer->json_len);
    q->code = code_of(answer->status);
}

void skr_explanations_answer(struct skr_explanations *explanations, uint64_t request,
                             const struct skr_explain_answer *answer)
{
    (void)skr_calls_answer(&explanations->calls, request, fill, answer);
}

/* ---- questions ---- */

/* What is posted, with its texts. */
struct asked {
    struct skr_explain_request request;
    char namespace_[256];
    char name[256];
};

static void post(struct skr_explanations *x, uint64_t number, const char *namespace_,
                 const char *name, bool preempt)
{
    struct asked *asked = skr_alloc(sizeof *asked);
    snprintf(asked->namespace_, sizeof asked->namespace_, "%s", namespace_);
    snprintf(asked->name, sizeof asked->name, "%s", name);
    asked->request = (struct skr_explain_request){
        .namespace_ = asked->namespace_, .name = asked->name, .preempt = preempt};
    const struct skr_event event = {
        .kind = SKR_EVENT_REQUEST,
        .request = {.id = number, .verb = SKR_GANG_EXPLAIN, .body = &asked->request}};
    x->options.post(x->options.context, &event, free, asked);
}

static void handle(void *context, struct skr_http_request *request)
{
    struct skr_explanations *x = context;
    const char *path = request->path + strlen(PREFIX);
    char namespace_[256];
    if (!skr_http_allows(request, "GET, HEAD")) {
        return;
    }
    path += *path == '/';
    const char *slash = strchr(path, '/');
    if (!slash || slash == path || slash[1] == 0 || (size_t)(slash - path) >= sizeof namespace_ ||
        strlen(slash + 1) > NAME_MAX_BYTES) {
        skr_http_refuse_json(request, MHD_HTTP_NOT_FOUND,
                             "sakkara: no such path; it is " PREFIX "/NAMESPACE/NAME");
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
    memcpy(namespace_, path, (size_t)(slash - path));
    namespace_[slash - path] = 0;
    struct question *q = skr_alloc(sizeof *q);
    skr_strbuf_init(&q->answer);
    q->as_text = as && strcmp(as, "text") == 0;
    const uint64_t number = skr_calls_enter(&x->calls, &q->call, request);
    if (number == 0) {
        skr_http_refuse_json(request, MHD_HTTP_SERVICE_UNAVAILABLE,
                             "sakkara: too many questions at once");
        return;
    }
    post(x, number, namespace_, slash + 1, preempt && strcmp(preempt, "true") == 0);
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
    return x;
}

struct skr_admin_route skr_explanations_route(struct skr_explanations *explanations)
{
    return (struct skr_admin_route){.prefix = PREFIX,
                                    .handle = handle,
                                    .context = explanations,
                                    .resume = resume,
                                    .hangup = hangup,
                                    .done = done};
}

void skr_explanations_destroy(struct skr_explanations *explanations)
{
    if (!explanations) {
        return;
    }
    skr_calls_fini(&explanations->calls);
    free(explanations);
}
