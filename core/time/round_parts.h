/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_TIME_ROUND_PARTS_H
#define SKR_CORE_TIME_ROUND_PARTS_H
/* What the files of a round share. Private to core/time. */
#include "core/time/round.h"

static inline const struct skr_problem *skr_round_problem(const struct skr_round_group *g)
{
    return g->question.problem;
}

/* ---- round_holds.c ---- */

/* Puts the place on the timeline; takes it off. SKR_LIMIT. */
int skr_round_hold(struct skr_round *r, struct skr_round_group *g, struct skr_error *error);
void skr_round_let_go(struct skr_round *r, struct skr_round_group *g);
/* Takes the place and the start of an answer; nothing is held yet. */
void skr_round_take(struct skr_round *r, struct skr_round_group *g, const struct skr_start *start,
                    enum skr_round_state state);
/* The same, held as a reservation. */
int skr_round_reserve(struct skr_round *r, struct skr_round_group *g, const struct skr_start *start,
                      enum skr_round_state state, struct skr_error *error);
/* Whether the group may ever have a member there. */
bool skr_round_may_be_on(const struct skr_problem *p, int32_t leaf);
/* Whether a group may hold a reservation beside those that groups before it hold. *ret_new: one of
 * these is not a stored one. */
bool skr_round_may_hold(const struct skr_round *r, size_t i, bool *ret_new);
/* Bits of leaves on which something is promised beyond that instant. free() it. */
uint64_t *skr_round_promised(const struct skr_round *r, const struct skr_problem *p, int64_t from);
/* For drains, which need no room before their guess: whether the place is free of what other groups
 * hold, whatever runs there. Where something is promised, what runs counts. */
int skr_round_place_beside(struct skr_round *r, const struct skr_round_group *g, int64_t at,
                           const int32_t *count, struct skr_start *ret, struct skr_error *error);

/* ---- round_stored.c ---- */

/* Puts the stored reservation of group i on the timeline if it stands. */
int skr_round_restore(struct skr_round *r, size_t i, struct skr_error *error);

/* ---- round_failed.c ---- */

/* Whether the group cannot start now because another one could not. */
bool skr_round_is_proven(const struct skr_round *r, const struct skr_round_group *g);
/* It cannot. Forget all of them (n_failed) when room comes. */
void skr_round_note_failed(struct skr_round *r, const struct skr_round_group *g);

#endif
