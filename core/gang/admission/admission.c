/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads that wait for an answer, one in work at a time: see admission.h. */
#include "core/gang/admission/admission.h"

#include "core/gang/admission/admission_answer.h"
#include "core/gang/admission/admission_checks.h"
#include "core/gang/admission/admission_pods.h"
#include "core/gang/admission/admission_promises.h"
#include "core/gang/admission/admission_trial.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/state/output.h"
#include "core/gang/state/types.h"
#include "core/gang/state/wakes.h"
#include "core/gang/time/forecasts.h"
#include "topology/base/table.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

enum { LEAVING_LOOK_S = 2 };

struct waiting {
    UT_hash_handle hh; /* by key */
    char *key, *namespace_, *name;
    skr_time at;                 /* its turn is not before */
    skr_time leaving_at;         /* it did not fit first while pods terminated; 0: never */
    bool over;                   /* it does not wait any more; it is in work */
    bool changed;                /* it was seen to wait while it is in work */
    struct waiting *prev, *next; /* in the order of their turns */
};

enum step { STEP_NONE, STEP_READ, STEP_SOLVE, STEP_FORECAST, STEP_WRITE };

struct admission {
    struct waiting *table, *queue;
    bool told_full;
    enum step step;
    struct waiting *now; /* in work; NULL: none */
    uint64_t id;         /* of the write, solve or forecast */
    struct skr_kueue_workload *workload;
    struct admission_trial *trial;
    enum skr_kueue_state verdict; /* that is written */
    skr_time next;                /* no answer before */
};

static struct admission *state_of(struct skr_gang *e)
{
    if (!e->admission) {
        e->admission = skr_alloc(sizeof *e->admission);
    }
    return e->admission;
}

/* ---- the list ---- */

static struct waiting *find_waiting(const struct skr_gang *e, const char *key)
{
    struct waiting *w = NULL;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->admission->table, key, w);
    return w;
}

static void drop_waiting(struct skr_gang *e, struct waiting *w)
{
    struct admission *a = e->admission;
    HASH_DEL(a->table, w);
    DL_DELETE(a->queue, w);
    free(w->key);
    free(w->namespace_);
    free(w->name);
    free(w);
}

/* It does not wait for an answer of this process. */
static void is_over(struct skr_gang *e, struct waiting *w)
{
    if (w && w == e->admission->now) {
        w->over = true;
    } else if (w) {
        drop_waiting(e, w);
    }
}

static void add_waiting(struct skr_gang *e, const struct skr_meta *meta, const char *key)
{
    struct admission *a = e->admission;
    if (HASH_COUNT(a->table) >= SKR_ADMISSION_WAITING_MAX) {
        if (!a->told_full) {
            SKR_STRBUF(text);
            skr_strbuf_addf(&text, "%d workloads wait for an answer; others wait until they change",
                            SKR_ADMISSION_WAITING_MAX);
            skr_out_decision(e, key, "", "AdmissionCheck not looked at", "", text.s, true);
        }
        a->told_full = true;
        return;
    }
    struct waiting *w = skr_alloc(sizeof *w);
    w->key = skr_strdup(key);
    w->namespace_ = skr_strdup(meta->namespace_);
    w->name = skr_strdup(meta->name);
    SKR_TABLE_ADD(&e->settings.hash_seed, hh, a->table, w->key, strlen(w->key), w);
    DL_APPEND(a->queue, w);
}

/* Before all checks are listed, any check may be one of ours. */
static bool is_due(const struct skr_gang *e, const struct skr_kueue_workload *workload)
{
    bool ours = !skr_frame_is_synced(e->frame), others = false;
    for (size_t i = 0; i < workload->n_checks; i++) {
        const struct skr_kueue_check *c = &workload->check[i];
        if (skr_admission_is_ours(e, c->name)) {
            ours = ours || c->state == SKR_KUEUE_PENDING;
        } else {
            others = others || c->state != SKR_KUEUE_READY;
        }
    }
    return workload->waits && ours && (!others || !skr_frame_is_synced(e->frame));
}

void skr_admission_workload_upsert(struct skr_gang *e, struct skr_kueue_workload *workload)
{
    state_of(e);
    SKR_AUTO_FREE char *key = skr_object_key(workload->meta.namespace_, workload->meta.name);
    if (e->settings.admission_check) {
        skr_workload_owners_ask(e, skr_admission_pods_reads(workload));
    }
    struct waiting *w = find_waiting(e, key);
    if (!workload->reserved) {
        skr_admission_promises_end(e, key);
    }
    if (!e->settings.admission_check || !is_due(e, workload)) {
        is_over(e, w);
    } else if (w) {
        w->over = false;
        w->changed = w == e->admission->now;
    } else {
        add_waiting(e, &workload->meta, key);
    }
    skr_kueue_workload_destroy(workload);
}

