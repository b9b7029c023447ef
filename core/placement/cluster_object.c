/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ManagedCluster as expressions see it: what OCM's controller makes of its typed object. Fields that
 * the type does not have are left out, those without `omitempty` are there with their zero value
 * (https://github.com/open-cluster-management-io/api/blob/main/cluster/v1/types.go).
 */

#include "core/placement/cluster_cel.h"

enum zero { OMIT, ZERO_NULL, ZERO_TEXT, ZERO_FALSE, ZERO_STRUCT };

struct field {
    const char *name;
    enum zero zero;         /* when it is absent, null or empty */
    const struct field *of; /* of a struct, or of each entry of a list; NULL: anything */
    bool amounts;           /* a map of quantities, which may be written as numbers */
};

static const struct field metadata[] = {{"name", OMIT, NULL, false},
                                        {"generateName", OMIT, NULL, false},
                                        {"uid", OMIT, NULL, false},
                                        {"generation", OMIT, NULL, false},
                                        {"creationTimestamp", ZERO_NULL, NULL, false},
                                        {"deletionTimestamp", OMIT, NULL, false},
                                        {"deletionGracePeriodSeconds", OMIT, NULL, false},
                                        {"labels", OMIT, NULL, false},
                                        {"annotations", OMIT, NULL, false},
                                        {"ownerReferences", OMIT, NULL, false},
                                        {"finalizers", OMIT, NULL, false},
                                        {0}};
static const struct field config[] = {
    {"url", ZERO_TEXT, NULL, false}, {"caBundle", OMIT, NULL, false}, {0}};
static const struct field taint[] = {{"key", ZERO_TEXT, NULL, false},
                                     {"value", OMIT, NULL, false},
                                     {"effect", ZERO_TEXT, NULL, false},
                                     {"timeAdded", ZERO_NULL, NULL, false},
                                     {0}};
static const struct field spec[] = {{"managedClusterClientConfigs", OMIT, config, false},
                                    {"hubAcceptsClient", ZERO_FALSE, NULL, false},
                                    {"leaseDurationSeconds", OMIT, NULL, false},
                                    {"taints", OMIT, taint, false},
                                    {0}};
static const struct field condition[] = {{"type", ZERO_TEXT, NULL, false},
                                         {"status", ZERO_TEXT, NULL, false},
                                         {"observedGeneration", OMIT, NULL, false},
                                         {"lastTransitionTime", ZERO_NULL, NULL, false},
                                         {"reason", ZERO_TEXT, NULL, false},
                                         {"message", ZERO_TEXT, NULL, false},
                                         {0}};
static const struct field version[] = {{"kubernetes", OMIT, NULL, false}, {0}};
static const struct field claim[] = {
    {"name", OMIT, NULL, false}, {"value", OMIT, NULL, false}, {0}};
static const struct field status[] = {
    {"conditions", ZERO_NULL, condition, false}, {"capacity", OMIT, NULL, true},
    {"allocatable", OMIT, NULL, true},           {"version", ZERO_STRUCT, version, false},
    {"clusterClaims", OMIT, claim, false},       {0}};
static const struct field object[] = {{"metadata", ZERO_STRUCT, metadata, false},
                                      {"spec", ZERO_STRUCT, spec, false},
                                      {"status", ZERO_STRUCT, status, false},
                                      {0}};

static struct skr_cel_value no_room(void)
{
    return skr_cel_error("out of memory");
}

static struct skr_cel_value of_struct(const json_t *json, const struct field *fields,
                                      struct skr_arena *arena);

static struct skr_cel_value of_list(const json_t *json, const struct field *fields,
                                    struct skr_arena *arena)
{
    const size_t n = json_array_size(json);
    struct skr_cel_value *item = skr_arena_array(arena, n + 1, sizeof *item);
    for (size_t i = 0; item && i < n; i++) {
        item[i] = of_struct(json_array_get(json, i), fields, arena);
        if (item[i].kind == SKR_CEL_ERROR) {
            return item[i];
        }
    }
    return item ? (struct skr_cel_value){.kind = SKR_CEL_LIST, .n = (uint32_t)n, .item = item}
                : no_room();
}

/* Quantities are texts, whatever the JSON has. */
static struct skr_cel_value of_amounts(const json_t *json, struct skr_arena *arena)
{
    struct skr_cel_value map = skr_cel_of_json(json, false, arena);
    for (size_t i = 0; map.kind == SKR_CEL_MAP && i < map.n; i++) {
        struct skr_cel_value *value = (struct skr_cel_value *)(uintptr_t)&map.entry[i].value;
        char text[32];
        if (value->kind == SKR_CEL_INT) {
            (void)snprintf(text, sizeof text, "%lld", (long long)value->integer);
            const char *copy = skr_arena_strdup(arena, text);
            *value = copy ? skr_cel_text(copy) : skr_cel_null();
        }
    }
    return map;
}

static bool is_empty(const json_t *json)
{
    return !json || json_is_null(json) || (json_is_string(json) && !json_string_length(json)) ||
           (json_is_array(json) && json_array_size(json) == 0) ||
           (json_is_object(json) && json_object_size(json) == 0) || json_is_false(json) ||
           (json_is_integer(json) && json_integer_value(json) == 0);
}

static struct skr_cel_value zero_of(const struct field *field, const json_t *json,
                                    struct skr_arena *arena)
{
    switch (field->zero) {
    case ZERO_TEXT:
        return skr_cel_string("", 0);
    case ZERO_FALSE:
        return skr_cel_bool(false);
    case ZERO_STRUCT:
        return of_struct(NULL, field->of, arena);
    case ZERO_NULL: /* a list that is there and empty is a list */
        return json_is_array(json) ? of_list(json, field->of, arena) : skr_cel_null();
    case OMIT:
        break;
    }
    return skr_cel_null();
}

static struct skr_cel_value value_of(const struct field *field, const json_t *json,
                                     struct skr_arena *arena)
{
    if (is_empty(json)) {
        return zero_of(field, json, arena);
    }
    if (field->amounts) {
        return of_amounts(json, arena);
    }
    return !field->of            ? skr_cel_of_json(json, false, arena)
           : json_is_array(json) ? of_list(json, field->of, arena)
                                 : of_struct(json, field->of, arena);
}

/* At most as deep as the tables above. */
static struct skr_cel_value of_struct(const json_t *json, const struct field *fields,
                                      struct skr_arena *arena)
{
    size_t n = 0;
    while (fields[n].name) {
        n++;
    }
    struct skr_cel_entry *entry = skr_arena_array(arena, n + 1, sizeof *entry);
    struct skr_cel_value made = {.kind = SKR_CEL_MAP, .n = 0, .entry = entry};
    for (size_t i = 0; entry && i < n; i++) {
        const json_t *value = json_object_get(json, fields[i].name);
        if (fields[i].zero == OMIT && is_empty(value)) {
            continue;
        }
        entry[made.n].key = skr_cel_text(fields[i].name);
        entry[made.n].value = value_of(&fields[i], value, arena);
        if (entry[made.n++].value.kind == SKR_CEL_ERROR) {
            return entry[made.n - 1].value;
        }
    }
    return entry ? made : no_room();
}

void skr_cluster_object_read(struct skr_managed_cluster *cluster, const struct skr_fields *json)
{
    cluster->object = of_struct(json->json, object, cluster->arena);
    if (cluster->object.kind == SKR_CEL_ERROR) {
        skr_fields_refuse(json, SKR_LIMIT, "the object is too large: %s", cluster->object.text);
    }
}
