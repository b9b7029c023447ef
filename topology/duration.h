/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_DURATION_H
#define SKR_TOPOLOGY_DURATION_H
/* Durations as text: as Go writes them, and as kubectl shows ages. Pure. */
#include <stddef.h>

#include "topology/base/error.h"
#include "topology/object.h"

enum { SKR_DURATION_TEXT_MAX = 32 };

/* Go's durations without a sign: "1h30m", "330s", "1.5s", "50ms", "100us", "7ns", "0". Errors:
 * SKR_INVALID, SKR_LIMIT beyond int64 nanoseconds. */
int skr_duration_parse(const char *text, skr_time *ret, struct skr_error *error);
/* The shortest such text: "5m30s"; "off" for SKR_TIME_NEVER. buffer of SKR_DURATION_TEXT_MAX. */
void skr_duration_write(skr_time duration, char *buffer, size_t size);
/* "4m12s", "3d4h": a duration as people read it (apimachinery pkg/util/duration). */
void skr_duration_write_age(skr_time duration, char text[SKR_DURATION_TEXT_MAX]);

#endif
