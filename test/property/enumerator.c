/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracle 1: every vector of members per leaf and role with the right sums is made, checked against the
 * definition and compared with the best so far, word by word as the objective is defined. Small trees
 * only.
 */
#include <stdlib.h>
#include <string.h>

#include "test/property/oracle.h"

/* Members of each role below each unit; row n_roles is their sum, the amount of the group. */
struct totals {
    int32_t of[SKR_ROLES_MAX + 1][INSTANCE_UNITS_MAX];
};

struct search {
    const struct instance *in;
    int32_t size[SKR_ROLES_MAX];
    struct oracle_answer now, best;
    struct totals totals[2], *now_totals, *best_totals;
    int32_t most[SKR_ROLES_MAX][INSTANCE_LEAVES_MAX]; /* that the leaf holds of the role alone */
    int32_t rest[SKR_ROLES_MAX][INSTANCE_LEAVES_MAX + 1]; /* the same of leaves from here on */
    int64_t room[INSTANCE_UNITS_MAX];
    int64_t n_vectors;
    int32_t only_level; /* 0: all keys and ties */
    bool found;
};

static void sum_up(const struct instance *in, const struct oracle_answer *a, struct totals *t)
{
    const struct skr_tree *tree = &in->tree;
    const int32_t group = instance_n_roles(in);
    for (int32_t scope = 0; scope <= group; scope++) {
        memset(t->of[scope], 0, (size_t)tree->n_units * sizeof(int32_t));
    }
    for (int32_t r = 0; r < group; r++) {
        for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
            t->of[r][tree->first_leaf + leaf] = a->count[r][leaf];
            t->of[group][tree->first_leaf + leaf] += a->count[r][leaf];
        }
    }
    for (int32_t scope = 0; scope <= group; scope++) {
        for (int32_t u = tree->n_units - 1; u > 0; u--) {
            t->of[scope][tree->parent[u]] += t->of[scope][u];
        }
    }
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

