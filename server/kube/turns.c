/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of namespaces: deficit round robin with one job as the unit, and classes above it. */
#include "server/kube/turns.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "topology/base/arena.h"

enum { DECIDE_LAST = SKR_WRITE_CLASS_EVICT };
_Static_assert(SKR_WRITE_CLASS_STATUS == DECIDE_LAST + 1, "classes behind it only inform");

struct queue {
    struct skr_kube_job *first, *last;
    struct {
        struct skr_turn *prev, *next; /* in ready or spent */
    } link;
};

struct skr_turn {
    UT_hash_handle hh;
    struct queue queue[SKR_WRITE_CLASS_COUNT];
    size_t n; /* jobs */
    uint64_t round;
    size_t sent; /* in that round, of classes that decide */
    bool idle;
    struct skr_turn *prev, *next; /* in turns->idle */
    char namespace_[];
};

/* ---- a queue of one namespace and class ---- */

/* Most jobs belong at the end; a job of an earlier order belongs near the front, behind the few of
 * its own. */
static void push(struct queue *queue, struct skr_kube_job *job)
{
    if (!queue->last || queue->last->write.order <= job->write.order) {
        job->next = NULL;
        if (queue->last) {
            queue->last->next = job;
        } else {
            queue->first = job;
        }
        queue->last = job;
        return;
    }
    struct skr_kube_job **at = &queue->first;
    while ((*at)->write.order <= job->write.order) {
        at = &(*at)->next;
    }
    job->next = *at;
    *at = job;
}

static struct skr_kube_job *pop(struct queue *queue)
{
    struct skr_kube_job *job = queue->first;
    queue->first = job->next;
    if (!queue->first) {
        queue->last = NULL;
    }
    return job;
}

/* ---- rounds ---- */

static bool is_spent(const struct skr_turns *turns, const struct skr_turn *turn)
{
    return turn->round == turns->round && turn->sent >= SKR_TURN_WRITES;
}

static struct skr_turn **list_of(struct skr_turns *turns, const struct skr_turn *turn, int class)
{
    const bool waits = class <= DECIDE_LAST && is_spent(turns, turn);
    return (waits ? turns->spent : turns->ready) + class;
}

static void forget(struct skr_turns *turns, struct skr_turn *turn)
{
    HASH_DEL(turns->namespaces, turn);
    free(turn);
}

/* What was sent in a round that is over counts no more. */
static void begin_round(struct skr_turns *turns)
{
    struct skr_turn *turn, *next;
    turns->round++;
    for (int c = 0; c <= DECIDE_LAST; c++) {
        DL_CONCAT2(turns->ready[c], turns->spent[c], queue[c].link.prev, queue[c].link.next);
        turns->spent[c] = NULL;
    }
    DL_FOREACH_SAFE(turns->idle, turn, next)
    {
        forget(turns, turn);
    }
    turns->idle = NULL;
}

static int first_of(struct skr_turn *const list[SKR_WRITE_CLASS_COUNT], int from, int last)
{
    int c = from;
    while (c <= last && !list[c]) {
        c++;
    }
    return c;
}

/* ---- jobs ---- */

static struct skr_turn *turn_of(struct skr_turns *turns, const char *namespace_)
{
    struct skr_turn *turn = NULL;
    const size_t n = strlen(namespace_);
    HASH_FIND(hh, turns->namespaces, namespace_, n, turn);
    if (!turn) {
        turn = skr_alloc(sizeof *turn + n + 1);
        memcpy(turn->namespace_, namespace_, n);
        turn->round = turns->round;
        HASH_ADD_KEYPTR(hh, turns->namespaces, turn->namespace_, n, turn);
    }
    return turn;
}

void skr_turns_put(struct skr_turns *turns, struct skr_kube_job *job)
{
    const int c = (int)job->write.class;
    struct skr_turn *turn = turn_of(turns, job->write.namespace_);
    if (turn->idle) {
        DL_DELETE(turns->idle, turn);
        turn->idle = false;
    }
    if (!turn->queue[c].first) {
        struct skr_turn **list = list_of(turns, turn, c);
        DL_APPEND2(*list, turn, queue[c].link.prev, queue[c].link.next);
    }
    push(&turn->queue[c], job);
    turn->n++;
    turns->n++;
}

enum skr_write_class skr_turns_class(struct skr_turns *turns)
{
    int c = first_of(turns->ready, 0, DECIDE_LAST);
    if (c > DECIDE_LAST && first_of(turns->spent, 0, DECIDE_LAST) <= DECIDE_LAST) {
        begin_round(turns);
        c = first_of(turns->ready, 0, DECIDE_LAST);
    }
    return (enum skr_write_class)first_of(turns->ready, c, SKR_WRITE_CLASS_COUNT - 1);
}

/* Counts a job of a class that decides. If its namespace has sent its share, it leaves all lists of
 * those that are ready. */
static void count(struct skr_turns *turns, struct skr_turn *turn)
{
    if (turn->round != turns->round) {
        turn->round = turns->round;
        turn->sent = 0;
    }
    turn->sent++;
    for (int c = 0; turn->sent == SKR_TURN_WRITES && c <= DECIDE_LAST; c++) {
        if (turn->queue[c].first) {
            DL_DELETE2(turns->ready[c], turn, queue[c].link.prev, queue[c].link.next);
            DL_APPEND2(turns->spent[c], turn, queue[c].link.prev, queue[c].link.next);
        }
    }
}

struct skr_kube_job *skr_turns_take(struct skr_turns *turns, enum skr_write_class class)
{
    const int c = (int)class;
    struct skr_turn *turn = turns->ready[c] ? turns->ready[c] : turns->spent[c];
    if (!turn) {
        return NULL;
    }
    struct skr_turn **list = list_of(turns, turn, c);
    struct skr_kube_job *job = pop(&turn->queue[c]);
    turn->n--;
    turns->n--;
    DL_DELETE2(*list, turn, queue[c].link.prev, queue[c].link.next);
    if (turn->queue[c].first) {
        DL_APPEND2(*list, turn, queue[c].link.prev, queue[c].link.next);
    }
    if (c <= DECIDE_LAST) {
        count(turns, turn);
    }
    if (turn->n == 0) {
        DL_APPEND(turns->idle, turn);
        turn->idle = true;
    }
    if (turns->n == 0 || (first_of(turns->ready, 0, DECIDE_LAST) > DECIDE_LAST &&
                          first_of(turns->spent, 0, DECIDE_LAST) > DECIDE_LAST)) {
        begin_round(turns); /* none of them waits for another */
    }
    return job;
}
