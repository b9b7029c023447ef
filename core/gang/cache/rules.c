/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/cache/rules.h"

static void ease(const struct group *g, const struct skr_tree *tree, struct skr_rule *rule)
{
    for (int32_t l = 0; g->generation.ended > 0 && l < tree->n_levels; l++) {
        rule[l].partitions = rule[l].min = rule[l].factor = 0;
    }
}

void skr_rules_of_group(const struct group *g, const struct skr_tree *tree, struct skr_rule *rule)
{
    skr_group_rules(g->spec, tree, rule, NULL);
    ease(g, tree, rule);
}

bool skr_rules_of_role(const struct group *g, const char *role, const struct skr_tree *tree,
                       struct skr_rule *rule, uint8_t *has_rule)
{
    const bool has = skr_group_own_rules(g->spec, role, tree, rule, has_rule);
    ease(g, tree, rule);
    return has;
}
