/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifests to a store: what kinds count, in which order they are created, and what is worth a
 * warning. Objects are checked by the decoders of engine and scheduler while the text is at hand.
 */
#include "server/simulate/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/group/podgroup.h"
#include "core/pod/pod.h"
#include "server/model/scheduler.h"
#include "server/object/path.h"
#include "server/simulate/scenario.h"
#include "topology/base/arena.h"

#define FIRST_START ((skr_time)1735689600 * SKR_SECOND) /* 2025-01-01 00:00:00 UTC */

enum { TICK_EVERY = 10000, NAMES_TRIED_MAX = 1000000, WARNED_MAX = 64 };

/* The kinds that matter, in the order of creation: what others need comes first. */
static const struct kind {
    const char *api_version;
    const char *kind;
    const char *template_path; /* of the pods it makes; NULL: makes none */
} kinds[] = {
    {"v1", "Namespace", NULL},
    {"scheduling.k8s.io/v1", "PriorityClass", NULL},
    {"v1", "Node", NULL},
    {"v1", "ConfigMap", NULL},
    {"scheduling.x-k8s.io/v1alpha1", "PodGroup", NULL},
    {"policy/v1", "PodDisruptionBudget", NULL},
    {"v1", "Pod", NULL},
    {"batch/v1", "Job", "spec.template"},
    {"apps/v1", "StatefulSet", "spec.template"},
    {"apps/v1", "Deployment", "spec.template"},
    {"apps/v1", "ReplicaSet", "spec.template"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const struct kind *find_kind(const char *kind)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].kind, kind) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static const struct kind *kind_of(const json_t *object)
{
    const struct kind *kind = find_kind(skr_path_text(object, "kind"));
    bool same = kind && strcmp(kind->api_version, skr_path_text(object, "apiVersion")) == 0;
    return same ? kind : NULL;
}

const struct skr_store_resource *skr_simulate_resource(const char *kind)
{
    const struct kind *known = find_kind(kind);
    return known ? skr_store_resource_of_kind(known->api_version, known->kind) : NULL;
}

void skr_simulate_input_init(struct skr_simulate_input *input)
{
    *input = (struct skr_simulate_input){.start = FIRST_START};
    skr_manifests_init(&input->manifests);
}

void skr_simulate_input_fini(struct skr_simulate_input *input)
{
    skr_manifests_fini(&input->manifests);
    free(input->step);
    input->step = NULL;
}

/* ---- checks ---- */

static int check_pod(const json_t *pod, struct skr_error *error)
{
    struct skr_pod *decoded;
    if (skr_pod_decode(pod, &decoded, error) < 0) {
        return -(int)error->code;
    }
    skr_pod_destroy(decoded);
    return 0;
}

static int check_template(const json_t *object, const char *path, struct skr_error *error)
{
    const json_t *template = skr_path_get(object, path);
    if (!json_is_object(template)) {
        return skr_error_set(error, SKR_INVALID, "%s: missing", path);
    }
    json_t *pod = json_pack("{s:O?, s:{s:s}}", "spec", json_object_get(template, "spec"),
                            "metadata", "name", "template");
    int rc = check_pod(pod, error);
    json_decref(pod);
    if (rc < 0) {
        char text[sizeof error->text];
        snprintf(text, sizeof text, "%s", error->text);
        return skr_error_set(error, error->code, "%s.%.220s", path, text);
    }
    return 0;
}

static int check_decodes(const json_t *object, const char *kind, struct skr_error *error)
{
    int rc = 0;
    if (strcmp(kind, "Node") == 0) {
        struct skr_node *node = NULL;
        rc = skr_node_decode(object, &node, error);
        skr_node_destroy(node);
    } else if (strcmp(kind, "ConfigMap") == 0) {
        struct skr_configmap *map = NULL;
        rc = skr_configmap_decode(object, &map, error);
        skr_configmap_destroy(map);
    } else if (strcmp(kind, "PodGroup") == 0) {
        struct skr_podgroup *group = NULL;
        rc = skr_podgroup_decode(object, &group, error);
        skr_podgroup_destroy(group);
    } else if (strcmp(kind, "Pod") == 0) {
        rc = check_pod(object, error);
    }
    return rc;
}

