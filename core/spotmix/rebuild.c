/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from a change of a workload: one Event for each change, and a rebuild.
 *
 * A rebuild evicts pods of the wrong class one at a time, the next one when all others are Ready
 * and none is missing. Or it stamps the template with the maximum, once for each change of it, and
 * the workload's controller rolls it out. The stamp is the same after a restart: written again, it
 * changes nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/scheduler_state.h"
#include "core/spotmix/why.h"
#include "topology/base/arena.h"
#include "topology/base/json_writer.h"
#include "topology/base/table.h"

#define EVICT_RETRY_LEAST SKR_SECOND
#define EVICT_RETRY_MOST  (30 * SKR_SECOND)
#define LEAVING_TIME      (60 * SKR_SECOND) /* an evicted pod shows in the watch by then */

/* ---- Events ---- */

static void note(struct skr_spotmix_scheduler_state *self, const struct skr_spotmix_row *row,
                 bool warning, const char *reason, const char *text)
{
    const struct skr_note event = {
        .regarding = {.api_version = "apps/v1",
                      .kind = skr_spotmix_types[row->kind]->resource->kind,
                      .namespace_ = row->namespace_,
                      .name = row->name,
                      .uid = row->uid},
        .warning = warning,
        .reason = reason,
        .action = "Mix",
        .note = text};
    char *key = skr_object_key(row->namespace_, row->name);
    skr_frame_event(self->frame, &event);
    skr_frame_decision(self->frame, &(const struct skr_decision){.kind = "workload",
                                                                 .key = key,
                                                                 .pod = "",
                                                                 .what = "Spot mix changed",
                                                                 .reason = reason,
                                                                 .message = text});
    free(key);
}

static void tell_rule(struct skr_spotmix_scheduler_state *self, const struct skr_spotmix_row *row)
{
    char text[160];
    if (row->rule.invalid) {
        note(self, row, true, "SpotMixConfigInvalid",
             "the maximum of on-demand pods is not a whole number: the rule wants every pod "
             "on-demand");
    } else if (row->rule.all) {
        note(self, row, false, "SpotMixApplied",
             "there is no maximum: the rule wants every pod on-demand");
    } else {
        snprintf(text, sizeof text,
                 "the rule wants the first %d pods on-demand and all others spot",
                 (int)row->rule.max);
        note(self, row, false, "SpotMixApplied", text);
    }
}

static void tell_changes(struct skr_spotmix_scheduler_state *self,
                         struct skr_spotmix_memory *memory, const struct skr_spotmix_row *row,
                         bool changed)
{
    const size_t *actual = row->actual;
    const long long on_demand = row->desired[SKR_SPOTMIX_ON_DEMAND];
    const long long spot = row->desired[SKR_SPOTMIX_SPOT];
    SKR_STRBUF(text);

    if (changed && !self->silent) {
        tell_rule(self, row);
    }
    if (row->lacks_nodes && !memory->lacking) {
        note(self, row, true, "SpotMixNoNodes", "a class that pods belong to has no Ready node");
    }
    if (row->drift > 0 && !memory->drifting) {
        skr_strbuf_addf(&text, "%zu of the wrong class: on-demand %zu of %lld, spot %zu of %lld",
                        row->drift, actual[SKR_SPOTMIX_ON_DEMAND], on_demand,
                        actual[SKR_SPOTMIX_SPOT], spot);
        note(self, row, true, "SpotMixDrift", text.s);
    }
    if (row->uncalled && !memory->uncalled) {
        skr_strbuf_reset(&text);
        skr_spotmix_say_uncalled(row, &text);
        note(self, row, true, "SpotMixWebhookNotCalled", text.s);
    }
    memory->lacking = row->lacks_nodes;
    memory->drifting = row->drift > 0;
    memory->uncalled = row->uncalled;
}

/* ---- rebuilding ---- */

