/* SPDX-License-Identifier: Apache-2.0 */
/* Queues marks "all up to this revision, from this time on", one per point of time. */
#include "server/lab/store/watcher.h"

#include <stdlib.h>
#include <string.h>

void skr_watcher_init(struct skr_watcher *watcher, const struct skr_store *store, skr_time delay,
                      uint64_t revision)
{
    *watcher =
        (struct skr_watcher){.store = store, .delay = delay, .seen = revision, .noted = revision};
}

void skr_watcher_fini(struct skr_watcher *watcher)
{
    free(watcher->mark);
    watcher->mark = NULL;
}

skr_time skr_watcher_next(const struct skr_watcher *watcher, skr_time now)
{
    if (skr_store_revision(watcher->store) > watcher->noted) {
        return now;
    }
    return watcher->n > 0 ? watcher->mark[watcher->first].at : SKR_TIME_NEVER;
}

static void note(struct skr_watcher *w, skr_time now)
{
    uint64_t revision = skr_store_revision(w->store);
    if (revision <= w->noted) {
        return;
    }
    if (w->first > 0 && w->first + w->n == w->cap) {
        memmove(w->mark, w->mark + w->first, w->n * sizeof *w->mark);
        w->first = 0;
    }
    struct skr_watcher_mark *last = w->n > 0 ? &w->mark[w->first + w->n - 1] : NULL;
    w->noted = revision;
    if (last && last->at == now + w->delay) {
        last->revision = revision;
        return;
    }
    skr_grow(&w->mark, &w->cap, w->first + w->n + 1, sizeof *w->mark);
    w->mark[w->first + w->n++] = (struct skr_watcher_mark){revision, now + w->delay};
}

bool skr_watcher_take(struct skr_watcher *watcher, skr_time now, struct skr_store_change *ret)
{
    struct skr_watcher *w = watcher;
    note(w, now);
    while (w->n > 0 && w->mark[w->first].at <= now) {
        bool gone = false;
        bool found = skr_store_next_change(w->store, w->seen, ret, &gone);
        skr_bug_on(gone);
        if (found && ret->revision <= w->mark[w->first].revision) {
            w->seen = ret->revision;
            return true;
        }
        w->first++;
        w->n--;
    }
    w->first = w->n > 0 ? w->first : 0;
    return false;
}
