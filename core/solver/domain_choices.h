/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_DOMAIN_CHOICES_H
#define SKR_CORE_SOLVER_DOMAIN_CHOICES_H
/* The search of domains.c, and the choices that it tries. Internal to the solver. */
#include "core/solver/domain_tree.h"
#include "core/solver/role_keys.h"
#include "core/solver/role_variant.h"
#include "core/solver/solve_run.h"
#include "topology/base/arena.h"

struct skr_domain_choice {
    int32_t first, last, at; /* counted down from last */
};

struct skr_domain_search {
    const struct skr_problem *problem; /* with roles */
    const struct skr_domain_rule *rule;
    size_t n_rules;
    struct skr_arena *arena;
    struct skr_domain_tree made;
    struct skr_problem inner; /* of the made tree */
    int64_t *free;
    struct skr_role_variant *roles;    /* of the inner problem */
    uint8_t *open[SKR_ROLES_MAX];      /* [leaf] of the inner roles: whether it takes new members */
    int32_t *closed_by[SKR_ROLES_MAX]; /* [leaf] what closed it for a time; 0: nothing */
    int32_t n[SKR_DOMAIN_RULES_MAX]; /* members that the rule counts, n_least if minimums are met */
    int32_t n_least[SKR_DOMAIN_RULES_MAX];
    int32_t least_inside[SKR_DOMAIN_RULES_MAX];     /* the same less the claims in no domain */
    const int32_t *claims_of[SKR_DOMAIN_RULES_MAX]; /* [leaf] of these */
    /* [unit], for the units of the rule's level or for the leaves. If there is one role, all rules
     * share one array, the bounds of the inner problem. */
    struct skr_unit_bounds *bounds[SKR_DOMAIN_RULES_MAX];
    int32_t *claims[SKR_DOMAIN_RULES_MAX]; /* [domain] members that stay */
    int64_t *room[SKR_DOMAIN_RULES_MAX];   /* [domain] new members that fit, each leaf at most n */
    struct skr_domain_choice choice[SKR_DOMAIN_RULES_MAX];
    /* [rule] bit b: rules that never choose the same domain as this one */
    uint32_t apart[SKR_DOMAIN_RULES_MAX];
    /* [rule] bit b: rules that can change places with this one. The later one has the later domain. */
    uint32_t alike[SKR_DOMAIN_RULES_MAX];
    int32_t tries;    /* choices of single rules that were looked at */
    int32_t *sum;     /* [domain] working space */
    int32_t *count;   /* [leaf] working space */
    int32_t *outside; /* [unit] working space */
    int32_t *best;    /* [role][leaf] of the problem; NULL: none yet */
    int32_t best_size[SKR_ROLES_MAX];
    const struct skr_role_keys *best_of;
    int64_t steps; /* left */
    int32_t solves;
    int32_t solves_end; /* of the choices at hand */
    bool limited;       /* the search left something out */
    int rc;
    struct skr_error *error;
};

/* The first combination of choices. Those that no placement can have are left out: domains without
 * room, and one domain for roles that are kept apart. False: there is none (limited: not found). */
bool skr_domain_first_choices(struct skr_domain_search *s);
/* The next combination; false: that was the last, or limited is set. */
bool skr_domain_next_choices(struct skr_domain_search *s);
/* The bounds that the rule sets its domain under the choices. */
struct skr_unit_bounds skr_domain_allowed(const struct skr_domain_search *s, size_t r,
                                          int32_t domain);
/* Bounds of all units under the choices of all rules. */
void skr_domain_set_bounds(struct skr_domain_search *s);

#endif
