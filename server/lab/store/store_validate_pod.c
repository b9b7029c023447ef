/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validates pods (kubernetes pkg/apis/core/validation/validation.go): what decides their node, and
 * what may change later. An update is checked as in kube-apiserver: fields that may change are
 * reset to their old values, and then nothing may differ.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "server/lab/store/store_parts.h"
#include "server/object/names.h"
#include "server/object/pairs.h"
#include "topology/quantity.h"

struct check {
    struct skr_causes *causes;
    const char *base; /* path of the spec */
    char path[512];
};

/* "BASE.REST" */
static const char *at(struct check *c, const char *format, ...) SKR_PRINTF(2, 3);
static const char *at(struct check *c, const char *format, ...)
{
    va_list args;
    const int n = snprintf(c->path, sizeof c->path, "%s.", c->base);
    va_start(args, format);
    (void)vsnprintf(c->path + n, sizeof c->path - (size_t)n, format, args);
    va_end(args);
    return c->path;
}

/* ---- containers ---- */

/* A quantity >= 0, in thousandths, the precision of kube-apiserver. */
static bool parse_amount(const json_t *value, int64_t *ret)
{
    const char *text = json_string_value(value);
    if (json_is_integer(value)) {
        *ret = (int64_t)json_integer_value(value) <= INT64_MAX / 1000
                   ? (int64_t)json_integer_value(value) * 1000
                   : INT64_MAX;
        return *ret >= 0;
    }
    if (json_is_real(value)) {
        return json_real_value(value) >= 0 && (*ret = 1, true);
    }
    if (!text) {
        return false;
    }
    return skr_quantity_parse_milli(text, ret, NULL) == 0 && *ret >= 0;
}

static void validate_amounts(struct check *c, const json_t *resources, const char *list,
                             const char *where)
{
    const char *name;
    json_t *value;
    int64_t amount;
    json_object_foreach(json_object_get(resources, list), name, value)
    {
        if (skr_name_qualified(name)) {
            skr_causes_invalid_text(c->causes, at(c, "%s.%s", where, list), name,
                                    skr_name_qualified(name));
        } else if (!parse_amount(value, &amount)) {
            skr_causes_invalid(c->causes, at(c, "%s.%s[%s]", where, list, name), value,
                               "quantities must match the regular expression "
                               "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' and must not be "
                               "negative");
        } else if (!strchr(name, '/') && strncmp(name, "hugepages-", 10) != 0 &&
                   strcmp(name, "cpu") != 0 && strcmp(name, "memory") != 0 &&
                   strcmp(name, "ephemeral-storage") != 0) {
            skr_causes_invalid_text(c->causes, at(c, "%s.%s[%s]", where, list, name), name,
                                    "must be a standard resource type or fully qualified");
        }
    }
}

static void validate_resources(struct check *c, const json_t *resources, const char *where)
{
    const json_t *limits = json_object_get(resources, "limits");
    const char *name;
    json_t *value;
    int64_t request, limit;
    validate_amounts(c, resources, "limits", where);
    validate_amounts(c, resources, "requests", where);
    json_object_foreach(json_object_get(resources, "requests"), name, value)
    {
        const json_t *other = json_object_get(limits, name);
        const bool extended = strchr(name, '/');
        if (!other) {
            if (extended) {
                skr_causes_required(c->causes, at(c, "%s.limits", where),
                                    "Limit must be set for non overcommitable resources");
            }
            continue;
        }
        if (!parse_amount(value, &request) || !parse_amount(other, &limit)) {
            continue; /* reported above */
        }
        if (extended && request != limit) {
            skr_causes_invalid(c->causes, at(c, "%s.requests", where), value,
                               "must be equal to the limit of an extended resource");
        } else if (request > limit) {
            char why[200];
            (void)snprintf(why, sizeof why, "must be less than or equal to %.80s limit", name);
            skr_causes_invalid(c->causes, at(c, "%s.requests", where), value, why);
        }
    }
}

