/* SPDX-License-Identifier: Apache-2.0 */
/* Validates metadata of all objects (apimachinery pkg/api/validation/objectmeta.go), and kinds
 * other than pods, as far as errors would change a run. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/store/store_parts.h"
#include "server/object/names.h"
#include "server/object/pairs.h"

enum { ANNOTATIONS_BYTES_MAX = 256 * 1024 };

/* ---- metadata ---- */

static bool is_label_kind(const char *kind)
{
    return strcmp(kind, "Namespace") == 0 || strcmp(kind, "Service") == 0;
}

static void validate_name(const struct skr_store_resource *resource, const json_t *meta,
                          struct skr_causes *causes)
{
    const char *name = skr_path_text(meta, "name");
    const char *problem =
        is_label_kind(resource->kind) ? skr_name_dns_label(name) : skr_name_dns_subdomain(name);
    if (*name == '\0') {
        skr_causes_required(causes, "metadata.name", "name or generateName is required");
    } else if (problem) {
        skr_causes_invalid_text(causes, "metadata.name", name, problem);
    }
}

/* known, here and below: a valid value in the same place; NULL: none. */
static void validate_labels(const json_t *labels, const json_t *known, struct skr_causes *causes)
{
    struct skr_pairs p = skr_pairs_of(labels, known);
    while (skr_pairs_next(&p)) {
        if (p.value == p.other) {
            continue;
        }
        const char *text = json_string_value(p.value);
        const char *problem = skr_name_qualified(p.key);
        if (problem) {
            skr_causes_invalid_text(causes, "metadata.labels", p.key, problem);
        }
        problem = skr_name_label_value(text ? text : "");
        if (problem) {
            skr_causes_invalid_text(causes, "metadata.labels", text, problem);
        }
    }
}

static void validate_annotation_key(const char *key, struct skr_causes *causes)
{
    char lower[512];
    (void)snprintf(lower, sizeof lower, "%s", key);
    for (char *c = lower; *c != '\0'; c++) {
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    }
    const char *problem = skr_name_qualified(lower);
    if (problem) {
        skr_causes_invalid_text(causes, "metadata.annotations", key, problem);
    }
}

static void validate_annotations(const json_t *annotations, const json_t *known,
                                 struct skr_causes *causes)
{
    struct skr_pairs p = skr_pairs_of(annotations, known);
    size_t bytes = 0;
    while (skr_pairs_next(&p)) {
        if (!p.other) {
            validate_annotation_key(p.key, causes);
        }
        bytes += strlen(p.key) + json_string_length(p.value);
    }
    if (bytes > ANNOTATIONS_BYTES_MAX) {
        skr_causes_add(causes, "FieldValueTooLong", "metadata.annotations",
                       "Too long: may not be more than %d bytes", ANNOTATIONS_BYTES_MAX);
    }
}

static void validate_owners(const json_t *owners, const json_t *known, struct skr_causes *causes)
{
    (void)known;
    static const char *const required[] = {"apiVersion", "kind", "name", "uid"};
    size_t controllers = 0;
    char field[96];

    for (size_t i = 0; i < json_array_size(owners); i++) {
        const json_t *owner = json_array_get(owners, i);
        for (size_t r = 0; r < sizeof required / sizeof *required; r++) {
            if (*skr_path_text(owner, required[r]) == '\0') {
                (void)snprintf(field, sizeof field, "metadata.ownerReferences[%zu].%s", i,
                               required[r]);
                skr_causes_invalid_text(causes, field, "", "must not be empty");
            }
        }
        controllers += skr_path_true(owner, "controller") ? 1 : 0;
    }
    if (controllers > 1) {
        skr_causes_invalid(causes, "metadata.ownerReferences", owners,
                           "Only one reference can have Controller set to true");
    }
}

