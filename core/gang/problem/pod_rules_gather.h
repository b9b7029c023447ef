/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_POD_RULES_GATHER_H
#define SKR_CORE_GANG_PROBLEM_POD_RULES_GATHER_H
/*
 * Rules of the newcomers about other pods, and of other pods about them, against the nodes and pods of
 * the cache: domains for the solver, and leaves that are closed. Private to pod_rules.c.
 */
#include "core/gang/cache/pod_walk.h"
#include "core/gang/state/groups.h"

enum { POD_RULE_NAME_MAX = 320 };

struct pod_rules_work {
    struct skr_gang *e;
    struct pod_entry *const *newcomers;
    size_t n;
    struct skr_arena *arena;
    uint8_t *eligible;
    uint8_t *emptied; /* [leaf] eligible when all other pods are gone; NULL: not asked */
    struct skr_domain_rule *made;
    size_t n_made;
    size_t n_closed;
    char why[POD_RULE_NAME_MAX * 2]; /* the first leaf was closed by this */
    bool no_room;
};

/* Fills made, and closes leaves of eligible (and of emptied, where that is given), in the order of
 * shapes and rules. Members of one template have one shape; of several, each shape's rules are obeyed
 * by all. Cost: O(nodes + pods) a rule. false without memory in the arena. */
bool skr_pod_rules_gather(struct pod_rules_work *w);
/* Where a pod that is no newcomer is, or is planned to be; NULL: nowhere. Borrowed. */
const char *skr_pod_rules_place(const struct pod_rules_work *w, const struct pod_walk *p);
/* Members of the newcomers' group are the solver's claims. */
bool skr_pod_rules_is_claim(const struct pod_rules_work *w, const struct pod_walk *p);

#endif
