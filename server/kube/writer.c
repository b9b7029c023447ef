/* SPDX-License-Identifier: Apache-2.0 */
/* A backlog, and a fixed set of slots for requests in flight. */
#include "server/kube/writer.h"

#include <stdlib.h>
#include <string.h>

#include "server/kube/backlog.h"
#include "server/kube/decode.h"
#include "server/kube/options.h"
#include "server/kube/target.h"
#include "server/log.h"

#define NOT_LEADING "this process does not lead"

struct slot {
    struct skr_writer *writer;
    struct skr_transfer transfer;
    struct skr_kube_job *job; /* NULL: free */
    struct skr_strbuf answer;
};

struct skr_writer {
    struct skr_kube_session *session;
    struct skr_backlog backlog;
    size_t n_slots;
    size_t in_flight;
    struct slot *slot;
};

/* ---- jobs ---- */

static const char *copy_in(char **at, const char *text, size_t n)
{
    char *copy = *at;
    if (n > 0) {
        memcpy(copy, text, n);
    }
    copy[n] = '\0';
    *at += n + 1;
    return copy;
}

struct skr_kube_job *skr_kube_job_create(const struct skr_kube_subscriber *from,
                                         const struct skr_write *write)
{
    const char *namespace_ = write->namespace_ ? write->namespace_ : "";
    const char *name = write->name ? write->name : "";
    size_t n_namespace = strlen(namespace_);
    size_t n_name = strlen(name);
    struct skr_kube_job *job = malloc(sizeof *job + n_namespace + n_name + write->body_len + 3);
    if (!job) {
        return NULL;
    }
    char *at = job->text;
    job->next = NULL;
    job->from = from;
    job->write = *write;
    job->write.namespace_ = copy_in(&at, namespace_, n_namespace);
    job->write.name = copy_in(&at, name, n_name);
    job->write.body = copy_in(&at, write->body, write->body_len);
    return job;
}

/* ---- pure parts ---- */

enum skr_write_outcome skr_writer_outcome_of(int http_status)
{
    if (http_status >= 200 && http_status < 300) {
        return SKR_WRITE_OK;
    }
    switch (http_status) {
    case 409:
        return SKR_WRITE_CONFLICT;
    case 404:
    case 410:
        return SKR_WRITE_NOT_FOUND;
    case 403:
        return SKR_WRITE_DENIED;
    case 401: /* a token that was rotated: not applied, and the next one may be there by then */
    case 429:
        return SKR_WRITE_BUSY;
    case 408:
        return SKR_WRITE_UNKNOWN;
    default:
        return http_status >= 300 && http_status < 500 ? SKR_WRITE_INVALID : SKR_WRITE_UNKNOWN;
    }
}

/* ---- outcomes ---- */

/* Delivers the outcome and frees the job. The callee takes the objects of the event. */
static void tell(struct skr_writer *writer, struct skr_kube_job *job, struct skr_event *event)
{
    event->kind = SKR_EVENT_WRITE_DONE;
    event->written.id = job->write.id;
    event->written.type = job->write.answer;
    if (!event->written.message) {
        event->written.message = "";
    }
    skr_count_add(&writer->session->counters->writes[job->write.class][event->written.outcome], 1);
    job->from->deliver(job->from->context, event);
    free(job);
}

static void tell_simple(struct skr_writer *writer, struct skr_kube_job *job,
                        enum skr_write_outcome outcome, const char *message)
{
    struct skr_event event = {.written = {.outcome = outcome, .message = message}};
    tell(writer, job, &event);
}

/* Decodes the object into the event. If it cannot be decoded, a GET has failed; any other write has
 * been done all the same. json NULL: error says why. */
static void take_object(const struct skr_write *write, const json_t *json, struct skr_event *event,
                        struct skr_error *error)
{
    bool read = json && write->answer->decode(json, &event->written.object, error) == 0;
    if (!read && write->verb == SKR_VERB_GET) {
        event->written.outcome = json ? SKR_WRITE_INVALID : SKR_WRITE_UNKNOWN;
        event->written.message = error->text;
    }
}

static uint64_t version_of(const json_t *json)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(json, "metadata"), "resourceVersion"));
    return text ? skr_kube_version_parse(text) : 0;
}

void skr_writer_read_answer(const struct skr_write *write, int status, const json_t *json,
                            struct skr_event *event, struct skr_error *error)
{
    struct skr_kube_status said;
    event->written.http_status = status;
    event->written.outcome = skr_writer_outcome_of(status);
    if (event->written.outcome != SKR_WRITE_OK) {
        event->written.message = skr_kube_status_parse(json, &said) ? said.message : "";
        return;
    }
    if (write->answer) {
        take_object(write, json, event, error);
    }
    event->written.resource_version = json ? version_of(json) : 0;
}

/* Fills the event from an answer that arrived whole. error and *ret_json hold what the event
 * borrows. */
