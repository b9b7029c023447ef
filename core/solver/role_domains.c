/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roles of a search under rules over domains. The inner problem has them with their leaves in
 * the order of the made tree. Every rule bounds the sum of the roles that it counts, in the units of
 * its level. If its domains cross the levels, it bounds the sum on the leaves.
 */
#include "core/solver/role_domains.h"

#include "core/solver/role_twins.h"

#include <string.h>

static bool permute_role(struct skr_domain_search *s, size_t r)
{
    const struct skr_role *from = &s->problem->roles->role[r];
    struct skr_role *role = &s->roles->role[r];
    size_t n = (size_t)s->problem->tree->n_leaves;
    uint8_t *eligible = skr_arena_array(s->arena, n + 1, sizeof *eligible);
    int32_t *claimed = skr_arena_array(s->arena, n + 1, sizeof *claimed);
    s->open[r] = eligible;
    s->closed_by[r] = skr_arena_array(s->arena, n + 1, sizeof *s->closed_by[r]);
    if (!eligible || !claimed || !s->closed_by[r]) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        int32_t leaf = s->made.leaf[i];
        eligible[i] = skr_role_takes(from, leaf) ? 1 : 0;
        claimed[i] = from->claimed ? from->claimed[leaf] : 0;
        for (size_t k = 0; k < s->n_rules; k++) {
            const struct skr_domain_rule *rule = &s->rule[k];
            if (skr_domain_rule_closes(rule) && rule->domain[leaf] < 0 &&
                skr_domain_binds(rule, r)) {
                eligible[i] = 0;
            }
        }
    }
    role->eligible = eligible;
    role->emptied = NULL;
    role->claimed = from->claimed ? claimed : NULL;
    memcpy(s->roles->own[r], s->made.own[r], sizeof s->made.own[r]);
    memcpy(s->roles->has_own[r], s->made.has_own[r], sizeof s->made.has_own[r]);
    return true;
}

/* Live sets by unit: the unit of the made tree that has the same leaves. */
static bool permute_alive(struct skr_domain_search *s, size_t k)
{
    const struct skr_set_kind *from = &s->problem->roles->kind[k];
    const struct skr_tree *tree = s->problem->tree;
    const struct skr_tree *made = &s->made.tree;
    if (!from->alive) {
        return true;
    }
    int32_t *alive = skr_arena_array(s->arena, (size_t)made->n_units + 1, sizeof *alive);
    if (!alive) {
        return false;
    }
    for (int32_t i = 0; i < made->n_leaves; i++) {
        alive[skr_tree_unit_at(made, i, s->roles->kind[k].level)] =
            from->alive[skr_tree_unit_at(tree, s->made.leaf[i], from->level)];
    }
    s->roles->kind[k].alive = alive;
    return true;
}

static bool count_claims(struct skr_domain_search *s, size_t k)
{
    const struct skr_roles *roles = s->problem->roles;
    size_t n = (size_t)s->made.tree.n_leaves;
    int32_t *claims = skr_arena_array(s->arena, n + 1, sizeof *claims);
    if (!claims) {
        return false;
    }
    s->n[k] = 0;
    s->n_least[k] = 0;
    s->roles->bounds[k] = (struct skr_role_bounds){
        .level = s->made.level_of[k] > 0 ? s->made.level_of[k] : s->made.tree.n_levels,
        .of = s->bounds[k]};
    for (size_t r = 0; r < roles->n_roles; r++) {
        if (!skr_domain_binds(&s->rule[k], r)) {
            continue;
        }
        s->n[k] += roles->role[r].n;
        s->n_least[k] += roles->role[r].minimum;
        s->roles->bounds[k].roles |= UINT32_C(1) << r;
        for (size_t i = 0; i < n; i++) {
            claims[i] += skr_role_claimed(&s->roles->role[r], (int32_t)i);
        }
    }
    s->claims_of[k] = claims;
    return true;
}

/* A rule of roles against others whose domains are units of a level is a cap there. */
static void add_cap(struct skr_domain_search *s, size_t k)
{
    const struct skr_domain_rule *rule = &s->rule[k];
    const int32_t level = s->made.level_of[k];
    bool all = rule->against != 0 && level > 0 && s->roles->roles.n_caps < SKR_ROLE_CAPS_MAX;
    for (int32_t i = 0; i < s->made.tree.n_leaves && all; i++) {
        all = rule->domain[i] >= 0;
    }
    if (all) {
        s->roles->cap[s->roles->roles.n_caps++] =
            (struct skr_role_cap){.roles = rule->roles, .against = rule->against, .level = level};
    }
}

