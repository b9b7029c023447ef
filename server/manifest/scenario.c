/* SPDX-License-Identifier: Apache-2.0 */
/* Every key of a Scenario is known or refused; what a step creates is checked like any object. */
#include "server/manifest/scenario.h"

#include <stdio.h>
#include <string.h>

#include "server/manifest/kinds.h"
#include "server/object/path.h"
#include "topology/base/suggest.h"
#include "topology/duration.h"

bool skr_scenario_is(const json_t *object)
{
    return strcmp(skr_path_text(object, "kind"), "Scenario") == 0 &&
           strncmp(skr_path_text(object, "apiVersion"), "sakkara/", 8) == 0;
}

/* ---- check ---- */

static int check_keys(const json_t *object, const char *path, const char *const *known, size_t n,
                      struct skr_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        (void)value;
        bool found = false;
        for (size_t i = 0; i < n; i++) {
            found = found || strcmp(known[i], key) == 0;
        }
        if (!found) {
            const char *near = skr_suggest(key, known, n);
            char shown[65];
            snprintf(shown, sizeof shown, "%s", key);
            (void)skr_error_set_key(error, SKR_INVALID, shown, "unknown key%s%s%s",
                                    near ? " (did you mean " : "", near ? near : "",
                                    near ? "?)" : "");
            return skr_error_under(error, path);
        }
    }
    return 0;
}

int skr_scenario_read_time(const json_t *at, const char *path, skr_time *ret,
                           struct skr_error *error)
{
    if (json_is_integer(at) && json_integer_value(at) == 0) {
        *ret = 0;
        return 0;
    }
    const char *text = json_string_value(at);
    if (!text || skr_duration_parse(text, ret, NULL) < 0) {
        (void)skr_error_set_key(error, SKR_INVALID, "at", "a duration such as 10s is expected");
        return skr_error_under(error, path);
    }
    return 0;
}

const char *skr_scenario_target_text(const json_t *target, const char *key)
{
    char path[32];
    const char *text = skr_path_text(target, key);
    snprintf(path, sizeof path, "metadata.%s", key);
    return text[0] ? text : skr_path_text(target, path);
}

static int refuse_kind(const char *kind, const char *path, struct skr_error *error)
{
    (void)skr_error_set_key(error, SKR_INVALID, "kind", "\"%.64s\" is not simulated", kind);
    return skr_error_under(error, path);
}

static int refuse_name(const char *why, const char *path, struct skr_error *error)
{
    (void)skr_error_set_key(error, SKR_INVALID, "name", "%s", why);
    return skr_error_under(error, path);
}

static int check_target(const json_t *target, const char *path, struct skr_error *error)
{
    if (!json_is_object(target)) {
        return skr_error_set_key(error, SKR_INVALID, path, "{kind: ..., name: ...} is expected");
    }
    const char *kind = skr_path_text(target, "kind");
    if (!skr_manifest_kind_find(kind, skr_path_text(target, "apiVersion"))) {
        return refuse_kind(kind, path, error);
    }
    const json_t *name = json_object_get(target, "name");
    if (name && !json_is_string(name)) {
        return refuse_name("a string is expected, in quotes", path, error);
    }
    return skr_scenario_target_text(target, "name")[0] ? 0 : refuse_name("missing", path, error);
}

static int check_object(const json_t *object, const char *path, skr_manifest_check *check,
                        void *context, struct skr_error *error)
{
    const char *kind = skr_path_text(object, "kind");
    if (!json_is_object(object) || !skr_manifest_kind_find(kind, "")) {
        return refuse_kind(kind, path, error);
    }
    return check(context, object, error) < 0 ? skr_error_under(error, path) : 0;
}

size_t skr_scenario_count_objects(const json_t *create)
{
    if (json_is_array(create)) {
        return json_array_size(create);
    }
    const json_t *items = json_object_get(create, "items");
    return json_is_array(items) ? json_array_size(items) : 1;
}

