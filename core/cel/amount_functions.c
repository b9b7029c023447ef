/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities and versions, as Kubernetes adds them (k8s.io/apiserver/pkg/cel/library/quantity.go,
 * semverlib.go). A quantity is exact in billionths; beyond 2^63 units it is the largest one, which is
 * no integer.
 */
#include <string.h>

#include "core/cel/function.h"
#include "core/cel/semver.h"
#include "topology/quantity.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))
#define NANO        1000000000
#define NANO_MAX    ((skr_int128)INT64_MAX * NANO)

static struct skr_cel_value made(struct skr_cel_run *run, skr_int128 nano)
{
    skr_int128 *value = skr_cel_room(run, 1, sizeof *value);
    if (!value) {
        return skr_cel_over(run);
    }
    *value = nano > NANO_MAX ? NANO_MAX : nano < -NANO_MAX ? -NANO_MAX : nano;
    return (struct skr_cel_value){.kind = SKR_CEL_QUANTITY, .nano = value};
}

static bool parse(const struct skr_cel_value *v, skr_int128 *ret)
{
    char text[SKR_QUANTITY_TEXT_MAX + 1];
    if (v->n > SKR_QUANTITY_TEXT_MAX || memchr(v->text, '\0', v->n)) {
        return false;
    }
    memcpy(text, v->text, v->n);
    text[v->n] = '\0';
    return skr_quantity_parse_nano(text, ret, NULL) == 0;
}

static struct skr_cel_value quantity(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                     size_t n)
{
    skr_int128 nano;
    (void)n;
    return parse(&arg[0], &nano)
               ? made(run, nano)
               : skr_cel_errorf(run, "\"%.*s\" is no quantity",
                                (int)(arg[0].n < 64 ? arg[0].n : 64), arg[0].text);
}

static struct skr_cel_value is_quantity(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                        size_t n)
{
    skr_int128 nano;
    (void)run;
    (void)n;
    return skr_cel_bool(parse(&arg[0], &nano));
}

static skr_int128 nano_of(const struct skr_cel_value *v)
{
    return v->kind == SKR_CEL_INT ? (skr_int128)v->integer * NANO : *v->nano;
}

static struct skr_cel_value add(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n)
{
    (void)n;
    return made(run, nano_of(&arg[0]) + nano_of(&arg[1]));
}

static struct skr_cel_value sub(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n)
{
    (void)n;
    return made(run, nano_of(&arg[0]) - nano_of(&arg[1]));
}

static struct skr_cel_value sign(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n)
{
    (void)run;
    (void)n;
    return skr_cel_int(ORDER(*arg[0].nano, 0));
}

static bool is_whole(const struct skr_cel_value *v)
{
    const skr_int128 units = *v->nano / NANO;
    return *v->nano % NANO == 0 && units < INT64_MAX && units > INT64_MIN;
}

static struct skr_cel_value is_integer(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                       size_t n)
{
    (void)run;
    (void)n;
    return skr_cel_bool(is_whole(&arg[0]));
}

static struct skr_cel_value as_integer(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                       size_t n)
{
    (void)run;
    (void)n;
    return is_whole(&arg[0]) ? skr_cel_int((int64_t)(*arg[0].nano / NANO))
                             : skr_cel_error("the quantity is no integer");
}

static struct skr_cel_value as_double(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                      size_t n)
{
    const bool negative = *arg[0].nano < 0;
    const skr_int128 nano = negative ? -*arg[0].nano : *arg[0].nano;
    const skr_int128 units = nano / NANO;
    const double whole = (double)(units > UINT64_MAX ? UINT64_MAX : (uint64_t)units);
    const double value = whole + (double)(int64_t)(nano % NANO) / NANO;
    (void)run;
    (void)n;
    return skr_cel_double(negative ? -value : value);
}

/* ---- versions ---- */

