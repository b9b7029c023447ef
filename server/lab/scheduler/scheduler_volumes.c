/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pod needs is decoded once for all nodes, and anew after any write. Free volumes are chosen when
 * they are written: no other cycle comes between filter and pre-bind.
 */
#include "server/lab/scheduler/scheduler_volumes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/volume/objects.h"
#include "server/object/path.h"

enum { REASON_BYTES = 400 };

#define CLAIM  "PersistentVolumeClaim"
#define VOLUME "PersistentVolume"

struct want {
    struct skr_volume_claim *claim;
    struct skr_storage_class *class_; /* NULL: it has a volume */
    struct skr_volume *volume;        /* NULL: it has none yet */
    struct skr_volume *reach;         /* where one can be made; NULL: everywhere */
    char *driver, *handle;            /* "": none */
    bool says_capacity;
};

/* A volume that a pod or an attachment has on a node. */
struct use {
    const char *node;
    char *driver, *handle;
};

struct list {
    void **item;
    size_t n, cap;
};

struct skr_sched_volumes {
    struct skr_scheduler_model *s;
    char *uid;         /* of the pod that the rest is about; NULL: none */
    uint64_t revision; /* of the store then */
    struct want want[SKR_POD_CLAIMS_MAX];
    size_t n;
    struct use *use;
    size_t n_uses, n_of_pods, cap_uses; /* those of pods come first */
    struct list free, room;             /* struct skr_volume, skr_csi_capacity */
    bool other_uses;                    /* another pod uses a ReadWriteOncePod claim */
    char why[REASON_BYTES];             /* "": the node decides */
};

/* ---- what the pod needs ---- */

static void *decoded(int (*decode)(const json_t *, void **, struct skr_error *), const json_t *json)
{
    void *object = NULL;
    return json && decode(json, &object, NULL) == 0 ? object : NULL;
}
#define DECODER(name)                                                        \
    static int name(const json_t *json, void **ret, struct skr_error *error) \
    {                                                                        \
        struct skr_##name *object = NULL;                                    \
        const int rc = skr_##name##_decode(json, &object, error);            \
        *ret = object;                                                       \
        return rc;                                                           \
    }
DECODER(volume_claim)
DECODER(volume)
DECODER(storage_class)
DECODER(csi_capacity)

static void clear(struct skr_sched_volumes *v)
{
    for (size_t i = 0; i < v->n; i++) {
        struct want *w = &v->want[i];
        skr_volume_claim_destroy(w->claim);
        skr_storage_class_destroy(w->class_);
        skr_volume_destroy(w->volume);
        skr_volume_destroy(w->reach);
        free(w->driver);
        free(w->handle);
        *w = (struct want){.claim = NULL};
    }
    for (size_t i = 0; i < v->n_uses; i++) {
        free(v->use[i].driver);
        free(v->use[i].handle);
    }
    for (size_t i = 0; i < v->free.n; i++) {
        skr_object_destroy(v->free.item[i]);
    }
    for (size_t i = 0; i < v->room.n; i++) {
        skr_object_destroy(v->room.item[i]);
    }
    v->n = v->n_uses = v->free.n = v->room.n = 0;
    v->other_uses = false;
    v->why[0] = '\0';
    free(v->uid);
    v->uid = NULL;
}

static bool keep_free(void *context, const json_t *json)
{
    struct skr_sched_volumes *v = context;
    struct skr_volume *it = decoded(volume, json);
    if (it && it->free && !it->meta.deleting) {
        skr_grow(&v->free.item, &v->free.cap, v->free.n + 1, sizeof *v->free.item);
        v->free.item[v->free.n++] = it;
    } else {
        skr_volume_destroy(it);
    }
    return true;
}

static bool keep_room(void *context, const json_t *json)
{
    struct skr_sched_volumes *v = context;
    void *capacity = decoded(csi_capacity, json);
    if (capacity) {
        skr_grow(&v->room.item, &v->room.cap, v->room.n + 1, sizeof *v->room.item);
        v->room.item[v->room.n++] = capacity;
    }
    return true;
}

static void add_use(struct skr_sched_volumes *v, const char *node, const char *driver,
                    const char *handle)
{
    if (*driver && *handle) {
        skr_grow(&v->use, &v->cap_uses, v->n_uses + 1, sizeof *v->use);
        v->use[v->n_uses++] = (struct use){node, skr_strdup(driver), skr_strdup(handle)};
    }
}

/* Driver and handle of the volume of a claim: that of its class and the claim itself if there is no volume
 * yet, as in nodevolumelimits/csi.go. */
