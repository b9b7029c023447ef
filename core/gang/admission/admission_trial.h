/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_ADMISSION_ADMISSION_TRIAL_H
#define SKR_CORE_GANG_ADMISSION_ADMISSION_TRIAL_H
/*
 * Whether the pods of a Workload of Kueue would be placed now, before they exist.
 *
 * A trial has a group that is in no table, with a member for each pod: pods of the templates, with the
 * labels and tolerations of their flavors and what other checks add. The group has the rules that the
 * real one will have. Its problem is solved like any other. Nothing else sees the group, and nothing is
 * reserved.
 *
 * A pod set is a role. Pod sets that are gangs of their own (labels of different groups, scope
 * replicatedjob, a JobSet that starts its jobs in order) are solved one after the other. The group of a
 * derived entry has the number of pods as its minimum, unless the template says it.
 *
 * Not tried, and therefore Ready: pods of other schedulers or outside gangs, pods on nodes that Kueue has
 * chosen, gangs of which the Workload is only a part, sets (constraints.sets) of jobs.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"
#include "core/group/kueue.h"

struct admission_trial;
/* workload: waits; outlives the trial. */
struct admission_trial *skr_admission_trial_create(struct skr_gang *e,
                                                   const struct skr_kueue_workload *workload);
void skr_admission_trial_destroy(struct skr_gang *e, struct admission_trial *t); /* NULL allowed */
/* The next solve. NULL: there is a verdict. O(pods + nodes). */
struct skr_solve_request *skr_admission_trial_next(struct skr_gang *e, struct admission_trial *t);
/* The solve of skr_admission_trial_next() has ended. */
void skr_admission_trial_solved(struct skr_gang *e, struct admission_trial *t,
                                const struct skr_solve_request *request);
/* With verdict RETRY: the group that has no room now; borrowed. NULL: the obstacle is another. */
struct group *skr_admission_trial_lacks_room(const struct admission_trial *t);
/* *text: why; borrowed from the trial. RETRY: not now. REJECTED: not in this cluster, or the annotations
 * are malformed. PENDING: not known yet, to be tried again. */
enum skr_kueue_state skr_admission_trial_verdict(const struct admission_trial *t,
                                                 const char **text);
/* The list podSetUpdates of a Ready answer, a new reference: what the pods lack to be the gang that was
 * tried. */
json_t *skr_admission_trial_updates(const struct admission_trial *t);

#endif
