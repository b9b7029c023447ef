/* SPDX-License-Identifier: Apache-2.0 */
/* What a unit may hold on its level: rules of all scopes, caps, bounds of sets, bounds of the unit;
 * and the counters of the scopes that use it. */
#include "core/solver/role_sets.h"

#include <string.h>

/* Members of the roles that are there already. */
static int64_t claims_of(const struct skr_role_filter *filter, uint32_t roles)
{
    const struct skr_role_run *rr = filter->rr;
    int64_t claims = 0;
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        claims += (roles >> r & 1) != 0 && rr->claims[r] ? rr->claims[r][filter->unit] : 0;
    }
    return claims;
}

/* Bounds the sum of roles. */
static void add_sum(struct skr_role_filter *filter, uint32_t roles, int32_t least, int64_t most)
{
    const struct skr_axes *axes = &filter->rr->axes[filter->level];
    int32_t at = filter->n_caps++;
    filter->cap_least[at] = least;
    filter->cap_most[at] = (int32_t)most;
    for (int32_t a = 0; a < axes->n; a++) {
        filter->cap_weight[at][a] = 0;
        for (int32_t r = 0; r < filter->rr->run.n_roles; r++) {
            filter->cap_weight[at][a] += (roles >> r & 1) != 0 ? axes->axis[a].each[r] : 0;
        }
    }
}

/* The axes that count any of the roles. */
static uint32_t axes_of(const struct skr_role_filter *filter, uint32_t roles)
{
    const struct skr_axes *axes = &filter->rr->axes[filter->level];
    uint32_t ret = 0;
    for (int32_t a = 0; a < axes->n; a++) {
        for (int32_t r = 0; r < filter->rr->run.n_roles; r++) {
            ret |= (roles >> r & 1) != 0 && axes->axis[a].each[r] > 0 ? UINT32_C(1) << a : 0;
        }
    }
    return ret;
}

static void add_cap(struct skr_role_filter *filter, const struct skr_role_cap *cap)
{
    const int64_t claims = claims_of(filter, cap->roles);
    const int64_t others = claims_of(filter, cap->against);
    if (cap->against == 0) {
        add_sum(filter, cap->roles, 0, claims > cap->most ? claims : cap->most);
    } else if (claims > 0 && others > 0) {
        add_sum(filter, cap->roles, 0, claims);
        add_sum(filter, cap->against, 0, others);
    } else {
        filter->apart[filter->n_apart][0] = axes_of(filter, cap->roles);
        filter->apart[filter->n_apart++][1] = axes_of(filter, cap->against);
    }
}

static void init_caps(struct skr_role_filter *filter)
{
    const struct skr_roles *roles = filter->rr->roles;
    for (size_t c = 0; c < roles->n_caps; c++) {
        if (roles->cap[c].level == filter->level) {
            add_cap(filter, &roles->cap[c]);
        }
    }
    for (size_t i = 0; i < roles->n_bounds; i++) {
        const struct skr_role_bounds *bounds = &roles->bounds[i];
        if (bounds->level == filter->level) {
            const struct skr_unit_bounds *of = &bounds->of[filter->unit];
            add_sum(filter, bounds->roles, of->least, of->most);
        }
    }
}

void skr_role_filter_init(struct skr_role_filter *filter, struct skr_role_run *rr, int32_t level,
                          int32_t unit, bool most_only)
{
    const struct skr_axes *axes = &rr->axes[level];
    filter->rr = rr;
    filter->level = level;
    filter->unit = unit;
    filter->simple = true;
    filter->n_caps = filter->n_apart = 0;
    filter->least = 0;
    init_caps(filter);
    for (int32_t a = 0; a < axes->n; a++) {
        filter->axis_least[a] = 0;
        filter->axis_most[a] = axes->axis[a].most;
        int32_t k = axes->axis[a].kind;
        if (k >= 0 && rr->roles->kind[k].level == level) {
            const struct skr_set_kind *kind = &rr->roles->kind[k];
            filter->axis_least[a] = kind->alive ? kind->alive[unit] : 0;
            filter->axis_most[a] =
                kind->exclusive && axes->axis[a].most > 1 ? 1 : axes->axis[a].most;
        }
    }
    filter->most = rr->n[rr->run.n_roles];
    const struct skr_unit_bounds *bounds = rr->run.problem->bounds;
    if (bounds) {
        filter->least = bounds[unit].least;
        filter->most = bounds[unit].most < filter->most ? bounds[unit].most : filter->most;
    }
    for (int32_t scope = 0; scope < rr->run.n_scopes; scope++) {
        const struct skr_law *law = &rr->law[level][scope];
        if (law->lo > 1 || law->factor > 1 || law->used > 0) {
            filter->simple = false;
        }
    }
    filter->simple = filter->simple && filter->least <= 0;
    if (most_only) {
        filter->simple = true;
        memset(filter->axis_least, 0, sizeof filter->axis_least);
        memset(filter->cap_least, 0, sizeof filter->cap_least);
    }
}

