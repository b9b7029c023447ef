/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the sandbox and its proxy, what users do with it, waiting and looking. */
#include "test/integration/cluster.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/object/path.h"
#include "test/unit/json_text.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

/* Kubelets are quick: a test that waits for them waits for nothing else. */
static void start_sandbox(struct cluster *c)
{
    struct skr_cluster_options options;
    struct skr_error error = {.code = SKR_OK};
    skr_clock_init(&c->clock);
    skr_cluster_options_default(&options);
    options.pod_start = options.pod_stop = SKR_MILLISECOND;
    c->model = skr_cluster_create(&options, cluster_now(c));
    c->store = skr_cluster_store(c->model);
    const struct skr_sandbox_http_options http = {
        .listen = "127.0.0.1:0", .cluster = c->model, .clock = &c->clock};
    if (skr_sandbox_http_create(&http, &c->sandbox, &error) != 0) {
        fprintf(stderr, "sandbox: %s\n", error.text);
        abort();
    }
}

struct cluster *cluster_start(const struct fake_pki *pki, bool require_client)
{
    struct cluster *c = skr_alloc(sizeof *c);
    c->pki = pki;
    c->bindings_carry_labels = true;
    c->binding_plans = json_object();
    c->planned = json_object();
    if (!require_client) {
        snprintf(c->token, sizeof c->token, "%s", CLUSTER_TOKEN);
    }
    start_sandbox(c);
    c->api = fake_api_start(pki, require_client);
    fake_api_respond(c->api, fault_proxy_respond, c);
    return c;
}

void cluster_stop(struct cluster *c)
{
    if (!c) {
        return;
    }
    cluster_lock(c);
    if (c->n_violations > 0) {
        cluster_fail(c, "rules were violated");
    }
    cluster_unlock(c);
    fake_api_stop(c->api);
    fault_upstream_close(c->upstream);
    skr_sandbox_http_destroy(c->sandbox);
    skr_cluster_destroy(c->model);
    json_decref(c->binding_plans);
    json_decref(c->planned);
    free(c);
}

uint16_t cluster_port(const struct cluster *c)
{
    return fake_api_port(c->api);
}

void cluster_lock(struct cluster *c)
{
    fake_api_lock(c->api);
    skr_sandbox_http_lock(c->sandbox);
}

void cluster_unlock(struct cluster *c)
{
    skr_sandbox_http_unlock(c->sandbox);
    fake_api_unlock(c->api);
}

/* ---- failing ---- */

static void print_objects(struct cluster *c)
{
    const json_t *o;
    for (size_t i = 0; (o = cluster_at(c, "ConfigMap", i)); i++) {
        SKR_AUTO_FREE char *text = json_dumps(o, JSON_COMPACT);
        fprintf(stderr, "  map %.1500s\n", text);
    }
    for (size_t i = 0; (o = cluster_at(c, "Pod", i)) && i < 20; i++) {
        SKR_AUTO_FREE char *text = json_dumps(o, JSON_COMPACT);
        fprintf(stderr, "  pod %.900s\n", text);
    }
    for (int i = 0; i < SKR_WRITE_KIND_COUNT; i++) {
        if (c->n_writes[i] + c->n_refused[i] > 0) {
            fprintf(stderr, "  %s: %zu, refused %zu\n", skr_write_kind_name((enum skr_write_kind)i),
                    c->n_writes[i], c->n_refused[i]);
        }
    }
}

/* Lock held, and kept: nothing moves any more. */
_Noreturn static void fail_locked(struct cluster *c, const char *text)
{
    fprintf(stderr, "cluster: %s\n", text);
    print_objects(c);
    for (size_t i = 0; i < 2; i++) {
        if (c->dump[i]) {
            c->dump[i](c->dump_context[i]);
        }
    }
    for (size_t i = 0; i < c->n_violations; i++) {
        fprintf(stderr, "violation: %s\n", c->violation[i]);
    }
    fprintf(stderr, "cluster: %s\n", text);
    abort();
}

void cluster_fail(struct cluster *c, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fail_locked(c, text);
}

/* ---- users ---- */

skr_time cluster_now(const struct cluster *c)
{
    return skr_clock_now(&c->clock);
}

static const char *namespace_of(const char *kind)
{
    return strcmp(kind, "Node") == 0 ? "" : "default";
}

const json_t *cluster_get(const struct cluster *c, const char *kind, const char *namespace_,
                          const char *name)
{
    return skr_store_get(c->store, kind, namespace_, name);
}

struct nth {
    size_t left;
    const json_t *object;
};

static bool count_down(void *context, const json_t *object)
{
    struct nth *nth = context;
    nth->object = nth->left == 0 ? object : NULL;
    return nth->left-- > 0;
}

