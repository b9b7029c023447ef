/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The poster (poster.h) sends all calls. A filter call waits for its answer on a condition of its
 * own.
 */
#include "server/lab/sandbox/extender_http.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/sandbox/extender_json.h"
#include "server/object/path.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

struct skr_extender_http {
    struct skr_extender_http_options options;
    struct skr_poster *poster;
    /* The model's thread: */
    json_t *pod;       /* of the last call */
    json_t *answers;   /* to the last filter: own the reasons it returned */
    const char **name; /* survivors of a filter: [cap] */
    size_t *at;
    uint8_t *passes;
    const char **why;
    size_t cap;
};

/* ---- a call with a wait ---- */

struct call {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
    int status;
    bool dropped;
    struct skr_strbuf body, error;
};

static void take_call(void *context, const struct skr_post_answer *answer)
{
    struct call *call = context;
    pthread_mutex_lock(&call->lock);
    call->status = answer->status;
    call->dropped = answer->dropped;
    skr_strbuf_addn(&call->body, answer->body, answer->n);
    skr_strbuf_add(&call->error, answer->error ? answer->error : "");
    call->done = true;
    pthread_cond_signal(&call->changed);
    pthread_mutex_unlock(&call->lock);
}

static char *url_of(const struct skr_scheduler_extender *extender, const char *verb)
{
    struct skr_strbuf url;
    skr_strbuf_init(&url);
    skr_strbuf_addf(&url, "%s/%s", extender->url, verb);
    return skr_strbuf_take(&url, NULL);
}

/* The answer's JSON; errors as from HTTPExtender.send(). */
static int decode_answer(const char *verb, const char *url, int status, const char *failure,
                         const char *body, size_t n, json_t **ret, struct skr_error *error)
{
    if (failure[0] != '\0') {
        return skr_error_set(error, SKR_RETRY, "%s", failure);
    }
    if (status != 200) {
        return skr_error_set(error, SKR_RETRY, "failed %s with extender at URL %s, code %d", verb,
                             url, status);
    }
    return skr_extender_decode(body, n, ret, error);
}

/* body: taken. Without the cluster's lock. */
static int send_and_wait(struct skr_extender_http *x, const struct skr_scheduler_extender *extender,
                         const char *verb, char *body, size_t n, json_t **ret,
                         struct skr_error *error)
{
    struct call call = {.done = false};
    SKR_AUTO_FREE char *url = url_of(extender, verb);
    skr_bug_on(pthread_mutex_init(&call.lock, NULL) != 0);
    skr_bug_on(pthread_cond_init(&call.changed, NULL) != 0);
    skr_strbuf_init(&call.body);
    skr_strbuf_init(&call.error);
    skr_poster_post(x->poster, url, body, n, extender->timeout, take_call, &call);
    pthread_mutex_lock(&call.lock);
    while (!call.done) {
        pthread_cond_wait(&call.changed, &call.lock);
    }
    pthread_mutex_unlock(&call.lock);
    int rc = call.dropped ? skr_error_set(error, SKR_GONE, "the scheduler was stopped") : 0;
    if (rc == 0) {
        rc = decode_answer(verb, url, call.status, call.error.s ? call.error.s : "",
                           call.body.s ? call.body.s : "", call.body.len, ret, error);
    }
    skr_strbuf_fini(&call.body);
    skr_strbuf_fini(&call.error);
    pthread_cond_destroy(&call.changed);
    pthread_mutex_destroy(&call.lock);
    return rc;
}

/* ---- what goes out ---- */

/* Whether calls for this pod go to the extender. */
static bool is_interested(const struct skr_scheduler_extender *extender, const struct skr_pod *pod)
{
    for (size_t i = 0; i < extender->n_managed; i++) {
        for (size_t k = 0; k < pod->shape->requests.n; k++) {
            if (strcmp(extender->managed[i], pod->shape->requests.item[k].name) == 0) {
                return true;
            }
        }
    }
    return extender->n_managed == 0;
}

/* Caches the pod's JSON as the model has seen it, also for the second call of a cycle, when the
 * store may have changed. With the lock. */
static int keep_pod(struct skr_extender_http *x, const struct skr_pod *pod, struct skr_error *error)
{
    const json_t *now =
        skr_store_get(x->options.store, "Pod", pod->meta.namespace_, pod->meta.name);
    const bool same_uid = strcmp(skr_path_text(now, "metadata.uid"), pod->meta.uid) == 0;
    const unsigned long long version =
        strtoull(skr_path_text(x->pod, "metadata.resourceVersion"), NULL, 10);
    if (x->pod && strcmp(skr_path_text(x->pod, "metadata.uid"), pod->meta.uid) == 0 &&
        version == pod->meta.resource_version) {
        return 0;
    }
    if (!same_uid) {
        return skr_error_set(error, SKR_NOT_FOUND, "pods \"%.200s\" not found", pod->meta.name);
    }
    json_decref(x->pod);
    x->pod = skr_path_ref(now);
    return 0;
}

