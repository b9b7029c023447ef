/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes are kept per leaf. Instants of growth are gathered when they are asked for: those of pods
 * once, since pods are added before anything is asked, those of groups each time.
 */
#include "core/time/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/ledger.h"

struct leaf {
    struct skr_room_change *change;
    size_t n, cap;
};

/* Instants, ascending, none twice once they are settled. */
struct instants {
    int64_t *at;
    size_t n, cap;
    bool settled;
};

struct skr_timeline {
    int32_t n_leaves;
    int64_t now;
    struct leaf *leaf;
    size_t n;                      /* changes of all leaves */
    struct instants ends, guesses; /* of pods */
    struct instants all;           /* those that were asked for last */
    bool stale, guessing;          /* all is old; all is with guesses */
};

struct skr_timeline *skr_timeline_create(int32_t n_leaves, int64_t now)
{
    struct skr_timeline *t = skr_alloc(sizeof *t);
    t->n_leaves = n_leaves;
    t->now = now;
    t->leaf = skr_alloc_array((size_t)n_leaves + 1, sizeof *t->leaf);
    t->stale = true;
    return t;
}

void skr_timeline_destroy(struct skr_timeline *t)
{
    if (!t) {
        return;
    }
    for (int32_t i = 0; i < t->n_leaves; i++) {
        free(t->leaf[i].change);
    }
    free(t->leaf);
    free(t->ends.at);
    free(t->guesses.at);
    free(t->all.at);
    free(t);
}

int64_t skr_timeline_now(const struct skr_timeline *t)
{
    return t->now;
}

/* ---- changes ---- */

static bool add(struct skr_timeline *t, int32_t leaf, struct skr_room_change change)
{
    struct leaf *l = &t->leaf[leaf];
    size_t at = l->n;
    if (t->n == SKR_ENDS_MAX) {
        return false;
    }
    skr_grow(&l->change, &l->cap, l->n + 1, sizeof *l->change);
    while (at > 0 && l->change[at - 1].at > change.at) {
        at--;
    }
    memmove(&l->change[at + 1], &l->change[at], (l->n - at) * sizeof *l->change);
    l->change[at] = change;
    l->n++;
    t->n++;
    t->stale = true;
    return true;
}

static void note(struct instants *list, int64_t at)
{
    skr_grow(&list->at, &list->cap, list->n + 1, sizeof *list->at);
    list->at[list->n++] = at;
    list->settled = false;
}

bool skr_timeline_add_end(struct skr_timeline *t, int32_t leaf, int64_t at,
                          const struct skr_amounts *amounts, uint32_t owner, bool guessed)
{
    bool room = true;
    for (size_t i = 0; i < amounts->n && at != SKR_INSTANT_NEVER && room; i++) {
        room = add(t, leaf,
                   (struct skr_room_change){.at = at,
                                            .amount = amounts->item[i].amount,
                                            .owner = owner,
                                            .resource = amounts->item[i].resource,
                                            .kind = guessed ? SKR_CHANGE_GUESS : SKR_CHANGE_END});
    }
    if (room && amounts->n > 0 && at != SKR_INSTANT_NEVER) {
        note(guessed ? &t->guesses : &t->ends, at);
    }
    return room;
}

bool skr_timeline_hold(struct skr_timeline *t, int32_t leaf, int64_t start, int64_t end,
                       uint16_t resource, int64_t amount, uint32_t owner)
{
    struct skr_room_change change = {.at = start,
                                     .amount = -amount,
                                     .owner = owner,
                                     .resource = resource,
                                     .kind = SKR_CHANGE_HELD};
    if (!add(t, leaf, change)) {
        return false;
    }
    change.at = end;
    change.amount = amount;
    return end == SKR_INSTANT_NEVER || add(t, leaf, change);
}

void skr_timeline_let_go(struct skr_timeline *t, int32_t leaf, uint32_t owner)
{
    struct leaf *l = &t->leaf[leaf];
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (l->change[i].kind != SKR_CHANGE_HELD || l->change[i].owner != owner) {
            l->change[kept++] = l->change[i];
        }
    }
    t->n -= l->n - kept;
    l->n = kept;
    t->stale = true;
}

const struct skr_room_change *skr_timeline_of(const struct skr_timeline *t, int32_t leaf,
                                              size_t *ret_n)
{
    *ret_n = t->leaf[leaf].n;
    return t->leaf[leaf].change;
}

/* ---- instants ---- */

