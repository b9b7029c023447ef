/* SPDX-License-Identifier: Apache-2.0 */
/* A Placement from JSON. Its spec is read part by part; the first wrong part makes it
 * misconfigured. */
#include "core/placement/placement.h"

#include <string.h>

#include "core/group/label_value.h"
#include "core/placement/cluster_cel.h"
#include "core/placement/policy.h"
#include "topology/base/strbuf.h"

static const char *const spread_modes[] = {
    [SKR_SPREAD_UNSET] = "",
    [SKR_SPREAD_WEIGHTED] = "weighted",
    [SKR_SPREAD_LEXICOGRAPHIC] = "lexicographic",
};
_Static_assert(sizeof spread_modes / sizeof *spread_modes == SKR_SPREAD_MODE_COUNT, "all named");

/* ---- parts of the spec ---- */

/* Decisions carry the name as the value of a label. */
static void check_name(struct skr_placement *p, const struct skr_fields *spec)
{
    const size_t n = strlen(p->meta.name);
    if (n > SKR_LABEL_VALUE_MAX) {
        skr_fields_refuse(spec, SKR_INVALID,
                          "the name has %zu characters, and the label of its decisions at most "
                          "%d; create it with a shorter name",
                          n, (int)SKR_LABEL_VALUE_MAX);
    }
}

static void read_number(struct skr_placement *p, const struct skr_fields *spec)
{
    const int64_t number = skr_fields_int64(spec, "numberOfClusters", 0);
    p->has_number = skr_fields_has(spec, "numberOfClusters");
    if (number < 0 || number > INT32_MAX) {
        skr_fields_refuse(spec, SKR_INVALID, "numberOfClusters is 0..%d, not %lld", INT32_MAX,
                          (long long)number);
        return;
    }
    p->number = (int32_t)number;
}

static void read_sets(struct skr_placement *p, const struct skr_fields *spec)
{
    p->n_sets = skr_fields_texts(spec, "clusterSets", SKR_OCM_LIST_MAX, &p->set);
}

static void read_predicates(struct skr_placement *p, const struct skr_fields *spec)
{
    const struct skr_fields list = skr_fields_list(spec, "predicates", SKR_OCM_LIST_MAX);
    p->predicate = skr_fields_room(&list, list.n, sizeof *p->predicate);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const struct skr_fields selector = skr_fields_object(&entry, "requiredClusterSelector");
        struct skr_cluster_selector *predicate = &p->predicate[p->n_predicates++];
        skr_cluster_selector_decode(&selector, predicate);
        skr_cel_selector_read(&selector, i, predicate);
    }
}

static void read_toleration(struct skr_cluster_toleration *t, const struct skr_fields *entry)
{
    t->key = skr_fields_text(entry, "key");
    t->value = skr_fields_text(entry, "value");
    t->effect = skr_fields_text(entry, "effect");
    const char *op = skr_fields_word(entry, "operator");
    t->seconds = skr_fields_int64(entry, "tolerationSeconds", 0);
    t->has_seconds = skr_fields_has(entry, "tolerationSeconds");
    const bool exists = strcmp(op, "Exists") == 0;
    const bool equal = !op[0] || strcmp(op, "Equal") == 0;
    t->operator= exists ? SKR_TOLERATE_EXISTS : equal ? SKR_TOLERATE_EQUAL : SKR_TOLERATE_NOTHING;
    if (!t->key[0] && !exists) {
        skr_fields_refuse(entry, SKR_INVALID,
                          "a toleration with an empty key needs operator Exists");
    }
    if (exists && t->value[0]) {
        skr_fields_refuse(entry, SKR_INVALID,
                          "a toleration with operator Exists has the value \"%.64s\"", t->value);
    }
}

static void read_tolerations(struct skr_placement *p, const struct skr_fields *spec)
{
    const struct skr_fields list = skr_fields_list(spec, "tolerations", SKR_TOLERATIONS_MAX);
    p->toleration = skr_fields_room(&list, list.n, sizeof *p->toleration);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        read_toleration(&p->toleration[p->n_tolerations++], &entry);
    }
}

static void read_mode(struct skr_placement *p, const struct skr_fields *spec)
{
    const char *text = skr_labels_get(&p->meta.annotations, SKR_PLACEMENT_SPREAD_MODE_KEY);
    for (int i = SKR_SPREAD_WEIGHTED; text && i < SKR_SPREAD_MODE_COUNT; i++) {
        if (strcmp(text, spread_modes[i]) == 0) {
            p->spread_mode = (enum skr_spread_mode)i;
        }
    }
    if (text && p->spread_mode == SKR_SPREAD_UNSET) {
        skr_fields_refuse(spec, SKR_INVALID, "%s is weighted or lexicographic, not \"%.64s\"",
                          SKR_PLACEMENT_SPREAD_MODE_KEY, text);
    }
}

