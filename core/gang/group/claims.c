/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/claims.h"

#include "core/devices/stock_shares.h"
#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/claims_alone.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/uncounted.h"
#include "core/gang/state/types.h"
#include "core/gang/state/wakes.h"

#include <ctype.h>
#include <string.h>
#include <utlist.h>

/* ---- members ---- */

static bool has_claims(const struct pod_entry *p)
{
    return p->pod->shape->late_capacity;
}

bool skr_claims_are_asked(const struct skr_gang *e, const struct pod_entry *p)
{
    return !has_claims(p) || p->work->claims_asked ||
           (!p->work->claims_doubted && p->pod->n_claims > 0 && skr_claim_objects_pass(e, p->pod));
}

/* "0/8 nodes are available: 8 Insufficient cpu." counts nodes; what PreFilter says of a pod does not. */
bool skr_claims_are_read(const struct skr_gang *e, const struct pod_entry *p)
{
    static const char counts[] = "nodes are available: ";
    const char *text = strstr(skr_pods_scheduler_says(p->pod), counts);
    return skr_claims_are_asked(e, p) || (text && isdigit((unsigned char)text[sizeof counts - 1]));
}

static void set_asked(struct pod_entry *p, bool asked)
{
    if (p->work->claims_asked != asked || p->work->claims_doubted == asked) {
        struct pod_work *work = skr_pods_work(p);
        work->claims_asked = asked;
        work->claims_doubted = !asked;
    }
}

void skr_claims_note_call(struct skr_gang *e, struct pod_entry *p)
{
    if (has_claims(p) && !p->work->claims_asked) {
        set_asked(p, true);
        skr_dirty_member(e, p->group);
    }
}

void skr_claims_changed(struct skr_gang *e, struct pod_entry *p, const struct skr_pod *old)
{
    const char *says = skr_pods_scheduler_says(p->pod);
    bool is_new = *says && (!old || strcmp(says, skr_pods_scheduler_says(old)) != 0);
    bool ours = strstr(says, "sakkara:");
    if (has_claims(p) && (is_new || (e->settings.nothing_asks && !*says))) {
        set_asked(p, ours || !*says);
    }
    /* A text of ours is about a call before that in which the node was accepted. */
    if (skr_pods_is_bound(p) || skr_pods_is_terminal(p->pod) || (is_new && !ours)) {
        skr_claims_let_go(e, p);
    }
}

void skr_claims_doubt(struct pod_entry *p)
{
    set_asked(p, false);
}

/* ---- members that kube-scheduler has assumed ---- */

const char *skr_claims_assumed_on(const struct pod_entry *p)
{
    return p->work->assumed.node;
}

skr_time skr_claims_patience(const struct pod_entry *p)
{
    const skr_time since = p->work->assumed.until - SKR_POD_LATE_S * SKR_SECOND;
    return p->work->assumed.node ? since + SKR_CLAIMS_PATIENCE_S * SKR_SECOND : SKR_TIME_NEVER;
}

void skr_claims_assumed(struct skr_gang *e, struct pod_entry *p, const char *node)
{
    if (!skr_shapes_are_late(e, p->pod->shape)) {
        return;
    }
    struct pod_work *work = skr_pods_work(p);
    if (!work->assumed.node) {
        DL_APPEND2(e->assumed, p, own_work->assumed.prev, own_work->assumed.next);
    }
    work->assumed.node = skr_names_intern(e, node);
    work->assumed.until = skr_frame_now(e->frame) + SKR_POD_LATE_S * SKR_SECOND;
    skr_wakes_add(e, work->assumed.until, WAKE_POD, p->uid);
}

const char *skr_claims_counted_on(const struct pod_entry *p)
{
    const char *bind_on = skr_pod_is_live(p->pod) ? p->work->assumed.bind_on : NULL;
    return p->work->assumed.node ? p->work->assumed.node : bind_on;
}

void skr_claims_bind_asked(struct skr_gang *e, struct pod_entry *p, const char *node)
{
    skr_claims_let_go(e, p);
    skr_pods_work(p)->assumed.bind_on = skr_names_intern(e, node);
}