const json_t *cluster_at(const struct cluster *c, const char *kind, size_t i)
{
    struct nth nth = {.left = i};
    skr_store_each(c->store, kind, count_down, &nth);
    return nth.object;
}

const char *cluster_label_of(const json_t *object, const char *key)
{
    const char *value = skr_path_label(object, key);
    return value ? value : "";
}

/* Formatted JSON with single quotes, read. */
SKR_PRINTF(2, 0)
static json_t *read_json(struct cluster *c, const char *format, va_list args)
{
    SKR_AUTO_FREE char *text = NULL;
    json_error_t error;
    skr_bug_on(vasprintf(&text, format, args) < 0);
    for (char *p = text; *p; p++) {
        *p = *p == '\'' ? '"' : *p;
    }
    json_t *json = json_loads(text, 0, &error);
    if (!json) {
        cluster_fail(c, "no JSON: %s", text);
    }
    return json;
}

void cluster_create(struct cluster *c, const char *format, ...)
{
    struct skr_error error = {.code = SKR_OK};
    va_list args;
    va_start(args, format);
    json_auto_t *json = read_json(c, format, args);
    va_end(args);
    cluster_lock(c);
    if (skr_store_put(c->store, json, cluster_now(c), &error) >= 400) {
        cluster_fail(c, "%s", error.text);
    }
    fake_api_changed(c->api);
    cluster_unlock(c);
}

/* What a patch changes: status where it names nothing else. */
static const char *subresource_of(const json_t *patch)
{
    return json_object_size(patch) == 1 && json_object_get(patch, "status") ? "status" : "";
}

void cluster_patch_locked(struct cluster *c, const char *kind, const char *namespace_,
                          const char *name, const json_t *patch)
{
    struct skr_error error = {.code = SKR_OK};
    if (skr_store_merge(c->store, kind, namespace_, name, subresource_of(patch), patch,
                        cluster_now(c), &error) >= 400) {
        cluster_fail(c, "patch of %s: %s", name, error.text);
    }
    fake_api_changed(c->api);
}

void cluster_patch(struct cluster *c, const char *kind, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_auto_t *json = read_json(c, format, args);
    va_end(args);
    cluster_lock(c);
    cluster_patch_locked(c, kind, namespace_of(kind), name, json);
    cluster_unlock(c);
}

void cluster_delete_locked(struct cluster *c, const char *kind, const char *namespace_,
                           const char *name)
{
    json_auto_t *options = json_pack("{s:i}", "gracePeriodSeconds", 0);
    const struct skr_store_request request = {.verb = SKR_STORE_DELETE,
                                              .resource = skr_store_resource_keeping(kind),
                                              .namespace_ = namespace_,
                                              .name = name,
                                              .subresource = "",
                                              .body = options,
                                              .label_selector = "",
                                              .field_selector = "",
                                              .continue_ = ""};
    struct skr_store_reply reply = {0};
    skr_store_handle(c->store, &request, cluster_now(c), &reply);
    if (reply.status >= 400) {
        cluster_fail(c, "deletion of %s/%s: %d", namespace_, name, reply.status);
    }
    json_decref(reply.body);
    fake_api_changed(c->api);
}

void cluster_compact_locked(struct cluster *c)
{
    (void)skr_cluster_step(c->model, cluster_now(c)); /* its models read the history, too */
    skr_store_forget_history(c->store, skr_store_revision(c->store));
}

void cluster_delete(struct cluster *c, const char *kind, const char *name)
{
    cluster_lock(c);
    cluster_delete_locked(c, kind, namespace_of(kind), name);
    cluster_unlock(c);
}

/* JSON in single quotes as a JSON string. Heap. */
static char *quote(const char *json)
{
    SKR_AUTO_FREE char *plain = json_text_quote(json);
    json_auto_t *string = json_string(plain);
    return json_dumps(string, JSON_ENCODE_ANY);
}

void cluster_racks(struct cluster *c, int racks, int nodes, int cpu)
{
    SKR_STRBUF(tree);
    skr_strbuf_addc(&tree, '{');
    for (int r = 0; r < racks; r++) {
        skr_strbuf_addf(&tree, "%s'rack-%d':{", r ? "," : "", r);
        for (int n = 0; n < nodes; n++) {
            int i = r * nodes + n;
            cluster_create(c,
                           "{'kind':'Node','apiVersion':'v1','metadata':{'name':'node-%d'},"
                           "'spec':{},'status':{'allocatable':{'cpu':'%d','memory':'64Gi',"
                           "'pods':'110'},'conditions':[{'type':'Ready','status':'True'}]}}",
                           i, cpu);
            skr_strbuf_addf(&tree, "%s'node-%d':{}", n ? "," : "", i);
        }
        skr_strbuf_addc(&tree, '}');
    }
    skr_strbuf_addc(&tree, '}');
    SKR_AUTO_FREE char *quoted = quote(tree.s);
    cluster_create(c,
                   "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'namespace':'default',"
                   "'name':'topology','labels':{'sakkara.topology':''}},'data':{'level-names':"
                   "'[\\'rack\\',\\'node\\']','tree':%s}}",
                   quoted);
}

