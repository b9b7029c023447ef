/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_COUNT_H
#define SKR_TOPOLOGY_BASE_JSON_COUNT_H
/* How much work a JSON text is, before anything is allocated for it. */
#include <stdbool.h>
#include <stddef.h>

/* Whether the text has more than max keys and values. Opening brackets, colons and commas outside of
 * strings are counted: one for about every key and every value. The text need not be JSON. O(len). */
bool skr_json_has_more_values(const char *text, size_t len, size_t max);

#endif
