/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cycle of a binding: decide, patch the main resource, patch the status. The first patch
 * carries the resourceVersion of the decision. If another writer was faster, above all an eviction,
 * the decision is dropped and the binding read again. The status patch carries the version that the
 * first patch made, and the conditions of other controllers, since a merge patch replaces the list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/frame/object_writer.h"
#include "core/propagation/decision_json.h"
#include "core/propagation/state.h"
#include "topology/base/hash.h"

enum { TIME_BYTES = 40 };

/* ---- ends of a cycle ---- */

static void measure(struct skr_propagation *self, const struct skr_binding_entry *entry)
{
    skr_time now = skr_frame_now(self->frame);
    skr_durations_add(&self->time[SKR_PROPAGATION_STEP_TOTAL], &skr_propagation_scale,
                      now - entry->started_at);
    if (entry->written_at != 0) {
        skr_durations_add(&self->time[SKR_PROPAGATION_STEP_WRITE], &skr_propagation_scale,
                          now - entry->written_at);
    }
}

/* Ends the cycle after the status is written, with the retry that the code asks for. */
static void end_with_retry(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    skr_time later = skr_frame_now(self->frame) + SKR_RETRY_LATER_TIME;
    measure(self, entry);
    free(entry->warning); /* long, and the condition has it */
    entry->warning = NULL;
    struct skr_propagation_outcome outcome =
        skr_propagation_outcome(entry->code, self->settings->options.shortage_is_error != 0);
    switch (outcome.retry) {
    case SKR_RETRY_NONE:
        skr_keys_succeed(self->keys, entry->key);
        return;
    case SKR_RETRY_LATER:
        skr_keys_succeed(self->keys, entry->key);
        skr_propagation_queue(self, entry, later);
        return;
    case SKR_RETRY_BACKOFF:
        skr_keys_fail(self->keys, entry->key);
        return;
    case SKR_RETRY_BACKOFF_THEN_LATER:
        if (skr_keys_failures(self->keys, entry->key) < SKR_RETRY_BACKOFF_TRIES) {
            skr_keys_fail(self->keys, entry->key);
            return;
        }
        skr_keys_succeed(self->keys, entry->key);
        skr_propagation_queue(self, entry, later);
        return;
    }
}

/* ---- writes ---- */

static void send(struct skr_propagation *self, struct skr_binding_entry *entry,
                 enum skr_write_verb verb, const char *subresource, int purpose, const char *body)
{
    const struct skr_object_type *type = skr_binding_entry_type(entry);
    struct skr_write write = {
        .verb = verb,
        .resource = type->resource,
        .subresource = subresource,
        .class = purpose == SKR_WRITE_STATUS ? SKR_WRITE_CLASS_STATUS : SKR_WRITE_CLASS_COMMIT,
        .namespace_ = entry->binding->meta.namespace_,
        .name = entry->binding->meta.name,
        .body = body,
        .body_len = strlen(body),
        .answer = type,
    };
    if (entry->written_at == 0) {
        entry->written_at = skr_frame_now(self->frame);
    }
    self->committing += purpose == SKR_WRITE_STATUS ? 0 : 1;
    skr_frame_write(self->frame, &write, purpose, entry->key);
}

static void read_again(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    send(self, entry, SKR_VERB_GET, "", SKR_WRITE_READ, "");
}

static bool targets_differ(const struct skr_binding *binding,
                           const struct skr_binding_decision *decision)
{
    if (binding->n_targets != decision->n_targets) {
        return true;
    }
    for (size_t i = 0; i < decision->n_targets; i++) {
        const struct skr_assignment *wanted = &decision->target[i];
        const struct skr_target *has = skr_binding_target(binding, wanted->name);
        if (!has || has->replicas != (wanted->has_replicas ? wanted->replicas : 0) ||
            (wanted->has_components ? !has->has_all_components : has->has_components)) {
            return true;
        }
    }
    return false;
}

