/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_FILTER_HOLD_H
#define SKR_CORE_GANG_FILTER_HOLD_H
/*
 * Filter calls that are held for a moment. kube-scheduler runs one scheduling cycle at a time, so a
 * member that is refused a moment before its nomination is written costs a cycle, two writes and a
 * place at the end of the queue, and so does everyone behind it. A call is held while
 *
 *   - the first lists are not complete yet (at the start)
 *   - its group is complete and is being planned, or its plan is being written
 *   - nominations of its group are the next to be written, its planned node not being among the
 *     names
 *
 * at most settings.filter_hold, and not while an ordinary pod of ours waits for its first cycle:
 * those pay for nobody's gang. Nothing that ends a hold needs a cycle of kube-scheduler. There is no
 * hold while the API server is slow: writes of groups' objects take more than a quarter of it, or a
 * hold has run to its end less than ten times it ago.
 */
#include "core/gang/requests.h"
#include "core/gang/verbs.h"

enum { SKR_FILTER_HOLDS_MAX = 16 }; /* a kube-scheduler has one call open */

/* Whether the call should be held. */
bool filter_hold_is_wanted(struct skr_gang *e, const struct filter_call *call);
/* A write of a group's object has taken so long: whether a hold would be short. */
void filter_hold_note_write(struct skr_gang *e, skr_time took);
/* Copies what is needed of the call; it is asked again after every event. */
void filter_hold_begin(struct skr_gang *e, const struct filter_call *call);
/* After an event: those that need not wait any longer are answered. */
void filter_hold_settle(struct skr_gang *e);
bool filter_hold_hangup(struct skr_gang *e, uint64_t request); /* false: it is none of these */
/* All are answered with Error. */
void filter_hold_end(struct skr_gang *e, const char *text);
void filter_hold_fini(struct skr_gang *e);

#endif
