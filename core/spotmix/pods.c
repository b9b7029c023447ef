/* SPDX-License-Identifier: Apache-2.0 */
/* Live pods and nodes: what the mix needs of them, a few hundred bytes a pod. */
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/state.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

const char *const skr_spotmix_cost_text[SKR_SPOTMIX_COST_COUNT] = {
    [SKR_SPOTMIX_COST_ON_DEMAND] = "100",
    [SKR_SPOTMIX_COST_SPOT] = "1",
    [SKR_SPOTMIX_COST_ROLLOUT] = "0",
    [SKR_SPOTMIX_COST_OTHER] = "other"};

/* ---- nodes ---- */

bool skr_spotmix_has_condition(const json_t *object, const char *type)
{
    const json_t *conditions = json_object_get(json_object_get(object, "status"), "conditions");
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        const json_t *condition = json_array_get(conditions, i);
        if (strcmp(skr_object_text(condition, "type"), type) == 0) {
            return strcmp(skr_object_text(condition, "status"), "True") == 0;
        }
    }
    return false;
}

static void count(struct skr_spotmix *mix, const struct skr_spotmix_node *node, bool in)
{
    if (node->ready && node->class_ != SKR_SPOTMIX_NO_CLASS) {
        mix->ready_nodes[node->class_] += in ? 1 : (size_t)-1;
    }
}

void skr_spotmix_node_put(struct skr_spotmix *mix, const json_t *object)
{
    const json_t *meta = json_object_get(object, "metadata");
    const char *name = skr_object_text(meta, "name");
    const enum skr_spotmix_class class_ =
        skr_spotmix_class_of_node(&mix->classes, json_object_get(meta, "labels"));
    struct skr_spotmix_node *node;
    HASH_FIND_STR(mix->nodes, name, node);
    if (node) {
        count(mix, node, false);
        mix->nodes_changed |= node->class_ != class_;
    } else {
        const size_t n = strlen(name);
        node = skr_alloc(sizeof *node + n + 1);
        memcpy(node->name, name, n + 1);
        HASH_ADD_KEYPTR(hh, mix->nodes, node->name, n, node);
        mix->nodes_changed = true;
    }
    node->class_ = class_;
    node->ready = skr_spotmix_has_condition(object, "Ready") &&
                  skr_object_is_absent(json_object_get(meta, "deletionTimestamp"));
    count(mix, node, true);
}

void skr_spotmix_node_drop(struct skr_spotmix *mix, const char *name)
{
    struct skr_spotmix_node *node;
    HASH_FIND_STR(mix->nodes, name, node);
    if (node) {
        count(mix, node, false);
        HASH_DEL(mix->nodes, node);
        free(node);
    }
}

enum skr_spotmix_class skr_spotmix_pod_node_class(const struct skr_spotmix *mix,
                                                  const struct skr_spotmix_pod *pod)
{
    struct skr_spotmix_node *node = NULL;
    if (pod->node) {
        HASH_FIND_STR(mix->nodes, pod->node, node);
    }
    return node ? node->class_ : SKR_SPOTMIX_NO_CLASS;
}

enum skr_spotmix_class skr_spotmix_pod_class(const struct skr_spotmix *mix,
                                             const struct skr_spotmix_pod *pod)
{
    return pod->pinned || pod->class_claim != SKR_SPOTMIX_NO_CLASS
               ? (enum skr_spotmix_class)pod->class_claim
               : skr_spotmix_pod_node_class(mix, pod);
}

int skr_spotmix_by_place(const void *a, const void *b)
{
    const struct skr_spotmix_pod *x = *(struct skr_spotmix_pod *const *)a;
    const struct skr_spotmix_pod *y = *(struct skr_spotmix_pod *const *)b;
    const int64_t at = skr_spotmix_pod_place(x), other = skr_spotmix_pod_place(y);
    if (at != other) {
        return at < other ? -1 : 1;
    }
    if (x->created != y->created) {
        return x->created < y->created ? -1 : 1;
    }
    return strcmp(x->text, y->text);
}

/* ---- pods ---- */

static void detach(struct skr_spotmix *mix, struct skr_spotmix_pod *pod)
{
    struct skr_spotmix_owner *owner = pod->owner;
    struct skr_spotmix_held *last = &owner->held[--owner->n_held];
    owner->held[pod->at] = *last;
    last->pod->at = pod->at;
    skr_spotmix_owner_touch(mix, owner);
    skr_spotmix_owner_release(mix, owner);
}

