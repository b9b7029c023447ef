/* SPDX-License-Identifier: Apache-2.0 */
/* The workload, its owners, nodes, and the webhook's start and stop. */
#include "server/lab/simulate/spotmix_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/simulate/spotmix_parts.h"
#include "server/object/path.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

enum { SETTLE_ROUNDS_MAX = 100 };

/* ---- the configuration ---- */

static int read_webhook(struct skr_spotmix_world *world, const json_t *webhook,
                        struct skr_error *error)
{
    struct skr_spotmix_settings *settings = &world->settings;
    const json_t *ttl = skr_path_get(webhook, "reservation_ttl_seconds");
    const json_t *excluded = skr_path_get(webhook, "excluded_namespaces");
    const char *preset = skr_path_text(webhook, "preset");
    const char *prefix = skr_path_text(webhook, "key_prefix");
    const char *rebuild = skr_path_text(webhook, "rebuild");
    skr_spotmix_settings_default(settings);
    settings->own_namespace = "sakkara";
    if (json_is_number(ttl) && json_number_value(ttl) >= 0 && json_number_value(ttl) < 1e9) {
        settings->reservation_ttl = (skr_time)(json_number_value(ttl) * (double)SKR_SECOND);
    }
    if (json_is_array(excluded)) {
        settings->n_excluded = 0;
        for (size_t i = 0; i < json_array_size(excluded); i++) {
            const char *name = json_string_value(json_array_get(excluded, i));
            if (name && settings->n_excluded < SKR_SPOTMIX_EXCLUDED_MAX) {
                settings->excluded[settings->n_excluded++] = name;
            }
        }
    }
    if (*preset != '\0' && !skr_spotmix_settings_preset(settings, preset)) {
        return skr_error_set_key(error, SKR_INVALID, "config.webhook.preset", "\"%s\" is none",
                                 preset);
    }
    for (int i = 0; i < SKR_SPOTMIX_REBUILD_COUNT; i++) {
        if (strcmp(rebuild, skr_spotmix_rebuild_name[i]) == 0) {
            settings->rebuild = (enum skr_spotmix_rebuild)i;
        }
    }
    const json_t *cost = skr_path_get(webhook, "rollout_cost");
    settings->rollout_cost = cost ? json_is_true(cost) : settings->rollout_cost;
    settings->key_prefix = *prefix != '\0' ? prefix : settings->key_prefix;
    return 0;
}

static const char *text_or(const json_t *object, const char *path, const char *otherwise)
{
    const char *text = skr_path_text(object, path);
    return *text != '\0' ? text : otherwise;
}

static const char *spotmix_world_kind(const struct skr_spotmix_world *world)
{
    return text_or(world->config, "workload.kind", "Deployment");
}

static bool is_workload(const struct skr_spotmix_world *world,
                        const struct skr_spotmix_sim_owner *owner)
{
    return strcmp(owner->kind, spotmix_world_kind(world)) == 0;
}

static void read_owners(struct skr_spotmix_world *world)
{
    const json_t *owners = skr_path_get(world->config, "owners");
    const char *name = text_or(world->config, "workload.name", "web");
    const size_t n = json_array_size(owners);
    world->owner = skr_alloc_array(n + 1, sizeof *world->owner);
    for (size_t i = 0; i < n; i++) {
        const json_t *from = json_array_get(owners, i);
        struct skr_spotmix_sim_owner *owner = &world->owner[world->n_owners++];
        owner->id = skr_path_text(from, "id");
        owner->kind = text_or(from, "kind", "ReplicaSet");
        owner->hash = skr_path_text(from, "hash");
        const char *given = skr_path_text(from, "name");
        if (*given != '\0') {
            snprintf(owner->name, sizeof owner->name, "%s", given);
        } else if (is_workload(world, owner)) {
            snprintf(owner->name, sizeof owner->name, "%s", name);
        } else {
            snprintf(owner->name, sizeof owner->name, "%s-%s", name,
                     *owner->hash != '\0' ? owner->hash : owner->id);
        }
        snprintf(owner->uid, sizeof owner->uid, "00000000-0000-4000-8001-%012zu", i);
    }
    if (n > 0) {
        world->owner[0].revision = 1;
        world->current = &world->owner[0];
    }
}

