/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_TIME_MOVES_H
#define SKR_CORE_TIME_MOVES_H
/*
 * Moves: the running groups that go elsewhere so that a waiting group fits. A set of groups is valid
 * if, with their members taken away, the waiting group and every group of the set, whole and under its
 * rules, are placed at once, and all that is reserved stands.
 *
 * Of all valid sets the answer is the one with the fewest groups, then the fewest members, then the
 * names that come first. The waiting group gets its best placement for which the rest can be placed,
 * then each group of the set, in order, the best that lets those behind it be placed.
 *
 * A set is tried in all orders of one group after the other, then by a search over placements
 * (core/time/placements.h) within a budget of steps.
 */
#include "core/time/place.h"
#include "core/time/placements.h"

enum {
    SKR_MOVES_MOST = 3,            /* groups that move together */
    SKR_MOVES_MEMBERS_MAX = 1000,  /* of them, together */
    SKR_MOVES_SETS_MAX = 1 << 16,  /* sets of one size */
    SKR_MOVES_STEPS_MAX = 1 << 24, /* runs of the solver times leaves */
};
/* Added to a group's number in the timeline: what it takes after a move. */
#define SKR_MOVED_OWNER ((uint32_t)1 << 31)

/* A group that runs and may move. */
struct skr_move_candidate {
    struct skr_start_question question; /* of all its members, none of them placed */
    uint32_t owner;         /* its number in the timeline, where the ends of its pods have it */
    struct skr_place place; /* what it takes now */
    int32_t members;        /* that run */
    size_t order;           /* among groups that move */
};

enum skr_moves_status {
    SKR_MOVES_NONE,      /* proven: no set helps */
    SKR_MOVES_NOT_FOUND, /* the budget ended before one was found or excluded */
    SKR_MOVES_FOUND
};

struct skr_moves {
    struct skr_timeline *timeline; /* without what is held for the waiting group */
    struct skr_solver_cache *cache;
    const struct skr_start_question *question; /* of the waiting group */
    uint32_t owner;
    const int32_t *running;                     /* [leaf] its members that run; NULL: none */
    const struct skr_move_candidate *candidate; /* [n], by name */
    size_t n;
    int32_t most;  /* groups that move together, 1 .. SKR_MOVES_MOST */
    int64_t steps; /* < 0: SKR_MOVES_STEPS_MAX */

    /* The answer. */
    enum skr_moves_status status;
    bool exact; /* FOUND: every set before it is proven not to help, and no placement is better */
    size_t n_moved;
    size_t moved[SKR_MOVES_MOST];        /* candidates, by name */
    struct skr_place at;                 /* of the waiting group */
    struct skr_place to[SKR_MOVES_MOST]; /* of moved[i] */
};

/* Takes the group away from now on: its room is there, and its ends make none.
 * skr_place_let_go(&candidate->place, timeline, candidate->owner) undoes it. SKR_LIMIT. */
int skr_moves_take_away(struct skr_timeline *timeline, const struct skr_move_candidate *candidate,
                        struct skr_error *error);
/* The timeline is afterwards what it was. Errors: those of skr_solve(); SKR_LIMIT: it is full. */
int skr_moves_find(struct skr_moves *moves, struct skr_error *error);
void skr_moves_fini(struct skr_moves *moves);

#endif
