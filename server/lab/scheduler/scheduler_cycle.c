/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One scheduling cycle (schedule_one.go): nominated node, search, extender, scores, assume; and the
 * handling of a pod that fails in the cycle or in bind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/scheduler/scheduler_cache.h"
#include "server/lab/scheduler/scheduler_devices.h"
#include "server/lab/scheduler/scheduler_filters.h"
#include "server/lab/scheduler/scheduler_queue.h"

enum { EXTENDER_SCORE_UNIT = 10 }; /* MaxNodeScore / MaxExtenderPriority */

/* ---- failures ---- */

static void fail(struct skr_scheduler_model *s, struct skr_sched_pod *p, unsigned rejected_by,
                 const char *reason, const char *message, bool clear_nomination)
{
    skr_trace_add(&s->options.trace, SKR_TRACE_QUEUE, s->now, "pod %s/%s: %s: %s",
                  p->pod->meta.namespace_, p->pod->meta.name, reason, message);
    skr_sched_queue_put_back(&s->queue, p, rejected_by, s->now);
    skr_sched_report_failure(s, p->pod, reason, message, clear_nomination);
}

void skr_sched_bind_failed(struct skr_scheduler_model *s, struct skr_sched_pod *p, const char *text)
{
    if (p->place != SKR_SCHED_ASSUMED) {
        return; /* the API server shows it bound: it leaves the queue */
    }
    skr_sched_devices_unreserve(s, p);
    skr_sched_cache_release(&s->cache, p);
    p->place = SKR_SCHED_OUT;
    skr_sched_pod_left(s, p);
    skr_sched_cache_nominate(&s->cache, p, p->pod->nominated_node);
    fail(s, p, 0, "SchedulerError", text, true);
}

/* ---- the search ---- */

static void make_room(struct skr_scheduler_model *s)
{
    size_t need = s->cache.n_present + 1;
    if (need <= s->cap_names) {
        return;
    }
    free(s->names);
    free(s->passes);
    free(s->why);
    free(s->score);
    s->cap_names = 2 * need;
    s->names = skr_alloc_array(s->cap_names, sizeof *s->names);
    s->passes = skr_alloc_array(s->cap_names, 1);
    s->why = skr_alloc_array(s->cap_names, sizeof *s->why);
    s->score = skr_alloc_array(s->cap_names, sizeof *s->score);
}

/* Names of the feasible nodes into s->names, from the rotating start on. */
static size_t search(struct skr_scheduler_model *s, const struct skr_sched_pod *p,
                     struct skr_sched_diagnosis *diagnosis)
{
    size_t all = s->cache.n_present, found = 0, looked_at = 0;
    size_t enough = skr_sched_enough(all, s->options.percentage);
    while (looked_at < all && found < enough) {
        const struct skr_sched_node *node = s->cache.present[(s->start + looked_at++) % all];
        if (skr_sched_filter(&s->cache, p, node, diagnosis)) {
            s->names[found++] = node->name;
        }
    }
    s->stats.evaluated += looked_at;
    s->start = all > 0 ? (s->start + looked_at) % all : 0;
    return found;
}

/* Keeps those of the n names that the extender accepts. -1: its Error. */
static int ask(struct skr_scheduler_model *s, const struct skr_sched_pod *p, size_t n,
               size_t *ret_left, struct skr_sched_diagnosis *diagnosis, struct skr_error *error)
{
    const char *first = "";
    size_t left = 0;
    memset(s->passes, 0, n);
    memset(s->why, 0, n * sizeof *s->why);
    s->stats.filter_calls++;
    s->stats.filter_names += n;
    if (s->options.extender.filter(s->options.extender.context, p->pod, s->names, n, s->now,
                                   s->passes, s->why, error) < 0) {
        skr_trace_add(&s->options.trace, SKR_TRACE_VERB, s->now, "filter %s/%s, %zu node%s: %s",
                      p->pod->meta.namespace_, p->pod->meta.name, n, n == 1 ? "" : "s",
                      error->text);
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        if (s->passes[i]) {
            s->names[left++] = s->names[i];
            continue;
        }
        const char *why = s->why[i] ? s->why[i] : "";
        first = first[0] ? first : why;
        skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_EXTENDER, why);
    }
    skr_trace_add(&s->options.trace, SKR_TRACE_VERB, s->now, "filter %s/%s, %zu node%s: %s%s",
                  p->pod->meta.namespace_, p->pod->meta.name, n, n == 1 ? "" : "s",
                  left > 0 ? s->names[0] : first, left > 1 ? ", ..." : "");
    *ret_left = left;
    return 0;
}

