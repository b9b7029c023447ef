/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ResourceClaims of pods (kubernetes pkg/controller/resourceclaim). A claim is made of each template that
 * a pod names, for gated pods too, and status.resourceClaimStatuses has its name. Pods that are done or
 * gone leave status.reservedFor; with the last one the devices are freed, as are those of a deleted claim that
 * no pod uses: it goes with its allocation. The claim that was made for a pod is deleted when the pod is done;
 * owners.c deletes it when the pod is gone.
 */
#include <string.h>

#include "server/lab/cluster/cluster_parts.h"

#define CLAIM    "ResourceClaim"
#define TEMPLATE "ResourceClaimTemplate"

static bool is_done(const json_t *pod)
{
    const char *phase = skr_path_text(pod, "status.phase");
    return strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0;
}

/* ---- claims of templates ---- */

/* The entry of a pod's claim. */
static const json_t *made_of(const json_t *pod, const char *entry)
{
    return skr_path_find(skr_path_get(pod, "status.resourceClaimStatuses"), "name", entry);
}

/* "": it was refused. */
static json_t *make_claim(struct skr_cluster *c, const json_t *pod, const char *entry,
                          const json_t *template)
{
    const json_t *spec = json_object_get(template, "spec");
    json_t *meta = json_deep_copy(skr_path_get(spec, "metadata")), *made = NULL;
    if (!meta) {
        meta = json_object();
    }
    json_object_set_new(meta, "generateName",
                        json_sprintf("%.200s-%.50s-", skr_path_text(pod, "metadata.name"), entry));
    json_object_set_new(skr_path_own(meta, "annotations"), "resource.kubernetes.io/pod-claim-name",
                        json_string(entry));
    json_object_set_new(meta, "ownerReferences", json_pack("[o]", skr_owners_reference(pod)));
    json_t *body = json_pack("{s:s, s:s, s:o, s:O}", "apiVersion", "resource.k8s.io/v1", "kind",
                             CLAIM, "metadata", meta, "spec", json_object_get(spec, "spec"));
    (void)skr_cluster_request(c, SKR_STORE_CREATE, CLAIM, skr_path_text(pod, "metadata.namespace"),
                              "", "", body, &made);
    json_t *name = json_string(skr_path_text(made, "metadata.name"));
    json_decref(made);
    return name;
}

void skr_pod_claims_run(struct skr_cluster *c, json_t *pod)
{
    const char *namespace_ = skr_path_text(pod, "metadata.namespace");
    const json_t *list = skr_path_get(pod, "spec.resourceClaims");
    json_auto_t *statuses = json_deep_copy(skr_path_get(pod, "status.resourceClaimStatuses"));
    const size_t before = json_array_size(statuses);
    statuses = statuses ? statuses : json_array();
    for (size_t i = 0; !is_done(pod) && i < json_array_size(list); i++) {
        const json_t *of = json_array_get(list, i);
        const char *entry = skr_path_text(of, "name");
        const json_t *template =
            made_of(pod, entry) ? NULL
                                : skr_store_get(c->store, TEMPLATE, namespace_,
                                                skr_path_text(of, "resourceClaimTemplateName"));
        if (template) {
            json_t *name = make_claim(c, pod, entry, template);
            json_array_append_new(
                statuses, json_pack("{s:s, s:o}", "name", entry, "resourceClaimName", name));
        }
    }
    if (json_array_size(statuses) > before) {
        json_auto_t *patch = json_pack("{s:{s:O}}", "status", "resourceClaimStatuses", statuses);
        (void)skr_store_merge(c->store, "Pod", namespace_, skr_path_text(pod, "metadata.name"),
                              "status", patch, c->now, NULL);
    }
}

/* ---- the end of pods ---- */

/* The consumer, if it is there and not done. */
static bool is_used_by(const struct skr_cluster *c, const char *namespace_, const json_t *consumer)
{
    const json_t *pod = skr_store_get(c->store, "Pod", namespace_, skr_path_text(consumer, "name"));
    return pod && !is_done(pod) &&
           strcmp(skr_path_text(pod, "metadata.uid"), skr_path_text(consumer, "uid")) == 0;
}

