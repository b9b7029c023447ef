/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_REQUIREMENT_H
#define SKR_CORE_POD_REQUIREMENT_H
/*
 * One requirement of a selector: of node affinity, of label selectors over pods, of cluster
 * affinities and of Placements. Keys, operators and values are those of apimachinery
 * (labels.NewRequirement).
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/strbuf.h"
#include "topology/fields.h"

enum skr_selector_operator {
    SKR_SELECTOR_IN,
    SKR_SELECTOR_NOT_IN,
    SKR_SELECTOR_EXISTS,
    SKR_SELECTOR_DOES_NOT_EXIST,
    SKR_SELECTOR_GT,
    SKR_SELECTOR_LT,
    SKR_SELECTOR_OPERATOR_COUNT
};

struct skr_selector_requirement {
    const char *key;
    enum skr_selector_operator op;
    bool is_field; /* key is no label: of matchFields, of a field or a claim of a cluster */
    size_t n_values;
    const char **values; /* sorted */
};

enum { SKR_SELECTOR_ENTRIES_MAX = 1024 }; /* matchLabels of a selector; its matchExpressions */

/* A metav1.LabelSelector, or a selector of fields, which has matchExpressions alone. Requirements of
 * matchLabels come first. Values are sorted. The caller judges each requirement: its operator may be
 * SKR_SELECTOR_OPERATOR_COUNT. Returns their number. */
size_t skr_selector_read(const struct skr_fields *selector, bool is_field, size_t values_max,
                         struct skr_selector_requirement **ret);
/* SKR_SELECTOR_OPERATOR_COUNT: text is no operator. */
enum skr_selector_operator skr_selector_operator_find(const char *text);
/* What apimachinery refuses in it, a constant; NULL: nothing. Gt and Lt are for node affinity and
 * fields: metav1.LabelSelectorAsSelector refuses them, and so must callers that read labels. */
const char *skr_selector_requirement_problem(const struct skr_selector_requirement *r);
/* Whether it holds of a value; NULL: the key is not there. r has no problem. O(log values). */
bool skr_selector_value_matches(const struct skr_selector_requirement *r, const char *value);
/* Canonical text: equal requirements have equal texts. Appends. */
void skr_selector_requirement_write(struct skr_strbuf *b, const struct skr_selector_requirement *r);

#endif
