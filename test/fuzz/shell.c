/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold of actions: each request is answered once, with an answer of its verb, a bind call
 * with success only for a pod that is bound to its node; writes have ids and bodies of their own;
 * no Binding of a member is posted before a plan in state Binding with that member was acknowledged
 * or seen; none without an open call for that pod and node.
 */
#include "test/fuzz/shell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/pods.h"

#define BIND_TIMEOUT (330 * SKR_SECOND) /* settings.bind_timeout */

void fuzz_shell_mix(struct fuzz_shell *w, const char *text)
{
    for (; *text != '\0'; text++) {
        w->hash = (w->hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
}

static void mix_number(struct fuzz_shell *w, uint64_t number)
{
    w->hash = (w->hash ^ number) * UINT64_C(0x100000001b3);
}

/* ---- all or nothing ---- */

static size_t uid_index(const char *uid)
{
    for (uint32_t i = 0; i < FUZZ_UIDS; i++) {
        char text[16];
        if (strcmp(fuzz_pod_uid(i / 4, i % 4, text), uid) == 0) {
            return i;
        }
    }
    return FUZZ_UIDS;
}

/* A plan that the API server is known to hold. */
void fuzz_shell_plan_is_out(struct fuzz_shell *w, const char *text)
{
    struct skr_plan_record *plan = NULL;
    struct skr_error error;
    if (!text || skr_plan_parse(text, &plan, &error) < 0) {
        return;
    }
    if (plan->state == SKR_PLAN_BINDING) {
        w->any_binding = w->any_binding || !plan->has_members;
        for (size_t i = 0; i < plan->n_members; i++) {
            size_t at = uid_index(plan->member[i].uid);
            if (at < FUZZ_UIDS) {
                w->binding[at] = true;
            }
        }
    }
    skr_plan_record_destroy(plan);
}

void fuzz_shell_seen(struct fuzz_shell *w, const struct skr_meta *meta)
{
    fuzz_shell_plan_is_out(w, skr_labels_get(&meta->annotations, SKR_ANNOTATION_PLAN));
}

void fuzz_shell_pod_seen(struct fuzz_shell *w, const struct skr_pod *pod)
{
    fuzz_shell_seen(w, &pod->meta);
    w->traces = w->traces || pod->meta.annotations.n > 0;
    w->bound = w->bound || pod->node_name[0] != '\0';
}

/* The annotation that a patch writes; json_decref() *ret_json. */
const char *fuzz_shell_patched_plan(const struct skr_write *write, json_t **ret_json)
{
    *ret_json = write->body_len > 0 ? json_loadb(write->body, write->body_len, 0, NULL) : NULL;
    const json_t *meta = json_object_get(*ret_json, "metadata");
    return json_string_value(
        json_object_get(json_object_get(meta, "annotations"), SKR_ANNOTATION_PLAN));
}

static struct fuzz_call *find_call(struct fuzz_shell *w, uint64_t request)
{
    for (size_t i = 0; i < w->n_calls; i++) {
        if (w->call[i].request == request) {
            return &w->call[i];
        }
    }
    return NULL;
}

static void check_binding(struct fuzz_shell *w, const json_t *body)
{
    const char *uid = json_string_value(json_object_get(json_object_get(body, "metadata"), "uid"));
    const char *node = json_string_value(json_object_get(json_object_get(body, "target"), "name"));
    bool open = false;
    fuzz_check(uid && node);
    for (size_t i = 0; i < w->n_calls; i++) {
        open = open || (!strcmp(w->call[i].uid, uid) && !strcmp(w->call[i].node, node));
    }
    fuzz_check(open);
    const struct pod_entry *p = skr_pods_find(w->gang, uid);
    fuzz_check(p && !skr_pods_is_bound(p));
    if (p->group) {
        fuzz_check(w->binding[uid_index(uid)] || w->any_binding || (w->traces && w->bound));
    }
}

/* ---- actions ---- */

static void take_write(struct fuzz_shell *w, const struct skr_write *write)
{
    json_t *body;
    enum skr_write_kind kind = skr_write_kind_of(write);
    fuzz_check(write->id > w->last_write && kind < SKR_WRITE_KIND_COUNT);
    fuzz_check(write->class < SKR_WRITE_CLASS_COUNT && write->namespace_[0]);
    fuzz_check(write->name[0] || kind == SKR_WRITE_CREATE_EVENT);
    w->last_write = write->id;
    const char *plan = fuzz_shell_patched_plan(write, &body);
    fuzz_check(write->verb == SKR_VERB_GET ? write->body_len == 0 : json_is_object(body));
    if (plan) {
        fuzz_objects_note_plan(&w->objects, plan);
    }
    if (kind == SKR_WRITE_BINDING) {
        check_binding(w, body);
    }
    json_decref(body);
    fuzz_check(w->n_writes < FUZZ_WRITES_MAX);
    struct skr_write *mine = &w->write[w->n_writes++];
    *mine = *write;
    mine->namespace_ = skr_strdup(write->namespace_);
    mine->name = skr_strdup(write->name);
    mine->body = skr_strdup(write->body);
    mix_number(w, kind);
    fuzz_shell_mix(w, write->name);
    fuzz_shell_mix(w, write->body);
}

static void check_verb_answer(struct fuzz_shell *w, const struct skr_answer *a)
{
    bool masked = a->kind == SKR_ANSWER_FILTER_MASK || a->kind == SKR_ANSWER_PREEMPT_MASK ||
                  a->kind == SKR_ANSWER_SCORES;
    w->n_answers++;
    fuzz_check(!masked || a->n == w->n_asked);
    if (w->verb == SKR_GANG_FILTER) {
        fuzz_check(a->kind <= SKR_ANSWER_FILTER_MASK);
    } else if (w->verb == SKR_GANG_PRIORITIZE) {
        fuzz_check(a->kind == SKR_ANSWER_SCORES || a->kind == SKR_ANSWER_ERROR);
    } else if (w->verb == SKR_GANG_PREEMPT) {
        fuzz_check(a->kind == SKR_ANSWER_PREEMPT_MASK || a->kind == SKR_ANSWER_ERROR);
    }
    fuzz_check(a->kind != SKR_ANSWER_FILTER_ONE || a->index < w->n_asked);
    for (size_t i = 0; a->kind == SKR_ANSWER_SCORES && i < a->n; i++) {
        fuzz_check(a->scores[i] >= 0 && a->scores[i] <= 10);
    }
}

static void take_explanation(struct fuzz_shell *w, const struct skr_explain_answer *a)
{
    fuzz_check(w->n_questions > 0);
    w->n_questions--;
    json_decref(fuzz_json(a->json, a->json_len));
    fuzz_shell_mix(w, a->json);
}

static void take_answer(struct fuzz_shell *w, const struct skr_answer *a)
{
    if (a->kind == SKR_ANSWER_EXPLANATION) {
        take_explanation(w, &a->explanation);
        return;
    }
    struct fuzz_call *call = find_call(w, a->request);
    fuzz_check(a->text);
    mix_number(w, (uint64_t)a->kind);
    fuzz_shell_mix(w, a->text);
    if (call) {
        fuzz_check(a->kind == SKR_ANSWER_BOUND || a->kind == SKR_ANSWER_ERROR);
        fuzz_check(a->kind == SKR_ANSWER_BOUND || a->text[0] != '\0');
        const struct pod_entry *p = skr_pods_find(w->gang, call->uid);
        const char *on = p ? p->pod->node_name : skr_pods_resident_node(w->gang, call->uid);
        fuzz_check(a->kind != SKR_ANSWER_BOUND || (on && strcmp(on, call->node) == 0));
        *call = w->call[--w->n_calls];
        return;
    }
    fuzz_check(w->asking != 0 && a->request == w->asking);
    check_verb_answer(w, a);
}

static void tell_event(const struct fuzz_shell *w, const struct skr_event *ev)
{
    fprintf(stderr, "%" PRId64 " ms: event %d", w->now / SKR_MILLISECOND % 1000000, (int)ev->kind);
    if (ev->kind == SKR_EVENT_UPSERT && ev->upsert.type == &skr_gang_pod) {
        const struct skr_pod *pod = ev->upsert.object;
        fprintf(stderr, " %s version %" PRIu64 " node '%s' nominated '%s'", pod->meta.uid,
                pod->meta.resource_version, pod->node_name, pod->nominated_node);
    } else if (ev->kind == SKR_EVENT_UPSERT) {
        fprintf(stderr, " %s", ev->upsert.type->meta(ev->upsert.object)->name);
    } else if (ev->kind == SKR_EVENT_REQUEST && ev->request.verb == SKR_GANG_BIND) {
        const struct skr_bind_request *bind = ev->request.body;
        fprintf(stderr, " %s (%s) to %s, request %" PRIu64, bind->name, bind->uid, bind->node,
                ev->request.id);
    } else if (ev->kind == SKR_EVENT_HANGUP) {
        fprintf(stderr, " request %" PRIu64, ev->request.id);
    } else if (ev->kind == SKR_EVENT_WRITE_DONE) {
        fprintf(stderr, " write %" PRIu64 " outcome %d", ev->written.id, (int)ev->written.outcome);
    }
    fprintf(stderr, "\n");
}

static void tell_action(const struct skr_action *a)
{
    if (a->kind == SKR_ACTION_ANSWER) {
        const struct skr_answer *answer = a->answer.body;
        fprintf(stderr, "    answer %" PRIu64 " kind %d %s\n", a->answer.request, (int)answer->kind,
                answer->text);
    } else if (a->kind == SKR_ACTION_WRITE) {
        fprintf(stderr, "    write %" PRIu64 " %s %s %s\n", a->write.id,
                skr_write_kind_name(skr_write_kind_of(&a->write)), a->write.name, a->write.body);
    } else if (a->kind == SKR_ACTION_DECISION) {
        fprintf(stderr, "    %s %s%s: %s\n", a->decision.what, a->decision.key, a->decision.pod,
                a->decision.message);
    }
}

static void take_action(struct fuzz_shell *w, struct skr_action *a)
{
    if (w->trace) {
        tell_action(a);
    }
    mix_number(w, (uint64_t)a->kind);
    switch (a->kind) {
    case SKR_ACTION_ANSWER:
        take_answer(w, a->answer.body);
        break;
    case SKR_ACTION_WRITE:
        take_write(w, &a->write);
        break;
    case SKR_ACTION_WORK:
        fuzz_check(a->work->aside ? !w->explanation : !w->solve); /* one at a time */
        *(a->work->aside ? &w->explanation : &w->solve) = skr_solve_request_of(a->work);
        a->work = NULL;
        break;
    case SKR_ACTION_CANCEL:
        fuzz_check(w->solve && a->cancel == w->solve->work.id);
        atomic_store(&w->solve->work.cancel, true);
        break;
    case SKR_ACTION_TIMER:
        w->timer = a->timer;
        mix_number(w, (uint64_t)a->timer);
        break;
    case SKR_ACTION_DECISION:
        fuzz_check(a->decision.key && a->decision.pod && a->decision.what && a->decision.message);
        fuzz_shell_mix(w, a->decision.message);
        break;
    case SKR_ACTION_WATCH:
        fuzz_check(w->n_lists < sizeof w->list / sizeof *w->list);
        w->list[w->n_lists++] = a->watch;
        break;
    case SKR_ACTION_QUERY:
    case SKR_ACTION_KIND_COUNT:
    default:
        fuzz_check(false);
    }
}

void fuzz_shell_handle(struct fuzz_shell *w, struct skr_event *event)
{
    struct skr_error error;
    if (w->trace) {
        tell_event(w, event);
    }
    fuzz_check(skr_engine_handle(w->engine, event, w->now, &w->actions) == 0);
    for (size_t i = 0; i < w->actions.n; i++) {
        take_action(w, &w->actions.item[i]);
    }
    skr_actions_reset(&w->actions);
    if (skr_engine_check(w->engine, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        fuzz_check(false);
    }
    for (size_t i = 0; i < w->n_calls; i++) {
        fuzz_check(w->now - w->call[i].asked < BIND_TIMEOUT);
    }
}

uint64_t fuzz_shell_request(struct fuzz_shell *w, enum skr_gang_verb verb, const void *body)
{
    struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                              .request = {.id = ++w->request, .verb = (int)verb, .body = body}};
    fuzz_shell_handle(w, &event);
    return event.request.id;
}