bool skr_admission_delete(struct skr_gang *e, const struct skr_object_type *type,
                          const char *namespace_, const char *name)
{
    if (!skr_gang_is_kueue(type)) {
        return false;
    }
    if (type == &skr_gang_kueue_workload) {
        state_of(e);
        SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
        is_over(e, find_waiting(e, key));
        skr_admission_promises_end(e, key);
    } else {
        skr_admission_checks_delete(e, type, name);
    }
    return true;
}

/* ---- the one in work ---- */

static void forget_work(struct skr_gang *e)
{
    struct admission *a = e->admission;
    skr_admission_trial_destroy(e, a->trial);
    skr_kueue_workload_destroy(a->workload);
    a->trial = NULL;
    a->workload = NULL;
    a->now = NULL;
    a->id = 0;
    a->step = STEP_NONE;
}

/* Its turn comes again, unless it waits no longer. */
static void again(struct skr_gang *e, skr_time wait)
{
    struct admission *a = e->admission;
    struct waiting *w = a->now;
    forget_work(e);
    if (w->over) {
        drop_waiting(e, w);
        return;
    }
    w->at = skr_frame_now(e->frame) + wait;
    w->changed = false;
    DL_DELETE(a->queue, w);
    DL_APPEND(a->queue, w);
}

static void done(struct skr_gang *e)
{
    struct waiting *w = e->admission->now;
    if (w->changed && !w->over) { /* what was read may have been older */
        again(e, 0);
        return;
    }
    forget_work(e);
    drop_waiting(e, w);
}

static void start(struct skr_gang *e, struct waiting *w)
{
    struct admission *a = e->admission;
    const struct skr_meta meta = {.namespace_ = w->namespace_, .name = w->name};
    a->now = w;
    a->step = STEP_READ;
    a->id = skr_out_write(e, SKR_WRITE_GET_WORKLOAD, SKR_WRITE_CLASS_LOOKUP, 0, &meta, NULL,
                          WRITE_FOR_ADMISSION, w->key)
                ->id;
}

/* start: the forecast; SKR_INSTANT_NEVER: not known */
static void write_answer(struct skr_gang *e, const char *text, int64_t start)
{
    struct admission *a = e->admission;
    SKR_STRBUF(body);
    json_auto_t *updates = skr_admission_trial_updates(a->trial);
    const struct skr_admission_answer answer = {
        .verdict = a->verdict, .text = text, .updates = updates, .start = start};
    skr_admission_write_answer(e, a->workload, &answer, &body);
    a->next = skr_frame_now(e->frame) + SKR_SECOND / SKR_ADMISSION_A_SECOND;
    a->step = STEP_WRITE;
    a->id = skr_out_write(e, SKR_WRITE_ANSWER_WORKLOAD, SKR_WRITE_CLASS_STATUS, 0,
                          &a->workload->meta, &body, WRITE_FOR_ADMISSION, a->now->key)
                ->id;
}

/* Room that bound pods are about to leave may be enough. */
static bool waits_for_leaving(const struct skr_gang *e)
{
    struct waiting *w = e->admission->now;
    const skr_time now = skr_frame_now(e->frame);
    if (e->n_leaving == 0) {
        return false;
    }
    w->leaving_at = w->leaving_at ? w->leaving_at : now;
    return now < w->leaving_at + SKR_ADMISSION_LEAVING_S * SKR_SECOND;
}

/* The pause until the next trial depends on when the group may start. False: that is not asked. */
static bool asks_for_start(struct skr_gang *e)
{
    struct admission *a = e->admission;
    struct group *g = skr_admission_trial_lacks_room(a->trial);
    const uint64_t id = g ? skr_forecasts_ask_paper(e, g) : 0;
    if (id != 0) {
        a->step = STEP_FORECAST;
        a->id = id;
    }
    return id != 0;
}

static void judge(struct skr_gang *e)
{
    struct admission *a = e->admission;
    const char *text;
    a->verdict = skr_admission_trial_verdict(a->trial, &text);
    if (a->verdict != SKR_KUEUE_READY) {
        skr_admission_promises_end(e, a->now->key);
    }
    if (a->verdict == SKR_KUEUE_PENDING) {
        skr_out_decision(e, a->now->key, "", "AdmissionCheck not answered", "", text, false);
        again(e, SKR_ADMISSION_AGAIN_S * SKR_SECOND);
    } else if (a->verdict == SKR_KUEUE_RETRY && waits_for_leaving(e)) {
        again(e, LEAVING_LOOK_S * SKR_SECOND);
    } else if (!asks_for_start(e)) {
        write_answer(e, text, SKR_INSTANT_NEVER);
    }
}

static void go_on(struct skr_gang *e)
{
    struct admission *a = e->admission;
    struct skr_solve_request *request = skr_admission_trial_next(e, a->trial);
    if (request) {
        a->step = STEP_SOLVE;
        a->id = skr_out_solve(e, request);
    } else {
        judge(e);
    }
}

