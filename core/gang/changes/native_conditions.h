/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_NATIVE_CONDITIONS_H
#define SKR_CORE_GANG_CHANGES_NATIVE_CONDITIONS_H
/*
 * Conditions of a group in the status of its native PodGroup: sakkara.Complete, sakkara.Placed,
 * sakkara.Bound, sakkara.Valid. Other writers have conditions there, too: a strategic merge patch of
 * the differences leaves theirs alone. Nothing waits for these writes, and none depends on them.
 */
#include "core/frame/event.h"
#include "core/frame/frame.h"
#include "core/gang/state/groups.h"

/* Writes to the PodGroup, a native one, what differs, or looks again when it may. */
void skr_native_conditions_settle(struct skr_gang *e, struct group *g, struct podgroup_entry *pg);
void skr_native_conditions_done(struct skr_gang *e, const struct skr_pending_write *w,
                                struct skr_event *ev);

#endif
