/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_OUTRANKS_H
#define SKR_CORE_GANG_PREEMPT_OUTRANKS_H
/*
 * Whether a group may evict another one by rank. Users of a namespace write the key `priority` of their
 * maps; an administrator decides about PriorityClasses and settings.priority_trusted.
 *
 *   victim's namespace                        compared
 *   the same, or that of the preemptor is     priorities of the groups
 *   in priority_trusted
 *   another                                   spec.priority of pods: the lowest of the preemptor's live
 *                                             members, and the highest of the victim's
 *
 * Only a group of a priority above 0 evicts at all. In a search, victims of the own namespace come
 * first, by the priority of their group. Victims of other namespaces follow, by the priority of their
 * pods.
 */
#include "core/gang/state/groups.h"

/* What the preemptor has; valid until a pod or a setting changes. O(members). */
struct skr_outranks {
    const struct group *group; /* with a spec */
    bool trusted;
    int32_t least; /* skr_membership_lowest_class(): without members it evicts none */
};

struct skr_outranks skr_outranks_of(const struct skr_gang *e, const struct group *g);
/* Whether priorities of pods decide about h. O(1). */
bool skr_outranks_by_class(const struct skr_outranks *o, const struct group *h);
/* h: with a spec. O(members of h) if pods decide. */
bool skr_outranks(const struct skr_outranks *o, const struct group *h);
/* Whether h, which may move, moves for the group: it is not above it. By the same comparison; a group of
 * priority 0 counts, too. h: with a spec. */
bool skr_outranks_or_equals(const struct skr_outranks *o, const struct group *h);
/* The place of h among victims of the same preemptor: the victim with the least value goes first. */
int64_t skr_outranks_order(const struct skr_outranks *o, const struct group *h);
/* A member whose preemptionPolicy: Never forbids preemption; NULL: none. */
const struct pod_entry *skr_outranks_refuser(const struct group *g);
/* Appends why pods of other namespaces are spared: how their priority compares, and what to do. The
 * caller has written "4 pods of 1 group". most: the highest of their priorities. */
void skr_outranks_say(const struct skr_outranks *o, int32_t most, struct skr_strbuf *b);

#endif
