/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_REQUIREMENTS_H
#define SKR_CORE_SPOTMIX_REQUIREMENTS_H
/*
 * Requirements of pods on one label of nodes, as in a nodeSelectorTerm: whether a value meets one,
 * and whether several can be met together. Operators are those of k8s.io/component-helpers
 * nodeaffinity and apimachinery labels.Requirement.Matches. Pure; no state.
 */
#include <jansson.h>
#include <stdbool.h>

/* All requirements of a pod on a node's label. All borrowed. */
struct skr_spotmix_demand {
    const char *key;
    const char *selected;      /* by a nodeSelector; NULL: none */
    const json_t *expressions; /* of a term; other keys are ignored; NULL: none */
    const json_t *ours;        /* one more expression, on the key */
};

/* value NULL: the label is absent. Unknown operators are met. O(values). */
bool skr_spotmix_requirement_is_met(const json_t *expression, const char *value);

/* The same key, operator and values, these in any order. O(values of one * values of the other). */
bool skr_spotmix_requirement_equals(const json_t *a, const json_t *b);

/* Whether a value of the label, or its absence, meets all requirements. O(n log n) of all
 * expressions and values together, as creators of pods choose how many there are. */
bool skr_spotmix_demand_can_be_met(const struct skr_spotmix_demand *demand);

#endif
