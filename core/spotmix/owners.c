/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deployments, ReplicaSets, StatefulSets. A reference may come before or after the object that it
 * names. So the first one of both makes the record, and the object fills it in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/state.h"
#include "topology/base/arena.h"
#include "topology/base/attr.h"
#include "topology/base/decimal.h"
#include "topology/base/json_field.h"
#include "topology/base/table.h"

/* ---- namespaces ---- */

static struct skr_spotmix_namespace *find_namespace(const struct skr_spotmix *mix, const char *name)
{
    struct skr_spotmix_namespace *found;
    SKR_TABLE_FIND_STR(&mix->settings->hash_seed, mix->namespaces, name, found);
    return found;
}

bool skr_spotmix_knows_namespace(const struct skr_spotmix *mix, const char *namespace_)
{
    return find_namespace(mix, namespace_);
}

static void enter_namespace(struct skr_spotmix *mix, const char *name)
{
    struct skr_spotmix_namespace *space = find_namespace(mix, name);
    if (!space) {
        const size_t n = strlen(name);
        space = skr_alloc(sizeof *space + n + 1);
        memcpy(space->name, name, n + 1);
        SKR_TABLE_ADD(&mix->settings->hash_seed, hh, mix->namespaces, space->name, n, space);
    }
    space->n_owners++;
}

static void leave_namespace(struct skr_spotmix *mix, const char *name)
{
    struct skr_spotmix_namespace *space = find_namespace(mix, name);
    skr_bug_on(!space); /* every owner entered it */
    if (--space->n_owners == 0) {
        HASH_DEL(mix->namespaces, space);
        free(space);
    }
}

/* ---- owners ---- */

/* false: no object has such a uid or namespace. */
static bool spell_key(enum skr_spotmix_kind kind, const char *namespace_, const char *uid,
                      char ret[SKR_SPOTMIX_OWNER_KEY_MAX])
{
    const size_t n = strlen(namespace_), uid_n = strlen(uid);
    if (n >= SKR_SPOTMIX_NAME_MAX || uid_n == 0 || uid_n >= SKR_SPOTMIX_UID_MAX) {
        return false;
    }
    ret[0] = (char)('0' + (int)kind);
    memcpy(ret + 1, namespace_, n);
    ret[1 + n] = '/'; /* in no namespace's name */
    memcpy(ret + 2 + n, uid, uid_n + 1);
    return true;
}

struct skr_spotmix_owner *skr_spotmix_owner_at(const struct skr_spotmix *mix, const char *key)
{
    struct skr_spotmix_owner *owner;
    SKR_TABLE_FIND_STR(&mix->settings->hash_seed, mix->owners, key, owner);
    return owner;
}

struct skr_spotmix_owner *skr_spotmix_owner_find(const struct skr_spotmix *mix,
                                                 enum skr_spotmix_kind kind, const char *namespace_,
                                                 const char *uid)
{
    char key[SKR_SPOTMIX_OWNER_KEY_MAX];
    return spell_key(kind, namespace_, uid, key) ? skr_spotmix_owner_at(mix, key) : NULL;
}

struct skr_spotmix_owner *skr_spotmix_deployment_named(const struct skr_spotmix *mix,
                                                       const char *namespace_, const char *name,
                                                       size_t n)
{
    char key[2 * SKR_SPOTMIX_NAME_MAX];
    struct skr_spotmix_owner *owner;
    if (strlen(namespace_) >= SKR_SPOTMIX_NAME_MAX || n >= SKR_SPOTMIX_NAME_MAX) {
        return NULL;
    }
    snprintf(key, sizeof key, "%s/%.*s", namespace_, (int)n, name);
    SKR_TABLE_FIND(&mix->settings->hash_seed, named, mix->deployments, key, strlen(key), owner);
    return owner;
}

static void leave_name(struct skr_spotmix *mix, struct skr_spotmix_owner *owner)
{
    if (owner->full_name) {
        HASH_DELETE(named, mix->deployments, owner);
        free(owner->full_name);
        owner->full_name = NULL;
    }
}

