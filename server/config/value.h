/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CONFIG_VALUE_H
#define SKR_SERVER_CONFIG_VALUE_H
/* Scalars of the configuration and of flags: text to value. Pure.
 * Addresses are read by server/http/address.h. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "topology/base/error.h"
#include "topology/object.h"

enum { SKR_DURATION_TEXT_MAX = 32 };

/* Go's durations without a sign: "1h30m", "330s", "1.5s", "50ms", "100us", "7ns", "0". Errors:
 * SKR_INVALID, SKR_LIMIT beyond int64 nanoseconds. */
int skr_duration_parse(const char *text, skr_time *ret, struct skr_error *error);
/* The shortest such text: "5m30s"; "off" for SKR_TIME_NEVER. buffer of SKR_DURATION_TEXT_MAX. */
void skr_duration_write(skr_time duration, char *buffer, size_t size);

/* Decimal, no sign, no blanks; SKR_INVALID, also when above INT64_MAX. */
int skr_integer_parse(const char *text, int64_t *ret, struct skr_error *error);
/* Lower-case letters, digits, '-' and '.', letter or digit at both ends, 1..253 bytes (RFC 1123).
 */
bool skr_name_is_valid(const char *text);

#endif
