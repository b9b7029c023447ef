/* SPDX-License-Identifier: Apache-2.0 */
/* One round over the caches, and its answer in names. */
#include "core/gang/time/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/ends.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/booking.h"
#include "core/gang/time/chart.h"
#include "core/gang/time/gather.h"
#include "core/gang/time/place_names.h"
#include "core/gang/time/would_evict.h"
#include "core/gang/time/would_move.h"
#include "core/gang/time/would_replace.h"
#include "core/time/moves.h"
#include "topology/base/strbuf.h"

enum {
    ANSWER_BYTES_MAX = 256 * 1024 * 1024,
    CACHE_BYTES = 64 * 1024 * 1024, /* of the solver's sets */
};

/* ---- groups ---- */

/* Names, or what begins with one. */
static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *label_of(const struct gathering *in, uint32_t owner)
{
    return owner == UINT32_MAX ? NULL : in->label[owner];
}

/* New members that a running open group gets now, but for those that it lacks. */
static int32_t growth_of(const struct group *g, const struct skr_round_group *round)
{
    int32_t more = 0;
    if (g->state != GROUP_BOUND || !g->spec->open || round->state != SKR_ROUND_STARTS) {
        return 0;
    }
    for (size_t i = 0; i < round->place.n; i++) {
        more += round->place.at[i].count;
    }
    const int32_t lacks = (int32_t)skr_membership_needs(g) - (int32_t)g->seats.n_bound;
    more -= lacks > 0 ? lacks : 0;
    return more > 0 ? more : 0;
}

static bool add_group(const struct gathering *in, const struct waiting_group *w,
                      const struct skr_round_group *g, struct skr_timeline_answer *ret)
{
    const bool late = w->cut <= g->start && w->cut <= skr_instant_plus(in->now, SKR_END_BEYOND_S);
    const bool placed = g->state != SKR_ROUND_UNKNOWN;
    struct skr_timeline_group *row = &ret->group[ret->n_groups++];
    *row = (struct skr_timeline_group){.namespace_ = w->group->namespace_,
                                       .name = w->group->name,
                                       .state = g->state,
                                       .start = g->start,
                                       .until = g->until,
                                       .exact = g->exact,
                                       .backfills = g->backfills,
                                       .job_end = late ? w->cut : SKR_INSTANT_NEVER,
                                       .because = label_of(in, g->because),
                                       .unlimited = label_of(in, g->unlimited),
                                       .moved = g->moved,
                                       .grow = growth_of(w->group, g),
                                       .place = placed ? gathering_place(in, &g->place) : ""};
    return row->place &&
           (!placed || g->state == SKR_ROUND_FORECAST || gathering_nodes(in, &g->place, &row->to));
}

static int by_group(const void *a, const void *b)
{
    const struct skr_timeline_group *x = a, *y = b;
    const int order = strcmp(x->namespace_, y->namespace_);
    return order != 0 ? order : strcmp(x->name, y->name);
}

/* What would let groups fit now; a group that can evict others moves none. */
static int add_ways(struct gathering *in, struct skr_solver_cache *cache,
                    struct skr_timeline_answer *ret, struct skr_error *error)
{
    const bool moves = in->asked->moves_most > 0;
    int rc = 0;
    for (size_t i = 0; (in->asked->preempt || moves) && i < in->n_complete && rc == 0; i++) {
        struct skr_timeline_group *row = &ret->group[i];
        rc = skr_would_evict(in, i, &row->victims, error);
        if (rc == 0 && moves && !row->victims) {
            rc = skr_would_move(in, i, cache, &row->moves, &row->moves_open, error);
        }
        row->victims = in->asked->preempt ? row->victims : NULL;
    }
    return rc;
}

static bool add_groups(const struct gathering *in, struct skr_timeline_answer *ret)
{
    static const struct skr_round_group incomplete = {.start = SKR_INSTANT_NEVER,
                                                      .until = SKR_INSTANT_NEVER,
                                                      .exact = true,
                                                      .because = UINT32_MAX,
                                                      .unlimited = UINT32_MAX};
    bool room = true;
    ret->group = skr_arena_array(ret->arena, in->n + 1, sizeof *ret->group);
    for (size_t i = 0; ret->group && room && i < in->n; i++) {
        room =
            add_group(in, &in->waiting[i], i < in->n_complete ? &in->group[i] : &incomplete, ret);
    }
    return ret->group && room;
}

/* ---- single pods ---- */