struct skr_spotmix_owner *skr_spotmix_owner_get(struct skr_spotmix *mix, enum skr_spotmix_kind kind,
                                                const char *uid, const char *namespace_,
                                                const char *name)
{
    char key[SKR_SPOTMIX_OWNER_KEY_MAX];
    if (!spell_key(kind, namespace_, uid, key) || strlen(name) >= SKR_SPOTMIX_NAME_MAX) {
        return NULL;
    }
    struct skr_spotmix_owner *owner = skr_spotmix_owner_at(mix, key);
    if (!owner) {
        owner = skr_alloc(sizeof *owner);
        owner->key = skr_strdup(key);
        owner->kind = kind;
        owner->uid = skr_strdup(uid);
        owner->namespace_ = skr_strdup(namespace_);
        owner->name = skr_strdup(name);
        SKR_TABLE_ADD(&mix->settings->hash_seed, hh, mix->owners, owner->key, strlen(owner->key),
                      owner);
        enter_namespace(mix, namespace_);
    }
    return owner;
}

/* Of several Deployments of one name, the last one seen has it. */
static void enter_name(struct skr_spotmix *mix, struct skr_spotmix_owner *owner)
{
    struct skr_spotmix_owner *other =
        skr_spotmix_deployment_named(mix, owner->namespace_, owner->name, strlen(owner->name));
    if (other != owner) {
        if (other) {
            leave_name(mix, other);
        }
        owner->full_name = skr_object_key(owner->namespace_, owner->name);
        SKR_TABLE_ADD(&mix->settings->hash_seed, named, mix->deployments, owner->full_name,
                      strlen(owner->full_name), owner);
    }
}

void skr_spotmix_owner_touch(struct skr_spotmix *mix, struct skr_spotmix_owner *owner)
{
    owner = skr_spotmix_workload_of(owner);
    if (!owner->dirty) {
        owner->dirty = true;
        owner->dirty_next = mix->dirty;
        mix->dirty = owner;
    }
}

static void destroy(struct skr_spotmix *mix, struct skr_spotmix_owner *owner)
{
    HASH_DEL(mix->owners, owner);
    leave_name(mix, owner);
    skr_spotmix_unreserve_all(mix, owner);
    leave_namespace(mix, owner->namespace_);
    free(owner->key);
    free(owner->uid);
    free(owner->namespace_);
    free(owner->name);
    free(owner->held);
    free(owner->reserved);
    free(owner);
}

void skr_spotmix_owner_release(struct skr_spotmix *mix, struct skr_spotmix_owner *owner)
{
    struct skr_spotmix_owner *parent = owner->parent;
    if (owner->known || owner->n_held > 0 || owner->n_reserved > 0 || owner->child ||
        owner->dirty) {
        return;
    }
    if (parent) {
        DL_DELETE(parent->child, owner);
    }
    destroy(mix, owner);
    if (parent) {
        skr_spotmix_owner_release(mix, parent);
    }
}

void skr_spotmix_owners_fini(struct skr_spotmix *mix)
{
    struct skr_spotmix_owner *owner, *next;
    HASH_ITER(hh, mix->owners, owner, next)
    {
        destroy(mix, owner);
    }
}

struct skr_spotmix_owner *skr_spotmix_workload_of(struct skr_spotmix_owner *owner)
{
    return owner->parent ? owner->parent : owner;
}

void skr_spotmix_owner_set_parent(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                                  struct skr_spotmix_owner *parent)
{
    struct skr_spotmix_owner *before = owner->parent;
    if (before == parent) {
        return;
    }
    if (before) {
        skr_spotmix_owner_touch(mix, before);
        DL_DELETE(before->child, owner);
    }
    owner->parent = parent;
    if (parent) {
        DL_APPEND(parent->child, owner);
    }
    skr_spotmix_owner_touch(mix, owner);
}

const json_t *skr_spotmix_controller(const json_t *meta)
{
    const json_t *references = json_object_get(meta, "ownerReferences");
    for (size_t i = 0; i < json_array_size(references); i++) {
        const json_t *reference = json_array_get(references, i);
        if (json_is_true(json_object_get(reference, "controller"))) {
            return reference;
        }
    }
    return NULL;
}

enum skr_spotmix_kind skr_spotmix_space_kind(const json_t *reference)
{
    const char *kind = skr_object_text(reference, "kind");
    if (strncmp(skr_object_text(reference, "apiVersion"), "apps/", 5) != 0) {
        return SKR_SPOTMIX_KIND_COUNT;
    }
    return strcmp(kind, "ReplicaSet") == 0    ? SKR_SPOTMIX_REPLICA_SET
           : strcmp(kind, "StatefulSet") == 0 ? SKR_SPOTMIX_STATEFUL_SET
                                              : SKR_SPOTMIX_KIND_COUNT;
}

