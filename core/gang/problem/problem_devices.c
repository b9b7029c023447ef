/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/problem/problem_devices.h"

#include "core/devices/pod_problem.h"
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/device_pools.h"
#include "core/gang/cache/device_shares.h"
#include "core/gang/cache/pods.h"

#include <stdlib.h>
#include <string.h>

static const char of_all_nodes[] = "devices of all nodes", of_regions[] = "devices of some nodes";

/* Bits of the problem's roles; 0: it has none. */
static uint32_t roles_of(const struct device_share *share, const struct skr_request_roles *of)
{
    uint32_t roles = 0;
    for (size_t r = 0; of && r < of->n; r++) {
        roles |= (share->roles >> of->role[r] & 1) << r;
    }
    return roles;
}

/* Whether a rule that sends all to one leaf is there. */
static bool has_rule(const struct skr_problem *problem, uint32_t roles)
{
    size_t i = 0;
    while (i < problem->n_domain_rules &&
           (problem->domain_rule[i].kind != SKR_DOMAIN_ONE ||
            problem->domain_rule[i].n_domains != problem->tree->n_leaves ||
            strncmp(problem->domain_rule[i].name, SKR_RULE_OF_CLAIM,
                    sizeof SKR_RULE_OF_CLAIM - 1) != 0 ||
            problem->domain_rule[i].roles != roles)) {
        i++;
    }
    return i < problem->n_domain_rules;
}

/* Copies what from points to. Without its domain: every leaf is one, or all are the only one. */
static bool add_rule(struct skr_domain_rule from, struct skr_arena *arena,
                     struct skr_problem *problem)
{
    const int32_t n_leaves = problem->tree->n_leaves;
    int32_t *most =
        from.most_of ? skr_arena_array(arena, (size_t)from.n_domains, sizeof *most) : NULL;
    struct skr_domain_rule *rule = (struct skr_domain_rule *)(uintptr_t)problem->domain_rule;
    rule = rule ? rule : skr_arena_array(arena, SKR_DOMAIN_RULES_MAX, sizeof *rule);
    int32_t *domain = skr_arena_array(arena, (size_t)n_leaves + 1, sizeof *domain);
    const char *name = skr_arena_strdup(arena, from.name);
    if (!rule || !domain || !name || (from.most_of && !most)) {
        return false;
    }
    for (int32_t i = 0; i < n_leaves; i++) {
        domain[i] = from.domain ? from.domain[i] : from.n_domains == n_leaves ? i : 0;
    }
    if (most) {
        memcpy(most, from.most_of, (size_t)from.n_domains * sizeof *most);
    }
    from.name = name;
    from.domain = domain;
    from.most_of = most;
    problem->domain_rule = rule;
    rule[problem->n_domain_rules++] = from;
    return true;
}

/* All users go to one leaf, or to one of the regions; NULL: devices are of one node. */
static bool add_together(const struct device_share *share, uint32_t roles,
                         const struct device_regions *regions, struct skr_arena *arena,
                         struct skr_problem *problem)
{
    SKR_STRBUF(name);
    skr_strbuf_addf(&name, SKR_RULE_OF_CLAIM "%s", share->name);
    return add_rule((struct skr_domain_rule){.kind = SKR_DOMAIN_ONE,
                                             .name = name.s,
                                             .roles = roles,
                                             .n_domains = regions ? (int32_t)regions->n
                                                                  : problem->tree->n_leaves,
                                             .domain = regions ? regions->of_leaf : NULL},
                    arena, problem);
}

static bool all_need_devices(const struct skr_gang *e, struct pod_entry *const *list, size_t n)
{
    size_t i = 0;
    while (i < n && skr_devices_are_needed(e, list[i])) {
        i++;
    }
    return i == n;
}