static struct skr_spotmix_memory *memory_of(struct skr_spotmix_scheduler_state *self,
                                            const char *uid)
{
    struct skr_spotmix_memory *memory;
    SKR_TABLE_FIND_STR(&self->settings->hash_seed, self->memory, uid, memory);
    if (!memory) {
        const size_t n = strlen(uid);
        memory = skr_alloc(sizeof *memory + n + 1);
        memcpy(memory->key, uid, n + 1);
        SKR_TABLE_ADD(&self->settings->hash_seed, hh, self->memory, memory->key, n, memory);
    }
    return memory;
}

static void forget(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_memory *memory)
{
    skr_spotmix_set_stalled(self->mix, memory->key, false);
    HASH_DEL(self->memory, memory);
    free(memory->leaving);
    free(memory);
}

void skr_spotmix_mark_due(void *context, const char *workload_key)
{
    struct skr_spotmix_scheduler_state *self = context;
    struct skr_spotmix_memory *memory = memory_of(self, workload_key);
    if (!memory->due) {
        memory->due = true;
        memory->due_next = self->due;
        self->due = memory;
    }
}

void skr_spotmix_reached(struct skr_spotmix_scheduler_state *self)
{
    struct skr_spotmix_memory *memory, *next;
    if (self->reached) {
        return;
    }
    self->reached = true;
    skr_spotmix_serve(self->mix, true);
    HASH_ITER(hh, self->memory, memory, next)
    {
        skr_spotmix_mark_due(self, memory->key);
    }
}

static void evict(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_memory *memory,
                  const struct skr_spotmix_row *row)
{
    struct skr_strbuf body;
    struct skr_json_writer w = {.out = &body};
    skr_strbuf_init(&body);
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", "policy/v1");
    skr_json_string(&w, "kind", "Eviction");
    skr_json_open(&w, "metadata", '{');
    skr_json_string(&w, "namespace", row->namespace_);
    skr_json_string(&w, "name", row->victim_name);
    skr_json_close(&w, '}');
    skr_json_open(&w, "deleteOptions", '{');
    skr_json_open(&w, "preconditions", '{');
    skr_json_string(&w, "uid", row->victim);
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    const struct skr_write write = {.verb = SKR_VERB_CREATE,
                                    .resource = &skr_spotmix_pods,
                                    .subresource = "eviction",
                                    .class = SKR_WRITE_CLASS_EVICT,
                                    .namespace_ = row->namespace_,
                                    .name = row->victim_name,
                                    .body = body.s,
                                    .body_len = body.len};
    skr_frame_write(self->frame, &write, PURPOSE_EVICT, memory->key);
    skr_strbuf_fini(&body);
    free(memory->leaving);
    memory->leaving = skr_strdup(row->victim);
    skr_spotmix_yield(self->mix, row->victim, true);
    memory->leaving_until = skr_frame_now(self->frame) + LEAVING_TIME;
    memory->evicting = true;
}

static void set_given_up(struct skr_spotmix_scheduler_state *self,
                         struct skr_spotmix_memory *memory, bool given_up)
{
    memory->given_up = given_up;
    skr_spotmix_set_stalled(self->mix, memory->key, given_up);
}

static void give_up(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_memory *memory,
                    const struct skr_spotmix_row *row)
{
    char text[160];
    set_given_up(self, memory, true);
    if (memory->in_vain >= SKR_SPOTMIX_IN_VAIN_MAX) {
        snprintf(text, sizeof text,
                 "%zu of the wrong class are left as they are: %u evictions changed nothing",
                 row->wrong, memory->in_vain);
    } else {
        snprintf(text, sizeof text,
                 "%zu of the wrong class are left as they are: no progress for ten minutes",
                 row->wrong);
    }
    note(self, row, true, "SpotMixRebuild", text);
}

static void back_off(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_memory *memory)
{
    memory->backoff = memory->backoff == 0                     ? EVICT_RETRY_LEAST
                      : memory->backoff * 2 < EVICT_RETRY_MOST ? memory->backoff * 2
                                                               : EVICT_RETRY_MOST;
    memory->evict_after = skr_frame_now(self->frame) + memory->backoff;
    skr_frame_wake(self->frame, memory->evict_after, WAKE_WORKLOAD, memory->key);
}