/* A label's value may be written as a number or a boolean. */
static void set_labels(json_t *to, const json_t *from)
{
    const char *key;
    json_t *value;
    char number[24];
    json_object_foreach(skr_object_unconst(from), key, value)
    {
        if (json_is_null(value)) {
            json_object_del(to, key);
        } else if (json_is_string(value)) {
            json_object_set(to, key, value);
        } else if (json_is_integer(value)) {
            snprintf(number, sizeof number, "%" PRId64, (int64_t)json_integer_value(value));
            json_object_set_new(to, key, json_string(number));
        } else if (json_is_boolean(value)) {
            json_object_set_new(to, key, json_string(json_is_true(value) ? "true" : "false"));
        }
    }
}

static json_t *labels_of(struct skr_spotmix_world *world)
{
    return json_object_get(json_object_get(world->workload, "metadata"), "labels");
}

static void make_workload(struct skr_spotmix_world *world)
{
    const json_t *config = skr_path_get(world->config, "workload");
    world->workload =
        json_pack("{s:{s:s, s:s, s:s, s:{}}, s:{s:I, s:{s:I}}}", "metadata", "namespace",
                  text_or(config, "namespace", "default"), "name", text_or(config, "name", "web"),
                  "uid", SKR_SPOTMIX_WORKLOAD_UID, "labels", "spec", "replicas",
                  (json_int_t)skr_path_int(config, "replicas", 1), "ordinals", "start",
                  (json_int_t)skr_path_int(config, "ordinals_start", 0));
    const json_t *labels = skr_path_get(config, "labels");
    if (json_is_object(labels)) {
        set_labels(labels_of(world), labels);
    }
}

int skr_spotmix_world_init(struct skr_spotmix_world *world, const json_t *config,
                           struct skr_strbuf *messages, struct skr_error *error)
{
    const json_t *nodes = skr_path_get(config, "nodes");
    *world = (struct skr_spotmix_world){
        .config = config, .now = SKR_SPOTMIX_SIM_BEGIN, .nodes = {1, 1}, .messages = messages};
    const int rc = read_webhook(world, skr_path_get(config, "webhook"), error);
    if (rc != 0) {
        return rc;
    }
    if (nodes) {
        world->nodes[SKR_SPOTMIX_ON_DEMAND] = skr_path_int(nodes, "on_demand", 0);
        world->nodes[SKR_SPOTMIX_SPOT] = skr_path_int(nodes, "spot", 0);
    }
    read_owners(world);
    make_workload(world);
    struct skr_spotmix_keys keys;
    const int named = skr_spotmix_keys_init(&keys, world->settings.key_prefix, error);
    if (named != 0) {
        return named;
    }
    skr_spotmix_world_start(world, NULL);
    return 0;
}

void skr_spotmix_world_fini(struct skr_spotmix_world *world)
{
    skr_spotmix_world_stop(world, NULL);
    for (size_t i = 0; i < world->n_pods; i++) {
        free(world->pod[i]->alias);
        json_decref(world->pod[i]->object);
        json_decref(world->pod[i]->reviewed);
        json_decref(world->pod[i]->warnings);
        json_decref(world->pod[i]->patch);
        free(world->pod[i]);
    }
    free(world->pod);
    free(world->owner);
    json_decref(world->workload);
}

/* ---- objects for the webhook's caches ---- */

static enum skr_spotmix_kind kind_of(const char *kind)
{
    return strcmp(kind, "Deployment") == 0    ? SKR_SPOTMIX_DEPLOYMENT
           : strcmp(kind, "StatefulSet") == 0 ? SKR_SPOTMIX_STATEFUL_SET
           : strcmp(kind, "ReplicaSet") == 0  ? SKR_SPOTMIX_REPLICA_SET
                                              : SKR_SPOTMIX_KIND_COUNT;
}

