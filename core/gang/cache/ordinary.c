/* SPDX-License-Identifier: Apache-2.0 */
/*
 * single.at is where a pod with claims holds room now. update() compares it with what should be, after
 * each change and at the deadline; charges on paper read it.
 */
#include "core/gang/cache/ordinary.h"

#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

/* ---- answers that overtook the watch ---- */

struct early_yes {
    char *uid, *node;
    skr_time at;
};
struct early_yeses {
    struct early_yes item[SKR_EARLY_MAX];
    size_t next; /* is overwritten: the oldest */
};

static void early_drop(struct early_yes *yes)
{
    free(yes->uid);
    free(yes->node);
    *yes = (struct early_yes){0};
}

static struct early_yes *early_find(const struct skr_gang *e, const char *uid)
{
    for (size_t i = 0; e->early && i < SKR_EARLY_MAX; i++) {
        struct early_yes *yes = &e->early->item[i];
        if (yes->uid && strcmp(yes->uid, uid) == 0) {
            return yes;
        }
    }
    return NULL;
}

static void early_add(struct skr_gang *e, const char *uid, const char *node)
{
    struct early_yes *yes = early_find(e, uid);
    if (!e->early) {
        e->early = skr_alloc(sizeof *e->early);
    }
    if (!yes) {
        yes = &e->early->item[e->early->next];
        e->early->next = (e->early->next + 1) % SKR_EARLY_MAX;
    }
    early_drop(yes);
    *yes = (struct early_yes){
        .uid = skr_strdup(uid), .node = skr_strdup(node), .at = skr_frame_now(e->frame)};
}

static void early_take(struct skr_gang *e, struct pod_entry *p)
{
    struct early_yes *yes = early_find(e, p->uid);
    if (yes) {
        struct pod_work *work = skr_pods_work(p);
        work->single.asked_at = yes->at;
        work->single.only = skr_names_intern(e, yes->node);
        early_drop(yes);
    }
}

void skr_ordinary_fini(struct skr_gang *e)
{
    for (size_t i = 0; e->early && i < SKR_EARLY_MAX; i++) {
        early_drop(&e->early->item[i]);
    }
    free(e->early);
    e->early = NULL;
}

/* ---- what a pod holds ---- */

/* kube-scheduler has tried it, in vain. */
static bool is_judged(const struct skr_pod *pod)
{
    return *pod->scheduled_reason && strcmp(pod->scheduled_reason, "SchedulingGated") != 0;
}

static bool is_new_judgement(const struct skr_pod *pod, const struct skr_pod *old)
{
    return is_judged(pod) && (!old || strcmp(old->scheduled_reason, pod->scheduled_reason) != 0 ||
                              strcmp(old->scheduled_message, pod->scheduled_message) != 0);
}

/* kube-scheduler keeps it on another node from now on. Its judgement may be about an earlier try: both are
 * written after the decision, in any order or together. It is not, if no node was accepted since. */
static bool is_kept_anew(const struct pod_entry *p, const struct skr_pod *old)
{
    const bool is_new =
        old && *p->pod->nominated_node && strcmp(old->nominated_node, p->pod->nominated_node) != 0;
    return is_new && (p->work->single.asked_at || !is_new_judgement(p->pod, old));
}

skr_time skr_ordinary_first_until(const struct skr_gang *e, const struct pod_entry *p)
{
    bool may = p->ordinary && !p->pod->shape->late_capacity && !is_judged(p->pod);
    skr_time until = may ? p->work->single.since + SKR_POD_FIRST_S * SKR_SECOND : 0;
    return until > skr_frame_now(e->frame) ? until : 0;
}

int32_t skr_ordinary_class_of(const struct group *g)
{
    const struct pod_entry *p;
    int32_t most = INT32_MIN;
    DL_FOREACH(g->members, p)
    {
        most = skr_pod_is_live(p->pod) && p->pod->priority > most ? p->pod->priority : most;
    }
    return most;
}

bool skr_ordinary_goes_first(const struct skr_gang *e, const struct pod_entry *p, int32_t priority)
{
    return p->pod->priority > priority && skr_ordinary_first_until(e, p) > 0;
}

void skr_ordinary_note_first(struct skr_gang *e, struct pod_entry *p)
{
    if (!p->work->single.first) {
        skr_pods_work(p)->single.first = true;
        skr_wakes_add(e, skr_ordinary_first_until(e, p), WAKE_POD, p->uid);
    }
}

