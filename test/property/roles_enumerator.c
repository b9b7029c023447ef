/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracle for roles: every vector of members per leaf and role with the right sums is made, checked
 * against the definition and compared with the best so far, word by word as the objective is
 * defined.
 */
#include <stdlib.h>
#include <string.h>

#include "test/property/roles_oracle.h"

/* Members of each role below each unit; row n_roles is their sum, the amount of the group. */
struct totals {
    int32_t of[SKR_ROLES_MAX + 1][INSTANCE_UNITS_MAX];
};

struct search {
    const struct roles_instance *ri;
    int32_t size[SKR_ROLES_MAX];
    struct roles_answer now, best;
    struct totals best_totals;
    int64_t left[INSTANCE_RESOURCES]; /* of the leaf that is filled */
    int64_t n_vectors;
    bool found;
};

static int32_t n_roles(const struct roles_instance *ri)
{
    return (int32_t)ri->roles.n_roles;
}

static void sum_up(const struct roles_instance *ri, const struct roles_answer *a, struct totals *t)
{
    const struct skr_tree *tree = &ri->in.tree;
    memset(t, 0, sizeof *t);
    for (int32_t r = 0; r < n_roles(ri); r++) {
        for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
            t->of[r][tree->first_leaf + leaf] = a->count[r][leaf];
        }
        for (int32_t u = tree->n_units - 1; u > 0; u--) {
            t->of[r][tree->parent[u]] += t->of[r][u];
        }
        for (int32_t u = 0; u < tree->n_units; u++) {
            t->of[n_roles(ri)][u] += t->of[r][u];
        }
    }
}

/* The rule of a scope at a level, NULL: it has none. Scope n_roles: the group. */
static const struct skr_rule *rule_of(const struct roles_instance *ri, int32_t scope, int32_t level)
{
    if (scope == n_roles(ri)) {
        return &ri->in.rule[level - 1];
    }
    const struct skr_role *role = &ri->role[scope];
    return role->rule && role->has_rule[level - 1] ? &role->rule[level - 1] : NULL;
}

/* ---- validity ---- */

static bool count_allowed(const struct skr_rule *rule, int32_t x)
{
    const bool both = rule->min > 0 && rule->max > 0 && rule->min > rule->max;
    if (rule->hard) {
        return rule->type == SKR_RULE_PACK || x == 1;
    }
    if (!both && rule->min > 0 && x < rule->min) {
        return false;
    }
    if (!both && rule->max > 0 && x > rule->max) {
        return false;
    }
    return rule->factor <= 1 || x % rule->factor == 0;
}

static bool siblings_allowed(const struct skr_tree *tree, const struct skr_rule *rule,
                             const int32_t *x, int32_t parent)
{
    int32_t used = 0;
    for (int32_t c = 0; c < tree->child_count[parent]; c++) {
        const int32_t amount = x[tree->child_first[parent] + c];
        if (amount > 0 && !count_allowed(rule, amount)) {
            return false;
        }
        used += amount > 0;
    }
    if (x[parent] == 0) {
        return true;
    }
    if (rule->hard) {
        return rule->type == SKR_RULE_SPREAD || used == 1;
    }
    return rule->partitions <= 0 || used == rule->partitions;
}

