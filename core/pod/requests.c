/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of a pod from its JSON. Sums are kept in vectors sorted by resource name on the stack;
 * names are borrowed from the JSON until the result is copied. Method: component-helpers
 * resource/helpers.go (PodRequests, AggregateContainerRequests), scheduler framework
 * (PodInfo.CalculateResource). Limits: SKR_POD_CONTAINERS_MAX, SKR_POD_RESOURCES_MAX. A sum beyond
 * int64 is the largest amount there is, which fits nowhere.
 */
#include "core/pod/requests.h"

#include <stdio.h>
#include <string.h>

#include "core/pod/parts.h"
#include "topology/base/json_field.h"

struct vector {
    size_t n;
    struct skr_quantity_item item[SKR_POD_RESOURCES_MAX];
};

/* Index of name, or where it belongs. */
static size_t vector_find(const struct vector *v, const char *name, bool *found)
{
    size_t low = 0;
    size_t high = v->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(v->item[middle].name, name);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *found = false;
    return low;
}

/* The amount of name, added as 0 when new; NULL when the vector is full. */
static int64_t *vector_at(struct vector *v, const char *name)
{
    bool found;
    size_t at = vector_find(v, name, &found);
    if (found) {
        return &v->item[at].amount;
    }
    if (v->n == SKR_POD_RESOURCES_MAX) {
        return NULL;
    }
    memmove(&v->item[at + 1], &v->item[at], (v->n - at) * sizeof v->item[0]);
    v->item[at] = (struct skr_quantity_item){.name = name, .amount = 0};
    v->n++;
    return &v->item[at].amount;
}

enum how { ADD, MAX, SET };

static int merge_one(struct vector *to, const char *name, int64_t amount, enum how how,
                     struct skr_error *error)
{
    int64_t *at = vector_at(to, name);
    if (!at) {
        return skr_error_set_key(error, SKR_LIMIT, "spec", "more than %d distinct resources",
                                 (int)SKR_POD_RESOURCES_MAX);
    }
    if (how == SET || (how == MAX && amount > *at)) {
        *at = amount;
    } else if (how == ADD) {
        *at = amount > INT64_MAX - *at ? INT64_MAX : *at + amount;
    }
    return 0;
}

