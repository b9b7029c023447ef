/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_MEMBERSHIP_H
#define SKR_CORE_GANG_GROUP_MEMBERSHIP_H
/* Members of a group, and holders of its seats. Pods of the next generation: generation.h. */
#include "core/gang/state/groups.h"

void skr_membership_changed(struct group *g); /* seats are assigned anew at the next update */
/* Seats whose members have Succeeded, and for which no newcomer comes. */
size_t skr_membership_done(const struct group *g);
/* Seats a lost member before other seats are assigned. */
void skr_membership_seat(struct pod_entry *p);
void skr_membership_unseat(struct pod_entry *p);
void skr_membership_update(struct skr_gang *e,
                           struct group *g); /* counts, and seats if they are dirty */
int32_t skr_membership_size(
    const struct group *g); /* the minimum of an open group; 0 without a spec */
/* Its size, without the members that are not made again because others have Succeeded; at least 1. */
size_t skr_membership_needs(const struct group *g);
/* The number shown to users: the size; of an open group all members, at least the minimum. */
size_t skr_membership_seats(const struct group *g);
/* The number of seats: the size, or the most of an open group; 0 without a spec. */
int32_t skr_membership_most(const struct group *g);
/* Newcomers that a plan needs: all that are missing. If the group already runs: one, or those that
 * complete a step. */
size_t skr_membership_least(const struct group *g);
/* The number of newcomers to try next if n do not fit, of which `largest` do (0: not known); 0: a plan
 * needs all of them. */
size_t skr_membership_fewer(const struct group *g, size_t n, size_t largest);
/* Whether a group without running members has the newcomers that it needs: its size, or the minimum
 * of each role of key roles. */
bool skr_membership_may_be_planned(const struct group *g);
/* It runs, and all that waits of it is beyond its minimum. */
bool skr_membership_only_grows(const struct group *g);
/* Newcomers to try now, by (created, name); array to free(). If not all of them fit beside a minimum,
 * the first ones in the order of their ranks. */
struct pod_entry **skr_membership_plannable(struct skr_gang *e, struct group *g, size_t *ret_n);
struct pod_entry *skr_membership_oldest(const struct group *g); /* live; NULL: none */
/* The oldest live member, else the oldest of those that were lost and leave; NULL: none. */
struct pod_entry *skr_membership_model(const struct group *g);
bool skr_membership_runs(const struct group *g); /* whether a live member is bound */
/* The lowest spec.priority of its live members; INT32_MIN: it has none. O(members). */
int32_t skr_membership_lowest_class(const struct group *g);
/* A live member without a seat. */
bool skr_membership_is_beyond(const struct group *g, const struct pod_entry *p);
/* The same of a group that has seats for all: the pod is of another generation. */
bool skr_membership_is_of_another(const struct group *g, const struct pod_entry *p);
/* Appends what n such pods wait for. */
void skr_membership_say_another(const struct group *g, size_t n, struct skr_strbuf *b);
/* Whether g->without has the node. */
bool skr_membership_is_without(const struct group *g, const char *node);
/* The node of a member that stays while newcomers are placed: a bound one, or a planned one that is
 * no newcomer. Else NULL. */
const char *skr_membership_claim_node(const struct group *g, const struct pod_entry *p,
                                      struct pod_entry *const *newcomers, size_t n);
void skr_membership_fini(struct group *g);

#endif
