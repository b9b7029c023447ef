/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_MEASURE_H
#define SKR_CORE_GANG_REPORT_MEASURE_H
/* Measures how long complete groups waited: at the end of every evaluation, and before a group is
 * removed. (Free room: slots.h.) */
#include "core/gang/state/groups.h"

void skr_measure_group(struct skr_gang *e, struct group *g);
void skr_measure_group_gone(struct skr_gang *e, struct group *g);

#endif
