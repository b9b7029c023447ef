/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_POD_RULES_H
#define SKR_CORE_GANG_PROBLEM_POD_RULES_H
/*
 * Rules of pods about other pods (core/pod/rules.h), for a problem:
 *
 *   about their own kind   rules over domains of the solver: host ports and anti-affinity (one a
 *                          domain), affinity (one domain), spread (skew). The selector must select
 *                          every newcomer, or, in a problem with roles, every newcomer of the role.
 *                          The rule binds all roles that it counts, even if their pods lack it
 *   about others           closed nodes, from the pods of the cache: a used port,
 *                          anti-affinity either way, affinity without a partner, an exhausted skew
 *
 * Left to kube-scheduler, and learned by vetoes: rules with a non-empty namespaceSelector, and
 * selectors that select only some newcomers of a role.
 *
 * Sources: Kubernetes
 * pkg/scheduler/framework/plugins/{nodeports,interpodaffinity,podtopologyspread} filtering.go.
 */
#include "core/gang/state/groups.h"

struct skr_cap_members; /* core/gang/problem/problem_caps.h */

/* Roles of a problem; the newcomers of a call are those of role self. */
struct skr_pod_rules_roles {
    const struct skr_cap_members *member; /* [n] newcomers, then running and pinned members */
    size_t n;
    size_t self;
    struct pod_entry *const *all; /* newcomers of all roles */
    size_t n_all;
};

/* Whether any rule concerns these newcomers; if not, slots of nodes are sufficient. O(shapes in the
 * cache). */
bool skr_pod_rules_matter(const struct skr_gang *e, struct pod_entry *const *newcomers, size_t n);

/* Adds the rules to the problem and closes leaves. roles: the role of these newcomers; a rule then
 * counts each role all of whose members it selects. NULL: all newcomers are equal. eligible is changed
 * in place; the rules and the leaves open in an empty cluster are allocated in the arena. O(nodes +
 * pods) per rule. False without memory. */
bool skr_pod_rules_apply(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                         const struct skr_pod_rules_roles *roles, struct skr_arena *arena,
                         uint8_t *eligible, struct skr_problem *problem);

/* The turn in which each newcomer, planned on node[i], may be nominated: ret[n], 0 first.
 * kube-scheduler checks a spread pod by pod; it accepts the pods of one turn in any order. A pod with
 * affinity to another role comes after a pod of that role. All 0 without a spread or an affinity.
 * O(n x turns x rules). */
void skr_pod_rules_turns(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                         const char *const *node, int32_t *ret);

/* Why nodes are closed: "; 3 nodes are closed to its pods by ..."; appends nothing if none is. */
void skr_pod_rules_say_closed(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                              struct skr_strbuf *b);
/* The sentence for a problem that a rule over domains makes infeasible; roles: it has roles. */
void skr_pod_rules_say_blocking(const struct skr_domain_outcome *domains, bool roles, int32_t n,
                                struct skr_strbuf *b);

#endif
