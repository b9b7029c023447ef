/* SPDX-License-Identifier: Apache-2.0 */
/* Groups are looked at in the order of their names. What is found is held, so that two groups do not
 * count on the same room. */
#include "core/gang/time/would_replace.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/names.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/membership.h"
#include "core/gang/planning/commit.h"
#include "core/gang/problem/problem.h"
#include "core/gang/time/place_names.h"
#include "core/gang/time/whole.h"
#include "core/time/moves.h"

struct leaver {
    struct gathering *in;
    struct skr_solver_cache *cache;
    struct group *group;
    struct node_names lost; /* nodes of members, sorted */
    struct pod_entry **member;
    size_t n;
};

/* ---- who leaves ---- */

static bool may_leave(const struct group *g)
{
    return g->spec && g->spec->replace != SKR_REPLACE_NOT && g->state == GROUP_BOUND && !g->plan &&
           !g->victim.leaving && !g->source.misplaced;
}

/* The members that leave: those on lost nodes, or all that run. */
static void find_members(struct leaver *l, bool all)
{
    struct pod_entry *p;
    l->n = 0;
    DL_FOREACH(l->group->members, p)
    {
        const bool runs = skr_pod_is_live(p->pod) && skr_pods_is_bound(p);
        if (runs && (all || skr_names_contain(l->lost.name, l->lost.n, p->pod->node_name))) {
            l->member[l->n++] = p;
        }
    }
}

/* The nodes of its members: those that are lost, or all. */
static struct node_names nodes_of(const struct leaver *l, bool all)
{
    struct node_names nodes = {.name =
                                   skr_alloc_array(l->group->n_members + 1, sizeof *nodes.name)};
    const struct pod_entry *p;
    DL_FOREACH(l->group->members, p)
    {
        const char *node = p->pod->node_name;
        if (skr_pod_is_live(p->pod) && skr_pods_is_bound(p) &&
            (all || skr_nodes_is_lost(l->in->e, node, l->in->asked->now))) {
            nodes.name[nodes.n++] = node;
        }
    }
    skr_names_sort(nodes.name, nodes.n);
    return nodes;
}

/* ---- where to ---- */

static int by_pod(const void *a, const void *b)
{
    const struct skr_timeline_replaced *x = a, *y = b;
    return strcmp(x->pod, y->pod);
}

/* Holds the place, and names who goes where. *ret NULL: seats cannot be dealt. */
static int take(struct leaver *l, const struct skr_solve_request *request,
                const struct skr_start_question *q, const struct skr_solution *s,
                const int32_t *running, struct skr_timeline_group *ret, struct skr_error *error)
{
    struct skr_place place = {0};
    struct skr_timeline_replaced *row = skr_arena_array(l->in->arena, l->n + 1, sizeof *row);
    struct skr_seat *seat =
        skr_commit_seats(l->in->e, l->group, l->member, l->n, request, s, error);
    int rc = row ? 0 : skr_error_set(error, SKR_LIMIT, "the answer is too large");
    for (size_t i = 0; rc == 0 && seat && i < l->n; i++) {
        row[i] = (struct skr_timeline_replaced){.pod = l->member[i]->pod->meta.name,
                                                .node = seat[i].node};
    }
    if (rc == 0 && seat) {
        qsort(row, l->n, sizeof *row, by_pod);
        skr_place_make(q->problem, q->resource, s, running, &place);
        if (!ret->to.node) {
            ret->place = gathering_place(l->in, &place);
            rc = ret->place && gathering_nodes(l->in, &place, &ret->to)
                     ? 0
                     : skr_error_set(error, SKR_LIMIT, "the answer is too large");
        }
        ret->replaced = row;
        ret->n_replaced = l->n;
    }
    if (rc == 0 && seat) {
        rc = skr_place_hold(&place, l->in->timeline, l->in->now, skr_window_end(q, l->in->now),
                            gathering_number(l->in, l->group->key), error);
        skr_place_fini(&place);
    }
    free(seat);
    return rc;
}

/* The lost members alone. */
static int try_early(struct leaver *l, struct skr_timeline_group *ret, struct skr_error *error)
{
    struct skr_start_question q = {0};
    struct skr_start start = {.at = SKR_INSTANT_NEVER};
    struct skr_error none;
    int rc = 0;
    find_members(l, false);
    l->group->without = &l->lost;
    struct skr_solve_request *request =
        skr_problem_build(l->in->e, l->group, l->member, l->n, false, &none);
    if (request && gathering_window(l->in, l->group, l->member, l->n, &q)) {
        SKR_AUTO_FREE int32_t *running = gathering_running(l->in, l->group, l->member, l->n);
        q.problem = &request->problem;
        q.resource = request->resource;
        rc = skr_start_at(l->in->timeline, &q, l->cache, l->in->now, NULL, &start, error);
        rc = rc == 0 && start.solution ? take(l, request, &q, start.solution, running, ret, error)
                                       : rc;
    }
    l->group->without = NULL;
    skr_solution_destroy(start.solution);
    skr_solve_request_destroy(request);
    return rc;
}

