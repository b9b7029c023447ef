/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_JSON_FAST_H
#define SKR_TEST_UNIT_JSON_FAST_H
/*
 * JSON as the daemon writes it, read for tests that read a lot of it: as skr_json_tree_read() does, where
 * json_loadb() has the last word about what is refused, and the words for it.
 */
#include <jansson.h>
#include <stddef.h>

/* As json_loadb(text, n, 0, ret_error): NULL if it is no array or object. json_decref() it. */
json_t *json_fast_read(const char *text, size_t n, json_error_t *ret_error);

#endif
