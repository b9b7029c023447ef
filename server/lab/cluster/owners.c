/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership and garbage collection (kubernetes pkg/controller/garbagecollector). If an owner is
 * deleted, members without another owner are deleted too; the others lose the reference. An owner
 * deleted in the foreground waits for its dependents; one that orphans them first removes itself
 * from them.
 *
 * An owner that was never in the store counts as existing: dumps are seldom complete.
 */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/lab/cluster/cluster_parts.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

#define FOREGROUND "foregroundDeletion"
#define ORPHAN     "orphan"

struct skr_owner *skr_owners_find(struct skr_cluster *c, const char *uid)
{
    struct skr_owner *owner;
    HASH_FIND_STR(c->owners, uid, owner);
    return owner;
}

struct skr_owner *skr_owners_get(struct skr_cluster *c, const char *uid)
{
    struct skr_owner *owner = skr_owners_find(c, uid);
    if (!owner) {
        const size_t size = strlen(uid) + 1;
        owner = skr_alloc(sizeof *owner + size);
        memcpy(owner->uid, uid, size);
        HASH_ADD_STR(c->owners, uid, owner);
    }
    return owner;
}

static void drop_owner_if_unused(struct skr_cluster *c, struct skr_owner *owner)
{
    if (!owner->links) {
        HASH_DEL(c->owners, owner);
        free(owner);
    }
}

/* ---- members ---- */

static void unlink_all(struct skr_cluster *c, struct skr_member *member)
{
    while (member->links) {
        struct skr_link *link = member->links;
        member->links = link->next_of_member;
        DL_DELETE(link->owner->links, link);
        link->owner->n--;
        drop_owner_if_unused(c, link->owner);
        free(link);
    }
}

static void link_all(struct skr_cluster *c, struct skr_member *member, const json_t *references)
{
    for (size_t i = 0; i < json_array_size(references); i++) {
        const json_t *reference = json_array_get(references, i);
        struct skr_link *link = skr_alloc(sizeof *link);
        link->member = member;
        link->owner = skr_owners_get(c, skr_path_text(reference, "uid"));
        link->controller = skr_path_true(reference, "controller");
        link->next_of_member = member->links;
        member->links = link;
        DL_APPEND(link->owner->links, link);
        link->owner->n++;
    }
}

static void drop_member(struct skr_cluster *c, struct skr_member *member)
{
    unlink_all(c, member);
    HASH_DEL(c->members, member);
    free(member);
}

static struct skr_member *find_member(struct skr_cluster *c,
                                      const struct skr_store_resource *resource,
                                      const json_t *object, char key[640])
{
    struct skr_member *member;
    skr_cluster_key(key, 640, skr_store_resource_key(resource),
                    skr_path_text(object, "metadata.namespace"),
                    skr_path_text(object, "metadata.name"));
    HASH_FIND_STR(c->members, key, member);
    return member;
}

/* A copy of the text after the last one. */
static const char *add_text(char **end, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = memcpy(*end, text, size);
    *end += size;
    return copy;
}

static struct skr_member *add_member(struct skr_cluster *c, const struct skr_store_change *change,
                                     const char *key)
{
    const char *namespace_ = skr_path_text(change->object, "metadata.namespace");
    const char *name = skr_path_text(change->object, "metadata.name");
    const char *uid = skr_path_text(change->object, "metadata.uid");
    const size_t size = strlen(key) + strlen(namespace_) + strlen(name) + strlen(uid) + 4;
    struct skr_member *member = skr_alloc(sizeof *member + size);
    char *end = member->key;
    (void)add_text(&end, key);
    member->resource = change->resource;
    member->namespace_ = add_text(&end, namespace_);
    member->name = add_text(&end, name);
    member->uid = add_text(&end, uid);
    member->order = change->revision;
    HASH_ADD_STR(c->members, key, member);
    return member;
}

static void update_member(struct skr_cluster *c, const struct skr_store_change *change)
{
    const json_t *references = c->shown.references;
    char key[640];
    if (change->before && skr_path_get(change->before, "metadata.ownerReferences") == references) {
        return;
    }
    struct skr_member *member = find_member(c, change->resource, change->object, key);
    if (member && strcmp(member->uid, skr_path_text(change->object, "metadata.uid")) != 0) {
        drop_member(c, member);
        member = NULL;
    }
    if (json_array_size(references) == 0) {
        if (member) {
            drop_member(c, member);
        }
        return;
    }
    if (!member) {
        member = add_member(c, change, key);
    } else {
        unlink_all(c, member);
    }
    link_all(c, member, references);
}

