/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_WATCHER_H
#define SKR_SERVER_LAB_STORE_WATCHER_H
/*
 * A watch on the whole store that is late by a fixed time, as informers are. What was written at t
 * is handed out at t + delay, in order, each change once. It never loses anything: a history that
 * was cut before the watcher read it is a bug of the caller, who must step often enough.
 *
 * The watcher learns of a change when it is asked: call _next() after every write of anybody, or
 * _take() at least once at every point of virtual time.
 */
#include "server/lab/store/store.h"

struct skr_watcher_mark {
    uint64_t revision; /* everything up to this one ... */
    skr_time at;       /* ... is visible from then on */
};

struct skr_watcher {
    const struct skr_store *store; /* borrowed */
    skr_time delay;
    uint64_t seen;  /* handed out */
    uint64_t noted; /* has a mark */
    struct skr_watcher_mark *mark;
    size_t first, n, cap; /* marks [first, first + n) wait */
};

/* Changes after the revision are watched; 0: all of the history. */
void skr_watcher_init(struct skr_watcher *watcher, const struct skr_store *store, skr_time delay,
                      uint64_t revision);
void skr_watcher_fini(struct skr_watcher *watcher);
/* When _take() has something to do; now: something was written since; SKR_TIME_NEVER: nothing. */
skr_time skr_watcher_next(const struct skr_watcher *watcher, skr_time now);
/* The next change that is visible at now; borrowed until the next write. false: none. */
bool skr_watcher_take(struct skr_watcher *watcher, skr_time now, struct skr_store_change *ret);

#endif
