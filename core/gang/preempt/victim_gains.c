/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/preempt/victim_gains.h"

#include "core/gang/cache/ends.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/window.h"
#include "core/gang/group/yielding.h"

#include <utlist.h>

void skr_victim_gains_init(struct victim_gains *gains, struct skr_gang *e, const struct group *g,
                           struct pod_entry *const *newcomers, size_t n,
                           const struct skr_solve_request *request)
{
    const size_t n_rooms = (size_t)request->tree->n_leaves * request->problem.n_resources;
    *gains = (struct victim_gains){.e = e, .request = request, .who.group = g};
    if (skr_booked_any(e, g)) {
        (void)skr_window_of(e, g, newcomers, n, skr_instant_up(skr_frame_now(e->frame)),
                            &gains->who.window);
        gains->taken = skr_alloc_array(n_rooms + 1, sizeof *gains->taken);
    }
}

void skr_victim_gains_fini(struct victim_gains *gains)
{
    free(gains->taken);
}

int64_t skr_victim_gains_end(const struct skr_gang *e, const char *uid)
{
    const struct end_row *row = skr_ends_find(e, uid);
    if (!row) {
        return SKR_INSTANT_NEVER;
    }
    const struct skr_pod_times times = skr_ends_times(e, row);
    return skr_end_soon(&times, SKR_INSTANT_NEVER, skr_instant_up(skr_frame_now(e->frame))).at;
}

int64_t skr_victim_gains_take(struct victim_gains *gains, int32_t leaf, size_t resource,
                              int64_t end, int64_t amount)
{
    if (!gains->taken || amount <= 0) {
        return amount;
    }
    const struct skr_tree *tree = gains->request->tree;
    const char *node = tree->unit_name[tree->first_leaf + leaf];
    int64_t *taken = &gains->taken[(size_t)leaf * gains->request->problem.n_resources + resource];
    gains->e->bookings.counting = BOOKED_NOT_BELOW;
    const int64_t slack =
        skr_booked_slack(gains->e, &gains->who, node, gains->request->resource[resource], end);
    gains->e->bookings.counting = BOOKED_ALL;
    if (slack == INT64_MAX) {
        return amount;
    }
    const int64_t left = slack > *taken ? slack - *taken : 0, gain = amount < left ? amount : left;
    *taken += gain;
    return gain;
}

void skr_victim_gains_add_room(struct victim_gains *gains, int32_t leaf,
                               const struct skr_amounts *amounts, int64_t end)
{
    const struct skr_solve_request *request = gains->request;
    const size_t n = request->problem.n_resources;
    for (size_t r = 0; r < n; r++) {
        int64_t *room = (int64_t *)(uintptr_t)&request->problem.free[(size_t)leaf * n + r];
        const int64_t amount = skr_amounts_get(amounts, request->resource[r]);
        *room = skr_room_plus(*room, skr_victim_gains_take(gains, leaf, r, end, amount));
    }
}

void skr_victim_gains_add_seats(struct victim_gains *gains, const struct skr_claimant *c)
{
    const struct group *h;
    DL_FOREACH2(gains->e->holders.list, h, holds.next)
    {
        for (size_t i = 0; i < h->holds.n && skr_yielding_seats(h, c); i++) {
            const struct seat_hold *hold = &h->holds.item[i];
            const int32_t leaf = skr_tree_find_leaf(gains->request->tree, hold->node);
            if (leaf >= 0) {
                skr_victim_gains_add_room(gains, leaf, &hold->shape->amounts,
                                          skr_instant_up(hold->until));
            }
        }
    }
}
