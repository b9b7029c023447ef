/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dump as a cluster that stands still: its objects go to an engine of our own, at the latest time
 * that is written in them, so that ages are as of the dump. What the engine would do is thrown
 * away: no write is answered, its timer never rings. Solves are run only when somebody asks why a
 * group is not placed: then the engine plans once, a second later, whatever is due.
 *
 * Topology maps are looked for where the dump has them: in "default", else in the namespace of the
 * first one by name.
 */
#include <stdlib.h>
#include <string.h>

#include "server/client/source.h"
#include "server/kube/decode.h"
#include "server/manifest/manifest.h"
#include "server/object/selector.h"
#include "topology/base/arena.h"
#include "topology/topology_map.h"

struct skr_dump {
    struct skr_manifests manifests;
    struct skr_settings settings;
    struct skr_gang *engine;
    skr_time now;
    struct skr_solve_request **solve; /* asked for, oldest first */
    size_t n_solves, cap_solves;
    bool planned;
    struct skr_strbuf *explanation; /* that is asked for; NULL: it is answered, or none is */
    enum skr_explain_status status;
};

/* ---- what is in it ---- */

static const struct {
    const char *api_version, *kind;
} kinds[] = {
    [SKR_KUBE_NODE] = {"v1", "Node"},
    [SKR_KUBE_POD] = {"v1", "Pod"},
    [SKR_KUBE_CONFIGMAP] = {"v1", "ConfigMap"},
    [SKR_KUBE_PODGROUP] = {"scheduling.x-k8s.io/v1alpha1", "PodGroup"},
};
_Static_assert(sizeof kinds / sizeof *kinds == SKR_KUBE_KIND_COUNT, "one row a kind");

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* SKR_KUBE_KIND_COUNT: of no use here. */
static enum skr_kube_kind kind_of(const json_t *object)
{
    int kind = 0;
    while (kind < SKR_KUBE_KIND_COUNT &&
           (strcmp(text_of(object, "kind"), kinds[kind].kind) != 0 ||
            strcmp(text_of(object, "apiVersion"), kinds[kind].api_version) != 0)) {
        kind++;
    }
    return (enum skr_kube_kind)kind;
}

static int check(void *context, const json_t *object, struct skr_error *error)
{
    const enum skr_kube_kind kind = kind_of(object);
    struct skr_kube_identity identity;
    struct skr_event event;
    (void)context;
    if (kind == SKR_KUBE_KIND_COUNT) {
        return 0;
    }
    int rc = skr_kube_identity_parse(object, &identity, error);
    rc = rc < 0 ? rc : skr_kube_decode(kind, object, &event, error);
    if (rc == 0) {
        skr_kube_event_fini(&event);
    }
    return rc;
}

/* ---- time ---- */

static void note_time(struct skr_dump *dump, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    skr_time t;
    if (text && skr_time_parse(text, &t, NULL) == 0 && t > dump->now) {
        dump->now = t;
    }
}

static void note_times(struct skr_dump *dump, const json_t *object)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const json_t *status = json_object_get(object, "status"), *item;
    size_t i;
    note_time(dump, metadata, "creationTimestamp");
    note_time(dump, status, "startTime");
    note_time(dump, json_object_get(object, "data"), "schedEndTime");
    json_array_foreach(json_object_get(metadata, "managedFields"), i, item)
    {
        note_time(dump, item, "time");
    }
    json_array_foreach(json_object_get(status, "conditions"), i, item)
    {
        note_time(dump, item, "lastTransitionTime");
        note_time(dump, item, "lastHeartbeatTime");
    }
}

/* ---- the engine ---- */

