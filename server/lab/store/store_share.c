/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores equal values once: objects of one template differ only in a few strings. An object that is
 * put in force is compared with the one it replaces and with the last one of its kind; equal values
 * are replaced by theirs. Objects in force never change, so this is invisible. O(size of what is
 * not shared yet), with the depth limit of a request's body.
 */
#include <string.h>

#include "server/lab/store/store_parts.h"
#include "server/object/pairs.h"

static bool share_members(json_t *own, const json_t *with, const json_t *before);
static bool share_elements(json_t *own, const json_t *with, const json_t *before);

/* Whether the value is equal. Shares equal values in it, unless they are already shared or as
 * before. */
static bool share_value(json_t *value, const json_t *with, const json_t *before)
{
    if (value == with) {
        return true;
    }
    if (!with || json_typeof(value) != json_typeof(with)) {
        return false;
    }
    bool is_own = value->refcount == 1;
    if (is_own && json_is_object(value)) {
        return share_members(value, with, before);
    }
    if (is_own && json_is_array(value)) {
        return share_elements(value, with, before);
    }
    return skr_pairs_equal(value, with);
}

static bool share_all(json_t *own, const json_t *with)
{
    bool equal = json_object_size(own) == json_object_size(with);
    struct skr_pairs p = skr_pairs_of(own, with);
    while (skr_pairs_next(&p)) {
        if (!share_value(p.value, p.other, NULL)) {
            equal = false;
        } else if (p.value != p.other) {
            skr_pairs_set(&p, json_incref(p.other));
        }
    }
    return equal;
}

/* The member with the key, probably at the iterator (NULL: the end). */
static json_t *find(const json_t *object, void *there, const char *key)
{
    return there && strcmp(json_object_iter_key(there), key) == 0 ? json_object_iter_value(there)
                                                                  : json_object_get(object, key);
}

/* All three have their members in about the same order. A value at the same place as before is in
 * force, whatever its key. */
static bool share_members(json_t *own, const json_t *with, const json_t *before)
{
    bool equal = json_object_size(own) == json_object_size(with);
    json_t *last = skr_object_unconst(with), *was = skr_object_unconst(before);
    void *in_last = json_object_iter(last), *in_was = json_object_iter(was);
    if (!before) {
        return share_all(own, with);
    }
    for (void *at = json_object_iter(own); at; at = json_object_iter_next(own, at)) {
        const char *key = json_object_iter_key(at);
        json_t *value = json_object_iter_value(at);
        const bool same = in_was && value == json_object_iter_value(in_was);
        json_t *other = !same || equal ? find(with, in_last, key) : NULL;
        const json_t *old = same ? value : find(before, in_was, key);

        if (value == old || !share_value(value, other, old)) {
            equal = equal && value == old && value == other;
        } else if (value != other) {
            json_object_iter_set_new(own, at, json_incref(other));
        }
        in_last = in_last ? json_object_iter_next(last, in_last) : NULL;
        in_was = in_was ? json_object_iter_next(was, in_was) : NULL;
    }
    return equal;
}

static bool share_elements(json_t *own, const json_t *with, const json_t *before)
{
    bool equal = json_array_size(own) == json_array_size(with);
    json_t *value;
    size_t i;
    json_array_foreach(own, i, value)
    {
        json_t *other = json_array_get(with, i);
        const json_t *was = json_array_get(before, i);
        if (was && was == value) {
            equal = equal && other == value;
        } else if (!share_value(value, other, was)) {
            equal = false;
        } else if (value != other) {
            json_array_set(own, i, other);
        }
    }
    return equal;
}

void skr_store_share(json_t *object, const json_t *with, const json_t *before)
{
    if (with) {
        (void)share_members(object, with, before);
    }
}