/* Whether the room of the group on the leaf stays free with a pod there until end. */
static bool leaves_room(const struct gathering *in, const struct skr_round_group *g, int32_t leaf,
                        const struct skr_ledger_node *node, const struct skr_amounts *amounts,
                        int64_t end)
{
    const int64_t from = g->start > in->now ? g->start : in->now;
    const int64_t to = g->until < end ? g->until : end;
    bool room = true;
    for (size_t i = 0; from < to && room && i < g->place.n_uses; i++) {
        const struct skr_place_use *use = &g->place.use[i];
        const int64_t asked = skr_amounts_get(amounts, use->resource);
        int64_t least;
        if (use->leaf != leaf || asked == 0 ||
            skr_ledger_node_allocatable(node, use->resource) == 0) {
            continue;
        }
        skr_timeline_least(in->timeline, leaf, from, to, SKR_CHANGES_KNOWN, &use->resource, 1,
                           &least, NULL, NULL);
        room = skr_amount_sum(skr_ledger_node_free(node, use->resource), least) >= asked;
    }
    return room;
}

/* A pod of higher priority than every member goes first. */
static bool outranks(const struct skr_pod *pod, const struct group *g)
{
    const struct pod_entry *p;
    bool above = true;
    DL_FOREACH(g->members, p)
    {
        above = above && (!skr_pod_is_live(p->pod) || pod->priority > p->pod->priority);
    }
    return above;
}

static bool passes(const struct gathering *in, const struct pod_entry *p, const char *node,
                   int64_t end)
{
    const int32_t leaf = skr_tree_find_leaf(in->e->topology.tree, node);
    const struct skr_ledger_node *room = skr_ledger_get(in->e->ledger, node);
    bool good = skr_ledger_fits(in->e->ledger, node, &p->shape->amounts, p->uid);
    for (size_t i = 0; leaf >= 0 && good && i < in->n_complete; i++) {
        const struct skr_round_group *g = &in->group[i];
        const bool holds = g->held || g->state == SKR_ROUND_STARTS;
        good = !holds || outranks(p->pod, in->waiting[i].group) ||
               leaves_room(in, g, leaf, room, &p->shape->amounts, end);
    }
    return good;
}

static bool add_pod(const struct gathering *in, const struct pod_entry *p,
                    struct skr_timeline_answer *ret)
{
    const struct skr_pod_times times = skr_ends_times_of(in->e, p->pod);
    const struct skr_pod_end end = skr_end_of(&times, SKR_INSTANT_NEVER, in->now);
    const char **list = skr_arena_array(ret->arena, in->e->n_nodes + 1, sizeof *list);
    const struct node_entry *node;
    size_t n = 0;
    for (size_t at = 0; list && (node = skr_nodes_next(in->e, &at));) {
        if (node->node && node->node->ready && (!node->spare || p->pod->rooted) &&
            skr_pod_shape_check_node(p->shape->spec, node->node) == SKR_ELIGIBLE &&
            passes(in, p, node->name, end.at)) {
            list[n++] = node->name;
        }
    }
    if (list) {
        qsort(list, n, sizeof *list, by_name);
    }
    ret->pod[ret->n_pods++] = (struct skr_timeline_pod){.namespace_ = p->pod->meta.namespace_,
                                                        .name = p->pod->meta.name,
                                                        .n_nodes = n,
                                                        .node = list};
    return list;
}

