/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_EVENT_SHARE_H
#define SKR_CORE_FRAME_EVENT_SHARE_H
/*
 * How many Events a namespace gets: SKR_EVENTS_BURST at once, SKR_EVENTS_PER_SECOND in the long run.
 * Events beyond are left out, so a tenant cannot fill etcd through the daemon's account. Linear in
 * the number of namespaces that had Events in the last two minutes.
 */
#include <stdbool.h>

#include "topology/object.h"

enum { SKR_EVENTS_BURST = 1000, SKR_EVENTS_PER_SECOND = 10 };

struct event_share;
struct skr_event_shares {
    struct event_share *table;
    unsigned sweep_at; /* entries */
};

enum skr_event_share { SKR_EVENT_GOES, SKR_EVENT_FIRST_LEFT_OUT, SKR_EVENT_LEFT_OUT };
/* Counts an Event of the namespace at now. FIRST_LEFT_OUT: the first since its bucket was full. */
enum skr_event_share skr_event_shares_take(struct skr_event_shares *shares, const char *namespace_,
                                           skr_time now);
void skr_event_shares_fini(struct skr_event_shares *shares);

#endif
