/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakes are a heap by (time, order of setting). Pending writes are a hash by id; ids of writes,
 * work and queries come from one counter. Events for people are written here and nowhere else.
 */
#include "core/frame/frame.h"

#include <stdio.h>
#include <string.h>

#include "core/frame/event_share.h"
#include "core/frame/heap.h"

const struct skr_resource skr_events = {
    .group = "events.k8s.io",
    .version = "v1",
    .plural = "events",
    .kind = "Event",
    .namespaced = true,
};

#define EVENTS_LEFT_OUT "the namespace has had more than 1000 Events, at 10 a second"
_Static_assert(SKR_EVENTS_BURST == 1000 && SKR_EVENTS_PER_SECOND == 10, "the text says so");

struct wake {
    struct skr_heap_item heap; /* first */
    skr_time at;
    uint64_t seq; /* first come first */
    int kind;
    char *key;
};

struct skr_frame {
    const char *instance;
    skr_time now;
    struct skr_actions *out;
    uint64_t n_events;
    bool listed; /* SYNCED was handled */
    bool synced, leader, stopped;
    size_t n_lists; /* on demand, not complete */
    struct skr_heap wakes;
    uint64_t wake_seq;
    skr_time timer; /* as asked from the shell */
    struct skr_pending_write *writes;
    uint64_t next_id;   /* writes, work, queries */
    uint64_t event_seq; /* names of Events */
    struct skr_event_shares event_shares;
};

/* ---- life ---- */

static bool wake_before(const struct skr_heap_item *a, const struct skr_heap_item *b)
{
    const struct wake *x = (const struct wake *)a, *y = (const struct wake *)b;
    return x->at != y->at ? x->at < y->at : x->seq < y->seq;
}

struct skr_frame *skr_frame_create(const char *instance)
{
    struct skr_frame *f = skr_alloc(sizeof *f);
    f->instance = instance && *instance ? instance : "sakkara";
    f->leader = true;
    f->timer = SKR_TIME_NEVER;
    f->next_id = 1;
    skr_heap_init(&f->wakes, wake_before);
    return f;
}

static struct wake *first_wake(const struct skr_frame *f)
{
    return (struct wake *)skr_heap_first(&f->wakes);
}

void skr_frame_destroy(struct skr_frame *f)
{
    if (!f) {
        return;
    }
    struct skr_pending_write *w, *next;
    HASH_ITER(hh, f->writes, w, next)
    {
        HASH_DEL(f->writes, w);
        skr_pending_write_destroy(w);
    }
    for (struct wake *wake; (wake = first_wake(f));) {
        skr_heap_remove(&f->wakes, &wake->heap);
        free(wake->key);
        free(wake);
    }
    skr_heap_fini(&f->wakes);
    skr_event_shares_fini(&f->event_shares);
    free(f);
}

/* ---- time and turn ---- */

void skr_frame_enter(struct skr_frame *f, skr_time now, struct skr_actions *out)
{
    f->now = now > f->now ? now : f->now;
    f->out = out;
    f->n_events += out ? 1 : 0;
}

void skr_frame_turn(struct skr_frame *f, enum skr_frame_turn turn)
{
    f->listed = f->listed || turn == SKR_TURN_SYNCED;
    f->n_lists -= turn == SKR_TURN_LISTED;
    f->synced = (f->synced && turn != SKR_TURN_WON) || (f->listed && f->n_lists == 0);
    f->stopped = f->stopped || turn == SKR_TURN_STOPPED;
    f->leader = turn == SKR_TURN_WON || (f->leader && turn != SKR_TURN_LOST);
}

skr_time skr_frame_now(const struct skr_frame *f)
{
    return f->now;
}

uint64_t skr_frame_events(const struct skr_frame *f)
{
    return f->n_events;
}

bool skr_frame_is_synced(const struct skr_frame *f)
{
    return f->synced;
}

bool skr_frame_is_leader(const struct skr_frame *f)
{
    return f->leader;
}

bool skr_frame_is_stopped(const struct skr_frame *f)
{
    return f->stopped;
}

bool skr_frame_is_deciding(const struct skr_frame *f)
{
    return f->synced && f->leader && !f->stopped;
}

/* ---- wakes ---- */

void skr_frame_wake(struct skr_frame *f, skr_time at, int kind, const char *key)
{
    if (at == SKR_TIME_NEVER) {
        return;
    }
    struct wake *w = skr_alloc(sizeof *w);
    w->at = at;
    w->seq = f->wake_seq++;
    w->kind = kind;
    w->key = skr_strdup(key);
    skr_heap_add(&f->wakes, &w->heap);
}

bool skr_frame_next_wake(struct skr_frame *f, int *ret_kind, char **ret_key)
{
    struct wake *w = first_wake(f);
    if (!w || w->at > f->now) {
        return false;
    }
    skr_heap_remove(&f->wakes, &w->heap);
    *ret_kind = w->kind;
    *ret_key = w->key;
    free(w);
    return true;
}

