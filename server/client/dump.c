/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dump is a cluster that stands still. Its objects go to a private engine at the latest time that
 * is written in them, so ages are as of the dump. Actions of the engine are discarded: no write is
 * answered, and its timer never fires. Solves run only for an explanation: then the engine plans
 * once, a second later, everything that is due.
 *
 * Topology maps are read from "default", or else from the first namespace by name that has one.
 */
#include <stdlib.h>
#include <string.h>

#include "core/frame/engine.h"
#include "core/gang/scheduler.h"
#include "core/gang/state/requests.h"
#include "core/gang/state/types.h"
#include "server/client/source.h"
#include "server/config/config.h"
#include "server/kube/decode.h"
#include "server/manifest/dump_kinds.h"
#include "server/manifest/manifest.h"
#include "server/object/selector.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"
#include "topology/topology_map.h"

struct skr_dump {
    struct skr_manifests manifests;
    struct skr_config *config;
    struct skr_settings settings;
    struct skr_engine *engine;
    skr_time now;
    struct skr_work **work; /* asked for, oldest first */
    size_t n_works, cap_works;
    const struct skr_object_type **list; /* kinds that the engine has asked for */
    size_t n_lists, cap_lists;
    bool planned;
    bool without_maps;              /* topology maps of the file do not count */
    struct skr_strbuf *explanation; /* that is asked for; NULL: it is answered, or none is */
    enum skr_explain_status status;
};

/* ---- what is in it ---- */

/* NULL: of no use here. */
static const struct skr_object_type *type_of(const json_t *object)
{
    return skr_gang_type_of(skr_object_text(object, "apiVersion"), skr_object_text(object, "kind"));
}

static int check(void *context, const json_t *object, struct skr_error *error)
{
    const struct skr_object_type *type = type_of(object);
    struct skr_event event;
    (void)context;
    if (!type) {
        return 0;
    }
    if (skr_object_text(json_object_get(object, "metadata"), "name")[0] == '\0') {
        return skr_error_set(error, SKR_INVALID, "an object without metadata.name");
    }
    int rc = skr_kube_decode(type, object, &event, error);
    if (rc == 0) {
        skr_event_fini(&event);
    }
    return rc;
}

