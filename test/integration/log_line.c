/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a line of the log is one: klog's text format, or one JSON object. */
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "test/integration/daemon.h"

/* pattern: 'd' a digit, '_' blanks and digits, everything else itself. The rest, or NULL. */
static const char *match(const char *line, const char *pattern)
{
    for (; *pattern; pattern++, line++) {
        bool digit = isdigit((unsigned char)*line) != 0;
        bool fits = *pattern == 'd'   ? digit
                    : *pattern == '_' ? digit || *line == ' '
                                      : *line == *pattern;
        if (!fits) {
            return NULL;
        }
    }
    return line;
}

/* A JSON string at the beginning of line; the rest, or NULL. */
static const char *quoted(const char *line)
{
    if (*line != '"') {
        return NULL;
    }
    const char *p = line + 1;
    while (*p && *p != '"') {
        p += *p == '\\' && p[1] ? 2 : 1;
    }
    if (!*p) {
        return NULL;
    }
    json_auto_t *text = json_loadb(line, (size_t)(p + 1 - line), JSON_DECODE_ANY, NULL);
    bool ok = json_is_string(text);
    return ok ? p + 1 : NULL;
}

/* Every key that may stand in a line; a new one is added here and to docs/reference.md. */
static const char *const keys[] = {
    "group",        "pod",     "node",    "reason",   "message",      "resource",  "write",
    "took",         "err",     "name",    "id",       "namespace",    "objects",   "source",
    "signal",       "v",       "version", "extender", "extenderPort", "bind",      "bindPort",
    "what",         "changes", "code",    "handler",  "admin",        "adminPort", "gate",
    "gatePort",     "lease",   "holder",  "identity", "other",        "status",    "lines",
    "certificates", "tokens",
};

static bool is_known(const char *key, size_t n)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i]) == n && strncmp(keys[i], key, n) == 0) {
            return true;
        }
    }
    return false;
}

const char *log_line_key(size_t i)
{
    return i < sizeof keys / sizeof keys[0] ? keys[i] : NULL;
}

/* Upper case at the beginning, no full stop at the end. */
static bool is_message(const char *text, size_t n)
{
    return n > 0 && isupper((unsigned char)text[0]) && text[n - 1] != '.';
}

static const char *pair(const char *line)
{
    size_t n = strspn(line + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (line[0] != ' ' || line[n + 1] != '=' || !is_known(line + 1, n)) {
        return NULL;
    }
    line += n + 2;
    if (*line == '"') {
        return quoted(line);
    }
    n = strcspn(line, " ");
    bool word = strncmp(line, "true", n) == 0 || strncmp(line, "false", n) == 0;
    return n > 0 && (word || strspn(line, "-0123456789") == n) ? line + n : NULL;
}

static const char *check_text(const char *line)
{
    if (!strchr("IWE", line[0])) {
        return "no severity";
    }
    line = match(line + 1, "dddd dd:dd:dd.dddddd _______ ");
    if (!line) {
        return "no header";
    }
    const char *end = strstr(line, "] ");
    const char *colon = end ? memchr(line, ':', (size_t)(end - line)) : NULL;
    if (!colon || strspn(colon + 1, "0123456789") != (size_t)(end - colon - 1)) {
        return "no place in the source";
    }
    line = quoted(end + 2);
    if (line && !is_message(end + 3, (size_t)(line - end - 4))) {
        return "no message";
    }
    while (line && *line) {
        line = pair(line);
    }
    return line ? NULL : "message or pairs";
}

static const char *check_json(const char *line)
{
    json_auto_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    const char *message = json_string_value(json_object_get(json, "msg"));
    bool ok = message && is_message(message, strlen(message)) &&
              json_is_real(json_object_get(json, "ts")) &&
              json_is_string(json_object_get(json, "severity")) &&
              json_is_integer(json_object_get(json, "v")) &&
              json_is_string(json_object_get(json, "caller"));
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        if (strcmp(key, "ts") != 0 && strcmp(key, "severity") != 0 && strcmp(key, "v") != 0 &&
            strcmp(key, "caller") != 0 && strcmp(key, "msg") != 0) {
            ok = ok && is_known(key, strlen(key));
        }
    }
    return ok ? NULL : "no object with ts, severity, v, caller, msg, or a key nobody knows";
}

const char *log_line_check(const char *line, const char *format)
{
    return strcmp(format, "json") == 0 ? check_json(line) : check_text(line);
}
