/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs (kubernetes pkg/controller/job): completions, parallelism, both completion modes, backoff,
 * also by index, suspension, deadline, time to live. As there, a finished pod is counted once, when
 * its tracking finalizer is removed, and changes of pods are handled together after a second. With
 * backoffLimitPerIndex a failed pod keeps its finalizer until a successor carries its failures.
 *
 * Without pod failure and success policies, which the store refuses.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/cluster_parts.h"
#include "server/lab/store/indexes.h"
#include "topology/base/arena.h"

enum { BACKOFF_S = 10, BACKOFF_MAX_S = 600 };

#define TRACKING "batch.kubernetes.io/job-tracking"
#define INDEX    "batch.kubernetes.io/job-completion-index"
#define FAILURES "batch.kubernetes.io/job-index-failure-count"

/* Pods that were on their way out when their Job went do not change any more. */
static void let_go_of_leaving(struct skr_cluster *c, const json_t *job)
{
    struct skr_worker *worker;
    const size_t n = skr_workload_pods(c, job, &worker);
    for (size_t i = 0; i < n; i++) {
        const json_t *meta = json_object_get(worker[i].object, "metadata");
        if (json_object_get(meta, "deletionTimestamp") &&
            skr_path_holds(json_object_get(meta, "finalizers"), TRACKING)) {
            skr_cluster_plan(c, SKR_TASK_POD_ORPHAN, worker[i].namespace_, worker[i].name, c->now);
        }
    }
    skr_workload_let_go(worker, n);
}

/* A pod that no Job counts any more. */
void skr_jobs_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    const struct skr_shown *pod = &c->shown;
    if (change->kind == SKR_STORE_DELETED &&
        strcmp(skr_store_resource_key(change->resource), "Job") == 0) {
        let_go_of_leaving(c, change->object);
        return;
    }
    if (!pod->is_pod || !pod->deleting || change->kind == SKR_STORE_DELETED ||
        strcmp(pod->controller_kind, "Job") != 0) {
        return;
    }
    const json_t *job =
        skr_store_get(c->store, "Job", pod->namespace_, skr_path_text(pod->controller, "name"));
    if (skr_path_holds(skr_path_get(change->object, "metadata.finalizers"), TRACKING) &&
        strcmp(skr_path_text(job, "metadata.uid"), skr_path_text(pod->controller, "uid")) != 0) {
        skr_cluster_plan(c, SKR_TASK_POD_ORPHAN, pod->namespace_, pod->name, c->now);
    }
}

/* One look at a Job and its pods. */
struct run {
    struct skr_cluster *c;
    const json_t *job;
    bool indexed;
    int64_t completions; /* -1: not set */
    int64_t parallelism;
    size_t n;
    struct skr_worker *worker;
    struct skr_indexes done; /* indexed: completed ones */
    int64_t per_index;       /* failures after which an index is tried again; -1: not limited */
    struct skr_indexes lost; /* indexes beyond that limit */
    int64_t n_lost, n_held;
    const struct skr_worker **held; /* by index: its last failed pod, if no other one is active */
    int64_t active, ready, terminating;
    int64_t succeeded, failed; /* counted before and now */
    int64_t fresh_failures;
    json_t *status;   /* in the making */
    json_t *variable; /* of the environment of indexed pods; NULL: not needed yet */
};

static bool is_tracked(const struct skr_worker *w)
{
    return skr_path_holds(skr_path_get(w->object, "metadata.finalizers"), TRACKING);
}

/* -1: none. */
static int64_t index_of(const struct skr_worker *w)
{
    const char *text = skr_path_annotation(w->object, INDEX);
    return text ? strtoll(text, NULL, 10) : -1;
}

static bool is_finished(const struct skr_worker *w)
{
    return w->succeeded || w->failed || w->deleting;
}

/* Failures of its index before this pod. */
static int64_t failures_before(const struct skr_worker *w)
{
    const char *text = skr_path_annotation(w->object, FAILURES);
    return text ? strtoll(text, NULL, 10) : 0;
}

/* How long failed pods have no successors. */
static skr_time backoff(int64_t failures)
{
    const int64_t doublings = failures < 8 ? failures - 1 : 7;
    const int64_t wait = (int64_t)BACKOFF_S << doublings;
    return (wait < BACKOFF_MAX_S ? wait : BACKOFF_MAX_S) * SKR_SECOND;
}

/* ---- counting ---- */