/* False: the main resource does not change. */
static bool write_main(struct skr_propagation *self, struct skr_binding_entry *entry,
                       const struct skr_binding_decision *decision)
{
    const struct skr_binding *binding = entry->binding;
    struct skr_strbuf body;
    struct skr_json_writer w = {.out = &body};
    bool replaces = entry->code == SKR_PROPAGATION_PLACED ||
                    skr_propagation_outcome(entry->code, false).empties;
    entry->changed = replaces && targets_differ(binding, decision);
    if (!replaces || (!entry->changed &&
                      skr_propagation_same_json(binding->placement_text, binding->applied_text))) {
        return false;
    }
    skr_strbuf_init(&body);
    skr_object_open_patch(&w, &binding->meta);
    skr_json_open(&w, "annotations", '{');
    skr_json_string(&w, "policy.karmada.io/applied-placement", binding->placement_text);
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    const size_t before = body.len;
    if (entry->changed) {
        skr_json_open(&w, "spec", '{');
        skr_binding_decision_write_targets(decision, "clusters", &w);
        skr_json_close(&w, '}');
    }
    entry->wrote = skr_hash_bytes(SKR_HASH_BEGIN, body.s + before, body.len - before);
    skr_json_close(&w, '}');
    send(self, entry, SKR_VERB_MERGE_PATCH, "", SKR_WRITE_MAIN, body.s);
    skr_strbuf_fini(&body);
    return true;
}

static bool status_differs(const struct skr_propagation *self,
                           const struct skr_binding_entry *entry)
{
    const struct skr_binding *binding = entry->binding;
    if (entry->advances_only) {
        return binding->observed_generation != entry->observed;
    }
    if (skr_condition_outcome_differs(self, entry) || skr_condition_warning_differs(entry)) {
        return true;
    }
    return entry->code == SKR_PROPAGATION_PLACED &&
           (binding->observed_generation != entry->observed || entry->changed ||
            binding->last_scheduled == 0 || skr_binding_is_fresh(binding) ||
            (entry->affinity && strcmp(binding->observed_affinity, entry->affinity) != 0));
}

static void write_status(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    struct skr_strbuf body;
    struct skr_json_writer w = {.out = &body};
    char now[TIME_BYTES];
    bool placed = entry->code == SKR_PROPAGATION_PLACED;
    skr_time second = skr_frame_now(self->frame) / SKR_SECOND * SKR_SECOND;
    if (!status_differs(self, entry)) {
        end_with_retry(self, entry);
        return;
    }
    /* Compared here, before the watch shows the content of this patch. */
    const bool decided = !entry->advances_only;
    entry->tells_outcome =
        decided && (entry->changed || skr_condition_outcome_differs(self, entry));
    entry->tells_warning = decided && entry->warning && skr_condition_warning_differs(entry);
    /* Times of Kubernetes have whole seconds, and clocks differ. The request counts as done. */
    if (second < entry->binding->reschedule_at) {
        second = entry->binding->reschedule_at;
    }
    skr_time_write(second, 0, now, sizeof now);
    skr_strbuf_init(&body);
    skr_object_open_patch(&w, &entry->binding->meta);
    skr_json_close(&w, '}');
    skr_json_open(&w, "status", '{');
    if (!entry->advances_only) {
        skr_condition_write(self, entry, now, &w);
    }
    if (placed) {
        skr_json_int(&w, "schedulerObservedGeneration", entry->observed);
    }
    if (placed && !entry->advances_only) {
        skr_json_string(&w, "lastScheduledTime", now);
    }
    if (placed && !entry->advances_only && entry->affinity) {
        skr_json_string(&w, "schedulerObservingAffinityName", entry->affinity);
    }
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    send(self, entry, SKR_VERB_MERGE_PATCH, "status", SKR_WRITE_STATUS, body.s);
    skr_strbuf_fini(&body);
}

/* ---- deciding ---- */

static char *make_note(const struct skr_binding_decision *decision)
{
    struct skr_strbuf text;
    skr_strbuf_init(&text);
    for (size_t i = 0; i < decision->n_targets; i++) {
        skr_strbuf_addf(&text, "%s%s", i > 0 ? ", " : "", decision->target[i].name);
        if (decision->target[i].has_replicas) {
            skr_strbuf_addf(&text, ":%lld", (long long)decision->target[i].replicas);
        }
    }
    skr_strbuf_add(&text, decision->n_targets == 0 ? "no cluster" : "");
    return skr_strbuf_take(&text, NULL);
}

