/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of the API server: the first byte chooses the kind, the first part is the object, the
 * second, of a pod, a Node to hold it against. What decodes is in order, decodes to the same again,
 * and survives our own changes put over it.
 */
#include "core/group/kueue.h"
#include "core/group/podgroup.h"
#include "core/group/provisioning.h"
#include "core/pod/pod.h"
#include "core/pod/rules.h"
#include "test/fuzz/fuzz.h"
#include "topology/device_claims.h"

enum kind { POD, NODE, CONFIGMAP, PODGROUP, KIND_COUNT };

static void check_labels(const struct skr_labels *labels)
{
    for (size_t i = 0; i < labels->n; i++) {
        fuzz_check(i == 0 || strcmp(labels->item[i - 1].key, labels->item[i].key) < 0);
        fuzz_check(skr_labels_get(labels, labels->item[i].key) == labels->item[i].value);
        fuzz_check(labels->item[i].value);
    }
}

static void check_meta(const struct skr_meta *meta)
{
    fuzz_check(meta->namespace_ && meta->name && meta->uid);
    check_labels(&meta->labels);
    check_labels(&meta->annotations);
    for (size_t i = 0; i < meta->annotations.n; i++) {
        fuzz_check(strncmp(meta->annotations.item[i].key, "sakkara.", 8) == 0);
    }
}

static void check_quantities(const struct skr_quantities *q)
{
    for (size_t i = 0; i < q->n; i++) {
        fuzz_check(q->item[i].amount >= 0 &&
                   (i == 0 || strcmp(q->item[i - 1].name, q->item[i].name) < 0));
    }
}

static int decode(enum kind kind, const json_t *json, void **ret, struct skr_error *error)
{
    int rc;
    struct skr_pod *pod = NULL;
    struct skr_node *node = NULL;
    struct skr_configmap *map = NULL;
    struct skr_podgroup *group = NULL;
    switch (kind) {
    case POD:
        rc = skr_pod_decode(json, &pod, error);
        *ret = pod;
        break;
    case NODE:
        rc = skr_node_decode(json, &node, error);
        *ret = node;
        break;
    case CONFIGMAP:
        rc = skr_configmap_decode(json, &map, error);
        *ret = map;
        break;
    case PODGROUP:
    case KIND_COUNT:
    default:
        rc = skr_podgroup_decode(json, &group, error);
        *ret = group;
        break;
    }
    fuzz_check_rc(rc, error);
    fuzz_check((rc == 0) == (!!*ret));
    return rc;
}

/* ---- pods ---- */

static void check_shape(const struct skr_pod_shape *shape)
{
    bool pods = false;
    check_quantities(&shape->requests);
    check_labels(&shape->node_selector);
    for (size_t i = 0; i < shape->requests.n; i++) {
        pods = pods || (strcmp(shape->requests.item[i].name, "pods") == 0 &&
                        shape->requests.item[i].amount == 1);
    }
    fuzz_check(pods && shape->key);
    for (size_t i = 0; i < shape->n_terms; i++) {
        fuzz_check(shape->has_affinity && shape->term[i].n > 0);
        for (size_t k = 0; k < shape->term[i].n; k++) {
            fuzz_check(shape->term[i].requirement[k].op < SKR_SELECTOR_OPERATOR_COUNT);
        }
    }
}

static void check_pod(const struct skr_pod *p)
{
    check_meta(&p->meta);
    check_shape(p->shape);
    fuzz_check(p->scheduler_name && p->node_name && p->nominated_node && p->controller_uid);
    fuzz_check(p->scheduled_reason && p->scheduled_message && p->failed_reason);
    fuzz_check(strlen(p->scheduled_message) <= SKR_POD_MESSAGE_MAX);
    fuzz_check(p->phase < SKR_POD_PHASE_COUNT && (p->has_priority || p->priority == 0));
    for (size_t i = 0; i < p->shape->n_rules; i++) {
        const struct skr_pod_rule *rule = &p->shape->rule[i];
        fuzz_check(rule->kind < SKR_POD_RULE_KIND_COUNT && rule->topology_key && rule->protocol);
        fuzz_check(rule->pods.n_requirements <= SKR_POD_REQUIREMENTS_MAX);
        skr_pod_rule_selects(rule, &p->meta);
    }
    fuzz_check(p->shape->n_rules <= SKR_POD_RULES_MAX);
}

