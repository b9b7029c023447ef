/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_SOLVE_REQUEST_H
#define SKR_CORE_GANG_STATE_SOLVE_REQUEST_H
/*
 * A problem on its way to the solver and back: the work of the gang scheduler. A request owns all
 * it points to: the struct from skr_alloc(), the arrays in its arena, the tree by a reference.
 *
 * A worker caches what the solver found out about recent problems (core/solver/cache.h), which
 * recur with few leaves changed. All of them use one tree; its reference is held until a request
 * brings another tree. Answers are those of skr_solve().
 */
#include "core/frame/work.h"
#include "core/solver/cache.h"
#include "core/solver/each_role.h"
#include "core/solver/victims.h"

/* The role of the group that a role of the problem is, if the members are equal. */
enum { SKR_ROLE_OF_ALL = UINT8_MAX - 1 };

/* Roles of a problem, as roles of the group. */
struct skr_request_roles {
    size_t n;
    uint8_t role[SKR_ROLES_MAX]; /* the role of the group, by role of the problem */
    /* [leaf] of its claims: members of running sets that are missing, and have no newcomer */
    const int32_t *missing[SKR_ROLES_MAX];
    uint8_t kind[SKR_SET_KINDS_MAX]; /* the set kind of the group, by kind of the problem */
};

/* Drivers whose volumes nodes attach up to a limit: their numbers in core/gang/cache/volumes.h. */
enum { SKR_PROBLEM_DRIVERS_MAX = 8 };
struct skr_problem_drivers {
    size_t n;
    uint16_t driver[SKR_PROBLEM_DRIVERS_MAX];
};

/* Rules that keep the users of a claim together have names that begin so. */
#define SKR_RULE_OF_CLAIM "ResourceClaim "

struct skr_solve_request {
    struct skr_work work; /* must be first */
    struct skr_problem problem;
    const uint16_t *resource; /* [problem.n_resources] the scheduler's ids, in the arena */
    const char *const
        *resource_name; /* [problem.n_resources] in the arena: ids may be reassigned */
    /* The last ones before those of n_learned: volumes of these drivers. */
    struct skr_problem_drivers drivers;
    /* The last ones of them are no resources but what kube-scheduler's refusals have taught (vetoes.h): of
     * one role of the group each, or one of all members. */
    size_t n_learned;
    const struct skr_tree *tree; /* a reference */
    struct skr_arena *arena;
    const struct skr_request_roles *roles; /* in the arena; of equal members: one role, of all */
    bool pinned;                           /* some newcomers are claims on given nodes */
    int32_t outside; /* further members on nodes outside the tree: not part of the problem */
    /* The result; problem.cancel is &work.cancel. */
    struct skr_solution *solution; /* NULL with error */
    struct skr_error error;
    /* All members of a partly bound group, as if none were bound; in the arena, NULL: not
     * requested. Solved when the problem has no placement. moved: its placement; NULL: none, or not
     * requested. */
    struct skr_problem *anew;
    struct skr_solution *moved;
    /* No placement, because of users of a claim that go to one leaf or region, and none if all leaves were
     * empty. */
    bool claim_never;
    /* A search for victims instead of this problem; in the arena, NULL: none. */
    struct skr_victims_problem *preemption;
    struct skr_victims *victims; /* its result; NULL with error */
    /* Something else instead of this problem, with what it needs; NULL: nothing. tree is set. */
    void (*other)(void *input, struct skr_solver_cache *cache);
    void (*destroy_other)(void *input);
    void *input;
};

extern const struct skr_work_type skr_solve_work;

/* The role of the problem that members with this role of the group are; -1: it has none of them. */
static inline int32_t skr_request_role_of(const struct skr_solve_request *request,
                                          uint8_t group_role)
{
    for (size_t r = 0; r < request->roles->n; r++) {
        const uint8_t role = request->roles->role[r];
        if (role == group_role || role == SKR_ROLE_OF_ALL) {
            return (int32_t)r;
        }
    }
    return -1;
}

/* The request that contains this work. */
struct skr_solve_request *skr_solve_request_of(struct skr_work *work);
/* An empty request, of equal members; the caller fills its arena. */
struct skr_solve_request *skr_solve_request_create(void);
void skr_solve_request_destroy(struct skr_solve_request *request); /* NULL allowed */

#endif
