/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_DOMAINS_H
#define SKR_CORE_SOLVER_ROLE_DOMAINS_H
/* The roles of the search of core/solver/domains.c. Internal to the solver; memory of the search. */
#include "core/solver/domain_choices.h"

/* Whether the rule counts and binds the role. */
static inline bool skr_domain_binds(const struct skr_domain_rule *rule, size_t role)
{
    return rule->roles == 0 || (rule->roles >> role & 1) != 0;
}

/* The roles of the inner problem, for the made tree. False without memory. */
bool skr_role_domains_permute(struct skr_domain_search *s);
/* New members that the rule counts and that fit on the leaf, at most those it counts at all. */
int64_t skr_role_domains_room(const struct skr_domain_search *s, size_t rule, int32_t leaf);
/* Members that the rule counts, into s->count, of an inner solution. */
void skr_role_domains_count(const struct skr_domain_search *s, size_t rule,
                            const struct skr_solution *solution);
/* Whether the rule binds a role of these that has new members in every placement. */
bool skr_role_domains_comes(const struct skr_domain_search *s, size_t rule, uint32_t roles);
/* Whether both rules choose a domain for one role each, and the problem stays the same if these roles
 * change places. Then one order of their domains is enough. */
bool skr_role_domains_alike(const struct skr_domain_search *s, size_t rule, size_t other);
/* A domain in which new members break a rule with `against`; -1: none. */
int32_t skr_role_domains_clash(const struct skr_domain_search *s,
                               const struct skr_domain_rule *rule,
                               const struct skr_solution *solution);
/* Whether members of the roles stay in the domain. */
bool skr_role_domains_claim(const struct skr_domain_search *s, const struct skr_domain_rule *rule,
                            int32_t domain, uint32_t roles);
/* Keeps new members of the roles out of the domain; opens what was closed with that id, which is
 * above 0. */
void skr_role_domains_close(struct skr_domain_search *s, const struct skr_domain_rule *rule,
                            int32_t domain, uint32_t roles, int32_t id);
void skr_role_domains_open(struct skr_domain_search *s, uint32_t roles, int32_t id);
/* Keeps the inner solution if it is the best so far. False without memory. */
bool skr_role_domains_take(struct skr_domain_search *s, const struct skr_solution *solution);
/* The problem with other room, nothing claimed. */
void skr_role_domains_empty(struct skr_role_variant *variant, const struct skr_problem *problem,
                            bool emptied);

#endif