static void validate_container(struct check *c, const json_t *list, size_t i, const char *field)
{
    const json_t *container = json_array_get(list, i);
    const char *name = skr_path_text(container, "name");
    const char *problem = skr_name_dns_label(name);
    char where[96];
    if (*name == '\0') {
        skr_causes_required(c->causes, at(c, "%s[%zu].name", field, i), "");
    } else if (problem) {
        skr_causes_invalid_text(c->causes, at(c, "%s[%zu].name", field, i), name, problem);
    } else if (skr_path_find(list, "name", name) != container) {
        skr_causes_add(c->causes, "FieldValueDuplicate", at(c, "%s[%zu].name", field, i),
                       "Duplicate value: \"%s\"", name);
    }
    if (*skr_path_text(container, "image") == '\0') {
        skr_causes_required(c->causes, at(c, "%s[%zu].image", field, i), "");
    }
    (void)snprintf(where, sizeof where, "%s[%zu].resources", field, i);
    validate_resources(c, json_object_get(container, "resources"), where);
}

/* ---- where it may run ---- */

static void validate_gates(struct check *c, const json_t *spec)
{
    const json_t *gates = json_object_get(spec, "schedulingGates");
    for (size_t i = 0; i < json_array_size(gates); i++) {
        const char *name = skr_path_text(json_array_get(gates, i), "name");
        const char *problem = skr_name_qualified(name);
        if (problem) {
            skr_causes_invalid_text(c->causes, at(c, "schedulingGates[%zu]", i), name, problem);
        } else if (skr_path_find(gates, "name", name) != json_array_get(gates, i)) {
            skr_causes_add(c->causes, "FieldValueDuplicate", at(c, "schedulingGates[%zu]", i),
                           "Duplicate value: \"%s\"", name);
        }
    }
    if (json_array_size(gates) > 0 && *skr_path_text(spec, "nodeName") != '\0') {
        skr_causes_forbidden(c->causes, at(c, "nodeName"),
                             "cannot be set until all schedulingGates have been cleared");
    }
}

static void validate_toleration(struct check *c, const json_t *t, size_t i)
{
    const char *op = skr_path_text(t, "operator");
    const char *effect = skr_path_text(t, "effect");
    if (*op != '\0' && strcmp(op, "Lt") != 0 && strcmp(op, "Gt") != 0) {
        skr_causes_unless_one_of(c->causes, at(c, "tolerations[%zu].operator", i), op,
                                 "\"Equal\", \"Exists\"");
    }
    if (strcmp(op, "Exists") == 0 && *skr_path_text(t, "value") != '\0') {
        skr_causes_invalid(c->causes, at(c, "tolerations[%zu].operator", i),
                           json_object_get(t, "value"),
                           "value must be empty when `operator` is 'Exists'");
    }
    if (*skr_path_text(t, "key") == '\0' && strcmp(op, "Exists") != 0) {
        skr_causes_invalid_text(c->causes, at(c, "tolerations[%zu].operator", i), op,
                                "operator must be Exists when `key` is empty, which means \"match "
                                "all values and all keys\"");
    }
    if (*effect != '\0') {
        skr_causes_unless_one_of(c->causes, at(c, "tolerations[%zu].effect", i), effect,
                                 "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"");
    }
}

static void validate_node_selector(struct check *c, const json_t *spec)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(spec, "nodeSelector"), key, value)
    {
        const char *text = json_string_value(value);
        if (skr_name_qualified(key)) {
            skr_causes_invalid_text(c->causes, at(c, "nodeSelector"), key, skr_name_qualified(key));
        }
        if (text && skr_name_label_value(text)) {
            skr_causes_invalid_text(c->causes, at(c, "nodeSelector"), text,
                                    skr_name_label_value(text));
        }
    }
}

static void validate_node_affinity(struct check *c, const json_t *spec)
{
    static const char *const ops[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    const json_t *required =
        skr_path_get(spec, "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution");
    const json_t *terms = json_object_get(required, "nodeSelectorTerms");
    const char *base = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                       "nodeSelectorTerms";
    if (required && json_array_size(terms) == 0) {
        skr_causes_required(c->causes, at(c, "%s", base),
                            "must have at least one node selector term");
    }
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *list = json_object_get(json_array_get(terms, i), "matchExpressions");
        for (size_t j = 0; j < json_array_size(list); j++) {
            const char *op = skr_path_text(json_array_get(list, j), "operator");
            size_t o = 0;
            while (o < 6 && strcmp(ops[o], op) != 0) {
                o++;
            }
            if (o == 6) {
                skr_causes_invalid_text(c->causes,
                                        at(c, "%s[%zu].matchExpressions[%zu].operator", base, i, j),
                                        op, "not a valid selector operator");
            }
        }
    }
}

static bool is_in_force(const json_t *list)
{
    return list && list->refcount > 1;
}

