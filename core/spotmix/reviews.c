/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reviews on the engine: answered as they come. One whose owner no watch has shown yet is held while
 * the API server is asked, half a second at most.
 *
 * Reviews that want the same object wait for one GET. What a pod refers to is written by whoever
 * creates it, and a GET takes its turn of the one limiter with what binds pods: a namespace has so
 * many a second, and a review beyond that is answered with what the caches know.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/scheduler_state.h"
#include "topology/base/arena.h"

#define BUDGET_TIME SKR_SECOND

void skr_spotmix_set_expiry(struct skr_spotmix_scheduler_state *self)
{
    const skr_time expiry = skr_spotmix_expiry(self->mix);

    if (expiry < self->expiry) {
        self->expiry = expiry;
        skr_frame_wake(self->frame, expiry, WAKE_EXPIRE, "");
    }
}

static void reply(struct skr_spotmix_scheduler_state *self, uint64_t request,
                  const struct skr_spotmix_answer *answer)
{
    struct skr_spotmix_reply *body = skr_frame_alloc(self->frame, sizeof *body);

    body->status = answer->status;
    body->result = answer->result;
    body->body = skr_frame_copy_string(self->frame, answer->body.s);
    body->len = answer->body.len;
    skr_frame_answer(self->frame, request, body);
    skr_spotmix_set_expiry(self);
}

/* ---- the budget ---- */

/* Counts begin anew together, so that no namespace is remembered for longer than that. */
static void begin_anew(struct skr_spotmix_scheduler_state *self)
{
    struct skr_spotmix_asker *asker, *next;

    HASH_ITER(hh, self->askers, asker, next)
    {
        HASH_DEL(self->askers, asker);
        free(asker);
    }
    self->askers_since = skr_frame_now(self->frame);
}

static bool may_ask(struct skr_spotmix_scheduler_state *self, const char *namespace_)
{
    struct skr_spotmix_asker *asker;

    if (skr_frame_now(self->frame) - self->askers_since >= BUDGET_TIME) {
        begin_anew(self);
    }
    HASH_FIND_STR(self->askers, namespace_, asker);
    if (!asker) {
        const size_t n = strlen(namespace_);
        asker = skr_alloc(sizeof *asker + n + 1);
        memcpy(asker->namespace_, namespace_, n + 1);
        HASH_ADD_KEYPTR(hh, self->askers, asker->namespace_, n, asker);
    }
    return asker->n < SKR_SPOTMIX_LOOKUPS_MAX && ++asker->n > 0;
}

/* ---- lookups ---- */

static void spell(const struct skr_spotmix_lookup *lookup, char key[SKR_SPOTMIX_LOOKUP_KEY_MAX])
{
    snprintf(key, SKR_SPOTMIX_LOOKUP_KEY_MAX, "%d/%s/%s", (int)lookup->kind, lookup->namespace_,
             lookup->name);
}

static struct skr_spotmix_asking *find_asking(struct skr_spotmix_scheduler_state *self,
                                              const char *key)
{
    struct skr_spotmix_asking *asking;

    HASH_FIND_STR(self->asking, key, asking);
    return asking;
}

static void send(struct skr_spotmix_scheduler_state *self, const struct skr_spotmix_lookup *lookup,
                 const char *key)
{
    const struct skr_write write = {.verb = SKR_VERB_GET,
                                    .resource = skr_spotmix_types[lookup->kind]->resource,
                                    .class = SKR_WRITE_CLASS_COMMIT,
                                    .namespace_ = lookup->namespace_,
                                    .name = lookup->name,
                                    .answer = skr_spotmix_types[lookup->kind]};

    skr_frame_write(self->frame, &write, PURPOSE_LOOKUP, key);
}

/* false: its namespace has asked too often. */
static bool wait_for(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_held_review *held,
                     const struct skr_spotmix_lookup *lookup)
{
    char key[SKR_SPOTMIX_LOOKUP_KEY_MAX];

    spell(lookup, key);
    struct skr_spotmix_asking *asking = find_asking(self, key);
    if (!asking) {
        if (!may_ask(self, lookup->namespace_)) {
            return false;
        }
        const size_t n = strlen(key);
        asking = skr_alloc(sizeof *asking + n + 1);
        asking->kind = lookup->kind;
        memcpy(asking->key, key, n + 1);
        HASH_ADD_KEYPTR(hh, self->asking, asking->key, n, asking);
        send(self, lookup, key);
    }
    held->asking = asking;
    DL_APPEND(asking->held, held);
    return true;
}

static void stop_waiting(struct skr_spotmix_held_review *held)
{
    if (held->asking) {
        DL_DELETE(held->asking->held, held);
        held->asking = NULL;
    }
}