static void remember(struct skr_propagation *self, struct skr_binding_entry *entry,
                     const struct skr_binding_decision *decision)
{
    free(entry->affinity);
    free(entry->note);
    free(entry->warning);
    entry->affinity = NULL;
    if (decision->term >= 0 && decision->code == SKR_PROPAGATION_PLACED) {
        entry->affinity = skr_strdup(entry->binding->placement.term[decision->term].name);
    }
    entry->note = make_note(decision);
    entry->warning = skr_condition_warning(self, decision, entry->estimators);
    entry->code = decision->code;
    snprintf(entry->message, sizeof entry->message, "%s", decision->message);
    entry->generation = entry->binding->generation;
    entry->observed = entry->generation;
    entry->advances_only = false;
    for (int part = 0; part < SKR_DECISION_PART_COUNT; part++) {
        skr_durations_add(&self->time[SKR_PROPAGATION_STEP_FILTER + part], &skr_propagation_scale,
                          decision->took[part]);
    }
    self->attempts[decision->code]++;
    self->fallbacks += decision->fell_back ? 1 : 0;
}

static void decide(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    struct skr_binding_decision *decision = NULL;
    size_t n = 0;
    const struct skr_member_cluster *const *clusters = skr_propagation_clusters(self, &n);
    SKR_AUTO_FREE int32_t *answers = skr_estimators_answers(entry->estimators, clusters, n);
    if (skr_binding_decide(entry->binding, clusters, n, answers, &self->settings->options,
                           self->settings->stopwatch, &decision, NULL) < 0) {
        skr_keys_fail(self->keys, entry->key);
        return;
    }
    remember(self, entry, decision);
    skr_estimators_destroy(entry->estimators);
    entry->estimators = NULL;
    if (!write_main(self, entry, decision)) {
        write_status(self, entry);
    }
    skr_binding_decision_destroy(decision);
}

static void run_cycle(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    if (skr_propagation_is_due(self, entry->binding)) {
        skr_keys_spend(self->keys, HASH_COUNT(self->cluster));
        if (skr_estimators_ask(self, entry)) {
            self->estimating++;
        } else {
            decide(self, entry);
        }
        return;
    }
    entry->code = SKR_PROPAGATION_PLACED;
    entry->changed = false;
    entry->advances_only = true;
    entry->generation = entry->binding->generation;
    entry->observed = entry->generation;
    write_status(self, entry);
}

/* A worker is free again after its decision is in the main resource. The status is written while
 * the next decision is made. A binding that waits for estimators occupies none. */
static bool has_worker(const struct skr_propagation *self)
{
    const size_t workers = self->settings->workers;
    return self->committing < workers && self->estimating < SKR_ESTIMATING_MAX &&
           skr_keys_running(self->keys) < workers * SKR_CYCLES_A_WORKER + self->estimating;
}

bool skr_propagation_settle(void *self)
{
    struct skr_propagation *propagation = self;
    if (!has_worker(propagation)) {
        return false;
    }
    const char *key = skr_keys_start(propagation->keys);
    if (!key) {
        return false;
    }
    struct skr_binding_entry *entry = skr_propagation_find(propagation, key);
    if (!entry || !skr_propagation_is_ours(propagation, entry->binding)) {
        skr_keys_succeed(propagation->keys, key);
        return true;
    }
    if (skr_frame_now(propagation->frame) < entry->rewrites.next) {
        skr_keys_succeed(propagation->keys, key);
        skr_propagation_queue(propagation, entry, entry->rewrites.next);
        return true;
    }
    skr_keys_spend(propagation->keys, SKR_PROPAGATION_CYCLE_COST);
    entry->started_at = skr_frame_now(propagation->frame);
    entry->written_at = 0;
    run_cycle(propagation, entry);
    return true;
}

/* ---- answers ---- */

void skr_propagation_replied(void *object, const struct skr_replies *replies)
{
    struct skr_propagation *self = object;
    struct skr_binding_entry *entry = skr_propagation_find(self, replies->key);
    self->estimating--;
    if (!skr_estimators_take(self, entry, replies) ||
        !skr_propagation_is_ours(self, entry->binding) || !skr_frame_is_deciding(self->frame)) {
        skr_keys_succeed(self->keys, replies->key);
        return;
    }
    skr_durations_add(&self->time[SKR_PROPAGATION_STEP_ESTIMATE], &skr_propagation_scale,
                      skr_frame_now(self->frame) - entry->started_at);
    if (entry->estimators->generation != entry->binding->generation) {
        skr_keys_succeed(self->keys, entry->key);
        skr_propagation_queue(self, entry, 0);
        return;
    }
    decide(self, entry);
}

