/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refusals by kube-scheduler: their row per group, and their causes. The refusing plugin is only
 * found in the pod's condition, as a phrase for users; the phrases are from the plugins' sources
 * (pkg/scheduler/framework/plugins), 1.30 to 1.37. Causes that the planner knows come last: a
 * condition speaks of all nodes, and the planned node passed those filters.
 */
#include "core/gang/group/refusal.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/device_holds.h"
#include "core/gang/group/group_state.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

struct phrase {
    const char *text, *plugin, *rule; /* rule: the part of a pod that it concerns */
};

static const struct phrase phrases[] = {
    {"volume node affinity conflict", "VolumeBinding", "volumes of the pod"},
    {"PersistentVolume's node affinity", "VolumeBinding", "volumes of the pod"},
    {"available persistent volumes to bind", "VolumeBinding", "volumes of the pod"},
    {"unbound immediate PersistentVolumeClaims", "VolumeBinding", "volumes of the pod"},
    {"not have enough free storage", "VolumeBinding", "volumes of the pod"},
    {"no available volume zone", "VolumeZone", "volumes of the pod"},
    {"exceed max volume count", "NodeVolumeLimits", "volumes of the pod"},
    {"no available disk", "VolumeRestrictions", "volumes of the pod"},
    {"ReadWriteOncePod", "VolumeRestrictions", "volumes of the pod"},
    {"resourceclaim", "DynamicResources", "resourceClaims of the pod"},
    {"cannot allocate all claims", "DynamicResources",
     "resourceClaims or extended resources of the pod"},
    {"existing pods anti-affinity rules", "InterPodAffinity", "podAntiAffinity of pods that run"},
    {"match pod anti-affinity rules", "InterPodAffinity", "podAntiAffinity of the pod"},
    {"match pod affinity rules", "InterPodAffinity", "podAffinity of the pod"},
    {"pod topology spread constraints", "PodTopologySpread",
     "topologySpreadConstraints of the pod"},
    {"free ports for the requested pod ports", "NodePorts", "hostPort of the pod"},
    {"node affinity/selector", "NodeAffinity", "nodeSelector or nodeAffinity of the pod"},
    {"untolerated taint", "TaintToleration", "tolerations of the pod"},
    {"were unschedulable", "NodeUnschedulable", "a cordon"},
    {"Too many pods", "NodeResourcesFit", "requests of the pod"},
    {"Insufficient ", "NodeResourcesFit", "requests of the pod"},
};
enum { N_PHRASES = sizeof phrases / sizeof phrases[0] };

/* The first phrase of the table in the text; N_PHRASES: none. */
static size_t phrase_in(const char *text)
{
    size_t i = 0;
    while (i < N_PHRASES && !strstr(text, phrases[i].text)) {
        i++;
    }
    return i;
}

static const struct pod_entry *refused_pod(const struct skr_gang *e, const struct group *g)
{
    const struct pod_entry *p = g->refusal.pod ? skr_pods_find(e, g->refusal.pod) : NULL;
    return p && p->group == g && skr_pod_is_live(p->pod) && !skr_pods_is_bound(p) ? p : NULL;
}

/* What the refusal rests on has changed. */
static bool lifted(const struct skr_gang *e, const struct group *g)
{
    return g->vetoes.lifted_at > g->refusal.seen ||
           skr_seen_changed(&e->seen, SEEN_LIFTED, g->refusal.seen);
}

static bool stands(const struct skr_gang *e, const struct group *g)
{
    return g->refusal.n > 0 && !lifted(e, g) && refused_pod(e, g);
}

const char *const skr_mispredicted_name[] = {
    "DynamicResources", "VolumeBinding", "NodeVolumeLimits", "VolumeRestrictions", "VolumeZone"};
_Static_assert(sizeof skr_mispredicted_name / sizeof *skr_mispredicted_name ==
                   SKR_MISPREDICTED_COUNT,
               "one name a plugin");

/* The refusal is counted once, as soon as its plugin is known. Devices that are not counted promise nothing. */
static void count_misprediction(struct skr_gang *e, struct group *g)
{
    for (int i = 0; i < SKR_MISPREDICTED_COUNT && !g->refusal.counted; i++) {
        if (strcmp(skr_mispredicted_name[i], g->refusal.plugin) == 0) {
            e->stats.mispredictions[i] += i != SKR_MISPREDICTED_DEVICES || !g->uncounted;
            g->refusal.counted = true;
        }
    }
}