static void read_answer(struct slot *slot, struct skr_event *event, json_t **ret_json,
                        struct skr_error *error)
{
    const int status = skr_transfer_status(&slot->transfer);
    (void)skr_kube_json_parse(slot->answer.s ? slot->answer.s : "", slot->answer.len, ret_json,
                              error);
    skr_writer_read_answer(&slot->job->write, status, *ret_json, event, error);
    if (status == 429) {
        event->written.retry_after = skr_transfer_retry_after(&slot->transfer);
    }
}

/* Fills the event from a transfer that failed. */
static void read_failure(struct slot *slot, CURLcode result, struct skr_event *event)
{
    bool never_sent = skr_transfer_never_sent(&slot->transfer, result);
    if (never_sent && result == CURLE_ABORTED_BY_CALLBACK) {
        event->written.outcome = SKR_WRITE_DROPPED;
        event->written.message = NOT_LEADING;
        return;
    }
    event->written.outcome = never_sent ? SKR_WRITE_BUSY : SKR_WRITE_UNKNOWN;
    event->written.message = slot->transfer.too_large ? "the answer is larger than 16 MiB"
                                                      : skr_transfer_error(&slot->transfer, result);
}

static void release(struct slot *slot)
{
    slot->job = NULL;
    if (slot->answer.cap > SKR_KUBE_ERROR_BODY_MAX) {
        skr_strbuf_fini(&slot->answer);
        skr_strbuf_init(&slot->answer);
    }
    slot->writer->in_flight--;
    skr_count_set(&slot->writer->session->counters->in_flight, slot->writer->in_flight);
}

static void on_done(struct skr_transfer *transfer, CURLcode result)
{
    struct slot *slot = transfer->owner;
    struct skr_writer *writer = slot->writer;
    struct skr_error error = {0};
    struct skr_event event = {.written = {.outcome = SKR_WRITE_UNKNOWN}};
    json_auto_t *json = NULL;
    if (result == CURLE_OK) {
        read_answer(slot, &event, &json, &error);
    } else {
        read_failure(slot, result, &event);
    }
    int64_t now = skr_kube_now();
    struct skr_kube_counters *counters = writer->session->counters;
    const enum skr_write_class class = slot->job->write.class;
    skr_count_add(&counters->write_ns[class], (uint64_t)(now - transfer->started));
    skr_count_add(&counters->write_bucket[class][skr_write_bucket(now - transfer->started)], 1);
    if (event.written.http_status == 401) {
        skr_kube_session_refresh(writer->session, now, true);
    }
    tell(writer, slot->job, &event);
    release(slot); /* after the outcome was delivered */
}

/* ---- leadership ---- */

/* Reading is always allowed. */
static bool may_send(const struct skr_writer *writer, const struct skr_write *write)
{
    const struct skr_kube_options *o = writer->session->options;
    return !o->may_write || write->verb == SKR_VERB_GET || o->may_write(o->may_write_context);
}

/* Called again after the connection is open: meanwhile the process may have been stopped for longer
 * than its Lease. */
static bool may_still_send(const struct skr_transfer *transfer)
{
    const struct slot *slot = transfer->owner;
    return may_send(slot->writer, &slot->job->write);
}

/* ---- life ---- */

struct skr_writer *skr_writer_create(struct skr_kube_session *session)
{
    struct skr_writer *writer = skr_alloc(sizeof *writer);
    writer->session = session;
    writer->n_slots = (size_t)session->options->max_in_flight;
    writer->slot = skr_alloc_array(writer->n_slots, sizeof(struct slot));
    skr_backlog_init(&writer->backlog, session->options);
    for (size_t i = 0; i < writer->n_slots; i++) {
        struct slot *slot = &writer->slot[i];
        slot->writer = writer;
        skr_transfer_init(&slot->transfer, session, slot);
        slot->transfer.body = &slot->answer;
        slot->transfer.body_max = SKR_KUBE_ANSWER_MAX;
        slot->transfer.done = on_done;
        slot->transfer.may_send = may_still_send;
        skr_strbuf_init(&slot->answer);
    }
    return writer;
}

void skr_writer_destroy(struct skr_writer *writer)
{
    if (!writer) {
        return;
    }
    skr_bug_on(writer->backlog.n > 0 || writer->in_flight > 0);
    for (size_t i = 0; i < writer->n_slots; i++) {
        skr_transfer_fini(&writer->slot[i].transfer);
        skr_strbuf_fini(&writer->slot[i].answer);
    }
    free(writer->slot);
    free(writer);
}

static void count_queue(struct skr_writer *writer, enum skr_write_class class)
{
    skr_count_set(&writer->session->counters->queued[class], writer->backlog.waiting[class]);
}

void skr_writer_put(struct skr_writer *writer, struct skr_kube_job *job)
{
    const enum skr_write_class class = job->write.class;
    const char *full = skr_backlog_put(&writer->backlog, job);
    if (full) {
        tell_simple(writer, job, SKR_WRITE_DROPPED, full);
    } else {
        count_queue(writer, class);
    }
}

