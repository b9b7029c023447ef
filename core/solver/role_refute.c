/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of no: see role_refute.h. */
#include "core/solver/role_refute.h"

#include <stdlib.h>

#include "core/solver/role_variant.h"
#include "topology/room.h"

/* Subsets times leaves up to which all subsets of the roles are looked at. */
#define SUBSET_LEAVES_MAX ((int64_t)1 << 21)

/* ---- room ---- */

struct room {
    const struct skr_problem *problem;
    uint8_t *takes;               /* [leaf] bit r: it takes new members of role r */
    int64_t least[SKR_ROLES_MAX]; /* new members of the role, at its minimum */
};

static bool room_init(struct room *room, const struct skr_problem *problem)
{
    const struct skr_roles *roles = problem->roles;
    size_t n_leaves = (size_t)problem->tree->n_leaves;
    *room = (struct room){.problem = problem};
    room->takes = calloc(n_leaves + 1, sizeof *room->takes);
    for (size_t r = 0; r < roles->n_roles && room->takes; r++) {
        const struct skr_role *role = &roles->role[r];
        room->least[r] = role->minimum;
        for (int32_t leaf = 0; leaf < problem->tree->n_leaves; leaf++) {
            room->least[r] -= role->claimed ? role->claimed[leaf] : 0;
            if (skr_role_takes(role, leaf)) {
                room->takes[leaf] |= (uint8_t)(1U << r);
            }
        }
        room->least[r] = room->least[r] > 0 ? room->least[r] : 0;
    }
    return room->takes;
}

/* The least that a new member of the roles needs of a resource. */
static int64_t least_demand(const struct skr_roles *roles, uint32_t mask, size_t d)
{
    int64_t least = INT64_MAX;
    for (size_t r = 0; r < roles->n_roles; r++) {
        if ((mask >> r & 1) != 0 && roles->role[r].demand[d] < least) {
            least = roles->role[r].demand[d];
        }
    }
    return least;
}

/* Whether the new members of the roles are too many or too large for the leaves that take any. */
static bool lacks_room(const struct room *room, uint32_t mask)
{
    const struct skr_problem *problem = room->problem;
    const struct skr_roles *roles = problem->roles;
    size_t n_resources = problem->n_resources;
    int64_t members = 0;
    int64_t slots = 0;
    for (size_t r = 0; r < roles->n_roles; r++) {
        members += (mask >> r & 1) != 0 ? room->least[r] : 0;
    }
    for (int32_t leaf = 0; leaf < problem->tree->n_leaves && slots < members; leaf++) {
        const int64_t *free = problem->free + (size_t)leaf * n_resources;
        uint32_t taken = mask & room->takes[leaf];
        int64_t fits = taken != 0 ? members : 0;
        for (size_t d = 0; d < n_resources && fits > 0; d++) {
            const int64_t demand = least_demand(roles, taken, d);
            fits = skr_room_holds_all(&free[d], &demand, 1, fits);
        }
        slots += fits;
    }
    bool lacks = slots < members;
    for (size_t d = 0; d < n_resources && !lacks; d++) {
        int64_t need = 0;
        int64_t has = 0;
        for (size_t r = 0; r < roles->n_roles; r++) {
            if ((mask >> r & 1) != 0) {
                need = skr_amount_sum(need,
                                      skr_amount_times(room->least[r], roles->role[r].demand[d]));
            }
        }
        for (int32_t leaf = 0; leaf < problem->tree->n_leaves && has < need; leaf++) {
            int64_t free = problem->free[(size_t)leaf * n_resources + d];
            has = free > 0 && (mask & room->takes[leaf]) != 0 ? skr_amount_sum(has, free) : has;
        }
        lacks = has < need;
    }
    return lacks;
}

