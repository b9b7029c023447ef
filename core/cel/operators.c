/* SPDX-License-Identifier: Apache-2.0 */
/* Operators. Their rows take any kinds in evaluation, where numbers of different kinds compare. */
#include <string.h>

#include "core/cel/function.h"

static const char overflow[] = "the result does not fit 64 bits";
static const char by_zero[] = "division by zero";

static struct skr_cel_value of_whole(enum skr_cel_kind kind, skr_int128 value)
{
    if (kind == SKR_CEL_UINT) {
        return value < 0 || value > UINT64_MAX ? skr_cel_error(overflow)
                                               : skr_cel_uint((uint64_t)value);
    }
    struct skr_cel_value made = skr_cel_int((int64_t)value);
    made.kind = kind;
    return value < INT64_MIN || value > INT64_MAX ? skr_cel_error(overflow) : made;
}

/* A time that is in the zone of another one; anything else as it is. */
static struct skr_cel_value in_zone(struct skr_cel_value made, const struct skr_cel_value *of)
{
    made.n = made.kind == SKR_CEL_TIMESTAMP ? of->n : made.n;
    return made;
}

static skr_int128 whole(const struct skr_cel_value *v)
{
    return v->kind == SKR_CEL_UINT ? (skr_int128)v->natural : (skr_int128)v->integer;
}

static bool both(const struct skr_cel_value *arg, enum skr_cel_kind kind)
{
    return arg[0].kind == kind && arg[1].kind == kind;
}

static bool both_whole(const struct skr_cel_value *arg)
{
    return both(arg, SKR_CEL_INT) || both(arg, SKR_CEL_UINT);
}

/* ---- arithmetic ---- */

static struct skr_cel_value join_texts(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const size_t n = (size_t)arg[0].n + arg[1].n;
    char *text = n <= UINT32_MAX && skr_cel_charge_text(run, n) ? skr_cel_room(run, n, 1) : NULL;
    if (!text) {
        return skr_cel_over(run);
    }
    memcpy(text, arg[0].text, arg[0].n);
    memcpy(text + arg[0].n, arg[1].text, arg[1].n);
    struct skr_cel_value joined = skr_cel_string(text, n);
    joined.kind = arg[0].kind;
    return joined;
}

static struct skr_cel_value join_lists(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const size_t n = (size_t)arg[0].n + arg[1].n;
    struct skr_cel_value *item = n <= UINT32_MAX ? skr_cel_room(run, n, sizeof *item) : NULL;
    if (!item) {
        return skr_cel_over(run);
    }
    memcpy(item, arg[0].item, arg[0].n * sizeof *item);
    memcpy(item + arg[0].n, arg[1].item, arg[1].n * sizeof *item);
    return (struct skr_cel_value){.kind = SKR_CEL_LIST, .n = (uint32_t)n, .item = item};
}

static struct skr_cel_value add(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const bool time = arg[0].kind == SKR_CEL_TIMESTAMP || arg[0].kind == SKR_CEL_DURATION;
    const bool duration = arg[1].kind == SKR_CEL_DURATION;
    if (both_whole(arg) || (time && duration)) {
        return in_zone(of_whole(arg[0].kind, whole(&arg[0]) + whole(&arg[1])), &arg[0]);
    }
    if (arg[0].kind == SKR_CEL_DURATION && arg[1].kind == SKR_CEL_TIMESTAMP) {
        return in_zone(of_whole(SKR_CEL_TIMESTAMP, whole(&arg[0]) + whole(&arg[1])), &arg[1]);
    }
    if (both(arg, SKR_CEL_DOUBLE)) {
        return skr_cel_double(arg[0].real + arg[1].real);
    }
    if (both(arg, SKR_CEL_STRING) || both(arg, SKR_CEL_BYTES)) {
        return join_texts(run, arg);
    }
    return both(arg, SKR_CEL_LIST) ? join_lists(run, arg) : skr_cel_no_overload(run, arg, 2);
}

static struct skr_cel_value subtract(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const bool duration = arg[1].kind == SKR_CEL_DURATION;
    if (both_whole(arg) || both(arg, SKR_CEL_DURATION) ||
        (arg[0].kind == SKR_CEL_TIMESTAMP && duration)) {
        return in_zone(of_whole(arg[0].kind, whole(&arg[0]) - whole(&arg[1])), &arg[0]);
    }
    if (both(arg, SKR_CEL_TIMESTAMP)) {
        return of_whole(SKR_CEL_DURATION, whole(&arg[0]) - whole(&arg[1]));
    }
    return both(arg, SKR_CEL_DOUBLE) ? skr_cel_double(arg[0].real - arg[1].real)
                                     : skr_cel_no_overload(run, arg, 2);
}