/* ---- reviews that wait ---- */

static void forget(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_held_review *held)
{
    stop_waiting(held);
    HASH_DEL(self->held, held);
    free(held);
}

/* Answers it, or lets it wait for the next object. patient: it may. */
static void ask(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_held_review *held,
                bool patient)
{
    struct skr_spotmix_answer answer;
    bool waits = false;

    stop_waiting(held);
    for (bool again = true; again; patient = false) {
        struct skr_spotmix_review review = {.body = held->body,
                                            .len = held->len,
                                            .serving = self->serving,
                                            .now = skr_frame_now(self->frame)};
        memcpy(review.random, held->random, sizeof review.random);
        for (int i = 0; i < SKR_SPOTMIX_KIND_COUNT; i++) {
            review.tried[i] = held->tried[i] || !patient;
        }
        skr_spotmix_review(self->mix, &review, &answer);
        waits = answer.status == 0 && wait_for(self, held, &answer.lookup);
        again = answer.status == 0 && !waits;
        if (answer.status != 0) {
            reply(self, held->request, &answer);
        }
        skr_strbuf_fini(&answer.body);
    }
    if (!waits) {
        forget(self, held);
    }
}

static struct skr_spotmix_held_review *find_held(struct skr_spotmix_scheduler_state *self,
                                                 const char *key)
{
    struct skr_spotmix_held_review *held;

    HASH_FIND_STR(self->held, key, held);
    return held;
}

/* The body goes with the request: what has to wait takes a copy. */
static void hold(struct skr_spotmix_scheduler_state *self, uint64_t request,
                 const struct skr_spotmix_request *asked)
{
    const skr_time deadline = skr_frame_now(self->frame) + SKR_SPOTMIX_LOOKUP_TIME;
    struct skr_spotmix_held_review *held = skr_alloc(sizeof *held + asked->len + 1);

    held->request = request;
    held->len = asked->len;
    memcpy(held->body, asked->body, asked->len);
    memcpy(held->random, asked->random, sizeof held->random);
    snprintf(held->key, sizeof held->key, "%llu", (unsigned long long)request);
    HASH_ADD_STR(self->held, key, held);
    skr_frame_wake(self->frame, deadline, WAKE_LOOKUP, held->key);
    ask(self, held, true);
}

void skr_spotmix_requested(struct skr_spotmix_scheduler_state *self, const struct skr_event *event)
{
    char key[24];

    if (event->kind == SKR_EVENT_HANGUP) {
        snprintf(key, sizeof key, "%llu", (unsigned long long)event->request.id);
        struct skr_spotmix_held_review *held = find_held(self, key);
        if (held) {
            forget(self, held);
        }
        return;
    }
    const struct skr_spotmix_request *asked = event->request.body;
    struct skr_spotmix_review review = {.body = asked->body,
                                        .len = asked->len,
                                        .serving = self->serving,
                                        .now = skr_frame_now(self->frame)};
    struct skr_spotmix_answer answer;

    memcpy(review.random, asked->random, sizeof review.random);
    skr_spotmix_review(self->mix, &review, &answer);
    if (answer.status == 0) {
        hold(self, event->request.id, asked);
    } else {
        reply(self, event->request.id, &answer);
    }
    skr_strbuf_fini(&answer.body);
}

void skr_spotmix_looked_up(struct skr_spotmix_scheduler_state *self, const char *key)
{
    struct skr_spotmix_asking *asking = find_asking(self, key);

    if (!asking) {
        return;
    }
    HASH_DEL(self->asking, asking); /* whoever asks again asks anew */
    while (asking->held) {
        asking->held->tried[asking->kind] = true;
        ask(self, asking->held, true);
    }
    free(asking);
}

void skr_spotmix_review_is_due(struct skr_spotmix_scheduler_state *self, const char *key)
{
    struct skr_spotmix_held_review *held = find_held(self, key);

    if (held) {
        ask(self, held, false);
    }
}

void skr_spotmix_answer_all_held(struct skr_spotmix_scheduler_state *self)
{
    struct skr_spotmix_held_review *held, *next;

    HASH_ITER(hh, self->held, held, next)
    {
        ask(self, held, false);
    }
}

void skr_spotmix_reviews_fini(struct skr_spotmix_scheduler_state *self)
{
    struct skr_spotmix_held_review *held, *next_held;
    struct skr_spotmix_asking *asking, *next_asking;

    HASH_ITER(hh, self->held, held, next_held)
    {
        forget(self, held);
    }
    HASH_ITER(hh, self->asking, asking, next_asking)
    {
        HASH_DEL(self->asking, asking);
        free(asking);
    }
    begin_anew(self);
}
