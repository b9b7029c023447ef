/* SPDX-License-Identifier: Apache-2.0 */
/* Equality and order of values, look-up in maps. */
#include <string.h>

#include "core/cel/net.h"
#include "core/cel/semver.h"
#include "core/cel/url.h"

static bool is_number(const struct skr_cel_value *v)
{
    return v->kind == SKR_CEL_INT || v->kind == SKR_CEL_UINT || v->kind == SKR_CEL_DOUBLE;
}

/* Of a double with an integer: beyond the range of the integers it is larger or smaller, otherwise
 * the integer is rounded to a double, as in cel-go. False for NaN. */
static bool order_double(double a, const struct skr_cel_value *b, int *ret)
{
    const bool natural = b->kind == SKR_CEL_UINT;
    const double low = natural ? 0 : (double)INT64_MIN;
    const double high = natural ? (double)UINT64_MAX : (double)INT64_MAX;
    const double other = natural ? (double)b->natural : (double)b->integer;
    *ret = a < low ? -1 : a > high ? 1 : SKR_CEL_ORDER(a, other);
    return !skr_cel_is_nan(a);
}

static skr_int128 whole(const struct skr_cel_value *v)
{
    return v->kind == SKR_CEL_UINT ? (skr_int128)v->natural : (skr_int128)v->integer;
}

static bool order_numbers(const struct skr_cel_value *a, const struct skr_cel_value *b, int *ret)
{
    const bool reals = a->kind == SKR_CEL_DOUBLE && b->kind == SKR_CEL_DOUBLE;
    if (reals) {
        *ret = SKR_CEL_ORDER(a->real, b->real);
        return !skr_cel_is_nan(a->real) && !skr_cel_is_nan(b->real);
    }
    if (a->kind == SKR_CEL_DOUBLE) {
        return order_double(a->real, b, ret);
    }
    if (b->kind == SKR_CEL_DOUBLE) {
        const bool ordered = order_numbers(b, a, ret);
        *ret = ordered ? -*ret : 0;
        return ordered;
    }
    *ret = SKR_CEL_ORDER(whole(a), whole(b));
    return true;
}

static int order_bytes(const struct skr_cel_value *a, const struct skr_cel_value *b)
{
    const size_t n = a->n < b->n ? a->n : b->n;
    const int order = n > 0 ? memcmp(a->text, b->text, n) : 0;
    return order != 0 ? SKR_CEL_ORDER(order, 0) : SKR_CEL_ORDER(a->n, b->n);
}

bool skr_cel_compare(const struct skr_cel_value *a, const struct skr_cel_value *b, int *ret)
{
    *ret = 0;
    if (is_number(a) && is_number(b)) {
        return order_numbers(a, b, ret);
    }
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == SKR_CEL_BOOL) {
        *ret = (int)a->boolean - (int)b->boolean;
    } else if (a->kind == SKR_CEL_STRING || a->kind == SKR_CEL_BYTES) {
        *ret = order_bytes(a, b);
    } else if (a->kind == SKR_CEL_TIMESTAMP || a->kind == SKR_CEL_DURATION) {
        *ret = SKR_CEL_ORDER(a->integer, b->integer);
    } else {
        return false;
    }
    return true;
}

static bool equal_lists(const struct skr_cel_value *a, const struct skr_cel_value *b)
{
    bool equal = a->n == b->n;
    for (size_t i = 0; equal && i < a->n; i++) {
        equal = skr_cel_equal(&a->item[i], &b->item[i]);
    }
    return equal;
}

static bool equal_maps(const struct skr_cel_value *a, const struct skr_cel_value *b)
{
    bool equal = a->n == b->n;
    for (size_t i = 0; equal && i < a->n; i++) {
        /* Maps of one source have one order. */
        const struct skr_cel_entry *same = &b->entry[i];
        const bool is_same =
            a->entry[i].key.kind == same->key.kind && skr_cel_equal(&a->entry[i].key, &same->key);
        const struct skr_cel_value *other =
            is_same ? &same->value : skr_cel_get(b, &a->entry[i].key);
        equal = other && skr_cel_equal(&a->entry[i].value, other);
    }
    return equal;
}

bool skr_cel_equal(const struct skr_cel_value *a, const struct skr_cel_value *b)
{
    int order;
    if (is_number(a) && is_number(b)) {
        return order_numbers(a, b, &order) && order == 0;
    }
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case SKR_CEL_NULL:
        return true;
    case SKR_CEL_LIST:
        return equal_lists(a, b);
    case SKR_CEL_MAP:
        return equal_maps(a, b);
    case SKR_CEL_TYPE:
        return strcmp(a->text, b->text) == 0;
    case SKR_CEL_QUANTITY:
        return *a->nano == *b->nano;
    case SKR_CEL_SEMVER:
        return skr_cel_semver_compare(a->semver, b->semver) == 0;
    case SKR_CEL_IP:
    case SKR_CEL_CIDR:
        return memcmp(a->net, b->net, sizeof *a->net) == 0;
    case SKR_CEL_URL:
        return skr_cel_url_equal(a->url, b->url);
    case SKR_CEL_BOOL:
    case SKR_CEL_STRING:
    case SKR_CEL_BYTES:
    case SKR_CEL_TIMESTAMP:
    case SKR_CEL_DURATION:
        return skr_cel_compare(a, b, &order) && order == 0;
    case SKR_CEL_ERROR:
    case SKR_CEL_INT:
    case SKR_CEL_UINT:
    case SKR_CEL_DOUBLE:
    case SKR_CEL_KIND_COUNT:
        break;
    }
    return false;
}

const struct skr_cel_value *skr_cel_get(const struct skr_cel_value *map,
                                        const struct skr_cel_value *key)
{
    const struct skr_cel_value *found = NULL;
    for (size_t i = 0; map->kind == SKR_CEL_MAP && i < map->n; i++) {
        if (skr_cel_equal(&map->entry[i].key, key)) {
            if (map->entry[i].key.kind == key->kind) {
                return &map->entry[i].value;
            }
            found = found ? found : &map->entry[i].value;
        }
    }
    return found;
}

const struct skr_cel_value *skr_cel_get_text(const struct skr_cel_value *map, const char *key)
{
    const struct skr_cel_value wanted = skr_cel_text(key);
    return skr_cel_get(map, &wanted);
}