/* ---- changes ---- */

static void plan_collection(struct skr_cluster *c, const struct skr_store_change *change)
{
    /* The identity of the owner must outlive the object, so the task has its uid. */
    skr_cluster_plan(c, SKR_TASK_COLLECT, skr_store_resource_key(change->resource),
                     skr_path_text(change->object, "metadata.uid"), c->now);
}

/* The owners that wait for a dependent's deletion. */
static void wake_owners(struct skr_cluster *c, const json_t *object)
{
    const json_t *references = skr_path_get(object, "metadata.ownerReferences");
    for (size_t i = 0; i < json_array_size(references); i++) {
        const json_t *reference = json_array_get(references, i);
        const json_t *owner = NULL;
        const struct skr_store_resource *of = skr_store_resource_of_kind(
            skr_path_text(reference, "apiVersion"), skr_path_text(reference, "kind"));
        const char *key = of ? skr_store_resource_key(of) : "";
        if (of) {
            owner = skr_store_get(c->store, key, skr_path_text(object, "metadata.namespace"),
                                  skr_path_text(reference, "name"));
        }
        if (owner && skr_path_holds(skr_path_get(owner, "metadata.finalizers"), FOREGROUND)) {
            skr_cluster_plan(c, SKR_TASK_COLLECT, key, skr_path_text(reference, "uid"), c->now);
        }
    }
}

void skr_owners_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    char key[640];
    if (change->kind != SKR_STORE_DELETED) {
        update_member(c, change);
        if (c->shown.deleting) {
            const json_t *finalizers = skr_path_get(change->object, "metadata.finalizers");
            if (skr_path_holds(finalizers, FOREGROUND) || skr_path_holds(finalizers, ORPHAN)) {
                plan_collection(c, change);
            }
        }
        return;
    }
    const char *uid = skr_path_text(change->object, "metadata.uid");
    struct skr_member *member = find_member(c, change->resource, change->object, key);
    if (member && strcmp(member->uid, uid) == 0) {
        drop_member(c, member);
        wake_owners(c, change->object);
    }
    if (skr_owners_find(c, uid)) {
        plan_collection(c, change);
    }
}

/* ---- collection ---- */

/* Whether the member has another owner that still exists (or was never in the store). */
static bool has_other_owner(const struct skr_member *member, const struct skr_owner *than)
{
    const struct skr_link *link;
    LL_FOREACH2(member->links, link, next_of_member)
    {
        if (link->owner != than) {
            return true;
        }
    }
    return false;
}

static void remove_reference(struct skr_cluster *c, const struct skr_member *member,
                             const char *uid)
{
    const json_t *object = skr_store_get(c->store, skr_store_resource_key(member->resource),
                                         member->namespace_, member->name);
    const json_t *references = skr_path_get(object, "metadata.ownerReferences");
    json_auto_t *left = json_array();
    for (size_t i = 0; i < json_array_size(references); i++) {
        json_t *reference = json_array_get(references, i);
        if (strcmp(skr_path_text(reference, "uid"), uid) != 0) {
            json_array_append(left, reference);
        }
    }
    json_t *value = json_array_size(left) > 0 ? left : json_null();
    (void)skr_cluster_request(c, SKR_STORE_PATCH_MERGE, skr_store_resource_key(member->resource),
                              member->namespace_, member->name, "",
                              json_pack("{s:{s:O}}", "metadata", "ownerReferences", value), NULL);
}

static bool is_going(struct skr_cluster *c, const struct skr_member *member)
{
    return skr_path_get(skr_store_get(c->store, skr_store_resource_key(member->resource),
                                      member->namespace_, member->name),
                        "metadata.deletionTimestamp");
}

