/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups: the declared levels of provider, region and zone as a tree whose leaves are the
 * candidates, with a score for each unit (karmada spreadconstraint/group_clusters.go,
 * calcGroupScore). A cluster is in its first zone; in karmada-scheduler's search it has a leaf in
 * each zone. Clusters without a property are in the group "default", whose score is 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/propagation/steps.h"

enum { WEIGHT_UNIT = 1000, EXTRA_NAME_BYTES = 16 };
static const char default_group[] = "default";

/* The levels that make one tree: all of them, or, in karmada-scheduler's search, each its own. */
struct grouping {
    struct skr_binding_decision *decision;
    struct skr_spread_level *level;
    size_t n_levels;
    struct skr_tree *tree;
};

/* One leaf to be: a candidate and where it is. */
struct place {
    const char *part[SKR_SPREAD_LEVELS];
    int32_t candidate;
    int32_t zone; /* 0: its home */
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    for (size_t i = 0; i < SKR_SPREAD_LEVELS && x->part[i]; i++) {
        int order = strcmp(x->part[i], y->part[i]);
        if (order != 0) {
            return order;
        }
    }
    if (x->candidate != y->candidate) {
        return x->candidate < y->candidate ? -1 : 1;
    }
    return (x->zone > y->zone) - (x->zone < y->zone);
}

static size_t zones_of(const struct grouping *grouping, const struct skr_candidate *candidate)
{
    bool all = grouping->decision->options->topology_search == SKR_SEARCH_UPSTREAM &&
               grouping->level[grouping->n_levels - 1].field == SKR_SPREAD_ZONE;
    return all && candidate->cluster->n_zones > 1 ? candidate->cluster->n_zones : 1;
}

static struct place *list_places(const struct grouping *grouping, size_t *ret_n)
{
    struct skr_binding_decision *decision = grouping->decision;
    size_t n = 0;
    for (size_t i = 0; i < decision->n_candidates; i++) {
        n += zones_of(grouping, &decision->candidate[i]);
    }
    struct place *place = skr_binding_decision_array(decision, n, sizeof *place);
    *ret_n = n;
    n = 0;
    for (size_t i = 0; i < decision->n_candidates; i++) {
        for (size_t zone = 0; zone < zones_of(grouping, &decision->candidate[i]); zone++) {
            place[n] = (struct place){.candidate = (int32_t)i, .zone = (int32_t)zone};
            for (size_t k = 0; k < grouping->n_levels; k++) {
                const char *part = skr_spread_place_of(decision->candidate[i].cluster,
                                                       grouping->level[k].field, zone);
                place[n].part[k] = part[0] != '\0' ? part : default_group;
            }
            n++;
        }
    }
    if (n > 1) {
        qsort(place, n, sizeof *place, by_place);
    }
    return place;
}

static int add_place(const struct grouping *grouping, struct skr_tree_builder *builder,
                     const struct place *place, const struct place *last, struct skr_error *error)
{
    const char *name = grouping->decision->candidate[place->candidate].cluster->meta.name;
    char extra[SKR_UNIT_NAME_MAX + EXTRA_NAME_BYTES];
    bool same = last;
    int32_t depth = 1;
    for (size_t i = 0; i < grouping->n_levels; i++, depth++) {
        same = same && strcmp(place->part[i], last->part[i]) == 0;
        int rc = same ? 0 : skr_tree_builder_add(builder, depth, place->part[i], error);
        if (rc < 0) {
            return rc;
        }
    }
    if (place->zone > 0) {
        /* No cluster can be called that: names of leaves stay unique. */
        snprintf(extra, sizeof extra, "%.*s#%d", (int)SKR_UNIT_NAME_MAX - 8, name,
                 (int)place->zone);
        name = extra;
    }
    return skr_tree_builder_add(builder, depth, name, error);
}

