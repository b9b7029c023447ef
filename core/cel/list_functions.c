/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of lists: those that Kubernetes adds (k8s.io/apiserver/pkg/cel/library/lists.go). */
#include "core/cel/function.h"
#include "core/cel/type.h"

/* Order of items i and j. False: they have none. */
static bool compare(const struct skr_cel_value *list, size_t i, size_t j, int *ret)
{
    return skr_cel_compare(&list->item[i], &list->item[j], ret);
}

static struct skr_cel_value is_sorted(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                      size_t n)
{
    int order;
    (void)n;
    if (!skr_cel_charge(run, arg[0].n)) {
        return skr_cel_over(run);
    }
    for (size_t i = 1; i < arg[0].n; i++) {
        if (!compare(&arg[0], i - 1, i, &order)) {
            return skr_cel_no_overload(run, "isSorted()", &arg[0].item[i], 1);
        }
        if (order > 0) {
            return skr_cel_bool(false);
        }
    }
    return skr_cel_bool(true);
}

/* The first of the largest items (sign 1), or of the smallest (-1). */
static struct skr_cel_value extreme(struct skr_cel_run *run, const struct skr_cel_value *list,
                                    int sign, const char *name)
{
    size_t best = 0;
    int order;
    if (!skr_cel_charge(run, list->n)) {
        return skr_cel_over(run);
    }
    if (list->n == 0) {
        return skr_cel_errorf(run, "%s of an empty list", name);
    }
    for (size_t i = 1; i < list->n; i++) {
        if (!compare(list, i, best, &order)) {
            return skr_cel_no_overload(run, name, &list->item[i], 1);
        }
        best = order * sign > 0 ? i : best;
    }
    return list->item[best];
}

static struct skr_cel_value min(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n)
{
    (void)n;
    return extreme(run, &arg[0], -1, "min()");
}

static struct skr_cel_value max(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n)
{
    (void)n;
    return extreme(run, &arg[0], 1, "max()");
}

/* The row of "_+_" adds. */
static struct skr_cel_value sum(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n)
{
    struct skr_cel_value pair[2] = {skr_cel_int(0), skr_cel_int(0)};
    (void)n;
    if (arg[0].n > 0 && skr_cel_type_of(arg[0].item[0].kind) != 's') {
        pair[0] = (struct skr_cel_value){.kind = arg[0].item[0].kind, .integer = 0};
    }
    for (size_t i = 0; i < arg[0].n; i++) {
        pair[1] = arg[0].item[i];
        if (!skr_cel_charge(run, 1)) {
            return skr_cel_over(run);
        }
        if (pair[1].kind < SKR_CEL_INT ||
            (pair[1].kind > SKR_CEL_DOUBLE && pair[1].kind != SKR_CEL_DURATION)) {
            return skr_cel_no_overload(run, "sum()", &pair[1], 1);
        }
        pair[0] = skr_cel_operators[0].call(run, pair, 2);
        if (pair[0].kind == SKR_CEL_ERROR) {
            return pair[0];
        }
    }
    return pair[0];
}

static struct skr_cel_value index_of(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                     size_t n)
{
    (void)n;
    if (!skr_cel_charge(run, arg[0].n)) {
        return skr_cel_over(run);
    }
    for (size_t i = 0; i < arg[0].n; i++) {
        if (skr_cel_equal(&arg[0].item[i], &arg[1])) {
            return skr_cel_int((int64_t)i);
        }
    }
    return skr_cel_int(-1);
}

static struct skr_cel_value last_index_of(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                          size_t n)
{
    (void)n;
    if (!skr_cel_charge(run, arg[0].n)) {
        return skr_cel_over(run);
    }
    for (size_t i = arg[0].n; i-- > 0;) {
        if (skr_cel_equal(&arg[0].item[i], &arg[1])) {
            return skr_cel_int((int64_t)i);
        }
    }
    return skr_cel_int(-1);
}

#define COMPARABLE "Li:i|Lu:u|Ld:d|Lb:b|Lr:r|Lt:t|Ls:s|Ly:y"

const struct skr_cel_function skr_cel_list_functions[] = {
    {"isSorted", SKR_CEL_MEMBER, "Li:b|Lu:b|Ld:b|Lb:b|Lr:b|Lt:b|Ls:b|Ly:b", is_sorted},
    {"min", SKR_CEL_MEMBER, COMPARABLE, min},
    {"max", SKR_CEL_MEMBER, COMPARABLE, max},
    {"sum", SKR_CEL_MEMBER, "Li:i|Lu:u|Ld:d|Lr:r", sum},
    {"indexOf", SKR_CEL_MEMBER, "LAA:i", index_of},
    {"lastIndexOf", SKR_CEL_MEMBER, "LAA:i", last_index_of},
    {0},
};
