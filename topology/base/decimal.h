/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_DECIMAL_H
#define SKR_TOPOLOGY_BASE_DECIMAL_H
/* Decimal integers as texts: sizes, priorities, ranks, label values of Gt and Lt. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first n bytes of s: an optional sign and at least one digit, nothing else (Go's
 * strconv.ParseInt with base 10). false for anything else and beyond int64; *ret is written on
 * success only. */
bool skr_decimal_parse(const char *s, size_t n, int64_t *ret);
/* Whether both are such texts and a is the greater number. */
bool skr_decimal_is_greater(const char *a, const char *b);

#endif
