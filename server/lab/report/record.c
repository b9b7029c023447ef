/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records with a watcher without delay. The scheduler's cache counts room on nodes. The tree is the
 * engine's: the valid topology map that is first by creation time and name, else from the nodes'
 * labels.
 */
#include "server/lab/report/record.h"

#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/group/group.h"
#include "core/group/podgroup.h"
#include "server/lab/report/record_roles.h"
#include "server/lab/report/record_victims.h"
#include "server/object/path.h"
#include "server/object/slices.h"
#include "topology/topology_map.h"

void skr_record_init(struct skr_record *record, struct skr_store *store,
                     const char *topology_namespace, bool wants_pictures, skr_time now)
{
    *record = (struct skr_record){.store = store,
                                  .topology_namespace = topology_namespace,
                                  .wants_pictures = wants_pictures,
                                  .changed_at = now};
    skr_watcher_init(&record->watcher, store, 0, skr_store_revision(store));
    skr_sched_cache_init(&record->cache);
}

static void free_group(struct skr_record_group *group)
{
    skr_record_roles_forget(group);
    for (size_t i = 0; i < group->n_shapes; i++) {
        json_decref(group->shape[i].pod);
    }
    for (size_t i = 0; i < group->n_preempted; i++) {
        free(group->preempted[i]);
    }
    free(group->preempted);
    skr_record_victims_fini(group);
    free(group->leaf);
    skr_tree_unref(group->tree);
    skr_amounts_fini(&group->demand);
    skr_pod_destroy(group->member);
    free(group->key);
    free(group);
}

static void free_charge(struct skr_record *record, struct skr_sched_pod *p)
{
    HASH_DEL(record->charged, p);
    skr_sched_cache_release(&record->cache, p);
    skr_amounts_fini(&p->amounts);
    skr_pod_destroy(p->pod);
    free(p->uid);
    free(p);
}

void skr_record_fini(struct skr_record *record)
{
    struct skr_record_group *group, *next_group;
    struct skr_sched_pod *p, *next;
    HASH_ITER(hh, record->groups, group, next_group)
    {
        HASH_DEL(record->groups, group);
        free_group(group);
    }
    HASH_ITER(hh, record->charged, p, next)
    {
        free_charge(record, p);
    }
    for (size_t i = 0; i < record->n_events; i++) {
        json_decref(record->event[i].event);
    }
    free(record->event);
    skr_tree_unref(record->tree);
    skr_sched_cache_fini(&record->cache);
    skr_watcher_fini(&record->watcher);
}

void skr_record_event(struct skr_record *record, skr_time now, const json_t *event)
{
    skr_grow(&record->event, &record->cap_events, record->n_events + 1, sizeof *record->event);
    record->event[record->n_events++] = (struct skr_record_event){now, json_deep_copy(event)};
}

/* ---- groups ---- */

static struct skr_record_group *find_key(const struct skr_record *record, const char *key)
{
    struct skr_record_group *group;
    HASH_FIND_STR(record->groups, key, group);
    return group;
}

struct skr_record_group *skr_record_find(const struct skr_record *record, const char *namespace_,
                                         const char *name)
{
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    struct skr_record_group *group = find_key(record, key);
    return group;
}

static struct skr_record_group *get_key(struct skr_record *record, const char *key)
{
    struct skr_record_group *group = find_key(record, key);
    if (!group) {
        group = skr_alloc(sizeof *group);
        group->key = skr_strdup(key);
        HASH_ADD_KEYPTR(hh, record->groups, group->key, strlen(group->key), group);
    }
    return group;
}

static void resolve_demand(struct skr_record *record, struct skr_record_group *group)
{
    skr_amounts_fini(&group->demand);
    skr_amounts_resolve(record->cache.resources, &group->member->shape->requests, &group->demand);
}

