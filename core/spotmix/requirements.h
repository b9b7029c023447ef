/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_REQUIREMENTS_H
#define SKR_CORE_SPOTMIX_REQUIREMENTS_H
/*
 * Requirements of pods on one label of nodes, as a nodeSelectorTerm writes them: what one says about
 * a value, and whether several can hold together. Meaning of operators: k8s.io/component-helpers
 * nodeaffinity and apimachinery labels.Requirement.Matches. Pure; no state.
 */
#include <jansson.h>
#include <stdbool.h>

/* What a node's label has to meet. All borrowed. */
struct skr_spotmix_demand {
    const char *key;
    const char *selected;      /* by a nodeSelector; NULL: none */
    const json_t *expressions; /* of a term, those on other keys are passed over; NULL: none */
    const json_t *ours;        /* one more expression, on the key */
};

/* value NULL: the label is absent. Operators that do not exist say nothing. O(values). */
bool skr_spotmix_requirement_is_met(const json_t *expression, const char *value);

/* The same key, operator and values, these in any order. O(values of one * values of the other). */
bool skr_spotmix_requirement_equals(const json_t *a, const json_t *b);

/* Whether the label can have a value, or be absent, so that all is met. O(n log n) of all
 * expressions and values together, which whoever creates pods chooses. */
bool skr_spotmix_demand_can_be_met(const struct skr_spotmix_demand *demand);

#endif
