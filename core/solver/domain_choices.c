/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds of units cannot express all of a rule. The rest is a choice, and choices are tried one
 * after the other:
 *
 *   SKEW  the least count: between the least at which the domains hold n, and the most that the
 *         domain with the least room can reach
 *   ONE   the domain, where domains cross the levels
 *
 * The bounds of units follow from the choices. Rules choose from the last to the first; a choice that
 * cannot be right is left with all combinations that would follow.
 */
#include "core/solver/domain_choices.h"

#include "core/solver/role_domains.h"

#include <string.h>

enum { TRIES_MAX = 1 << 20 }; /* choices of single rules in one search */

static int32_t others_of(const struct skr_domain_rule *rule, int32_t domain)
{
    return rule->others ? rule->others[domain] : 0;
}

static bool has_least(const struct skr_domain_rule *rule)
{
    return rule->n_domains >= rule->min_domains;
}

/* Most members of the domain with the least count m. */
static int32_t most_with(const struct skr_domain_search *s, size_t r, int32_t domain, int32_t m)
{
    const struct skr_domain_rule *rule = &s->rule[r];
    int64_t most = (int64_t)m + rule->max_skew - others_of(rule, domain);
    int32_t claims = s->claims[r][domain];
    return most > s->n[r] ? s->n[r] : most > claims ? (int32_t)most : claims;
}

/* Whether the domains hold all members with the least count m. */
static bool holds_all(const struct skr_domain_search *s, size_t r, int32_t m)
{
    int64_t sum = 0;
    for (int32_t d = 0; d < s->rule[r].n_domains; d++) {
        int64_t reach = s->claims[r][d] + s->room[r][d];
        int64_t most = most_with(s, r, d, m);
        sum += most < reach ? most : reach;
    }
    return sum >= s->least_inside[r];
}

