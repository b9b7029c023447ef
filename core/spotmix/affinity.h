/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_AFFINITY_H
#define SKR_CORE_SPOTMIX_AFFINITY_H
/*
 * The classes as requirements on nodes: the class of a node, the classes that a pod's own
 * nodeSelector and required node affinity leave possible, and whether a pod has a requirement
 * already. Operators are those of k8s.io/component-helpers nodeaffinity and apimachinery
 * labels.Requirement.Matches.
 */
#include <jansson.h>

#include "core/spotmix/settings.h"

/* A pod with more nodeSelectorTerms is not changed: each term costs an operation of the patch. */
enum { SKR_SPOTMIX_TERMS_MAX = 1000 };

struct skr_spotmix_classes {
    const char *node_key;                           /* borrowed from the settings */
    char *expression_text[SKR_SPOTMIX_CLASS_COUNT]; /* JSON, of a nodeSelectorTerm */
    json_t *expression[SKR_SPOTMIX_CLASS_COUNT];    /* the same */
    char *toleration_text[SKR_SPOTMIX_CLASS_COUNT]; /* JSON; NULL: none */
    const char *tainted[SKR_SPOTMIX_CLASS_COUNT];   /* value of the taint that is tolerated */
};

void skr_spotmix_classes_init(struct skr_spotmix_classes *classes,
                              const struct skr_spotmix_settings *settings);
void skr_spotmix_classes_fini(struct skr_spotmix_classes *classes);

/* The first class whose expression these labels (a JSON object or NULL) satisfy. */
enum skr_spotmix_class skr_spotmix_class_of_node(const struct skr_spotmix_classes *classes,
                                                 const json_t *labels);

/* Whether a pod of this spec can run on a node of the class, by the class key alone: its
 * nodeSelector and at least one term that is not empty allow it. If all terms are empty, the
 * nodeSelector decides. More than SKR_SPOTMIX_TERMS_MAX terms: no. O(n log n) of the affinity's
 * size. */
bool skr_spotmix_class_is_possible(const struct skr_spotmix_classes *classes, const json_t *spec,
                                   enum skr_spotmix_class class_);

/* Whether a nodeSelectorTerm has no requirement; then it matches no node. */
bool skr_spotmix_term_is_empty(const json_t *term);
/* Whether the term has the class's expression: key, operator, the same set of values. */
bool skr_spotmix_term_has(const json_t *term, const json_t *expression);
/* The array at spec.affinity...nodeSelectorTerms; NULL when there is none. */
const json_t *skr_spotmix_terms_of(const json_t *spec);
/* Whether the class needs no toleration, or the spec has it. */
bool skr_spotmix_is_tolerated(const struct skr_spotmix_classes *classes, const json_t *spec,
                              enum skr_spotmix_class class_);

#endif