/* Releases the members one by one; each may change the list. */
static void release_members(struct skr_cluster *c, const char *uid, bool orphan)
{
    struct skr_owner *owner = skr_owners_find(c, uid);
    const size_t n = owner ? owner->n : 0;
    SKR_AUTO_FREE struct skr_member **member = skr_alloc_array(n + 1, sizeof member[0]);
    const struct skr_link *link;
    size_t i = 0;
    if (owner) {
        DL_FOREACH(owner->links, link)
        {
            member[i++] = link->member;
        }
    }
    for (i = 0; i < n; i++) {
        if (orphan || has_other_owner(member[i], owner)) {
            remove_reference(c, member[i], uid);
        } else if (!is_going(c, member[i])) {
            skr_cluster_delete(c, skr_store_resource_key(member[i]->resource),
                               member[i]->namespace_, member[i]->name, member[i]->uid, -1);
        }
    }
}

static void remove_finalizer(struct skr_cluster *c, const json_t *object, const char *name)
{
    const json_t *finalizers = skr_path_get(object, "metadata.finalizers");
    json_t *left = json_array();
    for (size_t i = 0; i < json_array_size(finalizers); i++) {
        json_t *finalizer = json_array_get(finalizers, i);
        if (strcmp(json_string_value(finalizer), name) != 0) {
            json_array_append(left, finalizer);
        }
    }
    (void)skr_cluster_request(c, SKR_STORE_PATCH_MERGE, skr_path_text(object, "kind"),
                              skr_path_text(object, "metadata.namespace"),
                              skr_path_text(object, "metadata.name"), "",
                              json_pack("{s:{s:o}}", "metadata", "finalizers", left), NULL);
}

struct search {
    const char *uid;
    const json_t *found;
};

static bool compare_uid(void *context, const json_t *object)
{
    struct search *search = context;
    if (strcmp(skr_path_text(object, "metadata.uid"), search->uid) != 0) {
        return true;
    }
    search->found = object;
    return false;
}

/* The task's namespace is the kind, its name the uid of the owner. */
void skr_owners_collect(struct skr_cluster *c, const struct skr_task *task)
{
    struct search search = {.uid = task->name};
    skr_store_each(c->store, task->namespace_, compare_uid, &search);
    if (!search.found) {
        release_members(c, task->name, false);
        return;
    }
    if (skr_path_holds(skr_path_get(search.found, "metadata.finalizers"), ORPHAN)) {
        release_members(c, task->name, true);
        remove_finalizer(c, search.found, ORPHAN);
        return;
    }
    if (skr_path_holds(skr_path_get(search.found, "metadata.finalizers"), FOREGROUND)) {
        json_t *object = skr_path_ref(search.found);
        release_members(c, task->name, false);
        const struct skr_owner *owner = skr_owners_find(c, task->name);
        if (!owner || owner->n == 0) {
            remove_finalizer(c, object, FOREGROUND);
        }
        json_decref(object);
    }
}

/* ---- references ---- */

json_t *skr_owners_reference(const json_t *owner)
{
    static const char *const table[][2] = {{"apiVersion", "apiVersion"},
                                           {"kind", "kind"},
                                           {"name", "metadata.name"},
                                           {"uid", "metadata.uid"}};
    json_t *reference = json_object();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        json_object_set_nocheck(reference, table[i][0],
                                skr_object_unconst(skr_path_get(owner, table[i][1])));
    }
    json_object_set_new_nocheck(reference, "controller", json_true());
    json_object_set_new_nocheck(reference, "blockOwnerDeletion", json_true());
    return reference;
}

const json_t *skr_owners_controller(const json_t *object)
{
    return skr_owners_controller_in(skr_path_get(object, "metadata.ownerReferences"));
}

const json_t *skr_owners_controller_in(const json_t *references)
{
    for (size_t i = 0; i < json_array_size(references); i++) {
        if (skr_path_true(json_array_get(references, i), "controller")) {
            return json_array_get(references, i);
        }
    }
    return NULL;
}

void skr_owners_fini(struct skr_cluster *c)
{
    struct skr_member *member, *next_member;
    struct skr_owner *owner, *next_owner;
    HASH_ITER(hh, c->members, member, next_member)
    {
        drop_member(c, member);
    }
    HASH_ITER(hh, c->owners, owner, next_owner)
    {
        HASH_DEL(c->owners, owner);
        free(owner);
    }
}