static struct skr_cel_value multiply(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    if (both(arg, SKR_CEL_UINT) && arg[1].natural > 0 &&
        arg[0].natural > UINT64_MAX / arg[1].natural) {
        return skr_cel_error(overflow);
    }
    if (both_whole(arg)) {
        return of_whole(arg[0].kind, whole(&arg[0]) * whole(&arg[1]));
    }
    return both(arg, SKR_CEL_DOUBLE) ? skr_cel_double(arg[0].real * arg[1].real)
                                     : skr_cel_no_overload(run, arg, 2);
}

static struct skr_cel_value divide(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    if (both_whole(arg)) {
        return whole(&arg[1]) == 0 ? skr_cel_error(by_zero)
                                   : of_whole(arg[0].kind, whole(&arg[0]) / whole(&arg[1]));
    }
    return both(arg, SKR_CEL_DOUBLE) ? skr_cel_double(arg[0].real / arg[1].real)
                                     : skr_cel_no_overload(run, arg, 2);
}

static struct skr_cel_value remainder_of(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    if (!both_whole(arg)) {
        return skr_cel_no_overload(run, arg, 2);
    }
    const skr_int128 a = whole(&arg[0]), b = whole(&arg[1]);
    if (b == 0) {
        return skr_cel_error(by_zero);
    }
    /* As in cel-go, the smallest int has no remainder by -1, because it has no quotient. */
    return of_whole(arg[0].kind, b == -1 && a == INT64_MIN ? -a : a % b);
}

static struct skr_cel_value negate(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    if (arg[0].kind == SKR_CEL_DOUBLE) {
        return skr_cel_double(-arg[0].real);
    }
    return arg[0].kind == SKR_CEL_INT || arg[0].kind == SKR_CEL_DURATION
               ? of_whole(arg[0].kind, -whole(&arg[0]))
               : skr_cel_no_overload(run, arg, 1);
}

static struct skr_cel_value invert(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    (void)run;
    return skr_cel_bool(!arg[0].boolean);
}

/* ---- comparison ---- */

bool skr_cel_charge_look_up(struct skr_cel_run *run, const struct skr_cel_value *map,
                            const struct skr_cel_value *key)
{
    const uint64_t bytes = key->kind == SKR_CEL_STRING ? key->n : 0;
    return skr_cel_charge(run, map->n / 16 + map->n * bytes / 512);
}

bool skr_cel_charge_equality(struct skr_cel_run *run, const struct skr_cel_value *a,
                             const struct skr_cel_value *b)
{
    const uint32_t n = a->n < b->n ? a->n : b->n;
    if (a->kind != b->kind || a->kind < SKR_CEL_STRING || a->kind > SKR_CEL_MAP) {
        return true;
    }
    if (a->kind == SKR_CEL_STRING || a->kind == SKR_CEL_BYTES) {
        return skr_cel_charge_text(run, n);
    }
    bool good = skr_cel_charge(run, n);
    for (uint32_t i = 0; good && a->n == b->n && i < n; i++) {
        if (a->kind == SKR_CEL_LIST) {
            good = skr_cel_charge_equality(run, &a->item[i], &b->item[i]);
        } else if ((good = skr_cel_charge_look_up(run, b, &a->entry[i].key))) {
            const struct skr_cel_value *other = skr_cel_get(b, &a->entry[i].key);
            good = !other || skr_cel_charge_equality(run, &a->entry[i].value, other);
        }
    }
    return good;
}

/* way: the answer if they are equal. */
/* way 1: "==". As in cel-go, what Kubernetes adds is equal to its own kind only, or it is an error. */
static struct skr_cel_value equal(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    if (arg[0].kind >= SKR_CEL_QUANTITY && arg[0].kind != arg[1].kind && run->row->way == 1) {
        return skr_cel_no_overload(run, arg, 2);
    }
    return skr_cel_charge_equality(run, &arg[0], &arg[1])
               ? skr_cel_bool(skr_cel_equal(&arg[0], &arg[1]) == (run->row->way == 1))
               : skr_cel_over(run);
}

/* way: bits of the orders that make it true. */
enum { LESS = 4, EQUAL = 2, GREATER = 1 };

static struct skr_cel_value ordered(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    int order;
    if (!skr_cel_charge_equality(run, &arg[0], &arg[1])) {
        return skr_cel_over(run);
    }
    if (!skr_cel_compare(&arg[0], &arg[1], &order)) {
        return skr_cel_no_overload(run, arg, 2);
    }
    return skr_cel_bool((run->row->way & (order < 0 ? LESS : order == 0 ? EQUAL : GREATER)) != 0);
}

/* ---- containers ---- */

