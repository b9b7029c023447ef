/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the sandbox and its proxy, and what users do with it. */
#include "test/integration/cluster.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void cluster_deny(struct cluster *c, const char *text)
{
    cluster_lock(c);
    (void)snprintf(c->denied, sizeof c->denied, "%s", text);
    cluster_unlock(c);
}

void cluster_lack(struct cluster *c, const char *text)
{
    cluster_lock(c);
    (void)snprintf(c->missing, sizeof c->missing, "%s", text);
    cluster_unlock(c);
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

const char *cluster_namespace_of(const char *kind)
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
    cluster_patch_locked(c, kind, cluster_namespace_of(kind), name, json);
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
    c->compacted = skr_store_revision(c->store);
}

void cluster_delete(struct cluster *c, const char *kind, const char *name)
{
    cluster_lock(c);
    cluster_delete_locked(c, kind, cluster_namespace_of(kind), name);
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
