/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape of a pod: requests, node selector, required node affinity, tolerations. What does not
 * change the meaning does not change the shape: tolerations are sorted and kept once, values of
 * requirements likewise, and what kube-scheduler can match with nothing (empty terms, terms it
 * cannot parse, tolerations with an unknown operator) is left out. The order of terms and
 * requirements stays as written.
 *
 * Rules: component-helpers scheduling/corev1/nodeaffinity, apimachinery labels.NewRequirement.
 * Limits: SKR_POD_*_MAX.
 */
#include "core/pod/parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/pod/requests.h"
#include "core/pod/rules.h"
#include "topology/base/json_field.h"
#include "topology/base/strbuf.h"

static const char *const toleration_operator_name[] = {
    [SKR_TOLERATION_EQUAL] = "Equal",
    [SKR_TOLERATION_EXISTS] = "Exists",
    [SKR_TOLERATION_LT] = "Lt",
    [SKR_TOLERATION_GT] = "Gt",
};
_Static_assert(sizeof toleration_operator_name / sizeof toleration_operator_name[0] ==
                   SKR_TOLERATION_OPERATOR_COUNT,
               "a name per operator");

static const char *const taint_effect_name[] = {
    [SKR_TAINT_NO_SCHEDULE] = "NoSchedule",
    [SKR_TAINT_NO_EXECUTE] = "NoExecute",
    [SKR_TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
    [SKR_TAINT_OTHER] = "other",
};
_Static_assert(sizeof taint_effect_name / sizeof taint_effect_name[0] == SKR_TAINT_EFFECT_COUNT,
               "a name per effect");

static const struct skr_field_path spec_path = {
    .up = NULL, .key = "spec", .index = SKR_FIELD_NO_INDEX};

/* ---- tolerations ---- */

static int compare_tolerations(const void *a, const void *b)
{
    const struct skr_toleration *left = a;
    const struct skr_toleration *right = b;
    int order = strcmp(left->key, right->key);
    if (order == 0) {
        order = (int)left->op - (int)right->op;
    }
    if (order == 0) {
        order = strcmp(left->value, right->value);
    }
    if (order == 0) {
        order = (int)right->any_effect - (int)left->any_effect;
    }
    if (order == 0) {
        order = (int)left->effect - (int)right->effect;
    }
    return order;
}

/* *ret_usable: false for an operator that tolerates nothing. */
static int read_toleration(struct skr_arena *arena, json_t *object,
                           const struct skr_field_path *path, struct skr_toleration *ret,
                           bool *ret_usable, struct skr_error *error)
{
    const char *key;
    const char *op;
    const char *value;
    const char *effect;
    int rc = skr_field_string(object, path, "key", &key, error);
    if (rc == 0) {
        rc = skr_field_string(object, path, "operator", &op, error);
    }
    if (rc == 0) {
        rc = skr_field_string(object, path, "value", &value, error);
    }
    if (rc == 0) {
        rc = skr_field_string(object, path, "effect", &effect, error);
    }
    if (rc < 0) {
        return rc;
    }
    *ret_usable = op[0] == '\0';
    *ret = (struct skr_toleration){.op = SKR_TOLERATION_EQUAL};
    for (size_t i = 0; i < SKR_TOLERATION_OPERATOR_COUNT; i++) {
        if (strcmp(op, toleration_operator_name[i]) == 0) {
            ret->op = (enum skr_toleration_operator)i;
            *ret_usable = true;
        }
    }
    ret->any_effect = effect[0] == '\0';
    ret->effect = skr_taint_effect_find(effect);
    ret->key = skr_arena_strdup(arena, key);
    /* Exists looks at no value. */
    ret->value = skr_arena_strdup(arena, ret->op == SKR_TOLERATION_EXISTS ? "" : value);
    return !ret->key || !ret->value ? skr_pod_no_room(error) : 0;
}

static int read_tolerations(struct skr_arena *arena, json_t *spec, struct skr_pod_shape *ret,
                            struct skr_error *error)
{
    struct skr_field_path array = {
        .up = &spec_path, .key = "tolerations", .index = SKR_FIELD_NO_INDEX};
    json_t *list;
    size_t n = 0;
    int rc =
        skr_field_array(spec, &spec_path, "tolerations", SKR_POD_TOLERATIONS_MAX, &list, error);
    if (rc < 0 || json_array_size(list) == 0) {
        return rc;
    }
    struct skr_toleration *item = skr_arena_array(arena, json_array_size(list), sizeof *item);
    if (!item) {
        return skr_pod_no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {.up = &spec_path, .key = "tolerations", .index = i};
        json_t *entry;
        bool usable = false;
        rc = skr_field_entry(list, &array, i, &entry, error);
        if (rc == 0) {
            rc = read_toleration(arena, entry, &path, &item[n], &usable, error);
        }
        if (rc < 0) {
            return rc;
        }
        if (usable) {
            n++;
        }
    }
    if (n > 1) {
        qsort(item, n, sizeof *item, compare_tolerations);
    }
    for (size_t i = 0; i < n; i++) {
        if (ret->n_tolerations == 0 ||
            compare_tolerations(&item[ret->n_tolerations - 1], &item[i]) != 0) {
            item[ret->n_tolerations++] = item[i];
        }
    }
    ret->toleration = item;
    return 0;
}

/* ---- node selector ---- */

static int read_node_selector(struct skr_arena *arena, json_t *spec, struct skr_pod_shape *ret,
                              struct skr_error *error)
{
    json_t *selector;
    int rc = skr_field_object(spec, &spec_path, "nodeSelector", &selector, error);
    if (rc < 0 || !selector) {
        return rc;
    }
    if (json_object_size(selector) > SKR_POD_SELECTOR_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, "spec.nodeSelector",
                                 "%zu entries, at most %d are supported",
                                 json_object_size(selector), (int)SKR_POD_SELECTOR_MAX);
    }
    return skr_labels_decode(arena, selector, NULL, "spec.nodeSelector", &ret->node_selector,
                             error);
}