size_t skr_writer_in_flight(const struct skr_writer *writer)
{
    return writer->in_flight;
}

void skr_writer_drop_queued(struct skr_writer *writer, const char *why)
{
    for (int c = 0; c < SKR_WRITE_CLASS_COUNT; c++) {
        const enum skr_write_class class = (enum skr_write_class)c;
        for (struct skr_kube_job *job; (job = skr_backlog_drain(&writer->backlog, class));) {
            tell_simple(writer, job, SKR_WRITE_DROPPED, why);
        }
        count_queue(writer, class);
    }
}

void skr_writer_abandon(struct skr_writer *writer, const char *why)
{
    for (size_t i = 0; i < writer->n_slots; i++) {
        struct slot *slot = &writer->slot[i];
        struct skr_kube_job *job = slot->job;
        if (!job) {
            continue;
        }
        skr_transfer_cancel(&slot->transfer);
        release(slot);
        tell_simple(writer, job, SKR_WRITE_UNKNOWN, why);
    }
}

/* ---- sending ---- */

/* The number of requests in flight below which one of this class may be sent. Other places are kept
 * free for higher classes. */
static size_t slots_for(const struct skr_writer *writer, enum skr_write_class class)
{
    static const size_t eighths[] = {
        [SKR_WRITE_CLASS_COMMIT] = 8, [SKR_WRITE_CLASS_MEMBER] = 7, [SKR_WRITE_CLASS_LOOKUP] = 2,
        [SKR_WRITE_CLASS_EVICT] = 7,  [SKR_WRITE_CLASS_STATUS] = 5, [SKR_WRITE_CLASS_LABEL] = 4,
        [SKR_WRITE_CLASS_EVENT] = 3};
    _Static_assert(sizeof eighths / sizeof eighths[0] == SKR_WRITE_CLASS_COUNT, "a share each");
    const size_t n = writer->n_slots * eighths[class] / 8;
    return n > 0 ? n : 1;
}

/* The class of the next write, if one of it may be sent; SKR_WRITE_CLASS_COUNT: none. */
static enum skr_write_class next_class(struct skr_writer *writer)
{
    const enum skr_write_class class = skr_backlog_class(&writer->backlog);
    return class != SKR_WRITE_CLASS_COUNT && writer->in_flight < slots_for(writer, class)
               ? class
               : SKR_WRITE_CLASS_COUNT;
}

static struct slot *free_slot(struct skr_writer *writer)
{
    for (size_t i = 0; i < writer->n_slots; i++) {
        if (!writer->slot[i].job) {
            return &writer->slot[i];
        }
    }
    return NULL;
}

static void send_job(struct skr_writer *writer, struct slot *slot, struct skr_kube_job *job)
{
    if (!may_send(writer, &job->write)) {
        tell_simple(writer, job, SKR_WRITE_DROPPED, NOT_LEADING);
        return;
    }
    struct skr_error error = {0};
    SKR_STRBUF(target);
    struct skr_transfer_request request = {
        .method = skr_kube_method(job->write.verb),
        .accept = skr_kube_accept(&job->write),
        .content_type = skr_kube_content_type(&job->write),
        .body = job->write.body,
        .body_len = job->write.body_len,
        .timeout_ms = writer->session->options->request_timeout / SKR_MILLISECOND,
    };
    if (!skr_kube_target(&target, &job->write)) {
        tell_simple(writer, job, SKR_WRITE_INVALID, "a write without namespace or name");
        return;
    }
    request.target = target.s;
    if (skr_transfer_start(&slot->transfer, &request, &error) < 0) {
        const struct skr_log_pair pair[] = {SKR_LOG_S("err", error.text), SKR_LOG_END};
        skr_log_emit_limited(SKR_LOG_ERROR, 0, __FILE__, __LINE__, "Write could not be started", "",
                             pair);
        tell_simple(writer, job, SKR_WRITE_BUSY, error.text);
    } else {
        slot->job = job;
        writer->in_flight++;
        skr_count_set(&writer->session->counters->in_flight, writer->in_flight);
    }
}

int64_t skr_writer_tick(struct skr_writer *writer, int64_t now)
{
    const int64_t admits = skr_backlog_admit(&writer->backlog, now);
    for (;;) {
        const enum skr_write_class class = next_class(writer);
        if (class == SKR_WRITE_CLASS_COUNT) {
            return admits;
        }
        int64_t next = 0;
        struct skr_kube_job *job = skr_backlog_take(&writer->backlog, class, now, &next);
        if (!job) {
            return next < admits ? next : admits;
        }
        struct slot *slot = free_slot(writer);
        skr_bug_on(!slot);
        count_queue(writer, class);
        send_job(writer, slot, job);
    }
}