static void attach(struct skr_spotmix *mix, struct skr_spotmix_pod *pod,
                   struct skr_spotmix_owner *owner)
{
    skr_grow(&owner->held, &owner->cap_held, owner->n_held + 1, sizeof *owner->held);
    pod->owner = owner;
    pod->at = owner->n_held;
    owner->held[owner->n_held++] = (struct skr_spotmix_held){.pod = pod, .index = -1};
    skr_spotmix_owner_touch(mix, owner);
}

void skr_spotmix_pod_claim(struct skr_spotmix_pod *pod, enum skr_spotmix_class class_,
                           int32_t index)
{
    pod->class_claim = (int8_t)class_;
    pod->index_claim = index;
    pod->owner->held[pod->at].index = index;
}

void skr_spotmix_yield(struct skr_spotmix *mix, const char *pod_uid, bool yields)
{
    struct skr_spotmix_pod *pod;
    HASH_FIND_STR(mix->pods, pod_uid, pod);
    if (pod) {
        pod->owner->held[pod->at].index = yields ? -1 : pod->index_claim;
    }
}

int64_t skr_spotmix_pod_place(const struct skr_spotmix_pod *pod)
{
    if (pod->owner->kind == SKR_SPOTMIX_STATEFUL_SET) {
        return pod->ordinal - pod->owner->first_ordinal;
    }
    return pod->index_claim;
}

void skr_spotmix_pod_drop(struct skr_spotmix *mix, const char *uid)
{
    struct skr_spotmix_pod *pod;
    HASH_FIND_STR(mix->pods, uid, pod);
    if (pod) {
        HASH_DEL(mix->pods, pod);
        detach(mix, pod);
        free(pod->node);
        free(pod);
    }
}

static bool is_live(const json_t *meta, const json_t *object)
{
    const char *phase = skr_object_text(json_object_get(object, "status"), "phase");
    return skr_object_is_absent(json_object_get(meta, "deletionTimestamp")) &&
           strcmp(phase, "Succeeded") != 0 && strcmp(phase, "Failed") != 0;
}

/* The controller whose pods have indices; NULL: this pod has no index. */
static const json_t *space_of(const struct skr_spotmix *mix, const json_t *meta)
{
    const json_t *reference = skr_spotmix_controller(meta);
    return skr_spotmix_space_kind(reference) == SKR_SPOTMIX_KIND_COUNT ||
                   *skr_object_text(reference, "uid") == '\0' ||
                   skr_spotmix_is_excluded(mix, skr_object_text(meta, "namespace"))
               ? NULL
               : reference;
}

static int8_t cost_of(const json_t *annotations)
{
    const json_t *value = json_object_get(annotations, SKR_SPOTMIX_COST_KEY);
    const char *text = json_string_value(value);
    for (int8_t i = 0; text && i < SKR_SPOTMIX_COST_COUNT; i++) {
        if (skr_spotmix_cost_text[i] && strcmp(skr_spotmix_cost_text[i], text) == 0) {
            return i;
        }
    }
    return skr_object_is_absent(value) ? SKR_SPOTMIX_COST_NONE : SKR_SPOTMIX_COST_OTHER;
}

static struct skr_spotmix_pod *create(struct skr_spotmix *mix, const char *uid, const char *name)
{
    const size_t n = strlen(uid), name_n = strlen(name);
    struct skr_spotmix_pod *pod = skr_alloc(sizeof *pod + n + name_n + 2);
    memcpy(pod->text, uid, n + 1);
    memcpy(pod->text + n + 1, name, name_n + 1);
    pod->name = pod->text + n + 1;
    pod->index = -1;
    pod->class_ = SKR_SPOTMIX_NO_CLASS;
    HASH_ADD_KEYPTR(hh, mix->pods, pod->text, n, pod);
    return pod;
}

/* A pod that no review has patched, and whose own node selection rules a class out. It holds no
 * index, whatever its labels are. */
static bool is_pinned(const struct skr_spotmix *mix, const json_t *spec)
{
    return !skr_spotmix_class_is_possible(&mix->classes, spec, SKR_SPOTMIX_ON_DEMAND) ||
           !skr_spotmix_class_is_possible(&mix->classes, spec, SKR_SPOTMIX_SPOT);
}

/* A claim ends if the label on the pod has changed. A claim that is not written yet stays. */
static void carry(struct skr_spotmix *mix, struct skr_spotmix_pod *pod, const json_t *meta)
{
    const json_t *labels = pod->pinned ? NULL : json_object_get(meta, "labels");
    const int32_t index = skr_spotmix_index_parse(skr_object_text(labels, mix->keys.index));
    const enum skr_spotmix_class class_ =
        skr_spotmix_class_parse(skr_object_text(labels, mix->keys.class_));
    const int8_t cost = cost_of(json_object_get(meta, "annotations"));
    if (index != pod->index || class_ != pod->class_) {
        skr_spotmix_pod_claim(pod, class_, index);
    }
    if (cost != pod->cost) {
        pod->cost_claim = cost;
    }
    pod->index = index;
    pod->class_ = (int8_t)class_;
    pod->cost = cost;
}

