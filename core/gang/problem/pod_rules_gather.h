/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_POD_RULES_GATHER_H
#define SKR_CORE_GANG_PROBLEM_POD_RULES_GATHER_H
/*
 * Rules of the newcomers about other pods, and of other pods about the newcomers, over the cached
 * nodes and pods: yields domains for the solver and closed leaves. For pod_rules.c, and what it counts for
 * core/gang/preempt/victim_needs.c.
 */
#include "core/gang/cache/pod_walk.h"
#include "core/gang/problem/pod_rules.h"

enum { POD_RULE_NAME_MAX = 320 };

/* What a rule is to a newcomer. */
enum pod_rule_part { POD_RULE_IGNORES, POD_RULE_COUNTS, POD_RULE_FOLLOWS };

/* A rule of pods of this shape. */
struct pod_rules_source {
    const struct skr_pod_shape *spec;
    const struct skr_pod_rule *rule;
};

struct pod_rules_work {
    struct skr_gang *e;
    struct pod_entry *const *newcomers;
    size_t n;
    struct skr_arena *arena;
    uint8_t *eligible;
    uint8_t *emptied; /* [leaf] eligible in an otherwise empty cluster; NULL: not requested */
    const struct skr_pod_rules_roles *roles; /* the newcomers are those of role self; NULL: equal */
    bool turns;                   /* include rules that select only some newcomers, and fill part */
    struct skr_domain_rule *made; /* NULL at first, or rules of other roles to add to */
    size_t n_made;
    struct pod_rules_source source[SKR_DOMAIN_RULES_MAX]; /* of the rules that this call made */
    uint8_t *part[SKR_DOMAIN_RULES_MAX]; /* [newcomer] enum pod_rule_part, with turns */
    /* Whether all affinities of pods of this shape select a pod, by its number in the walk; 0: not known. */
    const struct skr_pod_shape *affinity_of;
    uint8_t *affinity;
    size_t n_closed;
    char why[POD_RULE_NAME_MAX * 2]; /* the cause that closed the first leaf */
    bool no_room;
};

/* Fills made, and closes leaves of eligible (and of emptied, if set), in the order of shapes and
 * rules. Members of one template share a shape. If there are several shapes, all rules apply to all
 * members. A rule that equals an earlier one is dropped. O(nodes + pods) per rule. False without
 * memory in the arena. */
bool skr_pod_rules_gather(struct pod_rules_work *w);
/* The actual or planned node of a pod that is no newcomer; NULL: none. Borrowed. */
const char *skr_pod_rules_place(const struct pod_rules_work *w, const struct pod_walk *p);
/* Whether the pod is a member of the newcomers' group: the solver has those as claims. */
bool skr_pod_rules_is_claim(const struct pod_rules_work *w, const struct pod_walk *p);
/* Whether the rule of these pods concerns a pod. With several required affinities only pods that
 * all of them select count (updateWithAffinityTerms). */
bool skr_pod_rules_is_about(const struct skr_pod_shape *spec, const struct skr_pod_rule *rule,
                            const struct skr_meta *pod);
/* Whether the node counts for a spread (struct pod_rules_source): it admits the pod and has all its keys. */
bool skr_pod_rules_counts_for_spread(const struct node_entry *n, const void *source);
/* A namespaceSelector needs namespace labels, which are not cached; one such affinity suffices. */
bool skr_pod_rules_is_unknown(const struct skr_pod_shape *spec, const struct skr_pod_rule *rule);

#endif