/* All members, whose own room counts as free. */
static int try_whole(struct leaver *l, struct skr_timeline_group *ret, struct skr_error *error)
{
    struct skr_move_candidate c = {.owner = gathering_number(l->in, l->group->key)};
    struct skr_start start = {.at = SKR_INSTANT_NEVER};
    struct node_names all = nodes_of(l, true);
    int rc = 0;
    find_members(l, true);
    l->group->without = &l->lost;
    struct skr_solve_request *request = skr_whole_problem(l->in, l->group, &c.question);
    if (request) {
        (void)skr_whole_place(l->in, l->group, &l->lost, &c.place); /* none: all nodes are lost */
        rc = skr_moves_take_away(l->in->timeline, &c, error);
        rc = rc < 0 ? rc
                    : skr_start_at(l->in->timeline, &c.question, l->cache, l->in->now, NULL, &start,
                                   error);
        if (!start.solution) {
            skr_place_let_go(&c.place, l->in->timeline, c.owner);
        } else if (rc == 0) {
            l->group->without = &all; /* all seats are dealt anew */
            rc = take(l, request, &c.question, start.solution, NULL, ret, error);
        }
    }
    l->group->without = NULL;
    free(all.name);
    skr_place_fini(&c.place);
    skr_solution_destroy(start.solution);
    skr_solve_request_destroy(request);
    return rc;
}

/* ---- the whole ---- */

static struct skr_timeline_group *row_of(struct skr_timeline_answer *ret, const struct group *g)
{
    for (size_t i = 0; i < ret->n_groups; i++) {
        if (strcmp(ret->group[i].name, g->name) == 0 &&
            strcmp(ret->group[i].namespace_, g->namespace_) == 0) {
            return &ret->group[i];
        }
    }
    return NULL;
}

static int replace(struct leaver *l, struct skr_timeline_answer *ret, struct skr_error *error)
{
    struct skr_timeline_group none = {.namespace_ = l->group->namespace_,
                                      .name = l->group->name,
                                      .start = SKR_INSTANT_NEVER,
                                      .until = SKR_INSTANT_NEVER,
                                      .exact = true,
                                      .job_end = SKR_INSTANT_NEVER,
                                      .place = ""};
    struct skr_timeline_group *row = row_of(ret, l->group);
    struct skr_timeline_group *to = row ? row : &none;
    int rc = try_early(l, to, error);
    if (rc == 0 && !to->replaced && l->group->spec->replace == SKR_REPLACE_WHOLE) {
        rc = try_whole(l, to, error);
    }
    if (rc == 0 && !row && none.replaced) {
        none.state = SKR_ROUND_STARTS;
        none.start = l->in->now;
        ret->group[ret->n_groups++] = none;
    }
    return rc;
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(struct group *const *)a)->key, (*(struct group *const *)b)->key);
}

int skr_would_replace(struct gathering *in, struct skr_solver_cache *cache,
                      struct skr_timeline_answer *ret, struct skr_error *error)
{
    struct group *g, *tmp;
    SKR_AUTO_FREE struct group **list =
        skr_alloc_array(HASH_COUNT(in->e->groups) + 1, sizeof(struct group *));
    size_t n = 0;
    int rc = 0;
    HASH_ITER(hh, in->e->groups, g, tmp)
    {
        if (may_leave(g)) {
            list[n++] = g;
        }
    }
    struct skr_timeline_group *row = skr_arena_array(in->arena, ret->n_groups + n + 1, sizeof *row);
    if (!row) {
        return skr_error_set(error, SKR_LIMIT, "the answer is too large");
    }
    memcpy(row, ret->group, ret->n_groups * sizeof *row);
    ret->group = row;
    qsort(list, n, sizeof *list, by_key);
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct leaver l = {.in = in, .cache = cache, .group = list[i]};
        l.member = skr_alloc_array(list[i]->n_members + 1, sizeof(struct pod_entry *));
        l.lost = nodes_of(&l, false);
        rc = l.lost.n > 0 ? replace(&l, ret, error) : 0;
        free(l.lost.name);
        free(l.member);
    }
    return rc;
}
