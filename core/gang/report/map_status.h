/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_MAP_STATUS_H
#define SKR_CORE_GANG_REPORT_MAP_STATUS_H
/* What people read in a ConfigMap that defines no group, though it is labelled as one, and in a topology map. */
#include "core/gang/report/desired_keys.h"
#include "core/gang/state/map_entry.h"

/* Why a group map defines no group: DuplicateGroup or GroupInvalid, text says more. */
enum skr_reason skr_map_status_loser(const struct skr_gang *e, const struct map_entry *m,
                                     char *text, size_t size);
/* Its keys; an Event and a log record when the reason is another one than was reported. */
void skr_map_status_desired_loser(struct skr_gang *e, struct map_entry *m, struct desired_keys *w);
/* The map defines a group now, or is none: the next reason is reported again. */
void skr_map_status_forget(struct map_entry *m);
/* Of a topology map; nothing is added for any other, or for one outside the namespace of such maps. */
void skr_map_status_desired_topology(struct skr_gang *e, const struct map_entry *m,
                                     struct desired_keys *w);

#endif
