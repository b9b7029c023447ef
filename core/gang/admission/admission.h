/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_ADMISSION_ADMISSION_H
#define SKR_CORE_GANG_ADMISSION_ADMISSION_H
/*
 * Option kueue.admissionCheck: the daemon is the controller of AdmissionChecks of Kueue with
 * controllerName sakkara/placement. A Workload with reserved quota is admitted once its pods would be
 * placed.
 *
 *   AdmissionCheck       condition Active: True
 *   Workload that waits  its turn -> read -> tried (admission_trial.h) -> one patch of its status:
 *     Ready              Kueue admits it
 *     Retry              Kueue releases its quota and tries again at the forecast of the group, after 30
 *                        to 600 s; without a forecast after 30 s, doubling to 600 s
 *     Rejected           Kueue deactivates it
 *
 * - One Workload is in work at a time, oldest first, and at most SKR_ADMISSION_A_SECOND answers leave in
 *   a second. A Workload is read when its turn comes, so that only its name is cached before.
 * - The checks of other controllers come first: one that buys nodes changes the answer of this one.
 * - Kueue counts the answers Retry of a Workload, so the pauses go on after a restart.
 * - A Workload that does not fit while bound pods terminate is tried again for SKR_ADMISSION_LEAVING_S.
 * - A check is never changed once the Workload is admitted: Kueue would evict it.
 *
 * The patch has uid and resourceVersion: an answer never meets another version than the one it is about.
 */
#include "core/gang/state/gang.h"
#include "core/gang/state/solve_request.h"
#include "core/group/kueue.h"

enum {
    SKR_ADMISSION_WAITING_MAX = 10000, /* Workloads; further ones wait until they change */
    SKR_ADMISSION_A_SECOND = 10,
    SKR_ADMISSION_LEAVING_S = 30,
};

void skr_admission_workload_upsert(struct skr_gang *e,
                                   struct skr_kueue_workload *workload); /* taken */
/* An object of Kueue; false: of another type. */
bool skr_admission_delete(struct skr_gang *e, const struct skr_object_type *type,
                          const char *namespace_, const char *name);

/* After every event: one step further, while this process leads. */
void skr_admission_run(struct skr_gang *e);
void skr_admission_written(struct skr_gang *e, const struct skr_pending_write *w,
                           struct skr_event *ev);
/* Whether the solve was one of a trial. */
bool skr_admission_solved(struct skr_gang *e, const struct skr_solve_request *solved);
/* Leadership is lost: what is in work is forgotten, and waits for its turn again. */
void skr_admission_stop(struct skr_gang *e);
void skr_admission_fini(struct skr_gang *e);

#endif
