/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of a group about time: how long it runs, what moves it, with how many members it starts. */
#include <stdio.h>
#include <string.h>

#include "core/group/lint.h"
#include "topology/duration.h"

enum { KEY_MAX = 64 }; /* bytes of a key with its prefix, NUL included */

static const skr_time day = 24 * 3600 * SKR_SECOND;

/* The value of a key with that prefix; NULL: absent. */
static const char *text_of(const struct skr_labels *texts, const char *prefix, const char *name,
                           char key[KEY_MAX])
{
    snprintf(key, KEY_MAX, "%s%s", prefix ? prefix : "", name);
    return texts ? skr_labels_get(texts, key) : NULL;
}

/* ---- durations ---- */

static int parse_duration(const char *key, const char *text, skr_time low, skr_time high,
                          const char *form, skr_time *ret, struct skr_error *error)
{
    skr_time value;
    char quoted[SKR_QUOTE_MAX];
    if (skr_duration_parse(text, &value, NULL) < 0 || value < low || value > high) {
        skr_group_quote(text, quoted);
        return skr_error_set_at(error, SKR_INVALID, &(struct skr_subject){.key = key, .at = {1, 1}},
                                "must be a duration such as %s, got \"%s\"", form, quoted);
    }
    *ret = value;
    return 0;
}

int skr_group_duration_parse(const char *key, const char *text, skr_time *ret,
                             struct skr_error *error)
{
    return parse_duration(key, text, 0, day, "90s, 5m or 0, at most a day", ret, error);
}

/* ---- how long it runs ---- */

int skr_group_run_parse(struct skr_group_spec *spec, const char *prefix,
                        const struct skr_labels *texts, struct skr_error *error)
{
    static const char *const name[] = {"run-limit", "run-estimate"};
    skr_time *into[] = {&spec->run_limit, &spec->run_estimate};
    char key[KEY_MAX], quoted[SKR_QUOTE_MAX];
    int rc = 0;
    for (size_t i = 0; i < 2 && skr_group_go_on(spec, rc); i++) {
        const char *text = text_of(texts, prefix, name[i], key);
        const int one = text ? parse_duration(key, text, SKR_SECOND, 30 * day,
                                              "90s, 45m or 36h, from 1s to 720h", into[i], error)
                             : 0;
        skr_group_defect(spec, "InvalidNumber", one, error);
        rc = rc < 0 ? rc : one;
    }
    for (size_t i = 0; i < 2 && skr_group_go_on(spec, rc); i++) {
        static const struct {
            const char *name, *words[3], *must;
        } row[] = {{"movable", {"false", "true", NULL}, "true or false"},
                   {"replace", {NULL, "early", "whole"}, "early or whole"}};
        const char *text = text_of(texts, prefix, row[i].name, key);
        size_t at = 0;
        while (text && at < 3 && (!row[i].words[at] || strcmp(text, row[i].words[at]) != 0)) {
            at++;
        }
        if (text && at == 3) {
            skr_group_quote(text, quoted);
            const struct skr_subject about = {.key = key, .at = {1, 1}};
            const int one = skr_error_set_at(error, SKR_INVALID, &about, "must be %s, got \"%s\"",
                                             row[i].must, quoted);
            skr_group_defect(spec, "InvalidValue", one, error);
            rc = rc < 0 ? rc : one;
        } else if (i == 0) {
            spec->movable = at == 1;
        } else {
            spec->replace = (enum skr_group_replace)at;
        }
    }
    return rc;
}

/* ---- with how many members ---- */

/* A number of members, 1..most. *ret stays if the key is absent. */
static int parse_members(const struct skr_group_spec *spec, const char *key, const char *text,
                         int32_t most, int32_t *ret, struct skr_error *error)
{
    const struct skr_subject about = {.key = key, .at = {1, 1}};
    int rc = 0;
    if (text && spec->n_roles > 0) {
        rc = skr_error_set_at(error, SKR_INVALID, &about,
                              "cannot be combined with roles, which have a minimum each");
    } else if (text) {
        rc = skr_group_integer_parse(about, text, 1, most, ret, error);
    }
    return skr_group_defect(spec, "InvalidNumber", rc, error);
}

int skr_group_elastic_parse(struct skr_group_spec *spec, const char *prefix,
                            const struct skr_labels *texts, bool fewer, struct skr_error *error)
{
    char key[KEY_MAX];
    const int32_t size = spec->size > 0 ? spec->size : SKR_GROUP_SIZE_MAX;
    int32_t minimum = size, step = 1;
    const char *text = text_of(texts, prefix, "minimum", key);
    int rc = parse_members(spec, key, text, fewer ? SKR_GROUP_SIZE_MAX : size, &minimum, error);
    if (skr_group_go_on(spec, rc)) {
        text = text_of(texts, prefix, "step", key);
        const int32_t most = spec->open ? SKR_GROUP_SIZE_MAX : size;
        const int one = parse_members(spec, key, text, most, &step, error);
        rc = rc < 0 ? rc : one;
    }
    if (rc < 0 || spec->size == 0 || (minimum >= size && !spec->open)) {
        return rc;
    }
    spec->most = spec->open ? 0 : size;
    spec->size = minimum < size ? minimum : size;
    spec->step = step;
    spec->open = true;
    const int32_t over = spec->most > 0 ? (spec->most - minimum) % step : 0;
    if (over > 0) {
        skr_group_warn(spec, "UnevenSteps", (struct skr_subject){.key = key, .at = {1, 1}},
                       "from a minimum of %d, steps of %d do not reach size %d: at most %d members "
                       "are placed",
                       (int)minimum, (int)step, (int)size, (int)(size - over));
    }
    return 0;
}