static bool parse_version(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n,
                          struct skr_cel_semver *ret)
{
    return skr_cel_semver_parse(arg[0].text, arg[0].n, n > 1 && arg[1].boolean, run->arena, ret);
}

static struct skr_cel_value semver(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                   size_t n)
{
    struct skr_cel_semver *version = skr_cel_room(run, 1, sizeof *version);
    if (!version || !skr_cel_charge_text(run, arg[0].n)) {
        return skr_cel_over(run);
    }
    if (!parse_version(run, arg, n, version)) {
        return skr_cel_errorf(run, "\"%.*s\" is no semantic version",
                              (int)(arg[0].n < 64 ? arg[0].n : 64), arg[0].text);
    }
    return (struct skr_cel_value){.kind = SKR_CEL_SEMVER, .semver = version};
}

static struct skr_cel_value is_semver(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                      size_t n)
{
    struct skr_cel_semver version;
    return skr_cel_charge_text(run, arg[0].n) ? skr_cel_bool(parse_version(run, arg, n, &version))
                                              : skr_cel_over(run);
}

static struct skr_cel_value part_of(const struct skr_cel_value *v, size_t i)
{
    return v->semver->part[i] > INT64_MAX ? skr_cel_error("the number does not fit int")
                                          : skr_cel_int((int64_t)v->semver->part[i]);
}

static struct skr_cel_value major(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                  size_t n)
{
    (void)run;
    (void)n;
    return part_of(&arg[0], 0);
}

static struct skr_cel_value minor(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                  size_t n)
{
    (void)run;
    (void)n;
    return part_of(&arg[0], 1);
}

static struct skr_cel_value patch(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                  size_t n)
{
    (void)run;
    (void)n;
    return part_of(&arg[0], 2);
}

/* ---- order of both ---- */

static int order(const struct skr_cel_value *arg)
{
    return arg[0].kind == SKR_CEL_SEMVER ? skr_cel_semver_compare(arg[0].semver, arg[1].semver)
                                         : ORDER(*arg[0].nano, *arg[1].nano);
}

static struct skr_cel_value compare_to(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                       size_t n)
{
    (void)run;
    (void)n;
    return skr_cel_int(order(arg));
}

static struct skr_cel_value is_greater(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                       size_t n)
{
    (void)run;
    (void)n;
    return skr_cel_bool(order(arg) > 0);
}

static struct skr_cel_value is_less(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                    size_t n)
{
    (void)run;
    (void)n;
    return skr_cel_bool(order(arg) < 0);
}

const struct skr_cel_function skr_cel_amount_functions[] = {
    {"quantity", SKR_CEL_GLOBAL, "s:q", quantity},
    {"isQuantity", SKR_CEL_GLOBAL, "s:b", is_quantity},
    {"sign", SKR_CEL_GLOBAL, "q:i", sign},
    {"add", SKR_CEL_MEMBER, "qq:q|qi:q", add},
    {"sub", SKR_CEL_MEMBER, "qq:q|qi:q", sub},
    {"isInteger", SKR_CEL_MEMBER, "q:b", is_integer},
    {"asInteger", SKR_CEL_MEMBER, "q:i", as_integer},
    {"asApproximateFloat", SKR_CEL_MEMBER, "q:d", as_double},
    {"semver", SKR_CEL_GLOBAL, "s:v|sb:v", semver},
    {"isSemver", SKR_CEL_GLOBAL, "s:b|sb:b", is_semver},
    {"major", SKR_CEL_MEMBER, "v:i", major},
    {"minor", SKR_CEL_MEMBER, "v:i", minor},
    {"patch", SKR_CEL_MEMBER, "v:i", patch},
    {"compareTo", SKR_CEL_MEMBER, "qq:i|vv:i", compare_to},
    {"isGreaterThan", SKR_CEL_MEMBER, "qq:b|vv:b", is_greater},
    {"isLessThan", SKR_CEL_MEMBER, "qq:b|vv:b", is_less},
    {0},
};