static void check_overlay(const struct skr_pod *p)
{
    const struct skr_label label[] = {{SKR_LABEL_RANK, "3"}, {SKR_LABEL_STATUS, ""}, {"a", "b"}};
    const struct skr_pod_overlay change = {.resource_version = 77,
                                           .node_name = "node-x",
                                           .nominated_node = "",
                                           .drop_gate = true,
                                           .n_labels = 3,
                                           .label = label,
                                           .plan_annotation = "{}"};
    const struct skr_pod_overlay none = {0}, undo = {.plan_annotation = ""};
    SKR_AUTO(skr_pod_destroy) struct skr_pod *same = skr_pod_overlay(p, &none);
    SKR_AUTO(skr_pod_destroy) struct skr_pod *changed = skr_pod_overlay(p, &change);
    SKR_AUTO(skr_pod_destroy) struct skr_pod *undone = skr_pod_overlay(changed, &undo);
    check_pod(same);
    check_labels(&changed->meta.labels);
    check_labels(&changed->meta.annotations);
    check_shape(undone->shape);
    fuzz_check(strcmp(same->shape->key, p->shape->key) == 0 && same->gate == p->gate);
    fuzz_check(same->meta.labels.n == p->meta.labels.n);
    fuzz_check(same->meta.resource_version == p->meta.resource_version);
    fuzz_check(strcmp(skr_labels_get(&changed->meta.labels, SKR_LABEL_RANK), "3") == 0);
    fuzz_check(!skr_labels_get(&changed->meta.labels, SKR_LABEL_STATUS));
    fuzz_check(!changed->gate && changed->foreign_gate == p->foreign_gate);
    fuzz_check(strcmp(changed->node_name, "node-x") == 0 && changed->nominated_node[0] == '\0');
    fuzz_check(changed->meta.resource_version == 77 && undone->meta.resource_version == 77);
    fuzz_check(strcmp(skr_labels_get(&changed->meta.annotations, SKR_ANNOTATION_PLAN), "{}") == 0);
    fuzz_check(!skr_labels_get(&undone->meta.annotations, SKR_ANNOTATION_PLAN));
}

/* The shape alone decides: a copy of it gives the same answer, a plain pod needs no label. */
static void check_node_against(const struct skr_pod *p, const json_t *json)
{
    const struct skr_pod_overlay none = {0};
    const struct skr_pod_shape plain = {.key = ""};
    void *node;
    struct skr_error error;
    if (decode(NODE, json, &node, &error) < 0) {
        return;
    }
    SKR_AUTO(skr_pod_destroy) struct skr_pod *copy = skr_pod_overlay(p, &none);
    enum skr_ineligible one = skr_pod_shape_check_node(p->shape, node);
    fuzz_check(one < SKR_INELIGIBLE_COUNT);
    fuzz_check(skr_pod_shape_check_node(copy->shape, node) == one);
    enum skr_ineligible other = skr_pod_shape_check_node(&plain, node);
    fuzz_check(other != SKR_INELIGIBLE_SELECTOR);
    fuzz_check(other != SKR_ELIGIBLE || one == SKR_ELIGIBLE || one == SKR_INELIGIBLE_SELECTOR);
    skr_node_destroy(node);
}

/* ---- all kinds ---- */

static void check_pods(struct skr_pod *a, struct skr_pod *b, const json_t *node)
{
    check_pod(a);
    fuzz_check(strcmp(a->shape->key, b->shape->key) == 0);
    fuzz_check(strcmp(a->meta.name, b->meta.name) == 0 && a->gate == b->gate);
    check_overlay(a);
    if (node) {
        check_node_against(a, node);
    }
    skr_pod_destroy(a);
    skr_pod_destroy(b);
}

static void check_nodes(struct skr_node *a, struct skr_node *b)
{
    check_meta(&a->meta);
    check_quantities(&a->allocatable);
    fuzz_check(a->n_taints == b->n_taints && a->ready == b->ready);
    for (size_t i = 0; i < a->n_taints; i++) {
        fuzz_check(a->taints[i].key && a->taints[i].value &&
                   a->taints[i].effect < SKR_TAINT_EFFECT_COUNT);
    }
    skr_node_destroy(a);
    skr_node_destroy(b);
}

