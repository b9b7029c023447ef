/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors that a leaf can hold: axis by axis with what is left of each resource, the main axis
 * last. Claims stay; only members beyond them need room, and only where their role is eligible.
 */
#include <string.h>

#include "core/solver/role_sets.h"
#include "topology/room.h"

struct walk {
    const struct skr_role_filter *filter;
    const struct skr_problem *problem;
    const struct skr_axes *axes;
    int32_t leaf;
    int64_t *left; /* [axis][resource] */
    int32_t claimed[SKR_ROLES_MAX];
    bool eligible[SKR_ROLES_MAX];
};

/* Takes the new members of `count` on the axis from what is left; false if they do not fit. */
static bool take(const struct walk *w, int32_t a, int32_t count, int64_t *left)
{
    const struct skr_roles *roles = w->problem->roles;
    const struct skr_axis *axis = &w->axes->axis[a];
    for (size_t r = 0; r < roles->n_roles; r++) {
        int64_t added = (int64_t)count * axis->each[r] - w->claimed[r];
        if (axis->each[r] == 0 || added == 0) {
            continue;
        }
        if (added < 0 || !w->eligible[r]) {
            return false;
        }
        for (size_t d = 0; d < w->problem->n_resources; d++) {
            int64_t demand = roles->role[r].demand[d];
            if (skr_room_holds(left[d], demand) < added) {
                return false;
            }
            left[d] = skr_room_plus(left[d], -skr_amount_times(added, demand));
        }
    }
    return true;
}

static bool fits(const struct walk *w, int32_t a, int32_t count, const int64_t *left,
                 int64_t *space)
{
    if (w->problem->n_resources > 0) {
        memcpy(space, left, w->problem->n_resources * sizeof *space);
    }
    return take(w, a, count, space);
}

static int32_t least_of(const struct walk *w, const struct skr_axis *axis)
{
    int32_t least = 0;
    for (size_t r = 0; r < w->problem->roles->n_roles; r++) {
        if (axis->each[r] > 0) {
            int32_t need = w->claimed[r] / axis->each[r] + (w->claimed[r] % axis->each[r] != 0);
            least = need > least ? need : least;
        }
    }
    return least;
}

/* The greatest count >= lo that fits, which lo does. */
static int32_t most_of(const struct walk *w, int32_t a, int32_t lo, const int64_t *left,
                       int64_t *space)
{
    const struct skr_axis *axis = &w->axes->axis[a];
    if (axis->role >= 0 && axis->part == SKR_AXIS_WHOLE) {
        const int64_t *demand = w->problem->roles->role[axis->role].demand;
        return lo + (int32_t)skr_room_holds_all(left, demand, w->problem->n_resources,
                                                w->eligible[axis->role] ? axis->most - lo : 0);
    }
    int32_t good = lo;
    int32_t bad = axis->most + 1;
    while (bad - good > 1) {
        int32_t mid = good + (bad - good) / 2;
        if (fits(w, a, mid, left, space)) {
            good = mid;
        } else {
            bad = mid;
        }
    }
    return good;
}

static bool walk_axis(const struct walk *w, int32_t a, uint64_t key)
{
    size_t n = w->problem->n_resources;
    const int64_t *left = w->left + (size_t)a * n;
    int64_t *next = w->left + ((size_t)a + 1) * n;
    const struct skr_axis *axis = &w->axes->axis[a];
    int32_t lo = least_of(w, axis);
    if (lo > axis->most || !fits(w, a, lo, left, next)) {
        return true;
    }
    int32_t hi = most_of(w, a, lo, left, next);
    if (a == w->axes->n - 1) {
        const struct skr_row row = {.key = key, .lo = lo, .hi = hi};
        return skr_role_filter_put(w->filter, key, &row, lo, hi);
    }
    for (int32_t count = lo; count <= hi; count++) {
        if (!fits(w, a, count, left, next) ||
            !walk_axis(w, a + 1, key | (uint64_t)count << axis->shift)) {
            return false;
        }
    }
    return skr_role_run_step(w->filter->rr, hi - lo + 1);
}

bool skr_role_leaf_put(const struct skr_role_filter *filter, int32_t leaf)
{
    const struct skr_problem *problem = filter->rr->run.problem;
    const struct skr_roles *roles = problem->roles;
    struct walk w = {.filter = filter,
                     .problem = problem,
                     .axes = &filter->rr->axes[filter->level],
                     .leaf = leaf,
                     .left = filter->rr->left};
    for (size_t r = 0; r < roles->n_roles; r++) {
        const struct skr_role *role = &roles->role[r];
        w.claimed[r] = role->claimed ? role->claimed[leaf] : 0;
        w.eligible[r] = skr_role_takes(role, leaf);
    }
    for (size_t d = 0; d < problem->n_resources; d++) {
        int64_t free = problem->free[(size_t)leaf * problem->n_resources + d];
        w.left[d] = free > 0 ? free : 0;
    }
    return walk_axis(&w, 0, 0);
}
