/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reviews as they come. A review is answered at once, unless the caches lack the owner of its pod:
 * then the API server is asked, and the review is held for at most SKR_SPOTMIX_LOOKUP_TIME. Reviews
 * that need the same object wait for one GET.
 *
 * The creator of a pod chooses the owner that it names. GETs therefore have a class of writes behind
 * Bindings and nominations, and a budget a second, of which each namespace has a share. Beyond it a
 * review is answered from the caches alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/scheduler_state.h"
#include "topology/base/arena.h"
#include "topology/base/table.h"

#define BUDGET_TIME SKR_SECOND

/* A review that must not cause a lookup. */
static const bool all_tried[SKR_SPOTMIX_KIND_COUNT] = {true, true, true, true, true};

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

/* Replies, or returns false with the object that has to be looked up first. tried: as in struct
 * skr_spotmix_review. */
static bool answer_now(struct skr_spotmix_scheduler_state *self, uint64_t request,
                       const struct skr_spotmix_request *asked, const bool *tried,
                       struct skr_spotmix_lookup *lookup)
{
    struct skr_spotmix_review review = {
        .body = asked->body, .serving = self->serving, .now = skr_frame_now(self->frame)};
    struct skr_spotmix_answer answer;
    memcpy(review.random, asked->random, sizeof review.random);
    memcpy(review.tried, tried, sizeof review.tried);
    skr_spotmix_review(self->mix, &review, &answer);
    const bool answered = answer.status != 0;
    if (answered) {
        if (self->serving && answer.result != SKR_SPOTMIX_BAD_REQUEST) {
            skr_spotmix_reached(self);
        }
        reply(self, request, &answer);
    } else {
        *lookup = answer.lookup;
    }
    skr_strbuf_fini(&answer.body);
    return answered;
}

/* ---- the budget ---- */

/* All counts start again together, so that no namespace is cached for longer than BUDGET_TIME. */
static void reset_budgets(struct skr_spotmix_scheduler_state *self)
{
    struct skr_spotmix_asker *asker, *next;
    HASH_ITER(hh, self->askers, asker, next)
    {
        HASH_DEL(self->askers, asker);
        free(asker);
    }
    self->askers_since = skr_frame_now(self->frame);
    self->asked = 0;
}

static bool may_ask(struct skr_spotmix_scheduler_state *self, const char *namespace_)
{
    struct skr_spotmix_asker *asker;
    if (skr_frame_now(self->frame) - self->askers_since >= BUDGET_TIME) {
        reset_budgets(self);
    }
    if (!skr_spotmix_knows_namespace(self->mix, namespace_)) {
        namespace_ = ""; /* a review may invent any number of them */
    }
    if (self->asked >= SKR_SPOTMIX_LOOKUPS_MAX ||
        HASH_COUNT(self->asking) >= SKR_SPOTMIX_LOOKUPS_MAX) {
        return false;
    }
    SKR_TABLE_FIND_STR(&self->settings->hash_seed, self->askers, namespace_, asker);
    if (!asker) {
        const size_t n = strlen(namespace_);
        asker = skr_alloc(sizeof *asker + n + 1);
        memcpy(asker->namespace_, namespace_, n + 1);
        SKR_TABLE_ADD(&self->settings->hash_seed, hh, self->askers, asker->namespace_, n, asker);
    }
    if (asker->n >= SKR_SPOTMIX_NAMESPACE_LOOKUPS_MAX) {
        return false;
    }
    asker->n++;
    self->asked++;
    return true;
}

/* ---- lookups ---- */

static struct skr_spotmix_asking *find_asking(struct skr_spotmix_scheduler_state *self,
                                              const char *key)
{
    struct skr_spotmix_asking *asking;
    SKR_TABLE_FIND_STR(&self->settings->hash_seed, self->asking, key, asking);
    return asking;
}

static struct skr_spotmix_asking *send(struct skr_spotmix_scheduler_state *self,
                                       const struct skr_spotmix_lookup *lookup, const char *key)
{
    const size_t n = strlen(key);
    struct skr_spotmix_asking *asking = skr_alloc(sizeof *asking + n + 1);
    const struct skr_write write = {.verb = SKR_VERB_GET,
                                    .resource = skr_spotmix_types[lookup->kind]->resource,
                                    .class = SKR_WRITE_CLASS_LOOKUP,
                                    .namespace_ = lookup->namespace_,
                                    .name = lookup->name,
                                    .answer = skr_spotmix_types[lookup->kind]};
    asking->kind = lookup->kind;
    memcpy(asking->key, key, n + 1);
    SKR_TABLE_ADD(&self->settings->hash_seed, hh, self->asking, asking->key, n, asking);
    skr_frame_write(self->frame, &write, PURPOSE_LOOKUP, key);
    return asking;
}

