/* SPDX-License-Identifier: Apache-2.0 */
/* Loads manifests into a store: their order of creation, and warnings. */
#include "server/lab/simulate/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pod/pod.h"
#include "server/exit_code.h"
#include "server/lab/scheduler/scheduler.h"
#include "server/lab/simulate/podless.h"
#include "server/lab/simulate/steps.h"
#include "server/manifest/dump_kinds.h"
#include "server/manifest/kinds.h"
#include "server/manifest/scenario.h"
#include "server/manifest/templates.h"
#include "server/object/path.h"
#include "topology/base/arena.h"

#define FIRST_START ((skr_time)1735689600 * SKR_SECOND) /* 2025-01-01 00:00:00 UTC */

enum { TICK_EVERY = 10000, NAMES_TRIED_MAX = 1000000, WARNED_MAX = 64 };

const struct skr_store_resource *skr_simulate_resource(const json_t *object)
{
    const struct skr_manifest_kind *known = skr_manifest_kind_of(object);
    known = known ? known : skr_manifest_kind_find(skr_path_text(object, "kind"), "");
    return known ? skr_store_resource_of_kind(known->api_version, known->kind) : NULL;
}

struct skr_config *skr_simulate_config(const char *path, struct skr_strbuf *messages)
{
    struct skr_findings findings;
    struct skr_config *config = NULL;
    skr_findings_init(&findings);
    (void)skr_config_load_set(path, NULL, 0, &config, &findings);
    skr_findings_write(&findings, path ? path : "defaults", messages);
    return config;
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

int skr_simulate_input_read(struct skr_simulate_input *input, const char *path,
                            struct skr_strbuf *errors)
{
    return skr_manifests_read(&input->manifests, path, skr_manifest_check_object, NULL, errors);
}

int skr_simulate_input_read_all(struct skr_simulate_input *input, const char *const *path, size_t n,
                                struct skr_strbuf *errors)
{
    int code = SKR_EXIT_OK;
    for (size_t i = 0; i < n; i++) {
        const int one = skr_exit_code_of(skr_simulate_input_read(input, path[i], errors));
        code = code == SKR_EXIT_OK ? one : code;
    }
    return code;
}

int skr_simulate_input_parse(struct skr_simulate_input *input, const char *name, const char *text,
                             size_t n, struct skr_strbuf *errors)
{
    return skr_manifests_parse(&input->manifests, name, text, n, skr_manifest_check_object, NULL,
                               errors);
}

/* ---- warnings ---- */

struct warned {
    char text[WARNED_MAX][256];
    size_t n;
    struct skr_resource_names *resources; /* offered by nodes */
};

/* Once per text; after WARNED_MAX different texts none. */
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

/* Rules about other pods apply to members of groups; the simulated kube-scheduler, which places all
 * other pods, ignores them. */
static bool is_planned_with(const json_t *pod, const char *what)
{
    const json_t *labels = skr_path_get(pod, "metadata.labels");
    bool member =
        json_object_get(labels, SKR_LABEL_GROUP) || json_object_get(labels, SKR_LABEL_POD_GROUP);
    return member && (strncmp(what, "affinity.pod", strlen("affinity.pod")) == 0 ||
                      strcmp(what, "topologySpreadConstraints") == 0);
}

/* The daemon would refuse such a node, as kube-scheduler's model does: all names count, whenever
 * their nodes exist. The node was decoded when it was read; only its allocatable matters here. */
static void warn_about_names(struct warned *warned, const struct skr_manifest *manifest,
                             struct skr_strbuf *out)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_quantities allocatable;
    struct skr_amounts offer = {0, NULL};
    struct skr_error error;
    char text[256];
    if (!arena || skr_quantities_decode(arena, skr_path_get(manifest->object, "status.allocatable"),
                                        "status.allocatable", &allocatable, NULL) < 0) {
        return;
    }
    if (skr_resource_names_offer(warned->resources, &allocatable, &offer, &error) < 0) {
        snprintf(text, sizeof text, "node %.63s: %.120s; nothing is placed on it",
                 skr_path_text(manifest->object, "metadata.name"), error.text);
        warn(warned, manifest, text, out);
    }
    skr_amounts_fini(&offer);
}

