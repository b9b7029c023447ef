/* SPDX-License-Identifier: Apache-2.0 */
/* The form of label values. Letters are ASCII letters, whatever the locale. */
#include "core/group/label_value.h"

#include <string.h>

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool skr_label_value_is_valid(const char *s)
{
    size_t n = strlen(s);
    if (n == 0) {
        return true;
    }
    if (n > SKR_LABEL_VALUE_MAX || !is_alphanumeric(s[0]) || !is_alphanumeric(s[n - 1])) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_alphanumeric(s[i]) && s[i] != '-' && s[i] != '_' && s[i] != '.') {
            return false;
        }
    }
    return true;
}
