/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes that change the PlacementDecisions to the target, in this order: additions, labels,
 * removals, deletions, the status. A step begins after all writes of the step before have
 * succeeded. So a cluster that stays is in an object at every moment.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/frame/object_writer.h"
#include "core/placement/report.h"
#include "core/placement/state.h"
#include "topology/base/hash.h"

/* ---- decisions ---- */

static const struct skr_placement_decision *cached(const struct skr_placements *self,
                                                   const struct skr_placement_entry *entry,
                                                   const char *name)
{
    return skr_placements_find(self, SKR_OCM_DECISION, entry->placement->meta.namespace_, name);
}

static bool wants(const struct skr_target_slice *slice, const char *cluster)
{
    return skr_names_contain(slice->cluster, slice->n, cluster);
}

static void write_labels(struct skr_json_writer *w, const struct skr_placement_entry *entry,
                         const struct skr_target_slice *slice)
{
    SKR_STRBUF(index);
    skr_strbuf_addf(&index, "%" PRId32, slice->group);
    skr_json_open(w, "labels", '{');
    skr_json_string(w, SKR_DECISION_PLACEMENT_LABEL, entry->placement->meta.name);
    skr_json_string(w, SKR_DECISION_GROUP_INDEX_LABEL, index.s);
    skr_json_string(w, SKR_DECISION_GROUP_NAME_LABEL, slice->group_name);
    skr_json_close(w, '}');
}

static void send(struct skr_placements *self, struct skr_placement_entry *entry,
                 enum skr_write_verb verb, const char *subresource, const char *name,
                 struct skr_strbuf *body)
{
    const struct skr_write write = {
        .verb = verb,
        .resource = &skr_resource_placement_decisions,
        .subresource = subresource,
        .class = SKR_WRITE_CLASS_COMMIT,
        .namespace_ = entry->placement->meta.namespace_,
        .name = name,
        .body = body->s,
        .body_len = body->len,
        .answer = verb == SKR_VERB_DELETE ? NULL : &skr_ocm_types[SKR_OCM_DECISION]};
    skr_placements_send(self, entry, &write, SKR_PLACEMENT_WRITE_SLICE, name);
    skr_strbuf_fini(body);
}

static void create_slice(struct skr_placements *self, struct skr_placement_entry *entry,
                         const struct skr_target_slice *slice)
{
    const struct skr_meta *owner = &entry->placement->meta;
    struct skr_strbuf body;
    struct skr_json_writer w = {.out = &body};
    skr_strbuf_init(&body);
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", SKR_OCM "v1beta1");
    skr_json_string(&w, "kind", "PlacementDecision");
    skr_json_open(&w, "metadata", '{');
    skr_json_string(&w, "name", slice->name);
    skr_json_string(&w, "namespace", owner->namespace_);
    write_labels(&w, entry, slice);
    skr_json_open(&w, "ownerReferences", '[');
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", SKR_OCM "v1beta1");
    skr_json_string(&w, "kind", "Placement");
    skr_json_string(&w, "name", owner->name);
    skr_json_string(&w, "uid", owner->uid);
    skr_json_bool(&w, "controller", true);
    skr_json_bool(&w, "blockOwnerDeletion", true);
    skr_json_close(&w, '}');
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    send(self, entry, SKR_VERB_CREATE, "", slice->name, &body);
    skr_placements_event(self, entry, slice->name, false, "DecisionCreate", "DecisionCreated",
                         "decision object created");
}

/* Writes the wanted clusters; keep: and those that the object has besides. */
static void patch_clusters(struct skr_placements *self, struct skr_placement_entry *entry,
                           const struct skr_placement_decision *is,
                           const struct skr_target_slice *slice, bool keep)
{
    struct skr_strbuf body;
    struct skr_json_writer w = {.out = &body};
    const size_t n_kept = keep ? is->n : 0;
    const char **all = skr_alloc_array(n_kept + slice->n + 1, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < slice->n; i++) {
        all[n++] = slice->cluster[i];
    }
    for (size_t i = 0; i < n_kept; i++) {
        if (!wants(slice, is->cluster[i])) {
            all[n++] = is->cluster[i];
        }
    }
    skr_names_sort(all, n);
    skr_strbuf_init(&body);
    skr_object_open_patch(&w, &is->meta);
    skr_json_close(&w, '}');
    skr_json_open(&w, "status", '{');
    skr_json_open(&w, "decisions", '[');
    for (size_t i = 0; i < n; i++) {
        skr_json_open(&w, NULL, '{');
        skr_json_string(&w, "clusterName", all[i]);
        skr_json_string(&w, "reason", "");
        skr_json_close(&w, '}');
    }
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    free(all);
    send(self, entry, SKR_VERB_MERGE_PATCH, "status", slice->name, &body);
    const bool warns = entry->target->warning[0];
    skr_placements_event(self, entry, slice->name, warns, "DecisionUpdate", "DecisionUpdated",
                         warns ? entry->target->warning : "decision object updated");
}