static void validate_finalizers(const json_t *finalizers, const json_t *known,
                                struct skr_causes *causes)
{
    (void)known;
    for (size_t i = 0; i < json_array_size(finalizers); i++) {
        const char *name = json_string_value(json_array_get(finalizers, i));
        const char *problem = name ? skr_name_qualified(name) : "must be a string";
        if (problem) {
            skr_causes_invalid_text(causes, "metadata.finalizers", name ? name : "", problem);
        }
    }
}

void skr_validate_meta(const struct skr_store_resource *resource, const json_t *object,
                       const json_t *before, const json_t *known, struct skr_causes *causes)
{
    static const struct {
        const char *field;
        void (*validate)(const json_t *value, const json_t *known, struct skr_causes *causes);
    } parts[] = {{"labels", validate_labels},
                 {"annotations", validate_annotations},
                 {"ownerReferences", validate_owners},
                 {"finalizers", validate_finalizers}};
    const json_t *meta = json_object_get(object, "metadata");
    const json_t *old = json_object_get(before, "metadata");
    const json_t *valid = json_object_get(known, "metadata");

    if (!old || json_object_get(meta, "name") != json_object_get(old, "name")) {
        validate_name(resource, meta, causes);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *value = json_object_get(meta, parts[i].field);
        const json_t *there = value ? json_object_get(valid, parts[i].field) : NULL;
        if (value && value != there) {
            parts[i].validate(value, there, causes);
        }
    }
}

void skr_validate_meta_update(const json_t *object, const json_t *before, struct skr_causes *causes)
{
    static const char *const fixed[] = {"name",
                                        "namespace",
                                        "uid",
                                        "creationTimestamp",
                                        "deletionTimestamp",
                                        "deletionGracePeriodSeconds"};
    const json_t *meta = json_object_get(object, "metadata");
    const json_t *old = json_object_get(before, "metadata");
    const json_t *finalizers = json_object_get(meta, "finalizers");
    char field[96];
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const json_t *a = json_object_get(meta, fixed[i]);
        const json_t *b = json_object_get(old, fixed[i]);
        if (a != b && json_equal(a, b) != 1) {
            (void)snprintf(field, sizeof field, "metadata.%s", fixed[i]);
            skr_causes_invalid(causes, field, a, "field is immutable");
        }
    }
    if (!json_object_get(old, "deletionTimestamp")) {
        return;
    }
    for (size_t i = 0; i < json_array_size(finalizers); i++) {
        const char *name = json_string_value(json_array_get(finalizers, i));
        if (name && !skr_path_holds(json_object_get(old, "finalizers"), name)) {
            skr_causes_add(causes, "FieldValueForbidden", "metadata.finalizers",
                           "Forbidden: no new finalizers can be added if the object is being "
                           "deleted, found new finalizers []string{\"%s\"}",
                           name);
        }
    }
}

/* ---- kinds ---- */

static void fixed_field(const json_t *object, const json_t *before, const char *path,
                        struct skr_causes *causes)
{
    const json_t *a = skr_path_get(object, path);
    const json_t *b = skr_path_get(before, path);
    if (a != b && json_equal(a, b) != 1) {
        skr_causes_invalid(causes, path, a, "field is immutable");
    }
}

static void not_negative(const json_t *object, const char *path, struct skr_causes *causes)
{
    if (skr_path_int(object, path, 0) < 0) {
        skr_causes_invalid(causes, path, skr_path_get(object, path),
                           "must be greater than or equal to 0");
    }
}

static void validate_selector(const json_t *selector, const char *path, struct skr_causes *causes)
{
    struct skr_selector *compiled = NULL;
    struct skr_error error = {.code = SKR_OK};
    if (skr_selector_of_json(selector, path, &compiled, &error) != 0) {
        skr_causes_invalid(causes, path, selector, error.text);
    }
    skr_selector_destroy(compiled);
}