static void choose_topology_namespace(struct skr_dump *dump)
{
    const char *best = NULL;
    for (size_t i = 0; i < dump->manifests.n; i++) {
        const json_t *object = dump->manifests.item[i].object;
        const json_t *metadata = json_object_get(object, "metadata");
        const char *name = text_of(metadata, "namespace");
        if (kind_of(object) != SKR_KUBE_CONFIGMAP ||
            !json_object_get(json_object_get(metadata, "labels"), SKR_TOPOLOGY_LABEL)) {
            continue;
        }
        if (strcmp(name, dump->settings.topology_namespace) == 0) {
            return;
        }
        best = !best || strcmp(name, best) < 0 ? name : best;
    }
    if (best) {
        dump->settings.topology_namespace = best;
    }
}

static void take_action(struct skr_dump *dump, const struct skr_action *action)
{
    if (action->kind == SKR_ACTION_SOLVE) {
        skr_grow(&dump->solve, &dump->cap_solves, dump->n_solves + 1, sizeof *dump->solve);
        dump->solve[dump->n_solves++] = action->solve;
    } else if (action->kind == SKR_ACTION_EXPLAIN && dump->explanation) {
        skr_strbuf_addn(dump->explanation, action->explain.json, action->explain.json_len);
        dump->status = action->explain.status;
        dump->explanation = NULL;
    }
}

static void handle(struct skr_dump *dump, struct skr_event *event, struct skr_actions *actions)
{
    /* A moment later than all that is written, to be told apart from it. */
    skr_engine_handle(dump->engine, event, dump->now + 1, actions);
    for (size_t i = 0; i < actions->n; i++) {
        take_action(dump, &actions->item[i]);
    }
    skr_actions_reset(actions);
}

/* The oldest solve; false: there is none. */
static bool run_solve(struct skr_dump *dump, struct skr_actions *actions)
{
    struct skr_event event = {.kind = SKR_EVENT_SOLVED};
    if (dump->n_solves == 0) {
        return false;
    }
    struct skr_solve_request *request = dump->solve[0];
    dump->n_solves--;
    memmove(dump->solve, dump->solve + 1, dump->n_solves * sizeof *dump->solve);
    event.solved.solve = request->id;
    if (skr_solve(&request->problem, &event.solved.solution, &event.solved.error) < 0) {
        event.solved.solution = NULL;
    }
    handle(dump, &event, actions);
    skr_solve_request_destroy(request);
    return true;
}

static void feed(struct skr_dump *dump)
{
    struct skr_actions actions;
    struct skr_error error;
    skr_actions_init(&actions);
    for (size_t i = 0; i < dump->manifests.n; i++) {
        const json_t *object = dump->manifests.item[i].object;
        const enum skr_kube_kind kind = kind_of(object);
        struct skr_event event;
        if (kind != SKR_KUBE_KIND_COUNT && skr_kube_decode(kind, object, &event, &error) == 0) {
            handle(dump, &event, &actions);
        }
    }
    struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    handle(dump, &synced, &actions);
    skr_actions_fini(&actions);
}

static int finish(struct skr_dump *dump, int rc, const char *name, struct skr_dump **ret,
                  struct skr_error *error)
{
    if (rc < 0) {
        skr_dump_destroy(dump);
        return skr_error_set(error, rc == -SKR_NOT_FOUND ? SKR_NOT_FOUND : SKR_INVALID,
                             "%.200s cannot be read as a dump", name);
    }
    skr_settings_default(&dump->settings);
    choose_topology_namespace(dump);
    for (size_t i = 0; i < dump->manifests.n; i++) {
        note_times(dump, dump->manifests.item[i].object);
    }
    dump->now = dump->now > 0 ? dump->now : SKR_SECOND;
    dump->engine = skr_engine_create(&dump->settings);
    feed(dump);
    *ret = dump;
    return 0;
}

int skr_dump_read(const char *path, struct skr_dump **ret, struct skr_strbuf *messages,
                  struct skr_error *error)
{
    struct skr_dump *dump = skr_alloc(sizeof *dump);
    skr_manifests_init(&dump->manifests);
    int rc = skr_manifests_read(&dump->manifests, path, check, NULL, messages);
    return finish(dump, rc, path, ret, error);
}