static void free_devices(struct skr_cluster *c, const json_t *claim)
{
    const char *namespace_ = skr_path_text(claim, "metadata.namespace");
    const json_t *was = skr_path_get(claim, "status.reservedFor");
    json_auto_t *left = json_array();
    for (size_t i = 0; i < json_array_size(was); i++) {
        if (is_used_by(c, namespace_, json_array_get(was, i))) {
            json_array_append(left, json_array_get(was, i));
        }
    }
    const bool ends = json_array_size(left) == 0 &&
                      skr_path_get(claim, "metadata.deletionTimestamp") &&
                      json_is_object(skr_path_get(claim, "status.allocation"));
    if (json_array_size(left) == json_array_size(was) && !ends) {
        return;
    }
    json_auto_t *patch = json_pack("{s:{s:O}}", "status", "reservedFor", left);
    if (json_array_size(left) == 0) {
        json_object_set_new(json_object_get(patch, "status"), "allocation", json_null());
    }
    (void)skr_store_merge(c->store, CLAIM, namespace_, skr_path_text(claim, "metadata.name"),
                          "status", patch, c->now, NULL);
}

void skr_resource_claims_run(struct skr_cluster *c, json_t *claim)
{
    const char *namespace_ = skr_path_text(claim, "metadata.namespace");
    const json_t *owner = skr_owners_controller(claim);
    const json_t *pod =
        strcmp(skr_path_text(owner, "kind"), "Pod") == 0
            ? skr_store_get(c->store, "Pod", namespace_, skr_path_text(owner, "name"))
            : NULL;
    free_devices(c, claim);
    if (pod && is_done(pod)) {
        skr_cluster_delete(c, CLAIM, namespace_, skr_path_text(claim, "metadata.name"), NULL, -1);
    }
}

/* ---- changes ---- */

static void plan_claims(struct skr_cluster *c, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = skr_path_text(json_array_get(list, i), "resourceClaimName");
        if (*name) {
            skr_cluster_plan(c, SKR_TASK_RESOURCE_CLAIM, c->shown.namespace_, name, c->now);
        }
    }
}

static void pod_changed(struct skr_cluster *c, const struct skr_store_change *change)
{
    const json_t *pod = change->object;
    const json_t *claims = skr_path_get(pod, "spec.resourceClaims");
    const char *extended =
        skr_path_text(pod, "status.extendedResourceClaimStatus.resourceClaimName");
    if (!claims && !*extended) {
        return;
    }
    if (change->kind != SKR_STORE_DELETED && !is_done(pod)) {
        skr_cluster_plan(c, SKR_TASK_POD_CLAIMS, c->shown.namespace_, c->shown.name, c->now);
        return;
    }
    plan_claims(c, claims);
    plan_claims(c, skr_path_get(pod, "status.resourceClaimStatuses"));
    if (*extended) {
        skr_cluster_plan(c, SKR_TASK_RESOURCE_CLAIM, c->shown.namespace_, extended, c->now);
    }
}

/* Pods that may wait for the template. */
static bool plan_pod(void *context, const json_t *pod)
{
    struct skr_cluster *c = context;
    if (skr_path_get(pod, "spec.resourceClaims") &&
        strcmp(skr_path_text(pod, "metadata.namespace"), c->shown.namespace_) == 0) {
        skr_cluster_plan(c, SKR_TASK_POD_CLAIMS, c->shown.namespace_,
                         skr_path_text(pod, "metadata.name"), c->now);
    }
    return true;
}

void skr_resource_claims_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    const char *kind = change->resource->kind;
    if (c->shown.is_pod) {
        pod_changed(c, change);
    } else if (strcmp(kind, TEMPLATE) == 0 && change->kind == SKR_STORE_ADDED) {
        skr_store_each(c->store, "Pod", plan_pod, c);
    } else if (strcmp(kind, CLAIM) == 0 && change->kind != SKR_STORE_DELETED &&
               (change->kind == SKR_STORE_ADDED ||
                skr_path_get(change->object, "metadata.deletionTimestamp"))) {
        skr_cluster_plan(c, SKR_TASK_RESOURCE_CLAIM, c->shown.namespace_, c->shown.name, c->now);
    }
}