/* Instants, or changes, which begin with one. */
static int by_instant(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void settle(struct instants *list)
{
    size_t kept = 0;
    if (list->n > 0 && !list->settled) {
        qsort(list->at, list->n, sizeof *list->at, by_instant);
    }
    for (size_t i = 0; i < list->n; i++) {
        if (kept == 0 || list->at[kept - 1] != list->at[i]) {
            list->at[kept++] = list->at[i];
        }
    }
    list->n = kept;
    list->settled = true;
}

static int64_t up_to(int64_t at, int64_t step)
{
    return at % step == 0 ? at : at + step - at % step;
}

/* Moves the ends of pods up to a multiple of step. */
static void coarsen(struct skr_timeline *t, int64_t step)
{
    struct instants *lists[] = {&t->ends, &t->guesses};
    for (int32_t i = 0; i < t->n_leaves; i++) {
        struct leaf *l = &t->leaf[i];
        for (size_t k = 0; k < l->n; k++) {
            if (l->change[k].kind != SKR_CHANGE_HELD) {
                l->change[k].at = up_to(l->change[k].at, step);
            }
        }
        if (l->n > 0) { /* what is held stays, so the order may differ */
            qsort(l->change, l->n, sizeof *l->change, by_instant);
        }
    }
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < lists[k]->n; i++) {
            lists[k]->at[i] = up_to(lists[k]->at[i], step);
        }
        settle(lists[k]); /* the order is the same */
    }
}

static void settle_pods(struct skr_timeline *t)
{
    static const int64_t steps[] = {60, 3600};
    settle(&t->ends);
    settle(&t->guesses);
    for (size_t i = 0; i < 2 && t->ends.n + t->guesses.n > SKR_INSTANTS_MAX; i++) {
        coarsen(t, steps[i]);
    }
}

/* Adds the instants of a settled list to another one. O(both). */
static void merge(struct instants *to, const struct instants *from)
{
    size_t i = to->n, k = from->n, at = to->n + from->n;
    skr_grow(&to->at, &to->cap, at + 1, sizeof *to->at);
    to->n = at;
    while (k > 0) {
        const bool own = i > 0 && to->at[i - 1] > from->at[k - 1];
        to->at[--at] = own ? to->at[--i] : from->at[--k];
    }
}

/* What is held is little: all of it is looked at. */
static void append_held(struct skr_timeline *t)
{
    for (int32_t i = 0; i < t->n_leaves; i++) {
        const struct leaf *l = &t->leaf[i];
        for (size_t k = 0; k < l->n; k++) {
            const struct skr_room_change *c = &l->change[k];
            if (c->kind == SKR_CHANGE_HELD && c->amount > 0 && c->at > t->now) {
                note(&t->all, c->at);
            }
        }
    }
}

const int64_t *skr_timeline_growth(struct skr_timeline *t, bool guessing, size_t *ret_n)
{
    if (t->stale || t->guessing != guessing) {
        settle_pods(t);
        t->all.n = 0;
        append_held(t);
        settle(&t->all);
        merge(&t->all, &t->ends);
        if (guessing) {
            merge(&t->all, &t->guesses);
        }
        t->all.settled = true; /* but for instants that are there twice */
        settle(&t->all);
        t->stale = false;
        t->guessing = guessing;
    }
    *ret_n = t->all.n;
    return t->all.at;
}

/* ---- windows ---- */

/* Adds the changes from i on at one instant. Returns the next. */
static size_t apply(const struct leaf *l, size_t i, uint32_t kinds, const uint16_t *resource,
                    size_t n, int64_t *sum)
{
    const int64_t at = l->change[i].at;
    for (; i < l->n && l->change[i].at == at; i++) {
        for (size_t r = 0; r < n; r++) {
            if (l->change[i].kind & kinds && resource[r] == l->change[i].resource) {
                sum[r] = skr_amount_sum(sum[r], l->change[i].amount);
            }
        }
    }
    return i;
}

void skr_timeline_least(const struct skr_timeline *t, int32_t leaf, int64_t start, int64_t end,
                        uint32_t kinds, const uint16_t *resource, size_t n, int64_t *ret,
                        int64_t *ret_since, int64_t *ret_until)
{
    const struct leaf *l = &t->leaf[leaf];
    int64_t sum[SKR_WINDOW_RESOURCES_MAX];
    size_t i = 0;
    skr_bug_on(n > SKR_WINDOW_RESOURCES_MAX);
    memset(sum, 0, n * sizeof *sum);
    while (i < l->n && l->change[i].at <= start) {
        i = apply(l, i, kinds, resource, n, sum);
    }
    const int64_t since = i > 0 ? l->change[i - 1].at : INT64_MIN;
    int64_t until = i < l->n ? l->change[i].at : SKR_INSTANT_NEVER;
    memcpy(ret, sum, n * sizeof *ret);
    while (i < l->n && l->change[i].at < end) {
        i = apply(l, i, kinds, resource, n, sum);
        for (size_t r = 0; r < n; r++) {
            ret[r] = sum[r] < ret[r] ? sum[r] : ret[r];
        }
    }
    if (i < l->n && end != SKR_INSTANT_NEVER) {
        const int64_t enters = l->change[i].at - (end - start) + 1;
        until = enters < until ? enters : until;
    }
    if (ret_since) {
        *ret_since = end == SKR_INSTANT_NEVER ? since : start;
    }
    if (ret_until) {
        *ret_until = until;
    }
}
