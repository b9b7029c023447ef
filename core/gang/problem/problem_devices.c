/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/problem/problem_devices.h"

#include "core/devices/pod_problem.h"
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/device_pools.h"
#include "core/gang/cache/device_shares.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "ResourceClaim ", of_all_nodes[] = "devices of all nodes";

/* Bits of the problem's roles; 0: it has none. */
static uint32_t roles_of(const struct device_share *share, const struct skr_request_roles *of)
{
    uint32_t roles = 0;
    for (size_t r = 0; of && r < of->n; r++) {
        roles |= (share->roles >> of->role[r] & 1) << r;
    }
    return roles;
}

static bool has_rule(const struct skr_problem *problem, uint32_t roles)
{
    size_t i = 0;
    while (i < problem->n_domain_rules &&
           (problem->domain_rule[i].kind != SKR_DOMAIN_ONE ||
            strncmp(problem->domain_rule[i].name, prefix, sizeof prefix - 1) != 0 ||
            problem->domain_rule[i].roles != roles)) {
        i++;
    }
    return i < problem->n_domain_rules;
}

/* each: every leaf is a domain; else all are one. */
static bool add_rule(struct skr_domain_rule from, bool each, int32_t n_leaves,
                     struct skr_arena *arena, struct skr_problem *problem)
{
    struct skr_domain_rule *rule = (struct skr_domain_rule *)(uintptr_t)problem->domain_rule;
    rule = rule ? rule : skr_arena_array(arena, SKR_DOMAIN_RULES_MAX, sizeof *rule);
    int32_t *domain = skr_arena_array(arena, (size_t)n_leaves + 1, sizeof *domain);
    const char *name = skr_arena_strdup(arena, from.name);
    if (!rule || !domain || !name) {
        return false;
    }
    for (int32_t i = 0; i < n_leaves && each; i++) {
        domain[i] = i;
    }
    from.name = name;
    from.n_domains = each ? n_leaves : 1;
    from.domain = domain;
    problem->domain_rule = rule;
    rule[problem->n_domain_rules++] = from;
    return true;
}

static bool add_together(const struct device_share *share, uint32_t roles, int32_t n_leaves,
                         struct skr_arena *arena, struct skr_problem *problem)
{
    SKR_STRBUF(name);
    skr_strbuf_addf(&name, "%s%s", prefix, share->name);
    return add_rule(
        (struct skr_domain_rule){.kind = SKR_DOMAIN_ONE, .name = name.s, .roles = roles}, true,
        n_leaves, arena, problem);
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
                                             .most = claimed + most,
                                             .roles = roles},
                    false, e->topology.tree->n_leaves, arena, problem);
}

bool skr_problem_devices_bound(struct skr_gang *e, const struct group *g,
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
        return add_most(e, g, newcomers, n, claimed, 0, arena, problem);
    }
    struct pod_entry **list = skr_alloc_array(n + 1, sizeof *list);
    bool room = true;
    for (size_t r = 0; r < of->n && room; r++) {
        size_t k = 0;
        for (size_t i = 0; i < n; i++) {
            if (newcomers[i]->role == of->role[r]) {
                list[k++] = newcomers[i];
            }
        }
        room = add_most(e, g, list, k, 0, UINT32_C(1) << r, arena, problem);
    }
    free(list);
    return room;
}

bool skr_problem_devices_together(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                                  int32_t claimed, const struct skr_request_roles *of,
                                  struct skr_arena *arena, struct skr_problem *problem)
{
    struct device_shares shares = skr_device_shares_of(e, newcomers, n);
    bool room = true;
    for (size_t i = 0; i < shares.n && room && !shares.partial && claimed == 0; i++) {
        const struct device_share *share = &shares.item[i];
        const uint32_t roles = roles_of(share, of);
        if (share->spec &&
            skr_claim_reach_of(e->devices.stock, share->spec) == SKR_CLAIM_OF_ONE_NODE &&
            !has_rule(problem, roles) && problem->n_domain_rules < SKR_DOMAIN_RULES_MAX) {
            room = add_together(share, roles, e->topology.tree->n_leaves, arena, problem);
        }
    }
    free(shares.item);
    return room;
}

static bool blocks(const struct skr_domain_outcome *domains, enum skr_domain_rule_kind kind,
                   const char *name, size_t length)
{
    size_t i = 0;
    while (i < domains->n_rules &&
           (domains->rule[i].kind != kind || strncmp(domains->rule[i].name, name, length) != 0)) {
        i++;
    }
    return i < domains->n_rules;
}

bool skr_problem_devices_block(const struct skr_domain_outcome *domains)
{
    return blocks(domains, SKR_DOMAIN_ONE, prefix, sizeof prefix - 1);
}

bool skr_problem_devices_say(struct skr_gang *e, const struct group *g,
                             struct pod_entry *const *newcomers, size_t n,
                             const struct skr_domain_outcome *domains, struct skr_strbuf *b,
                             bool *ret_never)
{
    *ret_never = false;
    if (!blocks(domains, SKR_DOMAIN_MOST, of_all_nodes, sizeof of_all_nodes)) {
        return false;
    }
    struct device_needs *needs = skr_devices_needs(e, newcomers, n);
    const int32_t most = skr_device_pools_most(e, g, needs);
    *ret_never = (size_t)skr_device_pools_ever(e, needs) < n;
    skr_strbuf_addf(b, "devices that all nodes reach serve %d of its %zu pods%s", most, n,
                    *ret_never ? "" : ", others have the rest");
    skr_devices_needs_unref(e, needs);
    return true;
}