static struct skr_cel_value in(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    if (arg[1].kind != SKR_CEL_LIST && arg[1].kind != SKR_CEL_MAP) {
        return skr_cel_no_overload(run, arg, 2);
    }
    if (arg[1].kind == SKR_CEL_MAP) {
        return skr_cel_charge_look_up(run, &arg[1], &arg[0])
                   ? skr_cel_bool(!!skr_cel_get(&arg[1], &arg[0]))
                   : skr_cel_over(run);
    }
    if (!skr_cel_charge(run, arg[1].n)) {
        return skr_cel_over(run);
    }
    if (arg[0].kind ==
        SKR_CEL_SEMVER) { /* cel-go makes a set of the list, which takes no versions */
        return skr_cel_no_overload(run, arg, 2);
    }
    for (size_t i = 0; i < arg[1].n; i++) {
        const struct skr_cel_value *item = &arg[1].item[i];
        if (!skr_cel_charge_equality(run, item, &arg[0])) {
            return skr_cel_over(run);
        }
        if (skr_cel_equal(item, &arg[0])) {
            return skr_cel_bool(true);
        }
    }
    return skr_cel_bool(false);
}

static struct skr_cel_value item_at(struct skr_cel_run *run, const struct skr_cel_value *list,
                                    const struct skr_cel_value *at)
{
    const struct skr_cel_value i =
        at->kind == SKR_CEL_DOUBLE && at->real >= 0 && at->real < 4294967296.0
            ? skr_cel_int((int64_t)at->real)
            : *at;
    if ((i.kind != SKR_CEL_INT && i.kind != SKR_CEL_UINT) || !skr_cel_equal(&i, at)) {
        return skr_cel_error("an index of a list is a whole number");
    }
    if (whole(&i) < 0 || whole(&i) >= (skr_int128)list->n) {
        return skr_cel_errorf(
            run, "there is no item %lld in a list of %u",
            (long long)(i.kind == SKR_CEL_UINT && i.natural > INT64_MAX ? INT64_MAX : i.integer),
            list->n);
    }
    return list->item[whole(&i)];
}

static struct skr_cel_value subscript(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    if (arg[0].kind == SKR_CEL_LIST) {
        return item_at(run, &arg[0], &arg[1]);
    }
    if (arg[0].kind != SKR_CEL_MAP) {
        return skr_cel_no_overload(run, arg, 2);
    }
    if (!skr_cel_charge_look_up(run, &arg[0], &arg[1])) {
        return skr_cel_over(run);
    }
    const struct skr_cel_value *found = skr_cel_get(&arg[0], &arg[1]);
    if (found) {
        return *found;
    }
    return arg[1].kind == SKR_CEL_STRING
               ? skr_cel_errorf(run, "there is no key \"%.*s\"",
                                (int)(arg[1].n < 64 ? arg[1].n : 64), arg[1].text)
               : skr_cel_error("there is no such key");
}

#define ORDERED "bb:b|ii:b|uu:b|dd:b|ss:b|yy:b|tt:b|rr:b"

const struct skr_cel_function skr_cel_operators[] = {
    {"_+_", SKR_CEL_GLOBAL, "ii:i|uu:u|dd:d|ss:s|yy:y|LALA:LA|rr:r|tr:t|rt:t", add, SKR_CEL_FREE,
     0},
    {"_-_", SKR_CEL_GLOBAL, "ii:i|uu:u|dd:d|rr:r|tr:t|tt:r", subtract, SKR_CEL_FREE, 0},
    {"_*_", SKR_CEL_GLOBAL, "ii:i|uu:u|dd:d", multiply, SKR_CEL_FREE, 0},
    {"_/_", SKR_CEL_GLOBAL, "ii:i|uu:u|dd:d", divide, SKR_CEL_FREE, 0},
    {"_%_", SKR_CEL_GLOBAL, "ii:i|uu:u", remainder_of, SKR_CEL_FREE, 0},
    {"-_", SKR_CEL_GLOBAL, "i:i|d:d", negate, SKR_CEL_FREE, 0},
    {"!_", SKR_CEL_GLOBAL, "b:b", invert, SKR_CEL_FREE, 0},
    {"_==_", SKR_CEL_GLOBAL, "AA:b", equal, SKR_CEL_FREE, 1},
    {"_!=_", SKR_CEL_GLOBAL, "AA:b", equal, SKR_CEL_FREE, 0},
    {"_<_", SKR_CEL_GLOBAL, ORDERED, ordered, SKR_CEL_FREE, LESS},
    {"_<=_", SKR_CEL_GLOBAL, ORDERED, ordered, SKR_CEL_FREE, LESS | EQUAL},
    {"_>_", SKR_CEL_GLOBAL, ORDERED, ordered, SKR_CEL_FREE, GREATER},
    {"_>=_", SKR_CEL_GLOBAL, ORDERED, ordered, SKR_CEL_FREE, GREATER | EQUAL},
    {"_in_", SKR_CEL_GLOBAL, "ALA:b|AMAB:b", in, SKR_CEL_FREE, 0},
    {"_[_]", SKR_CEL_GLOBAL, "LAi:A|MABA:B", subscript, SKR_CEL_FREE, 0},
    {0},
};