const json_t *skr_scenario_object_at(const json_t *create, size_t i)
{
    const json_t *items = json_is_array(create) ? create : json_object_get(create, "items");
    return json_is_array(items) ? json_array_get(items, i) : create;
}

static int check_create(const json_t *create, const char *path, skr_manifest_check *check,
                        void *context, struct skr_error *error)
{
    char here[96];
    int rc = 0;
    bool single = skr_scenario_object_at(create, 0) == create;
    for (size_t i = 0; i < skr_scenario_count_objects(create) && rc == 0; i++) {
        snprintf(here, sizeof here, "%s%s", path, json_is_array(create) || single ? "" : ".items");
        size_t n = strlen(here);
        if (!single) {
            snprintf(here + n, sizeof here - n, "[%zu]", i);
        }
        rc = check_object(skr_scenario_object_at(create, i), here, check, context, error);
    }
    return rc;
}

static int check_step(const json_t *step, size_t i, skr_manifest_check *check, void *context,
                      struct skr_error *error)
{
    static const char *const keys[] = {"at", "create", "delete", "patch"};
    static const char *const target[] = {"apiVersion", "kind", "metadata", "name", "namespace"};
    char path[64];
    skr_time at;
    snprintf(path, sizeof path, "steps[%zu]", i);
    if (!json_is_object(step)) {
        return skr_error_set_key(error, SKR_INVALID, path, "{at: ..., create: ...} is expected");
    }
    int rc = check_keys(step, path, keys, sizeof keys / sizeof keys[0], error);
    rc = rc < 0 ? rc : skr_scenario_read_time(json_object_get(step, "at"), path, &at, error);
    if (rc < 0) {
        return rc;
    }
    const json_t *create = json_object_get(step, "create");
    const json_t *delete_ = json_object_get(step, "delete"),
                 *patch = json_object_get(step, "patch");
    if ((!!create) + (!!delete_) + (!!patch) != 1) {
        return skr_error_set_key(error, SKR_INVALID, path,
                                 "one of create, delete, patch is expected");
    }
    snprintf(path, sizeof path, "steps[%zu].%s", i,
             create    ? "create"
             : delete_ ? "delete"
                       : "patch");
    if (create) {
        return check_create(create, path, check, context, error);
    }
    rc = check_target(delete_ ? delete_ : patch, path, error);
    return rc < 0 || patch
               ? rc
               : check_keys(delete_, path, target, sizeof target / sizeof target[0], error);
}

int skr_scenario_check(const json_t *scenario, skr_manifest_check *check, void *context,
                       struct skr_error *error)
{
    static const char *const keys[] = {"apiVersion", "kind", "metadata", "percentageOfNodesToScore",
                                       "steps"};
    int rc = check_keys(scenario, "", keys, sizeof keys / sizeof keys[0], error);
    const json_t *percentage = json_object_get(scenario, "percentageOfNodesToScore");
    const json_t *steps = json_object_get(scenario, "steps");
    if (rc < 0) {
        return rc;
    }
    if (strcmp(skr_path_text(scenario, "apiVersion"), "sakkara/v1") != 0) {
        return skr_error_set_key(error, SKR_INVALID, "apiVersion", "sakkara/v1 is expected");
    }
    if (percentage && (!json_is_integer(percentage) || json_integer_value(percentage) < 0 ||
                       json_integer_value(percentage) > 100)) {
        return skr_error_set_key(error, SKR_INVALID, "percentageOfNodesToScore",
                                 "a number from 0 to 100 is expected");
    }
    if (steps && !json_is_array(steps)) {
        return skr_error_set_key(error, SKR_INVALID, "steps", "a list is expected");
    }
    if (json_array_size(steps) > SKR_SCENARIO_STEPS_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, "steps", "more than %d", SKR_SCENARIO_STEPS_MAX);
    }
    for (size_t i = 0; i < json_array_size(steps) && rc == 0; i++) {
        rc = check_step(json_array_get(steps, i), i, check, context, error);
    }
    return rc;
}
