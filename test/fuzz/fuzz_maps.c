/* SPDX-License-Identifier: Apache-2.0 */
/* What users write into ConfigMaps and labels: the first byte chooses the key whose value the rest
 * is. Plans and quantities too. */
#include <stdlib.h>

#include "core/group_spec.h"
#include "core/plan.h"
#include "test/fuzz/fuzz.h"
#include "topology/quantity.h"
#include "topology/topology_map.h"

enum { TREE, LEVELS, RESOURCES, SIZE, PRIORITY, CONSTRAINTS, PLAN, MEMBER, QUANTITY, WHAT_COUNT };

static void parse_topology(int what, const char *text)
{
    struct skr_label item[] = {
        {"level-names", what == LEVELS ? text : "[\"rack\",\"node\"]"},
        {"resource-names", what == RESOURCES ? text : "[\"cpu\"]"},
        {"tree", what == TREE ? text : "{\"r\":{\"n\":{}}}"},
    };
    struct skr_labels data = {3, item};
    struct skr_tree *tree = NULL;
    struct skr_topology_warnings warnings;
    struct skr_error error;
    if (skr_topology_map_parse(&data, &tree, &warnings, &error) == 0) {
        skr_tree_unref(tree);
    }
}

static void parse_group(int what, const char *text)
{
    struct skr_label item[] = {
        {"constraints", what == CONSTRAINTS ? text : "{}"},
        {"name", "g"},
        {"priority", what == PRIORITY ? text : "1"},
        {"size", what == SIZE ? text : "8"},
    };
    struct skr_labels data = {4, item};
    struct skr_group_spec *spec = NULL;
    struct skr_error error;
    if (skr_group_spec_parse(&data, &spec, &error) == 0) {
        skr_group_spec_destroy(spec);
    }
}

static void parse_plan(const char *text)
{
    struct skr_plan_record *plan = NULL;
    struct skr_error error;
    if (skr_plan_parse(text, &plan, &error) == 0) {
        bool dropped;
        free(skr_plan_write(plan, &dropped));
        skr_plan_record_destroy(plan);
    }
}

static void parse_small(int what, const char *text)
{
    struct skr_error error;
    char id[SKR_PLAN_ID_LEN + 1], node[254];
    int64_t value;
    if (what == MEMBER) {
        skr_member_plan_parse(text, id, node, sizeof node, &error);
    } else {
        skr_quantity_parse(text, &value, &error);
        skr_quantity_parse_milli(text, &value, &error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    int what = data[0] % WHAT_COUNT;
    char *text = skr_fuzz_text(data + 1, size - 1);
    if (what <= RESOURCES) {
        parse_topology(what, text);
    } else if (what <= CONSTRAINTS) {
        parse_group(what, text);
    } else if (what == PLAN) {
        parse_plan(text);
    } else {
        parse_small(what, text);
    }
    free(text);
    return 0;
}