/* Files that users write leave the namespace out: it is that of `kubectl apply`. */
static void place_in_default(const json_t *object)
{
    const struct skr_object_type *type = type_of(object);
    json_t *metadata = json_object_get(object, "metadata");
    if (type && type->resource->namespaced && skr_object_text(metadata, "namespace")[0] == '\0') {
        json_object_set_new(metadata, "namespace", json_string("default"));
    }
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

static bool is_topology_map(const json_t *object)
{
    const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    return type_of(object) == &skr_gang_configmap && json_object_get(labels, SKR_TOPOLOGY_LABEL);
}

static void choose_topology_namespace(struct skr_dump *dump)
{
    const char *best = NULL;
    for (size_t i = 0; i < dump->manifests.n; i++) {
        const json_t *object = dump->manifests.item[i].object;
        const json_t *metadata = json_object_get(object, "metadata");
        const char *name = skr_object_text(metadata, "namespace");
        if (!is_topology_map(object)) {
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

static void take_answer(struct skr_dump *dump, const struct skr_answer *answer)
{
    if (answer->kind == SKR_ANSWER_EXPLANATION && dump->explanation) {
        skr_strbuf_addn(dump->explanation, answer->explanation.json, answer->explanation.json_len);
        dump->status = answer->explanation.status;
        dump->explanation = NULL;
    }
}

static void take_action(struct skr_dump *dump, const struct skr_action *action)
{
    if (action->kind == SKR_ACTION_WORK) {
        skr_grow(&dump->work, &dump->cap_works, dump->n_works + 1, sizeof *dump->work);
        dump->work[dump->n_works++] = action->work;
    } else if (action->kind == SKR_ACTION_ANSWER) {
        take_answer(dump, action->answer.body);
    } else if (action->kind == SKR_ACTION_WATCH) {
        skr_grow(&dump->list, &dump->cap_lists, dump->n_lists + 1, sizeof *dump->list);
        dump->list[dump->n_lists++] = action->watch;
    }
}

static void handle(struct skr_dump *dump, struct skr_event *event, struct skr_actions *actions)
{
    /* A moment later than every time in the dump, so that it differs from them. */
    skr_engine_handle(dump->engine, event, dump->now + 1, actions);
    for (size_t i = 0; i < actions->n; i++) {
        take_action(dump, &actions->item[i]);
    }
    skr_actions_reset(actions);
}

/* The oldest solve; false: there is none. */
static bool run_solve(struct skr_dump *dump, struct skr_actions *actions)
{
    if (dump->n_works == 0) {
        return false;
    }
    struct skr_work *work = dump->work[0];
    struct skr_event event = {.kind = SKR_EVENT_WORK_DONE, .work = work};
    dump->n_works--;
    memmove(dump->work, dump->work + 1, dump->n_works * sizeof *dump->work);
    work->type->run(work, NULL);
    handle(dump, &event, actions);
    return true;
}

static void feed(struct skr_dump *dump)
{
    struct skr_actions actions;
    struct skr_error error;
    skr_actions_init(&actions);
    for (size_t i = 0; i < dump->manifests.n; i++) {
        const json_t *object = dump->manifests.item[i].object;
        const struct skr_object_type *type = type_of(object);
        struct skr_event event;
        const bool counts = !dump->without_maps || !is_topology_map(object);
        if (type && counts && skr_kube_decode(type, object, &event, &error) == 0) {
            handle(dump, &event, &actions);
        }
    }
    struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    handle(dump, &synced, &actions);
    for (size_t i = 0; i < dump->n_lists; i++) { /* their objects are in the cache */
        struct skr_event listed = {.kind = SKR_EVENT_LISTED, .listed = dump->list[i]};
        handle(dump, &listed, &actions);
    }
    skr_actions_fini(&actions);
}

int skr_dump_read(const struct skr_client_options *options, struct skr_dump **ret,
                  struct skr_strbuf *messages, struct skr_error *error)
{
    const char *path = options->file;
    struct skr_dump *dump = skr_alloc(sizeof *dump);
    skr_manifests_init(&dump->manifests);
    int rc = skr_manifests_read(&dump->manifests, path, check, NULL, messages);
    if (rc < 0) {
        skr_dump_destroy(dump);
        return skr_error_set(error, rc == -SKR_NOT_FOUND ? SKR_NOT_FOUND : SKR_INVALID,
                             "%.200s cannot be read as a dump", path);
    }
    dump->config = skr_config_default();
    skr_bug_on(!dump->config);
    dump->settings = dump->config->settings;
    dump->settings.preemption = false; /* what is asked is about the cluster as it is */
    dump->settings.forecasts = 0;      /* of `sakkara simulate timeline` */
    dump->settings.nothing_asks = true;
    dump->settings.label_levels = options->label_levels;
    dump->without_maps = options->levels_first;
    for (size_t i = 0; i < dump->manifests.n; i++) {
        place_in_default(dump->manifests.item[i].object);
    }
    choose_topology_namespace(dump);
    struct skr_dump_kinds kinds = {.kubelet = 0};
    for (size_t i = 0; i < dump->manifests.n; i++) {
        note_times(dump, dump->manifests.item[i].object);
        skr_dump_kinds_add(&kinds, dump->manifests.item[i].object);
    }
    skr_dump_kinds_apply(&kinds, &dump->settings);
    skr_dump_kinds_note(&kinds, messages);
    dump->now = dump->now > 0 ? dump->now : SKR_SECOND;
    dump->engine = skr_engine_create(&skr_gang_scheduler, &dump->settings, dump->settings.instance);
    feed(dump);
    *ret = dump;
    return 0;
}

const struct skr_manifests *skr_dump_objects(const struct skr_dump *dump)
{
    return &dump->manifests;
}

void skr_dump_destroy(struct skr_dump *dump)
{
    if (!dump) {
        return;
    }
    for (size_t i = 0; i < dump->n_works; i++) {
        skr_work_destroy(dump->work[i]);
    }
    free(dump->work);
    free(dump->list);
    skr_engine_destroy(dump->engine);
    skr_config_destroy(dump->config);
    skr_manifests_fini(&dump->manifests);
    free(dump);
}

/* ---- answers ---- */

static bool selects(void *context, const struct skr_labels *labels)
{
    return skr_selector_matches_list(context, labels);
}

/* All groups that wait are planned, in the engine's order. */
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
static int explain(struct skr_dump *dump, const char *path, bool preempt, struct skr_strbuf *out)
{
    const char *slash = strchr(path, '/');
    struct skr_actions actions;
    if (!slash) {
        skr_view_write_status(out, 404, "sakkara: no such path; it is /v1/explain/NAMESPACE/NAME");
        return 404;
    }
    char *namespace_ = skr_strdup(path);
    namespace_[slash - path] = '\0';
    const struct skr_explain_request request = {
        .namespace_ = namespace_, .name = slash + 1, .preempt = preempt, .standing = true};
    struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                              .request = {.id = 1, .verb = SKR_GANG_EXPLAIN, .body = &request}};
    skr_actions_init(&actions);
    plan(dump, &actions);
    dump->explanation = out;
    handle(dump, &event, &actions);
    while (dump->explanation && run_solve(dump, &actions)) {
    }
    skr_actions_fini(&actions);
    free(namespace_);
    skr_bug_on(dump->explanation);
    return skr_explain_code(dump->status);
}

static int answer(struct skr_dump *dump, const struct skr_view_query *query, struct skr_strbuf *out)
{
    static const char path[] = "/v1/explain/";
    return strncmp(query->path, path, sizeof path - 1) == 0
               ? explain(dump, query->path + sizeof path - 1, query->argument[SKR_VIEW_PREEMPT],
                         out)
               : skr_gang_view(skr_engine_self(dump->engine), query, dump->now, out);
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
    json_auto_t *json = json_loads(out->s, 0, NULL);
    return skr_source_refused(status, skr_object_text(json, "message"), error);
}