static int check(void *context, const json_t *object, struct skr_error *error)
{
    if (skr_scenario_is(object)) {
        return skr_scenario_check(object, check, context, error);
    }
    const struct kind *kind = kind_of(object);
    if (!kind) {
        return 0;
    }
    const json_t *meta = json_object_get(object, "metadata");
    if (!json_is_object(meta)) {
        return skr_error_set(error, SKR_INVALID, "metadata: missing");
    }
    /* YAML reads an unquoted y, n, on, 1 as something else than a string. */
    const json_t *name = json_object_get(meta, "name");
    if (name && !json_is_string(name)) {
        return skr_error_set(error, SKR_INVALID, "metadata.name: a string is expected, in quotes");
    }
    if (!skr_path_text(meta, "name")[0] && !skr_path_text(meta, "generateName")[0]) {
        return skr_error_set(error, SKR_INVALID, "metadata.name: missing");
    }
    return kind->template_path ? check_template(object, kind->template_path, error)
                               : check_decodes(object, kind->kind, error);
}

int skr_simulate_input_check(const json_t *object, struct skr_error *error)
{
    return check(NULL, object, error);
}

const char *skr_simulate_template_path(const json_t *object)
{
    const struct kind *kind = kind_of(object);
    if (kind && kind->template_path) {
        return kind->template_path;
    }
    return kind && strcmp(kind->kind, "Pod") == 0 ? "" : NULL;
}

int skr_simulate_input_read(struct skr_simulate_input *input, const char *path,
                            struct skr_strbuf *errors)
{
    return skr_manifests_read(&input->manifests, path, check, NULL, errors);
}

int skr_simulate_input_parse(struct skr_simulate_input *input, const char *name, const char *text,
                             size_t n, struct skr_strbuf *errors)
{
    return skr_manifests_parse(&input->manifests, name, text, n, check, NULL, errors);
}

/* ---- warnings ---- */

struct warned {
    char text[WARNED_MAX][256];
    size_t n;
};

/* Once a text; beyond WARNED_MAX different ones silence. */
static void warn(struct warned *warned, const struct skr_manifest *manifest, const char *text,
                 struct skr_strbuf *out)
{
    for (size_t i = 0; i < warned->n; i++) {
        if (strcmp(warned->text[i], text) == 0) {
            return;
        }
    }
    if (warned->n == WARNED_MAX) {
        return;
    }
    snprintf(warned->text[warned->n++], sizeof warned->text[0], "%s", text);
    skr_strbuf_addf(out, "%s:%zu:%zu: warning: %s\n", manifest->file, manifest->line,
                    manifest->column, text);
}

static bool allows_pods(const json_t *node)
{
    const json_t *allocatable = skr_path_get(node, "status.allocatable");
    const json_t *from = allocatable ? allocatable : skr_path_get(node, "status.capacity");
    return json_object_get(from, "pods");
}

static void warn_about(struct warned *warned, const struct skr_manifest *manifest,
                       struct skr_strbuf *out)
{
    char text[256];
    const json_t *object = manifest->object;
    const struct kind *kind = kind_of(object);
    if (!kind) {
        snprintf(text, sizeof text, "kind %.64s of %.96s is ignored", skr_path_text(object, "kind"),
                 skr_path_text(object, "apiVersion"));
        warn(warned, manifest, text, out);
        return;
    }
    if (strcmp(kind->kind, "Node") == 0 && !allows_pods(object)) {
        warn(warned, manifest,
             "a node without \"pods\" in status.allocatable: kube-scheduler puts nothing on it",
             out);
    }
    bool is_pod = strcmp(kind->kind, "Pod") == 0;
    const json_t *pod = kind->template_path ? skr_path_get(object, kind->template_path) : object;
    const char *what = is_pod || kind->template_path ? skr_scheduler_unmodelled(pod) : NULL;
    if (what && !skr_path_text(pod, "spec.nodeName")[0]) {
        snprintf(text, sizeof text, "%s is not simulated: such pods are placed without it", what);
        warn(warned, manifest, text, out);
    }
}

static int by_time(const void *a, const void *b)
{
    const struct skr_simulate_step *s = a, *t = b;
    if (s->at != t->at) {
        return s->at < t->at ? -1 : 1;
    }
    if (s->where != t->where) {
        return s->where < t->where ? -1 : 1;
    }
    return s->number < t->number ? -1 : s->number > t->number;
}