/* The workload itself under the owner's name, or a ReplicaSet of it. */
static void put_owner(struct skr_spotmix_world *world, const struct skr_spotmix_sim_owner *owner)
{
    const enum skr_spotmix_kind kind = kind_of(owner->kind);
    const int64_t replicas =
        owner == world->current ? skr_path_int(world->workload, "spec.replicas", 1) : 0;
    json_t *object;
    if (kind == SKR_SPOTMIX_KIND_COUNT || kind == SKR_SPOTMIX_DEPLOYMENT) {
        return;
    }
    if (is_workload(world, owner)) {
        object = json_deep_copy(world->workload);
        json_t *meta = json_object_get(object, "metadata");
        json_object_set_new(meta, "uid", json_string(owner->uid));
        json_object_set_new(meta, "name", json_string(owner->name));
    } else {
        json_t *controller =
            strcmp(spotmix_world_kind(world), "Deployment") != 0
                ? json_array()
                : json_pack("[{s:s, s:s, s:s, s:s, s:b}]", "apiVersion", "apps/v1", "kind",
                            "Deployment", "name", skr_path_text(world->workload, "metadata.name"),
                            "uid", SKR_SPOTMIX_WORKLOAD_UID, "controller", 1);
        char revision[24] = "";
        snprintf(revision, sizeof revision, "%" PRId64, owner->revision);
        object = json_pack("{s:{s:s, s:s, s:s, s:{}, s:o}, s:{s:I}}", "metadata", "namespace",
                           skr_path_text(world->workload, "metadata.namespace"), "name",
                           owner->name, "uid", owner->uid, "annotations", "ownerReferences",
                           controller, "spec", "replicas", (json_int_t)replicas);
        if (owner->revision > 0) {
            json_object_set_new(json_object_get(json_object_get(object, "metadata"), "annotations"),
                                "deployment.kubernetes.io/revision", json_string(revision));
        }
        json_t *annotations = json_object();
        const char *cost =
            skr_path_annotation(skr_path_get(world->config, "template"), SKR_SPOTMIX_COST_KEY);
        if (cost) {
            json_object_set_new(annotations, SKR_SPOTMIX_COST_KEY, json_string(cost));
        }
        json_object_set_new(json_object_get(object, "spec"), "template",
                            json_pack("{s:{s:o}}", "metadata", "annotations", annotations));
    }
    skr_bug_on(!object);
    skr_spotmix_put(world->mix, kind, object);
    json_decref(object);
}

static void put_workload(struct skr_spotmix_world *world)
{
    const enum skr_spotmix_kind kind = kind_of(spotmix_world_kind(world));
    if (!world->mix) {
        return;
    }
    if (kind == SKR_SPOTMIX_DEPLOYMENT) {
        skr_spotmix_put(world->mix, kind, world->workload);
    }
    for (size_t i = 0; i < world->n_owners; i++) {
        put_owner(world, &world->owner[i]);
    }
}

/* The label that puts a node into the class; NULL: none. */
static const char *node_label(const struct skr_spotmix_world *world, enum skr_spotmix_class class_)
{
    const struct skr_spotmix_expression *expression = &world->settings.expression[class_];
    return strcmp(expression->op, "In") == 0 && expression->n > 0 ? expression->value[0]
           : strcmp(expression->op, "DoesNotExist") == 0          ? NULL
                                                                  : "on-demand";
}

