/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_SOLVE_REQUEST_H
#define SKR_CORE_GANG_STATE_SOLVE_REQUEST_H
/*
 * A problem on its way to the solver and back: the gang scheduler's work. It owns everything it
 * borrows: the struct from skr_alloc(), the arrays in its arena, the tree by a reference.
 *
 * A worker keeps what the solver knows of the last problems (core/solver/cache.h), which come again
 * with few leaves changed. They belong to one tree, whose reference is held until a request brings
 * another. Answers are those of skr_solve().
 */
#include "core/frame/work.h"
#include "core/solver/victims.h"

struct skr_solve_request {
    struct skr_work work; /* first */
    struct skr_problem problem;
    const uint16_t *resource; /* [problem.n_resources] the scheduler's ids, in the arena */
    const char *const
        *resource_name;          /* [problem.n_resources] in the arena: ids may be given anew */
    const struct skr_tree *tree; /* a reference */
    struct skr_arena *arena;
    int32_t
        outside; /* further members of the group that sit on nodes outside the tree: no part of the problem */
    /* The result; problem.cancel is &work.cancel. */
    struct skr_solution *solution; /* NULL with error */
    struct skr_error error;
    /* All members of a group of which some are bound, as if they came now; in the arena, NULL: not asked. Solved when the
     * problem has no placement. moved: the placement of it; NULL: none, or not asked. */
    struct skr_problem *anew;
    struct skr_solution *moved;
    /* A search for victims instead, of this problem; in the arena, NULL: none. */
    struct skr_victims_problem *preemption;
    struct skr_victims *victims; /* its result; NULL with error */
};

extern const struct skr_work_type skr_solve_work;

/* Of a work of this type. */
struct skr_solve_request *skr_solve_request_of(struct skr_work *work);
/* An empty one of the type; its arena and what is in it are the caller's to fill in. */
struct skr_solve_request *skr_solve_request_create(void);
void skr_solve_request_destroy(struct skr_solve_request *request); /* NULL allowed */

#endif