bool skr_role_domains_permute(struct skr_domain_search *s)
{
    const struct skr_roles *roles = s->problem->roles;
    s->roles = skr_arena_array(s->arena, 1, sizeof *s->roles);
    if (!s->roles) {
        return false;
    }
    skr_role_variant_init(s->roles, s->problem);
    for (size_t r = 0; r < roles->n_roles; r++) {
        if (!permute_role(s, r)) {
            return false;
        }
    }
    for (size_t k = 0; k < roles->n_kinds; k++) {
        s->roles->kind[k].level = s->made.level[roles->kind[k].level];
        if (!permute_alive(s, k)) {
            return false;
        }
    }
    for (size_t c = 0; c < roles->n_caps; c++) {
        s->roles->cap[c].level = s->made.level[roles->cap[c].level];
    }
    s->roles->roles.n_bounds = roles->n_roles > 1 ? s->n_rules : 0;
    for (size_t k = 0; k < s->n_rules; k++) {
        if (!count_claims(s, k)) {
            return false;
        }
        add_cap(s, k);
    }
    s->inner.roles = &s->roles->roles;
    return true;
}

int64_t skr_role_domains_room(const struct skr_domain_search *s, size_t rule, int32_t leaf)
{
    int64_t room = 0;
    for (size_t r = 0; r < s->roles->roles.n_roles; r++) {
        const struct skr_role *role = &s->roles->role[r];
        if (skr_domain_binds(&s->rule[rule], r)) {
            room += skr_role_room(&s->inner, role, leaf, role->n);
        }
    }
    return room < s->n[rule] ? room : s->n[rule];
}

void skr_role_domains_count(const struct skr_domain_search *s, size_t rule,
                            const struct skr_solution *solution)
{
    size_t n = (size_t)s->made.tree.n_leaves;
    memset(s->count, 0, n * sizeof *s->count);
    for (size_t r = 0; r < s->roles->roles.n_roles; r++) {
        for (size_t i = 0; i < n && skr_domain_binds(&s->rule[rule], r); i++) {
            s->count[i] += solution->roles->count[r * n + i];
        }
    }
}

bool skr_role_domains_comes(const struct skr_domain_search *s, size_t rule, uint32_t roles)
{
    bool comes = false;
    for (size_t r = 0; r < s->roles->roles.n_roles && !comes; r++) {
        const struct skr_role *role = &s->roles->role[r];
        comes = (roles >> r & 1) != 0 && skr_domain_binds(&s->rule[rule], r) &&
                role->minimum > skr_role_claims(role, 0, s->made.tree.n_leaves);
    }
    return comes;
}

/* The only role that the rule binds, if no later rule chooses a domain for it; else -1. */
static int32_t chooses_for(const struct skr_domain_search *s, size_t rule)
{
    const uint32_t roles = s->rule[rule].roles;
    bool only = s->made.chosen[rule] && roles != 0 && (roles & (roles - 1)) == 0;
    for (size_t k = rule + 1; k < s->n_rules && only; k++) {
        only = !s->made.chosen[k] || (s->rule[k].roles != 0 && (s->rule[k].roles & roles) == 0);
    }
    int32_t role = 0;
    while (only && (roles >> role & 1) == 0) {
        role++;
    }
    return only ? role : -1;
}

static uint32_t swapped(uint32_t roles, int32_t a, int32_t b)
{
    const uint32_t differ = (roles >> a ^ roles >> b) & 1;
    return roles ^ (differ << a | differ << b);
}

/* Whether the second rule says of the changed roles what the first one says. */
static bool same_rule(const struct skr_domain_search *s, size_t first, size_t second, int32_t a,
                      int32_t b)
{
    const struct skr_domain_rule *x = &s->rule[first];
    const struct skr_domain_rule *y = &s->rule[second];
    return x->kind == y->kind && swapped(x->roles, a, b) == y->roles &&
           swapped(x->against, a, b) == y->against && x->most == y->most &&
           x->most_of == y->most_of && x->max_skew == y->max_skew &&
           x->min_domains == y->min_domains && x->least == y->least && x->others == y->others &&
           memcmp(x->domain, y->domain, (size_t)s->made.tree.n_leaves * sizeof *x->domain) == 0;
}

bool skr_role_domains_alike(const struct skr_domain_search *s, size_t rule, size_t other)
{
    const struct skr_roles *roles = s->problem->roles;
    const int32_t a = chooses_for(s, rule);
    const int32_t b = chooses_for(s, other);
    bool alike = a >= 0 && b >= 0 && same_rule(s, rule, other, a, b) &&
                 roles->role[a].n == roles->role[b].n &&
                 skr_role_twins_alike(s->problem, (size_t)a, (size_t)b);
    for (size_t c = 0; c < roles->n_caps && alike; c++) {
        alike = swapped(roles->cap[c].roles, a, b) == roles->cap[c].roles &&
                swapped(roles->cap[c].against, a, b) == roles->cap[c].against;
    }
    for (size_t r = 0; r < s->n_rules && alike; r++) {
        alike = false;
        for (size_t k = 0; k < s->n_rules && !alike; k++) {
            alike = same_rule(s, r, k, a, b);
        }
    }
    return alike;
}

