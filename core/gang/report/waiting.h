/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_WAITING_H
#define SKR_CORE_GANG_REPORT_WAITING_H
/* What `kubectl describe pod` shows of a member that waits: an Event with the group's sentence, its name and the
 * next command, on change of reason; and that the constant text of its condition is not one of a state long left. */
#include "core/gang/cache/pods.h"
#include "core/gang/state/groups.h"

/* An Event for the member when its group's reason is new to it; asks to be woken when it is due later. */
void skr_waiting_tell(struct skr_gang *e, struct pod_entry *p);
/* kube-scheduler was answered "being planned" or "waits for members", and the group is known not to fit: the member has to
 * ask again, or that stands in its condition for minutes. */
bool skr_waiting_was_misled(const struct pod_entry *p);
/* When the label with its state may be written: a second after that began and the last member came, ten at most. While
 * a gang is created the label would be old before anybody reads it, and there are more important writes. */
skr_time skr_waiting_label_at(const struct pod_entry *p);
/* Its place among the writes about members of a large group, which come one after the other so that nobody
 * waits for all of them. */
skr_time skr_waiting_turn(const struct pod_entry *p);

#endif
