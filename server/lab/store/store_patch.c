/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies merge patches (RFC 7386) and strategic merge patches (apimachinery
 * pkg/util/strategicpatch). Both copy along the changed path and share the rest with the target.
 *
 * A strategic patch merges lists whose elements have a key. kube-apiserver takes the keys from tags
 * of its Go types; here they are a table by the list's name, which is unambiguous for the served
 * kinds except "ports".
 */
#include <string.h>

#include "server/lab/store/store_parts.h"

/* ---- merge patch ---- */

json_t *skr_patch_merge(const json_t *target, const json_t *patch)
{
    const char *key;
    json_t *value;
    if (!json_is_object(patch)) {
        return skr_path_copy(patch);
    }
    json_t *result = json_is_object(target) ? json_copy(skr_object_unconst(target)) : json_object();
    json_object_foreach(skr_object_unconst(patch), key, value)
    {
        if (json_is_null(value)) {
            json_object_del(result, key);
        } else {
            json_object_set_new_nocheck(result, key,
                                        skr_patch_merge(json_object_get(target, key), value));
        }
    }
    return result;
}

/* ---- strategic merge patch ---- */

#define SET "" /* of primitive values */

/* NULL: the list is replaced as a whole. */
static const char *merge_key_of(const char *list, const char *kind)
{
    static const struct {
        const char *list;
        const char *key;
    } table[] = {
        {"addresses", "type"},
        {"conditions", "type"},
        {"containers", "name"},
        {"env", "name"},
        {"ephemeralContainers", "name"},
        {"finalizers", SET},
        {"hostAliases", "ip"},
        {"hostIPs", "ip"},
        {"imagePullSecrets", "name"},
        {"initContainers", "name"},
        {"ownerReferences", "uid"},
        {"podCIDRs", SET},
        {"podIPs", "ip"},
        {"resourceClaims", "name"},
        {"resourceClaimStatuses", "name"},
        {"schedulingGates", "name"},
        {"secrets", "name"},
        {"topologySpreadConstraints", "topologyKey"},
        {"volumeDevices", "devicePath"},
        {"volumeMounts", "mountPath"},
        {"volumes", "name"},
    };
    if (strcmp(list, "ports") == 0) {
        return strcmp(kind, "Service") == 0 ? "port" : "containerPort";
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].list, list) == 0) {
            return table[i].key;
        }
    }
    return NULL;
}

struct strategic {
    const char *kind;
    struct skr_error *error;
};

static json_t *merge_object(const struct strategic *s, const json_t *target, const json_t *patch);

static json_t *fail(const struct strategic *s, const char *why, const char *what)
{
    (void)skr_error_set(s->error, SKR_INVALID, "%s: %s", why, what);
    return NULL;
}

/* Whether two elements are the same: by the key's value, or as primitive values. */
static bool is_same(const json_t *a, const json_t *b, const char *key)
{
    if (*key == '\0') {
        return json_equal(a, b) == 1;
    }
    const json_t *value = json_object_get(a, key);
    return value && json_equal(value, json_object_get(b, key)) == 1;
}

static bool index_of(const json_t *list, const json_t *element, const char *key, size_t *ret)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (is_same(json_array_get(list, i), element, key)) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool list_is_replaced(const json_t *patch)
{
    for (size_t i = 0; i < json_array_size(patch); i++) {
        if (strcmp(skr_path_text(json_array_get(patch, i), "$patch"), "replace") == 0) {
            return true;
        }
    }
    return false;
}

/* The elements without their directives. */
static json_t *replacement(const json_t *patch)
{
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(patch); i++) {
        const json_t *element = json_array_get(patch, i);
        if (*skr_path_text(element, "$patch") == '\0') {
            json_array_append_new(result, skr_path_copy(element));
        }
    }
    return result;
}

/* Merges one element of a patch into the list (own). */
static bool merge_element(const struct strategic *s, json_t *list, const json_t *element,
                          const char *key)
{
    const char *directive = skr_path_text(element, "$patch");
    size_t at = 0;
    if (*key != '\0' && !json_object_get(element, key)) {
        (void)fail(s, "map: does not contain declared merge key", key);
        return false;
    }
    const bool found = index_of(list, element, key, &at);
    if (strcmp(directive, "delete") == 0) {
        if (found) {
            json_array_remove(list, at);
        }
        return true;
    }
    if (*directive != '\0' && strcmp(directive, "merge") != 0) {
        (void)fail(s, "Unknown patch directive", directive);
        return false;
    }
    json_t *merged = *key == '\0'
                         ? skr_path_copy(element)
                         : merge_object(s, found ? json_array_get(list, at) : NULL, element);
    if (!merged) {
        return false;
    }
    if (found) {
        json_array_set_new(list, at, merged);
    } else {
        json_array_append_new(list, merged);
    }
    return true;
}

