/* SPDX-License-Identifier: Apache-2.0 */
/* Placement: its spec part by part; the first part that is wrong makes it misconfigured. */
#include "core/placement/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/group/label_value.h"
#include "core/placement/policy.h"

static const char *const spread_modes[] = {
    [SKR_SPREAD_UNSET] = "",
    [SKR_SPREAD_WEIGHTED] = "weighted",
    [SKR_SPREAD_LEXICOGRAPHIC] = "lexicographic",
};
_Static_assert(sizeof spread_modes / sizeof *spread_modes == SKR_SPREAD_MODE_COUNT, "all named");

/* ---- parts of the spec ---- */

/* Decisions carry the name as the value of a label. */
static int check_name(struct skr_placement *p, const json_t *spec, struct skr_error *error)
{
    const size_t n = strlen(p->meta.name);
    (void)spec;
    return n <= SKR_LABEL_VALUE_MAX
               ? 0
               : skr_error_set(
                     error, SKR_INVALID,
                     "the name has %zu characters, and the label of its decisions at most "
                     "%d; create it with a shorter name",
                     n, (int)SKR_LABEL_VALUE_MAX);
}

static int decode_number(struct skr_placement *p, const json_t *spec, struct skr_error *error)
{
    int64_t number;
    SKR_FIELD(path, NULL, "spec");
    int rc = skr_ocm_int64(spec, &path, "numberOfClusters", -1, &number, error);
    const json_t *value = json_object_get(spec, "numberOfClusters");
    p->has_number = value && !json_is_null(value);
    if (rc == 0 && p->has_number && (number < 0 || number > INT32_MAX)) {
        rc = skr_error_set(error, SKR_INVALID, "numberOfClusters is 0..%d, not %lld", INT32_MAX,
                           (long long)number);
    }
    p->number = rc == 0 && p->has_number ? (int32_t)number : 0;
    return rc;
}

static int decode_sets(struct skr_placement *p, const json_t *spec, struct skr_error *error)
{
    SKR_FIELD(path, NULL, "spec");
    return skr_ocm_strings(p->arena, spec, &path, "clusterSets", SKR_OCM_LIST_MAX, &p->n_sets,
                           &p->set, error);
}

static int decode_predicates(struct skr_placement *p, const json_t *spec, struct skr_error *error)
{
    json_t *list;
    void *room;
    SKR_FIELD(path, NULL, "spec");
    SKR_FIELD(all, &path, "predicates");
    int rc = skr_ocm_list(p->arena, spec, &path, "predicates", SKR_OCM_LIST_MAX,
                          sizeof *p->predicate, &list, &room, error);
    p->predicate = room;
    for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
        SKR_FIELD_AT(at, &path, "predicates", i);
        json_t *entry, *selector;
        if ((rc = skr_field_entry(list, &all, i, &entry, error)) == 0 &&
            (rc = skr_field_object(entry, &at, "requiredClusterSelector", &selector, error)) == 0) {
            rc = skr_cluster_selector_decode(p->arena, selector, &p->predicate[p->n_predicates++],
                                             error);
        }
    }
    return rc;
}

static int decode_toleration(struct skr_placement *p, const json_t *entry,
                             const struct skr_field_path *path, struct skr_error *error)
{
    struct skr_cluster_toleration *t = &p->toleration[p->n_tolerations++];
    const char *operator;
    const json_t *seconds = json_object_get(entry, "tolerationSeconds");
    int rc;
    if ((rc = skr_ocm_string(p->arena, entry, path, "key", &t->key, error)) < 0 ||
        (rc = skr_ocm_string(p->arena, entry, path, "value", &t->value, error)) < 0 ||
        (rc = skr_ocm_string(p->arena, entry, path, "effect", &t->effect, error)) < 0 ||
        (rc = skr_field_string(entry, path, "operator", &operator, error)) < 0 ||
        (rc = skr_ocm_int64(entry, path, "tolerationSeconds", 0, &t->seconds, error)) < 0) {
        return rc;
    }
    t->has_seconds = seconds && !json_is_null(seconds);
    const bool exists = strcmp(operator, "Exists") == 0;
    const bool equal = !operator[0] || strcmp(operator, "Equal") == 0;
    t->operator= exists ? SKR_TOLERATE_EXISTS : equal ? SKR_TOLERATE_EQUAL : SKR_TOLERATE_NOTHING;
    if (!t->key[0] && !exists) {
        return skr_error_set(error, SKR_INVALID,
                             "a toleration with an empty key needs operator Exists");
    }
    if (exists && t->value[0]) {
        return skr_error_set(error, SKR_INVALID,
                             "a toleration with operator Exists has the value \"%.64s\"", t->value);
    }
    return 0;
}

