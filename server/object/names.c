/* SPDX-License-Identifier: Apache-2.0 */
/* Names by hand-written scanners; the texts quote the regular expressions of kube-apiserver. */
#include "server/object/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LABEL_MAX = 63, SUBDOMAIN_MAX = 253 };

#define TOO_LONG_LABEL     "must be no more than 63 bytes"
#define TOO_LONG_SUBDOMAIN "must be no more than 253 bytes"

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_dns_label(const char *s, size_t n)
{
    if (n == 0 || !is_lower_or_digit(s[0]) || !is_lower_or_digit(s[n - 1])) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_lower_or_digit(s[i]) && s[i] != '-') {
            return false;
        }
    }
    return true;
}

static bool is_dns_subdomain(const char *s, size_t n)
{
    while (n > 0) {
        const char *dot = memchr(s, '.', n);
        const size_t part = dot ? (size_t)(dot - s) : n;
        if (!is_dns_label(s, part)) {
            return false;
        }
        if (!dot) {
            return true;
        }
        s += part + 1;
        n -= part + 1;
    }
    return false;
}

/* Letters, digits, '-', '_', '.'; a letter or digit at both ends. */
static bool is_name_part(const char *s)
{
    const size_t n = strlen(s);
    if (n == 0 || !isalnum((unsigned char)s[0]) || !isalnum((unsigned char)s[n - 1])) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!isalnum((unsigned char)s[i]) && !strchr("-_.", s[i])) {
            return false;
        }
    }
    return true;
}

const char *skr_name_dns_label(const char *text)
{
    const size_t n = strlen(text);
    if (n > LABEL_MAX) {
        return TOO_LONG_LABEL;
    }
    return is_dns_label(text, n)
               ? NULL
               : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
                 "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or "
                 "'123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

const char *skr_name_dns_subdomain(const char *text)
{
    const size_t n = strlen(text);
    if (n > SUBDOMAIN_MAX) {
        return TOO_LONG_SUBDOMAIN;
    }
    return is_dns_subdomain(text, n)
               ? NULL
               : "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                 "characters, "
                 "'-' or '.', and must start and end with an alphanumeric character (e.g. "
                 "'example.com', regex used for validation is "
                 "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

const char *skr_name_qualified(const char *text)
{
    const char *slash = strchr(text, '/');
    const char *name = slash ? slash + 1 : text;
    if (slash == text) {
        return "prefix part must be non-empty";
    }
    if (slash) {
        const size_t n = (size_t)(slash - text);
        if (n > SUBDOMAIN_MAX) {
            return "prefix part must be no more than 253 bytes";
        }
        if (!is_dns_subdomain(text, n)) {
            return "prefix part a lowercase RFC 1123 subdomain must consist of lower case "
                   "alphanumeric characters, '-' or '.', and must start and end with an "
                   "alphanumeric character (e.g. 'example.com', regex used for validation is "
                   "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        }
    }
    if (*name == '\0') {
        return "name part must be non-empty";
    }
    if (strlen(name) > LABEL_MAX) {
        return "name part must be no more than 63 bytes";
    }
    return is_name_part(name)
               ? NULL
               : "name part must consist of alphanumeric characters, '-', '_' or '.', and must "
                 "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
                 "'123-abc', regex used for validation is "
                 "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
}

const char *skr_name_label_value(const char *text)
{
    if (*text == '\0') {
        return NULL;
    }
    if (strlen(text) > LABEL_MAX) {
        return TOO_LONG_LABEL;
    }
    return is_name_part(text) ? NULL
                              : "a valid label must be an empty string or consist of alphanumeric "
                                "characters, '-', "
                                "'_' or '.', and must start and end with an alphanumeric character "
                                "(e.g. 'MyValue', "
                                " or 'my_value',  or '12345', regex used for validation is "
                                "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

const char *skr_name_config_key(const char *text)
{
    const size_t n = strlen(text);
    bool fine = n > 0;
    if (n > SUBDOMAIN_MAX) {
        return TOO_LONG_SUBDOMAIN;
    }
    if (strcmp(text, ".") == 0) {
        return "must not be '.'";
    }
    if (strncmp(text, "..", 2) == 0) {
        return n == 2 ? "must not be '..'" : "must not start with '..'";
    }
    for (size_t i = 0; i < n; i++) {
        fine = fine && (isalnum((unsigned char)text[i]) || strchr("-_.", text[i]));
    }
    return fine ? NULL
                : "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
                  "(e.g. "
                  "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
                  "'[-._a-zA-Z0-9]+')";
}
