/* SPDX-License-Identifier: Apache-2.0 */
/*
 * releaseGateAfter: cluster autoscalers ignore gated pods. After a group has waited that long for
 * capacity alone, the gates of its members are removed without a plan. Then kube-scheduler calls
 * them unschedulable, and an autoscaler sees them. A removed gate stays removed.
 *
 * - Groups that wait for their rules, for members or for victims keep their gates: nodes do not help
 *   them. NeverFits counts: an autoscaler may have larger nodes, or nodes with the right labels.
 * - In a group that runs, replacements of lost members and followers count. Their node may be gone.
 * - Groups go in order of the queue. A group goes as a whole, because an autoscaler makes room for
 *   the pods that it sees, and half a group does not start. The first group may have up to
 *   SKR_RELEASED_GROUP_MAX pods; others go beside it while all have up to SKR_RELEASED_MAX. After
 *   SKR_RELEASED_TURN_S the turn passes on, so that a group that no autoscaler can help does not
 *   hide those behind it.
 * - Groups whose claims are not counted go as far as their namespace has few such pods with kube-scheduler
 *   (group/uncounted.h).
 * - Groups of a PodGroup of scheduling.k8s.io keep their gates. So do other groups whose pods are in
 *   a PodGroup of 1.36: that kube-scheduler tries such pods again without a pause.
 */
#include "core/gang/bind/gate_release.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/provisioning.h"
#include "core/gang/group/uncounted.h"
#include "core/gang/planning/queue.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"
#include "topology/duration.h"

#include <utlist.h>

enum { LOOK_AGAIN_S = 5 }; /* for a group whose turn it is not yet */

/* Pods of a Job may be in a PodGroup whatever their group is. */
static bool keeps_gates(const struct skr_gang *e, const struct group *g)
{
    const struct pod_entry *p;
    if (!skr_uncounted_may_release(e, g)) {
        return true;
    }
    DL_FOREACH(g->members, p)
    {
        if (p->pod->scheduling_group[0]) {
            return skr_entry_is_native(g->name) || !skr_entry_is_queued_whole(e, p->pod);
        }
    }
    return false;
}

/* Whether followers of a running group have no place; their group has no reason. */
static bool has_followers_without_place(const struct group *g)
{
    return g->state == GROUP_BOUND && g->reason == SKR_REASON_NONE && g->seats.n_newcomers > 0;
}

static bool waits_for_capacity(const struct group *g)
{
    return g->attempt.infeasible && !g->plan &&
           (g->reason == SKR_REASON_WAITING_FOR_CAPACITY || g->reason == SKR_REASON_NEVER_FITS ||
            has_followers_without_place(g));
}

/* Whether the gates of the group are open, and it is still its turn. */
static bool has_turn(const struct skr_gang *e, const struct group *g)
{
    return g->release.open &&
           skr_frame_now(e->frame) < g->release.opened_at + SKR_RELEASED_TURN_S * SKR_SECOND;
}

/* What all groups that wait for capacity say. Many look at the same time: with more than FEW groups, one count serves
 * for twenty times its cost. */
struct releases {
    skr_time at;
    uint64_t seen;       /* the stamp then: a group that went is none of first */
    size_t all, in_turn; /* newcomers of open groups; of those whose turn it is */
    /* The first of those that may go, by the queue. [1]: but for those whose turn is over. */
    const struct group *first[2];
};
enum { FEW = 256, GROUP_NS = 1000 };

static void count(const struct skr_gang *e, struct releases *r)
{
    const struct group *g, *tmp;
    *r = (struct releases){.at = skr_frame_now(e->frame), .seen = e->seen.now};
    HASH_ITER(hh, e->groups, g, tmp)
    {
        if (!waits_for_capacity(g)) {
            continue;
        }
        const bool turn = has_turn(e, g);
        r->all += g->release.open ? g->seats.n_newcomers : 0;
        r->in_turn += turn ? g->seats.n_newcomers : 0;
        for (int k = 0; k < (!g->release.open || turn ? 2 : 1) && !keeps_gates(e, g); k++) {
            r->first[k] = !r->first[k] || skr_queue_goes_before(g, r->first[k]) ? g : r->first[k];
        }
    }
}

static struct releases *look(struct skr_gang *e)
{
    const size_t n = HASH_COUNT(e->groups);
    const bool is_new = !e->releases;
    e->releases = is_new ? skr_alloc(sizeof *e->releases) : e->releases;
    if (is_new || n <= FEW || skr_seen_changed(&e->seen, SEEN_CENSUS, e->releases->seen) ||
        skr_frame_now(e->frame) >= e->releases->at + (skr_time)n * GROUP_NS) {
        count(e, e->releases);
    }
    return e->releases;
}

/* Whether it is the turn of the group. O(groups) if they are counted. */
static bool may_go(const struct skr_gang *e, const struct group *g, const struct releases *r)
{
    const size_t own = g->seats.n_newcomers;
    if (keeps_gates(e, g) || own > SKR_RELEASED_GROUP_MAX) {
        return false;
    }
    return r->first[0] == g || (r->all + own <= SKR_RELEASED_ALL_MAX &&
                                (r->in_turn + own <= SKR_RELEASED_MAX || r->first[1] == g));
}

static void open_gates(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    g->release.open = true;
    g->release.opened_at = skr_frame_now(e->frame);
    e->releases->all += g->seats.n_newcomers;
    e->releases->in_turn += g->seats.n_newcomers;
    skr_uncounted_opened(e);
    skr_out_decision(e, g->key, "", "Gates released", skr_reason_name(g->reason),
                     "the group has waited for capacity; autoscalers may see its members", false);
    DL_FOREACH(g->members, p)
    {
        skr_dirty_pod(e, p);
    }
}

void skr_gate_release_settle(struct skr_gang *e, struct group *g)
{
    if (!waits_for_capacity(g)) {
        g->release.since = 0;
        g->release.open = g->release.open && g->seats.n_bound == 0 && g->seats.n_live > 0;
        skr_provisioning_rest(e, g);
        return;
    }
    if (!g->release.since) {
        g->release.since = skr_frame_now(e->frame);
    }
    if (e->settings.release_gate_after == SKR_TIME_NEVER || g->release.open) {
        return;
    }
    skr_time at = g->release.since + e->settings.release_gate_after;
    if (skr_frame_now(e->frame) < at) {
        skr_wakes_group(e, g, at);
    } else if (skr_provisioning_step(e, g)) {
        return;
    } else if (!may_go(e, g, look(e))) {
        skr_wakes_group(e, g, skr_frame_now(e->frame) + LOOK_AGAIN_S * SKR_SECOND);
    } else {
        open_gates(e, g);
    }
}

bool skr_gate_release_may_open(const struct skr_gang *e, const struct pod_entry *p)
{
    return p->group->release.open && p->seated && !p->pod->foreign_gate &&
           !skr_uncounted_is_beyond(e, p->group);
}

bool skr_gate_release_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    char after[SKR_DURATION_TEXT_MAX];
    if (e->settings.release_gate_after == SKR_TIME_NEVER || !waits_for_capacity(g)) {
        return false;
    }
    if (skr_provisioning_say(e, g, b)) {
        return true;
    }
    if (g->release.open) {
        skr_strbuf_add(b, "its gates are removed, so that cluster autoscalers see its pods");
        return true;
    }
    if (keeps_gates(e, g)) {
        return false;
    }
    skr_duration_write(e->settings.release_gate_after, after, sizeof after);
    skr_strbuf_addf(b, "cluster autoscalers see its pods after %s without room (releaseGateAfter)",
                    after);
    return true;
}