void skr_claims_let_go(struct skr_gang *e, struct pod_entry *p)
{
    const char *node = p->work->assumed.node;
    if (p->work->assumed.bind_on) {
        skr_pods_work(p)->assumed.bind_on = NULL;
    }
    if (!node) {
        return;
    }
    DL_DELETE2(e->assumed, p, own_work->assumed.prev, own_work->assumed.next);
    skr_pods_work(p)->assumed.node = NULL;
    if (!p->plan) {
        skr_devices_let_go(e, p);
    }
    if (!p->plan && !skr_pods_is_bound(p) && skr_ledger_release(e->ledger, p->uid)) {
        skr_nodes_touch(e, node);
        skr_vetoes_end(e, node);
    }
    if (p->group) {
        skr_dirty_member(e, p->group);
    }
}

void skr_claims_let_go_of_all(struct skr_gang *e)
{
    while (e->assumed) {
        skr_claims_let_go(e, e->assumed);
    }
}

void skr_claims_expire(struct skr_gang *e, struct pod_entry *p)
{
    if (p->work->assumed.node && p->work->assumed.until <= skr_frame_now(e->frame)) {
        skr_claims_let_go(e, p);
    }
}

/* ---- claims that do not exist ---- */

enum { SAID_AFTER_S = 1 }; /* pods and claims come by different watches, in any order */

/* The pod is to be planned, and a claim of it, or the class of one, is missing. */
static const struct skr_pod_claim *missing_of(const struct skr_gang *e, const struct pod_entry *p,
                                              const char **ret_class)
{
    const bool counts = p->seated && !p->pod->foreign_gate && !p->waits_for_set &&
                        skr_pod_is_live(p->pod) && !skr_pods_is_bound(p);
    return counts ? skr_claim_objects_missing(e, p->pod, ret_class) : NULL;
}

/* The first pod by name with a missing claim; *ret_n: how many there are. */
static const struct pod_entry *first_lacking(const struct skr_gang *e, const struct group *g,
                                             size_t *ret_n)
{
    const struct pod_entry *p, *first = NULL;
    const char *class;
    *ret_n = 0;
    DL_FOREACH(g->seats.n_claimers > 0 ? g->members : NULL, p)
    {
        if (!missing_of(e, p, &class)) {
            continue;
        }
        ++*ret_n;
        if (!first || strcmp(p->pod->meta.name, first->pod->meta.name) < 0) {
            first = p;
        }
    }
    return first;
}

static void say_missing(struct group *g, const struct pod_entry *p,
                        const struct skr_pod_claim *claim, const char *class, size_t n)
{
    SKR_STRBUF(b);
    const char *kind = skr_gang_claim_type(claim->kind)->resource->kind, *s = n == 1 ? "s" : "";
    if (class) {
        skr_strbuf_addf(&b,
                        "group %s is not planned: %zu of its pods need%s a device class that does "
                        "not exist; create DeviceClass %s, which %s %s of pod %s names",
                        g->name, n, s, class, kind, claim->name, p->pod->meta.name);
    } else {
        skr_strbuf_addf(&b,
                        "group %s is not planned: %zu of its pods name%s claims that do not exist; "
                        "create %s %s in namespace %s, which pod %s names",
                        g->name, n, s, kind, claim->name, g->namespace_, p->pod->meta.name);
    }
    skr_group_state_reason(g, SKR_REASON_CLAIM_NOT_FOUND, b.s);
}

/* True: a claim is missing, or one pod alone may use it and another does: the group waits for it. */
static bool settle_missing(struct skr_gang *e, struct group *g, bool over)
{
    size_t n = 0;
    const struct pod_entry *p = over ? NULL : first_lacking(e, g, &n);
    const char *class = NULL;
    const struct skr_pod_claim *claim = p ? missing_of(e, p, &class) : NULL;
    struct skr_claim_conflict conflict;
    skr_claim_objects_await(e, g, claim);
    if (!claim && (over || !skr_claims_alone_find(e, g, &conflict))) {
        if (g->claims.lacks) {
            g->claims.lacks = 0;
            skr_attempt_doubt(g);
            skr_dirty_group(e, g);
        }
        return false;
    }
    if (!g->claims.lacks) {
        g->claims.lacks = skr_frame_now(e->frame);
    }
    skr_attempt_doubt(g);
    if (g->state == GROUP_BACKOFF) {
        skr_group_state_enter(e, g, GROUP_READY);
    }
    const skr_time at = g->claims.lacks + SAID_AFTER_S * SKR_SECOND;
    if (skr_frame_now(e->frame) < at) {
        skr_wakes_group(e, g, at);
    } else if (claim) {
        say_missing(g, p, claim, class, n);
    } else {
        skr_claims_alone_say(g, &conflict);
    }
    return true;
}

/* ---- claims that ask for too much ---- */

