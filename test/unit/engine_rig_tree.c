/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judge of topology edits: when a gang of which nobody runs becomes Binding, its plan is one of a tree and of rules that the
 * engine can know (a_plan_fits_its_tree): all its nodes are in the tree, in one rack where the rule of racks is hard
 * packing, at most `max` on a node. Said once more from the texts of the objects, for trees of racks and nodes.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/json_fast.h"

/* "" when it is in none. */
static const char *rack_of(const json_t *tree, const char *node)
{
    const char *rack;
    json_t *nodes;
    json_object_foreach((json_t *)(uintptr_t)tree, rack, nodes)
    {
        if (json_object_get(nodes, node)) {
            return rack;
        }
    }
    return "";
}

static bool fits(const json_t *tree, const json_t *rules, const json_t *plan)
{
    const json_t *rack_rule = json_object_get(rules, "rack");
    bool one_rack = json_is_true(json_object_get(rack_rule, "hard")) &&
                    strcmp(rig_text(rack_rule, "type"), "pack") == 0;
    json_int_t most = json_integer_value(json_object_get(json_object_get(rules, "node"), "max"));
    const char *node, *first = NULL;
    json_t *count;
    json_object_foreach(json_object_get(plan, "nodes"), node, count)
    {
        const char *rack = rack_of(tree, node);
        first = first ? first : rack;
        if (!*rack || (one_rack && strcmp(rack, first) != 0) ||
            (most > 0 && json_integer_value(count) > most)) {
            return false;
        }
    }
    return true;
}

/* Of a key that is JSON; absent: an empty object; NULL: malformed. */
static json_t *parsed(const json_t *map, const char *path)
{
    const char *text = rig_text(map, path);
    return *text ? json_fast_read(text, strlen(text), NULL) : json_object();
}

/* A map without a name defines the group of its own name. */
static const char *name_of_group(const json_t *map)
{
    const char *name = rig_text(map, "data.name");
    return *name ? name : rig_text(map, "metadata.name");
}

/* On this tree, with any rules that the group had. */
static bool fits_any_rules(const json_t *maps, const char *group, const json_t *tree,
                           const json_t *plan)
{
    bool good = false;
    for (size_t i = 0; !good && i < json_array_size(maps); i++) {
        const json_t *map = json_array_get(maps, i);
        if (strcmp(name_of_group(map), group) != 0) {
            continue;
        }
        json_auto_t *rules = parsed(map, "data.constraints");
        good = !rules || fits(tree, rules, plan);
    }
    return good;
}

void rig_tree_binds(struct rig *rig, const struct rig_object *home, const json_t *plan)
{
    const char *group =
        home && json_object_get(home->json, "data") ? name_of_group(home->json) : "";
    if (!*group || !json_object_get(plan, "nodes") || rig_n_bound(rig, group) > 0) {
        return;
    }
    json_t *maps = rig_known(rig, RIG_MAP);
    bool good = true;
    for (size_t i = 0; i < json_array_size(maps); i++) {
        const json_t *map = json_array_get(maps, i);
        json_t *tree = parsed(map, "data.tree");
        const json_t *labels = json_object_get(json_object_get(map, "metadata"), "labels");
        bool is_tree = json_object_get(labels, "sakkara.topology");
        bool two = strcmp(rig_text(map, "data.level-names"), "[\"rack\",\"node\"]") == 0;
        good = is_tree ? !two || !tree || fits_any_rules(maps, group, tree, plan) : good;
        json_decref(tree);
        if (is_tree && good) {
            break;
        }
    }
    json_decref(maps);
    if (!good) {
        rig_fail(rig, "%s is bound where its tree or its rules do not allow it", home->key);
    }
}
