/* SPDX-License-Identifier: Apache-2.0 */
/* What a unit may hold on its level: rules of all scopes, caps, bounds of sets, bounds of the unit;
 * and the counters of the scopes that use it. */
#include "core/solver/roles/role_sets.h"

/* A cap, or bounds, of the sum of roles. Returns its number. */
static int32_t add_sum(struct skr_role_filter *filter, uint32_t roles, int64_t *ret_claims)
{
    const struct skr_role_run *rr = filter->rr;
    const struct skr_axes *axes = &rr->axes[filter->level];
    int32_t at = filter->n_caps++;
    *ret_claims = 0;
    for (int32_t r = 0; r < rr->n_roles; r++) {
        if ((roles >> r & 1) != 0) {
            *ret_claims += rr->claims[r] ? rr->claims[r][filter->unit] : 0;
            for (int32_t a = 0; a < axes->n; a++) {
                filter->cap_weight[at][a] += axes->axis[a].each[r];
            }
        }
    }
    return at;
}

static void init_caps(struct skr_role_filter *filter)
{
    const struct skr_roles *roles = filter->rr->roles;
    int64_t claims = 0;
    for (size_t c = 0; c < roles->n_caps; c++) {
        const struct skr_role_cap *cap = &roles->cap[c];
        if (cap->level == filter->level) {
            int32_t at = add_sum(filter, cap->roles, &claims);
            filter->cap_most[at] = claims > cap->most ? (int32_t)claims : cap->most;
        }
    }
    for (size_t i = 0; i < roles->n_bounds; i++) {
        const struct skr_role_bounds *bounds = &roles->bounds[i];
        if (bounds->level == filter->level) {
            int32_t at = add_sum(filter, bounds->roles, &claims);
            filter->cap_least[at] = bounds->of[filter->unit].least;
            filter->cap_most[at] = bounds->of[filter->unit].most;
        }
    }
}

void skr_role_filter_init(struct skr_role_filter *filter, struct skr_role_run *rr, int32_t level,
                          int32_t unit)
{
    const struct skr_axes *axes = &rr->axes[level];
    *filter = (struct skr_role_filter){.rr = rr, .level = level, .unit = unit, .simple = true};
    init_caps(filter);
    for (int32_t a = 0; a < axes->n; a++) {
        filter->axis_most[a] = axes->axis[a].most;
        int32_t k = axes->axis[a].kind;
        if (k >= 0 && rr->roles->kind[k].level == level) {
            const struct skr_set_kind *kind = &rr->roles->kind[k];
            filter->axis_least[a] = kind->alive ? kind->alive[unit] : 0;
            filter->axis_most[a] =
                kind->exclusive && axes->axis[a].most > 1 ? 1 : axes->axis[a].most;
        }
    }
    filter->most = rr->n[rr->n_roles];
    const struct skr_unit_bounds *bounds = rr->run.problem->bounds;
    if (bounds) {
        filter->least = bounds[unit].least;
        filter->most = bounds[unit].most < filter->most ? bounds[unit].most : filter->most;
    }
    for (int32_t scope = 0; scope < rr->n_scopes; scope++) {
        const struct skr_law *law = &rr->law[level][scope];
        if (law->lo > 1 || law->factor > 1 || law->used > 0) {
            filter->simple = false;
        }
    }
    filter->simple = filter->simple && filter->least <= 0;
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
    for (int32_t scope = 0; scope < rr->n_scopes; scope++) {
        int32_t amount = base[scope] + main * skr_axes_slope(axes, scope);
        if (amount > 0 && rr->ruled[filter->level][scope] &&
            !skr_law_allows(&rr->law[filter->level][scope], amount)) {
            return false;
        }
        if (scope == rr->n_roles && amount < filter->least) {
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

bool skr_role_filter_put(const struct skr_role_filter *filter, uint64_t key,
                         const struct skr_role_row *row, int32_t lo, int32_t hi)
{
    struct skr_role_run *rr = filter->rr;
    const struct skr_axes *axes = &rr->axes[filter->level];
    int32_t base[SKR_SCOPES_MAX];
    int32_t last = axes->n - 1;
    lo = lo > filter->axis_least[last] ? lo : filter->axis_least[last];
    hi = hi < filter->axis_most[last] ? hi : filter->axis_most[last];
    for (int32_t a = 0; a < last; a++) {
        int32_t count = skr_axes_digit(axes, key, a);
        if (count < filter->axis_least[a] || count > filter->axis_most[a]) {
            return true;
        }
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
    for (int32_t scope = 0; scope < rr->n_scopes; scope++) {
        base[scope] = skr_axes_base(axes, key, scope);
        bound(&hi, base[scope], skr_axes_slope(axes, scope), rr->law[filter->level][scope].hi);
    }
    bound(&hi, base[rr->n_roles], skr_axes_slope(axes, rr->n_roles), filter->most);
    if (filter->simple) {
        return lo > hi || skr_role_rows_add_row(rr, key, row, lo, hi);
    }
    hi = hi < row->hi ? hi : row->hi;
    for (int32_t x = skr_role_row_next(row, lo); x <= hi; x = skr_role_row_next(row, x + 1)) {
        uint64_t with = key;
        if (judge(filter, base, x, &with) && !skr_role_rows_add(rr, with, x, x)) {
            return false;
        }
    }
    return skr_run_poll(&rr->run);
}