void skr_validate_pod_spec(const json_t *spec, const char *path, struct skr_causes *causes)
{
    struct check c = {.causes = causes, .base = path};
    const json_t *containers = json_object_get(spec, "containers");
    const json_t *init = json_object_get(spec, "initContainers");
    const json_t *tolerations = json_object_get(spec, "tolerations");
    const char *restart = skr_path_text(spec, "restartPolicy");
    if (json_array_size(containers) == 0) {
        skr_causes_required(causes, at(&c, "containers"), "");
    }
    for (size_t i = 0; !is_in_force(containers) && i < json_array_size(containers); i++) {
        validate_container(&c, containers, i, "containers");
    }
    for (size_t i = 0; !is_in_force(init) && i < json_array_size(init); i++) {
        validate_container(&c, init, i, "initContainers");
    }
    if (*restart != '\0') {
        skr_causes_unless_one_of(causes, at(&c, "restartPolicy"), restart,
                                 "\"Always\", \"Never\", \"OnFailure\"");
    }
    validate_gates(&c, spec);
    for (size_t i = 0; i < json_array_size(tolerations); i++) {
        validate_toleration(&c, json_array_get(tolerations, i), i);
    }
    validate_node_selector(&c, spec);
    validate_node_affinity(&c, spec);
    validate_resources(&c, json_object_get(spec, "resources"), "resources");
}

void skr_validate_pod(const json_t *pod, struct skr_causes *causes)
{
    skr_validate_pod_spec(json_object_get(pod, "spec"), "spec", causes);
}

/* ---- updates ---- */

static const char spec_is_fixed[] =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions "
    "to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it "
    "was "
    "previously negative)";

static void check_gates_update(struct check *c, const json_t *spec, const json_t *old)
{
    const json_t *gates = json_object_get(spec, "schedulingGates");
    for (size_t i = 0; i < json_array_size(gates); i++) {
        const char *name = skr_path_text(json_array_get(gates, i), "name");
        char why[320];
        if (!skr_path_find(json_object_get(old, "schedulingGates"), "name", name)) {
            (void)snprintf(why, sizeof why,
                           "only deletion is allowed, but found new scheduling gate '%.256s'",
                           name);
            skr_causes_forbidden(c->causes, at(c, "schedulingGates[%zu].name", i), why);
        }
    }
}

/* Tolerations may be added, or change their seconds. */
static void check_tolerations_update(struct check *c, const json_t *spec, const json_t *old)
{
    const json_t *now = json_object_get(spec, "tolerations");
    const json_t *was = json_object_get(old, "tolerations");
    if (now == was) {
        return;
    }
    for (size_t i = 0; i < json_array_size(was); i++) {
        bool found = false;
        json_t *a = json_copy(json_array_get(was, i));
        json_object_del(a, "tolerationSeconds");
        for (size_t j = 0; j < json_array_size(now) && !found; j++) {
            json_t *b = json_copy(json_array_get(now, j));
            json_object_del(b, "tolerationSeconds");
            found = json_equal(a, b) == 1;
            json_decref(b);
        }
        json_decref(a);
        if (!found) {
            skr_causes_forbidden(c->causes, at(c, "tolerations"),
                                 "existing toleration can not be modified except its "
                                 "tolerationSeconds");
            return;
        }
    }
}

/* Whether the term still has all requirements of the old one. */
static bool term_is_narrower(const json_t *term, const json_t *old)
{
    static const char *const lists[] = {"matchExpressions", "matchFields"};
    for (size_t l = 0; l < 2; l++) {
        const json_t *was = json_object_get(old, lists[l]);
        const json_t *now = json_object_get(term, lists[l]);
        for (size_t i = 0; i < json_array_size(was); i++) {
            if (json_equal(json_array_get(was, i), json_array_get(now, i)) != 1) {
                return false;
            }
        }
    }
    return true;
}

/* While the pod has gates, requirements may be added to its terms, but no terms. */
static void check_affinity_update(struct check *c, const json_t *spec, const json_t *old)
{
    static const char terms[] = "affinity.nodeAffinity."
                                "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    const json_t *was = skr_path_get(old, terms);
    const json_t *now = skr_path_get(spec, terms);
    bool narrower = !was || json_array_size(was) == json_array_size(now);
    for (size_t i = 0; narrower && i < json_array_size(was); i++) {
        narrower = term_is_narrower(json_array_get(now, i), json_array_get(was, i));
    }
    if (!narrower) {
        skr_causes_invalid(
            c->causes, at(c, "%s", terms), now,
            "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    }
}

/* While the pod has gates, its selector may be narrowed. */
static void check_selector_update(struct check *c, const json_t *spec, const json_t *old)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(old, "nodeSelector"), key, value)
    {
        if (json_equal(json_object_get(json_object_get(spec, "nodeSelector"), key), value) != 1) {
            skr_causes_invalid(c->causes, at(c, "nodeSelector"),
                               json_object_get(spec, "nodeSelector"),
                               "only additions are allowed (no mutations or deletions)");
            return;
        }
    }
}

