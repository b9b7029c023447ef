/* SPDX-License-Identifier: Apache-2.0 */
/* matches(), and find() and findAll() of Kubernetes (pkg/cel/library/regex.go). */
#include "core/cel/function.h"
#include "core/cel/regex.h"

/* The compiled pattern of arg[1], once what a search may cost is charged. False: *ret is the error. */
static bool prepare(struct skr_cel_run *run, const struct skr_cel_value *arg,
                    const struct skr_cel_regex **ret_regex, struct skr_cel_value *ret)
{
    struct skr_error error = {0};
    *ret_regex = run->regex;
    if (!run->regex && skr_cel_charge_text(run, (uint64_t)arg[1].n * 10) &&
        skr_cel_regex_compile(arg[1].text, arg[1].n, run->arena, ret_regex, &error) < 0) {
        *ret = error.code == SKR_NO_MEMORY
                   ? skr_cel_over(run)
                   : skr_cel_errorf(run, "regular expression, %.120s", error.text);
        return false;
    }
    const bool good =
        *ret_regex &&
        skr_cel_charge(run, ((uint64_t)arg[0].n + 1) * skr_cel_regex_weight(*ret_regex) / 32 + 1);
    *ret = good ? skr_cel_null() : skr_cel_over(run);
    return good;
}

/* 1: found; 0: not; negative: *ret is the error. */
static int search(struct skr_cel_run *run, const struct skr_cel_regex *regex,
                  const struct skr_cel_value *text, size_t from, struct skr_cel_match *ret)
{
    int rc = skr_cel_regex_find(regex, text->text, text->n, from, run->arena, ret);
    run->over = run->over || rc < 0;
    return rc;
}

/* way 1: only whether it is there. */
static struct skr_cel_value find(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_regex *regex;
    struct skr_cel_value error;
    struct skr_cel_match match = {0, 0};
    if (!prepare(run, arg, &regex, &error)) {
        return error;
    }
    int rc = search(run, regex, &arg[0], 0, &match);
    return rc < 0 ? skr_cel_over(run)
           : run->row->way == 1
               ? skr_cel_bool(rc > 0)
               : skr_cel_string(arg[0].text + match.begin, match.end - match.begin);
}

/* Matches that do not overlap; an empty one directly behind another does not count, as in Go. */
static struct skr_cel_value find_all(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_regex *regex;
    struct skr_cel_value made = {.kind = SKR_CEL_LIST};
    struct skr_cel_value *item = NULL;
    size_t room = 0;
    uint32_t point;
    const int64_t limit = run->n > 2 ? arg[2].integer : -1;
    size_t before = SIZE_MAX;
    for (size_t at = 0; at <= arg[0].n && (limit < 0 || (int64_t)made.n < limit);) {
        struct skr_cel_match match;
        struct skr_cel_value error;
        if (!prepare(run, arg, &regex, &error)) {
            return error;
        }
        int rc = search(run, regex, &arg[0], at, &match);
        if (rc <= 0) {
            break;
        }
        if (made.n == room) {
            struct skr_cel_value *grown = skr_cel_room(run, 2 * room + 1, sizeof *grown);
            for (size_t i = 0; grown && i < made.n; i++) {
                grown[i] = item[i];
            }
            room = 2 * room + 1;
            item = grown;
        }
        if (!item) {
            break;
        }
        const bool empty = match.end == match.begin;
        if (!empty || match.begin != before) {
            item[made.n++] = skr_cel_string(arg[0].text + match.begin, match.end - match.begin);
        }
        before = match.end;
        at = !empty || match.end == arg[0].n
                 ? match.end + (empty ? 1 : 0)
                 : match.end +
                       skr_cel_point_read(arg[0].text + match.end, arg[0].n - match.end, &point);
    }
    made.item = item;
    return run->over ? skr_cel_over(run) : made;
}

const struct skr_cel_function skr_cel_regex_functions[] = {
    {"matches", SKR_CEL_MEMBER, "ss:b", find, SKR_CEL_FREE, 1},
    {"matches", SKR_CEL_GLOBAL, "ss:b", find, SKR_CEL_FREE, 1},
    {"find", SKR_CEL_MEMBER, "ss:s", find, SKR_CEL_FREE, 0},
    {"findAll", SKR_CEL_MEMBER, "ss:Ls|ssi:Ls", find_all, SKR_CEL_FREE, 0},
    {0},
};
