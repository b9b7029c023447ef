/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JobSets (jobset pkg/controllers/jobset_controller.go, failure_policy.go, success_policy.go): Jobs of
 * each replicated Job, in order of startupPolicy and dependsOn. A failed Job fails the JobSet, or the
 * failurePolicy restarts it: Jobs of the attempt before are deleted, and made again as soon as their
 * names are free; with BlockingRecreate, as soon as all of them are gone. The JobSet is Completed by
 * its successPolicy.
 *
 * Not modelled: coordinator and networks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/children.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

#define JOBSET  "jobset.sigs.k8s.io/"
#define ATTEMPT JOBSET "restart-attempt"

/* One replicated Job. */
struct replicated {
    const json_t *row;
    const char *name;
    int64_t replicas;
    int64_t first; /* global index of its first Job */
};

struct set {
    struct skr_cluster *c;
    const json_t *object;
    const char *namespace_, *name;
    struct replicated *r;
    size_t n;
    int64_t total, attempt;
    bool waits; /* Jobs of an attempt before are left, and all have to be gone */
};

static void job_name(const struct set *s, const struct replicated *r, int64_t index, char name[300])
{
    (void)snprintf(name, 300, "%.120s-%.60s-%lld", s->name, r->name, (long long)index);
}

static const json_t *job_of(const struct set *s, const struct replicated *r, int64_t index)
{
    char name[300];
    job_name(s, r, index, name);
    return skr_store_get(s->c->store, "Job", s->namespace_, name);
}

static int64_t attempt_of(const json_t *job)
{
    const char *text = skr_path_label(job, ATTEMPT);
    return text ? strtoll(text, NULL, 10) : 0;
}

static bool is_old(const struct set *s, const json_t *job)
{
    return attempt_of(job) < s->attempt || skr_children_is_deleted(job);
}

/* The condition of this type that holds; NULL: none. */
static const json_t *condition_of(const json_t *object, const char *type)
{
    const json_t *found = skr_path_find(skr_path_get(object, "status.conditions"), "type", type);
    return strcmp(skr_path_text(found, "status"), "True") == 0 ? found : NULL;
}

/* ---- new Jobs ---- */

static json_t *job_labels(const struct set *s, const struct replicated *r, int64_t index)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", JOBSET "jobset-name", s->name,
                     JOBSET "jobset-uid", skr_path_text(s->object, "metadata.uid"),
                     JOBSET "replicatedjob-name", r->name, JOBSET "replicatedjob-replicas",
                     skr_children_text_of(r->replicas), JOBSET "job-index",
                     skr_children_text_of(index), JOBSET "job-global-index",
                     skr_children_text_of(r->first + index), JOBSET "global-replicas",
                     skr_children_text_of(s->total), ATTEMPT, skr_children_text_of(s->attempt));
}

static void have_job(const struct set *s, const struct replicated *r, int64_t index)
{
    static const char *const followed[] = {"suspend", NULL};
    char name[300];
    job_name(s, r, index, name);
    json_t *job = skr_children_template(skr_path_get(r->row, "template"));
    json_t *spec = skr_path_own(job, "spec");
    json_t *template = skr_path_own(spec, "template");
    static const char *const members[] = {"labels", "annotations"};
    for (size_t i = 0; i < 2; i++) {
        skr_children_add(job, members[i], job_labels(s, r, index));
        skr_children_add(template, members[i], job_labels(s, r, index));
    }
    if (!json_object_get(spec, "completionMode")) {
        json_object_set_new(spec, "completionMode", json_string("Indexed"));
    }
    if (!skr_path_get(template, "spec.restartPolicy")) {
        json_object_set_new(skr_path_own(template, "spec"), "restartPolicy",
                            json_string("OnFailure"));
    }
    json_object_set_new(spec, "suspend", json_boolean(skr_path_true(s->object, "spec.suspend")));
    const json_t *there = job_of(s, r, index);
    if ((there && (is_old(s, there) || condition_of(there, "Complete"))) || (!there && s->waits)) {
        json_decref(job);
        return;
    }
    (void)skr_children_follow(s->c, s->object, "Job", name, job, followed);
}

/* Whether all Jobs of a replicated Job are Ready, or Complete. */
static bool jobs_are(const struct set *s, const struct replicated *r, bool complete)
{
    for (int64_t i = 0; i < r->replicas; i++) {
        const json_t *job = job_of(s, r, i);
        const int64_t ready =
            skr_path_int(job, "status.ready", 0) + skr_path_int(job, "status.succeeded", 0);
        if (!job || is_old(s, job) ||
            (!condition_of(job, "Complete") &&
             (complete || ready < skr_path_int(job, "spec.parallelism", 1)))) {
            return false;
        }
    }
    return true;
}