/* ---- key ---- */

static void add_list_start(struct skr_strbuf *b, bool first)
{
    skr_strbuf_add(b, first ? "" : ",");
}

static void write_affinity(struct skr_strbuf *b, const struct skr_pod_shape *shape)
{
    skr_strbuf_add(b, ",\"affinity\":[");
    for (size_t i = 0; i < shape->n_terms; i++) {
        add_list_start(b, i == 0);
        skr_strbuf_addc(b, '[');
        for (size_t k = 0; k < shape->term[i].n; k++) {
            add_list_start(b, k == 0);
            skr_selector_requirement_write(b, &shape->term[i].requirement[k]);
        }
        skr_strbuf_addc(b, ']');
    }
    skr_strbuf_addc(b, ']');
}

static void write_tolerations(struct skr_strbuf *b, const struct skr_pod_shape *shape)
{
    skr_strbuf_add(b, ",\"tolerations\":[");
    for (size_t i = 0; i < shape->n_tolerations; i++) {
        const struct skr_toleration *t = &shape->toleration[i];
        add_list_start(b, i == 0);
        skr_strbuf_addc(b, '[');
        skr_strbuf_add_json(b, t->key);
        skr_strbuf_add(b, ",\"");
        skr_strbuf_add(b, toleration_operator_name[t->op]);
        skr_strbuf_add(b, "\",");
        skr_strbuf_add_json(b, t->value);
        skr_strbuf_add(b, ",\"");
        skr_strbuf_add(b, t->any_effect ? "" : taint_effect_name[t->effect]);
        skr_strbuf_add(b, "\"]");
    }
    skr_strbuf_addc(b, ']');
}

/* Of its ResourceClaims, in order: pods of other templates may want other devices. */
static void write_templates(struct skr_strbuf *b, const json_t *spec)
{
    const json_t *claims = json_object_get(spec, "resourceClaims");
    bool first = true;
    for (size_t i = 0; i < json_array_size(claims); i++) {
        const char *name = json_string_value(
            json_object_get(json_array_get(claims, i), "resourceClaimTemplateName"));
        if (name) {
            skr_strbuf_add(b, first ? ",\"templates\":[" : ",");
            skr_strbuf_add_json(b, name);
            first = false;
        }
    }
    skr_strbuf_add(b, first ? "" : "]");
}

/* JSON, fields in a fixed order, empty ones left out. */
static void write_key(struct skr_strbuf *b, const struct skr_pod_shape *shape, const json_t *spec)
{
    skr_strbuf_add(b, "{\"requests\":{");
    for (size_t i = 0; i < shape->requests.n; i++) {
        add_list_start(b, i == 0);
        skr_strbuf_add_json(b, shape->requests.item[i].name);
        skr_strbuf_addc(b, ':');
        skr_strbuf_add_int(b, shape->requests.item[i].amount);
    }
    skr_strbuf_addc(b, '}');
    if (shape->node_selector.n > 0) {
        skr_strbuf_add(b, ",\"nodeSelector\":{");
        for (size_t i = 0; i < shape->node_selector.n; i++) {
            add_list_start(b, i == 0);
            skr_strbuf_add_json(b, shape->node_selector.item[i].key);
            skr_strbuf_addc(b, ':');
            skr_strbuf_add_json(b, shape->node_selector.item[i].value);
        }
        skr_strbuf_addc(b, '}');
    }
    if (shape->has_affinity) {
        write_affinity(b, shape);
    }
    if (shape->n_tolerations > 0) {
        write_tolerations(b, shape);
    }
    skr_pod_rules_write_key(b, shape);
    write_templates(b, spec);
    skr_strbuf_add(b, shape->late_capacity ? ",\"late\":true}" : "}");
}

int skr_pod_shape_decode(struct skr_arena *arena, const struct skr_meta *meta, json_t *spec,
                         json_t *status, bool late_capacity, struct skr_pod_shape *ret,
                         struct skr_error *error)
{
    struct skr_pod_shape shape = {.late_capacity = late_capacity};
    int rc = skr_pod_requests_decode(arena, spec, status, &shape.requests, error);
    if (rc == 0) {
        rc = read_node_selector(arena, spec, &shape, error);
    }
    if (rc == 0) {
        rc = skr_pod_affinity_decode(arena, spec, &shape, error);
    }
    if (rc == 0) {
        rc = read_tolerations(arena, spec, &shape, error);
    }
    if (rc == 0) {
        rc = skr_pod_rules_decode(arena, spec, meta, &shape, error);
    }
    if (rc < 0) {
        return rc;
    }
    struct skr_strbuf key;
    skr_strbuf_init(&key);
    write_key(&key, &shape, spec);
    shape.key = skr_arena_strdup(arena, key.s);
    skr_strbuf_fini(&key);
    if (!shape.key) {
        return skr_pod_no_room(error);
    }
    *ret = shape;
    return 0;
}