void cluster_group(struct cluster *c, const char *name, int size, const char *constraints)
{
    SKR_AUTO_FREE char *quoted = quote(constraints ? constraints : "");
    cluster_create(c,
                   "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'namespace':'default',"
                   "'name':'%s','labels':{'sakkara.group':''}},'data':{'name':'%s','size':'%d'"
                   "%s%s}}",
                   name, name, size, constraints ? ",'constraints':" : "",
                   constraints ? quoted : "");
}

void cluster_pods(struct cluster *c, const char *prefix, int n, const char *group, bool gated)
{
    char labels[256] = "";
    if (group) {
        snprintf(labels, sizeof labels, ",'labels':{'sakkara.group.name':'%s'}", group);
    }
    for (int i = 0; i < n; i++) {
        cluster_create(c,
                       "{'kind':'Pod','apiVersion':'v1','metadata':{'namespace':'default','name':"
                       "'%s-%d'%s},'spec':{'schedulerName':'sakkara'%s,'containers':[{'name':"
                       "'main','image':'busybox','resources':{'requests':{'cpu':'1'}}}]},"
                       "'status':{'phase':'Pending'}}",
                       prefix, i, labels,
                       gated ? ",'schedulingGates':[{'name':'sakkara.gang'}]" : "");
    }
}

/* ---- waiting ---- */

static struct timespec after_ms(long ms)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

void cluster_sleep_locked(struct cluster *c, const struct timespec *until)
{
    const struct timespec soon = after_ms(20);
    skr_sandbox_http_unlock(c->sandbox);
    (void)fake_api_wait(c->api, is_before(&soon, until) ? &soon : until);
    skr_sandbox_http_lock(c->sandbox);
}

void cluster_wait(struct cluster *c, bool (*is_true)(void *context), void *context,
                  const char *what)
{
    const struct timespec until = after_ms(CLUSTER_DEADLINE_S * 1000L);
    cluster_lock(c);
    while (c->n_violations == 0 && !is_true(context)) {
        const struct timespec now = after_ms(0);
        if (is_before(&until, &now)) {
            cluster_fail(c, "waited %d s in vain: %s", CLUSTER_DEADLINE_S, what);
        }
        cluster_sleep_locked(c, &until);
    }
    if (c->n_violations > 0) {
        cluster_fail(c, "rules were violated while waiting: %s", what);
    }
    cluster_unlock(c);
}

void cluster_pause(struct cluster *c)
{
    const struct timespec until = after_ms(10);
    fake_api_lock(c->api);
    (void)fake_api_wait(c->api, &until);
    fake_api_unlock(c->api);
}

struct question {
    struct cluster *c;
    const char *name, *key, *value;
    enum skr_write_kind kind;
    size_t n;
};

static size_t count_bound(const struct cluster *c, const char *prefix)
{
    const json_t *pod;
    size_t n = 0, length = strlen(prefix);
    for (size_t i = 0; (pod = cluster_at(c, "Pod", i)); i++) {
        const char *name = skr_path_text(pod, "metadata.name");
        n += strncmp(name, prefix, length) == 0 && name[length] == '-' &&
             skr_path_text(pod, "spec.nodeName")[0];
    }
    return n;
}

static bool is_bound(void *context)
{
    const struct question *q = context;
    return count_bound(q->c, q->name) >= q->n;
}

void cluster_wait_bound(struct cluster *c, const char *prefix, int n)
{
    char what[128];
    struct question q = {.c = c, .name = prefix, .n = (size_t)n};
    snprintf(what, sizeof what, "%d pods %s-* bound", n, prefix);
    cluster_wait(c, is_bound, &q, what);
}

static const char *data_of(const struct cluster *c, const char *map, const char *key)
{
    const json_t *object = cluster_get(c, "ConfigMap", "default", map);
    return json_string_value(json_object_get(json_object_get(object, "data"), key));
}

static bool key_is(void *context)
{
    const struct question *q = context;
    const char *have = data_of(q->c, q->name, q->key);
    return have && q->value ? strcmp(have, q->value) == 0 : have == q->value;
}

void cluster_wait_key(struct cluster *c, const char *map, const char *key, const char *value)
{
    char what[256];
    struct question q = {.c = c, .name = map, .key = key, .value = value};
    snprintf(what, sizeof what, "%s of map %s is %s", key, map, value ? value : "gone");
    cluster_wait(c, key_is, &q, what);
}

static bool has_event(void *context)
{
    const struct question *q = context;
    const json_t *event;
    for (size_t i = 0; (event = cluster_at(q->c, "Event", i)); i++) {
        if (strcmp(skr_path_text(event, "reason"), q->value) == 0) {
            return true;
        }
    }
    return false;
}

