/* SPDX-License-Identifier: Apache-2.0 */
/* The form of label keys and values. Letters are ASCII letters, whatever the locale. */
#include "core/group/label_value.h"

#include <string.h>

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* At most so many letters, digits, '-', '_' and '.', with a letter or digit at both ends. */
static bool is_name(const char *s, size_t max)
{
    size_t n = strlen(s);
    if (n == 0 || n > max || !is_alphanumeric(s[0]) || !is_alphanumeric(s[n - 1])) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_alphanumeric(s[i]) && s[i] != '-' && s[i] != '_' && s[i] != '.') {
            return false;
        }
    }
    return true;
}

bool skr_label_value_is_valid(const char *s)
{
    return !s[0] || is_name(s, SKR_LABEL_VALUE_MAX);
}

/* Labels of [a-z0-9] with "-" inside, joined by dots. */
static bool is_subdomain(const char *s, size_t n)
{
    bool was_alphanumeric = false;
    for (size_t i = 0; i < n; i++) {
        bool alphanumeric = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= '0' && s[i] <= '9');
        if (!alphanumeric && s[i] != '-' && s[i] != '.') {
            return false;
        }
        bool next_to_dot = s[i] == '.' || (i > 0 && s[i - 1] == '.');
        if (!alphanumeric && (i == 0 || (next_to_dot && !was_alphanumeric))) {
            return false;
        }
        was_alphanumeric = alphanumeric;
    }
    return was_alphanumeric;
}

bool skr_qualified_name_is_valid(const char *text, size_t prefix_max, size_t name_max)
{
    const char *slash = strchr(text, '/');
    size_t prefix = slash ? (size_t)(slash - text) : 0;
    return (!slash || (prefix <= prefix_max && is_subdomain(text, prefix))) &&
           is_name(slash ? slash + 1 : text, name_max);
}

bool skr_label_key_is_valid(const char *s)
{
    return skr_qualified_name_is_valid(s, SKR_LABEL_PREFIX_MAX, SKR_LABEL_VALUE_MAX);
}
