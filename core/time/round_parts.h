/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_TIME_ROUND_PARTS_H
#define SKR_CORE_TIME_ROUND_PARTS_H
/* What the files of a round share. Private to core/time. */
#include "core/time/round.h"

static inline const struct skr_problem *skr_round_problem(const struct skr_round_group *g)
{
    return g->question.problem;
}

/* Whether a reservation of that start is near enough. */
static inline bool skr_round_is_near(const struct skr_round *r, int64_t start)
{
    return r->horizon == 0 || start <= skr_instant_plus(skr_timeline_now(r->timeline), r->horizon);
}

/* It was promised a start, and has not itself given that up. */
static inline bool skr_round_had_promise(const struct skr_round_group *g)
{
    return g->stored && !g->stored->written && g->lost != SKR_MOVED_USER;
}

/* ---- round_holds.c ---- */

/* Puts the place on the timeline; takes it off. SKR_LIMIT. */
int skr_round_hold(struct skr_round *r, struct skr_round_group *g, struct skr_error *error);
void skr_round_let_go(struct skr_round *r, struct skr_round_group *g);
/* Takes the place and the start of an answer; nothing is held yet. */
void skr_round_take(struct skr_round *r, struct skr_round_group *g, const struct skr_start *start,
                    enum skr_round_state state);
/* Whose end makes the room of its place; of a drain whose end is guessed. UINT32_MAX: none. */
uint32_t skr_round_because(const struct skr_round *r, const struct skr_round_group *g);
/* The same, held as a reservation. */
int skr_round_reserve(struct skr_round *r, struct skr_round_group *g, const struct skr_start *start,
                      enum skr_round_state state, struct skr_error *error);
/* Whether the group may ever have count members there, >= 1; with roles: one member. */
bool skr_round_may_be_on(const struct skr_problem *p, int32_t leaf, int32_t count);
/* SKR_MOVED_NOT: group i may hold a reservation beside those that groups before it hold; else why it
 * may not. */
enum skr_move_cause skr_round_may_not_hold(const struct skr_round *r, size_t i);
/* Bits of leaves on which something is promised beyond that instant. free() it. */
uint64_t *skr_round_promised(const struct skr_round *r, const struct skr_problem *p, int64_t from);
/* [leaf] members of the group: those that run, and these. free() it. */
int32_t *skr_round_count(const struct skr_round_group *g, const struct skr_place_leaf *at,
                         size_t n);
/* The answer at that start, or now if it has passed, with these members; count NULL: anywhere.
 * drain: it needs no room before its guess, so the place is to be free of what other groups hold,
 * whatever runs there. Where something is promised, what runs counts. */
int skr_round_place_again(struct skr_round *r, const struct skr_round_group *g, bool drain,
                          int64_t start, const int32_t *count, struct skr_start *ret,
                          struct skr_error *error);

/* ---- round_forecasts.c ---- */

/* No group has an answer yet. */
void skr_round_clear(struct skr_round *r);
/* Of the first groups without an answer, as many as the round has forecasts. */
int skr_round_forecast_all(struct skr_round *r, struct skr_error *error);

/* ---- round_stored.c ---- */

/* Puts the stored reservation of group i on the timeline if it stands. */
int skr_round_restore(struct skr_round *r, size_t i, struct skr_error *error);

/* ---- round_failed.c ---- */

/* Whether a placement of n members stays one without some of them. */
bool skr_round_is_closed_downward(const struct skr_problem *p);
/* Whether the group cannot start now because another one could not. */
bool skr_round_is_proven(const struct skr_round *r, const struct skr_round_group *g);
/* An instant before which the group cannot start, by the forecasts of others; SKR_INSTANT_NEVER: it
 * has no start. */
int64_t skr_round_known_from(const struct skr_round *r, const struct skr_round_group *g);
/* It cannot. Forget all of them (n_failed) when room comes. */
void skr_round_note_failed(struct skr_round *r, const struct skr_round_group *g);

#endif
