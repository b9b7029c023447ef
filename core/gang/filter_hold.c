/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A held call is answered by the same function as any other, when its wait is over: with the planned
 * node if that is among the names, else with a refusal. Looking after every event is cheap: one
 * member is looked at until its nomination is out, then the next one is looked for.
 */
#include "core/gang/filter_hold.h"

#include "core/gang/groups.h"
#include "core/gang/nomination.h"
#include "core/gang/output.h"
#include "core/gang/plan.h"
#include "core/gang/plan_home.h"
#include "core/gang/planner.h"
#include "core/gang/pods.h"
#include "core/gang/wakes.h"

#include <string.h>
#include <utlist.h>

enum {
    ORDINARY_LOOKED_AT = 32, /* waiting ordinary pods; more are taken for fresh ones */
    NOMINATIONS_AHEAD = 128, /* that may be on their way; more take longer than a hold is worth */
    WRITES_OF_A_HOLD = 4,    /* as long as so many writes of a group's object, at least */
    PAUSE_TIMES = 10, /* a hold that came to nothing is not tried again for so many times it */
};

struct held_filter {
    struct filter_call call; /* pod: NULL; what it points to is in text */
    char *text;
    const char **node;
    char *lacking; /* uid of a member whose nomination is not out; NULL: to be looked for */
    struct held_filter *prev, *next;
};

/* ---- what is waited for ---- */

/* An ordinary pod of ours that kube-scheduler has not tried yet stands behind whoever is held. */
static bool is_in_the_way(const struct skr_gang *e)
{
    const struct pod_entry *p;
    int looked_at = 0;
    DL_FOREACH(e->ordinary, p)
    {
        if (++looked_at > ORDINARY_LOOKED_AT ||
            (p->work->accepted.n == 0 && !*pods_scheduler_says(p->pod) && !p->work->vote.request)) {
            return true;
        }
    }
    return false;
}

static bool is_being_planned(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct group *g = p->group;
    if (p->plan) {
        return !p->plan->aborting && !plan_home_is_persisted(e, p->plan);
    }
    bool soon = !g->plan && !g->trial.infeasible &&
                (g->state == GROUP_READY || (g->state == GROUP_BOUND && g->seats.n_ready > 0));
    return p->seated && !p->pod->foreign_gate && (soon || planner_is_solving(e, g));
}

/* Its nomination will come, and is not there yet. */
static bool lacks_nomination(const struct skr_gang *e, const struct plan *plan,
                             const struct pod_entry *p)
{
    return p->plan == plan && !p->pod->gate && !p->work->kick.asked && !p->work->vote.given &&
           !pods_is_bound(p) && !plan_waits_for_turn(p) &&
           (p->work->patch.write ||
            (!p->work->kick.spared && strcmp(p->pod->nominated_node, p->place.node) != 0)) &&
           !nomination_is_forbidden(e);
}

static const struct pod_entry *find_lacking(const struct skr_gang *e, const struct plan *plan)
{
    const struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        if (lacks_nomination(e, plan, p)) {
            return p;
        }
    }
    return NULL;
}

/* Nominations of the plan are on their way, and it is their turn: kube-scheduler has something else
 * to do while those of many groups are written. */
static bool is_being_nominated(const struct skr_gang *e, const struct plan *plan)
{
    const struct group *g;
    const struct pod_entry *p;
    size_t ahead = 0, own = 0;
    DL_FOREACH2(e->planned, g, pnext)
    {
        if (g->plan->order > plan->order || g->plan->aborting) {
            continue;
        }
        DL_FOREACH(g->members, p)
        {
            bool lacks = lacks_nomination(e, g->plan, p);
            ahead += lacks;
            own += lacks && g->plan == plan;
            if (ahead > NOMINATIONS_AHEAD) {
                return false;
            }
        }
    }
    return own > 0;
}

void filter_hold_note_write(struct skr_gang *e, skr_time took)
{
    e->holds.writes_known = true;
    e->holds.write_took = took;
}

static bool is_slow(const struct skr_gang *e)
{
    return !e->holds.writes_known ||
           e->holds.write_took > e->settings.filter_hold / WRITES_OF_A_HOLD ||
           skr_frame_now(e->frame) < e->holds.pause_until;
}

bool filter_hold_is_wanted(struct skr_gang *e, const struct filter_call *call)
{
    if (!call->may_hold || !skr_frame_is_synced(e->frame)) {
        return call->may_hold; /* until the first lists are there nobody is served anyway */
    }
    const struct pod_entry *p = pods_find(e, call->uid);
    if (!p || !p->group || is_slow(e) || is_in_the_way(e)) {
        return false;
    }
    return is_being_planned(e, p) ||
           (p->plan && !p->plan->aborting && is_being_nominated(e, p->plan));
}

