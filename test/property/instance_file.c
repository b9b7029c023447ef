/* SPDX-License-Identifier: Apache-2.0 */
/* Problems as files for `sakkara solve`: docs/reference.md, "Solve files". */
#include <inttypes.h>

#include "test/property/instance.h"

static void write_units(const struct skr_tree *tree, int32_t unit, FILE *to)
{
    for (int32_t c = 0; c < tree->child_count[unit]; c++) {
        int32_t child = tree->child_first[unit] + c;
        fprintf(to, "%s\"%s%" PRId32 "\": {", c == 0 ? "" : ", ",
                child >= tree->first_leaf ? "n" : "u",
                child >= tree->first_leaf ? child - tree->first_leaf : child);
        if (child < tree->first_leaf) {
            write_units(tree, child, to);
        }
        fprintf(to, "}");
    }
}

static void write_amounts(const int64_t *amount, FILE *to)
{
    for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
        fprintf(to, "%s\"r%" PRId32 "\": %" PRId64, r == 0 ? "{" : ", ", r, amount[r]);
    }
    fprintf(to, "}");
}

static void write_rules(const struct instance *instance, FILE *to)
{
    for (int32_t level = 0; level < instance->tree.n_levels; level++) {
        const struct skr_rule *rule = &instance->rule[level];
        fprintf(to, "%s    \"l%" PRId32 "\": {\"type\": \"%s\"", level == 0 ? "" : ",\n", level + 1,
                rule->type == SKR_RULE_PACK ? "pack" : "spread");
        fprintf(to, "%s", rule->hard ? ", \"hard\": true" : "");
        const struct {
            const char *name;
            int32_t value;
        } number[] = {{"partitions", rule->partitions},
                      {"min", rule->min},
                      {"max", rule->max},
                      {"factor", rule->factor}};
        for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
            if (number[i].value != 0) {
                fprintf(to, ", \"%s\": %" PRId32, number[i].name, number[i].value);
            }
        }
        fprintf(to, "}");
    }
}

void instance_write(const struct instance *instance, FILE *to)
{
    const struct skr_tree *tree = &instance->tree;
    fprintf(to, "{\n  \"topology\": {\n    \"level-names\": [");
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        fprintf(to, "%s\"l%" PRId32 "\"", level == 1 ? "" : ", ", level);
    }
    fprintf(to, "],\n    \"tree\": {");
    write_units(tree, 0, to);
    fprintf(to, "}},\n  \"member\": ");
    write_amounts(instance->demand[0], to);
    fprintf(to, ",\n  \"nodes\": {\n");
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        fprintf(to, "%s    \"n%" PRId32 "\": {\"free\": ", leaf == 0 ? "" : ",\n", leaf);
        write_amounts(&instance->free[leaf * INSTANCE_RESOURCES], to);
        if (instance->problem.capacity) {
            fprintf(to, ", \"capacity\": ");
            write_amounts(&instance->capacity[leaf * INSTANCE_RESOURCES], to);
        }
        if (instance->claimed[0][leaf] > 0) {
            fprintf(to, ", \"claimed\": %" PRId32, instance->claimed[0][leaf]);
        }
        fprintf(to, "%s}", instance->eligible[0][leaf] ? "" : ", \"eligible\": false");
    }
    fprintf(to, "},\n  \"group\": {\"size\": %" PRId32 ", \"constraints\": {\n",
            instance->problem.n);
    write_rules(instance, to);
    fprintf(to, "}},\n  \"tieBreak\": \"%s\",\n  \"explain\": true\n}\n",
            instance->problem.tie_break == SKR_TIE_TIGHT ? "tight" : "tree");
}
