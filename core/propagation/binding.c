/* SPDX-License-Identifier: Apache-2.0 */
/* A binding of Karmada from JSON. Limits: see the header. */
#include "core/propagation/binding.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/strbuf.h"

static const struct skr_field_path metadata_path = {
    .up = NULL, .key = "metadata", .index = SKR_FIELD_NO_INDEX};
static const struct skr_field_path spec_path = {
    .up = NULL, .key = "spec", .index = SKR_FIELD_NO_INDEX};
static const struct skr_field_path status_path = {
    .up = NULL, .key = "status", .index = SKR_FIELD_NO_INDEX};

static const char *const managing_label[] = {
    "propagationpolicy.karmada.io/permanent-id",
    "clusterpropagationpolicy.karmada.io/permanent-id",
    "binding.karmada.io/managed-by",
};

static int no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_LIMIT, "binding: larger than %d bytes decoded",
                         (int)SKR_OBJECT_BYTES_MAX);
}

static int copy_text(struct skr_arena *arena, json_t *object, const struct skr_field_path *path,
                     const char *key, const char **ret, struct skr_error *error)
{
    const char *text = "";
    int rc = skr_field_string(object, path, key, &text, error);
    if (rc < 0) {
        return rc;
    }
    *ret = skr_arena_strdup(arena, text);
    return *ret ? 0 : no_room(error);
}

static int read_time(json_t *object, const struct skr_field_path *path, const char *key,
                     skr_time *ret, struct skr_error *error)
{
    const char *text = "";
    int rc = skr_field_string(object, path, key, &text, error);
    if (rc < 0 || text[0] == '\0') {
        return rc;
    }
    return skr_time_parse(text, ret, error) < 0 ? skr_field_prefix(path, key, error) : 0;
}

static int read_metadata(struct skr_binding *binding, const json_t *json, struct skr_error *error)
{
    json_t *annotations = NULL;
    json_t *metadata = json_object_get(json, "metadata");
    int rc = skr_meta_decode(binding->arena, json, NULL, &binding->meta, error);
    if (rc < 0) {
        return rc;
    }
    if (binding->meta.name[0] == '\0') {
        return skr_error_set_key(error, SKR_INVALID, "metadata.name", "missing");
    }
    binding->generation = json_integer_value(json_object_get(metadata, "generation"));
    for (size_t i = 0; i < sizeof managing_label / sizeof managing_label[0]; i++) {
        const char *value = skr_labels_get(&binding->meta.labels, managing_label[i]);
        binding->is_managed = binding->is_managed || (value && value[0] != '\0');
    }
    rc = skr_field_object(metadata, &metadata_path, "annotations", &annotations, error);
    return rc < 0 ? rc
                  : copy_text(binding->arena, annotations, &metadata_path,
                              "policy.karmada.io/applied-placement", &binding->applied_text, error);
}

static int read_resource(struct skr_binding *binding, json_t *spec, struct skr_error *error)
{
    static const struct skr_field_path path = {
        .up = &spec_path, .key = "resource", .index = SKR_FIELD_NO_INDEX};
    struct skr_object_reference *to = &binding->resource;
    json_t *resource = NULL;
    int rc = skr_field_object(spec, &spec_path, "resource", &resource, error);
    if (rc < 0 ||
        (rc = copy_text(binding->arena, resource, &path, "apiVersion", &to->api_version, error)) <
            0 ||
        (rc = copy_text(binding->arena, resource, &path, "kind", &to->kind, error)) < 0 ||
        (rc = copy_text(binding->arena, resource, &path, "namespace", &to->namespace_, error)) <
            0 ||
        (rc = copy_text(binding->arena, resource, &path, "name", &to->name, error)) < 0) {
        return rc;
    }
    return copy_text(binding->arena, resource, &path, "uid", &to->uid, error);
}

/* What rc says of a part that users choose the size of: beyond a limit it is not read, and said. */
static int read_within_limits(struct skr_binding *binding, int rc, struct skr_error *error)
{
    if (rc != -SKR_LIMIT) {
        return rc;
    }
    binding->refusal = skr_arena_strdup(binding->arena, error->text);
    *error = (struct skr_error){.code = SKR_OK};
    return binding->refusal ? 0 : no_room(error);
}

