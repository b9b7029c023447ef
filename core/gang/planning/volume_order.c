/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/planning/volume_order.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/problem/problem.h"
#include "core/gang/problem/volume_play.h"

#include <stdlib.h>
#include <string.h>

struct order {
    struct skr_gang *e;
    struct group *g;
    struct pod_entry *const *newcomers;
    size_t n, leaves;
    const struct skr_solve_request *solved;
    struct skr_solution *s;
    struct skr_volume_play *play;
    int32_t *leaf; /* [n] of the answer */
    int32_t *place;
    size_t *order; /* [n] */
};

/* Members of a role that the resources of nodes have room for on a leaf; volumes are played. */
static int32_t room_of(const struct skr_solve_request *solved, size_t role, size_t leaf)
{
    const struct skr_problem *p = &solved->problem;
    const struct skr_role of = skr_problem_role(p, role);
    const size_t n = p->n_resources - solved->n_learned - solved->drivers.n;
    const int32_t most = skr_role_takes(&of, (int32_t)leaf) ? p->n : 0;
    return (int32_t)skr_room_holds_all(&p->free[leaf * p->n_resources], of.demand, n, most);
}

/* ---- any placement ---- */

/* Counts of the answer, with the newcomers on these leaves. */
static void count(const struct order *o, const int32_t *leaf, int32_t by)
{
    for (size_t i = 0; i < o->n; i++) {
        const int32_t role = skr_request_role_of(o->solved, o->newcomers[i]->role);
        o->s->count[leaf[i]] += by;
        if (o->s->roles && role >= 0) {
            o->s->roles->count[(size_t)role * o->leaves + (size_t)leaf[i]] += by;
        }
    }
}

static bool obeys(void *context, const int32_t *leaf)
{
    const struct order *o = context;
    count(o, leaf, 1);
    const bool is = skr_problem_accepts(&o->solved->problem, o->s);
    if (!is) {
        count(o, leaf, -1);
    }
    return is;
}

/* ---- the whole ---- */

static void places_of(const struct order *o, bool any)
{
    memset(o->place, 0, SKR_ROLES_MAX * o->leaves * sizeof *o->place);
    for (size_t i = 0; i < o->n; i++) {
        int32_t *place = &o->place[o->newcomers[i]->role * o->leaves];
        const int32_t role = skr_request_role_of(o->solved, o->newcomers[i]->role);
        for (size_t leaf = 0; leaf < o->leaves && any && role >= 0; leaf++) {
            place[leaf] = room_of(o->solved, (size_t)role, leaf);
        }
        place[o->leaf[i]] += any ? 0 : 1;
    }
}

/* The leaf takes fewer members like this one from now on. */
static void limit(const struct order *o, size_t refused)
{
    const struct pod_entry *p = o->newcomers[refused];
    int32_t alike = -1;
    for (size_t i = 0; i < o->n; i++) {
        alike += o->newcomers[i]->role == p->role && o->leaf[i] == o->leaf[refused];
    }
    skr_vetoes_limit(o->e, o->g, p->shape, skr_topology_leaf_nodes(o->e)[o->leaf[refused]]->name,
                     alike);
}

static bool search(struct order *o, bool any, bool *ret_ended)
{
    int32_t *leaf = skr_alloc_array(o->n + 1, sizeof *leaf);
    struct skr_volume_search q = {.place = o->place,
                                  .leaf = o->leaf,
                                  .accepts = any ? obeys : NULL,
                                  .context = o,
                                  .ret_leaf = leaf,
                                  .ret_order = o->order};
    places_of(o, any);
    if (any) {
        count(o, o->leaf, -1);
    }
    const bool found = skr_volume_play_search(o->play, &q);
    if (any && !found) {
        count(o, o->leaf, 1);
    }
    if (found) {
        memcpy(o->leaf, leaf, o->n * sizeof *leaf);
    }
    *ret_ended = q.ended;
    free(leaf);
    return found;
}

static enum skr_volume_order decide(struct order *o, bool last)
{
    bool ended;
    const size_t refused = skr_volume_play_run(o->play, o->leaf, o->order);
    if (refused == o->n) {
        return SKR_VOLUMES_SERVED;
    }
    if (search(o, false, &ended)) {
        return SKR_VOLUMES_DEALT;
    }
    if (!last) {
        limit(o, refused);
        return SKR_VOLUMES_LIMITED;
    }
    const bool sets = o->s->roles && o->solved->problem.roles->n_kinds > 0;
    if (!sets && search(o, true, &ended)) {
        return SKR_VOLUMES_DEALT;
    }
    return sets || ended ? SKR_VOLUMES_SERVED : SKR_VOLUMES_NONE;
}

enum skr_volume_order skr_volume_order(struct skr_gang *e, struct group *g,
                                       struct pod_entry *const *newcomers, size_t n,
                                       const struct skr_solve_request *solved,
                                       struct skr_solution *s, bool last, int32_t *leaf)
{
    enum skr_volume_order ret = SKR_VOLUMES_SERVED;
    struct order o = {.e = e,
                      .g = g,
                      .newcomers = newcomers,
                      .n = n,
                      .leaves = (size_t)solved->tree->n_leaves,
                      .solved = solved,
                      .s = s,
                      .leaf = leaf,
                      .play = skr_volume_play_create(e, newcomers, n)};
    if (!o.play) {
        return ret;
    }
    o.place = skr_alloc_array(SKR_ROLES_MAX * o.leaves + 1, sizeof *o.place);
    o.order = skr_alloc_array(n + 1, sizeof *o.order);
    ret = decide(&o, last);
    free(o.order);
    free(o.place);
    skr_volume_play_destroy(o.play);
    return ret;
}
