/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims of volumes (kubernetes pkg/controller/volume/persistentvolume and .../ephemeral). A claim gets the volume
 * that names it; else, unless its class waits for the first consumer, the smallest free one. If its class has a
 * provisioner, a volume is made, for a class that waits when kube-scheduler has chosen the node. Every provisioner
 * works, and makes volumes that all nodes reach. Claims are made of ephemeral templates of pods. Claims that select
 * volumes by labels find none; volumes are not reclaimed.
 */
#include <stdio.h>
#include <string.h>

#include "core/volume/objects.h"
#include "server/lab/cluster/cluster_parts.h"

#define CLAIM  "PersistentVolumeClaim"
#define VOLUME "PersistentVolume"

/* ---- the volume of a claim ---- */

struct search {
    const json_t *claim;
    const struct skr_volume_claim *decoded;
    bool may_take;        /* a free one */
    const json_t *volume; /* the best so far */
    int64_t bytes;
    bool named; /* it names the claim */
};

static bool names(const json_t *volume, const json_t *claim)
{
    const json_t *ref = skr_path_get(volume, "spec.claimRef");
    const char *uid = skr_path_text(ref, "uid");
    return ref && strcmp(skr_path_text(ref, "name"), skr_path_text(claim, "metadata.name")) == 0 &&
           strcmp(skr_path_text(ref, "namespace"), skr_path_text(claim, "metadata.namespace")) ==
               0 &&
           (!*uid || strcmp(uid, skr_path_text(claim, "metadata.uid")) == 0);
}

static bool try_volume(void *context, const json_t *json)
{
    struct search *s = context;
    SKR_AUTO(skr_volume_destroy) struct skr_volume *volume = NULL;
    if (names(json, s->claim)) {
        s->volume = json;
        s->named = true;
        return false;
    }
    if (s->may_take && skr_volume_decode(json, &volume, NULL) == 0 &&
        skr_volume_suits(volume, s->decoded) && (!s->volume || volume->bytes < s->bytes)) {
        s->volume = json;
        s->bytes = volume->bytes;
    }
    return true;
}

static json_t *reference(const json_t *claim)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "apiVersion", "v1", "kind", CLAIM, "namespace",
                     skr_path_text(claim, "metadata.namespace"), "name",
                     skr_path_text(claim, "metadata.name"), "uid",
                     skr_path_text(claim, "metadata.uid"));
}

static void merge(struct skr_cluster *c, const char *kind, const char *namespace_, const char *name,
                  const char *subresource, json_t *patch)
{
    (void)skr_store_merge(c->store, kind, namespace_, name, subresource, patch, c->now, NULL);
    json_decref(patch);
}

static void bind(struct skr_cluster *c, const json_t *claim, const char *volume)
{
    const char *namespace_ = skr_path_text(claim, "metadata.namespace");
    SKR_AUTO_FREE char *name = skr_strdup(skr_path_text(claim, "metadata.name"));
    json_t *capacity =
        skr_path_ref(skr_path_get(skr_store_get(c->store, VOLUME, "", volume), "spec.capacity"));
    merge(c, VOLUME, "", volume, "", json_pack("{s:{s:o}}", "spec", "claimRef", reference(claim)));
    merge(c, VOLUME, "", volume, "status", json_pack("{s:{s:s}}", "status", "phase", "Bound"));
    merge(c, CLAIM, namespace_, name, "",
          json_pack("{s:{s:{s:s}}, s:{s:s}}", "metadata", "annotations",
                    "pv.kubernetes.io/bind-completed", "yes", "spec", "volumeName", volume));
    merge(c, CLAIM, namespace_, name, "status",
          json_pack("{s:{s:s, s:o?}}", "status", "phase", "Bound", "capacity", capacity));
}

static void provision(struct skr_cluster *c, const json_t *claim, const char *provisioner)
{
    char name[100];
    snprintf(name, sizeof name, "pvc-%.60s", skr_path_text(claim, "metadata.uid"));
    json_t *body = json_pack("{s:s, s:s, s:{s:s}, s:{s:O?, s:O?, s:s, s:s, s:o, s:{s:s, s:s}}}",
                             "apiVersion", "v1", "kind", VOLUME, "metadata", "name", name, "spec",
                             "capacity", skr_path_get(claim, "spec.resources.requests"),
                             "accessModes", skr_path_get(claim, "spec.accessModes"),
                             "storageClassName", skr_path_text(claim, "spec.storageClassName"),
                             "persistentVolumeReclaimPolicy", "Delete", "claimRef",
                             reference(claim), "csi", "driver", provisioner, "volumeHandle", name);
    (void)skr_cluster_request(c, SKR_STORE_CREATE, VOLUME, "", "", "", body, NULL);
    bind(c, claim, name);
}