static size_t try_nominated(struct skr_scheduler_model *s, const struct skr_sched_pod *p,
                            struct skr_sched_diagnosis *diagnosis)
{
    struct skr_error error;
    size_t left = 0;
    const char *name = p->pod->nominated_node;
    const struct skr_sched_node *node = name[0] ? skr_sched_cache_find(&s->cache, name) : NULL;
    if (!node || !node->node) {
        return 0;
    }
    s->stats.evaluated++;
    if (!skr_sched_filter(&s->cache, p, node, diagnosis)) {
        return 0;
    }
    s->names[0] = node->name;
    return ask(s, p, 1, &left, diagnosis, &error) < 0 ? 0 : left;
}

static uint64_t next_random(struct skr_scheduler_model *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

/* The best of the n names; of equals the first, or a random one. */
static const char *choose(struct skr_scheduler_model *s, const struct skr_sched_pod *p, size_t n)
{
    size_t best = 0, equals = 1;
    if (n == 1) {
        return s->names[0];
    }
    memset(s->score, 0, n * sizeof *s->score);
    s->stats.prioritize_calls++;
    s->options.extender.prioritize(s->options.extender.context, p->pod, s->names, n, s->now,
                                   s->score);
    for (size_t i = 0; i < n; i++) {
        const struct skr_sched_node *node = skr_sched_cache_find(&s->cache, s->names[i]);
        s->score[i] = s->score[i] * s->options.extender.weight * EXTENDER_SCORE_UNIT +
                      skr_sched_least_allocated(p, node);
        if (i == 0 || s->score[i] > s->score[best]) {
            best = i;
            equals = 1;
        } else if (s->score[i] == s->score[best] && s->options.seed &&
                   next_random(s) % ++equals == 0) {
            best = i;
        }
    }
    return s->names[best];
}

static void assume(struct skr_scheduler_model *s, struct skr_sched_pod *p, const char *node)
{
    skr_sched_cache_nominate(&s->cache, p, "");
    skr_sched_cache_charge(&s->cache, p, node);
    skr_sched_devices_reserve(s, p);
    p->place = SKR_SCHED_ASSUMED;
    p->call = ++s->call;
    HASH_ADD(hh_call, s->calls, call, sizeof p->call, p);
    s->bind_next = p;
}

static void reject(struct skr_scheduler_model *s, struct skr_sched_pod *p,
                   struct skr_sched_diagnosis *diagnosis)
{
    struct skr_strbuf text;
    if (s->cache.n_present == 0) {
        fail(s, p, 0, "Unschedulable", "no nodes available to schedule pods", true);
        return;
    }
    diagnosis->deallocated =
        (diagnosis->rejected_by & SKR_SCHED_BY_DEVICES) && skr_sched_devices_deallocate(s, p);
    skr_strbuf_init(&text);
    skr_sched_diagnosis_write(diagnosis, s->cache.n_present, &text);
    fail(s, p, diagnosis->rejected_by, "Unschedulable", text.s, false);
    skr_strbuf_fini(&text);
}

void skr_sched_cycle(struct skr_scheduler_model *s)
{
    struct skr_sched_diagnosis diagnosis;
    struct skr_error error = {.code = SKR_OK};
    struct skr_sched_pod *p = skr_sched_queue_pop(&s->queue);
    if (!p) {
        return;
    }
    if (p->pod->meta.deleting) {
        p->place = SKR_SCHED_OUT;
        return;
    }
    s->stats.cycles++;
    s->busy_until = s->now + s->options.cycle_time;
    diagnosis.n = 0;
    diagnosis.rejected_by = 0;
    diagnosis.deallocated = false;
    make_room(s);
    size_t left = try_nominated(s, p, &diagnosis);
    s->stats.nominated_hits += left;
    if (left == 0) {
        diagnosis.n = 0; /* the sentence counts every node once */
        left = search(s, p, &diagnosis);
        if (left > 0 && ask(s, p, left, &left, &diagnosis, &error) < 0) {
            if (error.code == SKR_GONE) {
                skr_sched_queue_put_back(&s->queue, p, 0, s->now);
            } else {
                fail(s, p, 0, "SchedulerError", error.text, true);
            }
            return;
        }
    }
    if (left == 0) {
        reject(s, p, &diagnosis);
    } else {
        assume(s, p, choose(s, p, left));
    }
}
