/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_JSON_FAST_H
#define SKR_TEST_UNIT_JSON_FAST_H
/*
 * JSON as the daemon writes it, read for tests that read a lot of it: a quarter of the time of json_loadb(), which
 * has the last word about whatever is odd here (numbers that are no integers, \u, bytes beyond ASCII, deep nesting,
 * malformed texts).
 */
#include <jansson.h>
#include <stddef.h>

/* As json_loadb(text, n, 0, ret_error): NULL if it is no array or object. json_decref() it. */
json_t *json_fast_read(const char *text, size_t n, json_error_t *ret_error);

#endif
