/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of one template are equal but for a few strings: what is equal is kept once. An object that
 * is put in force is compared with the one that it replaces and with the one of its kind that was put
 * in force last; what is equal in it becomes that. Objects in force never change, so nobody can tell.
 * Cost: O(size of what is not shared yet), as deep as the body of a request may be.
 */
#include "server/model/store_parts.h"
#include "server/object/pairs.h"

static bool share_members(json_t *own, const json_t *with, const json_t *before);
static bool share_elements(json_t *own, const json_t *with, const json_t *before);

/* Whether the value is equal; what is equal in it is shared then, unless others have it already, or it is
 * as before. */
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

static bool share_members(json_t *own, const json_t *with, const json_t *before)
{
    bool equal = json_object_size(own) == json_object_size(with);
    struct skr_pairs p = skr_pairs_of(own, before ? before : with);

    while (skr_pairs_next(&p)) {
        const json_t *was = before ? p.other : NULL;
        if (was && was == p.value) {
            equal = equal && json_object_get(with, p.key) == was;
            continue;
        }
        json_t *other = before ? json_object_get(with, p.key) : p.other;
        if (!share_value(p.value, other, was)) {
            equal = false;
        } else if (p.value != other) {
            skr_pairs_set(&p, json_incref(other));
        }
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
