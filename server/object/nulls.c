/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk that copies what leads to a null. The maps are found by their names: the fields of
 * Kubernetes that are maps have the same names in all kinds, but for those with a parent.
 */
#include "server/object/nulls.h"

#include <string.h>

#include "server/object/pairs.h"
#include "server/object/path.h"
#include "topology/base/error.h"
#include "topology/base/json_field.h"

struct map_field {
    const char *name;
    const char *zero;   /* what null is in it */
    const char *parent; /* the member that holds it; "": the object itself; NULL: any */
    const char *kind;   /* NULL: any */
};

static const struct map_field map_fields[] = {
    {"allocatable", "0", "status", NULL},
    {"allocatedResources", "0", NULL, NULL},
    {"annotations", "", NULL, NULL},
    {"binaryData", "", "", NULL},
    {"capacity", "0", "spec", NULL},
    {"capacity", "0", "status", NULL},
    {"data", "", "", NULL},
    {"default", "0", NULL, "LimitRange"},
    {"defaultRequest", "0", NULL, "LimitRange"},
    {"hard", "0", NULL, "ResourceQuota"},
    {"labels", "", NULL, NULL},
    {"limits", "0", NULL, NULL},
    {"matchLabels", "", NULL, NULL},
    {"max", "0", NULL, "LimitRange"},
    {"min", "0", NULL, "LimitRange"},
    {"nodeSelector", "", "spec", NULL},
    {"overhead", "0", "spec", NULL},
    {"parameters", "", "", NULL},
    {"requests", "0", NULL, NULL},
    {"selector", "", "spec", "ReplicationController"},
    {"selector", "", "spec", "Service"},
    {"stringData", "", "", NULL},
    {"used", "0", "status", "ResourceQuota"},
    {"volumeAttributes", "", NULL, NULL},
};

/* A value and how its members are read. */
struct place {
    const char *kind;
    const char *name; /* of the member; "": the object itself */
    const char *zero; /* NULL: a struct, whose nulls are absent */
    bool typed;       /* the fields of map_fields are maps */
};

static bool is_tree(const json_t *value)
{
    return json_is_object(value) || json_is_array(value);
}

static bool has_nulls(const json_t *value, const json_t *known)
{
    json_t *child;
    size_t i;
    if (value == known || !is_tree(value)) {
        return false;
    }
    struct skr_pairs p = skr_pairs_of(value, known);
    while (skr_pairs_next(&p)) {
        if (json_is_null(p.value) || (is_tree(p.value) && has_nulls(p.value, p.other))) {
            return true;
        }
    }
    json_array_foreach(value, i, child)
    {
        if (json_is_null(child) || (is_tree(child) && has_nulls(child, json_array_get(known, i)))) {
            return true;
        }
    }
    return false;
}

bool skr_nulls_any(const json_t *value)
{
    return json_is_null(value) || has_nulls(value, NULL);
}

static const char *zero_of(const struct place *at, const char *name)
{
    for (size_t i = 0; at->typed && !at->zero && i < sizeof map_fields / sizeof *map_fields; i++) {
        const struct map_field *field = &map_fields[i];
        if (strcmp(field->name, name) == 0 &&
            (!field->parent || strcmp(field->parent, at->name) == 0) &&
            (!field->kind || strcmp(field->kind, at->kind) == 0)) {
            return field->zero;
        }
    }
    return NULL;
}

/* What null is in the list: "" among strings, {} among structs. Of a list of nulls alone, the name
 * tells. A reference. */
static json_t *zero_in(const json_t *list, const struct place *at)
{
    static const char *const texts[] = {"args", "command", "values"};
    json_t *child;
    size_t i;
    if (!at->typed) {
        return json_null();
    }
    json_array_foreach(list, i, child)
    {
        if (!json_is_null(child)) {
            return json_is_string(child)   ? json_string("")
                   : json_is_object(child) ? json_object()
                                           : json_null();
        }
    }
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(texts[i], at->name) == 0) {
            return json_string("");
        }
    }
    return json_object();
}

static json_t *resolved(const json_t *value, const struct place *at, const json_t *known);

static json_t *resolved_list(const json_t *list, const struct place *at, const json_t *known)
{
    json_t *copy = json_array();
    json_t *child;
    size_t i;
    skr_bug_on(!copy);
    json_array_foreach(list, i, child)
    {
        json_array_append_new(copy, json_is_null(child)
                                        ? zero_in(list, at)
                                        : resolved(child, at, json_array_get(known, i)));
    }
    return copy;
}

static json_t *resolved(const json_t *value, const struct place *at, const json_t *known)
{
    const bool is_root = at->name[0] == '\0';
    const char *key;
    json_t *child;
    if (!has_nulls(value, known)) {
        return skr_path_ref(value);
    }
    if (json_is_array(value)) {
        return resolved_list(value, at, known);
    }
    json_t *copy = json_object();
    skr_bug_on(!copy);
    json_object_foreach(skr_object_unconst(value), key, child)
    {
        const bool typed = at->typed || (is_root && strcmp(key, "metadata") == 0);
        const struct place here = {at->kind, key, zero_of(at, key), typed};
        if (!json_is_null(child)) {
            json_object_set_new_nocheck(copy, key,
                                        resolved(child, &here, json_object_get(known, key)));
        } else if (at->zero) {
            json_object_set_new_nocheck(copy, key, json_string(at->zero));
        }
    }
    return copy;
}

json_t *skr_nulls_resolved(const json_t *object, bool custom, const char *kind, const json_t *known)
{
    const struct place root = {kind, "", NULL, !custom};
    return resolved(object, &root, known);
}

/* Groups of Kubernetes' own kinds have no dot ("apps") or end in ".k8s.io". */
static bool is_custom(const char *api_version)
{
    static const char own[] = ".k8s.io";
    const size_t group = strchr(api_version, '/') ? strcspn(api_version, "/") : 0;
    const size_t n = sizeof own - 1;
    return memchr(api_version, '.', group) &&
           (group < n || memcmp(api_version + group - n, own, n) != 0);
}

json_t *skr_nulls_resolved_alone(const json_t *object)
{
    return skr_nulls_resolved(object, is_custom(skr_path_text(object, "apiVersion")),
                              skr_path_text(object, "kind"), NULL);
}