/* Whether spec.selector exists, is not empty and matches the template. */
static void validate_workload(const json_t *object, const json_t *before, struct skr_causes *causes)
{
    const json_t *selector = skr_path_get(object, "spec.selector");
    const json_t *labels = skr_path_get(object, "spec.template.metadata.labels");
    const char *restart = skr_path_text(object, "spec.template.spec.restartPolicy");
    struct skr_selector *compiled = NULL;
    not_negative(object, "spec.replicas", causes);
    not_negative(object, "spec.ordinals.start", causes);
    if (!selector) {
        skr_causes_required(causes, "spec.selector", "");
    } else if (json_object_size(selector) == 0) {
        skr_causes_invalid(causes, "spec.selector", selector,
                           "empty selector is invalid for deployment");
    } else if (skr_selector_of_json(selector, "spec.selector", &compiled, NULL) != 0) {
        validate_selector(selector, "spec.selector", causes);
    } else if (!skr_selector_matches_labels(compiled, labels)) {
        skr_causes_invalid(causes, "spec.template.metadata.labels", labels,
                           "`selector` does not match template `labels`");
    }
    skr_selector_destroy(compiled);
    if (before) {
        fixed_field(object, before, "spec.selector", causes);
    }
    skr_validate_pod_spec(skr_path_get(object, "spec.template.spec"), "spec.template.spec", causes);
    skr_causes_unless_one_of(causes, "spec.template.spec.restartPolicy", restart, "\"Always\"");
}

static void validate_stateful_set(const json_t *object, const json_t *before,
                                  struct skr_causes *causes)
{
    static const char *const fixed[] = {"spec.serviceName", "spec.podManagementPolicy"};
    validate_workload(object, before, causes);
    if (json_array_size(skr_path_get(object, "spec.volumeClaimTemplates")) > 0) {
        skr_causes_forbidden(causes, "spec.volumeClaimTemplates",
                             "the simulated cluster has no volumes");
    }
    for (size_t i = 0; before && i < sizeof fixed / sizeof *fixed; i++) {
        fixed_field(object, before, fixed[i], causes);
    }
}

static void validate_job_support(const json_t *job, struct skr_causes *causes)
{
    static const char *const missing[] = {"spec.podFailurePolicy", "spec.successPolicy"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        if (skr_path_get(job, missing[i])) {
            skr_causes_forbidden(causes, missing[i], "the simulated cluster does not support it");
        }
    }
}

static void validate_failures_by_index(const json_t *job, struct skr_causes *causes)
{
    static const char *const fields[] = {"spec.backoffLimitPerIndex", "spec.maxFailedIndexes"};
    const bool indexed = strcmp(skr_path_text(job, "spec.completionMode"), "Indexed") == 0;
    const json_t *most = skr_path_get(job, fields[1]);
    for (size_t i = 0; i < 2; i++) {
        if (!indexed && skr_path_get(job, fields[i])) {
            skr_causes_invalid(causes, fields[i], skr_path_get(job, fields[i]),
                               "requires indexed completion mode");
        }
    }
    if (skr_path_get(job, fields[0]) && skr_path_int(job, "spec.completions", 0) > 100000) {
        skr_causes_forbidden(causes, fields[0],
                             "the simulated cluster supports it up to 100000 completions");
    }
    if (most && !skr_path_get(job, fields[0])) {
        skr_causes_required(causes, fields[0], "when maxFailedIndexes is specified");
    }
    if (most && indexed && json_integer_value(most) > skr_path_int(job, "spec.completions", 0)) {
        skr_causes_invalid(causes, fields[1], most, "must be less than or equal to completions");
    }
}

static void validate_job_update(const json_t *job, const json_t *before, struct skr_causes *causes)
{
    const bool indexed = strcmp(skr_path_text(job, "spec.completionMode"), "Indexed") == 0;
    const bool started = skr_path_get(before, "status.startTime");
    fixed_field(job, before, "spec.selector", causes);
    fixed_field(job, before, "spec.completionMode", causes);
    fixed_field(job, before, "spec.backoffLimitPerIndex", causes);
    /* An indexed Job may be resized if both numbers stay equal. */
    if (!indexed ||
        skr_path_int(job, "spec.completions", 0) != skr_path_int(job, "spec.parallelism", 0)) {
        fixed_field(job, before, "spec.completions", causes);
    }
    /* The scheduling directives of a suspended Job may change before its first start. */
    if (started || !skr_path_true(before, "spec.suspend")) {
        fixed_field(job, before, "spec.template", causes);
    }
}

