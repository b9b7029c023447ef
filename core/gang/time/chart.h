/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_CHART_H
#define SKR_CORE_GANG_TIME_CHART_H
/* What holds most of each unit at the instants of a picture, after a round. Private to core/gang/time. */
#include "core/gang/time/gather.h"

/* Rows for the children of the unit that is asked for; of a node for itself. In the arena. Of a live
 * gathering neither groups nor room are needed. O(leaves + ends + what is held). False: the arena is full. */
bool skr_timeline_chart_make(const struct gathering *in, struct skr_timeline_chart *ret);

#endif