void skr_volume_claims_run(struct skr_cluster *c, json_t *claim)
{
    SKR_AUTO(skr_volume_claim_destroy) struct skr_volume_claim *decoded = NULL;
    SKR_AUTO(skr_storage_class_destroy) struct skr_storage_class *class = NULL;
    if (skr_volume_claim_decode(claim, &decoded, NULL) < 0 || *decoded->volume ||
        decoded->meta.deleting) {
        return;
    }
    const json_t *of = skr_store_get(c->store, "StorageClass", "", decoded->class_);
    if (of && skr_storage_class_decode(of, &class, NULL) < 0) {
        return;
    }
    const bool waits = class && class->late;
    struct search search = {.claim = claim, .decoded = decoded, .may_take = !waits};
    skr_store_each(c->store, VOLUME, try_volume, &search);
    if (search.volume) {
        SKR_AUTO_FREE char *name = skr_strdup(skr_path_text(search.volume, "metadata.name"));
        bind(c, claim, name);
    } else if (class && *class->provisioner && (!waits || *decoded->selected) &&
               strcmp(class->provisioner, "kubernetes.io/no-provisioner") != 0) {
        provision(c, claim, class->provisioner);
    }
}

/* ---- claims of templates ---- */

void skr_ephemeral_volumes_run(struct skr_cluster *c, json_t *pod)
{
    const char *namespace_ = skr_path_text(pod, "metadata.namespace");
    const json_t *volumes = skr_path_get(pod, "spec.volumes");
    for (size_t i = 0; i < json_array_size(volumes); i++) {
        const json_t *volume = json_array_get(volumes, i);
        const json_t *template = skr_path_get(volume, "ephemeral.volumeClaimTemplate");
        char name[600];
        snprintf(name, sizeof name, "%.253s-%.63s", skr_path_text(pod, "metadata.name"),
                 skr_path_text(volume, "name"));
        if (!template || skr_store_get(c->store, CLAIM, namespace_, name)) {
            continue;
        }
        json_t *meta = json_deep_copy(json_object_get(template, "metadata"));
        meta = meta ? meta : json_object();
        json_object_set_new(meta, "name", json_string(name));
        json_object_set_new(meta, "ownerReferences", json_pack("[o]", skr_owners_reference(pod)));
        json_t *body = json_pack("{s:s, s:s, s:o, s:O?}", "apiVersion", "v1", "kind", CLAIM,
                                 "metadata", meta, "spec", json_object_get(template, "spec"));
        (void)skr_cluster_request(c, SKR_STORE_CREATE, CLAIM, namespace_, "", "", body, NULL);
    }
}

/* ---- changes ---- */

static bool plan_claim(void *context, const json_t *claim)
{
    struct skr_cluster *c = context;
    if (!*skr_path_text(claim, "spec.volumeName")) {
        skr_cluster_plan(c, SKR_TASK_VOLUME_CLAIM, skr_path_text(claim, "metadata.namespace"),
                         skr_path_text(claim, "metadata.name"), c->now);
    }
    return true;
}

void skr_volumes_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    const char *kind = change->resource->kind;
    if (change->kind == SKR_STORE_DELETED) {
        return;
    }
    if (c->shown.is_pod) {
        const json_t *volumes = skr_path_get(change->object, "spec.volumes");
        for (size_t i = 0; i < json_array_size(volumes); i++) {
            if (json_object_get(json_array_get(volumes, i), "ephemeral")) {
                skr_cluster_plan(c, SKR_TASK_EPHEMERAL_VOLUMES, c->shown.namespace_, c->shown.name,
                                 c->now);
                return;
            }
        }
    } else if (strcmp(kind, CLAIM) == 0) {
        (void)plan_claim(c, change->object);
    } else if (strcmp(kind, VOLUME) == 0 || strcmp(kind, "StorageClass") == 0) {
        skr_store_each(c->store, CLAIM, plan_claim, c);
    }
}