static void identify(const struct skr_store *store, const json_t *claim, const char **ret_driver,
                     const char **ret_handle)
{
    const json_t *volume =
        skr_store_get(store, VOLUME, "", skr_path_text(claim, "spec.volumeName"));
    const json_t *class =
        skr_store_get(store, "StorageClass", "", skr_path_text(claim, "spec.storageClassName"));
    *ret_driver =
        volume ? skr_path_text(volume, "spec.csi.driver") : skr_path_text(class, "provisioner");
    *ret_handle = volume ? skr_path_text(volume, "spec.csi.volumeHandle")
                         : skr_path_text(claim, "metadata.uid");
}

static void add_uses(struct skr_sched_volumes *v, const struct skr_pod *own)
{
    const struct skr_sched_pod *q, *next;
    HASH_ITER(hh, v->s->pods, q, next)
    {
        for (size_t i = 0; q->node && i < q->pod->n_claims; i++) {
            const char *namespace_ = q->pod->meta.namespace_, *name = q->pod->claim[i].name;
            const char *driver, *handle;
            const json_t *claim = q->pod->claim[i].kind == SKR_POD_CLAIM_VOLUME
                                      ? skr_store_get(v->s->store, CLAIM, namespace_, name)
                                      : NULL;
            if (!claim) {
                continue;
            }
            identify(v->s->store, claim, &driver, &handle);
            add_use(v, q->node->name, driver, handle);
            for (size_t k = 0; k < v->n; k++) {
                v->other_uses = v->other_uses || (v->want[k].claim->one_pod && q->pod != own &&
                                                  strcmp(v->want[k].claim->meta.name, name) == 0 &&
                                                  strcmp(namespace_, own->meta.namespace_) == 0);
            }
        }
    }
}

static bool add_attachment(void *context, const json_t *json)
{
    struct skr_sched_volumes *v = context;
    const json_t *volume = skr_store_get(v->s->store, VOLUME, "",
                                         skr_path_text(json, "spec.source.persistentVolumeName"));
    const struct skr_sched_node *node = NULL;
    const char *name = skr_path_text(json, "spec.nodeName");
    HASH_FIND_STR(v->s->cache.by_name, name, node);
    if (node) {
        add_use(v, node->name, skr_path_text(json, "spec.attacher"),
                skr_path_text(volume, "spec.csi.volumeHandle"));
    }
    return true;
}

