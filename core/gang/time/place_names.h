/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_PLACE_NAMES_H
#define SKR_CORE_GANG_TIME_PLACE_NAMES_H
/* Names in answers about time; they are in the arena of the gathering. Private to core/gang/time. */
#include "core/gang/time/gather.h"

/* Nodes with their counts; false: the arena is full, as NULL below. */
bool gathering_nodes(const struct gathering *in, const struct skr_place *place,
                     struct skr_timeline_nodes *ret);
/* "namespace/name@uid" as namespace/name, without the group's namespace. */
const char *gathering_short_name(const struct gathering *in, const struct group *g,
                                 const char *name);
/* The smallest unit with all leaves of the place; the root has no name, its used children have. */
const char *gathering_place(const struct gathering *in, const struct skr_place *place);

#endif