/* A pod whose answer an earlier process gave is known by its nomination. */
static skr_time late_until(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct pod_work *work = p->work;
    skr_time since = work->single.asked_at     ? work->single.asked_at
                     : is_judged(p->pod)       ? 0
                     : *p->pod->nominated_node ? work->single.since
                                               : 0;
    return p->ordinary && since && skr_shapes_are_late(e, p->pod->shape)
               ? since + SKR_POD_LATE_S * SKR_SECOND
               : 0;
}

skr_time skr_ordinary_late_until(const struct skr_gang *e, const struct pod_entry *p)
{
    return p->work->single.at ? late_until(e, p) : 0;
}

const char *skr_ordinary_late_node(const struct skr_gang *e, const struct pod_entry *p)
{
    const char *node = p->work->single.at;
    return node && !skr_ledger_find(e->ledger, p->uid, NULL) ? node : NULL;
}

static const char *late_node(struct skr_gang *e, const struct pod_entry *p)
{
    if (late_until(e, p) <= skr_frame_now(e->frame)) {
        return NULL;
    }
    const char *nominated = p->pod->nominated_node;
    return *nominated ? skr_names_intern(e, nominated) : p->work->single.only;
}

static void update(struct skr_gang *e, struct pod_entry *p)
{
    const char *want = late_node(e, p), *have = p->work->single.at;
    if (p->work->single.first && skr_ordinary_first_until(e, p) == 0) {
        skr_pods_work(p)->single.first = false;
        skr_dirty_capacity(e);
    }
    if (want != have) {
        skr_pods_work(p)->single.at = want;
        skr_devices_let_go(e, p);
        if (want) {
            skr_devices_await(e, p, want);
        }
        skr_dirty_late_room(e, have);
        if (have) {
            skr_vetoes_end(e, have);
        }
    }
    if (want && (want != have || p->work->single.asked_at == skr_frame_now(e->frame))) {
        skr_wakes_add(e, late_until(e, p), WAKE_POD, p->uid);
    }
}

/* ---- changes ---- */

static void forget(struct pod_entry *p)
{
    if (p->work->single.asked_at) {
        struct pod_work *work = skr_pods_work(p);
        work->single.asked_at = 0;
        work->single.only = NULL;
    }
}

void skr_ordinary_changed(struct skr_gang *e, struct pod_entry *p, const struct skr_pod *old)
{
    bool waits = skr_pods_is_waiting(p);
    if (!waits && !p->ordinary) {
        return;
    }
    if (waits && !p->ordinary) {
        p->ordinary = true;
        DL_APPEND(e->ordinary, p);
        if (p->work->single.since == 0) { /* labels that change move no deadline */
            skr_pods_work(p)->single.since = skr_frame_now(e->frame);
        }
        early_take(e, p);
    } else if (!waits) {
        skr_ordinary_leave(e, p);
        return;
    } else if (is_kept_anew(p, old)) {
        skr_pods_work(p)->single.asked_at = skr_frame_now(e->frame);
    } else if (is_new_judgement(p->pod, old)) {
        forget(p);
    }
    update(e, p);
}

void skr_ordinary_leave(struct skr_gang *e, struct pod_entry *p)
{
    if (!p->ordinary) {
        return;
    }
    p->ordinary = false;
    DL_DELETE(e->ordinary, p);
    forget(p);
    update(e, p);
}

void skr_ordinary_accepted(struct skr_gang *e, struct pod_entry *p, const char *uid,
                           const char *const *node, size_t n, const uint8_t *mask)
{
    const char *only = NULL;
    size_t passed = 0;
    for (size_t i = 0; i < n; i++) {
        if (mask[i / 8] & (1u << (i % 8))) {
            only = passed++ == 0 ? node[i] : NULL;
        }
    }
    if (!p) {
        if (only) {
            early_add(e, uid, only);
        }
        return;
    }
    struct pod_work *work = skr_pods_work(p);
    work->single.asked_at = passed > 0 ? skr_frame_now(e->frame) : 0;
    work->single.only = only ? skr_names_intern(e, only) : NULL;
    update(e, p);
}

void skr_ordinary_refused(struct skr_gang *e, struct pod_entry *p)
{
    forget(p);
    update(e, p);
}

void skr_ordinary_expire(struct skr_gang *e, struct pod_entry *p)
{
    if (p->ordinary) {
        update(e, p);
    }
}