/* The writes that have no room now are found again after the next answer. */
static bool has_room(const struct skr_placements *self, const struct skr_placement_entry *entry)
{
    const size_t share = SKR_PLACEMENT_WRITES_MAX / (skr_keys_running(self->keys) + 1);
    return entry->pending == 0 ||
           (entry->pending < SKR_PLACEMENT_CYCLE_WRITES_MAX && entry->pending < share);
}

static bool add(struct skr_placements *self, struct skr_placement_entry *entry)
{
    const size_t before = entry->pending;
    for (size_t i = 0; has_room(self, entry) && i < entry->target->n_slices; i++) {
        const struct skr_target_slice *slice = &entry->target->slice[i];
        const struct skr_placement_decision *is = cached(self, entry, slice->name);
        bool misses = false;
        if (!is) {
            create_slice(self, entry, slice);
            continue;
        }
        for (size_t c = 0; !misses && c < slice->n; c++) {
            misses = !skr_placement_decision_has(is, slice->cluster[c]);
        }
        if (misses) {
            patch_clusters(self, entry, is, slice, true);
        }
    }
    return entry->pending > before;
}

static bool has_label(const struct skr_placement_decision *is, const char *key, const char *value)
{
    const char *text = skr_labels_get(&is->meta.labels, key);
    return text && strcmp(text, value) == 0;
}

static bool relabel(struct skr_placements *self, struct skr_placement_entry *entry)
{
    const size_t before = entry->pending;
    for (size_t i = 0; has_room(self, entry) && i < entry->target->n_slices; i++) {
        const struct skr_target_slice *slice = &entry->target->slice[i];
        const struct skr_placement_decision *is = cached(self, entry, slice->name);
        struct skr_strbuf index, body;
        skr_strbuf_init(&index);
        skr_strbuf_addf(&index, "%" PRId32, slice->group);
        if (is && !(has_label(is, SKR_DECISION_PLACEMENT_LABEL, entry->placement->meta.name) &&
                    has_label(is, SKR_DECISION_GROUP_INDEX_LABEL, index.s) &&
                    has_label(is, SKR_DECISION_GROUP_NAME_LABEL, slice->group_name))) {
            struct skr_json_writer w = {.out = &body};
            skr_strbuf_init(&body);
            skr_object_open_patch(&w, &is->meta);
            write_labels(&w, entry, slice);
            skr_json_close(&w, '}');
            skr_json_close(&w, '}');
            send(self, entry, SKR_VERB_MERGE_PATCH, "", slice->name, &body);
        }
        skr_strbuf_fini(&index);
    }
    return entry->pending > before;
}

static bool take_out(struct skr_placements *self, struct skr_placement_entry *entry)
{
    const size_t before = entry->pending;
    for (size_t i = 0; has_room(self, entry) && i < entry->target->n_slices; i++) {
        const struct skr_target_slice *slice = &entry->target->slice[i];
        const struct skr_placement_decision *is = cached(self, entry, slice->name);
        if (is && is->n > slice->n) {
            patch_clusters(self, entry, is, slice, false);
        }
    }
    return entry->pending > before;
}

static bool is_wanted(const struct skr_target *target, const char *name)
{
    return skr_names_contain(target->name, target->n_slices, name);
}

static bool delete_surplus(struct skr_placements *self, struct skr_placement_entry *entry)
{
    const size_t before = entry->pending;
    for (size_t i = 0; has_room(self, entry) && i < entry->n_decisions; i++) {
        const struct skr_meta *meta = &entry->decision[i]->meta;
        if (is_wanted(entry->target, meta->name)) {
            continue;
        }
        struct skr_strbuf body;
        struct skr_json_writer w = {.out = &body};
        skr_strbuf_init(&body);
        skr_json_open(&w, NULL, '{');
        skr_json_open(&w, "preconditions", '{');
        skr_json_string(&w, "uid", meta->uid);
        skr_json_close(&w, '}');
        skr_json_close(&w, '}');
        skr_placements_event(self, entry, meta->name, false, "DecisionDelete", "DecisionDeleted",
                             "decision object deleted");
        send(self, entry, SKR_VERB_DELETE, "", meta->name, &body);
    }
    return entry->pending > before;
}

