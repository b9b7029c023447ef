/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_JSON_TEXT_H
#define SKR_TEST_UNIT_JSON_TEXT_H
/* JSON in C sources: written with single quotes, read with double ones. */
#include <jansson.h>

/* A copy with every ' replaced by "; free() it. */
char *json_text_quote(const char *text);
/* The value of such a text; fails the test when it is no JSON. json_decref() it. */
json_t *json_text_load(const char *text);

#endif
