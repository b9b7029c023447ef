/* SPDX-License-Identifier: Apache-2.0 */
/* Learns from filter calls whether kube-scheduler looks at every node: see sampling.h. */
#include "core/gang/plan/sampling.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"

#include <string.h>
#include <utlist.h>

/* kube-scheduler's adaptive defaultPercentageOfNodesToScore: 50 less one for each 125 nodes. */
enum { DEFAULT_PERCENT = 50, NODES_A_PERCENT = 125, PERCENT_MIN = 5 };

size_t skr_sampling_nodes_min(const struct skr_gang *e)
{
    return e->settings.sampling_nodes_min ? e->settings.sampling_nodes_min : SKR_SAMPLING_NODES_MIN;
}

/* The most names that the default percentage gives. */
static size_t default_sample(const struct skr_gang *e)
{
    size_t less = e->n_nodes / NODES_A_PERCENT;
    size_t percent = less + PERCENT_MIN > DEFAULT_PERCENT ? PERCENT_MIN : DEFAULT_PERCENT - less;
    size_t n = e->n_nodes * percent / 100;
    return n < skr_sampling_nodes_min(e) ? skr_sampling_nodes_min(e) : n;
}

bool skr_sampling_is_off(const struct skr_gang *e)
{
    return !e->settings.nominate_all && e->n_nodes < skr_sampling_nodes_min(e);
}

/* Enough nodes that the profile matters, few enough that looking at all of them pays. */
static bool is_learned(const struct skr_gang *e)
{
    return !e->settings.nominate_all && e->n_nodes >= skr_sampling_nodes_min(e) &&
           e->n_nodes < SKR_SAMPLING_NODES_MAX;
}

/* ---- beliefs ---- */

static enum sampling_belief belief_of(const struct skr_gang *e, size_t profile)
{
    if (profile >= e->settings.n_scheduler_names) { /* no longer one of ours */
        return SAMPLING_SAMPLES;
    }
    const struct sampling_profile *x = &e->sampling[profile];
    bool lapsed = x->belief == SAMPLING_SAMPLES && skr_frame_now(e->frame) >= x->until;
    return lapsed ? SAMPLING_UNKNOWN : x->belief;
}

bool skr_sampling_spares(const struct skr_gang *e, const struct pod_entry *p)
{
    if (!is_learned(e)) {
        return skr_sampling_is_off(e);
    }
    enum sampling_belief belief = belief_of(e, skr_pods_profile(e, p->pod));
    return belief == SAMPLING_LOOKS_AT_ALL ||
           (belief == SAMPLING_UNKNOWN && (!p->pod->gate || p->place.rank == 0));
}

skr_time skr_sampling_awaits_call(struct skr_gang *e, const struct pod_entry *p)
{
    size_t profile = skr_pods_profile(e, p->pod);
    if (!is_learned(e) || !p->pod->gate || *p->pod->nominated_node ||
        belief_of(e, profile) != SAMPLING_UNKNOWN) {
        return 0;
    }
    struct sampling_profile *x = &e->sampling[profile];
    if (x->call_by == 0) {
        x->call_by = skr_frame_now(e->frame) + SKR_FIRST_CALL_MS * SKR_MILLISECOND;
    }
    return skr_frame_now(e->frame) < x->call_by ? x->call_by : 0;
}

/* Nominates members that were spared it, or spares those that wait for it. */
static void revise_planned(struct skr_gang *e, size_t profile)
{
    const struct group *g;
    struct pod_entry *p;
    DL_FOREACH2(e->planned, g, pnext)
    {
        DL_FOREACH(g->members, p)
        {
            if (p->plan && skr_pods_profile(e, p->pod) == profile) {
                skr_dirty_pod(e, p);
            }
        }
    }
}

