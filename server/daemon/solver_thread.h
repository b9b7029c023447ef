/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_SOLVER_THREAD_H
#define SKR_SERVER_DAEMON_SOLVER_THREAD_H
/*
 * The solver thread: runs one problem after the other, in the order they were handed over. A
 * problem is an immutable copy, so nothing is shared with the engine but the cancel flag. Every
 * request yields exactly one result, cancelled or not, until the thread is stopped.
 */
#include "core/gang/action.h"
#include "topology/base/error.h"

struct skr_solver_thread;

/* solution: owned by the callee, NULL with error. took_ns: wall time of the solve. The request
 * passes to the callee too, which destroys it when its solution is used up. Runs on the solver
 * thread. */
typedef void skr_solver_done(void *context, struct skr_solve_request *request,
                             struct skr_solution *solution, const struct skr_error *error,
                             int64_t took_ns);

/* NULL with error when no thread can be had. */
struct skr_solver_thread *skr_solver_thread_create(skr_solver_done *done, void *context,
                                                   struct skr_error *error);
/* Takes the request. Any thread; never blocks. */
void skr_solver_thread_post(struct skr_solver_thread *thread, struct skr_solve_request *request);
/* Sets the cancel flag of a request that waits or runs; others: nothing happens. Any thread. */
void skr_solver_thread_cancel(struct skr_solver_thread *thread, uint64_t id);
/* Cancels what runs, waits for its result, drops what waits, joins, frees. NULL allowed. */
void skr_solver_thread_destroy(struct skr_solver_thread *thread);

#endif
