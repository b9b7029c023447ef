/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/claims.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/group_state.h"

#include <ctype.h>
#include <string.h>
#include <utlist.h>

/* ---- members ---- */

static bool has_claims(const struct pod_entry *p)
{
    return p->pod->shape->late_capacity;
}

bool skr_claims_are_asked(const struct pod_entry *p)
{
    return !has_claims(p) || p->work->claims_asked;
}

/* "0/8 nodes are available: 8 Insufficient cpu." counts nodes; what PreFilter says of a pod does not. */
bool skr_claims_are_read(const struct pod_entry *p)
{
    static const char counts[] = "nodes are available: ";
    const char *text = strstr(skr_pods_scheduler_says(p->pod), counts);
    return skr_claims_are_asked(p) || (text && isdigit((unsigned char)text[sizeof counts - 1]));
}

static void set_asked(struct pod_entry *p, bool asked)
{
    if (p->work->claims_asked != asked) {
        skr_pods_work(p)->claims_asked = asked;
    }
}

void skr_claims_note_call(struct skr_gang *e, struct pod_entry *p)
{
    if (!skr_claims_are_asked(p)) {
        set_asked(p, true);
        skr_dirty_member(e, p->group);
    }
}

void skr_claims_changed(struct pod_entry *p, const struct skr_pod *old)
{
    const char *says = skr_pods_scheduler_says(p->pod);
    bool is_new = *says && (!old || strcmp(says, skr_pods_scheduler_says(old)) != 0);
    if (has_claims(p) && is_new) {
        set_asked(p, strstr(says, "sakkara:"));
    }
}

void skr_claims_doubt(struct pod_entry *p)
{
    set_asked(p, false);
}

/* ---- groups ---- */

bool skr_claims_keep_from_planning(const struct group *g)
{
    return g->claims.waits && !g->plan && g->seats.n_unasked > 0;
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
    DL_FOREACH(g->members, p)
    {
        skr_dirty_pod(e, p);
    }
}

bool skr_claims_open_gate(const struct pod_entry *p)
{
    return p->group->claims.open && p->seated && !p->pod->foreign_gate && !skr_claims_are_asked(p);
}

/* The first by name that waits for its call. */
static const struct pod_entry *first_unasked(const struct group *g)
{
    const struct pod_entry *p, *first = NULL;
    DL_FOREACH(g->members, p)
    {
        bool waits = p->seated && skr_pod_is_live(p->pod) && !skr_pods_is_bound(p);
        if (waits && !skr_claims_are_asked(p) &&
            (!first || strcmp(p->pod->meta.name, first->pod->meta.name) < 0)) {
            first = p;
        }
    }
    return first;
}

static void say(struct group *g)
{
    const struct pod_entry *p = first_unasked(g);
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

bool skr_claims_hold_back(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                          size_t n, bool evicts)
{
    size_t lacking = 0;
    for (size_t i = 0; i < n; i++) {
        lacking +=
            evicts ? !skr_claims_are_read(newcomers[i]) : !skr_claims_are_asked(newcomers[i]);
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
        say(g);
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
    if (g->claims.waits) {
        say(g);
    }
}
