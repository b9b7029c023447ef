/* SPDX-License-Identifier: Apache-2.0 */
#include "core/time/place.h"

#include <stdlib.h>

#include "core/solver/each_role.h"
#include "topology/base/arena.h"
#include "topology/room.h"

static void add_uses(struct skr_place *place, size_t *cap, int32_t leaf, int32_t count,
                     const int64_t *demand, const uint16_t *resource, size_t n)
{
    for (size_t r = 0; r < n && count > 0; r++) {
        if (demand[r] == 0) {
            continue;
        }
        skr_grow(&place->use, cap, place->n_uses + 1, sizeof *place->use);
        place->use[place->n_uses++] = (struct skr_place_use){
            .amount = skr_amount_times(demand[r], count), .leaf = leaf, .resource = resource[r]};
    }
}

void skr_place_make(const struct skr_problem *problem, const uint16_t *resource,
                    const struct skr_solution *solution, const int32_t *running,
                    struct skr_place *ret)
{
    size_t cap = 0, cap_uses = 0;
    *ret = (struct skr_place){0};
    for (int32_t leaf = 0; leaf < problem->tree->n_leaves; leaf++) {
        const int32_t count = solution->count[leaf] - (running ? running[leaf] : 0);
        if (count > 0) {
            skr_grow(&ret->at, &cap, ret->n + 1, sizeof *ret->at);
            ret->at[ret->n++] = (struct skr_place_leaf){.leaf = leaf, .count = count};
        }
        for (size_t r = 0; r < skr_problem_n_roles(problem); r++) {
            const int32_t new_ =
                problem->roles ? skr_solution_added(problem, solution, r, leaf) : count;
            add_uses(ret, &cap_uses, leaf, new_, skr_problem_role(problem, r).demand, resource,
                     problem->n_resources);
        }
    }
}

void skr_place_fini(struct skr_place *place)
{
    free(place->at);
    free(place->use);
    *place = (struct skr_place){0};
}

int skr_place_hold(const struct skr_place *place, struct skr_timeline *timeline, int64_t start,
                   int64_t end, uint32_t owner, struct skr_error *error)
{
    for (size_t i = 0; i < place->n_uses; i++) {
        const struct skr_place_use *use = &place->use[i];
        if (!skr_timeline_hold(timeline, use->leaf, start, end, use->resource, use->amount,
                               owner)) {
            return skr_error_set(error, SKR_LIMIT, "the timeline has more than %d changes of room",
                                 SKR_ENDS_MAX);
        }
    }
    return 0;
}

void skr_place_let_go(const struct skr_place *place, struct skr_timeline *timeline, uint32_t owner)
{
    for (size_t i = 0; i < place->n_uses; i++) {
        if (i == 0 || place->use[i].leaf != place->use[i - 1].leaf) {
            skr_timeline_let_go(timeline, place->use[i].leaf, owner);
        }
    }
}

uint32_t skr_place_because(const struct skr_place *place, const struct skr_timeline *timeline,
                           int64_t start, uint32_t kinds, uint32_t except)
{
    uint32_t best = UINT32_MAX;
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < place->n; i++) {
        size_t n;
        const struct skr_room_change *change = skr_timeline_of(timeline, place->at[i].leaf, &n);
        for (size_t k = 0; k < n && change[k].at <= start; k++) {
            const struct skr_room_change *c = &change[k];
            const bool own = c->kind == SKR_CHANGE_HELD && c->owner == except;
            if (c->amount <= 0 || !(c->kind & kinds) || own || c->at < last) {
                continue;
            }
            best = c->at > last || c->owner < best ? c->owner : best;
            last = c->at;
        }
    }
    return best;
}