int skr_dump_parse(const char *name, const char *text, size_t n, struct skr_dump **ret,
                   struct skr_strbuf *messages, struct skr_error *error)
{
    struct skr_dump *dump = skr_alloc(sizeof *dump);
    skr_manifests_init(&dump->manifests);
    int rc = skr_manifests_parse(&dump->manifests, name, text, n, check, NULL, messages);
    return finish(dump, rc, name, ret, error);
}

void skr_dump_destroy(struct skr_dump *dump)
{
    if (!dump) {
        return;
    }
    for (size_t i = 0; i < dump->n_solves; i++) {
        skr_solve_request_destroy(dump->solve[i]);
    }
    free(dump->solve);
    skr_engine_destroy(dump->engine);
    skr_manifests_fini(&dump->manifests);
    free(dump);
}

/* ---- answers ---- */

static bool selects(void *context, const struct skr_labels *labels)
{
    return skr_selector_matches_list(context, labels);
}

/* Everybody who waits is planned for, in the engine's order. */
static void plan(struct skr_dump *dump, struct skr_actions *actions)
{
    struct skr_event timer = {.kind = SKR_EVENT_TIMER};
    if (dump->planned) {
        return;
    }
    dump->planned = true;
    dump->now += SKR_SECOND;
    handle(dump, &timer, actions);
    while (run_solve(dump, actions)) {
    }
}

/* path: "NAMESPACE/NAME". HTTP status. */
static int explain(struct skr_dump *dump, const char *path, struct skr_strbuf *out)
{
    static const int codes[] = {
        [SKR_EXPLAIN_FOUND] = 200, [SKR_EXPLAIN_NOT_FOUND] = 404, [SKR_EXPLAIN_NOT_NOW] = 503};
    const char *slash = strchr(path, '/');
    struct skr_actions actions;
    if (!slash) {
        skr_view_write_status(out, 404, "sakkara: no such path; it is /v1/explain/NAMESPACE/NAME");
        return 404;
    }
    char *namespace_ = skr_strdup(path);
    namespace_[slash - path] = '\0';
    struct skr_event event = {
        .kind = SKR_EVENT_EXPLAIN, .namespace_ = namespace_, .name = slash + 1};
    skr_actions_init(&actions);
    plan(dump, &actions);
    dump->explanation = out;
    handle(dump, &event, &actions);
    while (dump->explanation && run_solve(dump, &actions)) {
    }
    skr_actions_fini(&actions);
    free(namespace_);
    skr_bug_on(dump->explanation);
    return codes[dump->status];
}

static int answer(struct skr_dump *dump, const struct skr_view_query *query, struct skr_strbuf *out)
{
    static const char path[] = "/v1/explain/";
    return strncmp(query->path, path, sizeof path - 1) == 0
               ? explain(dump, query->path + sizeof path - 1, out)
               : skr_engine_view(dump->engine, query, dump->now, out);
}

int skr_source_dump(struct skr_dump *dump, const struct skr_view_query *query,
                    struct skr_strbuf *out, struct skr_error *error)
{
    struct skr_view_query asked = *query;
    struct skr_selector *selector = NULL;
    const char *text = query->argument[SKR_VIEW_SELECTOR];
    struct skr_error why = {0};
    if (text && *text) {
        if (skr_selector_parse_labels(text, &selector, &why) < 0) {
            return skr_error_set(error, SKR_INVALID, "labelSelector: %.200s", why.text);
        }
        asked.selects = selects;
        asked.context = selector;
    }
    const int status = answer(dump, &asked, out);
    skr_selector_destroy(selector);
    if (status == 200) {
        return 0;
    }
    json_t *json = json_loads(out->s, 0, NULL);
    int rc = skr_source_refused(status, text_of(json, "message"), error);
    json_decref(json);
    return rc;
}
