/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_STRING_H
#define SKR_TOPOLOGY_BASE_JSON_STRING_H
/* Strings of the reader: escapes and UTF-8. Only json.c includes this. */
#include "topology/base/json.h"

/* Keeps the first sentence about what is wrong. Always false. */
static inline bool skr_json_fail(struct skr_json_reader *reader, const char *what)
{
    if (!reader->what) {
        reader->what = what;
    }
    return false;
}

/* Consumes the string whose first quote is at the cursor. false: what is set. */
bool skr_json_read_string(struct skr_json_reader *reader, struct skr_json *ret);

#endif
