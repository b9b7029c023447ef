/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_VICTIMS_NEEDS_H
#define SKR_CORE_SOLVER_VICTIMS_NEEDS_H
/*
 * Rules of the members about pods that victims have: required affinity, and spread. More room never
 * harms, but fewer pods may. So these rules are checked on the answer of a search, without the pods of
 * its victims. If one is broken, the search is repeated in turn without each of the victims whose pods
 * it needs, and without the domain.
 */
#include "core/solver/solution.h"

/* Pods of a victim in one domain of a need. */
struct skr_victim_gift {
    size_t victim;
    int32_t domain;
    int32_t pods;
};

/* Arrays are borrowed. */
struct skr_victim_need {
    enum skr_domain_rule_kind kind; /* ONE: a new member needs a pod in its domain. SKEW: spread */
    int32_t n_domains;
    const int32_t *domain; /* [leaf] 0 .. n_domains - 1; -1: the leaf is in none */
    uint32_t roles;        /* of a problem with roles, bit r: those that it binds; 0: all */
    uint32_t counted;      /* those whose members count as such pods themselves */
    bool own;              /* without roles: the members count */
    /* Which pods count is not known: no pod that may count goes from a domain of a new member. */
    bool strict;
    const int32_t *others; /* [domain] pods that count, without those of `gift` */
    size_t n_gifts;
    const struct skr_victim_gift *gift; /* of candidates */
    int32_t max_skew, min_domains;      /* SKEW */
};

struct skr_victims_problem;
struct skr_victims;

/* Whether all needs hold for the placement without the pods of these victims. *ret_need, *ret_domain: the
 * first broken one, and the domain where; NULL allowed. O(needs * (leaves + domains + gifts * n)). */
bool skr_victims_needs_hold(const struct skr_victims_problem *problem, const size_t *victim,
                            size_t n, const struct skr_solution *solution, size_t *ret_need,
                            int32_t *ret_domain);

/* As find(), which ignores needs, for an answer that keeps them. find() searches the problem that it
 * gets, with skr_victims_problem.kept. */
int skr_victims_needs_search(const struct skr_victims_problem *problem,
                             int (*find)(const struct skr_victims_problem *, struct skr_victims **,
                                         struct skr_error *),
                             struct skr_victims **ret, struct skr_error *error);

#endif
