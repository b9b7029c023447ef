/* SPDX-License-Identifier: Apache-2.0 */
/* Parses parts between commas; blanks around parts and around '=' are ignored. */
#include "core/gang/changes/namespace_limits.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 24, NAME_MAX_BYTES = 63 };

struct part {
    const char *name;
    size_t name_len;
    char number[NUMBER_MAX]; /* "" if too long or missing */
    const char *begin;
    size_t len;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t trimmed(const char **text, size_t n)
{
    while (n > 0 && is_blank(**text)) {
        (*text)++;
        n--;
    }
    while (n > 0 && is_blank((*text)[n - 1])) {
        n--;
    }
    return n;
}

/* The part at *text, which advances past it; false at the end. */
static bool next_part(const char **text, struct part *ret)
{
    if (!**text) {
        return false;
    }
    size_t n = strcspn(*text, ",");
    *ret = (struct part){.begin = *text};
    *text += n + ((*text)[n] == ',' ? 1 : 0);
    ret->len = trimmed(&ret->begin, n);
    const char *equals = memchr(ret->begin, '=', ret->len);
    ret->name = ret->begin;
    ret->name_len = trimmed(&ret->name, equals ? (size_t)(equals - ret->begin) : ret->len);
    if (equals) {
        const char *number = equals + 1;
        size_t digits = trimmed(&number, ret->len - (size_t)(number - ret->begin));
        if (digits < sizeof ret->number) {
            memcpy(ret->number, number, digits);
            ret->number[digits] = '\0';
        }
    }
    return true;
}

static bool is_name(const struct part *part)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (part->name_len == 1 && part->name[0] == '*') {
        return true;
    }
    return part->name_len > 0 && part->name_len <= NAME_MAX_BYTES &&
           strspn(part->name, letters) >= part->name_len;
}

int skr_namespace_limits_check(const char *text, int64_t min, int64_t max, struct skr_error *error)
{
    struct part part;
    while (next_part(&text, &part)) {
        char *end = NULL;
        long long value = strtoll(part.number, &end, 10);
        const int shown = (int)(part.len < 100 ? part.len : 100);
        if (!is_name(&part) || !part.number[0] || *end) {
            return skr_error_set(error, SKR_INVALID, "\"%.*s\" is not NAMESPACE=NUMBER or *=NUMBER",
                                 shown, part.begin);
        }
        if (value < min || value > max) {
            return skr_error_set(error, SKR_INVALID, "\"%.*s\" is outside %lld .. %lld", shown,
                                 part.begin, (long long)min, (long long)max);
        }
    }
    return 0;
}

bool skr_namespace_limit(const char *text, const char *namespace_, int64_t *ret)
{
    struct part part;
    bool found = false;
    const size_t n = strlen(namespace_);
    while (next_part(&text, &part)) {
        bool same = part.name_len == n && strncmp(part.name, namespace_, n) == 0;
        bool any = part.name_len == 1 && part.name[0] == '*';
        if (same || (any && !found)) {
            *ret = strtoll(part.number, NULL, 10);
            found = true;
        }
        if (same) {
            break;
        }
    }
    return found;
}

int skr_namespaces_check(const char *text, struct skr_error *error)
{
    struct part part;
    while (next_part(&text, &part)) {
        if (!is_name(&part) || part.name_len != part.len) {
            return skr_error_set(error, SKR_INVALID, "\"%.*s\" is not a namespace or *",
                                 (int)(part.len < 100 ? part.len : 100), part.begin);
        }
    }
    return 0;
}

bool skr_namespace_is_listed(const char *text, const char *namespace_)
{
    struct part part;
    const size_t n = strlen(namespace_);
    while (next_part(&text, &part)) {
        bool any = part.name_len == 1 && part.name[0] == '*';
        if (any || (part.name_len == n && strncmp(part.name, namespace_, n) == 0)) {
            return true;
        }
    }
    return false;
}