static bool in_range(const struct run *r, int64_t index)
{
    return index >= 0 && (r->completions < 0 || index < r->completions);
}

static void count_finished(struct run *r, const struct skr_worker *w)
{
    const int64_t index = index_of(w);
    if (!is_tracked(w)) {
        return; /* already counted */
    }
    if (!w->succeeded) {
        r->failed++;
        r->fresh_failures++;
        if (r->per_index >= 0 && in_range(r, index) && failures_before(w) >= r->per_index) {
            r->n_lost += skr_indexes_add(&r->lost, index) ? 1 : 0;
        }
    } else if (!r->indexed) {
        r->succeeded++;
    } else if (in_range(r, index) && skr_indexes_add(&r->done, index)) {
        r->succeeded++;
    }
}

/* Finds the pods whose failures no other pod carries yet (getPodsWithDelayedDeletionPerIndex). */
static void hold_failed(struct run *r)
{
    struct skr_indexes active = {.n = 0};
    r->held = skr_alloc_array((size_t)r->completions + 1, sizeof *r->held);
    for (size_t i = 0; i < r->n; i++) {
        if (r->worker[i].active) {
            (void)skr_indexes_add(&active, index_of(&r->worker[i]));
        }
    }
    for (size_t i = 0; i < r->n; i++) {
        const struct skr_worker *w = &r->worker[i];
        const int64_t index = index_of(w);
        if (!is_finished(w) || w->succeeded || !is_tracked(w) || !in_range(r, index) ||
            skr_indexes_has(&r->done, index) || skr_indexes_has(&r->lost, index) ||
            skr_indexes_has(&active, index)) {
            continue;
        }
        r->n_held += r->held[index] ? 0 : 1;
        if (!r->held[index] || failures_before(r->held[index]) <= failures_before(w)) {
            r->held[index] = w;
        }
    }
    skr_indexes_fini(&active);
}

static void count(struct run *r)
{
    r->failed = skr_path_int(r->job, "status.failed", 0);
    r->succeeded = skr_path_int(r->job, "status.succeeded", 0);
    skr_indexes_parse(&r->done, skr_path_text(r->job, "status.completedIndexes"));
    skr_indexes_parse(&r->lost, skr_path_text(r->job, "status.failedIndexes"));
    for (int64_t i = 0; r->per_index >= 0 && i < r->completions; i++) {
        r->n_lost += skr_indexes_has(&r->lost, i) ? 1 : 0;
    }
    for (size_t i = 0; i < r->n; i++) {
        const struct skr_worker *w = &r->worker[i];
        r->active += w->active ? 1 : 0;
        r->ready += w->active && w->ready ? 1 : 0;
        r->terminating += w->deleting && !w->succeeded && !w->failed ? 1 : 0;
        if (is_finished(w)) {
            count_finished(r, w);
        }
    }
    if (r->per_index >= 0) {
        hold_failed(r);
    }
}

static void stop_tracking(struct skr_cluster *c, const char *namespace_, const char *pod)
{
    (void)skr_cluster_request(
        c, SKR_STORE_PATCH_STRATEGIC, "Pod", namespace_, pod, "",
        json_pack("{s:{s:[s]}}", "metadata", "$deleteFromPrimitiveList/finalizers", TRACKING),
        NULL);
}

/* Releases counted pods. */
static void untrack(struct run *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct skr_worker *w = &r->worker[i];
        const int64_t index = index_of(w);
        const bool held = r->n_held > 0 && in_range(r, index) && r->held[index] == w;
        if (is_finished(w) && is_tracked(w) && !held) {
            stop_tracking(r->c, w->namespace_, w->name);
        }
    }
}

/* ---- pods ---- */

static void look_again(const struct run *r, skr_time at)
{
    skr_cluster_plan(r->c, SKR_TASK_JOB, skr_path_text(r->job, "metadata.namespace"),
                     skr_path_text(r->job, "metadata.name"), at);
}

/* Stops surplus pods, the youngest first. Failed ones are counted as failed, others are not. */
static void stop_pods(struct run *r, int64_t surplus, bool failed)
{
    SKR_AUTO_FREE struct skr_worker *active = skr_alloc_array(r->n + 1, sizeof *active);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->worker[i].active) {
            active[n++] = r->worker[i];
        }
    }
    skr_workload_rank_for_deletion(active, n);
    for (size_t i = 0; i < n && (int64_t)i < surplus; i++) {
        if (!failed) {
            stop_tracking(r->c, active[i].namespace_, active[i].name);
        }
        skr_cluster_delete(r->c, "Pod", active[i].namespace_, active[i].name, NULL, -1);
        r->active--;
        r->terminating++;
    }
}