/* A kind without a model. What it makes is not known; in a dump its pods are there. */
static void warn_about_kind(struct skr_simulate_input *input, struct warned *warned,
                            const struct skr_manifest *manifest, struct skr_strbuf *out)
{
    char text[256];
    SKR_AUTO_FREE struct skr_template *template =
        skr_alloc_array(SKR_TEMPLATES_MAX, sizeof *template);
    const bool has_pods = !skr_path_text(manifest->object, "metadata.uid")[0] &&
                          skr_templates_find(manifest->object, template) > 0;
    const char *version = skr_path_text(manifest->object, "apiVersion");
    char group[128];
    snprintf(group, sizeof group, "%.*s", (int)(strcspn(version, "/") + 1), version);
    const struct skr_manifest_kind *other =
        skr_manifest_kind_find(skr_path_text(manifest->object, "kind"), group);
    /* versions of kubeflow.org are of different operators */
    const bool near = other && strchr(group, '/') && strcmp(group, "kubeflow.org/") != 0;
    snprintf(text, sizeof text, "kind %.64s of %.96s is %s%s",
             skr_path_text(manifest->object, "kind"), version,
             near       ? "not simulated: write apiVersion "
             : has_pods ? "not simulated: give its pods as Pods or as a Job"
                        : "ignored",
             near ? other->api_version : "");
    warn(warned, manifest, text, out);
    input->n_unplayed += has_pods || near;
}

static void warn_about(struct skr_simulate_input *input, struct warned *warned,
                       const struct skr_manifest *manifest, struct skr_strbuf *out)
{
    char text[256];
    const json_t *object = manifest->object;
    const struct skr_manifest_kind *kind = skr_manifest_kind_of(object);
    if (!kind) {
        warn_about_kind(input, warned, manifest, out);
        return;
    }
    if (strcmp(kind->kind, "Node") == 0 && !allows_pods(object)) {
        warn(warned, manifest,
             "a node without \"pods\" in status.allocatable: kube-scheduler puts nothing on it",
             out);
    }
    if (strcmp(kind->kind, "Node") == 0) {
        warn_about_names(warned, manifest, out);
    }
    bool is_pod = strcmp(kind->kind, "Pod") == 0;
    const json_t *pod = kind->template_path ? skr_path_get(object, kind->template_path) : object;
    const char *what = is_pod || kind->template_path ? skr_scheduler_unmodelled(pod) : NULL;
    if (what && !skr_path_text(pod, "spec.nodeName")[0] && !is_planned_with(pod, what)) {
        snprintf(text, sizeof text, "%s is not simulated: such pods are placed without it", what);
        warn(warned, manifest, text, out);
    }
}

/* Steps may change what a workload makes. */
static void warn_about_podless(struct skr_simulate_input *input, struct warned *warned,
                               const struct skr_manifest *manifest, struct skr_strbuf *out)
{
    char text[256];
    SKR_STRBUF(why);
    if (input->n_steps == 0 && skr_manifest_kind_of(manifest->object) &&
        skr_simulate_is_podless(manifest->object, &why)) {
        snprintf(text, sizeof text, "%s %.80s makes no pods: %s",
                 skr_path_text(manifest->object, "kind"),
                 skr_path_text(manifest->object, "metadata.name"), why.s);
        warn(warned, manifest, text, out);
        input->n_unplayed++;
    }
}

/* A CronJob of a file becomes one run of its jobTemplate, "NAME-1". One of a dump stays: the dump
 * has its runs. */