static int merge(struct vector *to, const struct vector *from, enum how how,
                 struct skr_error *error)
{
    for (size_t i = 0; i < from->n; i++) {
        int rc = merge_one(to, from->item[i].name, from->item[i].amount, how, error);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

/* A number that is no string, as it comes out of YAML, in quantity notation. */
static void number_text(const json_t *value, char *buffer, size_t size)
{
    if (json_is_integer(value)) {
        snprintf(buffer, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else {
        snprintf(buffer, size, "%.15g", json_real_value(value));
    }
}

/* One resource list into to. list NULL: nothing. */
static int read_list(json_t *list, const struct skr_field_path *up, const char *key, enum how how,
                     struct vector *to, struct skr_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach(list, name, value)
    {
        char number[40];
        struct skr_field_path here = {.up = up, .key = key, .index = SKR_FIELD_NO_INDEX};
        if (json_is_number(value)) {
            number_text(value, number, sizeof number);
        } else if (!json_is_string(value)) {
            return skr_field_set_type_error(&here, name, "a quantity", value, error);
        }
        const char *text = json_is_string(value) ? json_string_value(value) : number;
        int64_t amount;
        int rc = skr_resource_parse(name, text, &amount, error);
        if (rc < 0) {
            return skr_field_prefix(&here, name, error);
        }
        rc = merge_one(to, name, amount, how, error);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

/* object.key1.key2 as a resource list, merged into to. */
static int read_nested(json_t *object, const struct skr_field_path *path, const char *key1,
                       const char *key2, enum how how, struct vector *to, struct skr_error *error)
{
    json_t *outer;
    json_t *list;
    struct skr_field_path inner = {.up = path, .key = key1, .index = SKR_FIELD_NO_INDEX};
    int rc = skr_field_object(object, path, key1, &outer, error);
    if (rc < 0 || !outer) {
        return rc;
    }
    rc = skr_field_object(outer, &inner, key2, &list, error);
    if (rc < 0 || !list) {
        return rc;
    }
    return read_list(list, &inner, key2, how, to, error);
}

/* The states of a resize that the status tells. */
struct resize {
    json_t *containers; /* status.containerStatuses, NULL: none */
    json_t *init_containers;
    bool infeasible; /* condition PodResizePending with reason Infeasible */
};

/* status.resources and allocatedResources of one container (or of the pod: holder is the status)
 * on top of what the spec wants. A holder without resources leaves the spec's word. */
static int apply_status(json_t *holder, const struct skr_field_path *path, bool infeasible,
                        struct vector *requests, struct skr_error *error)
{
    json_t *resources;
    json_t *allocated;
    int rc = skr_field_object(holder, path, "resources", &resources, error);
    if (rc < 0 || !resources) {
        return rc;
    }
    rc = skr_field_object(holder, path, "allocatedResources", &allocated, error);
    if (rc < 0) {
        return rc;
    }
    if (infeasible) {
        requests->n = 0;
    }
    rc = read_nested(holder, path, "resources", "requests", MAX, requests, error);
    if (rc < 0 || !allocated) {
        return rc;
    }
    return read_list(allocated, path, "allocatedResources", MAX, requests, error);
}

/* The status entry of a container, NULL when there is none. Entry at is tried first: lists are
 * usually in the same order. */
static int find_status(json_t *statuses, const char *list_key, size_t at, const char *name,
                       json_t **ret, size_t *ret_index, struct skr_error *error)
{
    struct skr_field_path up = {.up = NULL, .key = "status", .index = SKR_FIELD_NO_INDEX};
    struct skr_field_path list = {.up = &up, .key = list_key, .index = SKR_FIELD_NO_INDEX};
    size_t n = json_array_size(statuses);
    *ret = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t index = (at + i) % n;
        struct skr_field_path path = {.up = &up, .key = list_key, .index = index};
        json_t *entry;
        const char *found;
        int rc = skr_field_entry(statuses, &list, index, &entry, error);
        if (rc == 0) {
            rc = skr_field_string(entry, &path, "name", &found, error);
        }
        if (rc < 0) {
            return rc;
        }
        if (strcmp(found, name) == 0) {
            *ret = entry;
            *ret_index = index;
            return 0;
        }
    }
    return 0;
}

/* What one container asks for. statuses NULL: the spec alone counts. */
static int read_container(json_t *container, const struct skr_field_path *path, json_t *statuses,
                          const char *status_key, bool infeasible, struct vector *ret,
                          struct skr_error *error)
{
    ret->n = 0;
    int rc = read_nested(container, path, "resources", "requests", SET, ret, error);
    if (rc < 0 || !statuses) {
        return rc;
    }
    const char *name;
    json_t *entry = NULL;
    size_t index = 0;
    rc = skr_field_string(container, path, "name", &name, error);
    if (rc == 0) {
        rc = find_status(statuses, status_key, path->index, name, &entry, &index, error);
    }
    if (rc < 0 || !entry) {
        return rc;
    }
    struct skr_field_path up = {.up = NULL, .key = "status", .index = SKR_FIELD_NO_INDEX};
    struct skr_field_path here = {.up = &up, .key = status_key, .index = index};
    return apply_status(entry, &here, infeasible, ret, error);
}

static int add_containers(json_t *list, const struct skr_field_path *spec,
                          const struct resize *resize, struct vector *total,
                          struct skr_error *error)
{
    struct skr_field_path array = {.up = spec, .key = "containers", .index = SKR_FIELD_NO_INDEX};
    struct vector one;
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {.up = spec, .key = "containers", .index = i};
        json_t *container;
        int rc = skr_field_entry(list, &array, i, &container, error);
        if (rc == 0) {
            rc = read_container(container, &path, resize->containers, "containerStatuses",
                                resize->infeasible, &one, error);
        }
        if (rc == 0) {
            rc = merge(total, &one, ADD, error);
        }
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

/* Sidecars join the total; *peak becomes the most that initialising needs at any time. */
static int add_init_containers(json_t *list, const struct skr_field_path *spec,
                               const struct resize *resize, struct vector *total,
                               struct vector *peak, struct skr_error *error)
{
    struct skr_field_path array = {
        .up = spec, .key = "initContainers", .index = SKR_FIELD_NO_INDEX};
    struct vector sidecars = {.n = 0};
    struct vector one;
    peak->n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {.up = spec, .key = "initContainers", .index = i};
        json_t *container;
        const char *restart;
        int rc = skr_field_entry(list, &array, i, &container, error);
        if (rc == 0) {
            rc = skr_field_string(container, &path, "restartPolicy", &restart, error);
        }
        if (rc < 0) {
            return rc;
        }
        bool sidecar = strcmp(restart, "Always") == 0;
        rc = read_container(container, &path, sidecar ? resize->init_containers : NULL,
                            "initContainerStatuses", resize->infeasible, &one, error);
        if (rc == 0 && sidecar) {
            rc = merge(total, &one, ADD, error);
        }
        if (rc == 0 && sidecar) {
            rc = merge(&sidecars, &one, ADD, error);
        }
        if (rc == 0 && !sidecar) {
            rc = merge(&one, &sidecars, ADD, error);
        }
        if (rc == 0) {
            rc = merge(peak, sidecar ? &sidecars : &one, MAX, error);
        }
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static bool is_pod_level(const char *name)
{
    return strcmp(name, "cpu") == 0 || strcmp(name, "memory") == 0 ||
           strncmp(name, "hugepages-", strlen("hugepages-")) == 0;
}

/* Pod-level requests replace the sums of the resources they may name. */
static int apply_pod_level(json_t *spec, json_t *status, const struct skr_field_path *path,
                           const struct resize *resize, struct vector *total,
                           struct skr_error *error)
{
    struct skr_field_path status_path = {.up = NULL, .key = "status", .index = SKR_FIELD_NO_INDEX};
    struct vector wanted = {.n = 0};
    struct vector effective;
    int rc = read_nested(spec, path, "resources", "requests", SET, &wanted, error);
    if (rc < 0) {
        return rc;
    }
    effective = wanted;
    if (status && wanted.n > 0) {
        rc = apply_status(status, &status_path, resize->infeasible, &effective, error);
    }
    if (rc < 0) {
        return rc;
    }
    for (size_t i = 0; i < wanted.n; i++) {
        bool found;
        const char *name = wanted.item[i].name;
        if (!is_pod_level(name)) {
            continue;
        }
        size_t at = vector_find(&effective, name, &found);
        rc = merge_one(total, name, found ? effective.item[at].amount : 0, SET, error);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int read_resize(json_t *status, struct resize *ret, struct skr_error *error)
{
    struct skr_field_path path = {.up = NULL, .key = "status", .index = SKR_FIELD_NO_INDEX};
    struct skr_field_path list = {.up = &path, .key = "conditions", .index = SKR_FIELD_NO_INDEX};
    json_t *conditions;
    *ret = (struct resize){.containers = NULL};
    if (!status) {
        return 0;
    }
    int rc = skr_field_array(status, &path, "containerStatuses", SKR_POD_CONTAINERS_MAX,
                             &ret->containers, error);
    if (rc == 0) {
        rc = skr_field_array(status, &path, "initContainerStatuses", SKR_POD_CONTAINERS_MAX,
                             &ret->init_containers, error);
    }
    if (rc == 0) {
        rc = skr_field_array(status, &path, "conditions", SKR_POD_LISTS_MAX, &conditions, error);
    }
    if (rc < 0) {
        return rc;
    }
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        struct skr_field_path here = {.up = &path, .key = "conditions", .index = i};
        json_t *condition;
        const char *type;
        const char *reason;
        rc = skr_field_entry(conditions, &list, i, &condition, error);
        if (rc == 0) {
            rc = skr_field_string(condition, &here, "type", &type, error);
        }
        if (rc == 0) {
            rc = skr_field_string(condition, &here, "reason", &reason, error);
        }
        if (rc < 0) {
            return rc;
        }
        if (strcmp(type, "PodResizePending") == 0) {
            ret->infeasible = strcmp(reason, "Infeasible") == 0;
            break;
        }
    }
    return 0;
}

static int sum_requests(json_t *spec, json_t *status, struct vector *total, struct vector *peak,
                        struct skr_error *error)
{
    struct skr_field_path path = {.up = NULL, .key = "spec", .index = SKR_FIELD_NO_INDEX};
    struct resize resize;
    json_t *containers;
    json_t *init_containers;
    json_t *overhead;
    int rc = read_resize(status, &resize, error);
    if (rc == 0) {
        rc = skr_field_array(spec, &path, "containers", SKR_POD_CONTAINERS_MAX, &containers, error);
    }
    if (rc == 0) {
        rc = skr_field_array(spec, &path, "initContainers", SKR_POD_CONTAINERS_MAX,
                             &init_containers, error);
    }
    if (rc == 0) {
        rc = skr_field_object(spec, &path, "overhead", &overhead, error);
    }
    if (rc == 0) {
        rc = add_containers(containers, &path, &resize, total, error);
    }
    if (rc == 0) {
        rc = add_init_containers(init_containers, &path, &resize, total, peak, error);
    }
    if (rc == 0) {
        rc = merge(total, peak, MAX, error);
    }
    if (rc == 0) {
        rc = apply_pod_level(spec, status, &path, &resize, total, error);
    }
    if (rc == 0) {
        rc = read_list(overhead, &path, "overhead", ADD, total, error);
    }
    return rc;
}

int skr_pod_requests_decode(struct skr_arena *arena, json_t *spec, json_t *status,
                            struct skr_quantities *ret, struct skr_error *error)
{
    struct vector total = {.n = 0};
    struct vector peak;
    int rc = sum_requests(spec, status, &total, &peak, error);
    if (rc == 0) {
        rc = merge_one(&total, "pods", 1, SET, error);
    }
    if (rc < 0) {
        return rc;
    }
    struct skr_quantities copy = {.n = 0};
    copy.item = skr_arena_array(arena, total.n, sizeof copy.item[0]);
    for (size_t i = 0; copy.item && i < total.n; i++) {
        if (total.item[i].amount == 0) {
            continue;
        }
        char *name = skr_arena_strdup(arena, total.item[i].name);
        if (!name) {
            return skr_pod_no_room(error);
        }
        copy.item[copy.n++] =
            (struct skr_quantity_item){.name = name, .amount = total.item[i].amount};
    }
    if (!copy.item) {
        return skr_pod_no_room(error);
    }
    *ret = copy;
    return 0;
}
