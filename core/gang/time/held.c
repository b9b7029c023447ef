/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/held.h"

#include <string.h>

#include "core/gang/cache/booked.h"
#include "core/gang/cache/ends.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/state/output.h"

enum {
    RETRY_FIRST_S = 1,
    RETRY_LAST_S = 30,
    SEEN_S = 30, /* a granted eviction shows in the watch by then */
};

/* ---- what is due ---- */

/* When the pod is to be evicted; SKR_INSTANT_NEVER: it keeps its word, or the kubelet sees to it. */
static int64_t due_of(const struct skr_pod_times *times)
{
    struct skr_pod_times own = *times;
    own.job_deadline_s = 0;
    own.deleted = 0;
    if (times->word == 0) {
        return SKR_INSTANT_NEVER;
    }
    return times->raised ? times->word - times->grace_s
           : skr_end_begun(&own) == times->word || times->deleted != 0 ? SKR_INSTANT_NEVER
                                                                       : times->word;
}

/* ---- evictions ---- */

static struct skr_meta meta_of(const struct end_row *row, struct skr_strbuf *space)
{
    const size_t n = strcspn(row->key, "/");
    skr_strbuf_addn(space, row->key, n);
    return (struct skr_meta){.namespace_ = space->s, .name = row->key + n + 1, .uid = row->uid};
}

static void write_body(struct skr_strbuf *body, const struct skr_meta *meta, int32_t grace_s)
{
    struct skr_json_writer w = {.out = body};
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", "policy/v1");
    skr_json_string(&w, "kind", "Eviction");
    skr_json_open(&w, "metadata", '{');
    skr_json_string(&w, "namespace", meta->namespace_);
    skr_json_string(&w, "name", meta->name);
    skr_json_close(&w, '}');
    skr_json_open(&w, "deleteOptions", '{');
    skr_json_int(&w, "gracePeriodSeconds", grace_s);
    skr_json_open(&w, "preconditions", '{');
    skr_json_string(&w, "uid", meta->uid);
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
}

/* Names objects of the namespace of the pod alone. */
static void say(struct skr_gang *e, const struct end_row *row, const struct skr_pod_times *times,
                const struct booking *needs, const struct skr_meta *meta)
{
    const struct group *g = needs->group;
    const bool same = strcmp(g->namespace_, meta->namespace_) == 0;
    struct skr_pod_times job = *times;
    char end[48];
    SKR_STRBUF(note);
    job.deadline_s = 0;
    job.deleted = 0;
    const bool by_pod = times->deadline_s > 0 && skr_end_begun(&job) > times->word &&
                        !(*row->job && times->job_deadline_s == 0);
    skr_time_write(times->word * SKR_SECOND, 0, end, sizeof end);
    skr_strbuf_addf(&note, "pod %s is evicted: it was let in until %s by ", meta->name, end);
    if (by_pod || !*row->job) {
        skr_strbuf_add(&note, "its activeDeadlineSeconds");
    } else {
        skr_strbuf_addf(&note, "activeDeadlineSeconds of Job %s", row->job);
    }
    skr_strbuf_addf(&note, "%s, and %s%s needs its room then",
                    times->deleted != 0 ? ", was deleted with a longer grace period"
                    : times->raised     ? ", which does not end it then any more"
                                        : ", which did not end it",
                    same ? "group " : "a group of another namespace", same ? g->name : "");
    skr_out_event(e, "Pod", meta, true, "PodBeyondLimit", "PodBeyondLimit", note.s);
    skr_out_decision(e, "", row->key, "Pod beyond its limit is evicted", "PodBeyondLimit", note.s,
                     false);
}

static void evict(struct skr_gang *e, struct end_row *row, const struct skr_pod_times *times,
                  const struct booking *needs)
{
    SKR_STRBUF(space);
    SKR_STRBUF(body);
    const struct skr_meta meta = meta_of(row, &space);
    if (!row->evict.told) {
        row->evict.told = true;
        say(e, row, times, needs, &meta);
    }
    write_body(&body, &meta, times->grace_s);
    row->evict.write = skr_out_write(e, SKR_WRITE_EVICT, SKR_WRITE_CLASS_EVICT, 0, &meta, &body,
                                     WRITE_FOR_WORD, row->uid)
                           ->id;
}

