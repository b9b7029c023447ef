/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prioritizers of a Placement and their weights. An entry is flat (name, weight 0..10) or has a
 * scoreCoordinate (weight -10..10). An absent weight is 1.
 */
#include <stdlib.h>
#include <string.h>

#include "core/group/label_value.h"
#include "core/placement/policy.h"
#include "topology/base/strbuf.h"

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

static void read_builtin(const struct skr_fields *in, const char *text, struct skr_prioritizer *ret)
{
    if (!find_builtin(skr_fields_copy(in, text), ret)) {
        skr_fields_refuse(in, SKR_INVALID, "unknown built-in prioritizer \"%.100s\"", text);
    }
}

static void read_addon(const struct skr_fields *coordinate, struct skr_prioritizer *ret)
{
    const struct skr_fields addon = skr_fields_object(coordinate, "addOn");
    SKR_STRBUF(name);
    if (!addon.json) {
        skr_fields_refuse(coordinate, SKR_INVALID, "a coordinate of type AddOn without addOn");
    }
    ret->kind = SKR_PRIORITIZER_ADDON;
    ret->resource = skr_fields_text(&addon, "resourceName");
    ret->score = skr_fields_text(&addon, "scoreName");
    if (!ret->resource[0] || !ret->score[0]) {
        skr_fields_refuse(coordinate, SKR_INVALID, "addOn without %s",
                          ret->resource[0] ? "scoreName" : "resourceName");
    }
    skr_strbuf_addf(&name, "AddOn/%s/%s", ret->resource, ret->score);
    ret->name = skr_fields_copy(coordinate, name.s);
}

static void read_coordinate(const struct skr_fields *coordinate, struct skr_prioritizer *ret)
{
    const char *type = skr_fields_word(coordinate, "type");
    const char *builtin = skr_fields_word(coordinate, "builtIn");
    if (strcmp(type, "AddOn") == 0) {
        read_addon(coordinate, ret);
        return;
    }
    if (type[0] && strcmp(type, "BuiltIn") != 0) {
        skr_fields_refuse(coordinate, SKR_INVALID, "unknown type of scoreCoordinate \"%.64s\"",
                          type);
    }
    if (!builtin[0]) {
        skr_fields_refuse(coordinate, SKR_INVALID, "scoreCoordinate without builtIn");
    }
    read_builtin(coordinate, builtin, ret);
}

static struct skr_prioritizer read_entry(const struct skr_fields *entry)
{
    const char *name = skr_fields_word(entry, "name");
    const struct skr_fields coordinate = skr_fields_object(entry, "scoreCoordinate");
    const int64_t weight = skr_fields_int64(entry, "weight", 1);
    const int least = coordinate.json ? -WEIGHT_MAX : 0;
    struct skr_prioritizer ret = {.weight = 0};
    if (coordinate.json) {
        read_coordinate(&coordinate, &ret);
    } else {
        if (!name[0]) {
            skr_fields_refuse(entry, SKR_INVALID, "an entry with neither scoreCoordinate nor name");
        }
        read_builtin(entry, name, &ret);
    }
    if (weight < least || weight > WEIGHT_MAX) {
        skr_fields_refuse(entry, SKR_INVALID, "weight of %.100s is %d..%d, not %lld", ret.name,
                          least, (int)WEIGHT_MAX, (long long)weight);
    }
    ret.weight = (int32_t)weight;
    return ret;
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

void skr_placement_read_prioritizers(struct skr_placement *p, const struct skr_fields *spec)
{
    const struct skr_fields policy = skr_fields_object(spec, "prioritizerPolicy");
    const char *mode = skr_fields_word(&policy, "mode");
    const struct skr_fields list = skr_fields_list(&policy, "configurations", SKR_PRIORITIZERS_MAX);
    const bool exact = strcmp(mode, "Exact") == 0;
    if (mode[0] && !exact && strcmp(mode, "Additive") != 0) {
        skr_fields_refuse(spec, SKR_INVALID, "unknown mode \"%.64s\"", mode);
    }
    const struct skr_prioritizer defaults[] = {
        {"Balance", SKR_PRIORITIZER_BALANCE, "", "", exact ? 0 : 1},
        {"Steady", SKR_PRIORITIZER_STEADY, "", "", exact ? 0 : 1},
        {"Spread", SKR_PRIORITIZER_SPREAD, "", "",
         exact || p->n_constraints == 0 ? 0 : SPREAD_DEFAULT}};
    const size_t n_defaults = sizeof defaults / sizeof *defaults;
    p->prioritizer = skr_fields_room(&list, list.n + n_defaults, sizeof *p->prioritizer);
    if (!p->prioritizer) {
        return;
    }
    for (size_t i = 0; i < n_defaults; i++) {
        set(p, &defaults[i]);
    }
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const struct skr_prioritizer given = read_entry(&entry);
        if (skr_fields_more(&list, i)) {
            set(p, &given);
        }
    }
    qsort(p->prioritizer, p->n_prioritizers, sizeof *p->prioritizer, by_name);
}
