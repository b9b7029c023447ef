/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_WATCHER_H
#define SKR_SERVER_LAB_STORE_WATCHER_H
/*
 * A watch on the whole store with a fixed delay, as informers have. A change written at t is
 * returned at t + delay, in order, once. It loses nothing: if the history is cut before the watcher
 * read it, the caller, which must step often enough, has a bug.
 *
 * The watcher notices changes only when called: call _next() after every write of any caller, or
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
    uint64_t seen;  /* returned */
    uint64_t noted; /* has a mark */
    struct skr_watcher_mark *mark;
    size_t first, n, cap; /* marks [first, first + n) wait */
};

/* Watches changes after the revision; 0: all of the history. */
void skr_watcher_init(struct skr_watcher *watcher, const struct skr_store *store, skr_time delay,
                      uint64_t revision);
void skr_watcher_fini(struct skr_watcher *watcher);
/* When _take() has something to do; now: there are new changes; SKR_TIME_NEVER: nothing. */
skr_time skr_watcher_next(const struct skr_watcher *watcher, skr_time now);
/* The next change that is visible at now; borrowed until the next write. False: none. */
bool skr_watcher_take(struct skr_watcher *watcher, skr_time now, struct skr_store_change *ret);

#endif