void skr_simulate_input_finish(struct skr_simulate_input *input, struct skr_strbuf *warnings)
{
    struct warned *warned = skr_alloc(sizeof *warned);
    for (size_t i = 0; i < input->manifests.n; i++) {
        const struct skr_manifest *manifest = &input->manifests.item[i];
        skr_time created;
        if (skr_scenario_is(manifest->object)) {
            skr_scenario_add_steps(input, manifest);
            continue;
        }
        warn_about(warned, manifest, warnings);
        const char *text = skr_path_text(manifest->object, "metadata.creationTimestamp");
        if (text[0] && skr_time_parse(text, &created, NULL) == 0 && created >= input->start) {
            input->start = created - created % SKR_SECOND + SKR_SECOND;
        }
    }
    if (input->n_steps > 0) {
        qsort(input->step, input->n_steps, sizeof *input->step, by_time);
    }
    free(warned);
}

/* ---- creating ---- */

/* metadata.name from generateName: the first that is free. */
static int make_name(json_t *object, const struct skr_store_resource *resource,
                     struct skr_store *store, struct skr_error *error)
{
    char name[256];
    json_t *meta = json_object_get(object, "metadata");
    const char *base = skr_path_text(meta, "generateName");
    const char *namespace_ = skr_path_text(meta, "namespace");
    bool is_pod = strcmp(resource->kind, "Pod") == 0;
    size_t n = strlen(base);
    n -= n > 0 && base[n - 1] == '-' ? 1 : 0;
    for (int i = is_pod ? 0 : 1; i < NAMES_TRIED_MAX; i++) {
        if (i == 1 && !is_pod) {
            snprintf(name, sizeof name, "%.*s", (int)n, base);
        } else {
            snprintf(name, sizeof name, "%.*s-%d", (int)n, base, i);
        }
        if (!skr_store_get(store, resource->kind, namespace_, name)) {
            json_object_del(meta, "generateName");
            json_object_set_new(meta, "name", json_string(name));
            return 0;
        }
    }
    return skr_error_set(error, SKR_LIMIT, "metadata.generateName: no free name");
}

int skr_simulate_create(const json_t *object, struct skr_store *store, skr_time now,
                        struct skr_error *error)
{
    const struct skr_store_resource *resource =
        skr_simulate_resource(skr_path_text(object, "kind"));
    if (!resource) {
        return skr_error_set(error, SKR_INVALID, "kind: \"%.64s\" cannot be created",
                             skr_path_text(object, "kind"));
    }
    json_t *copy = json_copy((json_t *)(uintptr_t)object);
    json_t *meta = json_copy(json_object_get(object, "metadata"));
    int rc = 0;
    json_object_set_new(copy, "metadata", meta);
    if (resource->namespaced && !skr_path_text(meta, "namespace")[0]) {
        json_object_set_new(meta, "namespace", json_string("default"));
    }
    if (!skr_path_text(meta, "name")[0]) {
        rc = make_name(copy, resource, store, error);
    }
    const char *name = skr_path_text(meta, "name");
    if (rc == 0 && skr_store_get(store, resource->kind, skr_path_text(meta, "namespace"), name)) {
        rc = skr_error_set(error, SKR_CONFLICT, "%s \"%.128s\" exists", resource->kind, name);
    }
    if (rc == 0 && skr_store_put(store, copy, now, error) >= 400) {
        rc = -(int)error->code;
    }
    json_decref(copy);
    return rc;
}

int skr_simulate_input_load(const struct skr_simulate_input *input, struct skr_store *store,
                            skr_time now, void (*tick)(void *context), void *context,
                            struct skr_strbuf *errors)
{
    struct skr_error error;
    size_t made = 0;
    int rc = 0;
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < input->manifests.n; i++) {
            const struct skr_manifest *manifest = &input->manifests.item[i];
            if (kind_of(manifest->object) != &kinds[k]) {
                continue;
            }
            if (skr_simulate_create(manifest->object, store, now, &error) < 0) {
                skr_strbuf_addf(errors, "%s:%zu:%zu: %s\n", manifest->file, manifest->line,
                                manifest->column, error.text);
                rc = -SKR_INVALID;
            }
            if (++made % TICK_EVERY == 0) {
                tick(context);
            }
        }
    }
    return rc;
}