static void write_stamp(struct skr_spotmix_scheduler_state *self, const struct skr_spotmix_row *row,
                        struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    char stamp[16] = "all";
    if (!row->rule.all) {
        snprintf(stamp, sizeof stamp, "%ld", (long)row->rule.max);
    }
    skr_json_open(&w, NULL, '{');
    skr_json_open(&w, "metadata", '{');
    skr_json_string(&w, "uid", row->uid);
    skr_json_close(&w, '}');
    skr_json_open(&w, "spec", '{');
    skr_json_open(&w, "template", '{');
    skr_json_open(&w, "metadata", '{');
    skr_json_open(&w, "annotations", '{');
    skr_json_string(&w, skr_spotmix_keys(self->mix)->rolled, stamp);
    for (int i = 0; i < 5; i++) {
        skr_json_close(&w, '}');
    }
}

static void roll_out(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_memory *memory,
                     const struct skr_spotmix_row *row)
{
    struct skr_strbuf body;
    if (row->wrong == 0 || row->uncalled || memory->rebuilding ||
        row->kind == SKR_SPOTMIX_REPLICA_SET || skr_frame_now(self->frame) < memory->evict_after) {
        return;
    }
    skr_strbuf_init(&body);
    write_stamp(self, row, &body);
    const struct skr_write write = {.verb = SKR_VERB_MERGE_PATCH,
                                    .resource = skr_spotmix_types[row->kind]->resource,
                                    .class = SKR_WRITE_CLASS_EVICT,
                                    .namespace_ = row->namespace_,
                                    .name = row->name,
                                    .body = body.s,
                                    .body_len = body.len};
    skr_frame_write(self->frame, &write, PURPOSE_ROLL_OUT, memory->key);
    skr_strbuf_fini(&body);
    memory->rebuilding = true; /* until the rule changes */
    memory->wrong = row->wrong;
}

/* The first write of a rebuild has been accepted. */
static void tell_begun(struct skr_spotmix_scheduler_state *self,
                       const struct skr_spotmix_memory *memory, const char *what)
{
    struct skr_spotmix_row row;
    char text[160];
    if (skr_spotmix_row_of(self->mix, memory->key, &row)) {
        snprintf(text, sizeof text, "%zu of the wrong class: %s", memory->wrong, what);
        note(self, &row, false, "SpotMixRebuild", text);
    }
}

void skr_spotmix_rolled_out(struct skr_spotmix_scheduler_state *self, const char *workload_key,
                            const struct skr_event *event)
{
    struct skr_spotmix_memory *memory;
    SKR_TABLE_FIND_STR(&self->settings->hash_seed, self->memory, workload_key, memory);
    if (!memory) {
        return;
    }
    if (event->written.outcome == SKR_WRITE_OK) {
        tell_begun(self, memory, "the template is stamped, a rollout replaces all pods");
    } else {
        memory->rebuilding = false;
        back_off(self, memory);
    }
}

/* Updates the progress of the rebuild; false: no pod is wrong. While a pod is missing, the class
 * of its replacement is not known. */
static bool note_progress(struct skr_spotmix_scheduler_state *self,
                          struct skr_spotmix_memory *memory, const struct skr_spotmix_row *row)
{
    const bool idle = !memory->rebuilding && !memory->given_up;
    if (row->wrong == 0 && (idle || !row->missing)) {
        memory->rebuilding = false;
        set_given_up(self, memory, false);
        return false;
    }
    if (idle) {
        memory->evicted = false;
    }
    if (idle || (!row->missing && row->wrong < memory->wrong)) {
        memory->rebuilding = true;
        memory->progress = skr_frame_now(self->frame);
        memory->wrong = row->wrong;
        memory->in_vain = 0;
    }
    return true;
}