/* No more members than devices of all nodes serve; 0: no leaf has any slots (learned.h). */
static bool add_most(struct skr_gang *e, const struct group *g, struct pod_entry *const *list,
                     size_t n, int32_t claimed, uint32_t roles, struct skr_arena *arena,
                     struct skr_problem *problem)
{
    struct device_needs *needs = skr_devices_needs(e, list, n);
    const int32_t most = skr_device_pools_most(e, g, needs);
    skr_devices_needs_unref(e, needs);
    return most == 0 || (size_t)most >= n || !all_need_devices(e, list, n) ||
           problem->n_domain_rules == SKR_DOMAIN_RULES_MAX ||
           add_rule((struct skr_domain_rule){.kind = SKR_DOMAIN_MOST,
                                             .name = of_all_nodes,
                                             .n_domains = 1,
                                             .most = claimed + most,
                                             .roles = roles},
                    arena, problem);
}

/* No more members of a region than its devices serve. */
static bool add_regions(struct skr_gang *e, const struct group *g, struct pod_entry *const *list,
                        size_t n, uint32_t roles, struct skr_arena *arena,
                        struct skr_problem *problem)
{
    struct device_needs *needs = skr_devices_needs(e, list, n);
    struct device_regions regions;
    bool room = true, bounds = false;
    if (all_need_devices(e, list, n) && problem->n_domain_rules < SKR_DOMAIN_RULES_MAX &&
        skr_device_pools_regions(e, needs, &regions)) {
        SKR_AUTO_FREE int32_t *most = skr_alloc_array(regions.n, sizeof *most);
        for (size_t i = 0; i < regions.n; i++) {
            const int32_t one = skr_device_pools_most_in(e, g, needs, regions.name[i], false);
            bounds = bounds || (size_t)one < n;
            most[i] = (size_t)one < n ? one : (int32_t)n;
        }
        for (int32_t i = 0; i < problem->tree->n_leaves && problem->claimed; i++) {
            if (regions.of_leaf[i] >= 0) {
                most[regions.of_leaf[i]] += problem->claimed[i];
            }
        }
        const struct skr_domain_rule rule = {.kind = SKR_DOMAIN_MOST,
                                             .name = of_regions,
                                             .n_domains = (int32_t)regions.n,
                                             .domain = regions.of_leaf,
                                             .most = 1,
                                             .most_of = most,
                                             .roles = roles};
        room = !bounds || add_rule(rule, arena, problem);
        free(regions.of_leaf);
    }
    skr_devices_needs_unref(e, needs);
    return room;
}

static bool add_bounds(struct skr_gang *e, const struct group *g, struct pod_entry *const *list,
                       size_t n, int32_t claimed, uint32_t roles, struct skr_arena *arena,
                       struct skr_problem *problem)
{
    return add_most(e, g, list, n, claimed, roles, arena, problem) &&
           add_regions(e, g, list, n, roles, arena, problem);
}

static bool bound_pools(struct skr_gang *e, const struct group *g,
                        struct pod_entry *const *newcomers, size_t n, int32_t claimed,
                        const struct skr_request_roles *of, struct skr_arena *arena,
                        struct skr_problem *problem)
{
    struct device_needs *all = skr_devices_needs(e, newcomers, n);
    const bool matter = skr_device_pools_matter(e, all);
    const bool alike = matter && all->n == 1 && all_need_devices(e, newcomers, n);
    skr_devices_needs_unref(e, all);
    if (!matter || (of && claimed > 0)) {
        return true;
    }
    if (!of || alike) {
        return add_bounds(e, g, newcomers, n, claimed, 0, arena, problem);
    }
    SKR_AUTO_FREE struct pod_entry **list = skr_alloc_array(n + 1, sizeof *list);
    bool room = true;
    for (size_t r = 0; r < of->n && room; r++) {
        size_t k = 0;
        for (size_t i = 0; i < n; i++) {
            if (newcomers[i]->role == of->role[r]) {
                list[k++] = newcomers[i];
            }
        }
        room = add_bounds(e, g, list, k, 0, UINT32_C(1) << r, arena, problem);
    }
    return room;
}