/* Whether what must start before has. A suspended JobSet has all its Jobs. */
static bool may_start(const struct set *s, size_t i)
{
    const bool in_order =
        strcmp(skr_path_text(s->object, "spec.startupPolicy.startupPolicyOrder"), "InOrder") == 0;
    if (in_order && i > 0 && !jobs_are(s, &s->r[i - 1], false)) {
        return false;
    }
    const json_t *needs = json_object_get(s->r[i].row, "dependsOn");
    for (size_t k = 0; k < json_array_size(needs); k++) {
        const json_t *need = json_array_get(needs, k);
        const bool complete = strcmp(skr_path_text(need, "status"), "Complete") == 0;
        for (size_t j = 0; j < i; j++) {
            if (strcmp(s->r[j].name, skr_path_text(need, "name")) == 0 &&
                !jobs_are(s, &s->r[j], complete)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- ends and restarts ---- */

static void write_status(const struct set *s, json_t *status)
{
    skr_cluster_set_status(s->c, "JobSet", s->object, status);
}

static json_t *own_status(const struct set *s)
{
    const json_t *status = json_object_get(s->object, "status");
    return json_is_object(status) ? skr_path_copy(status) : json_object();
}

static void finish(const struct set *s, const char *type, const char *reason, const char *message)
{
    json_t *status = own_status(s);
    skr_store_set_condition(status, type, "True", reason, message, s->c->now);
    json_object_set_new(status, "terminalState", json_string(type));
    write_status(s, status);
}

/* all: of all Jobs, which makes a new attempt. */
static void count_restart(const struct set *s, bool all, bool counts)
{
    json_t *status = own_status(s);
    json_object_set_new(status, "restarts", json_integer(s->attempt + (all ? 1 : 0)));
    json_object_set_new(
        status, "restartsCountTowardsMax",
        json_integer(skr_path_int(status, "restartsCountTowardsMax", 0) + (counts ? 1 : 0)));
    write_status(s, status);
}

static void delete_job(const struct set *s, const json_t *job)
{
    (void)skr_cluster_request(s->c, SKR_STORE_DELETE, "Job", s->namespace_,
                              skr_path_text(job, "metadata.name"), "",
                              json_pack("{s:s}", "propagationPolicy", "Foreground"), NULL);
}

/* Calls visit for each Job that exists, and counts those for which it is true. */
static int64_t each_job(const struct set *s, bool (*visit)(const struct set *s, const json_t *job))
{
    int64_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        for (int64_t k = 0; k < s->r[i].replicas; k++) {
            json_auto_t *job = skr_path_ref(job_of(s, &s->r[i], k));
            n += job && visit(s, job) ? 1 : 0;
        }
    }
    return n;
}

static bool drop_old(const struct set *s, const json_t *job)
{
    if (is_old(s, job) && !skr_children_is_deleted(job)) {
        delete_job(s, job);
    }
    return is_old(s, job);
}

static bool drop_unfinished(const struct set *s, const json_t *job)
{
    const bool ended = condition_of(job, "Complete") || condition_of(job, "Failed");
    if (!ended && !skr_children_is_deleted(job)) {
        delete_job(s, job);
    }
    return !ended;
}

static bool is_target(const json_t *rule, const char *list, const char *text)
{
    const json_t *names = json_object_get(rule, list);
    return json_array_size(names) == 0 || skr_path_holds(names, text);
}

/* The Job that failed first among those that a rule is about; rule NULL: among all. */
static const json_t *first_failed(const struct set *s, const json_t *rule)
{
    const json_t *first = NULL;
    skr_time since = 0;
    for (size_t i = 0; i < s->n; i++) {
        for (int64_t k = 0; k < s->r[i].replicas; k++) {
            const json_t *job = job_of(s, &s->r[i], k);
            const json_t *failed = is_old(s, job) ? NULL : condition_of(job, "Failed");
            const skr_time at = skr_cluster_time(failed, "lastTransitionTime");
            if (failed && (!first || at < since) &&
                is_target(rule, "targetReplicatedJobs", s->r[i].name) &&
                is_target(rule, "onJobFailureReasons", skr_path_text(failed, "reason"))) {
                first = job;
                since = at;
            }
        }
    }
    return first;
}

static void restart_or_fail(const struct set *s)
{
    const int64_t most = skr_path_int(s->object, "spec.failurePolicy.maxRestarts", 0);
    if (skr_path_int(s->object, "status.restartsCountTowardsMax", 0) >= most) {
        finish(s, "Failed", "ReachedMaxRestarts",
               "jobset failed due to reaching max number of restarts");
    } else {
        count_restart(s, true, true);
    }
}

/* False: no Job has failed. */
static bool handle_failure(const struct set *s)
{
    const json_t *policy = skr_path_get(s->object, "spec.failurePolicy");
    const json_t *rules = json_object_get(policy, "rules");
    const json_t *rule = NULL, *failed = NULL;
    for (size_t i = 0; i < json_array_size(rules) && !failed; i++) {
        rule = json_array_get(rules, i);
        failed = first_failed(s, rule);
    }
    rule = failed ? rule : NULL;
    failed = failed ? failed : first_failed(s, NULL);
    const char *action = skr_path_text(rule, "action");
    if (!failed) {
        return false;
    }
    if (!policy) {
        finish(s, "Failed", "FailedJobs", "jobset failed due to one or more job failures");
    } else if (strcmp(action, "FailJobSet") == 0) {
        finish(s, "Failed", "FailJobSetFailurePolicyAction",
               "applying FailJobSet failure policy action");
    } else if (strcmp(action, "RestartJobSetAndIgnoreMaxRestarts") == 0) {
        count_restart(s, true, false);
    } else if (strcmp(action, "RecreateJob") == 0) {
        delete_job(s, failed);
        count_restart(s, false, true);
    } else {
        restart_or_fail(s);
    }
    return true;
}

/* False: the successPolicy is not met. */
static bool handle_success(const struct set *s)
{
    const json_t *policy = skr_path_get(s->object, "spec.successPolicy");
    const bool any = strcmp(skr_path_text(policy, "operator"), "Any") == 0;
    int64_t wanted = 0, complete = 0;
    for (size_t i = 0; i < s->n; i++) {
        for (int64_t k = 0;
             k < s->r[i].replicas && is_target(policy, "targetReplicatedJobs", s->r[i].name); k++) {
            const json_t *job = job_of(s, &s->r[i], k);
            wanted++;
            complete += job && !is_old(s, job) && condition_of(job, "Complete") ? 1 : 0;
        }
    }
    if (wanted == 0 || complete < (any ? 1 : wanted)) {
        return false;
    }
    finish(s, "Completed", "AllJobsCompleted", "jobset completed successfully");
    return true;
}

/* ---- a look ---- */

static void read_rows(struct set *s, const json_t *rows)
{
    for (size_t i = 0; i < s->n; i++) {
        const json_t *row = json_array_get(rows, i);
        const int64_t replicas = skr_children_bounded(skr_path_int(row, "replicas", 1));
        s->r[i] = (struct replicated){row, skr_path_text(row, "name"), replicas, s->total};
        s->total = skr_children_bounded(s->total + replicas);
    }
}

void skr_job_sets_run(struct skr_cluster *c, json_t *object)
{
    const json_t *rows = skr_path_get(object, "spec.replicatedJobs");
    const size_t n = json_array_size(rows);
    SKR_AUTO_FREE struct replicated *r = skr_alloc_array(n + 1, sizeof *r);
    struct set s = {.c = c,
                    .object = object,
                    .namespace_ = skr_path_text(object, "metadata.namespace"),
                    .name = skr_path_text(object, "metadata.name"),
                    .r = r,
                    .n = n,
                    .attempt = skr_path_int(object, "status.restarts", 0)};
    if (skr_children_is_deleted(object)) {
        return;
    }
    read_rows(&s, rows);
    if (condition_of(object, "Failed") || condition_of(object, "Completed")) {
        (void)each_job(&s, drop_unfinished);
        return;
    }
    const int64_t old = each_job(&s, drop_old);
    s.waits = old > 0 && strcmp(skr_path_text(object, "spec.failurePolicy.restartStrategy"),
                                "BlockingRecreate") == 0;
    if (handle_failure(&s) || handle_success(&s)) {
        return;
    }
    const bool suspended = skr_path_true(object, "spec.suspend");
    for (size_t i = 0; i < n && (suspended || may_start(&s, i)); i++) {
        for (int64_t k = 0; k < r[i].replicas; k++) {
            have_job(&s, &r[i], k);
        }
    }
}