int32_t skr_role_domains_clash(const struct skr_domain_search *s,
                               const struct skr_domain_rule *rule,
                               const struct skr_solution *solution)
{
    enum { ROLES = 1, AGAINST = 2, NEW = 4, ALL = 7 };
    const size_t n = (size_t)s->made.tree.n_leaves;
    int32_t domain = -1;
    if (rule->against == 0) {
        return -1;
    }
    memset(s->sum, 0, (size_t)rule->n_domains * sizeof *s->sum);
    for (size_t r = 0; r < s->roles->roles.n_roles; r++) {
        const int32_t side = (rule->roles >> r & 1) != 0     ? ROLES
                             : (rule->against >> r & 1) != 0 ? AGAINST
                                                             : 0;
        const int32_t *claimed = s->roles->role[r].claimed;
        for (size_t i = 0; i < n && side != 0; i++) {
            const int32_t d = rule->domain[s->made.leaf[i]];
            const int32_t count = solution->roles->count[r * n + i];
            if (d >= 0 && count > 0) {
                s->sum[d] |= side | (count > (claimed ? claimed[i] : 0) ? NEW : 0);
                domain = s->sum[d] == ALL ? d : domain;
            }
        }
    }
    return domain;
}

bool skr_role_domains_claim(const struct skr_domain_search *s, const struct skr_domain_rule *rule,
                            int32_t domain, uint32_t roles)
{
    bool found = false;
    for (size_t r = 0; r < s->roles->roles.n_roles; r++) {
        const int32_t *claimed = (roles >> r & 1) != 0 ? s->roles->role[r].claimed : NULL;
        for (int32_t i = 0; i < s->made.tree.n_leaves && claimed && !found; i++) {
            found = claimed[i] > 0 && rule->domain[s->made.leaf[i]] == domain;
        }
    }
    return found;
}

void skr_role_domains_close(struct skr_domain_search *s, const struct skr_domain_rule *rule,
                            int32_t domain, uint32_t roles, int32_t id)
{
    for (size_t r = 0; r < s->roles->roles.n_roles; r++) {
        for (int32_t i = 0; i < s->made.tree.n_leaves && (roles >> r & 1) != 0; i++) {
            if (rule->domain[s->made.leaf[i]] == domain && s->open[r][i] != 0) {
                s->open[r][i] = 0;
                s->closed_by[r][i] = id;
            }
        }
    }
}

void skr_role_domains_open(struct skr_domain_search *s, uint32_t roles, int32_t id)
{
    for (size_t r = 0; r < s->roles->roles.n_roles; r++) {
        for (int32_t i = 0; i < s->made.tree.n_leaves && (roles >> r & 1) != 0; i++) {
            if (s->closed_by[r][i] == id) {
                s->open[r][i] = 1;
                s->closed_by[r][i] = 0;
            }
        }
    }
}

/* Whether sizes and keys are better than the best so far. */
static bool is_better(const struct skr_domain_search *s, const int32_t *size,
                      const struct skr_role_keys *keys)
{
    for (size_t r = 0; r < s->roles->roles.n_roles && s->best; r++) {
        if (size[r] != s->best_size[r]) {
            return size[r] > s->best_size[r];
        }
    }
    return !s->best || skr_role_keys_compare(s->problem, keys, s->best_of) < 0;
}

bool skr_role_domains_take(struct skr_domain_search *s, const struct skr_solution *solution)
{
    size_t n = (size_t)s->made.tree.n_leaves;
    size_t n_roles = s->roles->roles.n_roles;
    int32_t *count = skr_arena_array(s->arena, n_roles * n + 1, sizeof *count);
    struct skr_role_keys *keys = skr_arena_array(s->arena, 1, sizeof *keys);
    if (!count || !keys) {
        return false;
    }
    for (size_t r = 0; r < n_roles; r++) {
        for (size_t i = 0; i < n; i++) {
            count[r * n + (size_t)s->made.leaf[i]] = solution->roles->count[r * n + i];
        }
    }
    if (!skr_role_keys_make(s->problem, count, s->arena, keys)) {
        return false;
    }
    if (is_better(s, solution->roles->size, keys)) {
        s->best = count;
        s->best_of = keys;
        memcpy(s->best_size, solution->roles->size, sizeof s->best_size);
    }
    return true;
}

void skr_role_domains_empty(struct skr_role_variant *variant, const struct skr_problem *problem,
                            bool emptied)
{
    skr_role_variant_init(variant, problem);
    variant->problem.free = problem->capacity;
    for (size_t r = 0; r < variant->roles.n_roles; r++) {
        struct skr_role *role = &variant->role[r];
        role->claimed = NULL;
        role->eligible = emptied && role->emptied ? role->emptied : role->eligible;
    }
    for (size_t k = 0; k < variant->roles.n_kinds; k++) {
        variant->kind[k].alive = NULL;
    }
}
