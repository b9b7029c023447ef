/* SPDX-License-Identifier: Apache-2.0 */
/* A question belongs to two threads until its answer is there or its caller is gone; the one that
 * comes second, under the lock, frees it. */
#include "server/http/spotmix_pages.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/page.h"
#include "core/spotmix/scheduler.h"
#include "server/http/json_reply.h"
#include "topology/base/arena.h"

#define PREFIX "/v1/spotmix"

struct skr_spotmix_pages {
    struct skr_spotmix_pages_options options;
    pthread_mutex_t lock;
    size_t n; /* under the lock */
};

struct question {
    struct skr_spotmix_pages *pages;
    struct skr_http_request *request;
    bool nodes;              /* classes of nodes; else: */
    char *namespace_, *name; /* NULL: all workloads */
    struct skr_strbuf answer;
    int code;
    bool answered, abandoned; /* under the lock */
};

static void destroy(struct question *q)
{
    free(q->namespace_);
    free(q->name);
    skr_strbuf_fini(&q->answer);
    free(q);
}

/* ---- on the engine's thread ---- */

static void write_page(struct question *q, const struct skr_engine *engine)
{
    const struct skr_spotmix *mix =
        engine ? skr_spotmix_scheduler_mix(skr_engine_self(engine)) : NULL;

    q->code = MHD_HTTP_OK;
    if (!mix) {
        q->code = MHD_HTTP_SERVICE_UNAVAILABLE;
    } else if (q->nodes) {
        skr_spotmix_page_write_nodes(mix, &q->answer);
    } else if (!q->name) {
        skr_spotmix_page_write(mix, &q->answer);
    } else if (!skr_spotmix_page_write_one(mix, q->namespace_, q->name, &q->answer)) {
        q->code = MHD_HTTP_NOT_FOUND;
    }
}

static void look(void *context, struct skr_engine *engine, skr_time now)
{
    struct question *q = context;
    struct skr_spotmix_pages *pages = q->pages;

    (void)now;
    write_page(q, engine);
    pthread_mutex_lock(&pages->lock);
    pages->n--;
    const bool abandoned = q->abandoned;
    q->answered = true;
    if (!abandoned) {
        skr_http_wake(q->request);
    }
    pthread_mutex_unlock(&pages->lock);
    if (abandoned) {
        destroy(q);
    }
}

/* ---- on the listener's thread ---- */

/* false: the path is none. */
static bool read_path(struct question *q, const char *path)
{
    path += *path == '/';
    const char *slash = strchr(path, '/');
    q->nodes = strcmp(path, "nodes") == 0;
    if (*path == '\0' || q->nodes) {
        return true;
    }
    if (!slash || slash == path || slash[1] == '\0' || strchr(slash + 1, '/')) {
        return false;
    }
    q->namespace_ = skr_strdup(path);
    q->namespace_[slash - path] = '\0';
    q->name = skr_strdup(slash + 1);
    return true;
}

static bool may_ask(struct skr_spotmix_pages *pages)
{
    pthread_mutex_lock(&pages->lock);
    const bool may = pages->n < SKR_SPOTMIX_PAGES_MAX;
    pages->n += may;
    pthread_mutex_unlock(&pages->lock);
    return may;
}

static void handle(void *context, struct skr_http_request *request)
{
    struct skr_spotmix_pages *pages = context;

    if (strcmp(request->method, MHD_HTTP_METHOD_GET) != 0 &&
        strcmp(request->method, MHD_HTTP_METHOD_HEAD) != 0) {
        skr_http_reply_not_allowed(request, "GET, HEAD");
        return;
    }
    struct question *q = skr_alloc(sizeof *q);
    q->pages = pages;
    q->request = request;
    skr_strbuf_init(&q->answer);
    if (!read_path(q, request->path + strlen(PREFIX))) {
        destroy(q);
        skr_http_refuse_json(request, MHD_HTTP_NOT_FOUND,
                             "sakkara: no such path; it is " PREFIX "/NAMESPACE/NAME or " PREFIX
                             "/nodes");
        return;
    }
    if (!may_ask(pages)) {
        destroy(q);
        skr_http_refuse_json(request, MHD_HTTP_SERVICE_UNAVAILABLE,
                             "sakkara: too many questions at once");
        return;
    }
    request->user = q;
    pages->options.look(pages->options.context, look, q);
}

static void resume(void *context, struct skr_http_request *request)
{
    struct question *q = request->user;

    (void)context;
    if (q->code == MHD_HTTP_OK) {
        skr_http_reply_json(request, q->code, &q->answer);
    } else {
        skr_http_refuse_json(request, q->code,
                             q->code == MHD_HTTP_NOT_FOUND
                                 ? "sakkara: no such workload, or its switch is off"
                                 : "sakkara: shutting down");
    }
}

/* Whoever comes second frees the question: the caller's end, or its answer. */
static bool hangup(void *context, struct skr_http_request *request)
{
    struct skr_spotmix_pages *pages = context;
    struct question *q = request->user;

    pthread_mutex_lock(&pages->lock);
    const bool answered = q->answered;
    q->abandoned = !answered;
    pthread_mutex_unlock(&pages->lock);
    if (!answered) {
        request->user = NULL;
    }
    return !answered;
}

static void done(void *context, struct skr_http_request *request)
{
    struct question *q = request->user;

    (void)context;
    if (q) {
        request->user = NULL;
        destroy(q);
    }
}

/* ---- life ---- */

struct skr_spotmix_pages *skr_spotmix_pages_create(const struct skr_spotmix_pages_options *options)
{
    struct skr_spotmix_pages *pages = skr_alloc(sizeof *pages);

    pages->options = *options;
    pthread_mutex_init(&pages->lock, NULL);
    return pages;
}

struct skr_admin_route skr_spotmix_pages_route(struct skr_spotmix_pages *pages)
{
    return (struct skr_admin_route){.prefix = PREFIX,
                                    .handle = handle,
                                    .context = pages,
                                    .resume = resume,
                                    .hangup = hangup,
                                    .done = done};
}

void skr_spotmix_pages_destroy(struct skr_spotmix_pages *pages)
{
    if (pages) {
        pthread_mutex_destroy(&pages->lock);
        free(pages);
    }
}
