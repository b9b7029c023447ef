/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_MAP_STATUS_H
#define SKR_CORE_GANG_REPORT_MAP_STATUS_H
/* Status keys of a topology map, and of a ConfigMap that is labelled as a group but defines
 * none. */
#include "core/gang/report/desired_keys.h"
#include "core/gang/state/map_entry.h"

/* Why a group map defines no group: DuplicateGroup or GroupInvalid; text has details. */
enum skr_reason skr_map_status_loser(const struct skr_gang *e, const struct map_entry *m,
                                     char *text, size_t size);
/* Adds its keys; an Event and a log record if the reason differs from the reported one. */
void skr_map_status_desired_loser(struct skr_gang *e, struct map_entry *m, struct desired_keys *w);
/* The map defines a group now, or is no group map: the next reason is reported again. */
void skr_map_status_forget(struct map_entry *m);
/* Adds keys of a topology map; nothing for another map, or outside the namespace of topology
 * maps. */
void skr_map_status_desired_topology(struct skr_gang *e, const struct map_entry *m,
                                     struct desired_keys *w);

#endif
