/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for places of lost members: see replacing.h. Groups have the order of the queue. */
#include "core/gang/planning/replacing.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/changes/status_map.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/run_limit.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/planning/commit.h"
#include "core/gang/planning/queue.h"
#include "core/gang/preempt/arranged.h"
#include "core/gang/preempt/victims_allowed.h"
#include "core/gang/problem/pod_rules.h"
#include "core/gang/problem/problem.h"
#include "core/gang/problem/problem_volumes.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    PAUSE_S = 1,     /* between two searches for one group: minimum, */
    PAUSE_TIMES = 20 /* multiple of the time that one took */
};

/* Members that leave, and nodes. */
struct leavers {
    struct pod_entry **member;
    size_t n;
    struct node_names from; /* nodes that they may not go to: those that are lost */
    struct node_names all;  /* nodes of all members */
};

static struct leavers leavers_of(const struct skr_gang *e, const struct group *g, bool whole)
{
    struct leavers l = {.member = skr_alloc_array(g->n_members + 1, sizeof(struct pod_entry *)),
                        .from.name = skr_alloc_array(g->n_members + 1, sizeof(char *)),
                        .all.name = skr_alloc_array(g->n_members + 1, sizeof(char *))};
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const bool lost = skr_arranged_is_lost(e, p);
        if (!skr_pod_is_live(p->pod) || !skr_pods_is_bound(p)) {
            continue;
        }
        l.all.name[l.all.n++] = p->pod->node_name;
        if (lost) {
            l.from.name[l.from.n++] = p->pod->node_name;
        }
        if (lost || whole) {
            l.member[l.n++] = p;
        }
    }
    skr_names_sort(l.from.name, l.from.n);
    skr_names_sort(l.all.name, l.all.n);
    return l;
}

static void leavers_fini(struct leavers *l)
{
    free(l->member);
    free(l->from.name);
    free(l->all.name);
}

/* Whether all members may be evicted at once, and the problem of all is right. */
static bool may_leave_whole(struct skr_gang *e, const struct group *g, const struct leavers *l)
{
    const struct plan_victim self = {.text = g->key};
    skr_victims_reset_budgets(e);
    return skr_victims_budget_allows(e, &self) && !skr_pod_rules_matter(e, l->member, l->n) &&
           !skr_problem_volumes_matter(e, l->member, l->n);
}

/* NULL: there is no problem. */
static struct skr_solve_request *build(struct skr_gang *e, struct group *g, bool whole,
                                       const struct leavers *l)
{
    struct skr_error error;
    struct skr_solve_request *request = NULL;
    if (l->n == 0 || l->from.n == 0 || l->n > SKR_ARRANGED_MAX ||
        (whole && !may_leave_whole(e, g, l))) {
        return NULL;
    }
    g->without = &l->from;
    request = skr_problem_build(e, g, l->member, l->n, false, &error);
    if (request && whole && !skr_problem_make_whole(e, g, l->member, l->n, request)) {
        skr_solve_request_destroy(request);
        request = NULL;
    }
    g->without = NULL;
    if (request) {
        request->problem.explain = false;
    }
    return request;
}

/* ---- begin ---- */

static bool is_due(const struct skr_gang *e, const struct group *g)
{
    bool none;
    if (g->replacing.n_lost == 0) {
        return false;
    }
    (void)skr_status_map_note(e, g, SKR_ANNOTATION_SEATS, &none);
    return !g->dirty && !g->plan && !none && !g->replacing.text && g->state == GROUP_BOUND &&
           !g->victim.leaving && !g->source.misplaced &&
           skr_seen_changed(&e->seen, SEEN_CAPACITY, g->replacing.failed_at) &&
           skr_frame_now(e->frame) >= g->replacing.at && !skr_run_limit_is_over(e, g) &&
           !skr_plan_storage_is_refused(e, g);
}

static void failed(struct skr_gang *e, struct group *g, uint64_t seen, skr_time took)
{
    const skr_time pause = took * PAUSE_TIMES, least = PAUSE_S * SKR_SECOND;
    g->replacing.failed_at = seen;
    g->replacing.at = skr_frame_now(e->frame) + (pause > least ? pause : least);
    skr_wakes_add(e, g->replacing.at, WAKE_REPORT, NULL);
}