/* Counts a new member among those with its containers. Pods of one template share them. */
static void count_shape(struct skr_record_group *group, const json_t *pod)
{
    const json_t *containers = skr_path_get(pod, "spec.containers");
    for (size_t i = 0; i < group->n_shapes; i++) {
        if (skr_path_get(group->shape[i].pod, "spec.containers") == containers) {
            group->shape[i].n++;
            return;
        }
    }
    if (group->n_shapes < SKR_RECORD_SHAPES_MAX) {
        group->shape[group->n_shapes++] = (struct skr_record_shape){skr_path_ref(pod), 1};
    }
}

/* The member becomes one of the kind that most members are of. */
static void choose_member(struct skr_record *record, struct skr_record_group *group)
{
    size_t most = 0;
    for (size_t i = 1; i < group->n_shapes; i++) {
        most = group->shape[i].n > group->shape[most].n ? i : most;
    }
    struct skr_pod *member;
    if (group->n_shapes > 1 && skr_pod_decode(group->shape[most].pod, &member, NULL) == 0) {
        skr_pod_destroy(group->member);
        group->member = member;
        resolve_demand(record, group);
    }
}

/* The group of its workload, by the engine's rule. */
static void add_entry_name(const struct skr_record *record, const json_t *pod, struct skr_strbuf *b)
{
    struct skr_pod *decoded;
    if (!record->engine || skr_pod_decode(pod, &decoded, NULL) < 0) {
        return;
    }
    if (skr_pods_is_ours(record->engine, decoded)) {
        (void)skr_entry_name(record->engine, decoded, b);
    }
    skr_pod_destroy(decoded);
}

struct skr_record_group *skr_record_group_of(struct skr_record *record, const json_t *pod)
{
    SKR_STRBUF(entry);
    const char *name = skr_path_label(pod, SKR_LABEL_GROUP);
    name = name ? name : skr_path_label(pod, SKR_LABEL_POD_GROUP);
    if (!name) {
        add_entry_name(record, pod, &entry);
        name = entry.s;
    }
    if (!name || !name[0]) {
        return NULL;
    }
    char *key = skr_object_key(skr_path_text(pod, "metadata.namespace"), name);
    struct skr_record_group *group = get_key(record, key);
    free(key);
    if (!group->member && skr_pod_decode(pod, &group->member, NULL) == 0) {
        resolve_demand(record, group);
    }
    return group;
}

/* ---- the tree ---- */

struct finder {
    const char *namespace_;
    char *first; /* creation time and name of the best so far */
    struct skr_tree *tree;
    struct skr_map_levels *levels; /* in place of a tree */
};

/* Takes a map that is valid and older than the best so far. */
static void take_lead(struct finder *finder, const json_t *object, const struct skr_configmap *map)
{
    struct skr_tree *tree = NULL;
    struct skr_map_levels *levels = NULL;
    SKR_STRBUF(key);
    if (skr_topology_map_parse(&map->data, &tree, NULL, NULL) < 0 ||
        skr_map_levels_parse(&map->data, &levels, NULL) < 0) {
        return;
    }
    skr_strbuf_addf(&key, "%s %s", skr_path_text(object, "metadata.creationTimestamp"),
                    map->meta.name);
    if (finder->first && strcmp(key.s, finder->first) >= 0) {
        skr_tree_unref(tree);
        skr_map_levels_destroy(levels);
        return;
    }
    free(finder->first);
    skr_tree_unref(finder->tree);
    skr_map_levels_destroy(finder->levels);
    finder->first = skr_strbuf_take(&key, NULL);
    finder->tree = tree;
    finder->levels = levels;
}

static bool look_at_map(void *context, const json_t *object)
{
    struct finder *finder = context;
    struct skr_configmap *map;
    if (!skr_path_label(object, SKR_TOPOLOGY_LABEL) ||
        strcmp(skr_path_text(object, "metadata.namespace"), finder->namespace_) != 0 ||
        skr_configmap_decode(object, &map, NULL) < 0) {
        return true;
    }
    take_lead(finder, object, map);
    skr_configmap_destroy(map);
    return true;
}

static bool add_slice(void *context, const json_t *object)
{
    skr_slices_add(context, object);
    return true;
}