enum { LOOKED_AT = 64 }; /* members: they are alike */

/* Conditions arrive after the refusal and the next attempt replaces them: copies the text. */
static void look(struct skr_gang *e, struct group *g)
{
    const struct pod_entry *p = refused_pod(e, g);
    const char *text = p ? skr_pods_scheduler_answer(p) : "";
    size_t n = 0, at = phrase_in(text);
    if (g->refusal.absent_s) {
        return;
    }
    for (p = g->members; p && at == N_PHRASES && n < LOOKED_AT; p = p->next, n++) {
        bool waits = skr_pod_is_live(p->pod) && !skr_pods_is_bound(p);
        if (waits && strcmp(skr_pods_scheduler_answer(p), text) != 0) {
            text = skr_pods_scheduler_answer(p);
            at = phrase_in(text);
        }
    }
    if (at < N_PHRASES) {
        g->refusal.plugin = phrases[at].plugin;
        g->refusal.rule = phrases[at].rule;
        count_misprediction(e, g);
    }
}

void skr_refusal_forget(struct group *g)
{
    free(g->refusal.pod);
    free(g->refusal.node);
    g->refusal.pod = g->refusal.node = NULL;
    g->refusal.plugin = g->refusal.rule = NULL;
    g->refusal.n = 0;
    g->refusal.until = 0;
    g->refusal.absent_s = 0;
    g->refusal.counted = false;
}

static bool is_counted(const struct pod_entry *q, const struct pod_entry *p)
{
    const char *node = skr_claims_counted_on(q);
    const bool accepted = q->plan == p->plan && strcmp(q->place.node, p->place.node) == 0 &&
                          (skr_pods_is_bound(q) || skr_pods_was_accepted(q));
    return accepted || (node && strcmp(node, p->place.node) == 0);
}

static bool has_volumes(const struct pod_entry *p)
{
    size_t i = 0;
    while (i < p->pod->n_claims && p->pod->claim[i].kind != SKR_POD_CLAIM_VOLUME) {
        i++;
    }
    return i < p->pod->n_claims;
}

/* How many members of its shape the node is to get. kube-scheduler counts there those of the plan that it
 * has accepted, and those of an ended plan which it may not have let go of: so many fit. Volumes of those
 * that are nominated count as well (RunFilterPluginsWithNominatedPods): if none was accepted, the next
 * plan has half of them. Past the point of no return the member needs another node, whatever the others
 * have: 0. */
static int32_t fits_beside(const struct group *g, const struct pod_entry *p)
{
    const struct pod_entry *q;
    int32_t fit = 0, nominated = 0;
    if (p->plan->binding_persisted) {
        return 0;
    }
    DL_FOREACH(g->members, q)
    {
        if (q == p || q->shape != p->shape) {
            continue;
        }
        const bool counts = is_counted(q, p);
        fit += counts;
        nominated += !counts && q->plan == p->plan && strcmp(q->place.node, p->place.node) == 0 &&
                     strcmp(q->pod->nominated_node, p->place.node) == 0;
    }
    return fit > 0 || !has_volumes(p) ? fit : (nominated + 1) / 2;
}

/* One more in the row. True: the group pauses. */
static bool lengthen(struct skr_gang *e, struct group *g, const struct pod_entry *p, bool doubtful)
{
    uint32_t n = stands(e, g) ? g->refusal.n : 0;
    const char *plugin = n > 0 ? g->refusal.plugin : NULL, *rule = g->refusal.rule;
    skr_refusal_forget(g);
    g->refusal.plugin = plugin;
    g->refusal.rule = plugin ? rule : NULL;
    g->refusal.pod = skr_strdup(p->uid);
    g->refusal.node = skr_strdup(p->place.node);
    g->refusal.seen = e->seen.now;
    g->refusal.n = n < UINT32_MAX ? n + 1 : n;
    g->refusal.counted = doubtful;
    look(e, g);
    if (g->refusal.n <= SKR_REFUSALS_AT_ONCE) {
        return false;
    }
    uint32_t doublings = g->refusal.n - SKR_REFUSALS_AT_ONCE - 1;
    skr_time pause = SKR_REFUSAL_PAUSE_MAX_S * SKR_SECOND;
    if (doublings < 16 && SKR_SECOND << doublings < pause) {
        pause = SKR_SECOND << doublings;
    }
    g->refusal.until = skr_frame_now(e->frame) + pause;
    skr_wakes_add(e, g->refusal.until, WAKE_GROUP, g->key);
    return true;
}