static int build_tree(struct grouping *grouping, const struct place *place, size_t n,
                      struct skr_error *error)
{
    const char *level_name[SKR_SPREAD_FIELD_COUNT];
    struct skr_tree_builder *builder = skr_tree_builder_create("clusters");
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = add_place(grouping, builder, &place[i], i > 0 ? &place[i - 1] : NULL, error);
    }
    for (size_t i = 0; i < grouping->n_levels; i++) {
        level_name[i] = skr_spread_field_name[grouping->level[i].field];
    }
    level_name[grouping->n_levels] = skr_spread_field_name[SKR_SPREAD_CLUSTER];
    if (rc == 0) {
        rc = skr_tree_builder_finish(builder, level_name, grouping->n_levels + 1, NULL, 0,
                                     &grouping->tree, NULL, error);
    }
    skr_tree_builder_destroy(builder);
    return rc;
}

/* ---- what a group is worth ---- */

static int64_t score_duplicated(const struct skr_binding_decision *decision,
                                const struct skr_spread_group *group)
{
    int64_t ok = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < group->n_members; i++) {
        const struct skr_candidate *member = &decision->candidate[group->member[i]];
        if (member->available >= decision->binding->replicas) {
            ok++;
            sum += member->score;
        }
    }
    return ok == 0 ? 0 : WEIGHT_UNIT * ok + sum / ok;
}

static int64_t score_divided(const struct skr_binding_decision *decision,
                             const struct skr_spread_group *group, int64_t min_groups)
{
    const struct skr_group_range *clusters = &decision->range[SKR_SPREAD_CLUSTER];
    int64_t share = (decision->binding->replicas + min_groups - 1) / min_groups;
    int64_t need = clusters->declared && clusters->min > min_groups ? clusters->min : min_groups;
    int64_t used = 0;
    int64_t room = 0;
    int64_t sum = 0;
    while (used < (int64_t)group->n_members && (used < need || room < share)) {
        const struct skr_candidate *member = &decision->candidate[group->member[used++]];
        room += member->available;
        sum += member->score;
    }
    return room >= share ? WEIGHT_UNIT * share + sum / used : WEIGHT_UNIT * room + sum / used;
}

static int64_t score_group(const struct skr_binding_decision *decision,
                           const struct skr_spread_group *group, enum skr_spread_field field)
{
    int64_t highest = 0;
    for (size_t i = 0; i < group->n_members; i++) {
        const struct skr_candidate *member = &decision->candidate[group->member[i]];
        if (skr_spread_place_of(member->cluster, field, 0)[0] == '\0') {
            return 0;
        }
        highest = member->score > highest ? member->score : highest;
    }
    if (decision->options->highest_score) {
        return highest;
    }
    return decision->binding->placement.kind == SKR_DIVISION_DUPLICATED
               ? score_duplicated(decision, group)
               : score_divided(decision, group, decision->range[field].min);
}

static int by_worth(const void *a, const void *b)
{
    const struct skr_spread_group *x = a;
    const struct skr_spread_group *y = b;
    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    if (x->room != y->room) {
        return x->room > y->room ? -1 : 1;
    }
    return strcmp(x->path, y->path);
}

/* ---- groups of a level ---- */

static const char *path_of(const struct grouping *grouping, int32_t unit)
{
    const struct skr_tree *tree = grouping->tree;
    const char *part[SKR_SPREAD_LEVELS] = {NULL};
    size_t n = 0;
    size_t size = 1;
    for (int32_t at = unit; at > 0; at = tree->parent[at]) {
        part[n++] = tree->unit_name[at];
        size += strlen(tree->unit_name[at]) + 1;
    }
    char *path = skr_binding_decision_array(grouping->decision, size, 1);
    size_t used = 0;
    while (n-- > 0) {
        used += (size_t)snprintf(path + used, size - used, "%s%s", used > 0 ? "/" : "", part[n]);
    }
    return path;
}

/* unit[leaf]: the unit of this level above each leaf. candidate[leaf]. Candidates are visited in
 * order, so that members are in order. */
