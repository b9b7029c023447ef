/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what waiting members show. Events are bounded: a member gets one per reason until it is
 * planned, five seconds after the reason began, in the lowest class of writes. Of gated members
 * (which show nothing else) the first hundred by name get it. Of the others all get it while few
 * wait, else the first by name.
 */
#include "core/gang/report/waiting.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/output.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

#include "topology/base/hash.h"

enum {
    ANNOUNCE_AFTER_S = 5,
    ANNOUNCED_GATED = 100, /* members of a group that get an Event */
    ANNOUNCED_ALL = 16,    /* if at most so many wait, all of them */
    TURNS_FROM = 512,      /* members */
    TURN_NS = 20000,       /* cost of a patch */
    LABEL_AFTER_S = 1,
    LABEL_LATEST_S = 10,
    WAKE_MS = 20, /* between two members without a gate; kube-scheduler needs less for one */
    WAKE_TURNS_MAX = 15000,
};

/* Delay among the writes for members of a large group: other groups' writes need not wait. */
static skr_time turn_of(const struct pod_entry *p)
{
    uint64_t hash = skr_hash_bytes(SKR_HASH_BEGIN, p->uid, strlen(p->uid));
    size_t n = p->group->n_members;
    return n <= TURNS_FROM ? 0 : (skr_time)(hash % n) * TURN_NS;
}

/* A label wakes a member without a gate, which does not help it. kube-scheduler tries these one after the
 * other, so that gangs that came later wait for few of them. */
static skr_time wake_turn_of(const struct skr_gang *e, const struct pod_entry *p)
{
    const uint64_t hash = skr_hash_bytes(SKR_HASH_BEGIN, p->uid, strlen(p->uid));
    const size_t n = skr_pods_count(e) < WAKE_TURNS_MAX ? skr_pods_count(e) : WAKE_TURNS_MAX;
    return n > 0 ? (skr_time)(hash % n) * WAKE_MS * SKR_MILLISECOND : 0;
}

skr_time skr_waiting_label_at(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct group *g = p->group;
    skr_time since = p->seen_at > g->status_since ? p->seen_at : g->status_since;
    skr_time last = g->members->prev->seen_at; /* members are in order of arrival */
    skr_time at = (last > since ? last : since) + LABEL_AFTER_S * SKR_SECOND;
    skr_time latest = since + LABEL_LATEST_S * SKR_SECOND;
    return (at < latest ? at : latest) + (p->pod->gate ? turn_of(p) : wake_turn_of(e, p));
}

bool skr_waiting_was_misled(const struct pod_entry *p)
{
    const struct group *g = p->group;
    bool early = p->work->answered && (strcmp(p->work->answered, SKR_TEXT_PLANNING) == 0 ||
                                       strcmp(p->work->answered, SKR_TEXT_MEMBERS) == 0);
    return early && p->seated && g->attempt.infeasible &&
           strcmp(skr_group_state_text(g), p->work->answered) != 0;
}

/* ---- which members ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether the names found are valid; those of a large group may be slightly old. */
static bool is_found(const struct skr_gang *e, const struct group *g)
{
    bool pauses = skr_frame_now(e->frame) < g->announced.sought_at + skr_dirty_pause(g);
    return g->announced.first && (pauses || (g->announced.input == g->input_epoch &&
                                             g->announced.bound == g->seats.n_bound));
}

/* Finds the names of the first and of the ANNOUNCED_GATED-th waiting member, once per change of
 * members. */
static void find_first(const struct skr_gang *e, struct group *g)
{
    const struct pod_entry *q;
    size_t n = 0;
    if (is_found(e, g)) {
        return;
    }
    SKR_AUTO_FREE const char **name = skr_alloc_array(g->n_members + 1, sizeof *name);
    DL_FOREACH(g->members, q)
    {
        if (skr_pod_is_live(q->pod) && !skr_pods_is_bound(q)) {
            name[n++] = q->pod->meta.name;
        }
    }
    qsort(name, n, sizeof *name, by_name);
    free(g->announced.first);
    free(g->announced.last);
    g->announced.first = skr_strdup(n > 0 ? name[0] : "");
    g->announced.last =
        skr_strdup(n > 0 ? name[n < ANNOUNCED_GATED ? n - 1 : ANNOUNCED_GATED - 1] : "");
    g->announced.input = g->input_epoch;
    g->announced.bound = g->seats.n_bound;
    g->announced.sought_at = skr_frame_now(e->frame);
}