static void rebuild(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_memory *memory,
                    const struct skr_spotmix_row *row)
{
    const skr_time now = skr_frame_now(self->frame);
    if (!self->reached) {
        return; /* replacements would come without a review */
    }
    if (self->settings->rebuild == SKR_SPOTMIX_REBUILD_ROLLOUT) {
        roll_out(self, memory, row);
        return;
    }
    if (self->settings->rebuild != SKR_SPOTMIX_REBUILD_EVICT || !note_progress(self, memory, row) ||
        memory->given_up) {
        return;
    }
    if (row->uncalled || row->wrong == 0) { /* missing replacements are no failure */
        memory->progress = now;
        return;
    }
    if (now - memory->progress >= SKR_SPOTMIX_EVICT_PATIENCE ||
        (memory->in_vain >= SKR_SPOTMIX_IN_VAIN_MAX && !row->missing)) {
        give_up(self, memory, row);
        return;
    }
    if (memory->looks_at == 0) {
        memory->looks_at = memory->progress + SKR_SPOTMIX_EVICT_PATIENCE;
        skr_frame_wake(self->frame, memory->looks_at, WAKE_WORKLOAD, memory->key);
    }
    if (row->wrong > memory->wrong && !row->missing) {
        memory->wrong = row->wrong; /* pods come one by one; no eviction was in vain */
    }
    const bool leaving = row->victim && memory->leaving && now < memory->leaving_until &&
                         strcmp(memory->leaving, row->victim) == 0;
    if (row->victim && !memory->evicting && !leaving && now >= memory->evict_after) {
        evict(self, memory, row);
    }
}

void skr_spotmix_evicted(struct skr_spotmix_scheduler_state *self, const char *uid,
                         const struct skr_event *event)
{
    struct skr_spotmix_memory *memory;
    SKR_TABLE_FIND_STR(&self->settings->hash_seed, self->memory, uid, memory);
    if (event->written.outcome == SKR_WRITE_OK || event->written.outcome == SKR_WRITE_NOT_FOUND) {
        self->evictions[SKR_SPOTMIX_EVICTED] += event->written.outcome == SKR_WRITE_OK;
    } else {
        self->evictions[event->written.outcome == SKR_WRITE_BUSY ? SKR_SPOTMIX_EVICT_BLOCKED
                                                                 : SKR_SPOTMIX_EVICT_FAILED]++;
    }
    if (!memory) {
        return;
    }
    memory->evicting = false;
    if (event->written.outcome == SKR_WRITE_OK) {
        if (!memory->evicted) {
            tell_begun(self, memory, "one is evicted, the next when its replacement is Ready");
        }
        memory->evicted = true;
        memory->in_vain++;
        memory->backoff = 0;
        skr_frame_wake(self->frame, memory->leaving_until, WAKE_WORKLOAD, uid);
    } else {
        skr_spotmix_yield(self->mix, memory->leaving ? memory->leaving : "", false);
        free(memory->leaving);
        memory->leaving = NULL;
        back_off(self, memory);
    }
}

static void look_at(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_memory *memory)
{
    struct skr_spotmix_row row;
    memory->due = false;
    if (!skr_spotmix_row_of(self->mix, memory->key, &row)) {
        forget(self, memory);
        return;
    }
    const bool changed = !skr_spotmix_rule_equal(&memory->rule, &row.rule);
    if (changed) {
        memory->rule = row.rule;
        set_given_up(self, memory, false);
        memory->rebuilding = false;
        memory->backoff = 0;
        memory->evict_after = 0;
    }
    tell_changes(self, memory, &row, changed);
    rebuild(self, memory, &row);
}

void skr_spotmix_look_at_due(struct skr_spotmix_scheduler_state *self)
{
    while (self->due) {
        struct skr_spotmix_memory *memory = self->due;
        self->due = memory->due_next;
        look_at(self, memory);
    }
}

void skr_spotmix_forget_all(struct skr_spotmix_scheduler_state *self)
{
    struct skr_spotmix_memory *memory, *next;
    self->due = NULL;
    HASH_ITER(hh, self->memory, memory, next)
    {
        forget(self, memory);
    }
}
