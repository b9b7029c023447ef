/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_GROUP_OBJECTS_H
#define SKR_CORE_GANG_CHANGES_GROUP_OBJECTS_H
/*
 * Compares objects of groups and topologies with what they should carry: status keys and the plan's
 * annotation. The writer of core/frame writes the difference. An acknowledged patch is applied to
 * the cached object here, so that answers need not carry objects as large as a plan.
 */
#include "core/gang/state/map_entry.h"

/* Maps that no group writes: topology maps, duplicates, maps whose name is bad. */
void skr_group_objects_settle_map(struct skr_gang *e, struct map_entry *m);
/* Writes what differs in the group's object, when it is due. */
void skr_group_objects_settle(struct skr_gang *e, struct group *g);
/* The same of a PodGroup that is not its object and shows its status: overridden.h. */
void skr_group_objects_settle_shown(struct skr_gang *e, struct group *g, struct podgroup_entry *pg);
void skr_group_objects_done(struct skr_gang *e, const struct skr_pending_write *w,
                            struct skr_event *event);
/* An Event about the object, once, if another client undoes what the writer writes. part: of it. */
void skr_group_objects_tell_undone(struct skr_gang *e, struct skr_object_writer *writer,
                                   const struct skr_object_target *object, const char *part);
void skr_group_objects_forget(struct sent_patch *sent);

#endif
