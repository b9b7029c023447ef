/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes kube-scheduler's reports about a pod: condition PodScheduled and, if enabled, the Events
 * that `kubectl describe pod` shows. The real one counts repetitions of an Event in a series; this
 * one writes an Event only if it is new.
 */
#include <stdio.h>
#include <string.h>

#include "server/lab/scheduler/scheduler_state.h"

/* ---- the pod's condition ---- */

/* scheduled_message of a decoded pod is cut. */
static bool is_reported(const struct skr_pod *pod, const char *reason, const char *message)
{
    size_t reported = strlen(pod->scheduled_message);
    return strcmp(pod->scheduled_reason, reason) == 0 &&
           strncmp(pod->scheduled_message, message, reported) == 0 &&
           (reported == strlen(message) || reported + 4 > SKR_POD_MESSAGE_MAX);
}

static json_t *condition_patch(const struct skr_scheduler_model *s, const struct skr_pod *pod,
                               const char *reason, const char *message, bool clear)
{
    char now[64];
    skr_time_write(s->now / SKR_SECOND * SKR_SECOND, 0, now, sizeof now);
    json_t *condition = json_pack("{s:s, s:s, s:s, s:s}", "type", "PodScheduled", "status", "False",
                                  "reason", reason, "message", message);
    if (pod->scheduled_reason[0] == '\0') {
        json_object_set_new(condition, "lastTransitionTime", json_string(now));
    }
    json_t *patch = json_pack("{s:{s:s}, s:{s:[o]}}", "metadata", "uid", pod->meta.uid, "status",
                              "conditions", condition);
    if (clear) {
        json_object_set_new(json_object_get(patch, "status"), "nominatedNodeName", json_null());
    }
    return patch;
}

static void patch_status(struct skr_scheduler_model *s, const struct skr_pod *pod, json_t *patch)
{
    struct skr_store_request request = {.verb = SKR_STORE_PATCH_STRATEGIC,
                                        .resource = skr_store_resource_of_kind("v1", "Pod"),
                                        .namespace_ = pod->meta.namespace_,
                                        .name = pod->meta.name,
                                        .subresource = "status",
                                        .body = patch};
    struct skr_store_reply reply;
    skr_store_handle(s->store, &request, s->now, &reply);
    s->stats.patches++;
    json_decref(reply.body);
}

/* ---- Events ---- */

/* words: type, reason, action. */
static void write_event(struct skr_scheduler_model *s, const struct skr_pod *pod,
                        const char *const words[3], const char *note)
{
    const struct skr_store_event event = {.api_version = "v1",
                                          .kind = "Pod",
                                          .namespace_ = pod->meta.namespace_,
                                          .name = pod->meta.name,
                                          .uid = pod->meta.uid,
                                          .type = words[0],
                                          .reason = words[1],
                                          .action = words[2],
                                          .note = note,
                                          .controller = pod->scheduler_name,
                                          .instance = pod->scheduler_name};
    if (s->options.events) {
        json_t *body = skr_store_event_write(&event, s->now);
        skr_store_note(s->store, body, s->now);
        json_decref(body);
    }
}

/* ---- both ---- */

void skr_sched_report_failure(struct skr_scheduler_model *s, const struct skr_pod *pod,
                              const char *reason, const char *message, bool clear_nomination)
{
    static const char *const words[] = {"Warning", "FailedScheduling", "Scheduling"};
    const bool clear = clear_nomination && pod->nominated_node[0];
    const bool reported = is_reported(pod, reason, message);
    if (!reported) {
        write_event(s, pod, words, message);
    }
    if (!reported || clear) {
        json_t *patch = condition_patch(s, pod, reason, message, clear);
        patch_status(s, pod, patch);
        json_decref(patch);
    }
}

void skr_sched_report_bound(struct skr_scheduler_model *s, const struct skr_pod *pod,
                            const char *node)
{
    static const char *const words[] = {"Normal", "Scheduled", "Binding"};
    char note[1024];
    if (!s->options.events) {
        return;
    }
    (void)snprintf(note, sizeof note, "Successfully assigned %s/%s to %s", pod->meta.namespace_,
                   pod->meta.name, node);
    write_event(s, pod, words, note);
}