static int read_replicas(struct skr_binding *binding, json_t *spec, struct skr_error *error)
{
    json_t *requirements = NULL;
    json_t *components = NULL;
    int rc = skr_field_int32(spec, &spec_path, "replicas", 0, &binding->replicas, error);
    if (rc < 0) {
        return rc;
    }
    if (binding->replicas < 0) {
        return skr_error_set_key(error, SKR_INVALID, "spec.replicas", "must be 0 or more, got %d",
                                 (int)binding->replicas);
    }
    if ((rc = skr_field_object(spec, &spec_path, "replicaRequirements", &requirements, error)) <
            0 ||
        (rc = skr_field_array(spec, &spec_path, "components", SKR_BINDING_COMPONENTS_MAX,
                              &components, error)) < 0) {
        return rc;
    }
    binding->has_requirements = requirements;
    binding->n_components = json_array_size(components);
    rc =
        skr_quantities_decode(binding->arena, json_object_get(requirements, "resourceRequest"),
                              "spec.replicaRequirements.resourceRequest", &binding->request, error);
    if (rc < 0) {
        binding->request = (struct skr_quantities){0};
    }
    return read_within_limits(binding, rc, error);
}

static int by_target_name(const void *a, const void *b)
{
    const struct skr_target *const *x = a;
    const struct skr_target *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

static int sort_targets(struct skr_binding *binding, struct skr_error *error)
{
    size_t n = binding->n_targets;
    binding->target_by_name = skr_arena_array(binding->arena, n, sizeof *binding->target_by_name);
    if (!binding->target_by_name) {
        return no_room(error);
    }
    for (size_t i = 0; i < n; i++) {
        binding->target_by_name[i] = &binding->target[i];
    }
    if (n > 1) {
        qsort(binding->target_by_name, n, sizeof *binding->target_by_name, by_target_name);
    }
    return 0;
}

static int read_targets(struct skr_binding *binding, json_t *spec, struct skr_error *error)
{
    static const struct skr_field_path array = {
        .up = &spec_path, .key = "clusters", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(spec, &spec_path, "clusters", SKR_BINDING_CLUSTERS_MAX, &list, error);
    if (rc < 0) {
        return rc;
    }
    binding->target =
        skr_arena_array(binding->arena, json_array_size(list), sizeof *binding->target);
    if (!binding->target) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {.up = &spec_path, .key = "clusters", .index = i};
        struct skr_target *target = &binding->target[i];
        json_t *entry = NULL;
        if ((rc = skr_field_entry(list, &array, i, &entry, error)) < 0 ||
            (rc = copy_text(binding->arena, entry, &path, "name", &target->name, error)) < 0 ||
            (rc = skr_field_int32(entry, &path, "replicas", 0, &target->replicas, error)) < 0) {
            return rc;
        }
        if (target->replicas < 0) {
            return skr_field_set_error(&path, "replicas", error, SKR_INVALID,
                                       "must be 0 or more, got %d", (int)target->replicas);
        }
        target->has_replicas = json_is_integer(json_object_get(entry, "replicas"));
        binding->n_targets++;
    }
    return sort_targets(binding, error);
}

static int read_tasks(struct skr_binding *binding, json_t *spec, struct skr_error *error)
{
    static const struct skr_field_path array = {
        .up = &spec_path, .key = "gracefulEvictionTasks", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(spec, &spec_path, "gracefulEvictionTasks", SKR_BINDING_TASKS_MAX,
                             &list, error);
    if (rc < 0) {
        return rc;
    }
    binding->evicting =
        skr_arena_array(binding->arena, json_array_size(list), sizeof *binding->evicting);
    if (!binding->evicting) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {.up = &spec_path, .key = "gracefulEvictionTasks", .index = i};
        json_t *entry = NULL;
        if ((rc = skr_field_entry(list, &array, i, &entry, error)) < 0 ||
            (rc = copy_text(binding->arena, entry, &path, "fromCluster", &binding->evicting[i],
                            error)) < 0) {
            return rc;
        }
        binding->n_evicting++;
    }
    return 0;
}

static int read_placement(struct skr_binding *binding, json_t *spec, struct skr_error *error)
{
    json_t *placement = NULL;
    int rc = skr_field_object(spec, &spec_path, "placement", &placement, error);
    binding->placement_text = "";
    if (rc < 0 || !placement) {
        return rc;
    }
    char *text = json_dumps(placement, JSON_COMPACT);
    binding->has_placement = true;
    binding->placement_text = text ? skr_arena_strdup(binding->arena, text) : NULL;
    free(text);
    if (!binding->placement_text) {
        return no_room(error);
    }
    rc = skr_binding_placement_decode(binding->arena, placement, &binding->placement, error);
    if (rc < 0) {
        binding->placement = (struct skr_binding_placement){0};
    }
    return read_within_limits(binding, rc, error);
}

static int read_flags(struct skr_binding *binding, json_t *spec, struct skr_error *error)
{
    static const struct skr_field_path suspension_path = {
        .up = &spec_path, .key = "suspension", .index = SKR_FIELD_NO_INDEX};
    static const struct skr_field_path priority_path = {
        .up = &spec_path, .key = "schedulePriority", .index = SKR_FIELD_NO_INDEX};
    json_t *suspension = NULL;
    json_t *priority = NULL;
    int rc = copy_text(binding->arena, spec, &spec_path, "schedulerName", &binding->scheduler_name,
                       error);
    if (rc < 0 ||
        (rc = read_time(spec, &spec_path, "rescheduleTriggeredAt", &binding->reschedule_at,
                        error)) < 0 ||
        (rc = skr_field_object(spec, &spec_path, "suspension", &suspension, error)) < 0 ||
        (rc = skr_field_bool(suspension, &suspension_path, "scheduling", &binding->suspended,
                             error)) < 0 ||
        (rc = skr_field_object(spec, &spec_path, "schedulePriority", &priority, error)) < 0) {
        return rc;
    }
    return skr_field_int32(priority, &priority_path, "priority", 0, &binding->priority, error);
}

/* ---- status ---- */

static bool is_scheduled(const json_t *condition)
{
    const char *type = json_string_value(json_object_get(condition, "type"));
    return type && strcmp(type, "Scheduled") == 0;
}

/* A merge patch replaces lists: the conditions of others are written back as they were read. */
static int keep_others(struct skr_binding *binding, const json_t *list, struct skr_error *error)
{
    struct skr_strbuf others;
    skr_strbuf_init(&others);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        char *text = is_scheduled(entry) ? NULL : json_dumps(entry, JSON_COMPACT | JSON_ENCODE_ANY);
        if (text) {
            skr_strbuf_addf(&others, "%s%s", others.len > 0 ? "," : "", text);
        }
        free(text);
    }
    binding->other_conditions = skr_arena_strdup(binding->arena, others.len > 0 ? others.s : "");
    skr_strbuf_fini(&others);
    return binding->other_conditions ? 0 : no_room(error);
}

