/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of rules, the smallest first. */
#include "core/solver/atom_sets.h"

int32_t *skr_rule_number(struct skr_rule *rule, enum skr_relaxation_kind kind)
{
    return kind == SKR_RELAX_MAX          ? &rule->max
           : kind == SKR_RELAX_MIN        ? &rule->min
           : kind == SKR_RELAX_FACTOR     ? &rule->factor
           : kind == SKR_RELAX_PARTITIONS ? &rule->partitions
                                          : NULL;
}

bool skr_rule_has(const struct skr_rule *rule, enum skr_relaxation_kind kind)
{
    struct skr_rule copy = *rule;
    const int32_t *number = skr_rule_number(&copy, kind);
    if (!number) {
        return rule->hard;
    }
    bool range = kind == SKR_RELAX_MAX || kind == SKR_RELAX_MIN;
    return *number > (kind == SKR_RELAX_FACTOR ? 1 : 0) && !(range && skr_rule_range_is_void(rule));
}

void skr_rule_drop(struct skr_rule *rule, enum skr_relaxation_kind kind)
{
    int32_t *number = skr_rule_number(rule, kind);
    if (number) {
        *number = 0;
    } else {
        rule->hard = false;
    }
}

/* The next set of as many atoms; false after the last. */
static bool next_set(struct skr_atom_sets *sets)
{
    int32_t i = sets->n_picked - 1;
    while (i >= 0 && sets->pick[i] == sets->n_atoms - sets->n_picked + i) {
        i--;
    }
    if (i < 0) {
        return false;
    }
    sets->pick[i]++;
    for (int32_t j = i + 1; j < sets->n_picked; j++) {
        sets->pick[j] = sets->pick[j - 1] + 1;
    }
    return true;
}

void skr_atom_sets_walk(struct skr_atom_sets *sets, void (*look)(void *context), void *context)
{
    for (int32_t n = 1; n <= sets->n_atoms && sets->found == 0 && !sets->stopped; n++) {
        if (n > SKR_RELAXATION_ATOMS_MAX) {
            sets->stopped = true;
            break;
        }
        sets->n_picked = n;
        for (int32_t i = 0; i < n; i++) {
            sets->pick[i] = i;
        }
        do {
            look(context);
        } while (!sets->stopped && next_set(sets));
    }
}