/* false: the namespace has used up its budget. */
static bool wait_for(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_held_review *held,
                     const struct skr_spotmix_lookup *lookup)
{
    char key[SKR_SPOTMIX_LOOKUP_KEY_MAX];
    snprintf(key, sizeof key, "%d/%s/%s", (int)lookup->kind, lookup->namespace_, lookup->name);
    held->asking = find_asking(self, key);
    if (!held->asking && may_ask(self, lookup->namespace_)) {
        held->asking = send(self, lookup, key);
    }
    if (held->asking) {
        DL_APPEND(held->asking->held, held);
    }
    return held->asking;
}

static void stop_waiting(struct skr_spotmix_held_review *held)
{
    if (held->asking) {
        DL_DELETE(held->asking->held, held);
        held->asking = NULL;
    }
}

/* ---- held reviews ---- */

static struct skr_spotmix_held_review *find_held(struct skr_spotmix_scheduler_state *self,
                                                 const char *key)
{
    struct skr_spotmix_held_review *held;
    HASH_FIND_STR(self->held, key, held);
    return held;
}

static void release(struct skr_spotmix_scheduler_state *self, struct skr_spotmix_held_review *held)
{
    stop_waiting(held);
    HASH_DEL(self->held, held);
    skr_spotmix_body_unref(held->asked.body);
    free(held);
}

/* Answers from what the caches have by now. */
static void answer_finally(struct skr_spotmix_scheduler_state *self,
                           struct skr_spotmix_held_review *held)
{
    struct skr_spotmix_lookup none;
    (void)answer_now(self, held->request, &held->asked, all_tried, &none);
    release(self, held);
}

/* Answers the review, or holds it for the next object that it needs. */
static void ask_again(struct skr_spotmix_scheduler_state *self,
                      struct skr_spotmix_held_review *held)
{
    struct skr_spotmix_lookup lookup;
    stop_waiting(held);
    if (answer_now(self, held->request, &held->asked, held->tried, &lookup)) {
        release(self, held);
    } else if (!wait_for(self, held, &lookup)) {
        answer_finally(self, held);
    }
}

/* The body outlives the event by the reference of the held review. */
static struct skr_spotmix_held_review *hold(struct skr_spotmix_scheduler_state *self,
                                            uint64_t request,
                                            const struct skr_spotmix_request *asked)
{
    const skr_time deadline = skr_frame_now(self->frame) + SKR_SPOTMIX_LOOKUP_TIME;
    struct skr_spotmix_held_review *held = skr_alloc(sizeof *held);
    held->request = request;
    held->asked = *asked;
    (void)skr_spotmix_body_ref(held->asked.body);
    snprintf(held->key, sizeof held->key, "%llu", (unsigned long long)request);
    HASH_ADD_STR(self->held, key, held);
    skr_frame_wake(self->frame, deadline, WAKE_LOOKUP, held->key);
    return held;
}

void skr_spotmix_requested(struct skr_spotmix_scheduler_state *self, const struct skr_event *event)
{
    static const bool none_tried[SKR_SPOTMIX_KIND_COUNT] = {false};
    struct skr_spotmix_lookup lookup;
    struct skr_spotmix_held_review *held;
    char key[24];
    if (event->kind == SKR_EVENT_HANGUP) {
        snprintf(key, sizeof key, "%llu", (unsigned long long)event->request.id);
        held = find_held(self, key);
        if (held) {
            release(self, held);
        }
    } else if (!answer_now(self, event->request.id, event->request.body, none_tried, &lookup)) {
        held = hold(self, event->request.id, event->request.body);
        if (!wait_for(self, held, &lookup)) {
            answer_finally(self, held);
        }
    }
}

void skr_spotmix_looked_up(struct skr_spotmix_scheduler_state *self, const char *key)
{
    struct skr_spotmix_asking *asking = find_asking(self, key);
    if (!asking) {
        return;
    }
    HASH_DEL(self->asking, asking); /* a later review sends a GET of its own */
    while (asking->held) {
        asking->held->tried[asking->kind] = true;
        ask_again(self, asking->held);
    }
    free(asking);
}

void skr_spotmix_review_is_due(struct skr_spotmix_scheduler_state *self, const char *key)
{
    struct skr_spotmix_held_review *held = find_held(self, key);
    if (held) {
        answer_finally(self, held);
    }
}

void skr_spotmix_answer_all_held(struct skr_spotmix_scheduler_state *self)
{
    struct skr_spotmix_held_review *held, *next;
    HASH_ITER(hh, self->held, held, next)
    {
        answer_finally(self, held);
    }
}

void skr_spotmix_reviews_fini(struct skr_spotmix_scheduler_state *self)
{
    struct skr_spotmix_held_review *held, *next_held;
    struct skr_spotmix_asking *asking, *next_asking;
    HASH_ITER(hh, self->held, held, next_held)
    {
        release(self, held);
    }
    HASH_ITER(hh, self->asking, asking, next_asking)
    {
        HASH_DEL(self->asking, asking);
        free(asking);
    }
    reset_budgets(self);
}