/* Node objects for extenders without a cache of nodes; NULL for others. With the lock. */
static json_t *collect_nodes(const struct skr_extender_http *x,
                             const struct skr_scheduler_extender *extender, const char *const *name,
                             size_t n)
{
    if (extender->node_cache_capable) {
        return NULL;
    }
    json_t *nodes = json_array();
    for (size_t i = 0; i < n; i++) {
        const json_t *node = skr_store_get(x->options.store, "Node", "", name[i]);
        if (node) {
            json_array_append_new(nodes, skr_path_ref(node));
        }
    }
    return nodes;
}

/* One filter or prioritize call. With the lock, which is released during the wait. Reference counts
 * change only under the lock, since the objects are shared. */
static int ask(struct skr_extender_http *x, const struct skr_scheduler_extender *extender,
               const char *verb, const char *const *name, size_t n, json_t **ret,
               struct skr_error *error)
{
    json_auto_t *nodes = collect_nodes(x, extender, name, n);
    json_auto_t *args = skr_extender_args(x->pod, nodes, name, n);
    x->options.unlock(x->options.context);
    char *body = json_dumps(args, JSON_COMPACT);
    skr_bug_on(!body);
    const int rc = send_and_wait(x, extender, verb, body, strlen(body), ret, error);
    x->options.lock(x->options.context);
    return rc;
}

/* ---- filter ---- */

static void make_room(struct skr_extender_http *x, size_t n)
{
    if (n <= x->cap) {
        return;
    }
    free(x->name);
    free(x->at);
    free(x->passes);
    free(x->why);
    x->cap = 2 * n;
    x->name = skr_alloc_array(x->cap, sizeof *x->name);
    x->at = skr_alloc_array(x->cap, sizeof *x->at);
    x->passes = skr_alloc_array(x->cap, 1);
    x->why = skr_alloc_array(x->cap, sizeof *x->why);
}

/* Filters the n survivors with one extender; *n are left. */
static int filter_with(struct skr_extender_http *x, const struct skr_scheduler_extender *extender,
                       size_t *n, const char **why, struct skr_error *error)
{
    json_t *answer = NULL;
    size_t left = 0;
    int rc = ask(x, extender, extender->filter_verb, x->name, *n, &answer, error);
    if (rc == 0) {
        json_array_append_new(x->answers, answer);
        memset(x->why, 0, *n * sizeof *x->why);
        rc = skr_extender_read_filter(answer, extender->url, extender->node_cache_capable, x->name,
                                      *n, x->passes, x->why, error);
    }
    if (rc < 0) {
        return rc;
    }
    for (size_t i = 0; i < *n; i++) {
        if (x->passes[i]) {
            x->name[left] = x->name[i];
            x->at[left++] = x->at[i];
        } else {
            why[x->at[i]] = x->why[i];
        }
    }
    *n = left;
    return 0;
}

static int filter(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                  skr_time now, uint8_t *passes, const char **why, struct skr_error *error)
{
    struct skr_extender_http *x = context;
    const struct skr_scheduler_config *config = x->options.config;
    size_t left = n;
    (void)now;
    make_room(x, n);
    json_array_clear(x->answers);
    for (size_t i = 0; i < n; i++) {
        x->name[i] = node[i];
        x->at[i] = i;
    }
    int rc = keep_pod(x, pod, error);
    for (size_t i = 0; rc == 0 && left > 0 && i < config->n_extenders; i++) {
        const struct skr_scheduler_extender *extender = &config->extender[i];
        if (*extender->filter_verb == '\0' || !is_interested(extender, pod)) {
            continue;
        }
        rc = filter_with(x, extender, &left, why, error);
        if (rc < 0 && rc != -SKR_GONE && extender->ignorable) {
            rc = 0;
        }
    }
    for (size_t i = 0; rc == 0 && i < left; i++) {
        passes[x->at[i]] = 1;
    }
    return rc;
}

static void prioritize(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                       skr_time now, int32_t *score)
{
    struct skr_extender_http *x = context;
    const struct skr_scheduler_config *config = x->options.config;
    struct skr_error error;
    (void)now;
    if (keep_pod(x, pod, &error) < 0) {
        return;
    }
    for (size_t i = 0; i < config->n_extenders; i++) {
        const struct skr_scheduler_extender *extender = &config->extender[i];
        json_auto_t *answer = NULL;
        if (*extender->prioritize_verb == '\0' || !is_interested(extender, pod)) {
            continue;
        }
        if (ask(x, extender, extender->prioritize_verb, node, n, &answer, &error) == 0) {
            (void)skr_extender_read_scores(answer, extender->weight, node, n, score, &error);
        }
    }
}

