/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_MEASURE_H
#define SKR_CORE_GANG_REPORT_MEASURE_H
/* Numbers that are made, not kept: how long complete groups waited. At the end of every evaluation,
 * and before a group goes. (How much room is left: slots.h.) */
#include "core/gang/state/groups.h"

void skr_measure_group(struct skr_gang *e, struct group *g);
void skr_measure_group_gone(struct skr_gang *e, struct group *g);

#endif