static void validate_job(const json_t *job, const json_t *before, struct skr_causes *causes)
{
    static const char *const numbers[] = {"spec.completions",
                                          "spec.parallelism",
                                          "spec.backoffLimit",
                                          "spec.activeDeadlineSeconds",
                                          "spec.ttlSecondsAfterFinished",
                                          "spec.backoffLimitPerIndex",
                                          "spec.maxFailedIndexes"};
    const char *restart = skr_path_text(job, "spec.template.spec.restartPolicy");
    const char *mode = skr_path_text(job, "spec.completionMode");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        not_negative(job, numbers[i], causes);
    }
    skr_causes_unless_one_of(causes, "spec.completionMode", mode, "\"Indexed\", \"NonIndexed\"");
    if (strcmp(mode, "Indexed") == 0 && !skr_path_get(job, "spec.completions")) {
        skr_causes_required(causes, "spec.completions", "when completion mode is Indexed");
    }
    validate_job_support(job, causes);
    validate_failures_by_index(job, causes);
    skr_validate_pod_spec(skr_path_get(job, "spec.template.spec"), "spec.template.spec", causes);
    if (*restart == '\0') {
        skr_causes_required(causes, "spec.template.spec.restartPolicy",
                            "valid values: \"OnFailure\", \"Never\"");
    } else {
        skr_causes_unless_one_of(causes, "spec.template.spec.restartPolicy", restart,
                                 "\"OnFailure\", \"Never\"");
    }
    if (before) {
        validate_job_update(job, before, causes);
    }
}

static void validate_configmap(const json_t *map, const json_t *before, struct skr_causes *causes)
{
    static const char *const parts[] = {"data", "binaryData"};
    const char *key;
    json_t *value;
    char field[320];
    for (size_t i = 0; i < 2; i++) {
        json_object_foreach(json_object_get(map, parts[i]), key, value)
        {
            const char *problem = skr_name_config_key(key);
            if (problem) {
                (void)snprintf(field, sizeof field, "%s[%.256s]", parts[i], key);
                skr_causes_invalid_text(causes, field, key, problem);
            }
        }
        if (before && skr_path_true(before, "immutable")) {
            const json_t *a = json_object_get(map, parts[i]);
            const json_t *b = json_object_get(before, parts[i]);
            if (a != b && json_equal(a, b) != 1) {
                skr_causes_forbidden(causes, parts[i],
                                     "field is immutable when `immutable` is set");
            }
        }
    }
    if (before && skr_path_true(before, "immutable") && !skr_path_true(map, "immutable")) {
        skr_causes_forbidden(causes, "immutable", "field is immutable when `immutable` is set");
    }
}

