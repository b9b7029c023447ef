/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which prioritizers count, and how much. An entry is flat (name, weight 0..10) or has a
 * scoreCoordinate (weight -10..10); weight is 1 when it is absent, and 0 only when it is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/group/label_value.h"
#include "core/placement/policy.h"

enum { WEIGHT_MAX = 10, SPREAD_DEFAULT = 2 };

/* ---- names ---- */

static const char *resource_of(const char *suffix)
{
    return strcmp(suffix, "CPU") == 0 ? "cpu" : strcmp(suffix, "Memory") == 0 ? "memory" : suffix;
}

/* Name and resource borrow text. */
static bool find_builtin(const char *text, struct skr_prioritizer *ret)
{
    static const struct {
        const char *name;
        enum skr_prioritizer_kind kind;
    } plain[] = {{"Balance", SKR_PRIORITIZER_BALANCE},
                 {"Steady", SKR_PRIORITIZER_STEADY},
                 {"Spread", SKR_PRIORITIZER_SPREAD},
                 {"ResourceRatioCPU", SKR_PRIORITIZER_RATIO},
                 {"ResourceRatioMemory", SKR_PRIORITIZER_RATIO}};
    static const char ratio[] = "ResourceRatio", allocatable[] = "ResourceAllocatable";
    *ret = (struct skr_prioritizer){.name = text, .resource = "", .score = ""};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(text, plain[i].name) == 0) {
            ret->kind = plain[i].kind;
            ret->resource =
                ret->kind == SKR_PRIORITIZER_RATIO ? resource_of(text + sizeof ratio - 1) : "";
            return true;
        }
    }
    ret->kind = SKR_PRIORITIZER_ALLOCATABLE;
    ret->resource = resource_of(
        text + (strlen(text) < sizeof allocatable ? strlen(text) : sizeof allocatable - 1));
    return strncmp(text, allocatable, sizeof allocatable - 1) == 0 &&
           skr_label_key_is_valid(ret->resource);
}

static int decode_builtin(struct skr_placement *p, const char *text, struct skr_prioritizer *ret,
                          struct skr_error *error)
{
    const char *copy = skr_arena_strdup(p->arena, text);
    if (!copy) {
        return skr_ocm_no_room(error);
    }
    return find_builtin(copy, ret)
               ? 0
               : skr_error_set(error, SKR_INVALID, "unknown built-in prioritizer \"%.100s\"", text);
}

static int decode_addon(struct skr_placement *p, const json_t *coordinate,
                        const struct skr_field_path *path, struct skr_prioritizer *ret,
                        struct skr_error *error)
{
    json_t *addon;
    SKR_FIELD(at, path, "addOn");
    *ret = (struct skr_prioritizer){.kind = SKR_PRIORITIZER_ADDON};
    int rc = skr_field_object(coordinate, path, "addOn", &addon, error);
    if (rc == 0 && !addon) {
        return skr_error_set(error, SKR_INVALID, "a coordinate of type AddOn without addOn");
    }
    if (rc < 0 ||
        (rc = skr_ocm_string(p->arena, addon, &at, "resourceName", &ret->resource, error)) < 0 ||
        (rc = skr_ocm_string(p->arena, addon, &at, "scoreName", &ret->score, error)) < 0) {
        return rc;
    }
    if (!ret->resource[0] || !ret->score[0]) {
        return skr_error_set(error, SKR_INVALID, "addOn without %s",
                             ret->resource[0] ? "scoreName" : "resourceName");
    }
    size_t n = strlen(ret->resource) + strlen(ret->score) + sizeof "AddOn//";
    char *name = skr_arena_alloc(p->arena, n);
    if (!name) {
        return skr_ocm_no_room(error);
    }
    snprintf(name, n, "AddOn/%s/%s", ret->resource, ret->score);
    ret->name = name;
    return 0;
}

static int decode_coordinate(struct skr_placement *p, const json_t *coordinate,
                             const struct skr_field_path *up, struct skr_prioritizer *ret,
                             struct skr_error *error)
{
    const char *type, *builtin;
    SKR_FIELD(path, up, "scoreCoordinate");
    int rc;
    if ((rc = skr_field_string(coordinate, &path, "type", &type, error)) < 0 ||
        (rc = skr_field_string(coordinate, &path, "builtIn", &builtin, error)) < 0) {
        return rc;
    }
    if (strcmp(type, "AddOn") == 0) {
        return decode_addon(p, coordinate, &path, ret, error);
    }
    if (type[0] && strcmp(type, "BuiltIn") != 0) {
        return skr_error_set(error, SKR_INVALID, "unknown type of scoreCoordinate \"%.64s\"", type);
    }
    if (!builtin[0]) {
        return skr_error_set(error, SKR_INVALID, "scoreCoordinate without builtIn");
    }
    return decode_builtin(p, builtin, ret, error);
}