void cluster_wait_event(struct cluster *c, const char *reason)
{
    struct question q = {.c = c, .value = reason};
    cluster_wait(c, has_event, &q, reason);
}

bool cluster_has_event(struct cluster *c, const char *reason)
{
    struct question q = {.c = c, .value = reason};
    cluster_lock(c);
    bool has = has_event(&q);
    cluster_unlock(c);
    return has;
}

static bool has_writes(void *context)
{
    const struct question *q = context;
    return q->c->n_writes[q->kind] >= q->n;
}

void cluster_wait_writes(struct cluster *c, enum skr_write_kind kind, size_t n)
{
    char what[128];
    struct question q = {.c = c, .kind = kind, .n = n};
    snprintf(what, sizeof what, "%zu writes of kind %s", n, skr_write_kind_name(kind));
    cluster_wait(c, has_writes, &q, what);
}

/* ---- looking ---- */

size_t cluster_writes(struct cluster *c, enum skr_write_kind kind)
{
    cluster_lock(c);
    size_t n = c->n_writes[kind];
    cluster_unlock(c);
    return n;
}

size_t cluster_bound(struct cluster *c, const char *prefix)
{
    cluster_lock(c);
    size_t n = count_bound(c, prefix);
    cluster_unlock(c);
    return n;
}

char *cluster_key(struct cluster *c, const char *map, const char *key)
{
    cluster_lock(c);
    const char *have = data_of(c, map, key);
    char *copy = skr_strdup(have ? have : "");
    cluster_unlock(c);
    return copy;
}

char *cluster_label(struct cluster *c, const char *pod, const char *key)
{
    cluster_lock(c);
    char *copy = skr_strdup(cluster_label_of(cluster_get(c, "Pod", "default", pod), key));
    cluster_unlock(c);
    return copy;
}

char *cluster_text(struct cluster *c, const char *kind, const char *name, const char *path)
{
    cluster_lock(c);
    const json_t *object = cluster_get(c, kind, namespace_of(kind), name);
    char *copy = skr_strdup(skr_path_text(object, path));
    cluster_unlock(c);
    return copy;
}

/* ---- the end of a scenario ---- */

static void expect_room(struct cluster *c)
{
    const json_t *node, *pod;
    for (size_t i = 0; (node = cluster_at(c, "Node", i)); i++) {
        const char *name = skr_path_text(node, "metadata.name");
        long used = 0, cpu = strtol(skr_path_text(node, "status.allocatable.cpu"), NULL, 10);
        for (size_t j = 0; (pod = cluster_at(c, "Pod", j)); j++) {
            used += strcmp(skr_path_text(pod, "spec.nodeName"), name) == 0;
        }
        if (used > cpu) {
            cluster_fail(c, "%s holds %ld pods of one cpu and has %ld", name, used, cpu);
        }
    }
}

static void expect_ranks(struct cluster *c, const char *prefix, int n)
{
    SKR_AUTO_FREE bool *seen = skr_alloc((size_t)n + 1);
    for (int i = 0; i < n; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        const json_t *pod = cluster_get(c, "Pod", "default", name);
        char *end;
        const char *text = cluster_label_of(pod, "sakkara.member.rank");
        long rank = strtol(text, &end, 10);
        if (!text[0] || *end || rank < 0 || rank >= n || seen[rank]) {
            cluster_fail(c, "rank '%s' of %s", text, name);
        }
        seen[rank] = true;
    }
}

static void expect_no_traces(struct cluster *c)
{
    const json_t *pod;
    for (size_t i = 0; (pod = cluster_at(c, "Pod", i)); i++) {
        const char *node = skr_path_text(pod, "status.nominatedNodeName");
        if (!skr_path_text(pod, "spec.nodeName")[0] && node[0]) {
            cluster_fail(c, "%s is still nominated to %s", skr_path_text(pod, "metadata.name"),
                         node);
        }
    }
}

void cluster_expect_bound(struct cluster *c, const char *map, const char *prefix, int n)
{
    cluster_wait_key(c, map, "status", "Bound");
    cluster_lock(c);
    if (count_bound(c, prefix) != (size_t)n) {
        cluster_fail(c, "%zu of %d pods %s-* are bound", count_bound(c, prefix), n, prefix);
    }
    const json_t *object = cluster_get(c, "ConfigMap", "default", map);
    const json_t *annotations = json_object_get(json_object_get(object, "metadata"), "annotations");
    if (json_object_get(annotations, "sakkara.plan")) {
        cluster_fail(c, "the plan stands in map %s although it is Bound", map);
    }
    expect_room(c);
    expect_ranks(c, prefix, n);
    expect_no_traces(c);
    cluster_unlock(c);
}