static void put_nodes(struct skr_spotmix_world *world)
{
    for (int i = 0; world->mix && i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        const enum skr_spotmix_class class_ = (enum skr_spotmix_class)i;
        const char *label = node_label(world, class_);
        const char *name = skr_spotmix_class_name[class_]; /* one node stands for its class */
        json_t *labels = json_object();
        if (world->nodes[i] <= 0) {
            skr_spotmix_drop(world->mix, SKR_SPOTMIX_NODE, "", name);
            json_decref(labels);
            continue;
        }
        if (label) {
            json_object_set_new(labels, world->settings.node_key, json_string(label));
        }
        json_t *node =
            json_pack("{s:{s:s, s:o}, s:{s:[{s:s, s:s}]}}", "metadata", "name", name, "labels",
                      labels, "status", "conditions", "type", "Ready", "status", "True");
        skr_spotmix_put(world->mix, SKR_SPOTMIX_NODE, node);
        json_decref(node);
    }
}

void skr_spotmix_world_stop(struct skr_spotmix_world *world, const json_t *event)
{
    (void)event;
    skr_spotmix_destroy(world->mix);
    world->mix = NULL;
}

void skr_spotmix_world_start(struct skr_spotmix_world *world, const json_t *event)
{
    skr_spotmix_world_stop(world, event);
    skr_bug_on(skr_spotmix_create(&world->settings, &world->mix, NULL) != 0);
    put_workload(world);
    put_nodes(world);
    for (size_t i = 0; i < world->n_pods; i++) {
        struct skr_spotmix_sim_pod *pod = world->pod[i];
        pod->observed |= pod->persisted;
        if (pod->persisted && !pod->gone) {
            skr_spotmix_put(world->mix, SKR_SPOTMIX_POD, pod->object);
        }
    }
}

/* ---- changes ---- */

void skr_spotmix_world_set_nodes(struct skr_spotmix_world *world, const json_t *nodes)
{
    int64_t *count = world->nodes;
    count[SKR_SPOTMIX_ON_DEMAND] = skr_path_int(nodes, "on_demand", count[SKR_SPOTMIX_ON_DEMAND]);
    count[SKR_SPOTMIX_SPOT] = skr_path_int(nodes, "spot", count[SKR_SPOTMIX_SPOT]);
    put_nodes(world);
}

void skr_spotmix_world_label(struct skr_spotmix_world *world, const json_t *labels)
{
    if (json_is_object(labels)) {
        set_labels(labels_of(world), labels);
    }
    put_workload(world);
}

struct skr_spotmix_sim_owner *skr_spotmix_world_owner(const struct skr_spotmix_world *world,
                                                      const char *id)
{
    for (size_t i = 0; i < world->n_owners; i++) {
        if (strcmp(world->owner[i].id, id) == 0) {
            return &world->owner[i];
        }
    }
    return NULL;
}

void skr_spotmix_world_rollout(struct skr_spotmix_world *world, struct skr_spotmix_sim_owner *owner)
{
    int64_t highest = 0;
    for (size_t i = 0; i < world->n_owners; i++) {
        highest = world->owner[i].revision > highest ? world->owner[i].revision : highest;
    }
    if (world->current != owner) {
        owner->revision = highest + 1;
        world->current = owner;
        put_workload(world);
    }
}

void skr_spotmix_world_scale(struct skr_spotmix_world *world, int64_t replicas)
{
    size_t live = 0;
    json_object_set_new(json_object_get(world->workload, "spec"), "replicas",
                        json_integer(replicas));
    for (size_t i = 0; i < world->n_pods; i++) {
        live += skr_spotmix_sim_pod_is_live(world->pod[i]) && world->pod[i]->owner;
    }
    world->surplus = (int64_t)live > replicas ? live - (size_t)(replicas > 0 ? replicas : 0) : 0;
    put_workload(world);
}

/* ---- other components ---- */