static bool keep_together(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                          int32_t claimed, const struct skr_request_roles *of,
                          struct skr_arena *arena, struct skr_problem *problem)
{
    struct device_shares shares = skr_device_shares_of(e, newcomers, n);
    bool room = true;
    for (size_t i = 0; i < shares.n && room && !shares.partial && claimed == 0; i++) {
        const struct device_share *share = &shares.item[i];
        const uint32_t roles = roles_of(share, of);
        if (!share->spec || problem->n_domain_rules == SKR_DOMAIN_RULES_MAX) {
            continue;
        }
        const enum skr_claim_reach reach = skr_claim_reach_of(e->devices.stock, share->spec);
        const struct device_needs needs = {
            .n = 1, .shape = {{.n = 1, .spec = (const struct skr_claim_spec *[]){share->spec}}}};
        struct device_regions regions;
        if (reach == SKR_CLAIM_OF_ONE_NODE && !has_rule(problem, roles)) {
            room = add_together(share, roles, NULL, arena, problem);
        } else if (reach == SKR_CLAIM_OF_REGIONS && skr_device_pools_regions(e, &needs, &regions)) {
            room = add_together(share, roles, &regions, arena, problem);
            free(regions.of_leaf);
        }
    }
    free(shares.item);
    return room;
}

bool skr_problem_devices_bind(struct skr_gang *e, const struct group *g,
                              struct pod_entry *const *newcomers, size_t n, int32_t claimed,
                              const struct skr_request_roles *of, struct skr_arena *arena,
                              struct skr_problem *problem)
{
    return keep_together(e, newcomers, n, claimed, of, arena, problem) &&
           bound_pools(e, g, newcomers, n, claimed, of, arena, problem);
}

static bool blocks(const struct skr_domain_outcome *domains, const char *name)
{
    size_t i = 0;
    while (i < domains->n_rules &&
           (domains->rule[i].kind != SKR_DOMAIN_MOST || strcmp(domains->rule[i].name, name) != 0)) {
        i++;
    }
    return i < domains->n_rules;
}

/* Members that devices of all regions serve. */
static int64_t sum_of(struct skr_gang *e, const struct group *g, const struct device_needs *needs,
                      bool ever)
{
    struct device_regions regions;
    int64_t sum = INT64_MAX;
    if (skr_device_pools_regions(e, needs, &regions)) {
        sum = 0;
        for (size_t i = 0; i < regions.n; i++) {
            sum += skr_device_pools_most_in(e, g, needs, regions.name[i], ever);
        }
        free(regions.of_leaf);
    }
    return sum;
}

bool skr_problem_devices_say(struct skr_gang *e, const struct group *g,
                             struct pod_entry *const *newcomers, size_t n,
                             const struct skr_domain_outcome *domains, struct skr_strbuf *b,
                             bool *ret_never)
{
    const bool all = blocks(domains, of_all_nodes);
    *ret_never = false;
    if (!all && !blocks(domains, of_regions)) {
        return false;
    }
    struct device_needs *needs = skr_devices_needs(e, newcomers, n);
    const int64_t most = all ? skr_device_pools_most(e, g, needs) : sum_of(e, g, needs, false);
    const int64_t ever = all ? skr_device_pools_ever(e, needs) : sum_of(e, g, needs, true);
    *ret_never = ever < (int64_t)n;
    if (most < (int64_t)n) {
        skr_strbuf_addf(b, "devices that %s nodes reach serve %lld of its %zu pods%s",
                        all ? "all" : "some", (long long)most, n,
                        *ret_never ? "" : ", others have the rest");
    } else {
        skr_strbuf_addf(
            b,
            "devices that some nodes reach serve %lld pods, but not the %zu of it where "
            "its rules and other room permit",
            (long long)most, n);
    }
    skr_devices_needs_unref(e, needs);
    return true;
}
