/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_STATUS_MAP_H
#define SKR_CORE_GANG_CHANGES_STATUS_MAP_H
/*
 * The ConfigMap that shows a derived group: its keys are those of a group map, and "owner". It is made
 * a second after the group is seen, belongs to the object of the workload, and goes with it. It
 * defines no group, whatever a user writes into it, and no decision depends on it.
 *
 * There is none if the object of the workload is not readable, if option derive.statusObject is none,
 * beyond SKR_STATUS_MAPS_MAX maps, and for five minutes after the API server has refused one. The log
 * says once that there are too many, and once that one was refused.
 */
#include "core/gang/state/map_entry.h"

#define SKR_LABEL_DERIVED "sakkara.group.derived" /* marks the map; value ignored */

enum { SKR_STATUS_MAPS_MAX = 10000 };

/* NULL: the group has none (yet). O(1). */
struct map_entry *skr_status_map_of(const struct skr_gang *e, const struct group *g);
/* An annotation of the object that has the keys of the group; NULL: absent. *ret_none (NULL allowed): there
 * is no object. O(1). */
const char *skr_status_map_note(const struct skr_gang *e, const struct group *g,
                                const char *annotation, bool *ret_none);
/* Makes the map if the group should have one and has none. Returns when to look again. */
skr_time skr_status_map_make(struct skr_gang *e, struct group *g);
/* The map of a group was found: it counts towards the limit, as no other map with the label does. */
void skr_status_map_count(struct skr_gang *e, struct map_entry *m);
/* The outcome of making it. */
void skr_status_map_done(struct skr_gang *e, const struct skr_pending_write *w,
                         struct skr_event *ev);
/* The map was seen, changed or is gone: its group looks at it. */
void skr_status_map_seen(struct skr_gang *e, const struct map_entry *m);

#endif