static void apply_fix(void *context, const struct skr_spotmix_fix *fix)
{
    struct skr_spotmix_world *world = context;
    const struct skr_spotmix_keys *keys = skr_spotmix_keys(world->mix);
    char number[16];
    world->settled = false;
    for (size_t i = 0; i < world->n_pods; i++) {
        json_t *object = world->pod[i]->object;
        if (!world->pod[i]->persisted ||
            strcmp(skr_path_text(object, "metadata.uid"), fix->uid) != 0) {
            continue;
        }
        json_t *meta = json_object_get(object, "metadata");
        if (fix->class_ != SKR_SPOTMIX_NO_CLASS) {
            json_object_set_new(skr_path_own(meta, "labels"), keys->class_,
                                json_string(skr_spotmix_class_name[fix->class_]));
        }
        if (fix->index >= 0) {
            snprintf(number, sizeof number, "%" PRId32, fix->index);
            json_object_set_new(skr_path_own(meta, "labels"), keys->index, json_string(number));
        }
        if (fix->cost) {
            json_object_set_new(skr_path_own(meta, "annotations"), SKR_SPOTMIX_COST_KEY,
                                json_string(fix->cost));
        }
    }
}

/* Binds pods that fit only one class of nodes; the node of other pods is unknown here. */
static void bind(struct skr_spotmix_world *world, struct skr_spotmix_sim_pod *pod)
{
    struct skr_spotmix_classes classes;
    const json_t *spec = json_object_get(pod->object, "spec");
    int found = -1, n = 0;
    if (!skr_spotmix_sim_pod_is_live(pod) || *skr_path_text(spec, "nodeName") != '\0') {
        return;
    }
    skr_spotmix_classes_init(&classes, &world->settings);
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        if (world->nodes[i] > 0 &&
            skr_spotmix_class_is_possible(&classes, spec, (enum skr_spotmix_class)i)) {
            found = i;
            n++;
        }
    }
    skr_spotmix_classes_fini(&classes);
    if (n == 1) {
        const char *node = skr_spotmix_class_name[found];
        json_object_set_new(skr_path_own(pod->object, "spec"), "nodeName", json_string(node));
        json_object_set_new(pod->object, "status",
                            json_pack("{s:s, s:[{s:s, s:s}]}", "phase", "Running", "conditions",
                                      "type", "Ready", "status", "True"));
    }
}

void skr_spotmix_world_settle(struct skr_spotmix_world *world)
{
    for (size_t i = 0; i < world->n_pods; i++) {
        bind(world, world->pod[i]);
    }
    const struct skr_spotmix_settling settling = {
        .now = SKR_TIME_NEVER, .emit = apply_fix, .context = world};
    for (int round = 0; world->mix && round < SETTLE_ROUNDS_MAX; round++) {
        for (size_t i = 0; i < world->n_pods; i++) {
            const struct skr_spotmix_sim_pod *pod = world->pod[i];
            if (pod->persisted && pod->observed && !pod->gone) {
                const char *uid = skr_path_text(pod->object, "metadata.uid");
                skr_spotmix_put(world->mix, SKR_SPOTMIX_POD, pod->object);
                skr_spotmix_fixed(world->mix, uid, true);
            }
        }
        world->settled = true;
        (void)skr_spotmix_settle(world->mix, &settling);
        if (world->settled) {
            break;
        }
    }
}

size_t skr_spotmix_world_wrong(const struct skr_spotmix_world *world, const char **ret, size_t max)
{
    struct skr_spotmix_row *row;
    struct skr_spotmix_pod_row *pod;
    const size_t n_rows = skr_spotmix_rows(world->mix, &row);
    size_t n = 0;
    for (size_t r = 0; r < n_rows; r++) {
        const size_t n_pods = skr_spotmix_pod_rows(world->mix, row[r].key, &pod);
        for (size_t i = 0; i < n_pods && n < max; i++) {
            if (pod[i].wrong && pod[i].standing == SKR_SPOTMIX_WRONG_INDEX) {
                ret[n++] = pod[i].uid;
            }
        }
        for (size_t i = n_pods; i-- > 0 && n < max;) { /* those that are too many: from the end */
            if (pod[i].wrong && pod[i].standing == SKR_SPOTMIX_SURPLUS) {
                ret[n++] = pod[i].uid;
            }
        }
        free(pod);
    }
    free(row);
    return n;
}