void skr_frame_timer_fired(struct skr_frame *f)
{
    f->timer = SKR_TIME_NEVER;
}

void skr_frame_ask_timer(struct skr_frame *f)
{
    const struct wake *first = first_wake(f);
    skr_time at = first && !f->stopped ? first->at : SKR_TIME_NEVER;
    if (at == f->timer) {
        return;
    }
    f->timer = at;
    skr_actions_add(f->out, SKR_ACTION_TIMER)->timer = at;
}

/* ---- requests and work ---- */

void *skr_frame_alloc(struct skr_frame *f, size_t n)
{
    void *p = skr_arena_alloc(f->out->arena, n);
    skr_bug_on(!p);
    return p;
}

void *skr_frame_copy(struct skr_frame *f, const void *data, size_t n)
{
    return skr_actions_copy(f->out, data, n);
}

const char *skr_frame_copy_string(struct skr_frame *f, const char *s)
{
    return skr_actions_copy_string(f->out, s);
}

void skr_frame_answer(struct skr_frame *f, uint64_t request, const void *body)
{
    struct skr_action *a = skr_actions_add(f->out, SKR_ACTION_ANSWER);
    a->answer.request = request;
    a->answer.body = body;
}

uint64_t skr_frame_work(struct skr_frame *f, struct skr_work *work)
{
    work->id = f->next_id++;
    skr_actions_add(f->out, SKR_ACTION_WORK)->work = work;
    return work->id;
}

void skr_frame_cancel(struct skr_frame *f, uint64_t work)
{
    skr_actions_add(f->out, SKR_ACTION_CANCEL)->cancel = work;
}

void skr_frame_watch(struct skr_frame *f, const struct skr_object_type *type)
{
    skr_actions_add(f->out, SKR_ACTION_WATCH)->watch = type;
    f->n_lists++;
}

uint64_t skr_frame_query(struct skr_frame *f, const struct skr_query *query)
{
    struct skr_question *question = skr_frame_alloc(f, (query->n + 1) * sizeof *question);
    for (size_t i = 0; i < query->n; i++) {
        const struct skr_question *from = &query->question[i];
        question[i].service = skr_frame_copy_string(f, from->service);
        question[i].body = skr_frame_copy(f, from->body, from->body_len);
        question[i].body_len = from->body_len;
    }
    struct skr_action *a = skr_actions_add(f->out, SKR_ACTION_QUERY);
    a->query = *query;
    a->query.id = f->next_id++;
    a->query.key = skr_frame_copy_string(f, query->key);
    a->query.question = question;
    return a->query.id;
}

/* ---- writes ---- */

struct skr_pending_write *skr_frame_write(struct skr_frame *f, const struct skr_write *write,
                                          int purpose, const char *key)
{
    struct skr_action *a = skr_actions_add(f->out, SKR_ACTION_WRITE);
    a->write = *write;
    a->write.id = f->next_id++;
    a->write.subresource = write->subresource ? write->subresource : "";
    a->write.namespace_ = skr_frame_copy_string(f, write->namespace_);
    a->write.name = skr_frame_copy_string(f, write->name);
    char *body = skr_frame_alloc(f, write->body_len + 1);
    if (write->body_len > 0) {
        memcpy(body, write->body, write->body_len);
    }
    a->write.body = body;
    struct skr_pending_write *w = skr_alloc(sizeof *w);
    w->id = a->write.id;
    w->purpose = purpose;
    w->key = skr_strdup(key ? key : "");
    w->answer = write->answer;
    HASH_ADD(hh, f->writes, id, sizeof w->id, w);
    return w;
}

size_t skr_frame_writes_in_flight(const struct skr_frame *f)
{
    return HASH_COUNT(f->writes);
}

void skr_frame_each_write(const struct skr_frame *f,
                          void (*look)(void *context, const struct skr_pending_write *write),
                          void *context)
{
    for (const struct skr_pending_write *w = f->writes; w; w = w->hh.next) {
        look(context, w);
    }
}

struct skr_pending_write *skr_frame_take_write(struct skr_frame *f, uint64_t id)
{
    struct skr_pending_write *w;
    HASH_FIND(hh, f->writes, &id, sizeof id, w);
    if (w) {
        HASH_DEL(f->writes, w);
    }
    return w;
}

void skr_pending_write_destroy(struct skr_pending_write *w)
{
    if (w->release) {
        w->release(w->more);
    }
    free(w->key);
    free(w);
}

/* ---- people ---- */

