/* SPDX-License-Identifier: Apache-2.0 */
/* Two iterators; the second one starts again where the keys differ. */
#include "server/object/pairs.h"

#include <string.h>

#include "topology/base/json_field.h"

struct skr_pairs skr_pairs_of(const json_t *own, const json_t *with)
{
    struct skr_pairs p = {.own = skr_object_unconst(own), .with = skr_object_unconst(with)};
    p.at = json_object_iter(p.own);
    p.there = json_object_iter(p.with);
    p.key = NULL;
    return p;
}

bool skr_pairs_next(struct skr_pairs *p)
{
    void *at = p->at;
    if (!at) {
        return false;
    }
    p->key = json_object_iter_key(at);
    p->value = json_object_iter_value(at);
    p->other = NULL;
    p->at = json_object_iter_next(p->own, at);
    if (!p->with) {
        return true;
    }
    void *there = p->there;
    if (!there || strcmp(json_object_iter_key(there), p->key) != 0) {
        there = json_object_iter_at(p->with, p->key);
    }
    if (there) {
        p->other = json_object_iter_value(there);
        p->there = json_object_iter_next(p->with, there);
    }
    return true;
}

void skr_pairs_set(struct skr_pairs *p, json_t *value)
{
    json_object_iter_set_new(p->own, json_object_key_to_iter(p->key), value);
    p->value = value;
}

static bool equal_objects(const json_t *a, const json_t *b)
{
    if (json_object_size(a) != json_object_size(b)) {
        return false;
    }
    struct skr_pairs p = skr_pairs_of(a, b);
    while (skr_pairs_next(&p)) {
        if (!skr_pairs_equal(p.value, p.other)) {
            return false;
        }
    }
    return true;
}

bool skr_pairs_equal(const json_t *a, const json_t *b)
{
    if (a == b || !a || !b || json_typeof(a) != json_typeof(b)) {
        return a == b;
    }
    if (json_is_object(a)) {
        return equal_objects(a, b);
    }
    if (!json_is_array(a)) {
        return json_equal(a, b) == 1;
    }
    bool equal = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; equal && i < json_array_size(a); i++) {
        equal = skr_pairs_equal(json_array_get(a, i), json_array_get(b, i));
    }
    return equal;
}