static void check_maps(struct skr_configmap *a, struct skr_configmap *b)
{
    check_meta(&a->meta);
    check_labels(&a->data);
    fuzz_check(a->data.n == b->data.n);
    skr_configmap_destroy(a);
    skr_configmap_destroy(b);
}

static void check_object(enum kind kind, const json_t *json, const json_t *node)
{
    void *a, *b;
    struct skr_error error, again;
    int rc = decode(kind, json, &a, &error);
    fuzz_check(decode(kind, json, &b, &again) == rc);
    if (rc < 0) {
        fuzz_check(strcmp(error.text, again.text) == 0);
        return;
    }
    if (kind == POD) {
        check_pods(a, b, node);
    } else if (kind == NODE) {
        check_nodes(a, b);
    } else if (kind == CONFIGMAP) {
        check_maps(a, b);
    } else {
        check_meta(&((struct skr_podgroup *)a)->meta);
        skr_podgroup_destroy(a);
        skr_podgroup_destroy(b);
    }
}

/* Both read any object. A template is JSON again, and its own template. */
static void check_provisioning(const json_t *json)
{
    struct skr_provisioning *request = NULL;
    struct skr_pod_template *template = NULL;
    struct skr_error error;
    int rc = skr_provisioning_decode(json, &request, &error);
    fuzz_check_rc(rc, &error);
    fuzz_check(rc < 0 || (request->state <= SKR_PROVISIONING_EXPIRED && request->message));
    skr_provisioning_destroy(rc < 0 ? NULL : request);
    rc = skr_pod_template_decode(json, &template, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        json_auto_t *again = json_loads(template->text, JSON_ALLOW_NUL, NULL);
        fuzz_check(json_is_object(json_object_get(again, "spec")));
        skr_pod_template_destroy(template);
    }
}

/* All read any object. Texts are JSON again. */
static void check_kueue(const json_t *json)
{
    struct skr_kueue_workload *w = NULL;
    struct skr_admission_check *check = NULL;
    struct skr_kueue_flavor *flavor = NULL;
    struct skr_error error;
    int rc = skr_kueue_workload_decode(json, &w, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        json_auto_t *checks = json_loads(w->checks, JSON_ALLOW_NUL, NULL);
        fuzz_check(json_array_size(checks) == w->n_checks);
        for (size_t i = 0; i < w->n_pod_sets; i++) {
            json_auto_t *template = json_loads(w->pod_set[i].template, JSON_ALLOW_NUL, NULL);
            fuzz_check(json_is_object(template));
        }
        skr_kueue_workload_destroy(w);
    }
    rc = skr_admission_check_decode(json, &check, &error);
    fuzz_check_rc(rc, &error);
    skr_admission_check_destroy(rc < 0 ? NULL : check);
    rc = skr_kueue_flavor_decode(json, &flavor, &error);
    fuzz_check_rc(rc, &error);
    skr_kueue_flavor_destroy(rc < 0 ? NULL : flavor);
}

static void check_device_claim(int rc, struct skr_device_claim *claim, struct skr_error *error)
{
    fuzz_check_rc(rc, error);
    if (rc == 0) {
        fuzz_check(claim->n_classes <= SKR_CLAIM_CLASSES_MAX);
        for (size_t i = 0; i < claim->n_classes; i++) {
            fuzz_check(*claim->class_[i]);
        }
        skr_device_claim_destroy(claim);
    }
}

/* Both read any object. */
static void check_devices(const json_t *json)
{
    struct skr_device_claim *claim = NULL, *template = NULL;
    struct skr_error error;
    int rc = skr_device_claim_decode(json, &claim, &error);
    check_device_claim(rc, claim, &error);
    rc = skr_device_template_decode(json, &template, &error);
    check_device_claim(rc, template, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *part[2];
    if (size == 0) {
        return 0;
    }
    SKR_AUTO_FREE char *text = fuzz_text(data + 1, size - 1);
    size_t n = fuzz_split(text, part, 2);
    json_auto_t *object = json_loads(part[0], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    json_auto_t *node = n > 1 ? json_loads(part[1], JSON_ALLOW_NUL, NULL) : NULL;
    if (object) {
        check_object((enum kind)(data[0] % KIND_COUNT), object, node);
        check_provisioning(object);
        check_kueue(object);
        check_devices(object);
    }
    return 0;
}
