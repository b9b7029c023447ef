/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a node is eligible for a shape: the checks of kube-scheduler's plugins NodeUnschedulable,
 * TaintToleration and NodeAffinity, one after another. Room is the ledger's business. What other
 * plugins may refuse (volumes, devices) is learnt from probes and vetoes; rules about other pods are in
 * core/pod/rules.h.
 *
 * Rules: api core/v1 toleration.go, component-helpers scheduling/corev1, apimachinery labels. The
 * affinity that a scheduler profile may add (NodeAffinityArgs.addedAffinity) is not known here.
 */
#include <string.h>

#include "core/pod/parts.h"
#include "topology/base/decimal.h"

/* Tolerations compare numbers in their shortest form only (content.IsDecimalInteger). */
static bool is_shortest(const char *s)
{
    const char *digits = s[0] == '-' ? s + 1 : s;
    if (s[0] == '+') {
        return false;
    }
    return digits[0] != '0' || (digits[1] == '\0' && digits == s);
}

static bool exceeds(const char *a, const char *b)
{
    return is_shortest(a) && is_shortest(b) && skr_decimal_is_greater(a, b);
}

bool skr_toleration_tolerates(const struct skr_toleration *t, const struct skr_taint *taint)
{
    if (!t->any_effect && t->effect != taint->effect) {
        return false;
    }
    if (t->key[0] != '\0' && strcmp(t->key, taint->key) != 0) {
        return false;
    }
    switch (t->op) {
    case SKR_TOLERATION_EQUAL:
        return strcmp(t->value, taint->value) == 0;
    case SKR_TOLERATION_EXISTS:
        return true;
    case SKR_TOLERATION_LT:
        return exceeds(t->value, taint->value);
    case SKR_TOLERATION_GT:
        return exceeds(taint->value, t->value);
    case SKR_TOLERATION_OPERATOR_COUNT:
        break;
    }
    return false;
}

static bool is_tolerated(const struct skr_pod_shape *shape, const struct skr_taint *taint)
{
    for (size_t i = 0; i < shape->n_tolerations; i++) {
        if (skr_toleration_tolerates(&shape->toleration[i], taint)) {
            return true;
        }
    }
    return false;
}

static bool requirement_matches(const struct skr_selector_requirement *r,
                                const struct skr_node *node)
{
    return skr_selector_value_matches(r, r->is_field ? node->meta.name
                                                     : skr_labels_get(&node->meta.labels, r->key));
}

static bool term_matches(const struct skr_selector_term *term, const struct skr_node *node)
{
    for (size_t i = 0; i < term->n; i++) {
        if (!requirement_matches(&term->requirement[i], node)) {
            return false;
        }
    }
    return term->n > 0;
}

bool skr_pod_shape_selects_node(const struct skr_pod_shape *shape, const struct skr_node *node)
{
    for (size_t i = 0; i < shape->node_selector.n; i++) {
        const struct skr_label *wanted = &shape->node_selector.item[i];
        const char *value = skr_labels_get(&node->meta.labels, wanted->key);
        if (!value || strcmp(value, wanted->value) != 0) {
            return false;
        }
    }
    if (!shape->has_affinity) {
        return true;
    }
    for (size_t i = 0; i < shape->n_terms; i++) {
        if (term_matches(&shape->term[i], node)) {
            return true;
        }
    }
    return false;
}

bool skr_pod_shape_tolerates_node(const struct skr_pod_shape *shape, const struct skr_node *node)
{
    for (size_t i = 0; i < node->n_taints; i++) {
        const struct skr_taint *taint = &node->taints[i];
        bool counts =
            taint->effect == SKR_TAINT_NO_SCHEDULE || taint->effect == SKR_TAINT_NO_EXECUTE;
        if (counts && !is_tolerated(shape, taint)) {
            return false;
        }
    }
    return true;
}

enum skr_ineligible skr_pod_shape_check_node(const struct skr_pod_shape *shape,
                                             const struct skr_node *node)
{
    static const struct skr_taint cordon = {
        .key = "node.kubernetes.io/unschedulable", .value = "", .effect = SKR_TAINT_NO_SCHEDULE};
    if (node->unschedulable && !is_tolerated(shape, &cordon)) {
        return SKR_INELIGIBLE_UNSCHEDULABLE;
    }
    if (!skr_pod_shape_tolerates_node(shape, node)) {
        return SKR_INELIGIBLE_TAINT;
    }
    return skr_pod_shape_selects_node(shape, node) ? SKR_ELIGIBLE : SKR_INELIGIBLE_SELECTOR;
}

/* ---- in words ---- */

static void say_taint(const struct skr_taint *taint, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "%.100s%s%.63s:%s", taint->key, taint->value[0] ? "=" : "", taint->value,
                    taint->effect == SKR_TAINT_NO_EXECUTE ? "NoExecute" : "NoSchedule");
}

static void say_selector(const struct skr_pod_shape *shape, const struct skr_node *node,
                         struct skr_strbuf *b)
{
    for (size_t i = 0; i < shape->node_selector.n; i++) {
        const struct skr_label *wanted = &shape->node_selector.item[i];
        const char *value = skr_labels_get(&node->meta.labels, wanted->key);
        if (!value || strcmp(value, wanted->value) != 0) {
            skr_strbuf_addf(b, "%.100s=%.63s", wanted->key, wanted->value);
            return;
        }
    }
    for (size_t i = 0; i < shape->n_terms; i++) {
        for (size_t k = 0; k < shape->term[i].n; k++) {
            if (!requirement_matches(&shape->term[i].requirement[k], node)) {
                skr_strbuf_addf(b, "%.100s", shape->term[i].requirement[k].key);
                return;
            }
        }
    }
}

void skr_pod_shape_say_ineligible(const struct skr_pod_shape *shape, const struct skr_node *node,
                                  struct skr_strbuf *b)
{
    const enum skr_ineligible why = skr_pod_shape_check_node(shape, node);
    for (size_t i = 0; why == SKR_INELIGIBLE_TAINT && i < node->n_taints; i++) {
        const struct skr_taint *taint = &node->taints[i];
        const bool counts =
            taint->effect == SKR_TAINT_NO_SCHEDULE || taint->effect == SKR_TAINT_NO_EXECUTE;
        if (counts && !is_tolerated(shape, taint)) {
            say_taint(taint, b);
            return;
        }
    }
    if (why == SKR_INELIGIBLE_SELECTOR) {
        say_selector(shape, node, b);
    } else if (why == SKR_INELIGIBLE_UNSCHEDULABLE) {
        skr_strbuf_add(b, "cordoned");
    }
}