static bool rules_hold(const struct roles_instance *ri, const struct totals *t)
{
    const struct skr_tree *tree = &ri->in.tree;
    for (int32_t scope = 0; scope <= n_roles(ri); scope++) {
        for (int32_t level = 1; level <= tree->n_levels; level++) {
            const struct skr_rule *rule = rule_of(ri, scope, level);
            for (int32_t p = tree->level_first[level - 1]; rule && p < tree->level_first[level];
                 p++) {
                if (!siblings_allowed(tree, rule, t->of[scope], p)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool unit_has_whole_sets(const struct roles_instance *ri, const struct skr_set_kind *kind,
                                const struct totals *t, int32_t unit)
{
    int32_t sets = -1;
    for (int32_t r = 0; r < n_roles(ri); r++) {
        if (kind->each[r] == 0) {
            continue;
        }
        if (t->of[r][unit] % kind->each[r] != 0) {
            return false;
        }
        const int32_t here = t->of[r][unit] / kind->each[r];
        if (sets >= 0 && sets != here) {
            return false;
        }
        sets = here;
    }
    return (!kind->exclusive || sets <= 1) && (!kind->alive || sets >= kind->alive[unit]);
}

static bool sets_hold(const struct roles_instance *ri, const struct totals *t)
{
    const struct skr_tree *tree = &ri->in.tree;
    for (size_t k = 0; k < ri->roles.n_kinds; k++) {
        const int32_t level = ri->kind[k].level;
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            if (!unit_has_whole_sets(ri, &ri->kind[k], t, u)) {
                return false;
            }
        }
    }
    return true;
}

static bool caps_hold(const struct roles_instance *ri, const struct totals *t)
{
    const struct skr_tree *tree = &ri->in.tree;
    for (size_t i = 0; i < ri->roles.n_caps; i++) {
        const struct skr_role_cap *cap = &ri->cap[i];
        for (int32_t u = tree->level_first[cap->level]; u < tree->level_first[cap->level + 1];
             u++) {
            int32_t sum = 0, others = 0, fresh = 0;
            for (int32_t r = 0; r < n_roles(ri); r++) {
                const bool counts = (cap->roles >> r & 1) != 0;
                const bool against = (cap->against >> r & 1) != 0;
                sum += counts ? t->of[r][u] : 0;
                others += against ? t->of[r][u] : 0;
                fresh += counts || against ? t->of[r][u] - roles_instance_claims(ri, r, u) : 0;
            }
            if (fresh > 0 && (cap->against ? sum > 0 && others > 0 : sum > cap->most)) {
                return false;
            }
        }
    }
    return true;
}

static bool leaf_holds(const struct roles_instance *ri, const struct roles_answer *a, int32_t leaf)
{
    for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
        int64_t use = 0;
        const int64_t room = ri->in.free[leaf * INSTANCE_RESOURCES + d];
        for (int32_t r = 0; r < n_roles(ri); r++) {
            const int32_t fresh = a->count[r][leaf] - ri->claimed[r][leaf];
            if (fresh < 0 || (fresh > 0 && !ri->eligible[r][leaf])) {
                return false;
            }
            use += fresh * ri->demand[r][d];
        }
        if (use != 0 && use > (room > 0 ? room : 0)) {
            return false;
        }
    }
    return true;
}

static bool leaves_hold(const struct roles_instance *ri, const struct roles_answer *a)
{
    bool hold = true;
    for (int32_t leaf = 0; hold && leaf < ri->in.tree.n_leaves; leaf++) {
        hold = leaf_holds(ri, a, leaf);
    }
    return hold;
}

/* No domain that takes new members has members of both sides of the rule. */
static bool sides_are_apart(const struct roles_instance *ri, const struct roles_answer *a,
                            const struct skr_domain_rule *rule)
{
    int32_t side[2][INSTANCE_LEAVES_MAX] = {{0}}, fresh[INSTANCE_LEAVES_MAX] = {0};
    for (int32_t leaf = 0; leaf < ri->in.tree.n_leaves; leaf++) {
        const int32_t d = rule->domain[leaf];
        for (int32_t r = 0; r < n_roles(ri) && d >= 0; r++) {
            const uint32_t bit = UINT32_C(1) << r;
            side[0][d] += (rule->roles & bit) != 0 ? a->count[r][leaf] : 0;
            side[1][d] += (rule->against & bit) != 0 ? a->count[r][leaf] : 0;
            fresh[d] += ((rule->roles | rule->against) & bit) != 0
                            ? a->count[r][leaf] - ri->claimed[r][leaf]
                            : 0;
        }
    }
    bool apart = true;
    for (int32_t d = 0; d < rule->n_domains; d++) {
        apart = apart && (fresh[d] == 0 || side[0][d] == 0 || side[1][d] == 0);
    }
    return apart;
}

/* A rule over domains, straight from core/solver/domains.h. */
static bool domains_hold(const struct roles_instance *ri, const struct roles_answer *a,
                         const struct skr_domain_rule *rule)
{
    int32_t total[INSTANCE_LEAVES_MAX] = {0}, fresh[INSTANCE_LEAVES_MAX] = {0};
    int32_t used = 0, least = INT32_MAX;
    if (rule->against != 0) {
        return sides_are_apart(ri, a, rule);
    }
    for (int32_t leaf = 0; leaf < ri->in.tree.n_leaves; leaf++) {
        int32_t here = 0, claims = 0;
        for (int32_t r = 0; r < n_roles(ri); r++) {
            const bool counts = rule->roles == 0 || (rule->roles >> r & 1) != 0;
            here += counts ? a->count[r][leaf] : 0;
            claims += counts ? ri->claimed[r][leaf] : 0;
        }
        if (rule->domain[leaf] >= 0) {
            total[rule->domain[leaf]] += here;
            fresh[rule->domain[leaf]] += here - claims;
        } else if (here > claims &&
                   (rule->kind == SKR_DOMAIN_ONE || rule->kind == SKR_DOMAIN_SKEW)) {
            return false;
        }
    }
    for (int32_t d = 0; d < rule->n_domains; d++) {
        if (rule->kind == SKR_DOMAIN_LEAST && fresh[d] < rule->least[d]) {
            return false;
        }
        used += total[d] > 0;
        total[d] += rule->kind == SKR_DOMAIN_SKEW && rule->others ? rule->others[d] : 0;
        least = total[d] < least ? total[d] : least;
    }
    least = rule->n_domains < rule->min_domains ? 0 : least;
    for (int32_t d = 0; d < rule->n_domains; d++) {
        if (fresh[d] > 0 &&
            ((rule->kind == SKR_DOMAIN_MOST &&
              total[d] > (rule->most_of ? rule->most_of[d] : rule->most)) ||
             (rule->kind == SKR_DOMAIN_SKEW && total[d] > least + rule->max_skew))) {
            return false;
        }
    }
    return rule->kind != SKR_DOMAIN_ONE || used <= 1;
}

bool roles_is_valid(const struct roles_instance *ri, const struct roles_answer *placement,
                    const int32_t *sizes)
{
    struct totals t;
    sum_up(ri, placement, &t);
    for (int32_t r = 0; r < n_roles(ri); r++) {
        if (t.of[r][0] != sizes[r]) {
            return false;
        }
    }
    for (size_t i = 0; i < ri->in.problem.n_domain_rules; i++) {
        if (!domains_hold(ri, placement, &ri->in.problem.domain_rule[i])) {
            return false;
        }
    }
    return leaves_hold(ri, placement) && rules_hold(ri, &t) && sets_hold(ri, &t) &&
           caps_hold(ri, &t);
}

/* ---- objective ---- */

static int descending(const void *a, const void *b)
{
    return *(const int32_t *)b - *(const int32_t *)a;
}

static int32_t sorted(const struct skr_tree *tree, int32_t level, const int32_t *x, int32_t *ret)
{
    const int32_t n = tree->level_first[level + 1] - tree->level_first[level];
    int32_t used = 0;
    memcpy(ret, x + tree->level_first[level], (size_t)n * sizeof *ret);
    qsort(ret, (size_t)n, sizeof *ret, descending);
    while (used < n && ret[used] > 0) {
        used++;
    }
    return used;
}

/* One key: < 0: a is better. */
static int compare_key(const struct roles_instance *ri, int32_t scope, int32_t level,
                       const struct totals *a, const struct totals *b)
{
    const bool pack = rule_of(ri, scope, level)->type == SKR_RULE_PACK;
    int32_t list_a[INSTANCE_UNITS_MAX], list_b[INSTANCE_UNITS_MAX];
    const int32_t used_a = sorted(&ri->in.tree, level, a->of[scope], list_a);
    const int32_t used_b = sorted(&ri->in.tree, level, b->of[scope], list_b);
    if (pack && used_a != used_b) {
        return used_a - used_b;
    }
    for (int32_t i = 0; i < used_a && i < used_b; i++) {
        if (list_a[i] != list_b[i]) {
            return pack ? list_b[i] - list_a[i] : list_a[i] - list_b[i];
        }
    }
    return 0;
}

/* Own keys in role order, then the group's, level by level. */
static int compare_all_keys(const struct roles_instance *ri, const struct totals *a,
                            const struct totals *b)
{
    for (int32_t level = 1; level <= ri->in.tree.n_levels; level++) {
        for (int32_t scope = 0; scope <= n_roles(ri); scope++) {
            const int order = rule_of(ri, scope, level) ? compare_key(ri, scope, level, a, b) : 0;
            if (order != 0) {
                return order;
            }
        }
    }
    return 0;
}

int roles_compare_keys(const struct roles_instance *ri, const struct roles_answer *a,
                       const struct roles_answer *b)
{
    struct totals totals_a, totals_b;
    sum_up(ri, a, &totals_a);
    sum_up(ri, b, &totals_b);
    return compare_all_keys(ri, &totals_a, &totals_b);
}

/* Of the role with most members, the first of them. */
static int64_t room_of(const struct roles_instance *ri, int32_t leaf)
{
    int32_t big = 0;
    int64_t room = INT32_MAX;
    for (int32_t r = 1; r < n_roles(ri); r++) {
        big = ri->role[r].n > ri->role[big].n ? r : big;
    }
    for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
        const int64_t free_ = ri->in.free[leaf * INSTANCE_RESOURCES + d];
        if (ri->demand[big][d] > 0) {
            const int64_t slots = (free_ > 0 ? free_ : 0) / ri->demand[big][d];
            room = slots < room ? slots : room;
        }
    }
    return ri->eligible[big][leaf] ? room : 0;
}

static int64_t used_room(const struct roles_instance *ri, int32_t level, const struct totals *t)
{
    const struct skr_tree *tree = &ri->in.tree;
    int64_t room = 0;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t u = tree->first_leaf + leaf;
        while (u >= tree->level_first[level + 1]) {
            u = tree->parent[u];
        }
        room += t->of[n_roles(ri)][u] > 0 ? room_of(ri, leaf) : 0;
    }
    return room;
}

/* > 0: a has the greater value (sum, role 0, role 1, ...) first, this set before those below. */
static int compare_vectors(const struct roles_instance *ri, int32_t unit, const struct totals *a,
                           const struct totals *b)
{
    const struct skr_tree *tree = &ri->in.tree;
    const int32_t first = tree->child_first[unit];
    for (int32_t c = first; c < first + tree->child_count[unit]; c++) {
        if (a->of[n_roles(ri)][c] != b->of[n_roles(ri)][c]) {
            return a->of[n_roles(ri)][c] - b->of[n_roles(ri)][c];
        }
        for (int32_t r = 0; r < n_roles(ri); r++) {
            if (a->of[r][c] != b->of[r][c]) {
                return a->of[r][c] - b->of[r][c];
            }
        }
    }
    for (int32_t c = first; c < first + tree->child_count[unit]; c++) {
        const int order = c < tree->first_leaf ? compare_vectors(ri, c, a, b) : 0;
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* Whether the room of used units of the level counts: by the rule of a lone role, else of the group. */
static bool is_tight(const struct roles_instance *ri, int32_t level)
{
    const struct skr_rule *own = n_roles(ri) == 1 ? rule_of(ri, 0, level) : NULL;
    return ri->in.problem.tie_break == SKR_TIE_TIGHT &&
           (own ? own : rule_of(ri, n_roles(ri), level))->type == SKR_RULE_PACK;
}

static bool is_better(const struct roles_instance *ri, const struct totals *a,
                      const struct totals *b)
{
    const int order = compare_all_keys(ri, a, b);
    if (order != 0) {
        return order < 0;
    }
    for (int32_t level = 1; level <= ri->in.tree.n_levels; level++) {
        if (is_tight(ri, level)) {
            const int64_t room_a = used_room(ri, level, a), room_b = used_room(ri, level, b);
            if (room_a != room_b) {
                return room_a < room_b;
            }
        }
    }
    return compare_vectors(ri, 0, a, b) > 0;
}

/* ---- search ---- */

static void look_at(struct search *s)
{
    struct totals t;
    s->n_vectors++;
    if (!roles_is_valid(s->ri, &s->now, s->size)) {
        return;
    }
    sum_up(s->ri, &s->now, &t);
    if (!s->found || is_better(s->ri, &t, &s->best_totals)) {
        s->found = true;
        s->best = s->now;
        s->best_totals = t;
    }
}

/* rest: members of each role that no leaf has yet. */
static void try_leaf(struct search *s, int32_t leaf, int32_t role, int32_t *rest)
{
    if (role == n_roles(s->ri)) {
        if (!leaf_holds(s->ri, &s->now, leaf)) {
            return;
        }
        leaf++;
        role = 0;
    }
    if (s->n_vectors > ROLES_VECTORS_MAX) {
        return;
    }
    if (leaf == s->ri->in.tree.n_leaves) {
        look_at(s);
        return;
    }
    const bool last = leaf == s->ri->in.tree.n_leaves - 1;
    const int32_t before = rest[role];
    for (int32_t x = last ? before : s->ri->claimed[role][leaf]; x <= before; x++) {
        if (x > s->ri->claimed[role][leaf] && !s->ri->eligible[role][leaf]) {
            break;
        }
        s->now.count[role][leaf] = x;
        rest[role] = before - x;
        try_leaf(s, leaf, role + 1, rest);
    }
    rest[role] = before;
}

/* The sizes after these in lexicographically descending order; false: there are none. */
static bool next_sizes(const struct roles_instance *ri, int32_t *size)
{
    int32_t r = n_roles(ri) - 1;
    while (r >= 0 && size[r] == ri->role[r].minimum) {
        r--;
    }
    if (r < 0) {
        return false;
    }
    size[r]--;
    for (int32_t i = r + 1; i < n_roles(ri); i++) {
        size[i] = ri->role[i].n;
    }
    return true;
}

bool roles_enumerator_solve(const struct roles_instance *ri, struct roles_answer *ret)
{
    struct search s = {.ri = ri};
    for (int32_t r = 0; r < n_roles(ri); r++) {
        s.size[r] = ri->role[r].n;
    }
    do {
        int32_t rest[SKR_ROLES_MAX];
        memcpy(rest, s.size, sizeof rest);
        try_leaf(&s, 0, 0, rest);
    } while (!s.found && s.n_vectors <= ROLES_VECTORS_MAX && next_sizes(ri, s.size));
    *ret = s.best;
    ret->feasible = s.found;
    memcpy(ret->size, s.size, sizeof ret->size);
    return s.n_vectors <= ROLES_VECTORS_MAX;
}