bool skr_spotmix_is_excluded(const struct skr_spotmix *mix, const char *namespace_)
{
    const struct skr_spotmix_settings *settings = mix->settings;
    return skr_names_include(settings->excluded, settings->n_excluded, namespace_) ||
           (*settings->own_namespace != '\0' && strcmp(settings->own_namespace, namespace_) == 0);
}

static int64_t integer_of(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : otherwise;
}

static struct skr_spotmix_owner *deployment_of(struct skr_spotmix *mix, const json_t *meta)
{
    const json_t *reference = skr_spotmix_controller(meta);
    const char *uid = skr_object_text(reference, "uid");
    if (*uid == '\0' || strcmp(skr_object_text(reference, "kind"), "Deployment") != 0 ||
        strncmp(skr_object_text(reference, "apiVersion"), "apps/", 5) != 0) {
        return NULL;
    }
    return skr_spotmix_owner_get(mix, SKR_SPOTMIX_DEPLOYMENT, uid,
                                 skr_object_text(meta, "namespace"),
                                 skr_object_text(reference, "name"));
}

void skr_spotmix_owner_put(struct skr_spotmix *mix, enum skr_spotmix_kind kind,
                           const json_t *object)
{
    const json_t *meta = json_object_get(object, "metadata"),
                 *spec = json_object_get(object, "spec");
    const json_t *labels = json_object_get(meta, "labels");
    struct skr_spotmix_owner *owner =
        skr_spotmix_owner_get(mix, kind, skr_object_text(meta, "uid"),
                              skr_object_text(meta, "namespace"), skr_object_text(meta, "name"));
    if (!owner) {
        return;
    }
    if (!owner->known && strcmp(owner->name, skr_object_text(meta, "name")) != 0) {
        free(owner->name); /* a reference gave another name */
        owner->name = skr_strdup(skr_object_text(meta, "name"));
    }
    owner->known = true;
    if (kind == SKR_SPOTMIX_DEPLOYMENT) {
        enter_name(mix, owner);
    }
    skr_spotmix_rule_parse(json_string_value(json_object_get(labels, mix->keys.on)),
                           json_string_value(json_object_get(labels, mix->keys.max)), &owner->rule);
    owner->replicas = integer_of(spec, "replicas", 1);
    owner->first_ordinal = integer_of(json_object_get(spec, "ordinals"), "start", 0);
    if (kind == SKR_SPOTMIX_REPLICA_SET) {
        const char *revision = skr_object_text(json_object_get(meta, "annotations"),
                                               "deployment.kubernetes.io/revision");
        const json_t *template_meta =
            json_object_get(json_object_get(spec, "template"), "metadata");
        owner->refused = skr_spotmix_has_condition(object, "ReplicaFailure");
        owner->revision = 0;
        (void)skr_decimal_parse(revision, strlen(revision), &owner->revision);
        owner->cost_in_template = !skr_object_is_absent(
            json_object_get(json_object_get(template_meta, "annotations"), SKR_SPOTMIX_COST_KEY));
        skr_spotmix_owner_set_parent(mix, owner, deployment_of(mix, meta));
    }
    skr_spotmix_owner_touch(mix, owner);
}

void skr_spotmix_owner_drop(struct skr_spotmix *mix, enum skr_spotmix_kind kind,
                            const char *namespace_, const char *uid)
{
    struct skr_spotmix_owner *owner = skr_spotmix_owner_find(mix, kind, namespace_, uid);
    if (owner) {
        owner->known = false;
        leave_name(mix, owner);
        skr_spotmix_owner_touch(mix, owner);
        skr_spotmix_owner_release(mix, owner);
    }
}

int64_t skr_spotmix_newest(const struct skr_spotmix_owner *workload, bool with_pods)
{
    const struct skr_spotmix_owner *child;
    int64_t newest = 0;
    DL_FOREACH(workload->child, child)
    {
        if ((!with_pods || child->n_held > 0) && child->revision > newest) {
            newest = child->revision;
        }
    }
    return newest;
}

bool skr_spotmix_is_current(const struct skr_spotmix_owner *space)
{
    return space->kind != SKR_SPOTMIX_DEPLOYMENT &&
           (!space->parent ||
            (space->n_held > 0 && space->revision == skr_spotmix_newest(space->parent, true)));
}
