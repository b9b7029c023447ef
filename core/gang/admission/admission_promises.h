/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_ADMISSION_ADMISSION_PROMISES_H
#define SKR_CORE_GANG_ADMISSION_ADMISSION_PROMISES_H
/*
 * Room that the pods of Workloads will take which were answered Ready and whose groups have no plan yet.
 * It counts against later trials alone, so that two Workloads are not both Ready for the same room. It
 * reserves nothing: plans and ordinary pods do not see it.
 *
 * A promise ends when its group has a plan or runs, when its Workload loses its quota, and after
 * SKR_PROMISE_S at the latest.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"
#include "core/group/kueue.h"

enum {
    SKR_PROMISE_S = 30,      /* from the answer to the plan of its pods */
    SKR_PROMISES_MAX = 1000, /* further ones are not noted */
};

/* The placement of request is promised to the group of the Workload. O(leaves). */
void skr_admission_promises_add(struct skr_gang *e, const struct skr_kueue_workload *workload,
                                const char *group_key, const struct skr_solve_request *request);
/* All promises of the Workload end. */
void skr_admission_promises_end(struct skr_gang *e, const char *workload_key);
/* Takes the promised room from the problem of the request, which is not on its way yet. */
void skr_admission_promises_charge(struct skr_gang *e, const struct skr_solve_request *request);
void skr_admission_promises_fini(struct skr_gang *e);

#endif
