/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/problem/problem_devices.h"

#include "core/devices/pod_problem.h"
#include "core/gang/cache/device_shares.h"
#include "core/gang/cache/topology.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "ResourceClaim ";

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

static bool add_rule(const struct device_share *share, uint32_t roles, int32_t n_leaves,
                     struct skr_arena *arena, struct skr_problem *problem)
{
    struct skr_domain_rule *rule = (struct skr_domain_rule *)(uintptr_t)problem->domain_rule;
    SKR_STRBUF(name);
    skr_strbuf_addf(&name, "%s%s", prefix, share->name);
    rule = rule ? rule : skr_arena_array(arena, SKR_DOMAIN_RULES_MAX, sizeof *rule);
    int32_t *domain = skr_arena_array(arena, (size_t)n_leaves + 1, sizeof *domain);
    const char *copy = skr_arena_strdup(arena, name.s);
    if (!rule || !domain || !copy) {
        return false;
    }
    for (int32_t i = 0; i < n_leaves; i++) {
        domain[i] = i;
    }
    problem->domain_rule = rule;
    rule[problem->n_domain_rules++] = (struct skr_domain_rule){.kind = SKR_DOMAIN_ONE,
                                                               .name = copy,
                                                               .n_domains = n_leaves,
                                                               .domain = domain,
                                                               .roles = roles};
    return true;
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
        if (share->spec && !skr_claim_may_be_served_elsewhere(e->devices.stock, share->spec) &&
            !has_rule(problem, roles) && problem->n_domain_rules < SKR_DOMAIN_RULES_MAX) {
            room = add_rule(share, roles, e->topology.tree->n_leaves, arena, problem);
        }
    }
    free(shares.item);
    return room;
}

bool skr_problem_devices_block(const struct skr_domain_outcome *domains)
{
    size_t i = 0;
    while (i < domains->n_rules && (domains->rule[i].kind != SKR_DOMAIN_ONE ||
                                    strncmp(domains->rule[i].name, prefix, sizeof prefix - 1))) {
        i++;
    }
    return i < domains->n_rules;
}