static int decode_tolerations(struct skr_placement *p, const json_t *spec, struct skr_error *error)
{
    json_t *list;
    void *room;
    SKR_FIELD(path, NULL, "spec");
    SKR_FIELD(all, &path, "tolerations");
    int rc = skr_ocm_list(p->arena, spec, &path, "tolerations", SKR_TOLERATIONS_MAX,
                          sizeof *p->toleration, &list, &room, error);
    p->toleration = room;
    for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
        SKR_FIELD_AT(at, &path, "tolerations", i);
        json_t *entry;
        rc = skr_field_entry(list, &all, i, &entry, error);
        rc = rc < 0 ? rc : decode_toleration(p, entry, &at, error);
    }
    return rc;
}

static int decode_mode(struct skr_placement *p, const json_t *spec, struct skr_error *error)
{
    const char *text = skr_labels_get(&p->meta.annotations, SKR_PLACEMENT_SPREAD_MODE_KEY);
    (void)spec;
    if (!text) {
        return 0;
    }
    for (int i = SKR_SPREAD_WEIGHTED; i < SKR_SPREAD_MODE_COUNT; i++) {
        if (strcmp(text, spread_modes[i]) == 0) {
            p->spread_mode = (enum skr_spread_mode)i;
            return 0;
        }
    }
    return skr_error_set(error, SKR_INVALID, "%s is weighted or lexicographic, not \"%.64s\"",
                         SKR_PLACEMENT_SPREAD_MODE_KEY, text);
}

/* Both are looked at for every cluster, in every cycle. */
static int check_terms(struct skr_placement *p, const json_t *spec, struct skr_error *error)
{
    size_t n = 0;
    (void)spec;
    for (size_t i = 0; i < p->n_predicates; i++) {
        n += p->predicate[i].n + 1;
    }
    for (size_t i = 0; i < p->n_groups; i++) {
        n += p->group[i].selector.n + 1;
    }
    return n <= SKR_PLACEMENT_TERMS_MAX
               ? 0
               : skr_error_set(
                     error, SKR_LIMIT,
                     "%zu selectors and terms in predicates and decision groups, limit %d", n,
                     (int)SKR_PLACEMENT_TERMS_MAX);
}

/* Prioritizers' defaults depend on spread: it goes first. */
static const struct {
    const char *plugin;
    int (*decode)(struct skr_placement *p, const json_t *spec, struct skr_error *error);
} parts[] = {
    {"Placement", check_name},
    {"NumberOfClusters", decode_number},
    {"ClusterSets", decode_sets},
    {"Predicate", decode_predicates},
    {"TaintToleration", decode_tolerations},
    {"Spread", decode_mode},
    {"Spread", skr_placement_decode_spread},
    {"Prioritizer", skr_placement_decode_prioritizers},
    {"DecisionGroup", skr_placement_decode_groups},
    {"Predicate", check_terms},
};

static int misconfigure(struct skr_placement *p, const char *plugin, const char *why,
                        struct skr_error *error)
{
    size_t n = strlen(plugin) + strlen(why) + 2;
    char *text = skr_arena_alloc(p->arena, n);
    if (!text) {
        return skr_ocm_no_room(error);
    }
    snprintf(text, n, "%s:%s", plugin, why);
    p->misconfigured = text;
    return 0;
}

static int decode_spec(struct skr_placement *p, const json_t *json, struct skr_error *error)
{
    json_t *spec = NULL;
    struct skr_error why = {0};
    p->misconfigured = "";
    p->group_size = INT64_MAX;
    if (skr_ocm_part(json, "spec", &spec, &why) < 0) {
        return misconfigure(p, "Placement", why.text, error);
    }
    json_t *empty = spec ? NULL : json_object();
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !p->misconfigured[0]; i++) {
        if (parts[i].decode(p, spec ? spec : empty, &why) < 0 &&
            misconfigure(p, parts[i].plugin, why.text, error) < 0) {
            json_decref(empty);
            return -SKR_LIMIT;
        }
    }
    json_decref(empty);
    return 0;
}

/* ---- status ---- */

static int decode_condition(struct skr_placement *p, const json_t *entry,
                            struct skr_placement_condition *ret, struct skr_error *error)
{
    SKR_FIELD(path, NULL, "status.conditions");
    ret->is_set = true;
    int rc;
    if ((rc = skr_ocm_string(p->arena, entry, &path, "status", &ret->status, error)) < 0 ||
        (rc = skr_ocm_string(p->arena, entry, &path, "reason", &ret->reason, error)) < 0 ||
        (rc = skr_ocm_string(p->arena, entry, &path, "message", &ret->message, error)) < 0 ||
        (rc = skr_ocm_string(p->arena, entry, &path, "lastTransitionTime", &ret->since, error)) <
            0) {
        return rc;
    }
    return skr_ocm_int64(entry, &path, "observedGeneration", 0, &ret->generation, error);
}