static bool rules_hold(const struct instance *in, const struct totals *t)
{
    const struct skr_tree *tree = &in->tree;
    for (int32_t scope = 0; scope <= instance_n_roles(in); scope++) {
        for (int32_t level = 1; level <= tree->n_levels; level++) {
            const struct skr_rule *rule = instance_rule(in, scope, level);
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

static bool unit_has_whole_sets(const struct instance *in, const struct skr_set_kind *kind,
                                const struct totals *t, int32_t unit)
{
    int32_t sets = -1;
    for (int32_t r = 0; r < instance_n_roles(in); r++) {
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

static bool sets_hold(const struct instance *in, const struct totals *t)
{
    const struct skr_tree *tree = &in->tree;
    for (size_t k = 0; k < in->roles.n_kinds; k++) {
        const int32_t level = in->kind[k].level;
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            if (!unit_has_whole_sets(in, &in->kind[k], t, u)) {
                return false;
            }
        }
    }
    return true;
}

static bool caps_hold(const struct instance *in, const struct totals *t)
{
    const struct skr_tree *tree = &in->tree;
    for (size_t i = 0; i < in->roles.n_caps; i++) {
        const struct skr_role_cap *cap = &in->cap[i];
        for (int32_t u = tree->level_first[cap->level]; u < tree->level_first[cap->level + 1];
             u++) {
            int32_t sum = 0, others = 0, fresh = 0;
            for (int32_t r = 0; r < instance_n_roles(in); r++) {
                const bool counts = (cap->roles >> r & 1) != 0;
                const bool against = (cap->against >> r & 1) != 0;
                sum += counts ? t->of[r][u] : 0;
                others += against ? t->of[r][u] : 0;
                fresh += counts || against ? t->of[r][u] - instance_claims(in, r, u) : 0;
            }
            if (fresh > 0 && (cap->against ? sum > 0 && others > 0 : sum > cap->most)) {
                return false;
            }
        }
    }
    return true;
}

static bool leaf_holds(const struct instance *in, const struct oracle_answer *a, int32_t leaf)
{
    for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
        int64_t use = 0;
        const int64_t room = in->free[leaf * INSTANCE_RESOURCES + d];
        for (int32_t r = 0; r < instance_n_roles(in); r++) {
            const int32_t fresh = a->count[r][leaf] - in->claimed[r][leaf];
            if (fresh < 0 || (fresh > 0 && !in->eligible[r][leaf])) {
                return false;
            }
            use += fresh * in->demand[r][d];
        }
        if (use != 0 && use > (room > 0 ? room : 0)) {
            return false;
        }
    }
    return true;
}

/* No domain that takes new members has members of both sides of the rule. */
static bool sides_are_apart(const struct instance *in, const struct oracle_answer *a,
                            const struct skr_domain_rule *rule)
{
    int32_t side[2][INSTANCE_LEAVES_MAX] = {{0}}, fresh[INSTANCE_LEAVES_MAX] = {0};
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        const int32_t d = rule->domain[leaf];
        for (int32_t r = 0; r < instance_n_roles(in) && d >= 0; r++) {
            const uint32_t bit = UINT32_C(1) << r;
            side[0][d] += (rule->roles & bit) != 0 ? a->count[r][leaf] : 0;
            side[1][d] += (rule->against & bit) != 0 ? a->count[r][leaf] : 0;
            fresh[d] += ((rule->roles | rule->against) & bit) != 0
                            ? a->count[r][leaf] - in->claimed[r][leaf]
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
static bool domains_hold(const struct instance *in, const struct oracle_answer *a,
                         const struct skr_domain_rule *rule)
{
    int32_t total[INSTANCE_LEAVES_MAX] = {0}, fresh[INSTANCE_LEAVES_MAX] = {0};
    int32_t used = 0, least = INT32_MAX;
    if (rule->against != 0) {
        return sides_are_apart(in, a, rule);
    }
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        int32_t here = 0, claims = 0;
        for (int32_t r = 0; r < instance_n_roles(in); r++) {
            const bool counts = rule->roles == 0 || (rule->roles >> r & 1) != 0;
            here += counts ? a->count[r][leaf] : 0;
            claims += counts ? in->claimed[r][leaf] : 0;
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

/* Whether everything holds that is not about single leaves. */
static bool obeys(const struct instance *in, const struct oracle_answer *placement,
                  const struct totals *t)
{
    const int32_t *x = t->of[instance_n_roles(in)];
    for (int32_t u = 1; u < in->tree.n_units && in->problem.bounds; u++) {
        if (x[u] < in->bounds[u].least || x[u] > in->bounds[u].most) {
            return false;
        }
    }
    for (size_t i = 0; i < in->problem.n_domain_rules; i++) {
        if (!domains_hold(in, placement, &in->problem.domain_rule[i])) {
            return false;
        }
    }
    return rules_hold(in, t) && sets_hold(in, t) && caps_hold(in, t);
}

bool enumerator_is_valid(const struct instance *in, const struct oracle_answer *placement,
                         const int32_t *sizes)
{
    struct totals t;
    bool valid = true;
    sum_up(in, placement, &t);
    for (int32_t r = 0; r < instance_n_roles(in); r++) {
        valid = valid && t.of[r][0] == sizes[r];
    }
    for (int32_t leaf = 0; valid && leaf < in->tree.n_leaves; leaf++) {
        valid = leaf_holds(in, placement, leaf);
    }
    return valid && obeys(in, placement, &t);
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
static int compare_key(const struct instance *in, int32_t scope, int32_t level,
                       const struct totals *a, const struct totals *b)
{
    const bool pack = instance_rule(in, scope, level)->type == SKR_RULE_PACK;
    int32_t list_a[INSTANCE_UNITS_MAX], list_b[INSTANCE_UNITS_MAX];
    const int32_t used_a = sorted(&in->tree, level, a->of[scope], list_a);
    const int32_t used_b = sorted(&in->tree, level, b->of[scope], list_b);
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
static int compare_all_keys(const struct instance *in, const struct totals *a,
                            const struct totals *b)
{
    for (int32_t level = 1; level <= in->tree.n_levels; level++) {
        for (int32_t scope = 0; scope <= instance_n_roles(in); scope++) {
            const struct skr_rule *rule = instance_rule(in, scope, level);
            const int order = rule && !rule->silent ? compare_key(in, scope, level, a, b) : 0;
            if (order != 0) {
                return order;
            }
        }
    }
    return 0;
}

int enumerator_compare(const struct instance *in, const struct oracle_answer *a,
                       const struct oracle_answer *b)
{
    struct totals totals_a, totals_b;
    sum_up(in, a, &totals_a);
    sum_up(in, b, &totals_b);
    return compare_all_keys(in, &totals_a, &totals_b);
}

static int64_t used_room(const struct search *s, int32_t level, const int32_t *total)
{
    const struct skr_tree *tree = &s->in->tree;
    int64_t room = 0;
    for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
        room += total[u] > 0 ? s->room[u] : 0;
    }
    return room;
}

/* > 0: a has the greater value (sum, role 0, role 1, ...) first, this set before those below. */
static int compare_vectors(const struct instance *in, int32_t unit, const struct totals *a,
                           const struct totals *b)
{
    const struct skr_tree *tree = &in->tree;
    const int32_t first = tree->child_first[unit];
    for (int32_t c = first; c < first + tree->child_count[unit]; c++) {
        if (a->of[instance_n_roles(in)][c] != b->of[instance_n_roles(in)][c]) {
            return a->of[instance_n_roles(in)][c] - b->of[instance_n_roles(in)][c];
        }
        for (int32_t r = 0; r < instance_n_roles(in); r++) {
            if (a->of[r][c] != b->of[r][c]) {
                return a->of[r][c] - b->of[r][c];
            }
        }
    }
    for (int32_t c = first; c < first + tree->child_count[unit]; c++) {
        const int order = c < tree->first_leaf ? compare_vectors(in, c, a, b) : 0;
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* Whether the room of used units of the level counts: by the rule of a lone role, else of the group. */
static bool is_tight(const struct instance *in, int32_t level)
{
    const int32_t group = instance_n_roles(in);
    const struct skr_rule *own = group == 1 ? instance_rule(in, 0, level) : NULL;
    const struct skr_rule *rule = own ? own : instance_rule(in, group, level);
    return in->problem.tie_break == SKR_TIE_TIGHT && rule->type == SKR_RULE_PACK && !rule->silent;
}

static bool is_better(const struct search *s, const struct totals *a, const struct totals *b)
{
    const int32_t group = instance_n_roles(s->in);
    if (s->only_level > 0) {
        return compare_key(s->in, group, s->only_level, a, b) < 0;
    }
    const int order = compare_all_keys(s->in, a, b);
    if (order != 0) {
        return order < 0;
    }
    for (int32_t level = 1; level <= s->in->tree.n_levels; level++) {
        if (is_tight(s->in, level)) {
            const int64_t room_a = used_room(s, level, a->of[group]);
            const int64_t room_b = used_room(s, level, b->of[group]);
            if (room_a != room_b) {
                return room_a < room_b;
            }
        }
    }
    return compare_vectors(s->in, 0, a, b) > 0;
}

/* ---- search ---- */

static void look_at(struct search *s)
{
    s->n_vectors++;
    sum_up(s->in, &s->now, s->now_totals);
    if (obeys(s->in, &s->now, s->now_totals) &&
        (!s->found || is_better(s, s->now_totals, s->best_totals))) {
        struct totals *worse = s->best_totals;
        s->found = true;
        s->best = s->now;
        s->best_totals = s->now_totals;
        s->now_totals = worse;
    }
}

/* left: members of each role that no leaf has yet. */
static void try_leaf(struct search *s, int32_t leaf, int32_t role, int32_t *left)
{
    if (role == instance_n_roles(s->in)) {
        if (!leaf_holds(s->in, &s->now, leaf)) {
            return;
        }
        leaf++;
        role = 0;
    }
    if (leaf == s->in->tree.n_leaves) {
        look_at(s);
        return;
    }
    const int32_t before = left[role], later = s->rest[role][leaf + 1];
    const int32_t least = s->in->claimed[role][leaf], needed = before - later;
    for (int32_t x = needed > least ? needed : least;
         x <= before && x <= s->most[role][leaf] && s->n_vectors <= ENUMERATOR_VECTORS_MAX; x++) {
        s->now.count[role][leaf] = x;
        left[role] = before - x;
        try_leaf(s, leaf, role + 1, left);
    }
    left[role] = before;
}

/* The sizes after these in lexicographically descending order; false: there are none. */
static bool next_sizes(const struct instance *in, int32_t *size)
{
    int32_t r = instance_n_roles(in) - 1;
    while (r >= 0 && size[r] == instance_minimum(in, r)) {
        r--;
    }
    if (r < 0) {
        return false;
    }
    size[r]--;
    for (int32_t i = r + 1; i < instance_n_roles(in); i++) {
        size[i] = instance_n(in, i);
    }
    return true;
}

/* only_level: 0, or the level whose key alone counts. */
static void search_all(const struct instance *in, int32_t only_level, struct search *s)
{
    const struct skr_tree *tree = &in->tree;
    /* What is large is filled in where it is used. */
    s->in = in;
    s->only_level = only_level;
    s->found = false;
    s->n_vectors = 0;
    s->now_totals = &s->totals[0];
    s->best_totals = &s->totals[1];
    memset(&s->now, 0, sizeof s->now);
    memset(&s->best, 0, sizeof s->best);
    memset(s->room, 0, sizeof s->room);
    for (int32_t r = 0; r < instance_n_roles(in); r++) {
        s->size[r] = instance_n(in, r);
        s->rest[r][tree->n_leaves] = 0;
        for (int32_t leaf = tree->n_leaves - 1; leaf >= 0; leaf--) {
            const int64_t most = in->claimed[r][leaf] + instance_room(in, r, leaf);
            s->most[r][leaf] = most < s->size[r] ? (int32_t)most : s->size[r];
            s->rest[r][leaf] = s->rest[r][leaf + 1] + s->most[r][leaf];
        }
    }
    for (int32_t u = tree->n_units - 1; u > 0; u--) {
        s->room[u] += u < tree->first_leaf ? 0 : instance_tight_room(in, u - tree->first_leaf);
        s->room[tree->parent[u]] += s->room[u];
    }
    do {
        int32_t left[SKR_ROLES_MAX];
        memcpy(left, s->size, (size_t)instance_n_roles(in) * sizeof *left);
        try_leaf(s, 0, 0, left);
    } while (!s->found && s->n_vectors <= ENUMERATOR_VECTORS_MAX && next_sizes(in, s->size));
}

bool enumerator_solve(const struct instance *in, struct oracle_answer *ret)
{
    struct search s;
    search_all(in, 0, &s);
    *ret = s.best;
    ret->feasible = s.found;
    memcpy(ret->size, s.size, (size_t)instance_n_roles(in) * sizeof *ret->size);
    return s.n_vectors <= ENUMERATOR_VECTORS_MAX;
}

int32_t enumerator_best_level(const struct instance *in, int32_t level, int32_t *ret)
{
    struct search s;
    search_all(in, level, &s);
    return s.found ? sorted(&in->tree, level, s.best_totals->of[instance_n_roles(in)], ret) : 0;
}
