/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_POD_RULES_H
#define SKR_CORE_GANG_PROBLEM_POD_RULES_H
/*
 * What pods say about other pods (core/pod/rules.h), for a problem:
 *
 *   about their own kind   rules over domains of the solver: host ports and anti-affinity (one a
 *                          domain), affinity (one domain), spread (skew); where the selector takes
 *                          in every newcomer
 *   about others           nodes that are closed, by the pods of the cache: a port that is taken,
 *                          anti-affinity either way, affinity without a partner, a skew that is full
 *
 * Left to kube-scheduler, whose veto says so: rules with a namespaceSelector that is not empty, and
 * selectors that take in some newcomers and not others.
 *
 * Sources: Kubernetes pkg/scheduler/framework/plugins/{nodeports,interpodaffinity,podtopologyspread}
 * filtering.go.
 */
#include "core/gang/state/groups.h"

/* Whether any rule bears on these newcomers: without, slots of nodes are all there is to know.
 * O(shapes in the cache). */
bool skr_pod_rules_matter(const struct skr_gang *e, struct pod_entry *const *newcomers, size_t n);

/* Puts the rules into the problem and closes leaves: eligible is changed in place, the rules, and
 * which leaves an empty cluster opens, are made in the arena. Cost: O(nodes + pods) a rule. false without memory. */
bool skr_pod_rules_apply(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                         struct skr_arena *arena, uint8_t *eligible, struct skr_problem *problem);

/* When each newcomer, planned on node[i], may be nominated so that kube-scheduler, which looks at a
 * spread pod by pod, agrees at every step whatever the order within a turn: ret[n], 0 first. All 0
 * without a spread. O(n x turns x rules). */
void skr_pod_rules_turns(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                         const char *const *node, int32_t *ret);

/* Why nodes are closed: "; 3 nodes are closed to its pods by ..."; nothing when none is. */
void skr_pod_rules_say_closed(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                              struct skr_strbuf *b);
/* The sentence of a solution that a rule over domains stands in the way of. */
void skr_pod_rules_say_blocking(const struct skr_domain_outcome *domains, int32_t n,
                                struct skr_strbuf *b);

#endif
