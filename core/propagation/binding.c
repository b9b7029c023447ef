/* SPDX-License-Identifier: Apache-2.0 */
/* A binding of Karmada from JSON. Limits: see the header. */
#include "core/propagation/binding.h"

#include <stdlib.h>
#include <string.h>

#include "core/propagation/estimator_wire.h"
#include "topology/base/strbuf.h"

static const char *const managing_label[] = {
    "propagationpolicy.karmada.io/permanent-id",
    "clusterpropagationpolicy.karmada.io/permanent-id",
    "binding.karmada.io/managed-by",
};

static void read_metadata(struct skr_binding *binding, const struct skr_fields *metadata)
{
    const struct skr_fields annotations = skr_fields_object(metadata, "annotations");
    if (binding->meta.name[0] == '\0') {
        skr_fields_fail(metadata, "name", SKR_INVALID, "missing");
    }
    binding->generation = json_integer_value(json_object_get(metadata->json, "generation"));
    for (size_t i = 0; i < sizeof managing_label / sizeof managing_label[0]; i++) {
        const char *value = skr_labels_get(&binding->meta.labels, managing_label[i]);
        binding->is_managed = binding->is_managed || (value && value[0] != '\0');
    }
    binding->applied_text = skr_fields_text(&annotations, "policy.karmada.io/applied-placement");
}

static void read_resource(struct skr_binding *binding, const struct skr_fields *spec)
{
    const struct skr_fields resource = skr_fields_object(spec, "resource");
    struct skr_object_reference *to = &binding->resource;
    to->api_version = skr_fields_text(&resource, "apiVersion");
    to->kind = skr_fields_text(&resource, "kind");
    to->namespace_ = skr_fields_text(&resource, "namespace");
    to->name = skr_fields_text(&resource, "name");
    to->uid = skr_fields_text(&resource, "uid");
}

/* Asked after a part whose size users choose. If the part is beyond a limit, the binding carries
 * the reason, and reading goes on without the part. */
static bool is_refused(struct skr_binding *binding, const struct skr_fields *spec)
{
    struct skr_decoding *decoding = spec->decoding;
    if (decoding->rc != -SKR_LIMIT) {
        return false;
    }
    const struct skr_error found = *decoding->error;
    *decoding->error = (struct skr_error){.code = SKR_OK};
    decoding->rc = 0;
    binding->refusal = skr_fields_copy(spec, found.text);
    return true;
}

static int32_t read_count(const struct skr_fields *in)
{
    const int32_t replicas = skr_fields_int32(in, "replicas", 0);
    if (replicas < 0) {
        skr_fields_fail(in, "replicas", SKR_INVALID, "must be 0 or more, got %d", (int)replicas);
    }
    return replicas;
}

/* Whether a nodeClaim leaves nodes out. */
static bool asks_for_nodes(const json_t *requirements)
{
    const json_t *claim = json_object_get(requirements, "nodeClaim");
    return json_object_size(json_object_get(claim, "nodeSelector")) > 0 ||
           json_object_size(json_object_get(claim, "hardNodeAffinity")) > 0;
}

/* The requests of replicaRequirements. */
static void read_request(struct skr_binding *binding, const struct skr_fields *requirements,
                         struct skr_quantities *ret)
{
    char path[SKR_FIELD_PATH_MAX];
    if (requirements->decoding->rc < 0) {
        return;
    }
    binding->asks_for_nodes = binding->asks_for_nodes || asks_for_nodes(requirements->json);
    skr_field_path_write(&requirements->path, "resourceRequest", path);
    skr_fields_note(requirements,
                    skr_quantities_decode(binding->arena,
                                          json_object_get(requirements->json, "resourceRequest"),
                                          path, ret, requirements->decoding->error));
}

static void read_components(struct skr_binding *binding, const struct skr_fields *spec)
{
    const struct skr_fields list = skr_fields_list(spec, "components", SKR_COMPONENTS_MAX);
    struct skr_component *component = skr_fields_room(&list, list.n, sizeof *component);
    binding->component = component;
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const struct skr_fields requirements = skr_fields_object(&entry, "replicaRequirements");
        struct skr_component *to = &component[binding->n_components++];
        to->name = skr_fields_text(&entry, "name");
        to->replicas = read_count(&entry);
        read_request(binding, &requirements, &to->request);
    }
    if (spec->decoding->rc == 0) {
        skr_fields_note(spec, skr_component_set_init(&binding->set, binding->arena, component,
                                                     binding->n_components, spec->decoding->error));
    }
}

