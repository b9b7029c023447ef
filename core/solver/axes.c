/* SPDX-License-Identifier: Apache-2.0 */
/* Axes, laws and claims of a run, made from the problem once. */
#include "core/solver/axes.h"

#include <string.h>

/* Makes one count of the axis worth that many units. */
static void set_each(const struct skr_role_run *rr, struct skr_axis *axis, int32_t units)
{
    axis->weight[rr->run.n_roles] = 0;
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        axis->each[r] = axis->unit[r] * units;
        axis->weight[r] = axis->each[r];
        axis->weight[rr->run.n_roles] += axis->each[r];
    }
}

static void add_axis(struct skr_role_run *rr, struct skr_axes *axes, int32_t role, int32_t kind)
{
    struct skr_axis *axis = &axes->axis[axes->n++];
    *axis = (struct skr_axis){.role = role, .kind = kind};
    if (kind >= 0) {
        axis->most = rr->sets[kind];
        for (int32_t r = 0; r < rr->run.n_roles; r++) {
            axis->unit[r] = rr->roles->kind[kind].each[r];
        }
    } else {
        axis->most = rr->n[role];
        axis->unit[role] = 1;
    }
    set_each(rr, axis, 1);
}

/* Puts the axis with the greatest count last; of equal ones the first. */
static void choose_main(struct skr_axes *axes)
{
    int32_t best = 0;
    for (int32_t a = 1; a < axes->n; a++) {
        best = axes->axis[a].most > axes->axis[best].most ? a : best;
    }
    const struct skr_axis chosen = axes->axis[best];
    memmove(&axes->axis[best], &axes->axis[best + 1],
            (size_t)(axes->n - 1 - best) * sizeof axes->axis[0]);
    axes->axis[axes->n - 1] = chosen;
}

/* Whether the counts of the axis may be in blocks: nothing of it is claimed or alive, and a unit may
 * hold a whole block. */
static bool can_be_coarse(const struct skr_role_run *rr, const struct skr_axis *axis)
{
    if (axis->most < 2 * rr->block || (axis->kind >= 0 && (rr->roles->kind[axis->kind].exclusive ||
                                                           rr->roles->kind[axis->kind].alive))) {
        return false;
    }
    bool claimed = false;
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        claimed = claimed || (axis->unit[r] > 0 && rr->claims[r] && rr->claims[r][0] > 0);
    }
    return !claimed;
}

/* Side axes become two: blocks, and the rest. */
static void make_coarse(const struct skr_role_run *rr, struct skr_axes *axes)
{
    const struct skr_axes from = *axes;
    axes->n = 0;
    for (int32_t a = 0; a < from.n; a++) {
        struct skr_axis *axis = &axes->axis[axes->n++];
        *axis = from.axis[a];
        if (a == from.n - 1 || !can_be_coarse(rr, axis)) {
            continue;
        }
        int32_t rest = axis->most % rr->block;
        axis->part = SKR_AXIS_BLOCKS;
        axis->most /= rr->block;
        set_each(rr, axis, rr->block);
        if (rest > 0) {
            struct skr_axis *other = &axes->axis[axes->n++];
            *other = from.axis[a];
            other->part = SKR_AXIS_REST;
            other->most = 1;
            set_each(rr, other, rest);
        }
    }
}

/* A field for values up to most. Returns its shift, or -1 if the key is full. */
static int32_t add_field(struct skr_axes *axes, int32_t *bits, int32_t most, uint64_t *ret_mask)
{
    int32_t width = skr_bit_width(most);
    int32_t shift = *bits;
    if (shift + width + 1 > SKR_ROLE_KEY_BITS) {
        return -1;
    }
    *ret_mask = (UINT64_C(1) << width) - 1;
    axes->guards |= UINT64_C(1) << (shift + width);
    axes->limits |= (uint64_t)most << shift;
    *bits += width + 1;
    return shift;
}