static void fill_level(struct grouping *grouping, size_t depth, const int32_t *unit,
                       const struct place *place, size_t n_leaves)
{
    struct skr_binding_decision *decision = grouping->decision;
    const struct skr_tree *tree = grouping->tree;
    struct skr_spread_level *level = &grouping->level[depth];
    int32_t first = tree->level_first[depth + 1];
    level->n = (size_t)(tree->level_first[depth + 2] - first);
    level->group = skr_binding_decision_array(decision, level->n, sizeof *level->group);
    int32_t *leaf_of = skr_binding_decision_array(decision, n_leaves, sizeof *leaf_of);
    int32_t *next = skr_binding_decision_array(decision, decision->n_candidates + 1, sizeof *next);
    for (size_t i = 0; i < n_leaves; i++) {
        level->group[unit[i] - first].n_members++;
        next[place[i].candidate + 1]++;
    }
    for (size_t i = 0; i < decision->n_candidates; i++) {
        next[i + 1] += next[i];
    }
    for (size_t i = 0; i < n_leaves; i++) {
        leaf_of[next[place[i].candidate]++] = (int32_t)i;
    }
    for (size_t i = 0; i < level->n; i++) {
        struct skr_spread_group *group = &level->group[i];
        group->unit = first + (int32_t)i;
        group->path = path_of(grouping, group->unit);
        group->member =
            skr_binding_decision_array(decision, group->n_members, sizeof *group->member);
        group->n_members = 0;
    }
    for (size_t i = 0; i < n_leaves; i++) {
        struct skr_spread_group *group = &level->group[unit[leaf_of[i]] - first];
        int32_t candidate = place[leaf_of[i]].candidate;
        /* A unit above the zones has such a cluster once. */
        if (group->n_members == 0 || group->member[group->n_members - 1] != candidate) {
            group->member[group->n_members++] = candidate;
            group->room += decision->candidate[candidate].available;
        }
    }
    for (size_t i = 0; i < level->n; i++) {
        level->group[i].score = score_group(decision, &level->group[i], level->field);
    }
    qsort(level->group, level->n, sizeof *level->group, by_worth);
}

static bool make_groups(struct grouping *grouping)
{
    struct skr_binding_decision *decision = grouping->decision;
    struct skr_error error = {.text = ""};
    size_t n = 0;
    struct place *place = list_places(grouping, &n);
    if (build_tree(grouping, place, n, &error) < 0) {
        return skr_binding_decision_fail(decision, SKR_PROPAGATION_INVALID_POLICY, "%s",
                                         error.text);
    }
    int32_t *unit = skr_binding_decision_array(decision, n, sizeof *unit);
    for (size_t i = 0; i < n; i++) {
        unit[i] = grouping->tree->first_leaf + (int32_t)i;
    }
    for (size_t depth = grouping->n_levels; depth-- > 0;) {
        for (size_t i = 0; i < n; i++) {
            unit[i] = grouping->tree->parent[unit[i]];
        }
        fill_level(grouping, depth, unit, place, n);
    }
    return true;
}

/* Makes groups of these levels in one tree; keep: the tree is what the exact search goes over. */
static bool make_tree(struct skr_binding_decision *decision, size_t first, size_t n, bool keep)
{
    struct grouping grouping = {
        .decision = decision, .level = &decision->level[first], .n_levels = n};
    bool made = make_groups(&grouping);
    if (keep) {
        decision->tree = grouping.tree;
        decision->tree_level = grouping.level;
        decision->n_tree_levels = n;
    } else {
        skr_tree_unref(grouping.tree);
    }
    return made;
}

bool skr_binding_make_groups(struct skr_binding_decision *decision)
{
    bool apart = decision->options->topology_search == SKR_SEARCH_UPSTREAM;
    if (decision->n_levels == 0) {
        return true;
    }
    if (!apart) {
        return make_tree(decision, 0, decision->n_levels, true);
    }
    for (size_t i = 0; i < decision->n_levels; i++) {
        if (!make_tree(decision, i, 1, decision->level[i].field == SKR_SPREAD_REGION)) {
            return false;
        }
    }
    return true;
}