/* The same of a call that is held, at the price of a look. Whether the node of a plan that has just
 * been persisted is among the names is for the answer to say. */
static bool waits_on(struct skr_gang *e, struct held_filter *h)
{
    if (skr_frame_now(e->frame) >= h->call.until || !skr_frame_is_synced(e->frame)) {
        return skr_frame_now(e->frame) < h->call.until;
    }
    const struct pod_entry *p = pods_find(e, h->call.uid), *q;
    if (!p || !p->group || is_in_the_way(e)) {
        return false;
    }
    if (!h->lacking) {
        return is_being_planned(e, p);
    }
    if (!p->plan || p->plan->aborting) {
        return false;
    }
    q = pods_find(e, h->lacking);
    if (q && lacks_nomination(e, p->plan, q)) {
        return true;
    }
    q = find_lacking(e, p->plan);
    free(h->lacking);
    h->lacking = q ? skr_strdup(q->uid) : NULL;
    return q;
}

/* ---- holds ---- */

static char *copy_text(char **at, const char *text)
{
    char *copy = *at;
    size_t n = strlen(text) + 1;
    memcpy(copy, text, n);
    *at += n;
    return copy;
}

void filter_hold_begin(struct skr_gang *e, const struct filter_call *call)
{
    struct held_filter *h = skr_alloc(sizeof *h);
    const struct pod_entry *p = pods_find(e, call->uid), *q = NULL;
    size_t bytes = strlen(call->uid) + strlen(call->group) + strlen(call->namespace_) +
                   strlen(call->nominated) + 4;
    for (size_t i = 0; i < call->n_nodes; i++) {
        bytes += strlen(call->node[i]) + 1;
    }
    char *at = h->text = skr_alloc(bytes);
    h->node = skr_alloc_array(call->n_nodes + 1, sizeof *h->node);
    h->call = *call;
    h->call.pod = NULL;
    h->call.uid = copy_text(&at, call->uid);
    h->call.group = copy_text(&at, call->group);
    h->call.namespace_ = copy_text(&at, call->namespace_);
    h->call.nominated = copy_text(&at, call->nominated);
    for (size_t i = 0; i < call->n_nodes; i++) {
        h->node[i] = copy_text(&at, call->node[i]);
    }
    h->call.node = h->node;
    if (p && p->plan && skr_frame_is_synced(e->frame) && !is_being_planned(e, p)) {
        q = find_lacking(e, p->plan);
    }
    h->lacking = q ? skr_strdup(q->uid) : NULL;
    DL_APPEND(e->holds.list, h);
    e->holds.n++;
    skr_frame_hold(e->frame, call->request, call->until);
    wakes_add(e, call->until, WAKE_CALLS, NULL);
}

static void destroy(struct skr_gang *e, struct held_filter *h)
{
    DL_DELETE(e->holds.list, h);
    e->holds.n--;
    free(h->text);
    free(h->node);
    free(h->lacking);
    free(h);
}

void filter_hold_settle(struct skr_gang *e)
{
    struct held_filter *h, *tmp;
    DL_FOREACH_SAFE(e->holds.list, h, tmp)
    {
        if (waits_on(e, h)) {
            continue;
        }
        if (skr_frame_now(e->frame) >= h->call.until && skr_frame_is_synced(e->frame)) {
            e->holds.pause_until = h->call.until + PAUSE_TIMES * e->settings.filter_hold;
        }
        struct filter_call call = h->call;
        call.may_hold = skr_frame_now(e->frame) < call.until && !h->lacking;
        verbs_filter_call(e, &call); /* it may be held again, for the next thing */
        destroy(e, h);
    }
}

bool filter_hold_hangup(struct skr_gang *e, uint64_t request)
{
    struct held_filter *h;
    DL_FOREACH(e->holds.list, h)
    {
        if (h->call.request == request) {
            destroy(e, h);
            return true;
        }
    }
    return false;
}

void filter_hold_end(struct skr_gang *e, const char *text)
{
    while (e->holds.list) {
        out_answer(e, e->holds.list->call.request, SKR_ANSWER_ERROR, text);
        destroy(e, e->holds.list);
    }
}

void filter_hold_fini(struct skr_gang *e)
{
    while (e->holds.list) {
        destroy(e, e->holds.list);
    }
}