/* Limits the terms, since every cycle compares them with every cluster. */
static void check_terms(struct skr_placement *p, const struct skr_fields *spec)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_predicates; i++) {
        n += p->predicate[i].n + p->predicate[i].n_cel + 1;
    }
    for (size_t i = 0; i < p->n_groups; i++) {
        n += p->group[i].selector.n + 1;
    }
    if (n > SKR_PLACEMENT_TERMS_MAX) {
        skr_fields_refuse(spec, SKR_LIMIT,
                          "%zu selectors and terms in predicates and decision groups, limit %d", n,
                          (int)SKR_PLACEMENT_TERMS_MAX);
    }
}

/* Spread comes before Prioritizer, whose defaults depend on it. */
static const struct {
    const char *plugin;
    void (*read)(struct skr_placement *p, const struct skr_fields *spec);
} parts[] = {
    {"Placement", check_name},
    {"NumberOfClusters", read_number},
    {"ClusterSets", read_sets},
    {"Predicate", read_predicates},
    {"TaintToleration", read_tolerations},
    {"Spread", read_mode},
    {"Spread", skr_placement_read_spread},
    {"Prioritizer", skr_placement_read_prioritizers},
    {"DecisionGroup", skr_placement_read_groups},
    {"Predicate", check_terms},
};

/* A mistake in the spec is no error of the object: the Placement is misconfigured. */
static void read_spec(struct skr_placement *p, const struct skr_fields *json)
{
    struct skr_error why = {.text = ""};
    struct skr_decoding decoding = *json->decoding;
    const struct skr_fields same = skr_fields_of(&decoding, json->json);
    decoding.error = &why;
    const struct skr_fields spec = skr_fields_object(&same, "spec");
    const char *plugin = "Placement";
    SKR_STRBUF(text);
    p->group_size = INT64_MAX;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && decoding.rc == 0; i++) {
        plugin = parts[i].plugin;
        parts[i].read(p, &spec);
    }
    if (decoding.rc < 0) {
        skr_strbuf_addf(&text, "%s:%s", plugin, why.text);
    }
    p->misconfigured = skr_fields_copy(json, text.s);
}

/* ---- status ---- */

static void read_condition(struct skr_placement_condition *ret, const struct skr_fields *entry)
{
    ret->is_set = true;
    ret->status = skr_fields_text(entry, "status");
    ret->reason = skr_fields_text(entry, "reason");
    ret->message = skr_fields_text(entry, "message");
    ret->since = skr_fields_text(entry, "lastTransitionTime");
    ret->generation = skr_fields_int64(entry, "observedGeneration", 0);
}

static void read_conditions(struct skr_placement *p, const struct skr_fields *status)
{
    const struct skr_fields list = skr_fields_list(status, "conditions", SKR_OCM_LIST_MAX);
    p->foreign = skr_fields_room(&list, list.n, sizeof *p->foreign);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const char *type = skr_fields_word(&entry, "type");
        if (strcmp(type, "PlacementSatisfied") == 0) {
            read_condition(&p->satisfied, &entry);
        } else if (strcmp(type, "PlacementMisconfigured") == 0) {
            read_condition(&p->misconfiguration, &entry);
        } else {
            p->foreign[p->n_foreign++] = skr_fields_json(&entry, 0);
        }
    }
}

static void read_status(struct skr_placement *p, const struct skr_fields *status)
{
    const struct skr_fields groups =
        skr_fields_at(status, "decisionGroups", json_object_get(status->json, "decisionGroups"));
    p->n_selected = skr_fields_int64(status, "numberOfSelectedClusters", -1);
    p->groups = json_is_array(groups.json) ? skr_fields_json(&groups, JSON_SORT_KEYS) : "";
    read_conditions(p, status);
}

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_placement *p = object;
    const struct skr_fields metadata = skr_fields_object(json, "metadata");
    const struct skr_fields status = skr_fields_object(json, "status");
    const json_t *annotations = json_object_get(metadata.json, "annotations");
    p->upstream_disabled =
        strcmp(skr_object_text(annotations, SKR_PLACEMENT_DISABLE_KEY), "true") == 0;
    p->scheduler = skr_labels_get(&p->meta.annotations, SKR_PLACEMENT_SCHEDULER_KEY);
    p->generation = skr_fields_int64(&metadata, "generation", 0);
    read_spec(p, json);
    read_status(p, &status);
}

int skr_placement_decode(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_object_decode(json, "Placement", sizeof(struct skr_placement), fill, ret, error);
}

bool skr_placement_is_ours(const struct skr_placement *placement, const char *scheduler)
{
    return placement->upstream_disabled && placement->scheduler &&
           strcmp(placement->scheduler, scheduler) == 0;
}

bool skr_placement_asks_for(const struct skr_placement *placement, const char *set)
{
    return placement->n_sets == 0 || skr_names_include(placement->set, placement->n_sets, set);
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
