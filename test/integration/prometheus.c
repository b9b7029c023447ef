/* SPDX-License-Identifier: Apache-2.0 */
/* Line by line; the samples seen are kept in a JSON object. */
#include "test/integration/prometheus.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct checker {
    json_t *seen;     /* sample with labels: true; "family" of finished ones */
    char family[128]; /* of the last TYPE */
    char type[16];
    char helped[128]; /* of the last HELP */
    double bucket;    /* last _bucket of the running series */
    double inf;
};

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == ':') {
        n++;
    }
    return n > 0 && !isdigit((unsigned char)s[0]) ? n : 0;
}

/* {a="b",...}: the rest behind it, or NULL. */
static const char *skip_labels(const char *p)
{
    for (p++; *p != '}'; p += *p == ',') {
        size_t n = name_length(p);
        if (n == 0 || p[n] != '=' || p[n + 1] != '"') {
            return NULL;
        }
        for (p += n + 2; *p != '"'; p++) {
            if (*p == '\\' && !strchr("\\\"n", p[1])) {
                return NULL;
            }
            p += *p == '\\';
            if (*p == '\0') {
                return NULL;
            }
        }
        p++;
        if (*p != ',' && *p != '}') {
            return NULL;
        }
    }
    return p + 1;
}

static const char *check_bucket(struct checker *c, const char *line, const char *suffix,
                                double value)
{
    if (strcmp(suffix, "_bucket") == 0) {
        const char *le = strstr(line, "le=\"");
        if (!le) {
            return "a bucket without le";
        }
        if (value < c->bucket) {
            return "buckets that are not cumulative";
        }
        bool is_last = strncmp(le + 4, "+Inf\"", 5) == 0;
        c->inf = is_last ? value : c->inf;
        c->bucket = is_last ? 0 : value;
        return NULL;
    }
    if (strcmp(suffix, "_count") == 0) {
        return value < c->inf || value > c->inf ? "_count differs from the +Inf bucket" : NULL;
    }
    return strcmp(suffix, "_sum") == 0 ? NULL : "no sample of a histogram";
}

static const char *check_sample(struct checker *c, const char *line)
{
    size_t n = name_length(line), family = strlen(c->family);
    char name[192];
    char *end;
    if (n == 0 || n >= sizeof name) {
        return "no name";
    }
    const char *rest = line[n] == '{' ? skip_labels(line + n) : line + n;
    if (!rest || *rest != ' ') {
        return "labels";
    }
    double value = strtod(rest + 1, &end);
    if (end == rest + 1 || *end) {
        return "no number";
    }
    char *key = strndup(line, (size_t)(rest - line));
    bool again = json_object_get(c->seen, key);
    json_object_set_new(c->seen, key, json_true());
    free(key);
    if (again) {
        return "a sample twice";
    }
    snprintf(name, sizeof name, "%.*s", (int)n, line);
    if (family == 0 || strncmp(name, c->family, family) != 0) {
        return "a sample outside its family";
    }
    if (strcmp(c->type, "histogram") == 0) {
        return check_bucket(c, line, name + family, value);
    }
    return name[family] ? "a sample outside its family" : NULL;
}

static const char *check_comment(struct checker *c, const char *line)
{
    char name[128], type[16], key[160];
    if (sscanf(line, "# HELP %127s %*s", name) == 1) {
        snprintf(c->helped, sizeof c->helped, "%s", name);
        return strlen(line) > strlen("# HELP ") + strlen(name) + 1 ? NULL : "an empty HELP";
    }
    if (sscanf(line, "# TYPE %127s %15s", name, type) != 2) {
        return "a comment that is neither HELP nor TYPE";
    }
    snprintf(key, sizeof key, "family %s", name);
    if (json_object_get(c->seen, key)) {
        return "a family twice";
    }
    json_object_set_new(c->seen, key, json_true());
    snprintf(c->family, sizeof c->family, "%s", name);
    snprintf(c->type, sizeof c->type, "%s", type);
    size_t n = strlen(name);
    bool total = n > 6 && strcmp(name + n - 6, "_total") == 0;
    if (strcmp(type, "counter") == 0 && !total) {
        return "a counter that is not named _total";
    }
    if (strcmp(c->helped, name) != 0) {
        return "a family without HELP";
    }
    bool known = strcmp(type, "counter") == 0 || strcmp(type, "gauge") == 0 ||
                 strcmp(type, "histogram") == 0;
    return known ? NULL : "an unknown type";
}

bool prometheus_check(const char *text, char *why, size_t why_size)
{
    struct checker c = {.seen = json_object()};
    const char *defect = text[0] ? NULL : "empty";
    while (*text && !defect) {
        size_t n = strcspn(text, "\n");
        char *line = strndup(text, n);
        if (text[n] != '\n') {
            defect = "the last line has no end";
        } else {
            defect = line[0] == '#' ? check_comment(&c, line) : check_sample(&c, line);
        }
        if (defect) {
            snprintf(why, why_size, "%s: %s", defect, line);
        }
        free(line);
        text += n + (text[n] == '\n');
    }
    json_decref(c.seen);
    return !defect;
}
