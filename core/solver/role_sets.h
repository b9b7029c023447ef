/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_SETS_H
#define SKR_CORE_SOLVER_ROLE_SETS_H
/*
 * The vectors that units of roles can hold, with all rules, sets and caps below them obeyed:
 * feasible_sets.h asks for them unit by unit. Internal to the solver; memory of the run.
 */
#include "core/solver/feasible_sets.h"

enum { SKR_ROLE_SUMS_MAX = 2 * SKR_ROLE_CAPS_MAX + SKR_DOMAIN_RULES_MAX };

/* What a unit may hold on its level. Vectors are put into the builder of the run. */
struct skr_role_filter {
    struct skr_role_run *rr;
    int32_t level, unit;
    bool simple;    /* only greatest counts bind: intervals stay intervals */
    int32_t n_caps; /* caps of the level, then bounds of roles there */
    int32_t cap_weight[SKR_ROLE_SUMS_MAX][SKR_AXES_MAX]; /* [cap][axis] */
    int32_t cap_least[SKR_ROLE_SUMS_MAX], cap_most[SKR_ROLE_SUMS_MAX];
    int32_t n_apart;
    uint32_t apart[SKR_ROLE_CAPS_MAX][2]; /* axes, one of [0] and one of [1] never both > 0 */
    int32_t axis_least[SKR_AXES_MAX], axis_most[SKR_AXES_MAX];
    int32_t least, most; /* of all members */
};

/* most_only: nothing but greatest counts binds, and vectors get no counters. */
void skr_role_filter_init(struct skr_role_filter *filter, struct skr_role_run *rr, int32_t level,
                          int32_t unit, bool most_only);
/* Puts those of the vectors (key, main counts of row within lo .. hi) that the unit may hold. */
bool skr_role_filter_put(const struct skr_role_filter *filter, uint64_t key,
                         const struct skr_row *row, int32_t lo, int32_t hi);

/* Vectors that the leaf can hold, into the filter. */
bool skr_role_leaf_put(const struct skr_role_filter *filter, int32_t leaf);

/* The vectors of a unit of level >= 1 as a child of its parent, valid until the next rows are begun.
 * inside: the span of its children; NULL: they hold nothing, or it is a leaf. most_only: without least
 * counts, steps and counters of its own level. */
bool skr_role_unit_rows(struct skr_role_run *rr, int32_t level, int32_t unit,
                        const struct skr_span *inside, bool most_only, struct skr_rows *ret);
/* The feasible sets of all units. */
bool skr_role_sets_build(struct skr_role_run *rr, struct skr_feasible *ret);
/* S(root): vectors of the axes of level 1, without counters. Sorted by key. */
bool skr_role_sets_root(struct skr_role_run *rr, const struct skr_feasible *sets,
                        struct skr_rows *ret);

#endif