static int read_condition(struct skr_binding *binding, json_t *status, struct skr_error *error)
{
    json_t *list = json_object_get(status, "conditions");
    static const struct skr_field_path path = {
        .up = &status_path, .key = "conditions", .index = SKR_FIELD_NO_INDEX};
    json_t *found = NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        found = is_scheduled(json_array_get(list, i)) ? json_array_get(list, i) : found;
    }
    int rc = copy_text(binding->arena, found, &path, "status", &binding->condition_status, error);
    if (rc < 0 ||
        (rc = copy_text(binding->arena, found, &path, "reason", &binding->condition_reason,
                        error)) < 0 ||
        (rc = copy_text(binding->arena, found, &path, "message", &binding->condition_message,
                        error)) < 0 ||
        (rc = read_time(found, &path, "lastTransitionTime", &binding->condition_since, error)) <
            0) {
        return rc;
    }
    return keep_others(binding, list, error);
}

static int read_status(struct skr_binding *binding, const json_t *json, struct skr_error *error)
{
    json_t *status = NULL;
    int rc = skr_field_object(json, NULL, "status", &status, error);
    if (rc < 0 ||
        (rc = read_time(status, &status_path, "lastScheduledTime", &binding->last_scheduled,
                        error)) < 0 ||
        (rc = copy_text(binding->arena, status, &status_path, "schedulerObservingAffinityName",
                        &binding->observed_affinity, error)) < 0) {
        return rc;
    }
    binding->observed_generation =
        json_integer_value(json_object_get(status, "schedulerObservedGeneration"));
    return read_condition(binding, status, error);
}

static int read_all(struct skr_binding *binding, const json_t *json, struct skr_error *error)
{
    json_t *spec = NULL;
    int rc = read_metadata(binding, json, error);
    if (rc < 0 || (rc = skr_field_object(json, NULL, "spec", &spec, error)) < 0 ||
        (rc = read_flags(binding, spec, error)) < 0 ||
        (rc = read_resource(binding, spec, error)) < 0 ||
        (rc = read_replicas(binding, spec, error)) < 0 ||
        (rc = read_targets(binding, spec, error)) < 0 ||
        (rc = read_tasks(binding, spec, error)) < 0 ||
        (rc = read_placement(binding, spec, error)) < 0) {
        return rc;
    }
    return read_status(binding, json, error);
}

int skr_binding_decode(const json_t *json, struct skr_binding **ret, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_binding *binding = arena ? skr_arena_alloc(arena, sizeof *binding) : NULL;
    if (!binding) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "binding: out of memory");
    }
    binding->arena = arena;
    int rc = read_all(binding, json, error);
    if (rc < 0) {
        skr_arena_destroy(arena);
        return rc;
    }
    *ret = binding;
    return 0;
}

void skr_binding_destroy(struct skr_binding *binding)
{
    if (binding) {
        skr_arena_destroy(binding->arena);
    }
}

/* ---- what it is ---- */

bool skr_binding_is_workload(const struct skr_binding *binding)
{
    return binding->replicas > 0 || binding->has_requirements;
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
    for (size_t i = 0; i < binding->n_evicting; i++) {
        if (strcmp(binding->evicting[i], cluster) == 0) {
            return true;
        }
    }
    return false;
}