static bool start(struct skr_gang *e, struct group *g, bool whole)
{
    struct leavers l = leavers_of(e, g, whole);
    struct skr_solve_request *request = build(e, g, whole, &l);
    leavers_fini(&l);
    if (!request) {
        return false;
    }
    skr_replacing_end(e);
    e->replacing.work = skr_out_solve(e, request);
    e->replacing.group = skr_strdup(g->key);
    e->replacing.input = g->input_epoch;
    e->replacing.seen = e->seen.now;
    e->replacing.whole = whole;
    return true;
}

bool skr_replacing_begin(struct skr_gang *e)
{
    struct group *g, *best = NULL;
    if (e->replacing.work != 0 || !e->replacers || !skr_topology_is_usable(e) ||
        skr_frame_now(e->frame) < e->replacing.next) {
        return e->replacing.work != 0;
    }
    DL_FOREACH2(e->replacers, g, replacing.next)
    {
        if (is_due(e, g) && (!best || skr_queue_goes_before(g, best))) {
            best = g;
        }
    }
    if (best && best->replacing.n_lost > SKR_ARRANGED_MAX && best->replacing.failed_at == 0) {
        char text[120];
        snprintf(text, sizeof text, "%zu members run on lost nodes, at most %d leave",
                 best->replacing.n_lost, SKR_ARRANGED_MAX);
        skr_out_decision(e, best->key, "", "Members not replaced early", "", text, true);
    }
    if (best && !start(e, best, false) &&
        (best->spec->replace != SKR_REPLACE_WHOLE || !start(e, best, true))) {
        failed(e, best, e->seen.now, 0);
    }
    return e->replacing.work != 0;
}

/* ---- the answer ---- */

/* Checks the answer against the present, then holds the places. */
static bool arrange(struct skr_gang *e, struct group *g, bool whole,
                    const struct skr_solution *solution)
{
    struct skr_error error;
    struct leavers l = leavers_of(e, g, whole);
    struct skr_solve_request *now = build(e, g, whole, &l);
    struct skr_seat *seat = NULL;
    if (now && skr_problem_accepts(&now->problem, solution)) {
        g->without = whole ? &l.all : &l.from;
        seat = skr_commit_seats(e, g, l.member, l.n, now, solution, &error);
        g->without = NULL;
    }
    g->replacing.whole = whole;
    for (size_t i = 0; seat && i < l.n; i++) {
        skr_arranged_add(e, g, l.member[i], seat[i].node);
    }
    g->replacing.n = seat ? l.n : 0;
    const bool done = seat;
    free(seat);
    skr_solve_request_destroy(now);
    leavers_fini(&l);
    return done;
}

bool skr_replacing_done(struct skr_gang *e, const struct skr_solve_request *solved)
{
    if (e->replacing.work == 0 || solved->work.id != e->replacing.work) {
        return false;
    }
    struct group *g = skr_groups_find(e, e->replacing.group);
    const uint64_t input = e->replacing.input, seen = e->replacing.seen;
    const bool whole = e->replacing.whole;
    const struct skr_solution *s = solved->solution;
    skr_replacing_end(e);
    e->replacing.next = skr_frame_now(e->frame) + solved->work.took_ns * PAUSE_TIMES;
    skr_wakes_add(e, e->replacing.next, WAKE_REPORT, NULL);
    skr_dirty_plan(e);
    if (!g || g->input_epoch != input || g->plan || g->replacing.n_lost == 0 ||
        !skr_frame_is_leader(e->frame)) {
        return true;
    }
    const bool placed = s && s->status == SKR_SOLVE_PLACED;
    if (placed && arrange(e, g, whole, s)) {
        return true;
    }
    if (placed || whole || g->spec->replace != SKR_REPLACE_WHOLE || !start(e, g, true)) {
        failed(e, g, placed ? 0 : seen, solved->work.took_ns);
    }
    return true;
}

void skr_replacing_end(struct skr_gang *e)
{
    free(e->replacing.group);
    e->replacing.group = NULL;
    e->replacing.work = 0;
}