static int decode_entry(struct skr_placement *p, const json_t *entry,
                        const struct skr_field_path *path, struct skr_prioritizer *ret,
                        struct skr_error *error)
{
    const char *name;
    json_t *coordinate;
    int64_t weight;
    int rc;
    if ((rc = skr_field_string(entry, path, "name", &name, error)) < 0 ||
        (rc = skr_field_object(entry, path, "scoreCoordinate", &coordinate, error)) < 0 ||
        (rc = skr_ocm_int64(entry, path, "weight", 1, &weight, error)) < 0) {
        return rc;
    }
    if (!coordinate && !name[0]) {
        return skr_error_set(error, SKR_INVALID, "an entry with neither scoreCoordinate nor name");
    }
    rc = coordinate ? decode_coordinate(p, coordinate, path, ret, error)
                    : decode_builtin(p, name, ret, error);
    if (rc < 0) {
        return rc;
    }
    const int least = coordinate ? -WEIGHT_MAX : 0;
    if (weight < least || weight > WEIGHT_MAX) {
        return skr_error_set(error, SKR_INVALID, "weight of %.100s is %d..%d, not %lld", ret->name,
                             least, (int)WEIGHT_MAX, (long long)weight);
    }
    ret->weight = (int32_t)weight;
    return 0;
}

/* ---- the policy ---- */

/* The last entry of a coordinate wins. */
static void set(struct skr_placement *p, const struct skr_prioritizer *given)
{
    for (size_t i = 0; i < p->n_prioritizers; i++) {
        if (strcmp(p->prioritizer[i].name, given->name) == 0) {
            p->prioritizer[i] = *given;
            return;
        }
    }
    p->prioritizer[p->n_prioritizers++] = *given;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct skr_prioritizer *)a)->name,
                  ((const struct skr_prioritizer *)b)->name);
}

int skr_placement_decode_prioritizers(struct skr_placement *p, const json_t *spec,
                                      struct skr_error *error)
{
    json_t *policy, *list = NULL;
    const char *mode = "";
    SKR_FIELD(up, NULL, "spec");
    SKR_FIELD(path, &up, "prioritizerPolicy");
    SKR_FIELD(all, &path, "configurations");
    int rc = skr_field_object(spec, &up, "prioritizerPolicy", &policy, error);
    if (rc == 0 && policy && (rc = skr_field_string(policy, &path, "mode", &mode, error)) == 0) {
        rc = skr_field_array(policy, &path, "configurations", SKR_PRIORITIZERS_MAX, &list, error);
    }
    const bool exact = strcmp(mode, "Exact") == 0;
    if (rc == 0 && mode[0] && !exact && strcmp(mode, "Additive") != 0) {
        rc = skr_error_set(error, SKR_INVALID, "unknown mode \"%.64s\"", mode);
    }
    if (rc < 0) {
        return rc;
    }
    p->prioritizer = skr_arena_array(p->arena, json_array_size(list) + 3, sizeof *p->prioritizer);
    if (!p->prioritizer) {
        return skr_ocm_no_room(error);
    }
    const struct skr_prioritizer defaults[] = {
        {"Balance", SKR_PRIORITIZER_BALANCE, "", "", exact ? 0 : 1},
        {"Steady", SKR_PRIORITIZER_STEADY, "", "", exact ? 0 : 1},
        {"Spread", SKR_PRIORITIZER_SPREAD, "", "",
         exact || p->n_constraints == 0 ? 0 : SPREAD_DEFAULT}};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        set(p, &defaults[i]);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        SKR_FIELD_AT(at, &path, "configurations", i);
        struct skr_prioritizer given;
        json_t *entry;
        if ((rc = skr_field_entry(list, &all, i, &entry, error)) < 0 ||
            (rc = decode_entry(p, entry, &at, &given, error)) < 0) {
            return rc;
        }
        set(p, &given);
    }
    qsort(p->prioritizer, p->n_prioritizers, sizeof *p->prioritizer, by_name);
    return 0;
}
