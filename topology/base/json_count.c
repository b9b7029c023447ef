/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/base/json_count.h"

bool skr_json_has_more_values(const char *text, size_t len, size_t max)
{
    bool in_string = false;
    size_t n = 0;
    for (size_t i = 0; i < len && n <= max; i++) {
        const char c = text[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else {
            in_string = c == '"';
            n += c == '{' || c == '[' || c == ':' || c == ',';
        }
    }
    return n > max;
}
