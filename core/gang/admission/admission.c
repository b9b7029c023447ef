/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads that wait for an answer, one in work at a time: see admission.h. */
#include "core/gang/admission/admission.h"

#include "core/gang/admission/admission_answer.h"
#include "core/gang/admission/admission_promises.h"
#include "core/gang/admission/admission_trial.h"
#include "core/gang/state/output.h"
#include "core/gang/state/types.h"
#include "core/gang/state/wakes.h"
#include "topology/base/table.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

enum { TRY_AGAIN_S = 5, REFUSED_S = 60, LEAVING_LOOK_S = 2 };

struct named {         /* a check of ours, or a flavor */
    UT_hash_handle hh; /* by name */
    char *name;
    struct skr_admission_check *check;
    struct skr_kueue_flavor *flavor;
    uint64_t write; /* of its condition, in flight; 0: none */
    skr_time at;    /* not written before */
};

struct waiting {
    UT_hash_handle hh; /* by key */
    char *key, *namespace_, *name;
    skr_time at;                 /* its turn is not before */
    skr_time leaving_at;         /* it did not fit first while pods terminated; 0: never */
    bool over;                   /* it does not wait any more; it is in work */
    bool changed;                /* it was seen to wait while it is in work */
    struct waiting *prev, *next; /* in the order of their turns */
};

enum step { STEP_NONE, STEP_READ, STEP_SOLVE, STEP_WRITE };

struct admission {
    struct named *checks, *flavors;
    struct waiting *table, *queue;
    bool told_full;
    enum step step;
    struct waiting *now; /* in work; NULL: none */
    uint64_t id;         /* of the write or solve */
    struct skr_kueue_workload *workload;
    struct admission_trial *trial;
    enum skr_admission_verdict verdict; /* that is written */
    skr_time next;                      /* no answer before */
};

static struct admission *state_of(struct skr_gang *e)
{
    if (!e->admission) {
        e->admission = skr_alloc(sizeof *e->admission);
    }
    return e->admission;
}

/* ---- checks and flavors ---- */

static struct named *find_named(const struct skr_gang *e, struct named *table, const char *name)
{
    struct named *entry = NULL;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, table, name, entry);
    return entry;
}

/* NULL: the table is full. */
static struct named *get_named(struct skr_gang *e, struct named **table, const char *name,
                               size_t most)
{
    struct named *entry = find_named(e, *table, name);
    if (!entry && HASH_COUNT(*table) < most) {
        entry = skr_alloc(sizeof *entry);
        entry->name = skr_strdup(name);
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, *table, entry->name, strlen(entry->name), entry);
    } else if (!entry) {
        SKR_STRBUF(text);
        skr_strbuf_addf(&text, "%zu objects of this kind are read, this one is not", most);
        skr_out_decision(e, name, "", "Object of Kueue left out", "", text.s, true);
    }
    return entry;
}

static void drop_named(struct named **table, struct named *entry)
{
    HASH_DEL(*table, entry);
    skr_admission_check_destroy(entry->check);
    skr_kueue_flavor_destroy(entry->flavor);
    free(entry->name);
    free(entry);
}

void skr_admission_check_upsert(struct skr_gang *e, struct skr_admission_check *check)
{
    struct admission *a = state_of(e);
    const bool ours = strcmp(check->controller, SKR_ADMISSION_CONTROLLER) == 0;
    struct named *entry = ours
                              ? get_named(e, &a->checks, check->meta.name, SKR_ADMISSION_CHECKS_MAX)
                              : find_named(e, a->checks, check->meta.name);
    if (!entry) {
        skr_admission_check_destroy(check);
        return;
    }
    skr_admission_check_destroy(entry->check);
    entry->check = check;
    if (!ours) {
        drop_named(&a->checks, entry);
    }
}

void skr_admission_flavor_upsert(struct skr_gang *e, struct skr_kueue_flavor *flavor)
{
    struct admission *a = state_of(e);
    struct named *entry = get_named(e, &a->flavors, flavor->meta.name, SKR_ADMISSION_FLAVORS_MAX);
    if (!entry) {
        skr_kueue_flavor_destroy(flavor);
        return;
    }
    skr_kueue_flavor_destroy(entry->flavor);
    entry->flavor = flavor;
}

static const struct skr_kueue_flavor *flavor_of(const void *context, const char *name)
{
    const struct skr_gang *e = context;
    const struct named *entry = find_named(e, e->admission->flavors, name);
    return entry ? entry->flavor : NULL;
}