void skr_frame_decision(struct skr_frame *f, const struct skr_decision *decision)
{
    struct skr_action *a = skr_actions_add(f->out, SKR_ACTION_DECISION);
    a->decision = *decision;
    a->decision.key = skr_frame_copy_string(f, decision->key);
    a->decision.pod = skr_frame_copy_string(f, decision->pod);
    a->decision.status = skr_frame_copy_string(f, decision->status);
    a->decision.reason = skr_frame_copy_string(f, decision->reason);
    a->decision.message = skr_frame_copy_string(f, decision->message);
}

struct skr_reference skr_reference_to(const struct skr_resource *resource,
                                      const struct skr_meta *meta, char *buffer)
{
    skr_resource_api_version(resource, buffer, SKR_API_VERSION_MAX);
    return (struct skr_reference){.api_version = buffer,
                                  .kind = resource->kind,
                                  .namespace_ = meta->namespace_,
                                  .name = meta->name,
                                  .uid = meta->uid};
}

/* Length of the longest prefix of s of at most max bytes that does not cut a UTF-8 sequence. */
static size_t cut(const char *s, size_t max)
{
    size_t n = strlen(s);
    if (n <= max) {
        return n;
    }
    n = max;
    while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80) {
        n--;
    }
    return n;
}

static void add_text(struct skr_strbuf *b, const char *before, const char *text)
{
    skr_strbuf_add(b, before);
    skr_strbuf_add_json(b, text);
}

static void add_reference(struct skr_strbuf *b, const struct skr_reference *r)
{
    add_text(b, "{\"apiVersion\":", r->api_version);
    add_text(b, ",\"kind\":", r->kind);
    if (*r->namespace_) {
        add_text(b, ",\"namespace\":", r->namespace_);
    }
    add_text(b, ",\"name\":", r->name);
    if (r->uid && *r->uid) {
        add_text(b, ",\"uid\":", r->uid);
    }
    skr_strbuf_addc(b, '}');
}

/* Names are unique among the Events of one process: the time of its start is in them. */
static void add_event_name(struct skr_frame *f, struct skr_strbuf *b, const char *about)
{
    char name[256];
    snprintf(name, sizeof name, "%.200s.%llx%04llx", about, (unsigned long long)f->now,
             (unsigned long long)(f->event_seq++ & 0xffff));
    add_text(b, ",\"name\":", name);
}

/* eventTime is a MicroTime: exactly six digits of fraction, which RFC 3339 readers accept. */
static void add_event_time(const struct skr_frame *f, struct skr_strbuf *b)
{
    char when[40];
    skr_time_write(f->now - f->now % 1000, 0, when, sizeof when);
    skr_strbuf_addf(b, "},\"eventTime\":\"%.19s.%06lldZ\"", when,
                    (long long)(f->now % SKR_SECOND / 1000));
}

/* Whether the namespace may have one more Event now. Logged once. */
static bool event_goes(struct skr_frame *f, const char *namespace_)
{
    const enum skr_event_share share = skr_event_shares_take(&f->event_shares, namespace_, f->now);
    if (share == SKR_EVENT_FIRST_LEFT_OUT) {
        const struct skr_decision decision = {
            .kind = "namespace",
            .key = namespace_,
            .what = "Events left out",
            .message = EVENTS_LEFT_OUT,
        };
        skr_frame_decision(f, &decision);
    }
    return share == SKR_EVENT_GOES;
}

void skr_frame_event(struct skr_frame *f, const struct skr_note *note)
{
    const struct skr_reference *about = &note->regarding;
    const char *namespace_ = *about->namespace_ ? about->namespace_ : "default";
    if (!event_goes(f, namespace_)) {
        return;
    }
    SKR_STRBUF(b);
    SKR_AUTO_FREE char *text = skr_strdup(note->note);
    text[cut(text, SKR_EVENT_NOTE_MAX)] = '\0';
    add_text(&b,
             "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{"
             "\"namespace\":",
             namespace_);
    add_event_name(f, &b, about->name);
    add_event_time(f, &b);
    add_text(&b, ",\"reportingController\":", note->controller ? note->controller : "sakkara");
    add_text(&b, ",\"reportingInstance\":", f->instance);
    add_text(&b, ",\"type\":", note->warning ? "Warning" : "Normal");
    add_text(&b, ",\"reason\":", note->reason);
    add_text(&b, ",\"action\":", note->action);
    add_text(&b, ",\"note\":", text);
    skr_strbuf_add(&b, ",\"regarding\":");
    add_reference(&b, about);
    if (note->related) {
        skr_strbuf_add(&b, ",\"related\":");
        add_reference(&b, note->related);
    }
    skr_strbuf_addc(&b, '}');
    const struct skr_write write = {.verb = SKR_VERB_CREATE,
                                    .resource = &skr_events,
                                    .class = SKR_WRITE_CLASS_EVENT,
                                    .namespace_ = namespace_,
                                    .body = b.s,
                                    .body_len = b.len};
    skr_frame_write(f, &write, SKR_PURPOSE_EVENT, NULL);
}
