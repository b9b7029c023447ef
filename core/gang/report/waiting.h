/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_WAITING_H
#define SKR_CORE_GANG_REPORT_WAITING_H
/* What `kubectl describe pod` shows of a waiting member. It gets an Event with the group's
 * sentence, its name and the next command, when the reason changes. The constant text of its
 * condition must not be that of a past state. */
#include "core/gang/cache/pods.h"

/* Requests an Event for the member if its group's reason is new to it; if it is due later, sets a
 * wake. */
void skr_waiting_tell(struct skr_gang *e, struct pod_entry *p);
/* Filter answered "being planned" or "waits for members", and the group is known not to fit: the
 * member must be tried again, or its condition shows that text for minutes. */
bool skr_waiting_was_misled(const struct pod_entry *p);
/* When the label with its state may be written: a second after the state began and the last member
 * arrived, at most ten. Members without a gate have turns, 50 a second. While a group is created the label would soon be old, and other writes
 * matter more. */
skr_time skr_waiting_label_at(const struct skr_gang *e, const struct pod_entry *p);

#endif