static const char *pod_name_of_index(struct run *r, int64_t index, char name[300])
{
    const char *job = skr_path_text(r->job, "metadata.name");
    (void)snprintf(name, 300, "%.230s-%lld", job, (long long)index);
    for (int again = 1;
         skr_store_get(r->c->store, "Pod", skr_path_text(r->job, "metadata.namespace"), name);
         again++) {
        (void)snprintf(name, 300, "%.230s-%lld-%d", job, (long long)index, again);
    }
    return name;
}

static json_t *index_variable(void)
{
    return json_pack("{s:s, s:{s:{s:s, s:s}}}", "name", "JOB_COMPLETION_INDEX", "valueFrom",
                     "fieldRef", "apiVersion", "v1", "fieldPath",
                     "metadata.labels['batch.kubernetes.io/job-completion-index']");
}

/* The pod has the failures of its index, if these are limited. */
static void carry_failures(const struct run *r, int64_t index, json_t *metadata)
{
    const struct skr_worker *last = r->held[index];
    json_object_set_new_nocheck(
        json_object_get(metadata, "annotations"), FAILURES,
        json_sprintf("%lld", (long long)(last ? failures_before(last) + 1 : 0)));
}

static bool make_pod(struct run *r, int64_t index)
{
    char text[24], base[300], name[300];
    struct skr_pod_plan plan = {
        .metadata = json_pack("{s:[s]}", "finalizers", TRACKING),
    };
    if (index >= 0) {
        (void)snprintf(text, sizeof text, "%lld", (long long)index);
        (void)snprintf(base, sizeof base, "%.230s-%s", skr_path_text(r->job, "metadata.name"),
                       text);
        json_object_update_new(plan.metadata, json_pack("{s:{s:s}, s:{s:s}}", "labels", INDEX, text,
                                                        "annotations", INDEX, text));
        if (r->per_index >= 0) {
            carry_failures(r, index, plan.metadata);
        }
        plan.base = base;
        plan.hostname = base;
        r->variable = r->variable ? r->variable : index_variable();
        plan.env = json_incref(r->variable);
        if (r->c->options.ordinal_names) {
            plan.name = pod_name_of_index(r, index, name);
        }
    }
    return skr_workload_create_pod(r->c, r->job, skr_path_get(r->job, "spec.template"), &plan) <
           400;
}

/* When the index may have a pod again (getRemainingTimePerIndex). */
static skr_time index_waits(const struct run *r, int64_t index)
{
    const struct skr_worker *last = r->per_index >= 0 ? r->held[index] : NULL;
    const json_t *status =
        last ? json_array_get(skr_path_get(last->object, "status.containerStatuses"), 0) : NULL;
    skr_time end = skr_cluster_time(status, "state.terminated.finishedAt");
    if (last && end == 0) {
        end = skr_cluster_time(last->object, "metadata.deletionTimestamp");
    }
    return last ? end + backoff(failures_before(last) + 1) : 0;
}

/* Makes pods for the lowest indexes without a pod, and looks again when the next one may have. */
static void make_indexed(struct run *r, int64_t missing)
{
    struct skr_indexes taken = {.n = 0};
    skr_time next = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->worker[i].active || (r->worker[i].deleting && is_tracked(&r->worker[i]))) {
            (void)skr_indexes_add(&taken, index_of(&r->worker[i]));
        }
    }
    for (int64_t i = 0; i < r->completions && missing > 0; i++) {
        if (skr_indexes_has(&r->done, i) || skr_indexes_has(&r->lost, i) ||
            skr_indexes_has(&taken, i)) {
            continue;
        }
        const skr_time wait = index_waits(r, i);
        if (wait > r->c->now) {
            next = next == 0 || wait < next ? wait : next;
            continue;
        }
        if (!make_pod(r, i)) {
            break;
        }
        r->active++;
        missing--;
    }
    if (next > 0) {
        look_again(r, next);
    }
    skr_indexes_fini(&taken);
}

static int64_t wanted_pods(const struct run *r)
{
    if (r->completions < 0) { /* a queue: one success means that it is empty */
        return r->succeeded > 0 ? (r->active < r->parallelism ? r->active : r->parallelism)
                                : r->parallelism;
    }
    const int64_t left = r->completions - r->succeeded - r->n_lost;
    return left < r->parallelism ? (left > 0 ? left : 0) : r->parallelism;
}