/* ---- the cycle ---- */

static uint64_t hash_of(const struct skr_placement *placement, const struct skr_target *target)
{
    const char *const text[] = {target->keeps ? "" : target->groups, target->reason,
                                target->message, target->misconfigured};
    uint64_t hash = skr_hash_pair((uint64_t)placement->generation, target->n_slices);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        hash = skr_hash_pair(hash, skr_hash_string(text[i]));
    }
    for (size_t i = 0; i < target->n_slices; i++) {
        const struct skr_target_slice *slice = &target->slice[i];
        hash = skr_hash_pair(hash, skr_hash_string(slice->name));
        for (size_t c = 0; c < slice->n; c++) {
            hash = skr_hash_pair(hash, skr_hash_string(slice->cluster[c]));
        }
    }
    return hash;
}

/* What a cycle has written is what the one before wrote if another client undoes it. */
static void note_writes(struct skr_placements *self, struct skr_placement_entry *entry)
{
    SKR_STRBUF(note);
    skr_rewrites_note(&entry->rewrites, hash_of(entry->placement, entry->target),
                      skr_frame_now(self->frame));
    if (skr_undone_tell(&entry->rewrites.undone)) {
        skr_undone_write_note(&entry->rewrites.undone, "PlacementDecisions or the status", &note);
        skr_placements_event(self, entry, NULL, true, SKR_UNDONE_REASON, SKR_UNDONE_REASON, note.s);
    }
}

static void end_cycle(struct skr_placements *self, struct skr_placement_entry *entry, bool good)
{
    const skr_time now = skr_frame_now(self->frame);
    if (entry->written_at != 0) {
        skr_durations_add(&self->counts.bind, &skr_placement_scale, now - entry->written_at);
    }
    if (good && entry->written_at != 0 && entry->target && entry->placement) {
        note_writes(self, entry);
    }
    entry->written_at = 0;
    if (entry->target) {
        entry->again_at = entry->target->again_at;
        entry->news |= entry->target->news && (!good || entry->target->keeps);
    }
    skr_placements_aim(self, entry, NULL);
    entry->failed = entry->announced = false;
    if (!good) {
        self->counts.failed_cycles++;
        (void)skr_keys_fail(self->keys, entry->key);
        return;
    }
    skr_keys_succeed(self->keys, entry->key);
    if (skr_placements_is_ours(self, entry)) {
        const skr_time resync = now + SKR_PLACEMENT_RESYNC;
        skr_keys_add(self->keys, entry->key, 0,
                     entry->again_at < resync ? entry->again_at : resync);
    }
    skr_placements_close(self, entry);
}

/* Goes on with the next step, until writes are in flight or nothing differs. */
static void advance(struct skr_placements *self, struct skr_placement_entry *entry)
{
    if (entry->pending > 0) {
        return;
    }
    if (entry->failed) {
        end_cycle(self, entry, false);
        return;
    }
    if (!skr_placements_is_ours(self, entry) || !skr_frame_is_deciding(self->frame)) {
        end_cycle(self, entry, true);
        return;
    }
    const struct skr_target *target = entry->target;
    bool lists = !target->keeps && add(self, entry);
    if (!target->keeps && !lists && relabel(self, entry)) {
        return;
    }
    lists = lists || (!target->keeps && (take_out(self, entry) || delete_surplus(self, entry)));
    if (lists &&
        !entry->announced) { /* scores are written when decisions changed, not for labels alone */
        skr_placements_event(self, entry, NULL, false, "ScoreUpdate", "ScoreUpdated",
                             target->scores);
        entry->announced = true;
    }
    if (lists) {
        return;
    }
    if (!skr_placements_write_status(self, entry)) {
        end_cycle(self, entry, true);
    }
}

bool skr_placements_settle(void *object)
{
    struct skr_placements *self = object;
    const char *key = skr_keys_running(self->keys) < SKR_PLACEMENT_ALL_CYCLES_MAX
                          ? skr_keys_start(self->keys)
                          : NULL;
    struct skr_placement_entry *entry = key ? skr_placements_entry(self, key) : NULL;
    if (!key) {
        return false;
    }
    if (!skr_placements_is_ours(self, entry)) {
        skr_keys_succeed(self->keys, key);
        if (entry) {
            skr_placements_close(self, entry);
        }
        return true;
    }
    if (skr_frame_now(self->frame) < entry->rewrites.next) {
        skr_keys_succeed(self->keys, entry->key);
        skr_keys_add(self->keys, entry->key, 0, entry->rewrites.next);
        return true;
    }
    self->counts.cycles++;
    skr_keys_spend(self->keys, SKR_PLACEMENT_CYCLE_COST + self->n_clusters + entry->n_decisions);
    skr_placements_aim(self, entry, skr_target_create(self, entry));
    skr_keys_spend(self->keys, entry->target->cel_cost / SKR_PLACEMENT_CEL_COST_UNIT);
    entry->news = false;
    advance(self, entry);
    return true;
}