static int by_pod(const void *a, const void *b)
{
    const struct skr_timeline_pod *x = a, *y = b;
    const int order = strcmp(x->namespace_, y->namespace_);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static bool add_pods(const struct gathering *in, struct skr_timeline_answer *ret)
{
    const struct pod_entry *p;
    size_t n;
    bool room = true;
    DL_COUNT(in->e->ordinary, p, n);
    ret->pod = skr_arena_array(ret->arena, n + 1, sizeof *ret->pod);
    DL_FOREACH(in->e->ordinary, p)
    {
        if (room && ret->pod && skr_pods_is_waiting(p)) {
            room = add_pod(in, p, ret);
        }
    }
    if (ret->pod) {
        qsort(ret->pod, ret->n_pods, sizeof *ret->pod, by_pod);
    }
    return room && ret->pod;
}

/* ---- the whole ---- */

static int answer(struct gathering *in, struct skr_solver_cache *cache,
                  struct skr_timeline_answer *ret, struct skr_error *error)
{
    const bool charted = !in->asked->chart || skr_timeline_chart_make(in, &ret->chart);
    if (!charted || !add_groups(in, ret) || !add_pods(in, ret)) {
        return skr_error_set(
            error, SKR_LIMIT,
            "the answer is larger than %d bytes: leave pods that wait out of the files",
            ANSWER_BYTES_MAX);
    }
    int rc = add_ways(in, cache, ret, error); /* groups are still in their order */
    rc = rc < 0 ? rc : skr_would_replace(in, cache, ret, error);
    qsort(ret->group, ret->n_groups, sizeof *ret->group, by_group);
    return rc;
}

static int begin(struct skr_gang *e, const struct skr_timeline_request *request,
                 struct gathering *in, struct skr_timeline_answer *ret, struct skr_error *error)
{
    *in = (struct gathering){.e = e,
                             .asked = request,
                             .now = skr_instant_up(request->now),
                             .moves_steps = SKR_MOVES_STEPS_MAX};
    *ret = (struct skr_timeline_answer){.now = in->now};
    if (!skr_topology_is_usable(e)) {
        return skr_error_set(error, SKR_RETRY,
                             "there is no topology: the files have no topology map and no node");
    }
    ret->arena = in->arena = skr_arena_create(ANSWER_BYTES_MAX, 0);
    return ret->arena ? 0 : skr_error_set(error, SKR_NO_MEMORY, "out of memory");
}

static void end(struct gathering *in, struct skr_timeline_answer *ret)
{
    gathering_fini(in);
    ret->n_labels = in->n_labels;
    ret->label = in->label;
}

int skr_gang_timeline(struct skr_gang *e, const struct skr_timeline_request *request,
                      struct skr_timeline_answer *ret, struct skr_error *error)
{
    struct gathering in;
    int rc = begin(e, request, &in, ret, error);
    if (rc < 0) {
        return rc;
    }
    struct skr_solver_cache *cache = skr_solver_cache_create(CACHE_BYTES);
    skr_bug_on(!cache);
    rc = gathering_run(&in, error);
    struct skr_round round = {.cache = cache, .forecasts = (int32_t)e->settings.forecasts};
    gathering_set_round(&in, &round);
    rc = rc < 0 ? rc : skr_round_run(&round, error);
    rc = rc < 0 ? rc : answer(&in, cache, ret, error);
    skr_solver_cache_destroy(cache);
    end(&in, ret);
    return rc;
}

/* ---- what stands ---- */

static bool add_booking(const struct gathering *in, const struct booking *b,
                        struct skr_timeline_answer *ret)
{
    const struct skr_tree *tree = in->e->topology.tree;
    struct skr_place place = {.at = skr_arena_array(ret->arena, b->n + 1, sizeof *place.at)};
    struct skr_timeline_group *row = &ret->group[ret->n_groups++];
    for (size_t i = 0; place.at && i < b->n; i++) {
        const int32_t leaf = skr_tree_find_leaf(tree, b->node[i].name);
        if (leaf >= 0) {
            place.at[place.n++] = (struct skr_place_leaf){.leaf = leaf, .count = b->node[i].count};
        }
    }
    *row = (struct skr_timeline_group){.namespace_ = b->group->namespace_,
                                       .name = b->group->name,
                                       .state = b->guess ? SKR_ROUND_DRAIN : SKR_ROUND_RESERVED,
                                       .start = b->start,
                                       .until = b->until,
                                       .exact = true,
                                       .job_end = SKR_INSTANT_NEVER,
                                       .because = b->because,
                                       .place = place.at ? gathering_place(in, &place) : NULL};
    return row->place && gathering_nodes(in, &place, &row->to);
}

int skr_gang_timeline_standing(struct skr_gang *e, const struct skr_timeline_request *request,
                               struct skr_timeline_answer *ret, struct skr_error *error)
{
    struct gathering in;
    const struct booking *b;
    const int rc = begin(e, request, &in, ret, error);
    if (rc < 0) {
        return rc;
    }
    in.live = true;
    ret->group = skr_arena_array(ret->arena, e->bookings.n + 1, sizeof *ret->group);
    bool room = ret->group && skr_timeline_chart_make(&in, &ret->chart);
    DL_FOREACH(e->bookings.list, b)
    {
        room = room && add_booking(&in, b, ret);
    }
    end(&in, ret);
    return room ? 0
                : skr_error_set(error, SKR_LIMIT, "the picture is larger than %d bytes",
                                ANSWER_BYTES_MAX);
}

void skr_timeline_answer_fini(struct skr_timeline_answer *answer)
{
    for (size_t i = 0; i < answer->n_labels; i++) {
        free(answer->label[i]);
    }
    free(answer->label);
    skr_arena_destroy(answer->arena);
    *answer = (struct skr_timeline_answer){0};
}
