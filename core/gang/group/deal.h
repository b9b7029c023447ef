/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_DEAL_H
#define SKR_CORE_GANG_GROUP_DEAL_H
/* The seats of skr_assign() while it deals ranks (role_ranks.c), then places (role_places.c). */
#include "core/gang/group/assign.h"
#include "core/gang/group/known_ranks.h"
#include "topology/base/arena.h"

/* A used leaf, or a unit with a new set. */
struct near {
    int32_t at, distance;
};

struct deal {
    const struct skr_tree *tree;
    struct skr_rank_layout layout;
    bool alike; /* one role without sets: an index may be a rank */
    struct skr_arena *arena;
    struct skr_seat *seat;
    size_t n_seats; /* gone ones included */
    struct skr_known_ranks known;
    bool fresh; /* no member is claimed */

    struct skr_seat **newcomer; /* in rank order */
    size_t n_newcomers;
    struct skr_seat **claimed;
    size_t n_claimed;

    struct skr_rank_position *position; /* [n_positions] */
    size_t n_positions;
    size_t start[SKR_ROLES_MAX];      /* where the role begins, in set 0 */
    size_t stride[SKR_SET_KINDS_MAX]; /* members of one set */
    const struct skr_seat *named;     /* the master by its name; NULL: no name says so */
    size_t master;                    /* its position, which moved to the front; SIZE_MAX: none */
    size_t n_ranks;                   /* bound of all ranks that are given */
    bool *held;                       /* [n_ranks] */
    size_t *first; /* [n_positions] the next free rank is looked for from here, by first position */

    int32_t *places[SKR_ROLES_MAX]; /* [leaf] new members of the role */
    struct near *leaf;              /* used leaves, in the order in which they are filled */
    size_t n_leaves;
    int32_t anchor;
};

/* Lays out the positions. false: out of memory, as below. */
bool skr_role_ranks_begin(struct deal *d);
/* Newcomers and claimed members are split: gives ranks to those without one. Newcomers are in the
 * order of their ranks afterwards. */
bool skr_role_ranks_give(struct deal *d);
/* Newcomers are in the order of their ranks. Errors: SKR_NO_MEMORY; SKR_BUG if counts do not match
 * the seats. */
int skr_role_places_take(struct deal *d, const struct skr_role_counts *counts,
                         struct skr_error *error);

#endif