/* Why no node is for the pod because of this claim; NULL: nodes decide. */
static void add_want(struct skr_sched_volumes *v, const char *namespace_, const char *name)
{
    const struct skr_store *store = v->s->store;
    const json_t *json = skr_store_get(store, CLAIM, namespace_, name);
    struct want w = {.claim = decoded(volume_claim, json)};
    const char *driver, *handle;
    if (!w.claim) {
        snprintf(v->why, sizeof v->why, "persistentvolumeclaim \"%.253s\" not found", name);
        return;
    }
    identify(store, json, &driver, &handle);
    w.driver = skr_strdup(driver);
    w.handle = skr_strdup(handle);
    if (*w.claim->volume) {
        w.volume = decoded(volume, skr_store_get(store, VOLUME, "", w.claim->volume));
        if (!w.volume) {
            snprintf(v->why, sizeof v->why,
                     "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
        }
    } else {
        w.class_ =
            decoded(storage_class, skr_store_get(store, "StorageClass", "", w.claim->class_));
        if (!w.class_ || !w.class_->late) {
            snprintf(v->why, sizeof v->why, "pod has unbound immediate PersistentVolumeClaims");
        } else {
            w.reach = *w.class_->reach ? skr_volume_of_selector(w.class_->reach) : NULL;
            w.says_capacity = json_is_true(
                skr_path_get(skr_store_get(store, "CSIDriver", "", w.class_->provisioner),
                             "spec.storageCapacity"));
        }
    }
    v->want[v->n++] = w;
}

static bool stop(void *context, const json_t *json)
{
    (void)json;
    *(bool *)context = true;
    return false;
}

static int by_size(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    return (x->claim->bytes > y->claim->bytes) - (x->claim->bytes < y->claim->bytes);
}

static void look(struct skr_sched_volumes *v, const struct skr_pod *pod)
{
    const uint64_t revision = skr_store_revision(v->s->store);
    if (v->uid && v->revision == revision && strcmp(v->uid, pod->meta.uid) == 0) {
        return;
    }
    clear(v);
    v->uid = skr_strdup(pod->meta.uid);
    v->revision = revision;
    for (size_t i = 0; i < pod->n_claims && !v->why[0]; i++) {
        if (pod->claim[i].kind == SKR_POD_CLAIM_VOLUME) {
            add_want(v, pod->meta.namespace_, pod->claim[i].name);
        }
    }
    if (v->n > 1) {
        qsort(v->want, v->n, sizeof *v->want, by_size);
    }
    add_uses(v, pod);
    v->n_of_pods = v->n_uses;
    skr_store_each(v->s->store, "VolumeAttachment", add_attachment, v);
    skr_store_each(v->s->store, VOLUME, keep_free, v);
    skr_store_each(v->s->store, "CSIStorageCapacity", keep_room, v);
}

struct skr_sched_volumes *skr_sched_volumes_create(struct skr_scheduler_model *s)
{
    struct skr_sched_volumes *v = skr_alloc(sizeof *v);
    v->s = s;
    return v;
}

void skr_sched_volumes_destroy(struct skr_sched_volumes *volumes)
{
    if (volumes) {
        clear(volumes);
        free(volumes->use);
        free(volumes->free.item);
        free(volumes->room.item);
        free(volumes);
    }
}

/* ---- one node ---- */

static bool is_used(const struct skr_sched_volumes *v, size_t end, const char *node,
                    const char *driver, const char *handle)
{
    for (size_t i = 0; i < end; i++) {
        const struct use *u = &v->use[i];
        if (strcmp(u->node, node) == 0 && strcmp(u->driver, driver) == 0 &&
            strcmp(u->handle, handle) == 0) {
            return true;
        }
    }
    return false;
}

/* Volumes of the driver on the node with those of the pod. What is attached, but used by no pod there, counts
 * beside the same volume of the pod. */
static int64_t count(const struct skr_sched_volumes *v, const char *node, const char *driver)
{
    int64_t n = 0;
    for (size_t i = 0; i < v->n_uses; i++) {
        const struct use *u = &v->use[i];
        n += strcmp(u->node, node) == 0 && strcmp(u->driver, driver) == 0 &&
             !is_used(v, i, node, driver, u->handle);
    }
    for (size_t i = 0; i < v->n; i++) {
        bool is_new = strcmp(v->want[i].driver, driver) == 0 && *v->want[i].handle &&
                      !is_used(v, v->n_of_pods, node, driver, v->want[i].handle);
        for (size_t k = 0; k < i; k++) {
            is_new = is_new && strcmp(v->want[k].handle, v->want[i].handle) != 0;
        }
        n += is_new;
    }
    return n;
}

static bool is_over_limit(const struct skr_sched_volumes *v, const char *node)
{
    const json_t *drivers =
        skr_path_get(skr_store_get(v->s->store, "CSINode", "", node), "spec.drivers");
    bool over = false;
    for (size_t i = 0; i < v->n && !over; i++) {
        const json_t *most =
            skr_path_get(skr_path_find(drivers, "name", v->want[i].driver), "allocatable.count");
        over = json_is_integer(most) && *v->want[i].handle &&
               !is_used(v, v->n_of_pods, node, v->want[i].driver, v->want[i].handle) &&
               count(v, node, v->want[i].driver) > json_integer_value(most);
    }
    return over;
}

/* The smallest free volume for the claim that the node reaches, but those before n in taken; NULL. */
static struct skr_volume *choose(const struct skr_sched_volumes *v, const struct want *w,
                                 const struct skr_node *node, struct skr_volume *const *taken,
                                 size_t n)
{
    struct skr_volume *best = NULL;
    for (size_t i = 0; i < v->free.n && !*w->claim->selected; i++) {
        struct skr_volume *volume = v->free.item[i];
        bool fits = (!best || volume->bytes < best->bytes) && skr_volume_suits(volume, w->claim) &&
                    skr_pod_shape_selects_node(&volume->reach, node);
        for (size_t k = 0; k < n; k++) {
            fits = fits && taken[k] != volume;
        }
        best = fits ? volume : best;
    }
    return best;
}

static bool has_labels(const struct skr_csi_capacity *c, const struct skr_node *node)
{
    size_t i = 0;
    while (i < c->n_labels) {
        const char *value = skr_labels_get(&node->meta.labels, c->label[i].key);
        if (!value || strcmp(value, c->label[i].value) != 0) {
            return false;
        }
        i++;
    }
    return true;
}

static bool has_room(const struct skr_sched_volumes *v, const struct want *w,
                     const struct skr_node *node)
{
    bool has = !w->says_capacity || w->claim->bytes == 0;
    for (size_t i = 0; i < v->room.n && !has; i++) {
        const struct skr_csi_capacity *c = v->room.item[i];
        if (strcmp(c->class_, w->claim->class_) == 0 && c->bytes >= w->claim->bytes) {
            struct skr_volume *reach = c->selector ? skr_volume_of_selector(c->selector) : NULL;
            has = c->selector ? reach && skr_volume_reaches(reach, node) : has_labels(c, node);
            skr_volume_destroy(reach);
        }
    }
    return has;
}

/* Why the driver makes no volume for the claim on the node; NULL: it does. */
static const char *cannot_make(const struct skr_sched_volumes *v, const struct want *w,
                               const struct skr_node *node)
{
    if (!*w->class_->provisioner ||
        strcmp(w->class_->provisioner, "kubernetes.io/no-provisioner") == 0 ||
        (*w->claim->selected && strcmp(w->claim->selected, node->meta.name) != 0) ||
        (w->reach && !skr_volume_reaches(w->reach, node))) {
        return "node(s) didn't find available persistent volumes to bind";
    }
    return has_room(v, w, node) ? NULL : "node(s) did not have enough free storage";
}

/* The volumes that the pod would take: chosen[i] of want[i], NULL: it has one, or one is made. */
static const char *find_late(const struct skr_sched_volumes *v, const struct skr_node *node,
                             struct skr_volume **chosen)
{
    const char *why = NULL;
    for (size_t i = 0; i < v->n && !why; i++) {
        const struct want *w = &v->want[i];
        chosen[i] = w->class_ ? choose(v, w, node, chosen, i) : NULL;
        why = w->class_ && !chosen[i] ? cannot_make(v, w, node) : NULL;
    }
    return why;
}

const char *skr_sched_volumes_refuse(struct skr_sched_volumes *volumes,
                                     const struct skr_sched_pod *p,
                                     const struct skr_sched_node *node)
{
    struct skr_sched_volumes *v = volumes;
    struct skr_volume *chosen[SKR_POD_CLAIMS_MAX] = {NULL};
    bool any = false;
    for (size_t i = 0; i < p->pod->n_claims && !any; i++) {
        any = p->pod->claim[i].kind == SKR_POD_CLAIM_VOLUME;
    }
    if (any) {
        any = false;
        skr_store_each(v->s->store, CLAIM, stop, &any);
    }
    if (!any) {
        return NULL;
    }
    look(v, p->pod);
    if (v->why[0]) {
        return v->why;
    }
    if (v->other_uses) {
        return "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
               "already in-use by another pod";
    }
    if (is_over_limit(v, node->name)) {
        return "node(s) exceed max volume count";
    }
    for (size_t i = 0; i < v->n; i++) {
        if (v->want[i].volume && !skr_volume_reaches(v->want[i].volume, node->node)) {
            return "node(s) didn't match PersistentVolume's node affinity";
        }
    }
    return find_late(v, node->node, chosen);
}

/* ---- pre-bind ---- */

static bool write_one(struct skr_scheduler_model *s, const struct skr_pod *pod,
                      const struct want *w, const struct skr_volume *chosen, const char *node,
                      struct skr_strbuf *why)
{
    struct skr_error error = {.text = ""};
    const struct skr_meta *claim = &w->claim->meta;
    json_auto_t *patch =
        chosen ? json_pack("{s:{s:{s:s, s:s, s:s, s:s, s:s}}}", "spec", "claimRef", "apiVersion",
                           "v1", "kind", CLAIM, "namespace", pod->meta.namespace_, "name",
                           claim->name, "uid", claim->uid)
               : json_pack("{s:{s:{s:s}}}", "metadata", "annotations",
                           "volume.kubernetes.io/selected-node", node);
    const bool good =
        skr_store_merge(s->store, chosen ? VOLUME : CLAIM, chosen ? "" : pod->meta.namespace_,
                        chosen ? chosen->meta.name : claim->name, "", patch, s->now, &error) < 400;
    if (!good) {
        skr_strbuf_add(why, error.text);
    }
    return good;
}

bool skr_sched_volumes_write(struct skr_scheduler_model *s, struct skr_sched_pod *p,
                             struct skr_strbuf *why)
{
    struct skr_sched_volumes *v = s->cache.volumes;
    struct skr_volume *chosen[SKR_POD_CLAIMS_MAX] = {NULL};
    const char *refusal =
        p->node->node ? skr_sched_volumes_refuse(v, p, p->node) : "the node is gone";
    if (skr_sched_volumes_are_bound(s, p->pod)) {
        return true;
    }
    if (refusal || find_late(v, p->node->node, chosen)) {
        skr_strbuf_add(why, refusal ? refusal : "volumes are taken");
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < v->n && good; i++) {
        good =
            !v->want[i].class_ || write_one(s, p->pod, &v->want[i], chosen[i], p->node->name, why);
    }
    return good;
}

bool skr_sched_volumes_are_bound(const struct skr_scheduler_model *s, const struct skr_pod *pod)
{
    for (size_t i = 0; i < pod->n_claims; i++) {
        const json_t *claim =
            pod->claim[i].kind == SKR_POD_CLAIM_VOLUME
                ? skr_store_get(s->store, CLAIM, pod->meta.namespace_, pod->claim[i].name)
                : NULL;
        if (claim && !*skr_path_text(claim, "spec.volumeName")) {
            return false;
        }
    }
    return true;
}
