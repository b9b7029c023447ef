/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_OBJECT_SELECTOR_H
#define SKR_SERVER_OBJECT_SELECTOR_H
/*
 * Label selectors (the text of ?labelSelector= and metav1.LabelSelector) and field selectors,
 * compiled once and matched often. The rules are those of apimachinery pkg/labels/selector.go and
 * pkg/fields/selector.go; which fields a kind can be selected by is kube-apiserver's list for it.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/error.h"
#include "topology/labels.h"

enum {
    SKR_SELECTOR_BYTES_MAX = 64 * 1024,   /* of the text of one selector */
    SKR_SELECTOR_PARTS_MAX = 256,         /* requirements of one selector */
    SKR_SELECTOR_PART_VALUES_MAX = 16384, /* values of one requirement */
};

struct skr_selector;

/* "a=b,c in (d,e),!f"; "" selects everything. *ret: skr_selector_destroy(). Errors: SKR_INVALID in
 * kube-apiserver's words, SKR_LIMIT. */
int skr_selector_parse_labels(const char *text, struct skr_selector **ret, struct skr_error *error);
/* "spec.nodeName=n1,status.phase!=Failed"; fields of this kind. Errors: SKR_INVALID, SKR_LIMIT. */
int skr_selector_parse_fields(const char *text, const char *kind, struct skr_selector **ret,
                              struct skr_error *error);
/* metav1.LabelSelector: NULL selects nothing, {} everything. path is for the error text. Errors:
 * SKR_INVALID, SKR_LIMIT. */
int skr_selector_of_json(const json_t *json, const char *path, struct skr_selector **ret,
                         struct skr_error *error);
void skr_selector_destroy(struct skr_selector *selector); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_selector, skr_selector_destroy)

/* Labels of the object, or its fields. NULL selector: everything. */
bool skr_selector_matches(const struct skr_selector *selector, const json_t *object);
/* The same for bare labels (a JSON object or NULL). Not for field selectors. */
bool skr_selector_matches_labels(const struct skr_selector *selector, const json_t *labels);
bool skr_selector_matches_list(const struct skr_selector *selector,
                               const struct skr_labels *labels);

#endif