static int keep_text(struct skr_placement *p, const json_t *json, size_t flags, const char **ret,
                     struct skr_error *error)
{
    char *text = json_dumps(json, flags | JSON_COMPACT);
    *ret = text ? skr_arena_strdup(p->arena, text) : NULL;
    free(text);
    return *ret ? 0 : skr_ocm_no_room(error);
}

static int decode_conditions(struct skr_placement *p, const json_t *status, struct skr_error *error)
{
    json_t *list;
    void *room;
    SKR_FIELD(path, NULL, "status");
    SKR_FIELD(all, &path, "conditions");
    int rc = skr_ocm_list(p->arena, status, &path, "conditions", SKR_OCM_LIST_MAX,
                          sizeof *p->foreign, &list, &room, error);
    p->foreign = room;
    for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
        json_t *entry;
        const char *type = "";
        if ((rc = skr_field_entry(list, &all, i, &entry, error)) < 0 ||
            (rc = skr_field_string(entry, &all, "type", &type, error)) < 0) {
            return rc;
        }
        if (strcmp(type, "PlacementSatisfied") == 0) {
            rc = decode_condition(p, entry, &p->satisfied, error);
        } else if (strcmp(type, "PlacementMisconfigured") == 0) {
            rc = decode_condition(p, entry, &p->misconfiguration, error);
        } else {
            rc = keep_text(p, entry, 0, &p->foreign[p->n_foreign++], error);
        }
    }
    return rc;
}

static int decode_status(struct skr_placement *p, const json_t *json, struct skr_error *error)
{
    json_t *status;
    SKR_FIELD(path, NULL, "status");
    int rc = skr_ocm_part(json, "status", &status, error);
    p->n_selected = -1;
    p->groups = "";
    if (rc < 0 || !status) {
        return rc;
    }
    if ((rc = skr_ocm_int64(status, &path, "numberOfSelectedClusters", -1, &p->n_selected, error)) <
            0 ||
        (rc = decode_conditions(p, status, error)) < 0) {
        return rc;
    }
    const json_t *groups = json_object_get(status, "decisionGroups");
    return json_is_array(groups) ? keep_text(p, groups, JSON_SORT_KEYS, &p->groups, error) : 0;
}

/* ---- ownership ---- */

static int decode_owner(struct skr_placement *p, const json_t *json, struct skr_error *error)
{
    const json_t *metadata = json_object_get(json, "metadata");
    const json_t *annotations = json_object_get(metadata, "annotations");
    const char *disabled =
        json_string_value(json_object_get(annotations, SKR_PLACEMENT_DISABLE_KEY));
    p->upstream_disabled = disabled && strcmp(disabled, "true") == 0;
    p->scheduler = skr_labels_get(&p->meta.annotations, SKR_PLACEMENT_SCHEDULER_KEY);
    return skr_ocm_generation(json, &p->generation, error);
}

bool skr_placement_is_ours(const struct skr_placement *placement, const char *scheduler)
{
    return placement->upstream_disabled && placement->scheduler &&
           strcmp(placement->scheduler, scheduler) == 0;
}

int skr_placement_decode(const json_t *json, struct skr_placement **ret, struct skr_error *error)
{
    void *room;
    int rc = skr_ocm_object_create(sizeof **ret, &room, error);
    if (rc < 0) {
        return rc;
    }
    struct skr_placement *p = room;
    if ((rc = skr_meta_decode(p->arena, json, NULL, &p->meta, error)) < 0 ||
        (rc = decode_owner(p, json, error)) < 0 || (rc = decode_spec(p, json, error)) < 0 ||
        (rc = decode_status(p, json, error)) < 0) {
        skr_placement_destroy(p);
        return rc;
    }
    *ret = p;
    return 0;
}

void skr_placement_destroy(struct skr_placement *placement)
{
    skr_arena_destroy(placement ? placement->arena : NULL);
}

const struct skr_prioritizer *skr_placement_prioritizer(const struct skr_placement *placement,
                                                        const char *name)
{
    for (size_t i = 0; i < placement->n_prioritizers; i++) {
        if (strcmp(placement->prioritizer[i].name, name) == 0) {
            return &placement->prioritizer[i];
        }
    }
    return NULL;
}