/* kube-scheduler would evaluate all of it, one pod after the other, while others wait: members keep their gates. */
static bool settle_beyond(struct skr_gang *e, struct group *g, bool over)
{
    const bool was = g->claims.beyond;
    const struct pod_entry *p, *first = NULL;
    g->claims.beyond = false;
    DL_FOREACH(over || e->settings.devices_off || g->seats.n_claimers == 0 ? NULL : g->members, p)
    {
        const bool counts = p->seated && skr_pod_is_live(p->pod) && !skr_pods_is_bound(p);
        if (counts && skr_devices_beyond(e, p->pod) &&
            (!first || strcmp(p->pod->meta.name, first->pod->meta.name) < 0)) {
            first = p;
        }
    }
    if (!first) {
        if (was) {
            skr_attempt_doubt(g);
            skr_dirty_group(e, g);
        }
        return false;
    }
    SKR_STRBUF(b);
    g->claims.beyond = true;
    skr_attempt_doubt(g);
    if (g->state == GROUP_BACKOFF) {
        skr_group_state_enter(e, g, GROUP_READY);
    }
    skr_strbuf_addf(&b, "group %s is not planned: %s, as those of pod %s; use fewer", g->name,
                    skr_devices_beyond(e, first->pod), first->pod->meta.name);
    skr_group_state_reason(g, SKR_REASON_EVALUATION_BUDGET, b.s);
    return true;
}

/* ---- groups ---- */

bool skr_claims_keep_from_planning(const struct skr_gang *e, const struct group *g)
{
    return !g->plan && (g->claims.lacks || g->claims.turn || g->claims.beyond ||
                        g->claims.holds_until > skr_frame_now(e->frame) || g->seats.n_assumed > 0 ||
                        (g->claims.waits && g->seats.n_unasked > 0));
}

bool skr_claims_keep_from_evicting(const struct group *g)
{
    return g->claims.open && !g->plan && g->seats.n_unread > 0;
}

static void open_gates(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    if (g->claims.open) {
        return;
    }
    g->claims.open = true;
    skr_uncounted_opened(e);
    DL_FOREACH(g->members, p)
    {
        skr_dirty_pod(e, p);
    }
}

static bool waits_for_call(const struct skr_gang *e, const struct pod_entry *p)
{
    return p->seated && !p->pod->foreign_gate && skr_pod_is_live(p->pod) && !skr_pods_is_bound(p) &&
           !skr_claims_are_asked(e, p);
}

/* The first in the order of the list. */
static struct pod_entry *next_to_ask(const struct skr_gang *e, const struct group *g)
{
    struct pod_entry *p = g->members;
    while (p && !waits_for_call(e, p)) {
        p = p->next;
    }
    return p;
}

/* Where kube-scheduler alone evaluates the claims it gets one member after the other. */
bool skr_claims_open_gate(const struct skr_gang *e, const struct pod_entry *p)
{
    return p->group->claims.open && waits_for_call(e, p) && !skr_uncounted_is_beyond(e, p->group) &&
           (!skr_uncounted_is(e, p->group) || next_to_ask(e, p->group) == p);
}

/* The first by name that waits for its call. */
static const struct pod_entry *first_unasked(const struct skr_gang *e, const struct group *g)
{
    const struct pod_entry *p, *first = NULL;
    DL_FOREACH(g->members, p)
    {
        bool waits = p->seated && skr_pod_is_live(p->pod) && !skr_pods_is_bound(p);
        if (waits && !skr_claims_are_asked(e, p) &&
            (!first || strcmp(p->pod->meta.name, first->pod->meta.name) < 0)) {
            first = p;
        }
    }
    return first;
}

/* The member that kube-scheduler may keep for longest, the first by name of several. */
static const struct pod_entry *last_assumed(const struct group *g)
{
    const struct pod_entry *p, *last = NULL;
    DL_FOREACH(g->members, p)
    {
        if (!p->seated || !p->work->assumed.node) {
            continue;
        }
        skr_time until = p->work->assumed.until;
        if (!last || until > last->work->assumed.until ||
            (until == last->work->assumed.until &&
             strcmp(p->pod->meta.name, last->pod->meta.name) < 0)) {
            last = p;
        }
    }
    return last;
}