/* A counter for the scope if its law limits the used children. False: the key is full. */
static bool add_counter(struct skr_axes *axes, int32_t *bits, const struct skr_law *law,
                        int32_t scope, int32_t n)
{
    if (law->used == 0) {
        return true;
    }
    struct skr_counter *counter = &axes->counter[axes->n_counters++];
    /* More than the scope has members: one too many says the same. */
    *counter = (struct skr_counter){.scope = scope, .used = law->used <= n ? law->used : n + 1};
    counter->shift = add_field(axes, bits, counter->used, &counter->mask);
    return counter->shift >= 0;
}

struct skr_axes *skr_axes_of_equals(struct skr_run *run)
{
    struct skr_axes *axes = skr_run_alloc(run, (size_t)run->tree->n_levels + 1, sizeof *axes);
    for (int32_t level = 1; level <= run->tree->n_levels && axes; level++) {
        int32_t bits = 0;
        axes[level].n = 1;
        axes[level].axis[0] = (struct skr_axis){
            .kind = -1, .most = run->n, .unit = {1}, .each = {1}, .weight = {1, 1}};
        add_counter(&axes[level], &bits, &run->law[level], 0, run->n);
    }
    return axes;
}

static bool pack_level(struct skr_role_run *rr, int32_t level)
{
    struct skr_axes *axes = &rr->axes[level];
    int32_t bits = 0;
    for (int32_t a = 0; a + 1 < axes->n; a++) {
        struct skr_axis *axis = &axes->axis[a];
        axis->shift = add_field(axes, &bits, axis->most, &axis->mask);
        if (axis->shift < 0) {
            return false;
        }
        axes->side |= axis->mask << axis->shift;
    }
    for (int32_t scope = 0; scope < rr->run.n_scopes; scope++) {
        if (!add_counter(axes, &bits, &rr->law[level][scope], scope, rr->n[scope])) {
            return false;
        }
    }
    return true;
}

static bool make_level(struct skr_role_run *rr, int32_t level)
{
    const struct skr_problem *problem = rr->run.problem;
    struct skr_axes *axes = &rr->axes[level];
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        int32_t kind = rr->kind_of[r];
        bool first = kind >= 0 && rr->roles->kind[kind].level >= level;
        for (int32_t q = 0; q < r && first; q++) {
            first = rr->kind_of[q] != kind;
        }
        if (first) {
            add_axis(rr, axes, -1, kind);
        } else if (kind < 0 || rr->roles->kind[kind].level < level) {
            add_axis(rr, axes, r, -1);
        }
    }
    choose_main(axes);
    if (rr->block > 1) {
        make_coarse(rr, axes);
    }
    for (int32_t scope = 0; scope < rr->run.n_scopes; scope++) {
        const bool group = scope == rr->run.n_roles;
        const struct skr_role *role = group ? NULL : &rr->roles->role[scope];
        const bool has = group || (role->rule && role->has_rule && role->has_rule[level - 1]);
        const struct skr_rule none = {.type = SKR_RULE_PACK};
        const struct skr_rule *rule = group ? &problem->rule[level - 1]
                                      : has ? &role->rule[level - 1]
                                            : &none;
        struct skr_law *law = &rr->law[level][scope];
        *law = skr_law_of(rule, rr->n[scope]);
        rr->ruled[level][scope] = !skr_law_allows_all(law, rr->n[scope]);
        law->silent = law->silent || !has;
    }
    return pack_level(rr, level);
}

static bool sum_claims(struct skr_role_run *rr)
{
    const struct skr_tree *tree = rr->run.tree;
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        const int32_t *claimed = rr->roles->role[r].claimed;
        if (claimed && tree->n_leaves > 0) {
            rr->claims[r] = skr_leaf_sums(&rr->run, claimed);
            if (!rr->claims[r]) {
                return false;
            }
        }
    }
    return true;
}