static json_t *merge_list(const struct strategic *s, const json_t *target, const json_t *patch,
                          const char *key)
{
    if (!key || list_is_replaced(patch)) {
        return replacement(patch);
    }
    json_t *result = json_is_array(target) ? json_copy(skr_object_unconst(target)) : json_array();
    for (size_t i = 0; i < json_array_size(patch); i++) {
        if (!merge_element(s, result, json_array_get(patch, i), key)) {
            json_decref(result);
            return NULL;
        }
    }
    return result;
}

/* $deleteFromPrimitiveList/NAME */
static void delete_values(json_t *result, const char *name, const json_t *values)
{
    json_t *list = skr_path_own_array(result, name);
    size_t at;
    for (size_t i = 0; i < json_array_size(values); i++) {
        while (index_of(list, json_array_get(values, i), SET, &at)) {
            json_array_remove(list, at);
        }
    }
}

/*
 * $setElementOrder/NAME: named elements follow its order; others stay behind their previous
 * neighbour.
 */
static void set_order(json_t *result, const char *name, const json_t *order, const char *key)
{
    const json_t *list = json_object_get(result, name);
    json_t *sorted = json_array();
    size_t at, begin = 0;
    if (!json_is_array(list) || !key) {
        json_decref(sorted);
        return;
    }
    for (; begin < json_array_size(list) && !index_of(order, json_array_get(list, begin), key, &at);
         begin++) {
        json_array_append(sorted, json_array_get(list, begin));
    }
    for (size_t i = 0; i < json_array_size(order); i++) {
        if (!index_of(list, json_array_get(order, i), key, &at)) {
            continue;
        }
        json_array_append(sorted, json_array_get(list, at));
        while (++at < json_array_size(list)) {
            json_t *next = json_array_get(list, at);
            size_t there;
            if (index_of(order, next, key, &there)) {
                break;
            }
            json_array_append(sorted, next);
        }
    }
    json_object_set_new_nocheck(result, name, sorted);
}

/* $retainKeys: removes members that are not named; those of the patch stay. */
static void retain_keys(json_t *result, const json_t *keys)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(result, next, key, value)
    {
        if (!skr_path_holds(keys, key)) {
            json_object_del(result, key);
        }
    }
}

static bool apply_directive(const struct strategic *s, json_t *result, const char *key,
                            const json_t *value)
{
    static const char order[] = "$setElementOrder/";
    static const char deletion[] = "$deleteFromPrimitiveList/";
    if (strcmp(key, "$patch") == 0) {
        return true;
    }
    if (strcmp(key, "$retainKeys") == 0) {
        retain_keys(result, value);
    } else if (strncmp(key, order, sizeof order - 1) == 0) {
        const char *name = key + sizeof order - 1;
        set_order(result, name, value, merge_key_of(name, s->kind));
    } else if (strncmp(key, deletion, sizeof deletion - 1) == 0) {
        delete_values(result, key + sizeof deletion - 1, value);
    } else {
        (void)fail(s, "Unknown patch directive", key);
        return false;
    }
    return true;
}

static bool merge_member(const struct strategic *s, json_t *result, const json_t *target,
                         const char *key, const json_t *value)
{
    json_t *merged;
    if (json_is_null(value)) {
        json_object_del(result, key);
        return true;
    }
    if (json_is_object(value)) {
        merged = merge_object(s, json_object_get(target, key), value);
    } else if (json_is_array(value)) {
        merged = merge_list(s, json_object_get(target, key), value, merge_key_of(key, s->kind));
    } else {
        merged = skr_path_copy(value);
    }
    return merged && json_object_set_new_nocheck(result, key, merged) == 0;
}

static json_t *merge_object(const struct strategic *s, const json_t *target, const json_t *patch)
{
    const char *directive = skr_path_text(patch, "$patch");
    const char *key;
    json_t *value;
    bool ok = true;
    if (strcmp(directive, "delete") == 0) {
        return json_object();
    }
    if (strcmp(directive, "replace") == 0) {
        json_t *copy = skr_path_copy(patch);
        json_object_del(copy, "$patch");
        return copy;
    }
    if (*directive != '\0' && strcmp(directive, "merge") != 0) {
        return fail(s, "Unknown patch directive", directive);
    }
    json_t *result = json_is_object(target) ? json_copy(skr_object_unconst(target)) : json_object();
    json_object_foreach(skr_object_unconst(patch), key, value)
    {
        ok = ok && (key[0] == '$' || merge_member(s, result, target, key, value));
    }
    json_object_foreach(skr_object_unconst(patch), key, value)
    {
        { /* on what was merged */
            ok = ok && (key[0] != '$' || apply_directive(s, result, key, value));
        }
    }
    if (!ok) {
        json_decref(result);
        return NULL;
    }
    return result;
}

json_t *skr_patch_strategic(const json_t *target, const json_t *patch, const char *kind,
                            struct skr_error *error)
{
    const struct strategic s = {.kind = kind, .error = error};
    (void)skr_error_set(error, SKR_INVALID, "the patch is no JSON object");
    return json_is_object(patch) ? merge_object(&s, target, patch) : NULL;
}