static bool is_among_first(const struct skr_gang *e, struct pod_entry *p)
{
    struct group *g = p->group;
    if (g->n_members <= ANNOUNCED_ALL || (!p->pod->gate && g->seats.n_newcomers <= ANNOUNCED_ALL)) {
        return true;
    }
    find_first(e, g);
    return strcmp(p->pod->meta.name, p->pod->gate ? g->announced.last : g->announced.first) <= 0;
}

/* ---- what ---- */

static bool needs_a_human(const struct group *g)
{
    return g->reason <= SKR_REASON_TOPOLOGY_MISSING ||
           g->reason == SKR_REASON_CONSTRAINT_CONFLICT || g->reason == SKR_REASON_NEVER_FITS ||
           g->reason == SKR_REASON_BIND_FAILED;
}

/* "group a needs 6 slots ...; kubectl sakkara explain a -n team" */
static void write_note(const struct pod_entry *p, bool beyond, struct skr_strbuf *b)
{
    const struct group *g = p->group;
    const char *text = g->message ? g->message : skr_group_state_text(g);
    if (skr_membership_is_of_another(g, p)) {
        skr_strbuf_addf(b, "group %s: ", g->name);
        skr_membership_say_another(g, 1, b);
    } else if (beyond) {
        int32_t size = skr_membership_most(g);
        skr_strbuf_addf(b, "group %s has %d seat%s taken: the pod is beyond its size", g->name,
                        size, size == 1 ? ", which is" : "s and all are");
    } else {
        bool names_it =
            strncmp(text, "group ", 6) == 0 && strncmp(text + 6, g->name, strlen(g->name)) == 0;
        skr_strbuf_addf(b, "%s%s%s%.700s", names_it ? "" : "group ", names_it ? "" : g->name,
                        names_it ? "" : ": ", text);
    }
    skr_strbuf_addf(b, "; kubectl sakkara %s %s", beyond ? "group" : "explain", g->name);
    if (strcmp(g->namespace_, "default") != 0) {
        skr_strbuf_addf(b, " -n %s", g->namespace_);
    }
}

static bool is_follower(const struct group *g)
{
    return strcmp(skr_group_state_text(g), SKR_TEXT_FOLLOWER) == 0;
}

static void tell(struct skr_gang *e, const struct pod_entry *p, bool beyond)
{
    const struct group *g = p->group;
    SKR_STRBUF(note);
    write_note(p, beyond, &note);
    if (!beyond && is_follower(g)) {
        skr_out_event(e, "Pod", &p->pod->meta, false, "FollowerWaiting", "FollowerWaiting", note.s);
    } else {
        skr_out_event(e, "Pod", &p->pod->meta, !beyond && needs_a_human(g), "GroupWaiting",
                      !beyond                              ? skr_reason_name(g->reason)
                      : skr_membership_is_of_another(g, p) ? SKR_TOKEN_OTHER_GENERATION
                                                           : SKR_TOKEN_BEYOND_SIZE,
                      note.s);
    }
}

void skr_waiting_tell(struct skr_gang *e, struct pod_entry *p)
{
    struct group *g = p->group;
    bool beyond = skr_membership_is_beyond(g, p);
    uint32_t bit = UINT32_C(1) << (beyond ? SKR_REASON_NONE : g->reason);
    _Static_assert(SKR_REASON_COUNT <= 32, "one bit a reason");
    if (g->announced.reason != g->reason || g->announced.since == 0) {
        g->announced.reason = g->reason;
        g->announced.since = skr_frame_now(e->frame);
    }
    bool silent = !beyond && g->reason == SKR_REASON_NONE && !is_follower(g);
    if (silent || (p->work->announced & bit)) {
        return;
    }
    skr_time since = p->seen_at > g->announced.since ? p->seen_at : g->announced.since;
    skr_time at = since + ANNOUNCE_AFTER_S * SKR_SECOND + turn_of(p);
    if (skr_frame_now(e->frame) < at) {
        skr_wakes_add(e, at, WAKE_POD, p->uid);
        return;
    }
    skr_pods_work(p)->announced |= bit;
    if (is_among_first(e, p)) {
        tell(e, p, beyond);
    }
}
