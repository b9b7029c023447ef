/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of one template are equal but for a few strings: what is equal is kept once. An object that
 * is put in force is compared with the one that it replaces and with the one of its kind that was put
 * in force last; what is equal in it becomes that. Objects in force never change, so nobody can tell.
 * Cost: O(size of what is not shared yet), as deep as the body of a request may be.
 */
#include <string.h>

#include "server/model/store_parts.h"

static bool share_members(json_t *own, const json_t *with);
static bool share_elements(json_t *own, const json_t *with);

/* Whether the value is equal; what is equal in it is shared then, unless others have it already. */
static bool share_value(json_t *value, const json_t *with)
{
    if (value == with) {
        return true;
    }
    if (!with || json_typeof(value) != json_typeof(with)) {
        return false;
    }
    bool is_own = value->refcount == 1;
    if (is_own && json_is_object(value)) {
        return share_members(value, with);
    }
    if (is_own && json_is_array(value)) {
        return share_elements(value, with);
    }
    return json_equal(value, with) == 1;
}

/* Objects of one template have their members in one order: the next of one is that of the other. */
static bool share_members(json_t *own, const json_t *with)
{
    bool equal = json_object_size(own) == json_object_size(with);
    json_t *from = skr_object_unconst(with);
    void *there = json_object_iter(from);

    for (void *at = json_object_iter(own); at; at = json_object_iter_next(own, at)) {
        const char *key = json_object_iter_key(at);
        json_t *value = json_object_iter_value(at);
        const bool beside = there && strcmp(json_object_iter_key(there), key) == 0;
        json_t *other = beside ? json_object_iter_value(there) : json_object_get(with, key);
        there = beside ? json_object_iter_next(from, there) : there;
        if (!share_value(value, other)) {
            equal = false;
        } else if (value != other) {
            json_object_iter_set_new(own, at, json_incref(other));
        }
    }
    return equal;
}

static bool share_elements(json_t *own, const json_t *with)
{
    bool equal = json_array_size(own) == json_array_size(with);
    const size_t n = json_array_size(with);
    json_t *value;
    size_t i;

    json_array_foreach(own, i, value)
    {
        json_t *other = i < n ? json_array_get(with, i) : NULL;
        if (!share_value(value, other)) {
            equal = false;
        } else if (value != other) {
            json_array_set(own, i, other);
        }
    }
    return equal;
}

void skr_store_share(json_t *object, const json_t *with)
{
    if (with) {
        (void)share_members(object, with);
    }
}
