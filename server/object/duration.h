/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_OBJECT_DURATION_H
#define SKR_SERVER_OBJECT_DURATION_H
/* Durations as Go writes them ("1m30s", "250ms"), whole numbers before each unit. */
#include <stdbool.h>

#include "topology/object.h"

/* Units h, m, s, ms, us, ns; "0" needs none. false: something else, or more than 64 bits of
 * nanoseconds. */
bool skr_sandbox_duration_parse(const char *text, skr_time *ret);

#endif
