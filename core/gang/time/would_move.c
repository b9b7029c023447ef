/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/would_move.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/pods.h"
#include "core/gang/changes/status_map.h"
#include "core/gang/preempt/disruptions.h"
#include "core/gang/preempt/outranks.h"
#include "core/gang/time/place_names.h"
#include "core/gang/time/whole.h"

struct skr_mover {
    char *key;
    const struct group *group; /* of the event in which it was found */
    struct skr_solve_request *request;
    struct skr_place place;
};

/* ---- candidates ---- */

/* Whether the budgets of its pods let all of them go at once. O(members times budgets). */
static bool budgets_allow(const struct skr_gang *e, const struct group *g)
{
    struct disruption_budget *b, *tmp;
    const struct pod_entry *p;
    size_t n;
    HASH_ITER(hh, e->disruptions, b, tmp)
    {
        b->number = 0;
    }
    DL_FOREACH(e->disruptions ? g->members : NULL, p)
    {
        b = skr_pod_is_live(p->pod) ? skr_disruptions_of(e, &p->pod->meta, &n) : NULL;
        if (b && (n > 1 || ++b->number > b->budget->allowed)) {
            return false;
        }
    }
    return true;
}

static bool may_move(const struct gathering *in, const struct group *w, const struct group *g)
{
    const struct skr_outranks o = skr_outranks_of(in->e, w);
    const struct pod_entry *p;
    bool all = true, none = false;
    if (in->live) { /* its places are written to its object */
        (void)skr_status_map_note(in->e, g, SKR_ANNOTATION_PAUSES, &none);
    }
    DL_FOREACH(g->members, p)
    {
        all = all && (!skr_pod_is_live(p->pod) || skr_pods_is_bound(p));
    }
    return g != w && !none && g->spec && g->spec->movable && g->state == GROUP_BOUND && !g->plan &&
           all && g->seats.n_bound > 0 && g->seats.n_ready == 0 && !g->victim.leaving &&
           skr_outranks_or_equals(&o, g) && g->times.end > 0 &&
           skr_instant_up(g->times.end) + SKR_MOVE_REST_S <= in->now &&
           (g->moving.moved_at == 0 ||
            skr_instant_up(g->moving.moved_at) + SKR_MOVE_AGAIN_S <= in->now) &&
           budgets_allow(in->e, g);
}

static void add_mover(struct gathering *in, struct skr_movers *m, struct group *g)
{
    struct skr_start_question question = {0};
    struct skr_mover one = {.group = g};
    if (!skr_whole_place(in, g, NULL, &one.place) ||
        !(one.request = skr_whole_problem(in, g, &question))) {
        skr_place_fini(&one.place);
        return;
    }
    one.key = skr_strdup(g->key);
    size_t cap = m->cap;
    skr_grow(&m->mover, &m->cap, m->n + 1, sizeof *m->mover);
    skr_grow(&m->candidate, &cap, m->n + 1, sizeof *m->candidate);
    m->mover[m->n] = one;
    m->candidate[m->n++] = (struct skr_move_candidate){.question = question,
                                                       .owner = gathering_number(in, g->key),
                                                       .place = one.place,
                                                       .members = one.request->problem.n};
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(struct group *const *)a)->key, (*(struct group *const *)b)->key);
}

static bool goes_before(const struct gathering *in, const struct group *a, const struct group *b)
{
    const int64_t x = gathering_begin(in, a), y = gathering_begin(in, b);
    return a->spec->priority != b->spec->priority ? a->spec->priority > b->spec->priority
           : x != y                               ? x < y
                                                  : strcmp(a->key, b->key) < 0;
}

struct skr_movers skr_movers_find(struct gathering *in, const struct group *w)
{
    struct skr_movers m = {0};
    struct group *g, *tmp;
    SKR_AUTO_FREE struct group **list =
        skr_alloc_array(HASH_COUNT(in->e->groups) + 1, sizeof(struct group *));
    size_t n = 0;
    HASH_ITER(hh, in->e->groups, g, tmp)
    {
        if (may_move(in, w, g)) {
            list[n++] = g;
        }
    }
    if (n > 0) {
        qsort(list, n, sizeof *list, by_key);
    }
    for (size_t i = 0; i < n; i++) {
        add_mover(in, &m, list[i]);
    }
    for (size_t i = 0; i < m.n; i++) {
        for (size_t k = 0; k < m.n; k++) {
            m.candidate[i].order += goes_before(in, m.mover[k].group, m.mover[i].group);
        }
    }
    return m;
}