/* ---- answers ---- */

static void read_again(struct skr_placements *self, struct skr_placement_entry *entry,
                       bool placement, const char *name)
{
    const struct skr_write write = {
        .verb = SKR_VERB_GET,
        .resource = placement ? &skr_resource_placements : &skr_resource_placement_decisions,
        .class = SKR_WRITE_CLASS_COMMIT,
        .namespace_ = entry->placement->meta.namespace_,
        .name = name,
        .answer = &skr_ocm_types[placement ? SKR_OCM_PLACEMENT : SKR_OCM_DECISION]};
    skr_placements_send(self, entry, &write,
                        placement ? SKR_PLACEMENT_WRITE_READ_PLACEMENT : SKR_PLACEMENT_WRITE_READ,
                        name);
}

/* Brings the answer of a write into the cache. */
static void learn(struct skr_placements *self, struct skr_placement_entry *entry,
                  const struct skr_pending_write *write, struct skr_event *event)
{
    const bool placement = write->purpose == SKR_PLACEMENT_WRITE_STATUS ||
                           write->purpose == SKR_PLACEMENT_WRITE_READ_PLACEMENT;
    const enum skr_write_outcome outcome = event->written.outcome;
    const bool deletes = write->purpose == SKR_PLACEMENT_WRITE_SLICE && !write->answer;
    const char *namespace_ = entry->home->name;
    if (outcome == SKR_WRITE_OK && event->written.object) {
        skr_placements_take(self, placement ? SKR_OCM_PLACEMENT : SKR_OCM_DECISION,
                            skr_event_take_object(event));
    } else if (placement && outcome == SKR_WRITE_NOT_FOUND) {
        skr_placements_drop(self, SKR_OCM_PLACEMENT, namespace_, write->more, "");
    } else if (outcome == SKR_WRITE_NOT_FOUND || (outcome == SKR_WRITE_OK && deletes)) {
        skr_placements_bury(self, namespace_, write->more);
    }
}

void skr_placements_written(void *object, const struct skr_pending_write *write,
                            struct skr_event *event)
{
    struct skr_placements *self = object;
    struct skr_placement_entry *entry = skr_placements_entry(self, write->key);
    const enum skr_write_outcome outcome = event->written.outcome;
    const bool reads = write->purpose == SKR_PLACEMENT_WRITE_READ ||
                       write->purpose == SKR_PLACEMENT_WRITE_READ_PLACEMENT;
    const bool deletes = write->purpose == SKR_PLACEMENT_WRITE_SLICE && !write->answer;
    if (!entry || entry->pending == 0) {
        return;
    }
    const bool good = outcome == SKR_WRITE_OK || (deletes && outcome == SKR_WRITE_NOT_FOUND);
    if (!reads) {
        const bool status = write->purpose == SKR_PLACEMENT_WRITE_STATUS;
        self->counts.writes[status ? SKR_PLACEMENT_OBJECT_STATUS : SKR_PLACEMENT_OBJECT_DECISION]
                           [outcome]++;
    }
    learn(self, entry, write, event);
    entry->pending--;
    if (!good) {
        entry->failed = true;
        if (!reads && (outcome == SKR_WRITE_CONFLICT || outcome == SKR_WRITE_UNKNOWN) &&
            skr_placements_is_ours(self, entry) && skr_frame_is_deciding(self->frame)) {
            read_again(self, entry, write->purpose == SKR_PLACEMENT_WRITE_STATUS, write->more);
        }
        const struct skr_decision decision = {.kind = "placement",
                                              .key = entry->key,
                                              .pod = "",
                                              .what = "Write refused",
                                              .reason = "",
                                              .message = event->written.message,
                                              .is_error = outcome == SKR_WRITE_DENIED ||
                                                          outcome == SKR_WRITE_INVALID};
        skr_frame_decision(self->frame, &decision);
    }
    if (entry->target) {
        advance(self, entry);
    }
}