bool skr_role_lacks_room(const struct skr_problem *problem)
{
    struct room room;
    uint32_t all = (UINT32_C(1) << problem->roles->n_roles) - 1;
    bool every = (int64_t)all * problem->tree->n_leaves <= SUBSET_LEAVES_MAX;
    bool lacks = false;
    bool done = room_init(&room, problem);
    for (uint32_t mask = 1; done && mask <= all && !lacks; mask++) {
        if (every || mask == all || (mask & (mask - 1)) == 0) {
            lacks = lacks_room(&room, mask);
        }
    }
    free(room.takes);
    return lacks;
}

/* ---- equal members ---- */

/* Whether the members have no placement even if each needs the least that one of them does. */
static bool refuted_as_equal(const struct skr_problem *problem, int64_t *steps)
{
    const struct skr_roles *roles = problem->roles;
    const uint32_t all = (UINT32_C(1) << roles->n_roles) - 1;
    const size_t n_leaves = (size_t)problem->tree->n_leaves;
    struct skr_role_variant v;
    int64_t *demand = calloc(problem->n_resources + 1, sizeof *demand);
    uint8_t *eligible = calloc(n_leaves + 1, sizeof *eligible);
    int32_t *claimed = calloc(n_leaves + 1, sizeof *claimed);
    bool refuted = false;
    if (demand && eligible && claimed) {
        struct skr_role one = {
            .name = "all", .demand = demand, .eligible = eligible, .claimed = claimed};
        for (size_t r = 0; r < roles->n_roles; r++) {
            const struct skr_role *role = &roles->role[r];
            one.n += role->n;
            one.minimum += role->minimum;
            for (int32_t leaf = 0; leaf < problem->tree->n_leaves; leaf++) {
                eligible[leaf] |= skr_role_takes(role, leaf) ? 1 : 0;
                claimed[leaf] += role->claimed ? role->claimed[leaf] : 0;
            }
        }
        for (size_t d = 0; d < problem->n_resources; d++) {
            demand[d] = least_demand(roles, all, d);
        }
        skr_role_variant_init(&v, problem);
        v.role[0] = one;
        v.roles.n_roles = 1;
        v.roles.n_kinds = v.roles.n_caps = v.roles.n_bounds = 0;
        refuted = skr_role_feasible(&v.problem, steps) == SKR_ROLE_INFEASIBLE;
    }
    free(demand);
    free(eligible);
    free(claimed);
    return refuted;
}

/* ---- some roles ---- */

static enum skr_role_verdict refute_by_roles(const struct skr_problem *problem, int64_t *steps)
{
    const size_t n_roles = problem->roles->n_roles;
    const int64_t share = *steps / 8;
    for (size_t a = 0; a < n_roles; a++) {
        for (size_t b = 0; b <= a; b++) {
            struct skr_role_variant v;
            if (n_roles <= 2 && (a != b || n_roles == 1)) {
                continue; /* that is the problem itself */
            }
            skr_role_variant_init(&v, problem);
            skr_role_variant_keep_roles(&v, UINT32_C(1) << a | UINT32_C(1) << b);
            int64_t left = share < *steps ? share : *steps;
            int64_t before = left;
            enum skr_role_verdict verdict = skr_role_feasible(&v.problem, &left);
            *steps -= before - left;
            if (verdict == SKR_ROLE_INFEASIBLE || verdict == SKR_ROLE_CANCELLED) {
                return verdict;
            }
        }
    }
    return SKR_ROLE_BEYOND;
}

enum skr_role_verdict skr_role_refute(const struct skr_problem *problem, int64_t *steps)
{
    if (skr_role_lacks_room(problem) || refuted_as_equal(problem, steps)) {
        return SKR_ROLE_INFEASIBLE;
    }
    return refute_by_roles(problem, steps);
}

enum skr_role_verdict skr_role_decide(const struct skr_problem *problem, int64_t *steps)
{
    enum skr_role_verdict verdict =
        skr_role_lacks_room(problem) ? SKR_ROLE_INFEASIBLE : skr_role_feasible(problem, steps);
    return verdict == SKR_ROLE_BEYOND ? skr_role_refute(problem, steps) : verdict;
}