/* The time before which failed pods get no successors; 0: now. */
static skr_time backoff_ends(struct run *r)
{
    if (r->per_index >= 0) {
        return 0; /* each index has its own */
    }
    struct skr_owner *owner = skr_owners_get(r->c, skr_path_text(r->job, "metadata.uid"));
    if (r->fresh_failures > 0) {
        owner->failures += r->fresh_failures;
        owner->last_failure = r->c->now;
    } else if (r->succeeded > skr_path_int(r->job, "status.succeeded", 0)) {
        owner->failures = 0;
    }
    return owner->failures > 0 ? owner->last_failure + backoff(owner->failures) : 0;
}

static void manage_pods(struct run *r)
{
    const int64_t wanted = wanted_pods(r);
    const skr_time wait = backoff_ends(r);
    if (r->active > wanted) {
        stop_pods(r, r->active - wanted, false);
        return;
    }
    /* Terminating pods still count (podReplacementPolicy Failed). */
    const bool patient = strcmp(skr_path_text(r->job, "spec.podReplacementPolicy"), "Failed") == 0;
    const int64_t missing = wanted - r->active - (patient ? r->terminating : 0);
    if (missing <= 0) {
        return;
    }
    if (wait > r->c->now) {
        look_again(r, wait);
        return;
    }
    if (r->indexed) {
        make_indexed(r, missing);
        return;
    }
    for (int64_t i = 0; i < missing && make_pod(r, -1); i++) {
        r->active++;
    }
}

/* ---- the end ---- */

static const char *finished_as(const json_t *job)
{
    static const char *const types[] = {"Complete", "Failed"};
    const json_t *conditions = skr_path_get(job, "status.conditions");
    for (size_t i = 0; i < 2; i++) {
        const json_t *condition = skr_path_find(conditions, "type", types[i]);
        if (strcmp(skr_path_text(condition, "status"), "True") == 0) {
            return types[i];
        }
    }
    return NULL;
}

static void fail(struct run *r, const char *reason, const char *message)
{
    skr_store_set_condition(r->status, "FailureTarget", "True", reason, message, r->c->now);
    skr_store_set_condition(r->status, "Failed", "True", reason, message, r->c->now);
    r->n_held = 0; /* no pod follows, so all are counted */
    stop_pods(r, INT64_MAX, true);
}

static void complete(struct run *r)
{
    const char *message = "Reached expected number of succeeded pods";
    skr_store_set_condition(r->status, "SuccessCriteriaMet", "True", "CompletionsReached", message,
                            r->c->now);
    skr_store_set_condition(r->status, "Complete", "True", "CompletionsReached", message,
                            r->c->now);
    json_object_set_new_nocheck(r->status, "completionTime", skr_store_time(r->c->now));
    stop_pods(r, INT64_MAX, false);
}

static bool is_complete(const struct run *r)
{
    return r->completions >= 0 ? r->succeeded >= r->completions
                               : r->succeeded > 0 && r->active == 0;
}

/* activeDeadlineSeconds; plans a look at its end. */
static bool is_late(struct run *r)
{
    const int64_t seconds = skr_path_int(r->job, "spec.activeDeadlineSeconds", -1);
    const skr_time start = skr_cluster_time(r->status, "startTime");
    if (seconds < 0 || start == 0) {
        return false;
    }
    const skr_time end = start + seconds * SKR_SECOND;
    if (end > r->c->now) {
        look_again(r, end);
        return false;
    }
    return true;
}

/* ttlSecondsAfterFinished */
static void expire(struct skr_cluster *c, const json_t *job)
{
    const int64_t seconds = skr_path_int(job, "spec.ttlSecondsAfterFinished", -1);
    const json_t *condition =
        skr_path_find(skr_path_get(job, "status.conditions"), "type", finished_as(job));
    const skr_time end = skr_cluster_time(condition, "lastTransitionTime") + seconds * SKR_SECOND;
    if (seconds < 0) {
        return;
    }
    if (end > c->now) {
        skr_cluster_plan(c, SKR_TASK_JOB, skr_path_text(job, "metadata.namespace"),
                         skr_path_text(job, "metadata.name"), end);
    } else {
        skr_cluster_delete(c, "Job", skr_path_text(job, "metadata.namespace"),
                           skr_path_text(job, "metadata.name"), NULL, -1);
    }
}