static void read_replicas(struct skr_binding *binding, const struct skr_fields *spec)
{
    binding->replicas = read_count(spec);
    const struct skr_fields requirements = skr_fields_object(spec, "replicaRequirements");
    binding->has_requirements = requirements.json;
    read_request(binding, &requirements, &binding->request);
    if (is_refused(binding, spec)) {
        binding->request = (struct skr_quantities){0};
    }
    read_components(binding, spec);
    if (is_refused(binding, spec)) {
        binding->n_components = 0;
    }
}

static struct skr_binding_bytes keep_bytes(const struct skr_fields *in,
                                           const struct skr_strbuf *bytes)
{
    char *copy = skr_fields_room(in, bytes->len, 1);
    if (copy && bytes->len > 0) {
        memcpy(copy, bytes->s, bytes->len);
    }
    return (struct skr_binding_bytes){.data = copy, .n = copy ? bytes->len : 0};
}

/* After the placement. */
static void read_questions(struct skr_binding *binding, const struct skr_fields *spec)
{
    SKR_STRBUF(replicas);
    SKR_STRBUF(sets);
    if (spec->decoding->rc < 0 || binding->refusal || !skr_binding_uses_room(binding)) {
        return;
    }
    skr_estimator_write_requirements(json_object_get(spec->json, "replicaRequirements"), &replicas);
    binding->replicas_asked = keep_bytes(spec, &replicas);
    if (binding->n_components > 0) {
        skr_estimator_write_components(json_object_get(spec->json, "components"),
                                       binding->resource.namespace_, &sets);
        binding->sets_asked = keep_bytes(spec, &sets);
    }
    (void)is_refused(binding, spec);
}

static int by_target_name(const void *a, const void *b)
{
    const struct skr_target *const *x = a;
    const struct skr_target *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Whether the entry of spec.clusters has what spec.components has. */
static bool has_all_components(const struct skr_binding *binding, const struct skr_fields *list)
{
    bool has_all = list->n == binding->n_components;
    for (size_t i = 0; has_all && skr_fields_more(list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(list, i);
        has_all = strcmp(skr_fields_word(&entry, "name"), binding->component[i].name) == 0 &&
                  skr_fields_int32(&entry, "replicas", 0) == binding->component[i].replicas;
    }
    return has_all;
}

static void read_targets(struct skr_binding *binding, const struct skr_fields *spec)
{
    const struct skr_fields list = skr_fields_list(spec, "clusters", SKR_BINDING_CLUSTERS_MAX);
    binding->target = skr_fields_room(&list, list.n, sizeof *binding->target);
    binding->target_by_name = skr_fields_room(&list, list.n, sizeof *binding->target_by_name);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        struct skr_target *target = &binding->target[i];
        target->name = skr_fields_text(&entry, "name");
        target->replicas = read_count(&entry);
        target->has_replicas = json_is_integer(json_object_get(entry.json, "replicas"));
        const struct skr_fields components =
            skr_fields_list(&entry, "components", SKR_TARGET_COMPONENTS_MAX);
        target->has_components = components.n > 0;
        target->has_all_components = has_all_components(binding, &components);
        binding->target_by_name[binding->n_targets++] = target;
    }
    if (binding->n_targets > 1) {
        qsort(binding->target_by_name, binding->n_targets, sizeof *binding->target_by_name,
              by_target_name);
    }
}

static void read_tasks(struct skr_binding *binding, const struct skr_fields *spec)
{
    const struct skr_fields list =
        skr_fields_list(spec, "gracefulEvictionTasks", SKR_BINDING_TASKS_MAX);
    binding->evicting = skr_fields_room(&list, list.n, sizeof *binding->evicting);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        binding->evicting[binding->n_evicting++] = skr_fields_text(&entry, "fromCluster");
    }
}

static void read_placement(struct skr_binding *binding, const struct skr_fields *spec)
{
    const struct skr_fields placement = skr_fields_object(spec, "placement");
    binding->has_placement = placement.json;
    binding->placement_text = placement.json ? skr_fields_json(&placement, 0) : "";
    if (!placement.json || spec->decoding->rc < 0) {
        return;
    }
    skr_binding_placement_decode(&placement, &binding->placement);
    if (is_refused(binding, spec)) {
        binding->placement = (struct skr_binding_placement){0};
    }
}

