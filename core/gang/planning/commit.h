/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLANNING_COMMIT_H
#define SKR_CORE_GANG_PLANNING_COMMIT_H
/* Makes a plan from the solver's answer, or moves stranded members of a plan. Sets nodes, ranks,
 * charges, and the state of the group. */
#include "core/gang/group/assign.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/solve_request.h"

enum { SKR_DEVICE_ROUNDS_MAX = 8 }; /* of SKR_COMMIT_AGAIN in a row; then kube-scheduler decides */

enum skr_commit_outcome {
    SKR_COMMIT_DONE,
    SKR_COMMIT_FAILED, /* seats cannot be dealt, which is logged: the group must not ask again at once */
    SKR_COMMIT_AGAIN, /* devices or volumes do not serve the members: nodes have limits now (vetoes.h) */
    SKR_COMMIT_NO_VOLUMES, /* no placement gives each member its volumes */
};

/* Limits the problem of a group that runs to the places that the newcomers had: by their index, else held
 * seats of their role and set. False: one has none with room, and the problem is as before. */
bool skr_commit_at_home(const struct skr_gang *e, const struct group *g,
                        struct pod_entry *const *newcomers, size_t n,
                        struct skr_solve_request *request);
/* The answer holds on the present ledger. newcomers: those of the solve, in its order; the array is
 * changed, and counts of s if volumes want it. preemption: NULL, or the victims that make the room. */
enum skr_commit_outcome skr_commit_answer(struct skr_gang *e, struct group *g,
                                          struct pod_entry **newcomers, size_t n,
                                          const struct skr_solve_request *solved,
                                          struct skr_solution *s,
                                          const struct skr_solve_request *preemption);
/* No placement was found. True: nodes had limits of SKR_COMMIT_AGAIN, which may be too strict. They have none
 * any more, and kube-scheduler decides about the next answer. */
bool skr_commit_drop_limits(struct skr_gang *e, struct group *g);
/* The seats by the answer: newcomers first, in the given order, then members that stay. free() it; NULL:
 * they cannot be dealt. */
struct skr_seat *skr_commit_seats(struct skr_gang *e, const struct group *g,
                                  struct pod_entry *const *newcomers, size_t n,
                                  const struct skr_solve_request *solved,
                                  const struct skr_solution *s, struct skr_error *error);

#endif