static const struct skr_tree *tree_of(struct skr_record *record)
{
    if (record->tree) {
        return record->tree;
    }
    struct finder finder = {.namespace_ = record->topology_namespace};
    skr_store_each(record->store, "ConfigMap", look_at_map, &finder);
    if (!finder.tree) {
        const struct skr_label_source option = {.levels = record->label_levels};
        size_t n = record->cache.n_present;
        const struct skr_node **nodes = skr_alloc_array(n + 1, sizeof *nodes);
        for (size_t i = 0; i < n; i++) {
            nodes[i] = record->cache.present[i]->node;
        }
        struct skr_slices slices = {0};
        skr_store_each(record->store, "ResourceSlice", add_slice, &slices);
        const struct skr_label_source source =
            skr_slices_source(&slices, finder.levels ? &finder.levels->source : &option);
        (void)skr_topology_derive(nodes, n, &source, &finder.tree, NULL, NULL);
        skr_slices_fini(&slices);
        free(nodes);
    }
    skr_map_levels_destroy(finder.levels);
    free(finder.first);
    record->tree = finder.tree;
    return record->tree;
}

/* ---- pictures ---- */

/* Pods of this demand that fit into the node's room; empty: as if the node had no pods. */
static int32_t slots_of(const struct skr_amounts *demand, const struct skr_sched_node *node,
                        bool empty)
{
    int64_t least = INT32_MAX;
    for (size_t i = 0; i < demand->n; i++) {
        uint16_t resource = demand->item[i].resource;
        if (!skr_sched_is_counted(node, &demand->item[i])) {
            continue;
        }
        int64_t room = skr_sched_allocatable(node, resource);
        room -= empty ? 0 : skr_sched_used(node, resource);
        const int64_t n = skr_room_holds(room, demand->item[i].amount);
        least = n < least ? n : least;
    }
    return (int32_t)least;
}

int32_t skr_record_slots(const struct skr_amounts *demand, const struct skr_sched_node *node)
{
    return slots_of(demand, node, false);
}

static void snapshot(struct skr_record *record, struct skr_record_group *group)
{
    const struct skr_tree *tree = tree_of(record);
    choose_member(record, group);
    free(group->leaf);
    skr_tree_unref(group->tree);
    group->leaf = NULL;
    group->tree = tree ? skr_tree_ref(tree) : NULL;
    if (!tree) {
        return;
    }
    group->leaf = skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *group->leaf);
    for (int32_t i = 0; i < tree->n_leaves; i++) {
        const struct skr_sched_node *node =
            skr_sched_cache_find(&record->cache, tree->unit_name[tree->first_leaf + i]);
        if (!node || !node->node) {
            group->leaf[i].unusable = true;
            continue;
        }
        group->leaf[i].slots = slots_of(&group->demand, node, true);
        group->leaf[i].free = slots_of(&group->demand, node, false);
        group->leaf[i].unusable =
            skr_pod_shape_check_node(group->member->shape, node->node) != SKR_ELIGIBLE;
    }
}

static bool is_finished(const json_t *pod)
{
    const char *phase = skr_path_text(pod, "status.phase");
    return strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0;
}

static bool is_on_node(const json_t *pod, const char *node)
{
    return node[0] && !is_finished(pod);
}

/* Running members; after all have ended, their last nodes. */
static bool place_pod(void *context, const json_t *pod)
{
    struct skr_record *record = context;
    const char *node = skr_path_text(pod, "spec.nodeName");
    struct skr_record_group *group = node[0] ? skr_record_group_of(record, pod) : NULL;
    if (group && group->tree && (is_on_node(pod, node) || group->n_bound == 0)) {
        int32_t leaf = skr_tree_find_leaf(group->tree, node);
        if (leaf >= 0) {
            group->leaf[leaf].placed++;
            skr_record_roles_place(record, group, pod, leaf);
        }
    }
    return true;
}

/* The engine may have learnt the entry of a pod after the pod was seen. */
static bool find_group(void *context, const json_t *pod)
{
    (void)skr_record_group_of(context, pod);
    return true;
}

