/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_POSITION_H
#define SKR_TOPOLOGY_BASE_JSON_POSITION_H
/*
 * Where in a JSON text something stands. libjansson reports positions of syntax errors only;
 * findings about meaning (a level that is not a string, a node named twice) are located by a
 * second, cheap scan of the text. The scan goes over tokens and never fails: on text that is no
 * JSON it finds what is there. Used on error paths alone, but for skr_json_deeper_than. All
 * functions are O(size of the text); none recurses.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/error.h"

/* Position of the value reached by the path of member names and decimal array indices,
 * NULL-terminated. The last of duplicate members is meant. false when absent. */
bool skr_json_find_path(const char *text, const char *const *path, struct skr_position *ret);

/* The first name that the object at the path has twice, and where it stands before. false: all names
 * differ, or there is no object. O(names * size of the object) up to the second name. */
bool skr_json_find_twice(const char *text, const char *const *path, struct skr_position *ret_first,
                         struct skr_position *ret_second);

/* Positions of the first n elements of the array that is the member of the object; how many were
 * found. The first of duplicate members is meant. */
size_t skr_json_find_elements(const char *text, const char *member, size_t n,
                              struct skr_position *ret);

/* Position of the n-th (from 0) key of the document, whatever object it belongs to, and of its
 * value. Keys are counted as they stand in the text, which is the order of a depth-first walk when
 * no object has duplicates. Both may be NULL. false when there are fewer. */
bool skr_json_find_key(const char *text, size_t n, struct skr_position *ret_key,
                       struct skr_position *ret_value);
/* Position of the first bracket or brace that is nested deeper than max (1: the outermost); false
 * when there is none. libjansson recurses, so this goes before it. */
bool skr_json_deeper_than(const char *text, size_t max, struct skr_position *ret);
/* Position of the token whose last byte is before offset end (json_error_t.position), or of the end
 * of the text. */
void skr_json_find_token(const char *text, size_t end, struct skr_position *ret);
/* As above for the key that libjansson refused with json_error_duplicate_key, and of the same key
 * before it in the same object; false when there is none. */
bool skr_json_find_duplicate(const char *text, size_t end, struct skr_position *ret_first,
                             struct skr_position *ret_second);

#endif