static void read_it(struct skr_gang *e, struct skr_event *ev)
{
    struct admission *a = e->admission;
    struct skr_kueue_workload *workload =
        ev->written.outcome == SKR_WRITE_OK ? skr_event_take_object(ev) : NULL;
    if (!workload) {
        if (ev->written.outcome == SKR_WRITE_NOT_FOUND || ev->written.outcome == SKR_WRITE_OK) {
            done(e);
        } else {
            again(e, SKR_ADMISSION_AGAIN_S * SKR_SECOND);
        }
        return;
    }
    a->workload = workload;
    if (!is_due(e, workload)) {
        done(e);
        return;
    }
    skr_admission_promises_end(e, a->now->key);
    a->trial = skr_admission_trial_create(e, workload);
    go_on(e);
}

static void wrote(struct skr_gang *e, const struct skr_event *ev)
{
    struct admission *a = e->admission;
    const enum skr_write_outcome outcome = ev->written.outcome;
    const char *text;
    (void)skr_admission_trial_verdict(a->trial, &text);
    const enum skr_admission_result result = a->verdict == SKR_KUEUE_READY ? SKR_ADMISSION_READY
                                             : a->verdict == SKR_KUEUE_RETRY
                                                 ? SKR_ADMISSION_RETRY
                                                 : SKR_ADMISSION_REJECTED;
    e->stats.admissions[outcome == SKR_WRITE_OK ? result : SKR_ADMISSION_NOT_WRITTEN]++;
    if (outcome == SKR_WRITE_OK) {
        skr_out_decision(e, a->now->key, "", "AdmissionCheck answered",
                         skr_kueue_state_name[a->verdict], text, false);
        done(e);
        return;
    }
    skr_admission_promises_end(e, a->now->key);
    if (outcome == SKR_WRITE_NOT_FOUND) {
        done(e);
    } else if (outcome == SKR_WRITE_DENIED || outcome == SKR_WRITE_INVALID) {
        skr_out_decision(e, a->now->key, "", "AdmissionCheck not answered", "", ev->written.message,
                         true);
        again(e, SKR_ADMISSION_REFUSED_S * SKR_SECOND);
    } else {
        again(e, outcome == SKR_WRITE_CONFLICT ? SKR_SECOND : SKR_ADMISSION_AGAIN_S * SKR_SECOND);
    }
}

void skr_admission_written(struct skr_gang *e, const struct skr_pending_write *w,
                           struct skr_event *ev)
{
    struct admission *a = state_of(e);
    if (w->id != a->id || a->step == STEP_SOLVE || a->step == STEP_FORECAST) {
        skr_admission_checks_written(e, w, ev);
    } else if (a->step == STEP_READ) {
        read_it(e, ev);
    } else {
        wrote(e, ev);
    }
}

bool skr_admission_solved(struct skr_gang *e, const struct skr_solve_request *solved)
{
    struct admission *a = e->admission;
    const bool forecast = a && a->step == STEP_FORECAST;
    const char *text;
    if (!a || (a->step != STEP_SOLVE && !forecast) || a->id != solved->work.id) {
        return false;
    }
    if (!forecast) {
        skr_admission_trial_solved(e, a->trial, solved);
    }
    if (a->now->over) {
        done(e);
    } else if (forecast) {
        (void)skr_admission_trial_verdict(a->trial, &text);
        write_answer(e, text, skr_forecasts_paper(solved));
    } else {
        go_on(e);
    }
    return true;
}

/* ---- turns ---- */

/* The first whose turn it is; wakes when there is none yet. */
static struct waiting *next_of(struct skr_gang *e)
{
    struct waiting *w;
    const skr_time now = skr_frame_now(e->frame);
    skr_time first = SKR_TIME_NEVER;
    DL_FOREACH(e->admission->queue, w)
    {
        const skr_time at = w->at > e->admission->next ? w->at : e->admission->next;
        if (at <= now) {
            return w;
        }
        first = at < first ? at : first;
    }
    skr_wakes_add(e, first, WAKE_ADMISSION, NULL);
    return NULL;
}

void skr_admission_run(struct skr_gang *e)
{
    if (!e->settings.admission_check || !skr_frame_is_deciding(e->frame)) {
        return;
    }
    skr_admission_checks_activate(e);
    if (e->admission && e->admission->step == STEP_NONE &&
        !skr_workload_owners_are_coming(e, "JobSet")) {
        struct waiting *w = next_of(e);
        if (w) {
            start(e, w);
        }
    }
}

void skr_admission_stop(struct skr_gang *e)
{
    if (e->admission && e->admission->now) {
        again(e, 0);
    }
}

void skr_admission_fini(struct skr_gang *e)
{
    struct admission *a = e->admission;
    struct waiting *w, *wtmp;
    skr_admission_checks_fini(e);
    if (!a) {
        return;
    }
    forget_work(e);
    HASH_ITER(hh, a->table, w, wtmp)
    {
        drop_waiting(e, w);
    }
    skr_admission_promises_fini(e);
    free(a);
    e->admission = NULL;
}