bool skr_role_run_init(struct skr_role_run *rr, const struct skr_problem *problem,
                       const int32_t *sizes, int32_t block)
{
    *rr = (struct skr_role_run){.roles = problem->roles, .block = block};
    rr->row_limit = rr->roles->row_limit > 0 ? rr->roles->row_limit : SKR_ROLE_ROWS_MAX;
    if (!skr_run_init(&rr->run, problem)) {
        return false;
    }
    rr->run.steps_left = SKR_ROLE_STEPS_MAX;
    rr->run.rr = rr;
    rr->run.n_roles = (int32_t)rr->roles->n_roles;
    rr->run.n_scopes = rr->run.n_roles + 1;
    rr->run.sizes = rr->n;
    rr->run.axes = rr->axes;
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        rr->n[r] = sizes ? sizes[r] : rr->roles->role[r].n;
        rr->n[rr->run.n_roles] += rr->n[r];
        rr->kind_of[r] = -1;
    }
    for (size_t k = 0; k < rr->roles->n_kinds; k++) {
        for (int32_t r = 0; r < rr->run.n_roles; r++) {
            if (rr->roles->kind[k].each[r] > 0) {
                rr->kind_of[r] = (int32_t)k;
                rr->sets[k] = rr->n[r] / rr->roles->kind[k].each[r];
            }
        }
    }
    rr->left =
        skr_run_alloc(&rr->run, (SKR_AXES_MAX + 1) * (problem->n_resources + 1), sizeof *rr->left);
    if (!rr->left || !sum_claims(rr)) {
        return false;
    }
    for (int32_t level = 1; level <= rr->run.tree->n_levels; level++) {
        rr->run.laws[level] = rr->law[level];
        if (!make_level(rr, level)) {
            rr->beyond = true;
            return false;
        }
    }
    return true;
}

void skr_role_run_fini(struct skr_role_run *rr)
{
    skr_run_fini(&rr->run);
}

void skr_axes_members(const struct skr_axes *axes, int32_t n_roles, uint64_t key, int32_t main,
                      int32_t *ret)
{
    int32_t counts[SKR_AXES_MAX];
    skr_axes_counts(axes, key, main, counts);
    for (int32_t r = 0; r < n_roles; r++) {
        ret[r] = 0;
        for (int32_t a = 0; a < axes->n; a++) {
            ret[r] += counts[a] * axes->axis[a].each[r];
        }
    }
}

/* Whether what is beyond whole blocks is the rest of all members of the axis. */
static bool has_rest(const struct skr_role_run *rr, const struct skr_axis *axis, int32_t units)
{
    int32_t all = axis->kind >= 0 ? rr->sets[axis->kind] : rr->n[axis->role];
    return units % rr->block == all % rr->block;
}

/* The count of the members on an axis. */
static bool count_on(const struct skr_run *run, const struct skr_axis *axis, const int32_t *members,
                     int32_t *ret)
{
    int32_t units = -1;
    for (int32_t r = 0; r < run->n_roles; r++) {
        if (axis->unit[r] > 0) {
            int32_t count = members[r] / axis->unit[r];
            if (members[r] % axis->unit[r] != 0 || (units >= 0 && count != units)) {
                return false;
            }
            units = count;
        }
    }
    switch (axis->part) {
    case SKR_AXIS_BLOCKS:
        *ret = units / run->rr->block;
        return *ret <= axis->most &&
               (units % run->rr->block == 0 || has_rest(run->rr, axis, units));
    case SKR_AXIS_REST:
        *ret = units % run->rr->block != 0 ? 1 : 0;
        return true;
    case SKR_AXIS_WHOLE:
    default:
        *ret = units;
        return units <= axis->most;
    }
}

bool skr_axes_vector(const struct skr_run *run, int32_t level, const int32_t *members,
                     uint64_t *ret_key, int32_t *ret_main)
{
    const struct skr_axes *axes = &run->axes[level];
    int32_t counts[SKR_AXES_MAX] = {0};
    for (int32_t a = 0; a < axes->n; a++) {
        if (!count_on(run, &axes->axis[a], members, &counts[a])) {
            return false;
        }
    }
    *ret_key = skr_axes_key(axes, counts);
    *ret_main = counts[axes->n - 1];
    for (int32_t c = 0; c < axes->n_counters; c++) {
        const struct skr_counter *counter = &axes->counter[c];
        if (skr_axes_amount(axes, *ret_key, *ret_main, counter->scope) > 0) {
            *ret_key |= (uint64_t)counter->used << counter->shift;
        }
    }
    return true;
}