/* The range of m; false: none. */
static bool skew_range(const struct skr_domain_search *s, size_t r, struct skr_domain_choice *ret)
{
    const struct skr_domain_rule *rule = &s->rule[r];
    int64_t last = has_least(rule) && rule->n_domains > 0 ? INT32_MAX : 0;
    for (int32_t d = 0; d < rule->n_domains && has_least(rule); d++) {
        int64_t reach = (int64_t)others_of(rule, d) + s->claims[r][d] + s->room[r][d];
        last = reach < last ? reach : last;
    }
    /* Beyond this m every domain takes what it can. */
    int64_t beyond = 0;
    for (int32_t d = 0; d < rule->n_domains; d++) {
        beyond = others_of(rule, d) > beyond ? others_of(rule, d) : beyond;
    }
    beyond += s->n[r];
    last = last < beyond ? last : beyond;
    int32_t low = 0;
    int32_t high = (int32_t)last;
    if (!holds_all(s, r, high)) {
        return false;
    }
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (holds_all(s, r, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *ret = (struct skr_domain_choice){low, (int32_t)last, (int32_t)last};
    return true;
}

/* A domain without leaves has none that could hold its bounds. */
static bool has_room(const struct skr_domain_search *s, size_t r)
{
    const struct skr_domain_rule *rule = &s->rule[r];
    int32_t d = 0;
    while (d < rule->n_domains && rule->least[d] <= s->room[r][d]) {
        d++;
    }
    return d == rule->n_domains;
}

/* The rules that keep roles apart, for rules that choose a domain. */
static void find_apart(struct skr_domain_search *s)
{
    const size_t size = (size_t)s->problem->tree->n_leaves * sizeof *s->rule->domain;
    for (size_t k = 0; k < s->n_rules; k++) {
        const struct skr_domain_rule *rule = &s->rule[k];
        uint32_t ones = 0, others = 0;
        for (size_t r = 0; r < s->n_rules && rule->against != 0; r++) {
            if (s->made.chosen[r] && memcmp(s->rule[r].domain, rule->domain, size) == 0) {
                ones |= skr_role_domains_comes(s, r, rule->roles) ? UINT32_C(1) << r : 0;
                others |= skr_role_domains_comes(s, r, rule->against) ? UINT32_C(1) << r : 0;
            }
        }
        for (size_t r = 0; r < s->n_rules; r++) {
            s->apart[r] |=
                ((ones >> r & 1) != 0 ? others : 0) | ((others >> r & 1) != 0 ? ones : 0);
        }
    }
}

/* Whether the rule's choice can be right beside those of the rules after it. */
static bool is_possible(const struct skr_domain_search *s, size_t r)
{
    const int32_t domain = s->choice[r].at;
    bool possible =
        !s->made.chosen[r] || s->claims[r][domain] + s->room[r][domain] >= s->least_inside[r];
    for (size_t k = r + 1; k < s->n_rules && possible; k++) {
        possible = ((s->apart[r] >> k & 1) == 0 || s->choice[k].at != domain) &&
                   ((s->alike[r] >> k & 1) == 0 || s->choice[k].at >= domain);
    }
    return possible;
}

/* The first combination from here on in which the choices of all rules up to this one are possible. */
static bool settle(struct skr_domain_search *s, size_t r)
{
    for (;;) {
        while (r < s->n_rules && s->choice[r].at < s->choice[r].first) {
            s->choice[r].at = s->choice[r].last;
            if (++r < s->n_rules) {
                s->choice[r].at--;
            }
        }
        if (r == s->n_rules) {
            return false;
        }
        if (++s->tries > TRIES_MAX) {
            s->limited = true;
            return false;
        }
        if (!is_possible(s, r)) {
            s->choice[r].at--;
        } else if (r-- == 0) {
            return true;
        }
    }
}

bool skr_domain_first_choices(struct skr_domain_search *s)
{
    s->tries = 0;
    for (size_t r = 0; r < s->n_rules; r++) {
        const struct skr_domain_rule *rule = &s->rule[r];
        s->choice[r] = (struct skr_domain_choice){0};
        s->least_inside[r] = s->n_least[r];
        for (int32_t i = 0; i < s->made.tree.n_leaves; i++) {
            s->least_inside[r] -= rule->domain[s->made.leaf[i]] < 0 ? s->claims_of[r][i] : 0;
        }
        if (rule->kind == SKR_DOMAIN_SKEW && !skew_range(s, r, &s->choice[r])) {
            return false;
        }
        if (rule->kind == SKR_DOMAIN_LEAST && !has_room(s, r)) {
            return false;
        }
        if (s->made.chosen[r]) {
            s->choice[r].last = s->choice[r].at = rule->n_domains - 1;
            if (rule->n_domains == 0) {
                return false;
            }
        }
    }
    find_apart(s);
    for (size_t r = 0; r < s->n_rules; r++) {
        for (size_t k = r + 1; k < s->n_rules; k++) {
            s->alike[r] |= skr_role_domains_alike(s, r, k) ? UINT32_C(1) << k : 0;
        }
    }
    return settle(s, s->n_rules - 1);
}

bool skr_domain_next_choices(struct skr_domain_search *s)
{
    s->choice[0].at--;
    return settle(s, 0);
}

struct skr_unit_bounds skr_domain_allowed(const struct skr_domain_search *s, size_t r,
                                          int32_t domain)
{
    const struct skr_domain_rule *rule = &s->rule[r];
    int32_t claims = s->claims[r][domain];
    struct skr_unit_bounds bounds = {0, s->n[r]};
    switch (rule->kind) {
    case SKR_DOMAIN_MOST:
        if (rule->against == 0) {
            bounds.most = skr_domain_rule_most(rule, domain);
            bounds.most = bounds.most > claims ? bounds.most : claims;
        }
        break;
    case SKR_DOMAIN_ONE:
        if (s->made.chosen[r] && domain != s->choice[r].at) {
            bounds.most = 0;
        }
        break;
    case SKR_DOMAIN_SKEW: {
        int32_t m = s->choice[r].at;
        int32_t least = has_least(rule) ? m - others_of(rule, domain) : 0;
        bounds.most = most_with(s, r, domain, m);
        bounds.least = least > 0 ? least : 0;
        break;
    }
    case SKR_DOMAIN_LEAST:
        bounds.least = rule->least[domain] > 0 ? claims + rule->least[domain] : 0;
        break;
    case SKR_DOMAIN_RULE_KIND_COUNT:
    default:
        break;
    }
    return bounds;
}

/* Claims on leaves in no domain, by unit of the rule's level: they are in it and do not count. */
static void claims_outside(const struct skr_domain_search *s, size_t r, int32_t *ret)
{
    const struct skr_tree *tree = &s->made.tree;
    int32_t level = s->made.level_of[r];
    memset(ret, 0, (size_t)tree->n_units * sizeof *ret);
    for (int32_t i = 0; i < tree->n_leaves && skr_domain_rule_closes(&s->rule[r]); i++) {
        if (s->rule[r].domain[s->made.leaf[i]] < 0 && s->claims_of[r][i] > 0) {
            ret[skr_tree_unit_at(tree, i, level)] += s->claims_of[r][i];
        }
    }
}

/* Of domains that cross the levels: no leaf holds more than its domain may. */
static void bound_leaves(struct skr_domain_search *s, size_t r)
{
    const struct skr_tree *tree = &s->made.tree;
    for (int32_t i = 0; i < tree->n_leaves; i++) {
        const int32_t domain = s->rule[r].domain[s->made.leaf[i]];
        struct skr_unit_bounds *b = &s->bounds[r][tree->first_leaf + i];
        const int32_t most = domain >= 0 ? skr_domain_allowed(s, r, domain).most : b->most;
        b->most = most < b->most ? most : b->most;
    }
}

void skr_domain_set_bounds(struct skr_domain_search *s)
{
    const struct skr_tree *tree = &s->made.tree;
    for (size_t r = 0; r < s->n_rules; r++) {
        for (int32_t u = 0; u < tree->n_units; u++) {
            s->bounds[r][u] = (struct skr_unit_bounds){0, s->n[r]};
        }
    }
    for (size_t r = 0; r < s->n_rules; r++) {
        int32_t n = s->n[r];
        int32_t level = s->made.level_of[r];
        if (level == 0) {
            bound_leaves(s, r);
            continue;
        }
        claims_outside(s, r, s->outside);
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            int32_t domain = s->made.domain_of[r][u - tree->level_first[level]];
            if (domain < 0) {
                continue;
            }
            struct skr_unit_bounds a = skr_domain_allowed(s, r, domain);
            struct skr_unit_bounds *b = &s->bounds[r][u];
            int32_t least = a.least > 0 ? a.least + s->outside[u] : 0;
            int32_t most = a.most < n - s->outside[u] ? a.most + s->outside[u] : n;
            b->least = least > b->least ? least : b->least;
            b->most = most < b->most ? most : b->most;
        }
    }
}
