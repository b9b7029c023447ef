/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of numbers with units. */
#include "server/object/duration.h"

#include <string.h>

static bool take_unit(const char **at, int64_t *ret)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        {"ms", 1000000},          {"us", 1000},           {"ns", 1},
        {"h", 3600 * SKR_SECOND}, {"m", 60 * SKR_SECOND}, {"s", SKR_SECOND},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t n = strlen(units[i].name);
        if (strncmp(*at, units[i].name, n) == 0) {
            *at += n;
            *ret = units[i].ns;
            return true;
        }
    }
    return false;
}

bool skr_sandbox_duration_parse(const char *text, skr_time *ret)
{
    int64_t total = 0;

    if (strcmp(text, "0") == 0) {
        *ret = 0;
        return true;
    }
    if (*text == '\0') {
        return false;
    }
    while (*text != '\0') {
        int64_t number = 0, unit;
        if (*text < '0' || *text > '9') {
            return false;
        }
        for (; *text >= '0' && *text <= '9'; text++) {
            if (number > (INT64_MAX - 9) / 10) {
                return false;
            }
            number = number * 10 + (*text - '0');
        }
        if (!take_unit(&text, &unit) || number > (INT64_MAX - total) / unit) {
            return false;
        }
        total += number * unit;
    }
    *ret = total;
    return true;
}
