/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzzers share. */
#include <stdlib.h>
#include <string.h>

#include "test/fuzz/fuzz.h"

char *skr_fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}