/* ---- status ---- */

static void number(json_t *status, const char *key, int64_t value)
{
    if (value > 0) {
        json_object_set_new_nocheck(status, key, json_integer(value));
    } else {
        json_object_del(status, key);
    }
}

static void begin_status(struct run *r)
{
    const json_t *before = skr_path_get(r->job, "status");
    r->status = before ? json_copy(json_object_get(r->job, "status")) : json_object();
}

static void suspend(struct run *r)
{
    stop_pods(r, INT64_MAX, false);
    json_object_del(r->status, "startTime");
    skr_store_set_condition(r->status, "Suspended", "True", "JobSuspended", "Job suspended",
                            r->c->now);
}

static void resume(struct run *r)
{
    if (!json_object_get(r->status, "startTime")) {
        json_object_set_new_nocheck(r->status, "startTime", skr_store_time(r->c->now));
    }
    if (skr_path_find(json_object_get(r->status, "conditions"), "type", "Suspended")) {
        skr_store_set_condition(r->status, "Suspended", "False", "JobResumed", "Job resumed",
                                r->c->now);
    }
}

static void write_status(struct run *r)
{
    char *completed = r->indexed ? skr_indexes_text(&r->done) : NULL;
    number(r->status, "active", r->active);
    number(r->status, "succeeded", r->succeeded);
    number(r->status, "failed", r->failed - r->n_held);
    json_object_set_new_nocheck(r->status, "terminating", json_integer(r->terminating));
    json_object_set_new_nocheck(r->status, "ready", json_integer(r->ready));
    json_object_set_new_nocheck(r->status, "uncountedTerminatedPods", json_object());
    if (completed && *completed != '\0') {
        json_object_set_new_nocheck(r->status, "completedIndexes", json_string(completed));
    }
    free(completed);
    if (r->per_index >= 0) {
        char *lost = skr_indexes_text(&r->lost);
        json_object_set_new_nocheck(r->status, "failedIndexes", json_string(lost));
        free(lost);
    }
    skr_cluster_set_status(r->c, "Job", r->job, r->status);
    r->status = NULL;
}

/* ---- a look ---- */

static void decide(struct run *r)
{
    if (r->failed > skr_path_int(r->job, "spec.backoffLimit", 6)) {
        fail(r, "BackoffLimitExceeded", "Job has reached the specified backoff limit");
    } else if (is_late(r)) {
        fail(r, "DeadlineExceeded", "Job was active longer than specified deadline");
    } else if (r->n_lost > skr_path_int(r->job, "spec.maxFailedIndexes", INT64_MAX)) {
        fail(r, "MaxFailedIndexesExceeded",
             "Job has exceeded the specified maximal number of failed indexes");
    } else if (r->n_lost > 0 && r->n_lost + r->succeeded >= r->completions) {
        fail(r, "FailedIndexes", "Job has failed indexes");
    } else if (skr_path_true(r->job, "spec.suspend")) {
        suspend(r);
    } else {
        resume(r);
        manage_pods(r);
        if (is_complete(r)) {
            complete(r);
        }
    }
}

void skr_jobs_untrack(struct skr_cluster *c, json_t *pod)
{
    stop_tracking(c, skr_path_text(pod, "metadata.namespace"), skr_path_text(pod, "metadata.name"));
}

void skr_jobs_run(struct skr_cluster *c, json_t *job)
{
    struct run r = {
        .c = c,
        .job = job,
        .indexed = strcmp(skr_path_text(job, "spec.completionMode"), "Indexed") == 0,
        .completions = skr_path_int(job, "spec.completions", -1),
        .parallelism = skr_path_int(job, "spec.parallelism", 1),
        .per_index = skr_path_int(job, "spec.backoffLimitPerIndex", -1),
    };
    r.per_index = r.completions < 0 ? -1 : r.per_index; /* the store refuses that */
    r.n = skr_workload_pods(c, job, &r.worker);
    count(&r);
    begin_status(&r);
    if (finished_as(job)) {
        expire(c, job);
    } else if (!skr_path_get(job, "metadata.deletionTimestamp")) {
        decide(&r);
    }
    write_status(&r);
    untrack(&r);
    skr_workload_let_go(r.worker, r.n);
    skr_indexes_fini(&r.done);
    skr_indexes_fini(&r.lost);
    free(r.held);
    json_decref(r.variable);
}
