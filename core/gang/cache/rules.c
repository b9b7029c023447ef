/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/cache/rules.h"

void skr_rules_of(const struct group *g, const char *role, const struct skr_tree *tree,
                  struct skr_rule *rule, uint8_t *has_rule)
{
    skr_group_rules(g->spec, role, tree, rule, has_rule, NULL);
    for (int32_t l = 0; g->generation.ended > 0 && l < tree->n_levels; l++) {
        rule[l].partitions = rule[l].min = rule[l].factor = 0;
    }
}
