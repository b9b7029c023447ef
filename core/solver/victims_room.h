/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_VICTIMS_ROOM_H
#define SKR_CORE_SOLVER_VICTIMS_ROOM_H
/*
 * The room of a problem without some victims. From set to set only the leaves that differ are
 * computed again. Internal to victims.c and victims_search.c.
 */
#include "core/solver/sizes.h"
#include "core/solver/victims_problem.h"

struct skr_victims_room {
    const struct skr_victims_problem *in;
    struct skr_problem problem; /* in's, with free as it is now, nothing explained */
    /* Equal members that fit if the whole problem fits: the problem's own, or those of the role with
     * the least room. free is in's. Their slots bound what evictions gain. */
    struct skr_problem bound;
    int64_t *free;
    size_t *table; /* [leaf] the first of its tables, + 1; 0: none; NULL: there are no tables */
    uint8_t *gone; /* [victim] */
    size_t *gone_list;
    size_t n_gone;
    uint8_t *wanted; /* [victim] working space */
    /* Leaves whose free has changed since sizes was updated. */
    uint8_t *marked;
    int32_t *changed;
    int32_t n_changed;
    struct skr_sizes_pool *pool;
    struct skr_sizes *sizes; /* NULL: every set is solved */
    int32_t *slots;          /* [leaf] new members that fit now, at most n */
    int64_t steps;           /* left */
    int64_t tests, leaves, solves;
};

void skr_victims_room_init(struct skr_victims_room *room, const struct skr_victims_problem *in);
void skr_victims_room_fini(struct skr_victims_room *room);

/* Exactly these victims are gone. */
void skr_victims_room_set(struct skr_victims_room *room, const size_t *victim, size_t n);
/* New members of the bound that the leaf has room for without the victims that are gone, at most
 * its n. */
int32_t skr_victims_room_slots(const struct skr_victims_room *room, int32_t leaf);
/* Whether the problem is feasible without these victims. < 0: an error; -SKR_RETRY: the problem was
 * cancelled. */
int skr_victims_room_fits(struct skr_victims_room *room, const size_t *victim, size_t n, bool *ret,
                          struct skr_error *error);
/* The placement without these victims. */
int skr_victims_room_solve(struct skr_victims_room *room, const size_t *victim, size_t n,
                           enum skr_tie_break tie_break, struct skr_solution **ret,
                           struct skr_error *error);
bool skr_victims_room_is_spent(const struct skr_victims_room *room);

#endif
