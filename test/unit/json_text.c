/* SPDX-License-Identifier: Apache-2.0 */
/* JSON with single quotes, so that tables of cases stay readable. */
#include "test/unit/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/json_fast.h"
#include "topology/base/arena.h"

char *json_text_quote(const char *text)
{
    char *copy = skr_strdup(text);
    for (char *c = copy; *c != '\0'; c++) {
        if (*c == '\'') {
            *c = '"';
        }
    }
    return copy;
}

json_t *json_text_load(const char *text)
{
    json_error_t error;
    SKR_AUTO_FREE char *quoted = json_text_quote(text);
    json_t *value = *quoted == '{' || *quoted == '['
                        ? json_fast_read(quoted, strlen(quoted), &error)
                        : json_loads(quoted, JSON_DECODE_ANY, &error);
    if (!value) {
        fprintf(stderr, "%d:%d: %s in %s\n", error.line, error.column, error.text, quoted);
        abort();
    }
    return value;
}
