/* SPDX-License-Identifier: Apache-2.0 */
/* Events go in, actions come out. Decisions are logged only here. */
#include "server/daemon/seat.h"

#include <stdio.h>
#include <string.h>

#include "server/log.h"
#include "server/log_limit.h"

/* ---- what goes to an engine ---- */

void skr_seat_deliver(void *context, struct skr_event *event)
{
    const struct skr_seat *s = context;
    skr_engine_thread_post(s->engine, event);
}

static void report_work(void *context, struct skr_work *work)
{
    const struct skr_seat *s = context;
    const struct skr_event event = {.kind = SKR_EVENT_WORK_DONE, .work = work};
    if (s->row->worked) {
        s->row->worked(s->service, work);
    }
    skr_engine_thread_post(s->engine, &event);
}

/* ---- what comes from an engine ---- */

static void give_answer(void *context, uint64_t request, const void *body)
{
    const struct skr_seat *s = context;
    s->row->answer(s->service, request, body);
}

static void give_write(void *context, const struct skr_write *write)
{
    const struct skr_seat *s = context;
    if (skr_log_enabled(4)) {
        char what[128];
        snprintf(what, sizeof what, "%s %s%s%s", skr_write_verb_name(write->verb),
                 write->resource->plural, *write->subresource ? "/" : "", write->subresource);
        skr_log_info(4, "Write was asked for", SKR_LOG_S("write", what),
                     SKR_LOG_S("namespace", write->namespace_), SKR_LOG_S("name", write->name),
                     SKR_LOG_I("id", write->id), SKR_LOG_END);
    }
    if (skr_kube_submit(s->kube, s->subscriber, write) < 0) {
        const struct skr_event event = {
            .kind = SKR_EVENT_WRITE_DONE,
            .written = {.id = write->id, .outcome = SKR_WRITE_DROPPED, .message = "shutting down"}};
        skr_engine_thread_post(s->engine, &event);
    }
}

static void give_work(void *context, struct skr_work *work)
{
    const struct skr_seat *s = context;
    skr_worker_post(work->aside ? s->beside : s->worker, work);
}

static void give_cancel(void *context, uint64_t id)
{
    const struct skr_seat *s = context;
    skr_worker_cancel(s->worker, id);
}

static void give_query(void *context, const struct skr_query *query)
{
    const struct skr_seat *s = context;
    s->row->query(s->service, query);
}

static void give_watch(void *context, const struct skr_object_type *type)
{
    const struct skr_seat *s = context;
    skr_kube_watch_type(s->kube, s->subscriber, type);
}

static void give_handled(void *context, const struct skr_engine *engine)
{
    const struct skr_seat *s = context;
    if (s->row->handled) {
        s->row->handled(s->service, engine);
    }
}

/* The pairs that say something, in a fixed order. */
static void log_decision(void *context, const struct skr_decision *decision)
{
    (void)context;
    struct skr_log_pair pair[] = {SKR_LOG_END, SKR_LOG_END, SKR_LOG_END,
                                  SKR_LOG_END, SKR_LOG_END, SKR_LOG_END};
    const char *const name[] = {decision->kind, "pod", "status", "reason", "message"};
    const char *const value[] = {decision->key, decision->pod, decision->status, decision->reason,
                                 decision->message};
    size_t n = 0;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        if (value[i] && value[i][0]) {
            pair[n++] = SKR_LOG_S(name[i], value[i]);
        }
    }
    char namespace_[SKR_LOG_LIMIT_TEXT];
    const char *key = decision->key && decision->key[0] ? decision->key : decision->pod;
    const char *slash = key ? strchr(key, '/') : NULL;
    snprintf(namespace_, sizeof namespace_, "%.*s", slash ? (int)(slash - key) : 0,
             slash ? key : "");
    skr_log_emit_limited(decision->is_error ? SKR_LOG_ERROR : SKR_LOG_INFO,
                         decision->is_error ? 0 : 2, __FILE__, __LINE__, decision->what, namespace_,
                         pair);
}

/* ---- start ---- */

int skr_seat_start(struct skr_seat *seat, struct skr_error *error)
{
    struct skr_seat *s = seat;
    const struct skr_work_type *work = s->scheduler->work;
    if (work) {
        s->worker = skr_worker_create(work, report_work, s, error);
        s->beside = s->worker ? skr_worker_create(work, report_work, s, error) : NULL;
        if (!s->beside) {
            return -SKR_LIMIT;
        }
    }
    return s->row->start ? s->row->start(s->service, s->engine, error) : 0;
}

int skr_seat_start_engine(struct skr_seat *seat, struct skr_error *error)
{
    const struct skr_engine_outlets outlets = {
        .actions = {.context = seat,
                    .answer = give_answer,
                    .write = give_write,
                    .work = give_work,
                    .cancel = give_cancel,
                    .query = give_query,
                    .watch = give_watch,
                    .decide = log_decision},
        .handled = give_handled,
    };
    return skr_engine_thread_start(seat->engine, &outlets, error);
}