static void activate(struct skr_gang *e)
{
    struct named *entry, *next;
    const skr_time now = skr_frame_now(e->frame);
    HASH_ITER(hh, e->admission->checks, entry, next)
    {
        if (entry->check->active || entry->write) {
            continue;
        }
        if (now < entry->at) {
            skr_wakes_add(e, entry->at, WAKE_ADMISSION, NULL);
            continue;
        }
        SKR_STRBUF(body);
        skr_admission_write_active(e, &entry->check->meta, &body);
        entry->at = now + TRY_AGAIN_S * SKR_SECOND;
        entry->write = skr_out_write(e, SKR_WRITE_ACTIVATE_CHECK, SKR_WRITE_CLASS_STATUS, 0,
                                     &entry->check->meta, &body, WRITE_FOR_ADMISSION, entry->name)
                           ->id;
    }
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
        if (find_named(e, e->admission->checks, c->name)) {
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
    struct admission *a = skr_gang_is_kueue(type) ? state_of(e) : NULL;
    struct named *entry;
    if (!a) {
        return false;
    }
    if (type == &skr_gang_kueue_workload) {
        SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
        is_over(e, find_waiting(e, key));
        skr_admission_promises_end(e, key);
    } else if (type == &skr_gang_admission_check) {
        entry = find_named(e, a->checks, name);
        if (entry) {
            drop_named(&a->checks, entry);
        }
    } else {
        entry = find_named(e, a->flavors, name);
        if (entry) {
            drop_named(&a->flavors, entry);
        }
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

static bool is_ours(const void *context, const char *check)
{
    const struct skr_gang *e = context;
    return find_named(e, e->admission->checks, check);
}

static void write_answer(struct skr_gang *e, const char *text)
{
    struct admission *a = e->admission;
    SKR_STRBUF(updates);
    SKR_STRBUF(body);
    if (a->verdict == SKR_ADMISSION_READY) {
        skr_admission_trial_updates(a->trial, &updates);
    } else {
        skr_admission_promises_end(e, a->now->key);
    }
    const struct skr_admission_answer answer = {.verdict = a->verdict,
                                                .text = text,
                                                .updates = updates.s,
                                                .is_ours = is_ours,
                                                .context = e};
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

static void judge(struct skr_gang *e)
{
    struct admission *a = e->admission;
    const char *text;
    a->verdict = skr_admission_trial_verdict(a->trial, &text);
    if (a->verdict == SKR_ADMISSION_AGAIN) {
        skr_out_decision(e, a->now->key, "", "AdmissionCheck not answered", "", text, false);
        skr_admission_promises_end(e, a->now->key);
        again(e, TRY_AGAIN_S * SKR_SECOND);
    } else if (a->verdict == SKR_ADMISSION_RETRY && waits_for_leaving(e)) {
        skr_admission_promises_end(e, a->now->key);
        again(e, LEAVING_LOOK_S * SKR_SECOND);
    } else {
        write_answer(e, text);
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
            again(e, TRY_AGAIN_S * SKR_SECOND);
        }
        return;
    }
    a->workload = workload;
    if (!is_due(e, workload)) {
        done(e);
        return;
    }
    skr_admission_promises_end(e, a->now->key);
    a->trial = skr_admission_trial_create(e, workload, flavor_of, e);
    go_on(e);
}

static void wrote(struct skr_gang *e, const struct skr_event *ev)
{
    struct admission *a = e->admission;
    const enum skr_write_outcome outcome = ev->written.outcome;
    const char *text;
    (void)skr_admission_trial_verdict(a->trial, &text);
    if (outcome == SKR_WRITE_OK) {
        skr_out_decision(e, a->now->key, "", "AdmissionCheck answered",
                         skr_admission_state_name(a->verdict), text, false);
        done(e);
        return;
    }
    skr_admission_promises_end(e, a->now->key);
    if (outcome == SKR_WRITE_NOT_FOUND) {
        done(e);
    } else if (outcome == SKR_WRITE_DENIED || outcome == SKR_WRITE_INVALID) {
        skr_out_decision(e, a->now->key, "", "AdmissionCheck not answered", "", ev->written.message,
                         true);
        again(e, REFUSED_S * SKR_SECOND);
    } else {
        again(e, outcome == SKR_WRITE_CONFLICT ? SKR_SECOND : TRY_AGAIN_S * SKR_SECOND);
    }
}

static void activated(struct skr_gang *e, const struct skr_pending_write *w,
                      const struct skr_event *ev)
{
    struct named *entry = find_named(e, e->admission->checks, w->key);
    const bool refused =
        ev->written.outcome == SKR_WRITE_DENIED || ev->written.outcome == SKR_WRITE_INVALID;
    if (!entry || entry->write != w->id) {
        return;
    }
    entry->write = 0;
    if (refused) {
        entry->at = skr_frame_now(e->frame) + REFUSED_S * SKR_SECOND;
        skr_out_decision(e, w->key, "", "AdmissionCheck not active", "", ev->written.message, true);
    }
}

void skr_admission_written(struct skr_gang *e, const struct skr_pending_write *w,
                           struct skr_event *ev)
{
    struct admission *a = state_of(e);
    if (w->id != a->id || a->step == STEP_SOLVE) {
        activated(e, w, ev);
    } else if (a->step == STEP_READ) {
        read_it(e, ev);
    } else {
        wrote(e, ev);
    }
}

bool skr_admission_solved(struct skr_gang *e, const struct skr_solve_request *solved)
{
    struct admission *a = e->admission;
    if (!a || a->step != STEP_SOLVE || a->id != solved->work.id) {
        return false;
    }
    skr_admission_trial_solved(e, a->trial, solved);
    if (a->now->over) {
        done(e);
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
    struct admission *a = e->admission;
    if (!a || !e->settings.admission_check || !skr_frame_is_deciding(e->frame)) {
        return;
    }
    activate(e);
    if (a->step == STEP_NONE) {
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
    struct named *entry, *next;
    if (!a) {
        return;
    }
    forget_work(e);
    HASH_ITER(hh, a->table, w, wtmp)
    {
        drop_waiting(e, w);
    }
    HASH_ITER(hh, a->checks, entry, next)
    {
        drop_named(&a->checks, entry);
    }
    HASH_ITER(hh, a->flavors, entry, next)
    {
        drop_named(&a->flavors, entry);
    }
    skr_admission_promises_fini(e);
    free(a);
    e->admission = NULL;
}
