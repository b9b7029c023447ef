/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods, and templates of pods: whether they will be members of the group they name, and whether
 * there are as many of them as it wants. Objects that come and go later (a Scenario) take the
 * counting and the unknown names away.
 */
#include <stdio.h>
#include <string.h>

#include "core/gang/group/roles.h"
#include "core/group/label_value.h"
#include "server/lint/parts.h"
#include "server/manifest/kinds.h"
#include "topology/amount_text.h"
#include "topology/base/suggest.h"

enum { PATH_BYTES = 512, NAMES_MAX = 256 };

struct workload {
    const struct lint_object *object;
    char prefix[64]; /* "", "spec.template." */
    struct skr_pod *pod;
    const char *label; /* that names the group; NULL: none */
    const char *group;
};

static struct lint_place at(const struct workload *w, const char *path)
{
    char full[PATH_BYTES];
    (void)snprintf(full, sizeof full, "%s%.440s", w->prefix, path);
    return lint_at(w->object, full);
}

static struct lint_place at_label(const struct workload *w, const char *key)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "metadata.labels.%.300s", key);
    return at(w, path);
}

/* ---- how many pods ---- */

static int64_t number(const json_t *spec, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(spec, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

/* *path: of the field that says it. */
static int64_t count_pods(const struct lint_object *o, const char **path)
{
    const json_t *spec = json_object_get(o->json, "spec");
    if (strcmp(o->kind, "Pod") == 0) {
        *path = "metadata.name";
        return 1;
    }
    if (strcmp(o->kind, "Job") != 0) {
        *path = "spec.replicas";
        return number(spec, "replicas", 1);
    }
    const int64_t parallelism = number(spec, "parallelism", 1);
    const int64_t completions = number(spec, "completions", parallelism);
    *path = completions < parallelism ? "spec.completions" : "spec.parallelism";
    return completions < parallelism ? completions : parallelism;
}

/* ---- one pod ---- */

static void check_scheduler(struct skr_lint *lint, const struct workload *w)
{
    const struct skr_pod *pod = w->pod;
    const char *ours = lint->config->settings.scheduler_name[0];
    const char *name = pod->scheduler_name[0] ? pod->scheduler_name : "default-scheduler";
    if (lint_is_ours(lint, name)) {
        return;
    }
    if (pod->gate) {
        lint_tell(lint, w->object, "StuckGate", at(w, "spec.schedulingGates"), NULL,
                  "gate " SKR_GATE
                  " with schedulerName \"%.64s\": it is never removed (did you mean "
                  "schedulerName: %.64s?)",
                  name, ours);
    } else if (w->label && strcmp(w->label, SKR_LABEL_GROUP) == 0) {
        lint_tell(lint, w->object, "SchedulerName", at(w, "spec.schedulerName"), NULL,
                  "schedulerName \"%.64s\" is not ours: the pod is no member of group \"%.64s\" "
                  "(did you mean %.64s?)",
                  name, w->group, ours);
    }
}

static const json_t *spec_of(const struct workload *w)
{
    const json_t *pod = w->object->json;
    if (w->prefix[0]) {
        pod = json_object_get(json_object_get(pod, "spec"), "template");
    }
    return json_object_get(pod, "spec");
}

/* Written by hand: what a controller sets is not in the files. */
static void check_scheduling_group(struct skr_lint *lint, const struct workload *w)
{
    const json_t *group = json_object_get(spec_of(w), "schedulingGroup");
    if (w->label && group && !json_is_null(group)) {
        lint_tell(lint, w->object, "PodGroupOverridden", at(w, "spec.schedulingGroup"), NULL,
                  "label %s goes before spec.schedulingGroup: minCount and topology of that "
                  "PodGroup are not kept",
                  w->label);
    }
}

/* kube-apiserver refuses extended resources that are overcommitted (pkg/apis/core/validation:
 * ValidateContainerResourceRequirements). list: "containers", "initContainers". */
static void check_limits(struct skr_lint *lint, const struct workload *w, const json_t *spec,
                         const char *list)
{
    const json_t *container, *value;
    const char *name;
    size_t i;
    json_array_foreach(json_object_get(spec, list), i, container)
    {
        json_t *requests = json_object_get(json_object_get(container, "resources"), "requests");
        const json_t *limits = json_object_get(json_object_get(container, "resources"), "limits");
        json_object_foreach(requests, name, value)
        {
            char path[PATH_BYTES];
            if (!strchr(name, '/') || json_object_get(limits, name)) {
                continue;
            }
            (void)snprintf(path, sizeof path, "spec.%s[%zu].resources.requests.%.300s", list, i,
                           name);
            lint_tell(lint, w->object, "MissingLimit", at(w, path), NULL,
                      "%.128s is requested without a limit: the API server refuses the pod", name);
        }
    }
}

static void check_pod(struct skr_lint *lint, const struct workload *w)
{
    check_scheduler(lint, w);
    if (w->label && !skr_label_value_is_valid(w->group)) {
        lint_tell(lint, w->object, "InvalidName", at_label(w, w->label), NULL,
                  "label %s: \"%.64s\" cannot be the value of a label", w->label, w->group);
    }
    check_scheduling_group(lint, w);
    check_limits(lint, w, spec_of(w), "initContainers");
    check_limits(lint, w, spec_of(w), "containers");
}

/* ---- its group ---- */

static void tell_unknown_group(struct skr_lint *lint, const struct workload *w)
{
    const char *name[NAMES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < lint->n_groups && n < NAMES_MAX; i++) {
        if (strcmp(lint->group[i].object->namespace_, w->object->namespace_) == 0) {
            name[n++] = lint->group[i].spec->name;
        }
    }
    const char *near = skr_suggest(w->group, name, n);
    lint_tell(lint, w->object, "UnknownGroup", at_label(w, w->label), NULL,
              "no group \"%.64s\" in namespace %.64s%s%s%s", w->group, w->object->namespace_,
              near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

/* Requests of the first template of a group are what the others are compared with. */
static void compare(struct skr_lint *lint, struct lint_group *g, struct workload *w)
{
    const char *name;
    int64_t first, other;
    if (!g->first) {
        g->first = w->object;
        g->pod = w->pod;
        w->pod = NULL;
        return;
    }
    const char *role = skr_roles_name_of(w->pod), *of_first = skr_roles_name_of(g->pod);
    const bool one_role = role && of_first && strcmp(role, of_first) == 0;
    if (!one_role || !skr_group_names_role(g->spec, role)) {
        return; /* each is placed with its own requests */
    }
    if (skr_quantities_differ(&g->pod->shape->requests, &w->pod->shape->requests, &name, &first,
                              &other)) {
        const struct lint_place see = lint_at(g->first, "");
        SKR_STRBUF(here);
        SKR_STRBUF(there);
        skr_amount_add(&here, name, other);
        skr_amount_add(&there, name, first);
        lint_tell(lint, w->object, "PodsNotHomogeneous", at(w, "spec.containers"), &see,
                  "members of group \"%s\" request %s here, %s there", g->spec->name, here.s,
                  there.s);
    }
}

static void check_count(struct skr_lint *lint, struct lint_group *g, const struct workload *w)
{
    const char *path;
    const int64_t n = count_pods(w->object, &path);
    if (n > 0 && g->members <= INT64_MAX - n) {
        g->members += n;
    }
    const int32_t size = g->spec->open ? g->spec->most : g->spec->size; /* 0: no limit */
    if (size > 0 && n > size && !lint->has_scenario) {
        const struct lint_place see = lint_at(g->object, g->size_path);
        lint_tell(lint, w->object, "BeyondSize", lint_at(w->object, path), &see,
                  "%lld pods for group \"%s\" of size %d: %lld wait for a seat", (long long)n,
                  g->spec->name, (int)size, (long long)(n - size));
    }
}

static void check_labels_source(struct skr_lint *lint, const struct workload *w)
{
    struct lint_receiver receiver;
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
    struct skr_error error;
    char base[96];
    (void)snprintf(base, sizeof base, "%smetadata.labels", w->prefix);
    lint_receive(&receiver, lint, w->object, base);
    (void)skr_group_labels_check(w->group, &w->pod->meta.labels, &receiver.defects, &spec, &error);
}

/* Labels that make a group without any object. */
static bool has_own_rules(const struct skr_labels *labels)
{
    for (size_t i = 0; i < labels->n; i++) {
        const char *key = labels->item[i].key;
        if (strcmp(key, SKR_LABEL_GROUP_SIZE) == 0 ||
            strncmp(key, SKR_LABEL_CONSTRAINT, strlen(SKR_LABEL_CONSTRAINT)) == 0) {
            return true;
        }
    }
    return false;
}

static void check_group(struct skr_lint *lint, struct workload *w)
{
    struct lint_group *g = lint_find_group(lint, w->object->namespace_, w->group);
    if (g) {
        check_count(lint, g, w);
        compare(lint, g, w);
    } else if (has_own_rules(&w->pod->meta.labels)) {
        check_labels_source(lint, w);
    } else if (lint->n_groups > 0 && !lint->has_scenario) {
        tell_unknown_group(lint, w);
    }
}

/* ---- all of them ---- */

/* The pod, or its template with a name; NULL when there is none, or it is broken. */
static struct skr_pod *decode(const struct lint_object *o, const char *path)
{
    struct skr_pod *pod = NULL;
    struct skr_error error;
    if (path[0] == '\0') {
        return skr_pod_decode(o->json, &pod, &error) == 0 ? pod : NULL;
    }
    const json_t *template = json_object_get(json_object_get(o->json, "spec"), "template");
    json_t *meta = json_copy(json_object_get(template, "metadata"));
    meta = meta ? meta : json_object();
    json_object_set_new(meta, "name", json_string("template"));
    json_auto_t *json =
        json_pack("{s:O?, s:o}", "spec", json_object_get(template, "spec"), "metadata", meta);
    const int rc = json ? skr_pod_decode(json, &pod, &error) : -SKR_INVALID;
    return rc == 0 ? pod : NULL;
}

static void check_workload(struct skr_lint *lint, const struct lint_object *o, const char *path)
{
    char labels[96];
    struct workload w = {.object = o, .pod = decode(o, path)};
    if (!w.pod || !skr_pod_is_live(w.pod)) {
        skr_pod_destroy(w.pod);
        return;
    }
    (void)snprintf(w.prefix, sizeof w.prefix, "%s%s", path, path[0] ? "." : "");
    (void)snprintf(labels, sizeof labels, "%smetadata.labels", w.prefix);
    w.group = skr_labels_get(&w.pod->meta.labels, SKR_LABEL_GROUP);
    w.label = w.group ? SKR_LABEL_GROUP : NULL;
    if (!w.group) {
        w.group = skr_labels_get(&w.pod->meta.labels, SKR_LABEL_POD_GROUP);
        w.label = w.group ? SKR_LABEL_POD_GROUP : NULL;
    }
    if (w.pod->node_name[0] == '\0') { /* what runs is past all this */
        lint_labels(lint, o, labels, path[0] != '\0');
        check_pod(lint, &w);
    }
    if (w.group && lint_is_ours(lint, w.pod->scheduler_name)) {
        check_group(lint, &w);
    }
    skr_pod_destroy(w.pod);
}

void lint_workloads(struct skr_lint *lint)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        const char *path = skr_manifest_template_path(lint->object[i]->json);
        if (path) {
            check_workload(lint, lint->object[i], path);
        }
    }
    for (size_t i = 0; i < lint->n_groups && !lint->has_scenario; i++) {
        const struct lint_group *g = &lint->group[i];
        if (g->first && g->members < g->spec->size) {
            const struct lint_place see = lint_at(g->first, "");
            lint_tell(lint, g->object, "MembersMissing", lint_at(g->object, g->size_path), &see,
                      "group \"%s\" waits for %d members, the files make %lld", g->spec->name,
                      (int)g->spec->size, (long long)g->members);
        }
    }
}