static void note_node(struct skr_spotmix_pod *pod, const json_t *spec)
{
    const char *node = skr_object_text(spec, "nodeName");
    if (*node != '\0' && (!pod->node || strcmp(pod->node, node) != 0)) {
        free(pod->node);
        pod->node = skr_strdup(node);
    }
}

/* The pod's record, moved to its present owner. */
static struct skr_spotmix_pod *record_of(struct skr_spotmix *mix, const char *uid, const char *name,
                                         struct skr_spotmix_owner *owner)
{
    struct skr_spotmix_pod *pod;
    HASH_FIND_STR(mix->pods, uid, pod);
    if (!pod) {
        pod = create(mix, uid, name);
        pod->news = true;
        attach(mix, pod, owner);
        skr_spotmix_pod_claim(pod, SKR_SPOTMIX_NO_CLASS, -1);
    } else if (pod->owner != owner) {
        detach(mix, pod);
        attach(mix, pod, owner);
        skr_spotmix_pod_claim(pod, (enum skr_spotmix_class)pod->class_, pod->index);
    }
    return pod;
}

/* The pod is not live, or has no index: neither it nor its reservation holds one any more. */
static void leave(struct skr_spotmix *mix, const char *uid, const json_t *reference,
                  const char *namespace_, const char *token)
{
    struct skr_spotmix_owner *owner = skr_spotmix_owner_find(
        mix, skr_spotmix_space_kind(reference), namespace_, skr_object_text(reference, "uid"));
    if (owner) {
        skr_spotmix_unreserve(mix, owner, token);
        skr_spotmix_owner_touch(mix, owner);
    }
    skr_spotmix_pod_drop(mix, uid);
}

void skr_spotmix_pod_put(struct skr_spotmix *mix, const json_t *object)
{
    const json_t *meta = json_object_get(object, "metadata");
    const json_t *reference = space_of(mix, meta);
    const enum skr_spotmix_kind kind = skr_spotmix_space_kind(reference);
    const char *uid = skr_object_text(meta, "uid");
    const char *token = skr_object_text(json_object_get(meta, "annotations"), mix->keys.token);
    const uint64_t version = strtoull(skr_object_text(meta, "resourceVersion"), NULL, 10);
    struct skr_spotmix_owner *owner =
        *uid != '\0' && reference && is_live(meta, object)
            ? skr_spotmix_owner_get(mix, kind, skr_object_text(reference, "uid"),
                                    skr_object_text(meta, "namespace"),
                                    skr_object_text(reference, "name"))
            : NULL;
    if (!owner) {
        leave(mix, uid, reference, skr_object_text(meta, "namespace"), token);
        return;
    }
    struct skr_spotmix_pod *pod = record_of(mix, uid, skr_object_text(meta, "name"), owner);
    if (version > 0 && version < pod->version) {
        return; /* the watch is behind the answer to one of our writes */
    }
    pod->version = version;
    skr_spotmix_unreserve(mix, owner, token);
    const json_t *spec = json_object_get(object, "spec");
    pod->reviewed = *token != '\0';
    pod->news &= mix->serving || pod->reviewed;
    pod->pinned = !pod->reviewed && is_pinned(mix, spec);
    carry(mix, pod, meta);
    note_node(pod, spec);
    pod->ready = skr_spotmix_has_condition(object, "Ready");
    pod->ordinal =
        kind == SKR_SPOTMIX_STATEFUL_SET ? skr_spotmix_ordinal_parse(pod->name, owner->name) : -1;
    pod->created = 0;
    (void)skr_time_parse(skr_object_text(meta, "creationTimestamp"), &pod->created, NULL);
    skr_spotmix_owner_touch(mix, owner);
}

void skr_spotmix_pods_fini(struct skr_spotmix *mix)
{
    struct skr_spotmix_pod *pod, *next_pod;
    struct skr_spotmix_node *node, *next_node;
    HASH_ITER(hh, mix->pods, pod, next_pod)
    {
        HASH_DEL(mix->pods, pod);
        free(pod->node);
        free(pod);
    }
    HASH_ITER(hh, mix->nodes, node, next_node)
    {
        HASH_DEL(mix->nodes, node);
        free(node);
    }
}
