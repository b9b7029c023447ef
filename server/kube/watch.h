/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_WATCH_H
#define SKR_SERVER_KUBE_WATCH_H
/*
 * Keeps one resource in step with the API server: a list in pages, then a watch from the list's
 * version on, for ever (https://kubernetes.io/docs/reference/using-api/api-concepts/).
 *
 *   list --complete--> watch --ended by the server--> watch again from the last version seen
 *    ^  |                |----error, silence--------> the same after a back-off
 *    |  +--error: back-off, from the first page
 *    +--------------------410 Gone, ERROR line, a line that is no JSON: back-off
 *
 * A complete list also shows what was deleted while no watch ran (feed.h). Every failure is retried
 * without end. A problem is logged when it begins, at every tenth repetition and when it ends. The
 * log names missing permissions.
 *
 * A kind that is not installed (404) is retried after a back-off, so it is found soon after it is
 * installed. If all subscribers of the kind declare it optional, it counts as empty meanwhile: the
 * watch is synced, and its objects are delivered as deleted. Otherwise the watch is not synced
 * before the kind is found, and the objects stay.
 *
 * If all subscribers take a kind on demand, nothing happens before skr_kube_watch_begin().
 *
 * A kind that may not be read (403) is retried like any failure. If all its subscribers allow that,
 * they go on without it: they get an event, and another one when the kind may be read.
 *
 * Kube thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "server/kube/feed.h"

enum {
    SKR_KUBE_LIST_PAGE_BYTES_MAX = 256 * 1024 * 1024, /* beyond it the page is halved */
    SKR_KUBE_CONTINUE_MAX = 16 * 1024,                /* bytes of a continue token */
    SKR_KUBE_VERSION_MAX = 128,                       /* bytes of a resourceVersion */
};

struct skr_kube_watch;

/* what: resource, selector and name are borrowed; index: of the counters. Subscribers are added with
 * skr_kube_watch_add() before the first tick. */
struct skr_kube_watch *skr_kube_watch_create(struct skr_kube_session *session,
                                             const struct skr_watch *what, size_t index);
/* Another subscriber, which gets objects of what->type. */
void skr_kube_watch_add(struct skr_kube_watch *watch, const struct skr_kube_subscriber *to,
                        const struct skr_watch *what);
/* The same resource and selector: one watch serves both. */
bool skr_kube_watch_serves(const struct skr_kube_watch *watch, const struct skr_watch *what);
/* Both take the same resource for one subscriber, by different selectors. */
bool skr_kube_watch_are_peers(const struct skr_kube_watch *a, const struct skr_kube_watch *b);
void skr_kube_watch_destroy(struct skr_kube_watch *watch); /* NULL allowed; ends its request */
/* Both watch the same kind with different selectors (feed.h). */
void skr_kube_watch_pair(struct skr_kube_watch *a, struct skr_kube_watch *b);

/* A watch on demand runs from now on. Nothing happens if it runs already. */
void skr_kube_watch_begin(struct skr_kube_watch *watch);
/* Does what is due at now; returns when to call again at the latest. */
int64_t skr_kube_watch_tick(struct skr_kube_watch *watch, int64_t now);
/* is_fresh() once everything that was written before now is delivered (freshness.h). Nothing happens
 * before the first list is complete; then it is fresh. */
void skr_kube_watch_freshen(struct skr_kube_watch *watch, int64_t now);
bool skr_kube_watch_is_fresh(const struct skr_kube_watch *watch);
/* The first list was delivered, or the subscribers go on without the kind. */
bool skr_kube_watch_is_synced(const struct skr_kube_watch *watch);
/* Whether all that take the kind can do without it: not installed, forbidden, or seldom used. */
bool skr_kube_watch_is_dispensable(const struct skr_kube_watch *watch);

#endif