static void read_flags(struct skr_binding *binding, const struct skr_fields *spec)
{
    const struct skr_fields suspension = skr_fields_object(spec, "suspension");
    const struct skr_fields priority = skr_fields_object(spec, "schedulePriority");
    const struct skr_fields groups = skr_fields_object(spec, "workloadAffinityGroups");
    binding->has_affinity_groups = skr_fields_word(&groups, "affinityGroup")[0] != '\0' ||
                                   skr_fields_word(&groups, "antiAffinityGroup")[0] != '\0';
    binding->scheduler_name = skr_fields_text(spec, "schedulerName");
    binding->reschedule_at = skr_fields_time(spec, "rescheduleTriggeredAt", NULL);
    binding->suspended = skr_fields_bool(&suspension, "scheduling");
    binding->priority = skr_fields_int32(&priority, "priority", 0);
}

/* ---- status ---- */

static bool is_scheduled(const json_t *condition)
{
    return strcmp(skr_object_text(condition, "type"), "Scheduled") == 0;
}

/* A merge patch replaces lists: the conditions of others are written back as they were read. */
static void keep_others(struct skr_binding *binding, const struct skr_fields *status)
{
    const json_t *list = json_object_get(status->json, "conditions");
    SKR_STRBUF(others);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        SKR_AUTO_FREE char *text =
            is_scheduled(entry) ? NULL : json_dumps(entry, JSON_COMPACT | JSON_ENCODE_ANY);
        if (text) {
            skr_strbuf_addf(&others, "%s%s", others.len > 0 ? "," : "", text);
        }
    }
    binding->other_conditions = skr_fields_copy(status, others.len > 0 ? others.s : "");
}

static void read_status(struct skr_binding *binding, const struct skr_fields *status)
{
    const json_t *list = json_object_get(status->json, "conditions");
    json_t *found = NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        found = is_scheduled(json_array_get(list, i)) ? json_array_get(list, i) : found;
    }
    const struct skr_fields condition = skr_fields_at(status, "conditions", found);
    binding->last_scheduled = skr_fields_time(status, "lastScheduledTime", NULL);
    binding->observed_affinity = skr_fields_text(status, "schedulerObservingAffinityName");
    binding->observed_generation =
        json_integer_value(json_object_get(status->json, "schedulerObservedGeneration"));
    binding->condition_status = skr_fields_text(&condition, "status");
    binding->condition_reason = skr_fields_text(&condition, "reason");
    binding->condition_message = skr_fields_text(&condition, "message");
    binding->condition_since = skr_fields_time(&condition, "lastTransitionTime", NULL);
    keep_others(binding, status);
}

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_binding *binding = object;
    const struct skr_fields metadata = skr_fields_object(json, "metadata");
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields status = skr_fields_object(json, "status");
    read_metadata(binding, &metadata);
    read_flags(binding, &spec);
    read_resource(binding, &spec);
    read_replicas(binding, &spec);
    read_targets(binding, &spec);
    read_tasks(binding, &spec);
    read_placement(binding, &spec);
    read_questions(binding, &spec);
    read_status(binding, &status);
}

int skr_binding_decode(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_object_decode(json, "binding", sizeof(struct skr_binding), fill, ret, error);
}

/* ---- what it is ---- */

bool skr_binding_has_replicas(const struct skr_binding *binding)
{
    return binding->replicas > 0 || binding->has_requirements;
}

bool skr_binding_assigns_replicas(const struct skr_binding *binding)
{
    return skr_binding_has_replicas(binding) && binding->n_components <= 1;
}

bool skr_binding_uses_room(const struct skr_binding *binding)
{
    return (binding->replicas > 0 || binding->n_components > 0) &&
           binding->placement.kind != SKR_DIVISION_STATIC;
}

bool skr_binding_is_fresh(const struct skr_binding *binding)
{
    return binding->reschedule_at != 0 && binding->last_scheduled != 0 &&
           binding->reschedule_at > binding->last_scheduled;
}

const struct skr_target *skr_binding_target(const struct skr_binding *binding, const char *cluster)
{
    size_t low = 0;
    size_t high = binding->n_targets;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(binding->target_by_name[middle]->name, cluster) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found =
        low < binding->n_targets && strcmp(binding->target_by_name[low]->name, cluster) == 0;
    return found ? binding->target_by_name[low] : NULL;
}

bool skr_binding_is_evicting(const struct skr_binding *binding, const char *cluster)
{
    return skr_names_include(binding->evicting, binding->n_evicting, cluster);
}