void skr_record_draw(struct skr_record *record)
{
    struct skr_record_group *group, *next;
    skr_store_each(record->store, "Pod", find_group, record);
    HASH_ITER(hh, record->groups, group, next)
    {
        if (group->member && !group->tree) {
            snapshot(record, group);
        }
        skr_record_roles_forget(group);
        for (int32_t i = 0; group->tree && i < group->tree->n_leaves; i++) {
            group->leaf[i].placed = 0;
        }
    }
    skr_store_each(record->store, "Pod", place_pod, record);
    HASH_ITER(hh, record->groups, group, next)
    {
        skr_record_roles_name(group);
    }
}

bool skr_record_has_picture(const struct skr_record_group *group)
{
    return group->tree && group->tree->n_leaves > 0;
}

/* ---- changes ---- */

static void charge(struct skr_record *record, const json_t *pod)
{
    struct skr_pod *decoded;
    struct skr_sched_pod *p;
    const char *uid = skr_path_text(pod, "metadata.uid");
    HASH_FIND_STR(record->charged, uid, p);
    if (p || skr_pod_decode(pod, &decoded, NULL) < 0) {
        return;
    }
    p = skr_alloc(sizeof *p);
    p->uid = skr_strdup(uid);
    HASH_ADD_KEYPTR(hh, record->charged, p->uid, strlen(p->uid), p);
    p->pod = decoded;
    skr_sched_cache_resolve(&record->cache, p);
    skr_sched_cache_charge(&record->cache, p, decoded->node_name);
}

static void release(struct skr_record *record, const json_t *pod)
{
    struct skr_sched_pod *p;
    HASH_FIND_STR(record->charged, skr_path_text(pod, "metadata.uid"), p);
    if (p) {
        free_charge(record, p);
    }
}

/* Whether its node and group are unchanged, and it neither ends nor is deleted. */
static bool changes_nothing(const struct skr_store_change *change)
{
    const json_t *pod = change->object, *before = change->before;
    return change->kind == SKR_STORE_MODIFIED &&
           json_object_get(pod, "spec") == json_object_get(before, "spec") &&
           json_object_get(json_object_get(pod, "metadata"), "labels") ==
               json_object_get(json_object_get(before, "metadata"), "labels") &&
           (json_object_get(pod, "status") == json_object_get(before, "status") ||
            is_finished(pod) == is_finished(before));
}

/* A plan that waits for victims shows the moment before they leave; without a plan there are
 * none. */
static void plan_changed(struct skr_record *record, struct skr_record_group *group,
                         const char *plan)
{
    if (!group || group->n_bound > 0) {
        return;
    }
    if (plan && strstr(plan, "Preempting")) {
        skr_record_victims_note(group, plan);
    }
    if (!group->member || !record->wants_pictures) {
        return;
    }
    if (!plan || !plan[0]) {
        skr_record_victims_fini(group);
    } else if (group->n_victims == 0 && skr_record_victims_named(plan)) {
        snapshot(record, group);
        skr_record_victims_take(record, group, plan);
    }
}

/* The plan of a group without an object is on one of its members. */
static void member_changed(struct skr_record *record, const struct skr_store_change *change)
{
    const char *plan = skr_path_annotation(change->object, SKR_ANNOTATION_PLAN);
    const char *before =
        change->before ? skr_path_annotation(change->before, SKR_ANNOTATION_PLAN) : NULL;
    if (plan || (before && skr_record_victims_named(before))) {
        plan_changed(record, skr_record_group_of(record, change->object), plan);
    }
}