/* Caches the object of an answer. */
static void take_answer(struct skr_propagation *self, struct skr_binding_entry *entry,
                        struct skr_event *event)
{
    struct skr_binding *binding = skr_event_take_object(event);
    if (binding) {
        skr_propagation_take(self, entry, binding);
    }
}

static void main_written(struct skr_propagation *self, struct skr_binding_entry *entry,
                         struct skr_event *event)
{
    take_answer(self, entry, event);
    if (entry->changed) {
        skr_rewrites_note(&entry->rewrites, entry->wrote, skr_frame_now(self->frame));
        skr_condition_report_undone(self, entry);
    }
    /* The patch made one generation. If there are more, another writer changed the binding too. */
    int64_t now = entry->binding->generation;
    if (now == entry->generation + 1) {
        entry->observed = now;
    } else if (now != entry->generation) {
        skr_propagation_queue(self, entry, 0);
    }
    if (!skr_propagation_is_ours(self, entry->binding) || !skr_frame_is_deciding(self->frame)) {
        skr_keys_succeed(self->keys, entry->key);
        return;
    }
    write_status(self, entry);
}

static void main_denied(struct skr_propagation *self, struct skr_binding_entry *entry,
                        const struct skr_event *event)
{
    entry->code = SKR_PROPAGATION_QUOTA_EXCEEDED;
    entry->changed = false;
    free(entry->warning);
    entry->warning = NULL;
    snprintf(entry->message, sizeof entry->message, "quota_exceeded: %.200s",
             event->written.message ? event->written.message : "");
    self->attempts[entry->code]++;
    write_status(self, entry);
}

static void status_written(struct skr_propagation *self, struct skr_binding_entry *entry,
                           struct skr_event *event)
{
    take_answer(self, entry, event);
    if (entry->tells_outcome) {
        skr_condition_report_outcome(self, entry);
    }
    if (entry->tells_warning) {
        skr_condition_report_warning(self, entry);
    }
    end_with_retry(self, entry);
}

static void read_done(struct skr_propagation *self, struct skr_binding_entry *entry,
                      struct skr_event *event)
{
    take_answer(self, entry, event);
    skr_keys_succeed(self->keys, entry->key);
    skr_propagation_queue(self, entry, 0);
}

static void handle_ok(struct skr_propagation *self, int purpose, struct skr_binding_entry *entry,
                      struct skr_event *event)
{
    if (purpose == SKR_WRITE_MAIN) {
        main_written(self, entry, event);
    } else if (purpose == SKR_WRITE_STATUS) {
        status_written(self, entry, event);
    } else {
        read_done(self, entry, event);
    }
}

void skr_propagation_written(void *self, const struct skr_pending_write *write,
                             struct skr_event *event)
{
    struct skr_propagation *propagation = self;
    struct skr_binding_entry *entry = skr_propagation_find(propagation, write->key);
    propagation->committing -= write->purpose == SKR_WRITE_STATUS ? 0 : 1;
    if (!entry) {
        skr_keys_succeed(propagation->keys, write->key);
        return;
    }
    switch (event->written.outcome) {
    case SKR_WRITE_OK:
        handle_ok(propagation, write->purpose, entry, event);
        return;
    case SKR_WRITE_NOT_FOUND:
        skr_keys_succeed(propagation->keys, write->key);
        skr_propagation_remove(propagation, entry);
        return;
    case SKR_WRITE_CONFLICT:
    case SKR_WRITE_UNKNOWN:
        if (write->purpose != SKR_WRITE_READ && skr_frame_is_deciding(propagation->frame)) {
            read_again(propagation, entry);
            return;
        }
        break;
    case SKR_WRITE_DENIED:
        if (write->purpose == SKR_WRITE_MAIN && skr_frame_is_deciding(propagation->frame)) {
            main_denied(propagation, entry, event);
            return;
        }
        break;
    case SKR_WRITE_INVALID:
    case SKR_WRITE_BUSY:
    case SKR_WRITE_DROPPED:
    case SKR_WRITE_OUTCOME_COUNT:
        break;
    }
    skr_keys_fail(propagation->keys, write->key);
}