static void believe(struct skr_gang *e, size_t profile, enum sampling_belief belief)
{
    struct sampling_profile *x = &e->sampling[profile];
    bool news = belief_of(e, profile) != belief;
    bool samples = belief == SAMPLING_SAMPLES;
    x->belief = belief;
    x->misses = 0;
    x->call_by = 0;
    x->until = samples ? skr_frame_now(e->frame) + SKR_SAMPLES_S * SKR_SECOND : SKR_TIME_NEVER;
    if (!news) {
        return;
    }
    SKR_STRBUF(text);
    skr_strbuf_addf(&text, "schedulerName %s: %s", e->settings.scheduler_name[profile],
                    samples ? "it takes a sample of them, members are nominated"
                            : "it looks at all of them, members need no nomination");
    skr_out_decision(e, "", "", "Nodes that kube-scheduler looks at", "", text.s, false);
    revise_planned(e, profile);
}

/* ---- evidence ---- */

bool skr_sampling_could_go(const struct skr_gang *e, const struct group *g, const struct shape *s,
                           const char *uid, const struct node_entry *n)
{
    return n->node && !skr_vetoes_close(e, g, s, n->name) &&
           skr_pod_shape_check_node(s->spec, n->node) == SKR_ELIGIBLE &&
           skr_ledger_fits(e->ledger, n->name, &s->amounts, uid);
}

/* Whether the names omit a node that the pod could use, other than the planned one. */
static bool leaves_one_out(struct skr_gang *e, const struct skr_pod *pod, const char *const *node,
                           size_t n)
{
    struct node_entry *entry;
    const struct pod_entry *p = skr_pods_find(e, pod->meta.uid);
    const char *planned = p && p->plan ? p->place.node : "";
    const struct group *g = p ? p->group : NULL;
    struct shape *s = skr_shapes_get(e, pod);
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        skr_nodes_name(e, node[i]);
    }
    const bool is_known = !skr_shapes_are_late(e, s->spec);
    for (size_t at = 0; (entry = skr_nodes_next(e, &at));) {
        bool missing = !skr_nodes_take_name(entry) && strcmp(entry->name, planned) != 0;
        found =
            found || (missing && is_known && skr_sampling_could_go(e, g, s, pod->meta.uid, entry));
    }
    skr_shapes_unref(e, s);
    return found;
}

void skr_sampling_note_names(struct skr_gang *e, const struct skr_pod *pod, const char *const *node,
                             size_t n)
{
    size_t profile = skr_pods_profile(e, pod);
    if (!is_learned(e) || n < 2 || profile >= e->settings.n_scheduler_names) {
        return;
    }
    struct sampling_profile *x = &e->sampling[profile];
    enum sampling_belief belief = belief_of(e, profile);
    bool is_more = n > default_sample(e);
    if (belief == SAMPLING_LOOKS_AT_ALL || (belief == SAMPLING_SAMPLES && !is_more) ||
        skr_frame_now(e->frame) < x->look_at) {
        return;
    }
    x->look_at = skr_frame_now(e->frame) + SKR_SAMPLING_LOOK_S * SKR_SECOND;
    if (leaves_one_out(e, pod, node, n)) {
        believe(e, profile, SAMPLING_SAMPLES);
    } else if (is_more) {
        believe(e, profile, SAMPLING_LOOKS_AT_ALL);
    }
}

void skr_sampling_note_missing(struct skr_gang *e, const struct pod_entry *p,
                               const char *const *node, size_t n)
{
    size_t profile = skr_pods_profile(e, p->pod);
    if (!is_learned(e) || profile >= e->settings.n_scheduler_names ||
        belief_of(e, profile) == SAMPLING_SAMPLES) {
        return;
    }
    struct sampling_profile *x = &e->sampling[profile];
    if (++x->misses >= SKR_SAMPLING_MISSES_MAX || n == default_sample(e) ||
        leaves_one_out(e, p->pod, node, n)) {
        believe(e, profile, SAMPLING_SAMPLES);
    }
}
