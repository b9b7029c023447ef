/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_KEYS_H
#define SKR_CORE_FRAME_KEYS_H
/*
 * A queue of keys that want a cycle each: namespace/name of a Placement, of a binding, of a
 * workload. Like client-go's rate limiting work queue (k8s.io/client-go/util/workqueue), under the
 * engine's time:
 *
 * - a key is queued once however often it is added;
 * - a key has one cycle at a time: what is added while its cycle runs is queued again when that
 *   ends;
 * - ready keys start by priority, higher first, then in the order in which they were queued;
 * - a failed cycle comes again after a pause that doubles, from the shortest to the longest, and is
 *   the shortest again after a success;
 * - a key may be queued for a time to come; an earlier one wins;
 * - where namespaces take turns, ready keys start one of each namespace after the other, whichever
 *   has more of them, and so many cycles of one namespace run at a time;
 * - one event starts cycles until what they cost is beyond the budget; the others start in the next
 *   event, which comes at once, behind calls and messages that wait.
 *
 * A cycle may last over many events, until its writes are answered. The queue sets the wakes it
 * needs: settle() finds every key that is due.
 */
#include "core/frame/frame.h"
#include "topology/base/hash.h"

struct skr_keys;

struct skr_keys_options {
    skr_time retry_min, retry_max;  /* > 0 */
    int wake_kind;                  /* of the scheduler's wakes; nothing is to be done for it */
    size_t running_max;             /* cycles of one namespace at a time; 0: no turns are taken */
    struct skr_hash_seed hash_seed; /* keys are names that users choose */
    size_t budget;                  /* of one event, in units of skr_keys_spend(); 0: none */
};

struct skr_keys *skr_keys_create(struct skr_frame *frame, const struct skr_keys_options *options);
void skr_keys_destroy(struct skr_keys *keys); /* NULL allowed */

/* A key that is queued already takes the higher of both priorities and the earlier of both times,
 * and keeps its place. at: not before; 0: now. O(log keys). */
void skr_keys_add(struct skr_keys *keys, const char *key, int32_t priority, skr_time at);
/* It is gone: not queued any more, its failures forgotten. A cycle that runs has to end all the
 * same. */
void skr_keys_forget(struct skr_keys *keys, const char *key);

/* Starts the cycle of the next key that is due. Borrowed until the cycle ends; NULL: none is due, or
 * none may start in this event. O(log keys + namespaces with running_max cycles). */
const char *skr_keys_start(struct skr_keys *keys);
/* The cycle that was started last costs so much. */
void skr_keys_spend(struct skr_keys *keys, size_t units);
/* The cycle of key ends well: failures are forgotten. What was added meanwhile is queued. */
void skr_keys_succeed(struct skr_keys *keys, const char *key);
/* It failed: it is queued again after its pause, which is returned, or when it was added meanwhile
 * for an earlier time, then. */
skr_time skr_keys_fail(struct skr_keys *keys, const char *key);

bool skr_keys_is_running(const struct skr_keys *keys, const char *key);
uint32_t skr_keys_failures(const struct skr_keys *keys, const char *key); /* in a row */
size_t skr_keys_depth(const struct skr_keys *keys); /* queued, due or not; without those that run */
size_t skr_keys_running(const struct skr_keys *keys);

#endif
