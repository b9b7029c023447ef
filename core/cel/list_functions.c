/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of lists: those that Kubernetes adds (k8s.io/apiserver/pkg/cel/library/lists.go). */
#include "core/cel/function.h"

/* Order of items i and j. False: *ret_error says why there is none. */
static bool compare(struct skr_cel_run *run, const struct skr_cel_value *list, size_t i, size_t j,
                    int *ret, struct skr_cel_value *ret_error)
{
    const struct skr_cel_value *a = &list->item[i], *b = &list->item[j];
    if (!skr_cel_charge(run, 1) || !skr_cel_charge_equality(run, a, b)) {
        *ret_error = skr_cel_over(run);
        return false;
    }
    if (!skr_cel_compare(a, b, ret)) {
        *ret_error = skr_cel_no_overload(run, a, 1);
        return false;
    }
    return true;
}

static struct skr_cel_value is_sorted(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_value error;
    int order;
    for (size_t i = 1; i < arg[0].n; i++) {
        if (!compare(run, &arg[0], i, i - 1, &order, &error)) {
            return error;
        }
        if (order < 0) {
            return skr_cel_bool(false);
        }
    }
    return skr_cel_bool(true);
}

/* The first of the largest items (way 1), or of the smallest (-1). */
static struct skr_cel_value extreme(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_value error;
    size_t best = 0;
    int order;
    if (arg[0].n == 0) {
        return skr_cel_errorf(run, "%s() of an empty list", run->row->name);
    }
    for (size_t i = 1; i < arg[0].n; i++) {
        if (!compare(run, &arg[0], i, best, &order, &error)) {
            return error;
        }
        best = order * run->row->way > 0 ? i : best;
    }
    return arg[0].item[best];
}

/* The row of "_+_" adds. */
static struct skr_cel_value sum(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_value pair[2] = {skr_cel_int(0), skr_cel_int(0)};
    if (arg[0].n > 0) {
        pair[0] = (struct skr_cel_value){.kind = arg[0].item[0].kind, .integer = 0};
    }
    for (size_t i = 0; i < arg[0].n; i++) {
        pair[1] = arg[0].item[i];
        if (!skr_cel_charge(run, 1)) {
            return skr_cel_over(run);
        }
        if (pair[1].kind < SKR_CEL_INT ||
            (pair[1].kind > SKR_CEL_DOUBLE && pair[1].kind != SKR_CEL_DURATION)) {
            return skr_cel_no_overload(run, &pair[1], 1);
        }
        pair[0] = skr_cel_operators[0].call(run, pair);
        if (pair[0].kind == SKR_CEL_ERROR) {
            return pair[0];
        }
    }
    return pair[0];
}

/* The place of the first item that equals the value, or of the last one (way 1); -1: none does. */
static struct skr_cel_value index_of(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    for (size_t k = 0; k < arg[0].n; k++) {
        const size_t i = run->row->way == 1 ? arg[0].n - 1 - k : k;
        if (!skr_cel_charge(run, 1) || !skr_cel_charge_equality(run, &arg[0].item[i], &arg[1])) {
            return skr_cel_over(run);
        }
        if (skr_cel_equal(&arg[0].item[i], &arg[1])) {
            return skr_cel_int((int64_t)i);
        }
    }
    return skr_cel_int(-1);
}

#define COMPARABLE "Li:i|Lu:u|Ld:d|Lb:b|Lr:r|Lt:t|Ls:s|Ly:y"

const struct skr_cel_function skr_cel_list_functions[] = {
    {"isSorted", SKR_CEL_MEMBER, "Li:b|Lu:b|Ld:b|Lb:b|Lr:b|Lt:b|Ls:b|Ly:b", is_sorted, SKR_CEL_FREE,
     0},
    {"min", SKR_CEL_MEMBER, COMPARABLE, extreme, SKR_CEL_FREE, -1},
    {"max", SKR_CEL_MEMBER, COMPARABLE, extreme, SKR_CEL_FREE, 1},
    {"sum", SKR_CEL_MEMBER, "Li:i|Lu:u|Ld:d|Lr:r", sum, SKR_CEL_FREE, 0},
    {"indexOf", SKR_CEL_MEMBER, "LAA:i", index_of, SKR_CEL_FREE, 0},
    {"lastIndexOf", SKR_CEL_MEMBER, "LAA:i", index_of, SKR_CEL_FREE, 1},
    {0},
};