void skr_movers_stop_by(struct skr_movers *m, const atomic_bool *cancel)
{
    for (size_t i = 0; i < m->n; i++) {
        m->mover[i].request->problem.cancel = cancel;
    }
}

const char *skr_movers_key(const struct skr_movers *m, size_t candidate)
{
    return m->mover[candidate].key;
}

void skr_movers_fini(struct skr_movers *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->mover[i].key);
        skr_solve_request_destroy(m->mover[i].request);
        skr_place_fini(&m->mover[i].place);
    }
    free(m->mover);
    free(m->candidate);
}

/* ---- the answer ---- */

static const struct skr_timeline_moves *name_moves(struct gathering *in, const struct group *w,
                                                   const struct skr_movers *m,
                                                   const struct skr_moves *found)
{
    struct skr_timeline_moves *ret = skr_arena_alloc(in->arena, sizeof *ret);
    struct skr_timeline_move *moved = skr_arena_array(in->arena, found->n_moved + 1, sizeof *moved);
    bool room = ret && moved && gathering_nodes(in, &found->at, &ret->to);
    for (size_t i = 0; i < found->n_moved && room; i++) {
        moved[i].name = gathering_short_name(in, w, skr_movers_key(m, found->moved[i]));
        room = moved[i].name && gathering_nodes(in, &found->to[i], &moved[i].to);
    }
    if (room) {
        ret->n_moved = found->n_moved;
        ret->moved = moved;
    }
    return room ? ret : NULL;
}

static int search(struct gathering *in, size_t i, struct skr_solver_cache *cache,
                  const struct skr_movers *m, int32_t most, struct skr_moves *ret,
                  struct skr_error *error)
{
    struct skr_round_group *g = &in->group[i];
    *ret = (struct skr_moves){.timeline = in->timeline,
                              .cache = cache,
                              .question = &g->question,
                              .owner = g->owner,
                              .running = g->running,
                              .candidate = m->candidate,
                              .n = m->n,
                              .most = most,
                              .steps = in->moves_steps};
    const int rc = skr_moves_find(ret, error);
    in->moves_steps = ret->steps > 0 ? ret->steps : 0;
    return rc;
}

int skr_movers_search(struct gathering *in, size_t i, struct skr_solver_cache *cache,
                      const struct skr_movers *m, int32_t most, struct skr_moves *ret,
                      struct skr_error *error)
{
    struct skr_round_group *g = &in->group[i];
    *ret = (struct skr_moves){.status = SKR_MOVES_NONE};
    if (g->held) {
        skr_place_let_go(&g->place, in->timeline, g->owner);
    }
    int rc = skr_round_set_aside(in->timeline, g, error);
    rc = rc < 0 ? rc : search(in, i, cache, m, most, ret, error);
    skr_round_give_back(in->timeline, g);
    if (g->held && rc == 0) {
        rc = skr_place_hold(&g->place, in->timeline, g->start, g->until, g->owner, error);
    }
    return rc;
}

bool skr_movers_is_soon(const struct gathering *in, const struct skr_round_group *g, int64_t after)
{
    return g->state == SKR_ROUND_STARTS ||
           (g->state == SKR_ROUND_RESERVED && g->start <= in->now + after);
}

int skr_would_move(struct gathering *in, size_t i, struct skr_solver_cache *cache,
                   const struct skr_timeline_moves **ret, bool *ret_open, struct skr_error *error)
{
    struct skr_round_group *g = &in->group[i];
    int rc = 0;
    *ret = NULL;
    *ret_open = false;
    if (skr_movers_is_soon(in, g, in->asked->moves_after) || !g->question.problem ||
        in->asked->moves_most == 0) {
        return 0;
    }
    struct skr_moves moves = {0};
    struct skr_movers m = skr_movers_find(in, in->waiting[i].group);
    if (m.n > 0) {
        rc = skr_movers_search(in, i, cache, &m, in->asked->moves_most, &moves, error);
        *ret_open = moves.status == SKR_MOVES_NOT_FOUND;
    }
    if (rc == 0 && moves.status == SKR_MOVES_FOUND) {
        *ret = name_moves(in, in->waiting[i].group, &m, &moves);
        rc = *ret ? 0 : skr_error_set(error, SKR_LIMIT, "the answer is too large");
    }
    skr_moves_fini(&moves);
    skr_movers_fini(&m);
    return rc;
}