/* It terminates already, as soon as an eviction would end it. */
static bool is_leaving(const struct skr_pod_times *times, int64_t now)
{
    return times->deleted != 0 && skr_instant_up(times->deleted) <= now + times->grace_s + 1;
}

/* The row of a word that is due. Returns when it is looked at next. */
static skr_time hold_to_word(struct skr_gang *e, const struct booked_node *node,
                             struct end_row *row, int64_t *spared)
{
    const skr_time now = skr_frame_now(e->frame);
    const int64_t instant = now / SKR_SECOND;
    const struct skr_pod_times times = skr_ends_times(e, row);
    const int64_t due = due_of(&times);
    const struct booking *needs = NULL;
    if (due == SKR_INSTANT_NEVER || due > instant) {
        return due == SKR_INSTANT_NEVER ? SKR_TIME_NEVER : due * SKR_SECOND;
    }
    if (!skr_booked_needs(e, node, row, spared, &needs)) {
        if (times.raised && times.word <= instant) {
            skr_ends_renew(e, row);
        }
        return times.word > instant ? times.word * SKR_SECOND : SKR_TIME_NEVER;
    }
    const struct pod_entry *p = skr_pods_find(e, row->uid);
    const bool own = p && p->group == needs->group; /* it would make room for itself */
    const bool runs = !p || skr_pods_is_bound(p);   /* else it has a place in a plan alone */
    if (own || !runs || row->evict.write || is_leaving(&times, instant)) {
        return SKR_TIME_NEVER;
    }
    if (now >= row->evict.at) {
        evict(e, row, &times, needs);
        return SKR_TIME_NEVER;
    }
    return row->evict.at;
}

skr_time skr_held_review(struct skr_gang *e)
{
    const struct booked_node *node = NULL;
    skr_time next = SKR_TIME_NEVER;
    if (!e->settings.evict_overrun || e->rounds.first || skr_workload_owners_are_coming(e, "Job")) {
        return SKR_TIME_NEVER;
    }
    while ((node = skr_booked_next(e, node))) {
        int64_t spared[SKR_RESOURCES_MAX] = {0};
        const struct end_row *row = skr_ends_on(e, node->name);
        for (; row; row = row->next) {
            const skr_time at = hold_to_word(e, node, (struct end_row *)(uintptr_t)row, spared);
            next = at < next ? at : next;
        }
    }
    return next;
}

/* ---- answers ---- */

void skr_held_done(struct skr_gang *e, const struct skr_pending_write *w, struct skr_event *ev)
{
    struct end_row *row = (struct end_row *)(uintptr_t)skr_ends_find(e, w->key);
    const enum skr_write_outcome outcome = ev->written.outcome;
    const bool evicted = outcome == SKR_WRITE_OK, blocked = outcome == SKR_WRITE_BUSY;
    e->stats.evictions[evicted   ? SKR_EVICTION_EVICTED
                       : blocked ? SKR_EVICTION_BLOCKED
                                 : SKR_EVICTION_FAILED]++;
    if (!row || row->evict.write != w->id) {
        return;
    }
    const uint32_t shift = row->evict.failures > 5 ? 5 : row->evict.failures;
    const skr_time back_off = RETRY_FIRST_S * SKR_SECOND << shift;
    const skr_time least = ev->written.retry_after;
    skr_time pause = back_off > RETRY_LAST_S * SKR_SECOND ? RETRY_LAST_S * SKR_SECOND : back_off;
    pause = evicted ? SEEN_S * SKR_SECOND : pause > least ? pause : least;
    if (outcome == SKR_WRITE_DENIED || outcome == SKR_WRITE_INVALID) {
        skr_out_decision(e, "", row->key, "Eviction refused", "", ev->written.message, true);
    }
    row->evict.write = 0;
    row->evict.failures = evicted ? 0 : row->evict.failures + 1;
    row->evict.at = skr_frame_now(e->frame) + pause;
    e->rounds.held_at = skr_frame_now(e->frame);
}