static void pod_changed(struct skr_record *record, const struct skr_store_change *change)
{
    member_changed(record, change);
    if (changes_nothing(change)) {
        return;
    }
    bool gone = change->kind == SKR_STORE_DELETED;
    const char *node = skr_path_text(change->object, "spec.nodeName");
    const char *before = skr_path_text(change->before, "spec.nodeName");
    bool is_on = !gone && is_on_node(change->object, node);
    bool was_on = is_on_node(change->before, before);
    struct skr_record_group *group = skr_record_group_of(record, change->object);
    record->n_pods += change->kind == SKR_STORE_ADDED ? 1 : 0;
    if (group && change->kind == SKR_STORE_ADDED && record->wants_pictures) {
        count_shape(group, change->object);
    }
    record->n_pods -= gone ? 1 : 0;
    record->n_placed += !gone && node[0] && !before[0] ? 1 : 0;
    record->n_placed -= gone && node[0] ? 1 : 0;
    if (group && was_on && !is_on) {
        group->n_bound--;
    }
    if (group && is_on && !change->before) {
        group->n_found++;
    }
    if (group && is_on && !was_on && group->n_bound++ == 0 && record->wants_pictures &&
        group->member && group->n_victims == 0) {
        snapshot(record, group);
    }
    if (!record->wants_pictures) {
        return;
    }
    if (gone || is_finished(change->object)) {
        release(record, change->object);
    } else if (node[0]) {
        charge(record, change->object);
    }
}

static void follow_names(struct skr_record *record)
{
    struct skr_sched_pod *p, *next;
    struct skr_record_group *group, *next_group;
    if (!skr_sched_cache_names_changed(&record->cache)) {
        return;
    }
    HASH_ITER(hh, record->charged, p, next)
    {
        skr_sched_cache_resolve(&record->cache, p);
    }
    HASH_ITER(hh, record->groups, group, next_group)
    {
        if (group->member) {
            resolve_demand(record, group);
        }
    }
}

static void node_changed(struct skr_record *record, const struct skr_store_change *change)
{
    struct skr_node *node, *old;
    skr_tree_unref(record->tree);
    record->tree = NULL;
    if (change->kind == SKR_STORE_DELETED) {
        skr_sched_cache_remove(&record->cache, skr_path_text(change->object, "metadata.name"));
    } else if (skr_node_decode(change->object, &node, NULL) == 0) {
        skr_sched_cache_upsert(&record->cache, node, &old);
        skr_node_forget(&record->cache.shared, old);
    }
    follow_names(record);
}

/* The plan of a group with an object. */
static void object_changed(struct skr_record *record, const struct skr_store_change *change,
                           const char *name)
{
    SKR_AUTO_FREE char *key =
        skr_object_key(skr_path_text(change->object, "metadata.namespace"), name);
    plan_changed(record, find_key(record, key),
                 skr_path_annotation(change->object, SKR_ANNOTATION_PLAN));
}

static void map_changed(struct skr_record *record, const struct skr_store_change *change)
{
    const char *name = skr_path_text(change->object, "data.name");
    name = name[0] ? name : skr_path_text(change->object, "metadata.name");
    if (skr_path_label(change->object, SKR_TOPOLOGY_LABEL)) {
        skr_tree_unref(record->tree);
        record->tree = NULL;
    }
    if (skr_path_label(change->object, SKR_GROUP_LABEL)) {
        object_changed(record, change, name);
    }
}

static void take_change(struct skr_record *record, const struct skr_store_change *change)
{
    const char *kind = change->resource->kind;
    if (strcmp(kind, "Pod") == 0) {
        pod_changed(record, change);
    } else if (strcmp(kind, "Node") == 0 && record->wants_pictures) {
        node_changed(record, change);
    } else if (strcmp(kind, "DeviceClass") == 0 && record->wants_pictures) {
        skr_sched_cache_class(&record->cache, change);
        follow_names(record);
    } else if (strcmp(kind, "ConfigMap") == 0) {
        map_changed(record, change);
    } else if (strcmp(kind, "PodGroup") == 0) {
        char name[300];
        (void)snprintf(name, sizeof name, "%s%.256s",
                       change->resource->key ? SKR_NATIVE_PREFIX : "",
                       skr_path_text(change->object, "metadata.name"));
        object_changed(record, change, name);
    }
}

void skr_record_step(struct skr_record *record, skr_time now)
{
    struct skr_store_change change;
    while (skr_watcher_take(&record->watcher, now, &change)) {
        take_change(record, &change);
        record->changed_at = now;
    }
}
