/* SPDX-License-Identifier: Apache-2.0 */
/* Appends actions to the frame's list. */
#include "core/gang/state/output.h"

#include "core/gang/state/types.h"

const char *skr_out_not_now(const struct skr_gang *e)
{
    if (!skr_frame_is_synced(e->frame) || skr_frame_is_stopped(e->frame)) {
        return SKR_TEXT_NOT_READY;
    }
    return skr_frame_is_leader(e->frame) ? NULL : SKR_TEXT_NOT_LEADER;
}

/* Appends an answer with the fields that every answer has; the rest is zero. */
static struct skr_answer *answer(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind,
                                 const char *text)
{
    struct skr_answer *a = skr_frame_alloc(e->frame, sizeof *a);
    a->request = request;
    a->kind = kind;
    a->text = text ? text : "";
    skr_frame_answer(e->frame, request, a);
    return a;
}

void skr_out_answer(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind,
                    const char *text)
{
    answer(e, request, kind, text);
}

void skr_out_answer_one(struct skr_gang *e, uint64_t request, size_t index)
{
    answer(e, request, SKR_ANSWER_FILTER_ONE, "")->index = index;
}

void skr_out_answer_mask(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind,
                         const char *text, const uint8_t *mask, size_t n)
{
    struct skr_answer *a = answer(e, request, kind, text);
    a->n = n;
    a->mask = skr_frame_copy(e->frame, mask, (n + 7) / 8);
}

void skr_out_answer_scores(struct skr_gang *e, uint64_t request, const int8_t *scores, size_t n)
{
    struct skr_answer *a = answer(e, request, SKR_ANSWER_SCORES, "");
    a->n = n;
    a->scores = skr_frame_copy(e->frame, scores, n);
}

void skr_out_explain(struct skr_gang *e, uint64_t request, enum skr_explain_status status,
                     const struct skr_strbuf *json)
{
    struct skr_answer *a = answer(e, request, SKR_ANSWER_EXPLANATION, "");
    a->explanation.status = status;
    a->explanation.json = skr_frame_copy(e->frame, json->s, json->len + 1);
    a->explanation.json_len = json->len;
}

uint64_t skr_out_solve(struct skr_gang *e, struct skr_solve_request *request)
{
    e->stats.solves++;
    return skr_frame_work(e->frame, &request->work);
}

void skr_out_decision(struct skr_gang *e, const char *group, const char *pod, const char *what,
                      const char *reason, const char *message, bool is_error)
{
    const struct skr_decision decision = {.kind = "group",
                                          .key = group,
                                          .pod = pod,
                                          .what = what,
                                          .reason = reason,
                                          .message = message,
                                          .is_error = is_error};
    skr_frame_decision(e->frame, &decision);
}

struct skr_pending_write *skr_out_write(struct skr_gang *e, enum skr_write_kind kind,
                                        enum skr_write_class class, uint64_t order,
                                        const struct skr_meta *meta, const struct skr_strbuf *body,
                                        enum write_purpose purpose, const char *key)
{
    struct skr_write write = skr_write_of_kind(kind);
    write.class = class;
    write.order = order;
    write.namespace_ = meta->namespace_;
    write.name = meta->name;
    write.body = body ? body->s : "";
    write.body_len = body ? body->len : 0;
    return skr_frame_write(e->frame, &write, (int)purpose, key);
}

void skr_out_owner(struct skr_json_writer *w, const struct skr_resource *resource,
                   const struct skr_meta *meta)
{
    char version[SKR_API_VERSION_MAX];
    skr_resource_api_version(resource, version, sizeof version);
    skr_json_open(w, "ownerReferences", '[');
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "apiVersion", version);
    skr_json_string(w, "kind", resource->kind);
    skr_json_string(w, "name", meta->name);
    skr_json_string(w, "uid", meta->uid);
    skr_json_close(w, '}');
    skr_json_close(w, ']');
}

void skr_out_event_on(struct skr_gang *e, const struct skr_resource *resource,
                      const struct skr_meta *about, bool warning, const char *reason,
                      const char *action, const char *note)
{
    char version[SKR_API_VERSION_MAX];
    skr_resource_api_version(resource, version, sizeof version);
    const struct skr_note event = {.regarding = {.api_version = version,
                                                 .kind = resource->kind,
                                                 .namespace_ = about->namespace_,
                                                 .name = about->name,
                                                 .uid = about->uid},
                                   .warning = warning,
                                   .reason = reason,
                                   .action = action,
                                   .note = note};
    skr_frame_event(e->frame, &event);
}

void skr_out_event(struct skr_gang *e, const char *kind, const struct skr_meta *about, bool warning,
                   const char *reason, const char *action, const char *note)
{
    skr_out_event_on(e, skr_gang_type_of(NULL, kind)->resource, about, warning, reason, action,
                     note);
}