static void say_kept(const struct skr_gang *e, struct group *g)
{
    const struct pod_entry *p = last_assumed(g);
    char at[64];
    SKR_STRBUF(b);
    if (!p) {
        return;
    }
    skr_time_write(p->work->assumed.until - p->work->assumed.until % SKR_SECOND,
                   e->settings.utc_offset_s, at, sizeof at);
    skr_strbuf_addf(&b,
                    "group %s waits for its claims: kube-scheduler keeps %zu of its pods on their "
                    "nodes until these are bound, pod %s on node %s until %s at most; check that "
                    "the claims of the pod can be provisioned there, or delete the pod",
                    g->name, g->seats.n_assumed, p->pod->meta.name, p->work->assumed.node, at);
    skr_group_state_reason(g, SKR_REASON_WAITING_FOR_CLAIMS, b.s);
}

static void say(const struct skr_gang *e, struct group *g)
{
    const struct pod_entry *p = first_unasked(e, g);
    SKR_STRBUF(b);
    if (!p) {
        return;
    }
    skr_strbuf_addf(&b,
                    "group %s waits for its claims: kube-scheduler has not asked for %zu of its "
                    "pods yet; ",
                    g->name, g->seats.n_unasked);
    if (*skr_pods_scheduler_says(p->pod)) {
        skr_strbuf_addf(&b, "it reports for pod %s: %.500s", p->pod->meta.name,
                        skr_pods_scheduler_says(p->pod));
    } else {
        skr_strbuf_addf(&b, "check that all claims of pod %s exist", p->pod->meta.name);
    }
    skr_group_state_reason(g, SKR_REASON_WAITING_FOR_CLAIMS, b.s);
}

static void say_over(const struct skr_gang *e, struct group *g)
{
    const skr_time now = skr_frame_now(e->frame);
    const skr_time until = skr_stock_share_until(e->devices.stock, g->namespace_, now);
    char at[64];
    SKR_STRBUF(b);
    if (skr_stock_share_left(e->devices.stock, g->namespace_, now) > 0) {
        skr_uncounted_say(e, g, &b);
        skr_group_state_reason(g, SKR_REASON_EVALUATION_BUDGET, b.s);
        return;
    }
    skr_time_write(until - until % SKR_SECOND + SKR_SECOND, e->settings.utc_offset_s, at,
                   sizeof at);
    skr_strbuf_addf(&b,
                    "group %s is not planned before %s: claims of namespace %s have used the %d "
                    "steps of evaluation that a namespace has a minute; use fewer selectors in its "
                    "claims, or equal ones",
                    g->name, at, g->namespace_, SKR_SHARE_STEPS);
    skr_group_state_reason(g, SKR_REASON_EVALUATION_BUDGET, b.s);
}

bool skr_claims_hold_back(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                          size_t n, bool evicts)
{
    size_t lacking = 0;
    const char *class;
    for (size_t i = 0; i < n && !g->plan; i++) {
        if (missing_of(e, newcomers[i], &class)) {
            skr_dirty_group(e, g);
            return true;
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct pod_entry *p = newcomers[i];
        lacking += evicts ? !skr_claims_are_read(e, p) : !skr_claims_are_asked(e, p);
    }
    if (lacking == 0) {
        return false;
    }
    open_gates(e, g);
    if (!evicts) {
        g->claims.waits = true;
        skr_attempt_doubt(g);
        if (g->state == GROUP_BACKOFF) {
            skr_group_state_enter(e, g, GROUP_READY);
        }
        say(e, g);
    }
    skr_dirty_group(e, g);
    return true;
}

void skr_claims_settle(struct skr_gang *e, struct group *g)
{
    bool over = g->plan || g->state == GROUP_PENDING || g->state == GROUP_INVALID;
    if (g->claims.waits && (over || g->seats.n_unasked == 0)) {
        g->claims.waits = false;
        skr_dirty_plan(e);
    }
    if (g->claims.open && !g->claims.waits && (over || g->seats.n_unread == 0)) {
        g->claims.open = false;
        skr_dirty_victims(e);
    }
    struct pod_entry *next = g->claims.open ? next_to_ask(e, g) : NULL;
    if (next && next->pod->gate) {
        skr_dirty_pod(e, next);
    }
    bool kept = !over && g->seats.n_assumed > 0;
    if (g->claims.kept && !kept) {
        skr_dirty_plan(e);
    }
    g->claims.kept = kept;
    if (settle_missing(e, g, over) || settle_beyond(e, g, over)) {
        return;
    }
    if (kept) {
        say_kept(e, g);
    } else if (g->claims.waits) {
        say(e, g);
    } else if (g->claims.over && !over) {
        say_over(e, g);
    }
}