static void validate_node(const json_t *node, const json_t *before, struct skr_causes *causes)
{
    const json_t *taints = skr_path_get(node, "spec.taints");
    char field[64];
    for (size_t i = 0; i < json_array_size(taints); i++) {
        const json_t *taint = json_array_get(taints, i);
        const char *effect = skr_path_text(taint, "effect");
        const char *problem = skr_name_qualified(skr_path_text(taint, "key"));
        if (problem) {
            (void)snprintf(field, sizeof field, "spec.taints[%zu].key", i);
            skr_causes_invalid_text(causes, field, skr_path_text(taint, "key"), problem);
        }
        (void)snprintf(field, sizeof field, "spec.taints[%zu].effect", i);
        skr_causes_unless_one_of(causes, field, effect,
                                 "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"");
    }
    if (before && skr_path_get(before, "spec.providerID")) {
        fixed_field(node, before, "spec.providerID", causes);
    }
}

/* A number >= 0, or a percentage up to 100. */
static void validate_share(const json_t *object, const char *path, struct skr_causes *causes)
{
    const json_t *value = skr_path_get(object, path);
    const char *text = json_string_value(value);
    char *end;
    if (json_is_integer(value)) {
        not_negative(object, path, causes);
    } else if (text) {
        const long share = strtol(text, &end, 10);
        if (end == text || strcmp(end, "%") != 0 || share < 0 || share > 100) {
            skr_causes_invalid(causes, path, value,
                               "a valid percent string must be a numeric string followed by an "
                               "ending '%' (e.g. '1%' or '93%'), from 0% to 100%");
        }
    }
}

static void validate_budget(const json_t *budget, const json_t *before, struct skr_causes *causes)
{
    (void)before;
    if (skr_path_get(budget, "spec.minAvailable") && skr_path_get(budget, "spec.maxUnavailable")) {
        skr_causes_invalid(causes, "spec", skr_path_get(budget, "spec"),
                           "minAvailable and maxUnavailable cannot be both set");
    }
    validate_share(budget, "spec.minAvailable", causes);
    validate_share(budget, "spec.maxUnavailable", causes);
    validate_selector(skr_path_get(budget, "spec.selector"), "spec.selector", causes);
}

static void validate_priority_class(const json_t *object, const json_t *before,
                                    struct skr_causes *causes)
{
    enum { USER_MAX = 1000000000 };
    const int64_t value = skr_path_int(object, "value", 0);
    const char *name = skr_path_text(object, "metadata.name");
    const char *policy = skr_path_text(object, "preemptionPolicy");
    if (strncmp(name, "system-", 7) != 0 && value > USER_MAX) {
        skr_causes_add(causes, "FieldValueForbidden", "value",
                       "Forbidden: maximum allowed value of a user defined priority is %d",
                       USER_MAX);
    }
    if (value < INT_MIN || value > INT_MAX) {
        skr_causes_invalid(causes, "value", json_object_get(object, "value"),
                           "does not fit into 32 bits");
    }
    skr_causes_unless_one_of(causes, "preemptionPolicy", policy,
                             "\"PreemptLowerPriority\", \"Never\"");
    if (before && skr_path_int(before, "value", 0) != value) {
        skr_causes_forbidden(causes, "value", "may not be changed in an update.");
    }
}

static void validate_lease(const json_t *lease, const json_t *before, struct skr_causes *causes)
{
    (void)before;
    if (skr_path_get(lease, "spec.leaseDurationSeconds") &&
        skr_path_int(lease, "spec.leaseDurationSeconds", 0) <= 0) {
        skr_causes_invalid(causes, "spec.leaseDurationSeconds",
                           skr_path_get(lease, "spec.leaseDurationSeconds"),
                           "must be greater than 0");
    }
}

static void validate_pod_object(const json_t *pod, const json_t *before, struct skr_causes *causes)
{
    if (!before) {
        skr_validate_pod(pod, causes);
    } else {
        skr_validate_pod_update(pod, before, causes);
    }
}

void skr_validate_object(const struct skr_store_resource *resource, const json_t *object,
                         const json_t *before, struct skr_causes *causes)
{
    static const struct {
        const char *kind;
        void (*validate)(const json_t *object, const json_t *before, struct skr_causes *causes);
    } table[] = {
        {"ConfigMap", validate_configmap},
        {"DaemonSet", validate_workload},
        {"Deployment", validate_workload},
        {"Job", validate_job},
        {"Lease", validate_lease},
        {"Node", validate_node},
        {"Pod", validate_pod_object},
        {"PodDisruptionBudget", validate_budget},
        {"PriorityClass", validate_priority_class},
        {"ReplicaSet", validate_workload},
        {"Secret", validate_configmap},
        {"StatefulSet", validate_stateful_set},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].kind, resource->kind) == 0) {
            table[i].validate(object, before, causes);
        }
    }
}
