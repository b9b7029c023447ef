/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_GENERATION_H
#define SKR_CORE_GANG_GROUP_GENERATION_H
/*
 * Generations of a group. Pods of two generations never run in one gang. While members of one run,
 * pods of the next wait without a seat. Which generation a pod is of:
 *
 *   map, labels, x-k8s  its controller: another Job is another generation; after a success so is
 *                       any other controller. Pods of a JobSet have one controller: its attempt
 *   workload            what its row says: core/group/workload.h
 *   native PodGroup     pods name their PodGroup, which may be deleted and made again. Times decide:
 *                       a member that was bound before the PodGroup was created is of an earlier
 *                       one, and a pod that was created after it is of this one. A pod that waited
 *                       before may be of both.
 */
#include "core/gang/state/groups.h"
#include "topology/base/strbuf.h"

/* ---- which pods ---- */

/* The generation that runs, or that a plan begins. The member is of it. */
void skr_generation_join(const struct skr_gang *e, struct group *g, const struct pod_entry *p);
void skr_generation_reset(struct group *g); /* none runs */
bool skr_generation_has_begun(const struct group *g);
/* The one that a group of a workload begins with: of its youngest member that has one, because the
 * others are going. Appends nothing: any. O(members). */
void skr_generation_youngest(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);
/* Whether the pod may be of this one; "": of any. */
bool skr_generation_may_be(const struct skr_gang *e, const struct group *g,
                           const struct pod_entry *p, const struct skr_strbuf *generation);
/* Whether it may take a seat that a member of the running generation left. */
bool skr_generation_may_replace(const struct skr_gang *e, const struct group *g,
                                const struct pod_entry *p);
/* Whether members run that were bound before the group's native PodGroup was created. O(members). */
bool skr_generation_is_earlier(const struct group *g);

/* ---- its end ---- */

/* Members of its size that are not made again: others have Succeeded in their place. A Job says how many
 * pods it still makes; other controllers make none again that has Succeeded. Fills ended of the
 * generation, and of the roles of key roles. O(members), or O(n log n) for several controllers. */
void skr_generation_count_ended(const struct skr_gang *e, struct group *g);
/* No member runs, and a newcomer has the controller of one that has Succeeded: it is a replacement.
 * False for derived groups, whose pods say their generation. O(members). */
bool skr_generation_goes_on(const struct skr_gang *e, const struct group *g);
/* Whether members that are missing are made again though none runs: the workload's object says so, or, if
 * it is not known, a newcomer. O(members). */
bool skr_generation_is_made_again(const struct skr_gang *e, const struct group *g);
/* Members once all are made, where some are made only after others run: the workers of a LeaderWorkerSet. 0: all are
 * made at once. */
size_t skr_generation_later_size(const struct group *g);
/* The workload of a member of any group is read from now on. */
void skr_generation_read_owner(struct skr_gang *e, struct group *g, const struct pod_entry *p);

/* A bound member has Succeeded: newcomers of other controllers belong to the next generation. */
void skr_generation_note_success(struct group *g);
/* It has just Succeeded: counts for the end of its generation. */
void skr_generation_count_success(struct group *g, struct pod_entry *p);
/* Members were counted; size: of the group. */
void skr_generation_note_end(const struct skr_gang *e, struct group *g, size_t size);
/* No member lives, and the group is done: as many as its size have Succeeded, or all that are left
 * of it, or its workload has ended, well or not. True until a new member lives. */
bool skr_generation_is_finished(const struct group *g);
void skr_generation_start(struct group *g); /* the next one: forgets results of the last */
/* Of those that have Succeeded in a run that may go on, how many pods are gone. O(members). */
size_t skr_generation_cleared(const struct group *g);
/* From an earlier process: whether the object's status was Finished, what skr_generation_cleared() was, and
 * the members that its rank (NULL: none) names: they ran, and some have Succeeded. */
void skr_generation_restore_end(struct skr_gang *e, struct group *g, bool finished, size_t cleared,
                                const char *rank);

#endif