/* Tightens *hi so that base + x * slope <= most for x <= *hi. */
static void bound(int32_t *hi, int32_t base, int32_t slope, int32_t most)
{
    if (base > most) {
        *hi = -1;
    } else if (slope > 0 && (most - base) / slope < *hi) {
        *hi = (most - base) / slope;
    }
}

/* The key with the counters of the scopes in use; false if a rule forbids the vector. */
static bool judge(const struct skr_role_filter *filter, const int32_t *base, int32_t main,
                  uint64_t *key)
{
    const struct skr_role_run *rr = filter->rr;
    const struct skr_axes *axes = &rr->axes[filter->level];
    for (int32_t scope = 0; scope < rr->run.n_scopes; scope++) {
        int32_t amount = base[scope] + main * skr_axes_slope(axes, scope);
        if (amount > 0 && rr->ruled[filter->level][scope] &&
            !skr_law_allows(&rr->law[filter->level][scope], amount)) {
            return false;
        }
        if (scope == rr->run.n_roles && amount < filter->least) {
            return false;
        }
    }
    for (int32_t c = 0; c < axes->n_counters; c++) {
        const struct skr_counter *counter = &axes->counter[c];
        if (base[counter->scope] + main * skr_axes_slope(axes, counter->scope) > 0) {
            *key += UINT64_C(1) << counter->shift;
        }
    }
    return true;
}

/* Lowers *hi to 0 if a count of the main axis brings roles together that are apart. present: the axes
 * that count something. False: the row does so already. */
static bool keep_apart(const struct skr_role_filter *filter, uint32_t present, int32_t *hi)
{
    const uint32_t with_main = present | UINT32_C(1) << (filter->rr->axes[filter->level].n - 1);
    for (int32_t i = 0; i < filter->n_apart; i++) {
        const uint32_t *apart = filter->apart[i];
        if ((present & apart[0]) != 0 && (present & apart[1]) != 0) {
            return false;
        }
        if ((with_main & apart[0]) != 0 && (with_main & apart[1]) != 0) {
            *hi = *hi < 0 ? *hi : 0;
        }
    }
    return true;
}

bool skr_role_filter_put(const struct skr_role_filter *filter, uint64_t key,
                         const struct skr_row *row, int32_t lo, int32_t hi)
{
    struct skr_role_run *rr = filter->rr;
    const struct skr_axes *axes = &rr->axes[filter->level];
    int32_t base[SKR_SCOPES_MAX];
    int32_t last = axes->n - 1;
    uint32_t present = 0;
    lo = lo > filter->axis_least[last] ? lo : filter->axis_least[last];
    hi = hi < filter->axis_most[last] ? hi : filter->axis_most[last];
    for (int32_t a = 0; a < last; a++) {
        int32_t count = skr_axes_digit(axes, key, a);
        if (count < filter->axis_least[a] || count > filter->axis_most[a]) {
            return true;
        }
        present |= count > 0 ? UINT32_C(1) << a : 0;
    }
    if (!keep_apart(filter, present, &hi)) {
        return true;
    }
    for (int32_t c = 0; c < filter->n_caps; c++) {
        int32_t sum = 0;
        for (int32_t a = 0; a < last; a++) {
            sum += skr_axes_digit(axes, key, a) * filter->cap_weight[c][a];
        }
        int32_t slope = filter->cap_weight[c][last];
        bound(&hi, sum, slope, filter->cap_most[c]);
        int32_t lacks = filter->cap_least[c] - sum;
        if (lacks > 0) {
            int32_t least = slope > 0 ? (lacks + slope - 1) / slope : hi + 1;
            lo = least > lo ? least : lo;
        }
    }
    for (int32_t scope = 0; scope < rr->run.n_scopes; scope++) {
        base[scope] = skr_axes_base(axes, key, scope);
        bound(&hi, base[scope], skr_axes_slope(axes, scope), rr->law[filter->level][scope].hi);
    }
    bound(&hi, base[rr->run.n_roles], skr_axes_slope(axes, rr->run.n_roles), filter->most);
    if (filter->simple) {
        return lo > hi || skr_rows_add_row(&rr->run, key, row, lo, hi);
    }
    hi = hi < row->hi ? hi : row->hi;
    for (int32_t x = skr_row_next(row, lo); x <= hi; x = skr_row_next(row, x + 1)) {
        uint64_t with = key;
        if (judge(filter, base, x, &with) && !skr_rows_add(&rr->run, with, x, x)) {
            return false;
        }
    }
    return skr_run_poll(&rr->run);
}
