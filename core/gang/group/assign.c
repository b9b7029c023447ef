/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assigns seats: see assign.h.
 *
 * Ranks (role_ranks.c):
 *   1. the positions of the rank order, each with its role and set
 *   2. claimed members without a rank get free ranks of their role and set
 *   3. newcomers get ranks
 * Places (role_places.c):
 *   4. units for the sets that none of the running members is in
 *   5. newcomers, in the order of their ranks, take the places of their role: in the unit of their
 *      set, in the order of leaves
 *
 * All sort keys differ between pods (names are unique in a namespace), so the order of the input
 * decides nothing.
 */
#include "core/gang/group/assign.h"

#include "core/gang/group/deal.h"

static int split_seats(struct deal *d, struct skr_error *error)
{
    d->newcomer = skr_arena_array(d->arena, d->n_seats + 1, sizeof *d->newcomer);
    d->claimed = skr_arena_array(d->arena, d->n_seats + 1, sizeof *d->claimed);
    if (!d->newcomer || !d->claimed) {
        return skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    }
    for (size_t i = 0; i < d->n_seats; i++) {
        struct skr_seat *s = &d->seat[i];
        if (s->gone) {
            continue;
        }
        if (s->role >= d->layout.n_roles) {
            return skr_error_set(error, SKR_BUG, "seat %.100s: role %d of %zu", s->name, s->role,
                                 d->layout.n_roles);
        }
        if ((s->claimed || s->pinned) && s->leaf >= d->tree->n_leaves) {
            return skr_error_set(error, SKR_BUG, "seat %.100s: leaf %d of %d", s->name,
                                 (int)s->leaf, (int)d->tree->n_leaves);
        }
        if (s->claimed) {
            d->claimed[d->n_claimed++] = s;
        } else {
            s->rank = -1;
            s->leaf = s->pinned ? s->leaf : -1;
            d->newcomer[d->n_newcomers++] = s;
        }
    }
    d->fresh = d->n_claimed == 0;
    if (d->alike) {
        d->layout.whole = false;
        d->layout.role[0].size = (int32_t)(d->n_claimed + d->n_newcomers);
    }
    return 0;
}

int skr_assign(const struct skr_tree *tree, const struct skr_rank_layout *layout,
               const struct skr_role_counts *counts, struct skr_seat *seat, size_t n_seats,
               struct skr_error *error)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(SIZE_MAX, 0);
    struct deal d = {.tree = tree,
                     .layout = *layout,
                     .alike = layout->n_roles == 1 && layout->role[0].kind < 0,
                     .arena = arena,
                     .seat = seat,
                     .n_seats = n_seats};
    int rc = arena ? split_seats(&d, error)
                   : skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
    if (rc < 0) {
        return rc;
    }
    return skr_role_ranks_begin(&d) && skr_role_ranks_give(&d)
               ? skr_role_places_take(&d, counts, error)
               : skr_error_set(error, SKR_NO_MEMORY, "seats: out of memory");
}
