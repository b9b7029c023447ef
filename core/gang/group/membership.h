/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_MEMBERSHIP_H
#define SKR_CORE_GANG_GROUP_MEMBERSHIP_H
/* Who belongs to a group and who holds one of its seats; generations. */
#include "core/gang/state/groups.h"

void skr_membership_changed(struct group *g); /* seats are dealt anew at the next update */
/* A bound member has Succeeded: newcomers of other controllers are of the next generation. */
void skr_membership_note_success(struct group *g);
/* It ended just now: it counts for the end of its generation. */
void skr_membership_count_success(struct group *g, struct pod_entry *p);
/* No member lives, and as many as the group's size have Succeeded, or those that have are all that is
 * left of it. Stands until somebody lives. */
bool skr_membership_is_finished(const struct group *g);
/* Seats of a running group whose members have Succeeded, and that nobody is there to take. */
size_t skr_membership_done(const struct group *g);
void skr_membership_start(
    struct group *g); /* the next generation: what the last one did is forgotten */
/* Of an earlier life: the object's status was Finished; members that its rank (NULL: none) names and
 * that have Succeeded. */
void skr_membership_restore_end(struct skr_gang *e, struct group *g, bool finished,
                                const char *rank);
/* The seat of a lost member is taken, before seats are dealt anew. */
void skr_membership_seat(struct pod_entry *p);
void skr_membership_unseat(struct pod_entry *p);
void skr_membership_update(struct skr_gang *e,
                           struct group *g); /* counts; seats when they are dirty */
int32_t skr_membership_size(
    const struct group *g); /* of an open group the least; 0 without a spec */
/* How many there are for people: the size; of an open group all members, the least at least. */
size_t skr_membership_seats(const struct group *g);
/* Newcomers without whom there is no plan: what a group that does not run lacks, else one. */
size_t skr_membership_least(const struct group *g);
/* Newcomers that are tried now, by (created, name); array to free(). */
struct pod_entry **skr_membership_plannable(struct skr_gang *e, struct group *g, size_t *ret_n);
struct pod_entry *skr_membership_oldest(const struct group *g); /* live; NULL: none */
/* It may have a seat that a member of the running generation left. */
bool skr_membership_may_replace(const struct group *g, const struct pod_entry *p);
bool skr_membership_is_beyond(const struct group *g, const struct pod_entry *p);
/* Members of the group that stay where they are while newcomers are placed: bound ones, and planned
 * ones that are no newcomers. Node or NULL. */
const char *skr_membership_claim_node(const struct group *g, const struct pod_entry *p,
                                      struct pod_entry *const *newcomers, size_t n);
void skr_membership_fini(struct group *g);

#endif
