/* SPDX-License-Identifier: Apache-2.0 */
/* matches(), and find() and findAll() of Kubernetes (pkg/cel/library/regex.go). */
#include "core/cel/function.h"
#include "core/cel/regex.h"

/* The first match of pattern arg[1] in arg[0] from a byte on, once what it may cost is charged. A
 * pattern is compiled once a call. 1: found; 0: not; negative: *ret_error says why. */
static int search(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t from,
                  struct skr_cel_match *ret, struct skr_cel_value *ret_error)
{
    struct skr_error error = {0};
    if (!run->regex && skr_cel_charge_text(run, (uint64_t)arg[1].n * 10) &&
        skr_cel_regex_compile(arg[1].text, arg[1].n, run->arena, &run->regex, &error) < 0 &&
        error.code != SKR_NO_MEMORY) {
        *ret_error = skr_cel_errorf(run, "regular expression, %.120s", error.text);
        return -1;
    }
    const bool paid =
        run->regex &&
        skr_cel_charge(run, ((uint64_t)arg[0].n + 1) * skr_cel_regex_weight(run->regex) / 32 + 1);
    int rc = paid ? skr_cel_regex_find(run->regex, arg[0].text, arg[0].n, from, run->arena, ret)
                  : -SKR_LIMIT;
    if (rc < 0) {
        *ret_error = skr_cel_over(run);
    }
    return rc;
}

static struct skr_cel_value text_of(const struct skr_cel_value *v, const struct skr_cel_match *m)
{
    return skr_cel_string(v->text + m->begin, m->end - m->begin);
}

/* way 1: only whether it is there. */
static struct skr_cel_value find(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_value error;
    struct skr_cel_match match = {0, 0};
    int rc = search(run, arg, 0, &match, &error);
    if (rc < 0) {
        return error;
    }
    return run->row->way == 1 ? skr_cel_bool(rc > 0) : text_of(&arg[0], &match);
}

/* Matches that do not overlap; an empty one directly behind another does not count, as in Go. */
static struct skr_cel_value find_all(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_value made = {.kind = SKR_CEL_LIST}, error;
    struct skr_cel_value *item = NULL;
    const int64_t limit = run->n > 2 ? arg[2].integer : -1;
    size_t before = SIZE_MAX;
    for (size_t at = 0; at <= arg[0].n && (limit < 0 || (int64_t)made.n < limit);) {
        struct skr_cel_match match;
        int rc = search(run, arg, at, &match, &error);
        if (rc <= 0) {
            if (rc < 0) {
                return error;
            }
            break;
        }
        item = skr_cel_charge(run, 1) ? skr_cel_grow(item, made.n, sizeof *item, run->arena) : NULL;
        if (!item) {
            return skr_cel_over(run);
        }
        const bool empty = match.end == match.begin;
        if (!empty || match.begin != before) {
            item[made.n++] = text_of(&arg[0], &match);
        }
        before = at = match.end;
        if (empty) {
            uint32_t point;
            at += at < arg[0].n ? skr_cel_point_read(arg[0].text + at, arg[0].n - at, &point) : 1;
        }
    }
    made.item = item;
    return made;
}

const struct skr_cel_function skr_cel_regex_functions[] = {
    {"matches", SKR_CEL_MEMBER, "ss:b", find, SKR_CEL_FREE, 1},
    {"matches", SKR_CEL_GLOBAL, "ss:b", find, SKR_CEL_FREE, 1},
    {"find", SKR_CEL_MEMBER, "ss:s", find, SKR_CEL_FREE, 0},
    {"findAll", SKR_CEL_MEMBER, "ss:Ls|ssi:Ls", find_all, SKR_CEL_FREE, 0},
    {0},
};
