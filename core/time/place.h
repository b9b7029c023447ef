/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_TIME_PLACE_H
#define SKR_CORE_TIME_PLACE_H
/* The place of a group in a plan: new members on leaves, and the room that they take. */
#include "core/solver/roles.h"
#include "core/time/timeline.h"

struct skr_place_leaf {
    int32_t leaf;
    int32_t count; /* new members, >= 1 */
};
struct skr_place_use {
    int64_t amount;
    int32_t leaf;
    uint16_t resource; /* id of the timeline */
};
struct skr_place {
    size_t n; /* in tree order */
    struct skr_place_leaf *at;
    size_t n_uses;
    struct skr_place_use *use;
};

/* That of a placed solution. running: [leaf] members that are there already; NULL: none. */
void skr_place_make(const struct skr_problem *problem, const uint16_t *resource,
                    const struct skr_solution *solution, const int32_t *running,
                    struct skr_place *ret);
void skr_place_fini(struct skr_place *place);
/* The owner holds it in [start, end). SKR_LIMIT: the timeline is full, and has a part of it. */
int skr_place_hold(const struct skr_place *place, struct skr_timeline *timeline, int64_t start,
                   int64_t end, uint32_t owner, struct skr_error *error);
void skr_place_let_go(const struct skr_place *place, struct skr_timeline *timeline, uint32_t owner);
/* Whose end is the last at or before start on the place, by changes of these kinds; of several the
 * smallest number; UINT32_MAX: none. except: its own changes do not count. */
uint32_t skr_place_because(const struct skr_place *place, const struct skr_timeline *timeline,
                           int64_t start, uint32_t kinds, uint32_t except);

#endif