bool skr_refusal_note(struct skr_gang *e, struct group *g, const struct pod_entry *p)
{
    const bool doubtful = !p->plan->binding_persisted && skr_device_holds_leftover(e, g);
    skr_vetoes_refuse(e, g, p->shape, p->place.node, fits_beside(g, p), doubtful);
    return lengthen(e, g, p, doubtful);
}

bool skr_refusal_note_unpatched(struct skr_gang *e, struct group *g, const struct pod_entry *p)
{
    return lengthen(e, g, p, true);
}

bool skr_refusal_note_absent(struct skr_gang *e, struct group *g, const struct pod_entry *p)
{
    const bool pauses = lengthen(e, g, p, true);
    const skr_time for_ = skr_frame_now(e->frame) - p->work->activation.at;
    g->refusal.plugin = NULL;
    g->refusal.absent_s = (int32_t)(for_ / SKR_SECOND);
    return pauses;
}

void skr_refusal_came(struct skr_gang *e, struct group *g, const struct pod_entry *p)
{
    if (g->refusal.absent_s && g->refusal.until && strcmp(g->refusal.pod, p->uid) == 0) {
        g->refusal.until = 0;
        skr_attempt_again(g);
        skr_dirty_plan(e);
    }
}

skr_time skr_refusal_pause(const struct skr_gang *e, const struct group *g)
{
    return g->refusal.until > skr_frame_now(e->frame) && stands(e, g) ? g->refusal.until : 0;
}

size_t skr_refusal_nodes(struct skr_gang *e, const struct group *g, size_t *ret_counted)
{
    const struct pod_entry *p = stands(e, g) ? refused_pod(e, g) : NULL;
    *ret_counted = 0;
    return p ? skr_vetoes_count_refused(e, g, p->shape, ret_counted) : 0;
}

/* ---- words ---- */

void skr_refusal_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    const struct pod_entry *p = refused_pod(e, g);
    const char *name = p ? p->pod->meta.name : "?", *condition = "";
    skr_strbuf_addf(b, "group %s is not placed: kube-scheduler ", g->name);
    if (!g->refusal.absent_s) {
        condition = p ? skr_pods_scheduler_answer(p) : "";
        skr_strbuf_addf(b, "refuses node %s for pod %s", g->refusal.node ? g->refusal.node : "?",
                        name);
    } else {
        skr_strbuf_addf(b,
                        "has not asked about pod %s for %d s, but about pods that came later into "
                        "its queue; does another plugin hold the pod, or does a resourceClaim of "
                        "it not exist?",
                        name, (int)g->refusal.absent_s);
    }
    if (g->refusal.plugin) {
        skr_strbuf_addf(b, ": %s, because of %s", g->refusal.plugin, g->refusal.rule);
    } else if (*condition &&
               !strstr(condition, "sakkara:")) { /* the daemon's own words explain nothing */
        skr_strbuf_addf(b, ": %.500s", condition);
    }
}

void skr_refusal_say_accepted(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    const struct pod_entry *p = refused_pod(e, g);
    if (p) {
        skr_vetoes_say_accepted(e, g, p->shape, b);
    }
}

void skr_refusal_refresh(struct skr_gang *e, struct group *g)
{
    const char *plugin = g->refusal.plugin;
    if (g->refusal.n == 0) {
        return;
    }
    look(e, g);
    if (g->plan || g->reason != SKR_REASON_FILTERED_BY_OTHERS || !refused_pod(e, g)) {
        return;
    }
    if (g->attempt.infeasible) { /* the sentence continues: it is completed with the next answer */
        if (plugin != g->refusal.plugin) {
            skr_attempt_again(g);
            skr_dirty_plan(e);
        }
        return;
    }
    SKR_STRBUF(b);
    skr_refusal_say(e, g, &b);
    skr_group_state_reason(g, SKR_REASON_FILTERED_BY_OTHERS, b.s);
}

void skr_refusal_fini(struct group *g)
{
    skr_refusal_forget(g);
}
