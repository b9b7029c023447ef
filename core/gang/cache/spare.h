/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_SPARE_H
#define SKR_CORE_GANG_CACHE_SPARE_H
/*
 * Option time.spare, "rack=1": so many whole nodes of every unit of that level take no pods but
 * replacements of lost members. They are the least used ones that are Ready, not cordoned and not
 * lost, of equal ones the last in tree order. How much a node is used is the largest part of a
 * resource that is charged there. They are chosen anew when a node of the unit changes: a node that is
 * chosen no more takes pods again. A reservation keeps its own nodes.
 */
#include "core/gang/cache/nodes.h"

/* Reads "level=count" into both; "": no spares, and count 0. The level is the text up to '=', of
 * *ret_length bytes. SKR_INVALID with the reason. */
#define SKR_SPARE_MAX 1000
int skr_spare_parse(const char *text, size_t *ret_length, int32_t *ret_count,
                    struct skr_error *error);
/* The node changed, or its room. O(levels). */
void skr_spare_touch(struct skr_gang *e, const char *node);
/* Chooses anew where nodes changed, or all if the tree did, and sets node_entry.spare. Calls changed for
 * the nodes of which it differs. O(n log n) for the n nodes of those units. */
void skr_spare_update(struct skr_gang *e, void (*changed)(struct skr_gang *e, const char *node));
/* Whether the spare node is in a reservation of the group. g NULL: no. O(its nodes). */
bool skr_spare_is_reserved(const struct group *g, const struct node_entry *n);
/* Whether single pods as this one are kept off spare nodes: pods of DaemonSets are not. O(1). */
bool skr_spare_is_kept_off(const struct skr_gang *e, const struct skr_pod *pod);
/* O(1). */
bool skr_spare_is_at(const struct skr_gang *e, const char *node);
void skr_spare_fini(struct skr_gang *e);

#endif
