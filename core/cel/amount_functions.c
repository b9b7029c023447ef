/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities and versions, as Kubernetes adds them (k8s.io/apiserver/pkg/cel/library/quantity.go,
 * semverlib.go). A quantity is exact in billionths; beyond 2^63 units it is the largest one, which is
 * no integer.
 */
#include "core/cel/function.h"
#include "core/cel/semver.h"
#include "topology/quantity.h"

#define NANO     1000000000
#define NANO_MAX ((skr_int128)INT64_MAX * NANO)

static struct skr_cel_value made(struct skr_cel_run *run, skr_int128 nano)
{
    skr_int128 *value = skr_cel_room(run, 1, sizeof *value);
    if (!value) {
        return skr_cel_over(run);
    }
    *value = nano > NANO_MAX ? NANO_MAX : nano < -NANO_MAX ? -NANO_MAX : nano;
    return (struct skr_cel_value){.kind = SKR_CEL_QUANTITY, .nano = value};
}

/* way 1: only whether it is one. */
static struct skr_cel_value quantity(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    char text[SKR_QUANTITY_TEXT_MAX + 1];
    skr_int128 nano;
    const bool good = skr_cel_copy_plain(&arg[0], text, sizeof text) &&
                      skr_quantity_parse_nano(text, &nano, NULL) == 0;
    if (run->row->way == 1) {
        return skr_cel_bool(good);
    }
    return good ? made(run, nano) : skr_cel_is_no(run, &arg[0], "quantity");
}

static skr_int128 nano_of(const struct skr_cel_value *v)
{
    return v->kind == SKR_CEL_INT ? (skr_int128)v->integer * NANO : *v->nano;
}

/* way: the sign of the second. */
static struct skr_cel_value add(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    return made(run, nano_of(&arg[0]) + run->row->way * nano_of(&arg[1]));
}

static struct skr_cel_value sign(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    (void)run;
    return skr_cel_int(SKR_CEL_ORDER(*arg[0].nano, 0));
}

/* way 1: only whether it is one. */
static struct skr_cel_value integer(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const skr_int128 units = *arg[0].nano / NANO;
    const bool good = *arg[0].nano % NANO == 0 && units < INT64_MAX && units > INT64_MIN;
    if (run->row->way == 1) {
        return skr_cel_bool(good);
    }
    return good ? skr_cel_int((int64_t)units) : skr_cel_error("the quantity is no integer");
}

static struct skr_cel_value as_double(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const bool negative = *arg[0].nano < 0;
    const skr_int128 nano = negative ? -*arg[0].nano : *arg[0].nano;
    const skr_int128 units = nano / NANO;
    const double whole = (double)(units > UINT64_MAX ? UINT64_MAX : (uint64_t)units);
    const double value = whole + (double)(int64_t)(nano % NANO) / NANO;
    (void)run;
    return skr_cel_double(negative ? -value : value);
}

/* ---- versions ---- */

/* way 1: only whether it is one. */
static struct skr_cel_value semver(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const bool lenient = run->n > 1 && arg[1].boolean;
    struct skr_cel_semver *version = skr_cel_room(run, 1, sizeof *version);
    if (!version) {
        return skr_cel_over(run);
    }
    const bool good = skr_cel_semver_parse(arg[0].text, arg[0].n, lenient, run->arena, version);
    if (run->row->way == 1) {
        return skr_cel_bool(good);
    }
    return good ? (struct skr_cel_value){.kind = SKR_CEL_SEMVER, .semver = version}
                : skr_cel_is_no(run, &arg[0], "semantic version");
}

/* way: which part. */
static struct skr_cel_value part(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const uint64_t value = arg[0].semver->part[run->row->way];
    return value > INT64_MAX ? skr_cel_error("the number does not fit int")
                             : skr_cel_int((int64_t)value);
}

/* ---- order of both ---- */

/* way: the order that is asked about; 0: any. */
static struct skr_cel_value compare(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const int order = arg[0].kind == SKR_CEL_SEMVER
                          ? skr_cel_semver_compare(arg[0].semver, arg[1].semver)
                          : SKR_CEL_ORDER(*arg[0].nano, *arg[1].nano);
    return run->row->way == 0 ? skr_cel_int(order) : skr_cel_bool(order == run->row->way);
}

const struct skr_cel_function skr_cel_amount_functions[] = {
    {"quantity", SKR_CEL_GLOBAL, "s:q", quantity, SKR_CEL_FREE, 0},
    {"isQuantity", SKR_CEL_GLOBAL, "s:b", quantity, SKR_CEL_FREE, 1},
    {"sign", SKR_CEL_GLOBAL, "q:i", sign, SKR_CEL_FREE, 0},
    {"add", SKR_CEL_MEMBER, "qq:q|qi:q", add, SKR_CEL_FREE, 1},
    {"sub", SKR_CEL_MEMBER, "qq:q|qi:q", add, SKR_CEL_FREE, -1},
    {"isInteger", SKR_CEL_MEMBER, "q:b", integer, SKR_CEL_FREE, 1},
    {"asInteger", SKR_CEL_MEMBER, "q:i", integer, SKR_CEL_FREE, 0},
    {"asApproximateFloat", SKR_CEL_MEMBER, "q:d", as_double, SKR_CEL_FREE, 0},
    {"semver", SKR_CEL_GLOBAL, "s:v|sb:v", semver, SKR_CEL_TEXT, 0},
    {"isSemver", SKR_CEL_GLOBAL, "s:b|sb:b", semver, SKR_CEL_TEXT, 1},
    {"major", SKR_CEL_MEMBER, "v:i", part, SKR_CEL_FREE, 0},
    {"minor", SKR_CEL_MEMBER, "v:i", part, SKR_CEL_FREE, 1},
    {"patch", SKR_CEL_MEMBER, "v:i", part, SKR_CEL_FREE, 2},
    {"compareTo", SKR_CEL_MEMBER, "qq:i|vv:i", compare, SKR_CEL_FREE, 0},
    {"isGreaterThan", SKR_CEL_MEMBER, "qq:b|vv:b", compare, SKR_CEL_FREE, 1},
    {"isLessThan", SKR_CEL_MEMBER, "qq:b|vv:b", compare, SKR_CEL_FREE, -1},
    {0},
};