static void copy_member(json_t *to, const json_t *from, const char *key)
{
    json_t *value = json_object_get(from, key);
    if (value) {
        json_object_set(to, key, value);
    } else {
        json_object_del(to, key);
    }
}

static void forget_images(json_t *spec, const char *field)
{
    json_t *list = skr_path_own_array(spec, field);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (json_is_object(json_array_get(list, i))) {
            json_t *container = json_copy(json_array_get(list, i));
            json_object_del(container, "image");
            json_object_del(container, "imagePullPolicy"); /* follows the tag of the image */
            json_array_set_new(list, i, container);
        }
    }
}

/* The spec without the fields that may change. images: a list of containers differs. */
static json_t *fixed_part(const json_t *spec, const json_t *old, bool gated, bool images)
{
    json_t *part = json_copy(skr_object_unconst(spec));
    if (images) {
        forget_images(part, "containers");
        forget_images(part, "initContainers");
    }
    copy_member(part, old, "activeDeadlineSeconds");
    copy_member(part, old, "tolerations");
    copy_member(part, old, "schedulingGates");
    if (skr_path_int(old, "terminationGracePeriodSeconds", 0) < 0 &&
        skr_path_int(spec, "terminationGracePeriodSeconds", 0) == 1) {
        copy_member(part, old, "terminationGracePeriodSeconds");
    }
    if (gated) {
        copy_member(part, old, "nodeSelector");
        copy_member(skr_path_own(part, "affinity"), json_object_get(old, "affinity"),
                    "nodeAffinity");
    }
    return part;
}

/* Whether all members of spec that are new or changed may change freely (then fixed_part() of both
 * is equal). */
static bool differs_freely(const json_t *spec, const json_t *old, bool gated)
{
    static const char *const free_ones[] = {"schedulingGates", "tolerations",
                                            "activeDeadlineSeconds", "nodeSelector"};
    const size_t n = sizeof free_ones / sizeof *free_ones - (gated ? 0 : 1);
    struct skr_pairs p = skr_pairs_of(spec, old);
    while (skr_pairs_next(&p)) {
        bool is_free = p.value == p.other;
        for (size_t i = 0; i < n && !is_free; i++) {
            is_free = strcmp(p.key, free_ones[i]) == 0;
        }
        if (!is_free) {
            return false;
        }
    }
    return true;
}

static void check_images(struct check *c, const json_t *spec, const char *field)
{
    const json_t *list = json_object_get(spec, field);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (*skr_path_text(json_array_get(list, i), "image") == '\0') {
            skr_causes_required(c->causes, at(c, "%s[%zu].image", field, i), "");
        }
    }
}

void skr_validate_pod_update(const json_t *pod, const json_t *before, struct skr_causes *causes)
{
    struct check c = {.causes = causes, .base = "spec"};
    const json_t *spec = json_object_get(pod, "spec");
    const json_t *old = json_object_get(before, "spec");
    const bool gated = json_array_size(json_object_get(old, "schedulingGates")) > 0;
    if (spec == old) {
        return;
    }
    check_gates_update(&c, spec, old);
    check_tolerations_update(&c, spec, old);
    check_images(&c, spec, "containers");
    if (gated) {
        check_selector_update(&c, spec, old);
        check_affinity_update(&c, spec, old);
    }
    if (differs_freely(spec, old, gated) && differs_freely(old, spec, gated)) {
        return;
    }
    const bool images =
        json_object_get(spec, "containers") != json_object_get(old, "containers") ||
        json_object_get(spec, "initContainers") != json_object_get(old, "initContainers");
    json_auto_t *a = fixed_part(spec, old, gated, images);
    json_auto_t *b = fixed_part(old, old, gated, images);
    if (json_equal(a, b) != 1) {
        skr_causes_forbidden(causes, "spec", spec_is_fixed);
    }
}