static void run_once(struct skr_manifest *manifest)
{
    json_t *object = manifest->object;
    json_t *template = json_object_get(json_object_get(object, "spec"), "jobTemplate");
    const json_t *spec = json_object_get(template, "spec");
    if (strcmp(skr_path_text(object, "kind"), "CronJob") != 0 ||
        strcmp(skr_path_text(object, "apiVersion"), "batch/v1") != 0 || !json_is_object(spec) ||
        !skr_path_text(object, "metadata.name")[0] || skr_path_text(object, "metadata.uid")[0]) {
        return;
    }
    const char *namespace_ = skr_path_text(object, "metadata.namespace");
    json_t *job = json_deep_copy(template);
    json_t *meta = json_object_get(job, "metadata");
    if (!json_is_object(meta)) {
        meta = json_object();
        json_object_set_new(job, "metadata", meta);
    }
    json_object_set_new(meta, "name",
                        json_sprintf("%.240s-1", skr_path_text(object, "metadata.name")));
    if (namespace_[0]) {
        json_object_set_new(meta, "namespace", json_string(namespace_));
    }
    json_object_set_new(job, "apiVersion", json_string("batch/v1"));
    json_object_set_new(job, "kind", json_string("Job"));
    json_decref(object);
    manifest->object = job;
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
    SKR_AUTO_FREE struct warned *warned = skr_alloc(sizeof *warned);
    warned->resources = skr_resource_names_create();
    for (size_t i = 0; i < input->manifests.n; i++) {
        struct skr_manifest *manifest = &input->manifests.item[i];
        skr_time created;
        run_once(manifest);
        if (skr_scenario_is(manifest->object)) {
            skr_simulate_steps_add(input, manifest);
            continue;
        }
        warn_about(input, warned, manifest, warnings);
        const char *text = skr_path_text(manifest->object, "metadata.creationTimestamp");
        if (text[0] && skr_time_parse(text, &created, NULL) == 0 && created >= input->start) {
            input->start = created - created % SKR_SECOND + SKR_SECOND;
        }
    }
    for (size_t i = 0; i < input->manifests.n; i++) {
        warn_about_podless(input, warned, &input->manifests.item[i], warnings);
    }
    if (input->n_steps > 0) {
        qsort(input->step, input->n_steps, sizeof *input->step, by_time);
    }
    skr_resource_names_destroy(warned->resources);
}

void skr_simulate_input_kinds(const struct skr_simulate_input *input, struct skr_settings *settings,
                              struct skr_strbuf *notes)
{
    struct skr_dump_kinds kinds = {.kubelet = 0};
    for (size_t i = 0; i < input->manifests.n; i++) {
        skr_dump_kinds_add(&kinds, input->manifests.item[i].object);
    }
    for (size_t i = 0; i < input->n_steps; i++) {
        skr_dump_kinds_add(&kinds, input->step[i].body);
    }
    skr_dump_kinds_apply(&kinds, settings);
    skr_dump_kinds_note(&kinds, notes);
}

/* ---- creating ---- */

/* metadata.name from generateName: the first unused one. */
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
        if (!skr_store_get(store, skr_store_resource_key(resource), namespace_, name)) {
            json_object_del(meta, "generateName");
            json_object_set_new(meta, "name", json_string(name));
            return 0;
        }
    }
    return skr_error_set_key(error, SKR_LIMIT, "metadata.generateName", "no free name");
}

int skr_simulate_create(const json_t *object, struct skr_store *store, skr_time now,
                        struct skr_error *error)
{
    const struct skr_store_resource *resource = skr_simulate_resource(object);
    if (!resource) {
        return skr_error_set_key(error, SKR_INVALID, "kind", "\"%.64s\" cannot be created",
                                 skr_path_text(object, "kind"));
    }
    json_auto_t *copy = json_copy((json_t *)(uintptr_t)object);
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
    if (rc == 0 && skr_store_get(store, skr_store_resource_key(resource),
                                 skr_path_text(meta, "namespace"), name)) {
        rc = skr_error_set(error, SKR_CONFLICT, "%s \"%.128s\" exists", resource->kind, name);
    }
    if (rc == 0 && skr_store_put(store, copy, now, error) >= 400) {
        rc = -(int)error->code;
    }
    return rc;
}

int skr_simulate_input_load(const struct skr_simulate_input *input, struct skr_store *store,
                            skr_time now, void (*tick)(void *context), void *context,
                            struct skr_strbuf *errors)
{
    const size_t n = input->manifests.n;
    SKR_AUTO_FREE uint8_t *kind = skr_alloc_array(n + 1, sizeof *kind);
    struct skr_error error;
    size_t made = 0;
    int rc = 0;
    for (size_t i = 0; i < n; i++) {
        const struct skr_manifest_kind *of = skr_manifest_kind_of(input->manifests.item[i].object);
        kind[i] = of ? (uint8_t)(of - skr_manifest_kinds) : SKR_MANIFEST_KINDS;
    }
    for (size_t k = 0; k < SKR_MANIFEST_KINDS; k++) {
        for (size_t i = 0; i < n; i++) {
            const struct skr_manifest *manifest = &input->manifests.item[i];
            if (kind[i] != k) {
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

void skr_simulate_input_drop(struct skr_simulate_input *input)
{
    for (size_t i = 0; i < input->manifests.n; i++) {
        struct skr_manifest *manifest = &input->manifests.item[i];
        if (!skr_scenario_is(manifest->object)) { /* its steps are added separately */
            json_decref(manifest->object);
            manifest->object = NULL;
        }
    }
}