/* ---- bind ---- */

struct bind {
    struct skr_extender_http *extender;
    const struct skr_scheduler_extender *config; /* NULL: only the API server binds */
    uint64_t call;
    char *url;
    char *namespace_, *name, *uid, *node;
};

static void free_bind(struct bind *bind)
{
    free(bind->url);
    free(bind->namespace_);
    free(bind->name);
    free(bind->uid);
    free(bind->node);
    free(bind);
}

/* kube-scheduler's DefaultBinder. With the lock. */
static int bind_in_store(const struct bind *bind, struct skr_error *error)
{
    const struct skr_extender_http *x = bind->extender;
    const int status = skr_store_bind(x->options.store, bind->namespace_, bind->name, bind->uid,
                                      bind->node, x->options.now(x->options.context), error);
    return status < 300 ? 0 : -SKR_CONFLICT;
}

static void end_bind(struct bind *bind, int rc, const struct skr_error *error)
{
    const struct skr_extender_http_options *o = &bind->extender->options;
    o->bind_done(o->context, bind->call, rc < 0 ? error->text : NULL);
    free_bind(bind);
}

static void take_bind(void *context, const struct skr_post_answer *answer)
{
    struct bind *bind = context;
    const struct skr_extender_http_options *o = &bind->extender->options;
    struct skr_error error = {.code = SKR_OK};
    json_t *json = NULL;
    if (answer->dropped) {
        free_bind(bind);
        return;
    }
    int rc =
        decode_answer(bind->config->bind_verb, bind->url, answer->status,
                      answer->error ? answer->error : "", answer->body, answer->n, &json, &error);
    rc = rc < 0 ? rc : skr_extender_read_binding(json, &error);
    json_decref(json);
    o->lock(o->context);
    if (rc < 0 && bind->config->ignorable) {
        rc = bind_in_store(bind, &error);
    }
    end_bind(bind, rc, &error);
    o->unlock(o->context);
}

static const struct skr_scheduler_extender *find_binder(const struct skr_extender_http *x,
                                                        const struct skr_pod *pod)
{
    const struct skr_scheduler_config *config = x->options.config;
    for (size_t i = 0; i < config->n_extenders; i++) {
        if (*config->extender[i].bind_verb != '\0' && is_interested(&config->extender[i], pod)) {
            return &config->extender[i];
        }
    }
    return NULL;
}

static void call_bind(void *context, uint64_t call, const struct skr_pod *pod, const char *node,
                      skr_time now)
{
    struct skr_extender_http *x = context;
    struct bind *bind = skr_alloc(sizeof *bind);
    struct skr_error error = {.code = SKR_OK};
    (void)now;
    *bind = (struct bind){.extender = x,
                          .config = find_binder(x, pod),
                          .call = call,
                          .namespace_ = skr_strdup(pod->meta.namespace_),
                          .name = skr_strdup(pod->meta.name),
                          .uid = skr_strdup(pod->meta.uid),
                          .node = skr_strdup(node)};
    if (!bind->config) {
        const int rc = bind_in_store(bind, &error);
        end_bind(bind, rc, &error);
        return;
    }
    bind->url = url_of(bind->config, bind->config->bind_verb);
    json_t *args = skr_extender_binding(bind->namespace_, bind->name, bind->uid, bind->node);
    char *body = json_dumps(args, JSON_COMPACT);
    skr_bug_on(!body);
    json_decref(args);
    skr_poster_post(x->poster, bind->url, body, strlen(body), bind->config->timeout, take_bind,
                    bind);
}

/* ---- create and destroy ---- */

int skr_extender_http_create(const struct skr_extender_http_options *options,
                             struct skr_extender_http **ret, struct skr_error *error)
{
    struct skr_extender_http *x = skr_alloc(sizeof *x);
    x->options = *options;
    x->answers = json_array();
    const int rc = skr_poster_create(&x->poster, error);
    if (rc < 0) {
        skr_extender_http_destroy(x);
        return rc;
    }
    *ret = x;
    return 0;
}

struct skr_extender skr_extender_http_get(struct skr_extender_http *extender)
{
    return (struct skr_extender){.context = extender,
                                 .filter = filter,
                                 .prioritize = prioritize,
                                 .bind = call_bind,
                                 .weight = 1};
}

void skr_extender_http_stop(struct skr_extender_http *extender)
{
    skr_poster_stop(extender->poster);
}

void skr_extender_http_destroy(struct skr_extender_http *extender)
{
    if (!extender) {
        return;
    }
    skr_poster_destroy(extender->poster);
    extender->options.lock(extender->options.context);
    json_decref(extender->pod); /* shared with the store */
    extender->options.unlock(extender->options.context);
    json_decref(extender->answers);
    free(extender->name);
    free(extender->at);
    free(extender->passes);
    free(extender->why);
    free(extender);
}
