/* SPDX-License-Identifier: Apache-2.0 */
/* Decoders of Kueue's Workloads, AdmissionChecks and ResourceFlavors: see kueue.h. */
#include "core/group/kueue.h"

#include <string.h>

#include "topology/fields.h"

const char *const skr_kueue_state_name[SKR_KUEUE_STATE_COUNT] = {"Pending", "Ready", "Retry",
                                                                 "Rejected"};

/* JSON of the value at key, or what stands for none. */
static const char *text_of(const struct skr_fields *in, const char *key, json_t *value,
                           const char *none)
{
    const struct skr_fields at = skr_fields_at(in, key, value);
    return value ? skr_fields_json(&at, 0) : none;
}

/* Whether status.conditions has the type with status True. */
static bool holds(const struct skr_fields *json, const char *type)
{
    const struct skr_fields status = skr_fields_object(json, "status");
    const struct skr_fields list = skr_fields_list(&status, "conditions", SKR_KUEUE_CONDITIONS_MAX);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields condition = skr_fields_entry(&list, i);
        if (strcmp(skr_fields_word(&condition, "type"), type) == 0) {
            return strcmp(skr_fields_word(&condition, "status"), "True") == 0;
        }
    }
    return false;
}

/* ---- Workload ---- */

static void read_owner(struct skr_kueue_workload *w, const struct skr_fields *json)
{
    const struct skr_fields metadata = skr_fields_object(json, "metadata");
    const struct skr_fields list =
        skr_fields_list(&metadata, "ownerReferences", SKR_KUEUE_CONDITIONS_MAX);
    w->owner_kind = w->owner = "";
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields owner = skr_fields_entry(&list, i);
        if (i == 0 || skr_fields_bool(&owner, "controller")) {
            w->owner_kind = skr_fields_text(&owner, "kind");
            w->owner = skr_fields_text(&owner, "name");
        }
    }
}

static enum skr_kueue_state state_of(const struct skr_fields *check)
{
    const char *text = skr_fields_word(check, "state");
    int state = 0;
    while (state < SKR_KUEUE_STATE_COUNT && strcmp(skr_kueue_state_name[state], text) != 0) {
        state++;
    }
    return state == SKR_KUEUE_STATE_COUNT ? SKR_KUEUE_PENDING : (enum skr_kueue_state)state;
}

static void read_checks(struct skr_kueue_workload *w, const struct skr_fields *status)
{
    const struct skr_fields list = skr_fields_list(status, "admissionChecks", SKR_KUEUE_CHECKS_MAX);
    w->check = skr_fields_room(status, list.n, sizeof *w->check);
    for (size_t i = 0; w->check && skr_fields_more(&list, i); i++) {
        const struct skr_fields check = skr_fields_entry(&list, i);
        w->check[w->n_checks++] =
            (struct skr_kueue_check){.name = skr_fields_text(&check, "name"),
                                     .state = state_of(&check),
                                     .retries = skr_fields_int32(&check, "retryCount", 0)};
    }
    w->checks = text_of(status, "admissionChecks", list.json, "[]");
}

static bool has_flavor(const struct skr_kueue_pod_set *set, const char *name)
{
    size_t i = 0;
    while (i < set->n_flavors && strcmp(set->flavor[i], name) != 0) {
        i++;
    }
    return i < set->n_flavors;
}

static void read_flavors(struct skr_kueue_pod_set *set, const struct skr_fields *assigned)
{
    const struct skr_fields flavors = skr_fields_object(assigned, "flavors");
    const size_t n = json_object_size(flavors.json);
    const char *key;
    json_t *value;
    if (n > SKR_KUEUE_FLAVORS_MAX) {
        skr_fields_fail(assigned, "flavors", SKR_LIMIT, "more than %d entries",
                        SKR_KUEUE_FLAVORS_MAX);
        return;
    }
    set->flavor = skr_fields_room(assigned, n, sizeof *set->flavor);
    json_object_foreach(flavors.json, key, value)
    {
        const char *name = skr_fields_text(&flavors, key);
        if (set->flavor && !has_flavor(set, name)) {
            set->flavor[set->n_flavors++] = name;
        }
    }
}

static void read_assignment(struct skr_kueue_workload *w, const struct skr_fields *status)
{
    const struct skr_fields admission = skr_fields_object(status, "admission");
    const struct skr_fields list =
        skr_fields_list(&admission, "podSetAssignments", SKR_KUEUE_POD_SETS_MAX);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields assigned = skr_fields_entry(&list, i);
        const char *name = skr_fields_word(&assigned, "name");
        for (size_t k = 0; k < w->n_pod_sets; k++) {
            struct skr_kueue_pod_set *set = &w->pod_set[k];
            if (strcmp(set->name, name) == 0) {
                set->count = skr_fields_int32(&assigned, "count", set->count);
                set->placed = skr_fields_has(&assigned, "topologyAssignment");
                read_flavors(set, &assigned);
            }
        }
    }
}

static void read_pod_sets(struct skr_kueue_workload *w, const struct skr_fields *spec)
{
    const struct skr_fields list = skr_fields_list(spec, "podSets", SKR_KUEUE_POD_SETS_MAX);
    w->pod_set = skr_fields_room(spec, list.n, sizeof *w->pod_set);
    for (size_t i = 0; w->pod_set && skr_fields_more(&list, i); i++) {
        const struct skr_fields set = skr_fields_entry(&list, i);
        const struct skr_fields template = skr_fields_object(&set, "template");
        w->pod_set[w->n_pod_sets++] = (struct skr_kueue_pod_set){
            .name = skr_fields_text(&set, "name"),
            .template = text_of(&set, "template", template.json, "{}"),
            .count = skr_fields_int32(&set, "count", 1),
        };
    }
}

static void fill_workload(void *object, const struct skr_fields *json)
{
    struct skr_kueue_workload *w = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields status = skr_fields_object(json, "status");
    const bool active = !skr_fields_has(&spec, "active") || skr_fields_bool(&spec, "active");
    w->reserved = holds(json, "QuotaReserved") && !holds(json, "Finished");
    w->waits = w->reserved && active && !holds(json, "Admitted") && !holds(json, "Evicted");
    w->priority = skr_fields_int32(&spec, "priority", 0);
    read_owner(w, json);
    read_checks(w, &status);
    if (w->waits) {
        read_pod_sets(w, &spec);
        read_assignment(w, &status);
    }
}

SKR_OBJECT_KIND(kueue_workload, "workload", fill_workload)

/* ---- AdmissionCheck ---- */

static void fill_check(void *object, const struct skr_fields *json)
{
    struct skr_admission_check *check = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    check->controller = skr_fields_text(&spec, "controllerName");
    check->active = holds(json, "Active");
}

SKR_OBJECT_KIND(admission_check, "admissioncheck", fill_check)

/* ---- ResourceFlavor ---- */

static void fill_flavor(void *object, const struct skr_fields *json)
{
    struct skr_kueue_flavor *flavor = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields labels = skr_fields_object(&spec, "nodeLabels");
    const struct skr_fields list = skr_fields_list(&spec, "tolerations", SKR_KUEUE_CONDITIONS_MAX);
    flavor->labels = text_of(&spec, "nodeLabels", labels.json, "{}");
    flavor->tolerations = text_of(&spec, "tolerations", list.json, "[]");
}

SKR_OBJECT_KIND(kueue_flavor, "resourceflavor", fill_flavor)
