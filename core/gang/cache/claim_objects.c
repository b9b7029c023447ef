/* SPDX-License-Identifier: Apache-2.0 */
/* A set of hashes of names, and a table of the groups that await an object. */
#include "core/gang/cache/claim_objects.h"

#include "core/devices/stock.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/volumes.h"
#include "core/gang/state/output.h"
#include "core/gang/state/types.h"
#include "topology/base/table.h"
#include "topology/device_classes.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct claim_awaited {
    UT_hash_handle hh;
    uint64_t id;          /* hashed with the secret, so users cannot choose it */
    struct group *groups; /* by claims.aprev and claims.anext */
};

/* Classes of a claim, one after the other, each with its NUL. */
struct claim_classes {
    UT_hash_handle hh; /* by text */
    size_t n;          /* bytes */
    char text[];
};

struct claim_name {
    uint64_t id;
    const struct claim_classes *classes; /* NULL: none, or not known */
    const struct skr_claim_spec *spec;   /* a reference; NULL: not known, or allocated */
    struct volume_rule *reach;           /* a reference; NULL: all nodes, or not allocated */
    bool allocated;
    bool deleting;
};

/* ---- classes ---- */

static const struct claim_classes *classes_of(struct skr_gang *e,
                                              const struct skr_device_claim *claim)
{
    struct claim_classes *classes = NULL;
    SKR_STRBUF(text);
    for (size_t i = 0; claim && i < claim->n_classes; i++) {
        skr_strbuf_addn(&text, claim->class_[i], strlen(claim->class_[i]) + 1);
    }
    if (text.len == 0) {
        return NULL;
    }
    SKR_TABLE_FIND(&e->settings.hash_seed, hh, e->claim_objects.classes, text.s, text.len, classes);
    if (!classes && e->claim_objects.classes_bytes + text.len <= SKR_CLAIM_CLASSES_BYTES_MAX) {
        classes = skr_alloc(sizeof *classes + text.len);
        classes->n = text.len;
        memcpy(classes->text, text.s, text.len);
        e->claim_objects.classes_bytes += text.len;
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->claim_objects.classes, classes->text,
                      classes->n, classes);
    }
    return classes;
}

/* The first class that does not exist; NULL: none is missing. */
static const char *missing_class(const struct skr_gang *e, const struct claim_classes *classes)
{
    const struct skr_device_classes *exist = skr_resource_names_classes(e->resources);
    const bool judged = !e->classes_forbidden && e->settings.server_minor >= SKR_CLAIMS_FROM;
    for (size_t at = 0; judged && classes && at < classes->n;
         at += strlen(&classes->text[at]) + 1) {
        if (!skr_device_classes_has(exist, &classes->text[at])) {
            return &classes->text[at];
        }
    }
    return NULL;
}

/* ---- names ---- */

static uint64_t id_of(const struct skr_gang *e, enum skr_pod_claim_kind kind,
                      const char *namespace_, const char *name)
{
    return skr_hash_pair(skr_hash_keyed_joined(&e->settings.hash_seed, namespace_, "/", name),
                         (uint64_t)kind);
}

static bool find(const struct skr_gang *e, uint64_t id, uint32_t *ret)
{
    for (size_t at = 0; skr_hash_index_next(&e->claim_objects.by_id, (uint32_t)id, &at, ret);) {
        if (((const struct claim_name *)skr_slab_at(&e->claim_objects.id, *ret))->id == id) {
            return true;
        }
    }
    return false;
}

/* Whether it is new, or asks for other classes. */
static bool put(struct skr_gang *e, uint64_t id, const struct claim_classes *classes)
{
    uint32_t number;
    if (find(e, id, &number)) {
        struct claim_name *name = skr_slab_at(&e->claim_objects.id, number);
        const bool differs = name->classes != classes;
        name->classes = classes;
        return differs;
    }
    if (e->claim_objects.id.n >= SKR_CLAIM_OBJECTS_MAX) {
        if (!e->claim_objects.full) {
            e->claim_objects.full = true;
            skr_out_decision(e, "", "", "Claims are not looked up any more", "",
                             "there are more than 1000000 PersistentVolumeClaims, ResourceClaims "
                             "and ResourceClaimTemplates; kube-scheduler alone finds missing ones",
                             true);
            skr_claim_objects_judge(e);
        }
        return false;
    }
    e->claim_objects.id.size = sizeof(struct claim_name);
    number = skr_slab_add(&e->claim_objects.id);
    *(struct claim_name *)skr_slab_at(&e->claim_objects.id, number) =
        (struct claim_name){.id = id, .classes = classes};
    skr_hash_index_add(&e->claim_objects.by_id, (uint32_t)id, number);
    return true;
}

static bool is_judged(const struct skr_gang *e, enum skr_pod_claim_kind kind)
{
    const int32_t from = kind == SKR_POD_CLAIM_VOLUME ? 1 : SKR_CLAIMS_FROM;
    if (kind == SKR_POD_CLAIM_VOLUME ? e->settings.volumes_unread : e->settings.devices_off) {
        return false;
    }
    return !e->claim_objects.full && !e->claim_objects.forbidden[kind] &&
           e->settings.server_minor >= from;
}

const struct skr_pod_claim *skr_claim_objects_missing(const struct skr_gang *e,
                                                      const struct skr_pod *pod,
                                                      const char **ret_class)
{
    uint32_t number;
    *ret_class = NULL;
    for (size_t i = 0; i < pod->n_claims; i++) {
        const struct skr_pod_claim *claim = &pod->claim[i];
        if (claim->made || !is_judged(e, claim->kind)) {
            continue;
        }
        if (!find(e, id_of(e, claim->kind, pod->meta.namespace_, claim->name), &number)) {
            return claim;
        }
        const struct claim_name *name = skr_slab_at(&e->claim_objects.id, number);
        *ret_class = missing_class(e, name->classes);
        if (*ret_class) {
            return claim;
        }
    }
    return NULL;
}

bool skr_claim_objects_pass(const struct skr_gang *e, const struct skr_pod *pod)
{
    uint32_t number;
    for (size_t i = 0; i < pod->n_claims; i++) {
        const struct skr_pod_claim *claim = &pod->claim[i];
        if (claim->kind != SKR_POD_CLAIM_DEVICES || !is_judged(e, claim->kind) ||
            !find(e, id_of(e, claim->kind, pod->meta.namespace_, claim->name), &number)) {
            return false;
        }
        const struct claim_name *name = skr_slab_at(&e->claim_objects.id, number);
        if (name->deleting || !(name->spec || name->allocated) || e->classes_forbidden ||
            missing_class(e, name->classes)) {
            return false;
        }
    }
    return true;
}

/* ---- groups that wait ---- */

static struct claim_awaited *awaited_find(const struct skr_gang *e, uint64_t id)
{
    struct claim_awaited *awaited = NULL;
    HASH_FIND(hh, e->claim_objects.awaited, &id, sizeof id, awaited);
    return awaited;
}

void skr_claim_objects_await(struct skr_gang *e, struct group *g, const struct skr_pod_claim *claim)
{
    struct claim_awaited *was = g->claims.awaited;
    const uint64_t id = claim ? id_of(e, claim->kind, g->namespace_, claim->name) : 0;
    if (was && claim && was->id == id) {
        return;
    }
    if (was) {
        DL_DELETE2(was->groups, g, claims.aprev, claims.anext);
        g->claims.awaited = NULL;
        if (!was->groups) {
            HASH_DEL(e->claim_objects.awaited, was);
            free(was);
        }
    }
    if (!claim) {
        return;
    }
    struct claim_awaited *now = awaited_find(e, id);
    if (!now) {
        now = skr_alloc(sizeof *now);
        now->id = id;
        HASH_ADD(hh, e->claim_objects.awaited, id, sizeof id, now);
    }
    DL_APPEND2(now->groups, g, claims.aprev, claims.anext);
    g->claims.awaited = now;
}

/* ---- what claims ask for ---- */

struct claim_facts skr_claim_objects_facts(const struct skr_gang *e, const char *namespace_,
                                           const struct skr_pod_claim *claim)
{
    uint32_t number;
    if (!find(e, id_of(e, claim->kind, namespace_, claim->name), &number)) {
        return (struct claim_facts){0};
    }
    const struct claim_name *name = skr_slab_at(&e->claim_objects.id, number);
    return (struct claim_facts){name->spec, name->allocated, skr_volumes_reach(name->reach)};
}

enum skr_claim_state skr_claim_objects_state(const struct skr_gang *e, const char *namespace_,
                                             const struct skr_pod_claim *claim)
{
    uint32_t number;
    if (claim->kind != SKR_POD_CLAIM_DEVICES || !is_judged(e, claim->kind)) {
        return SKR_CLAIM_NOT_JUDGED;
    }
    if (!find(e, id_of(e, claim->kind, namespace_, claim->name), &number)) {
        return SKR_CLAIM_GONE;
    }
    const struct claim_name *name = skr_slab_at(&e->claim_objects.id, number);
    return name->allocated ? SKR_CLAIM_ALLOCATED : SKR_CLAIM_FREE;
}

static void forget(struct skr_gang *e, const struct claim_name *name)
{
    skr_devices_stock_unkeep(e->devices.stock, name->spec);
    skr_volumes_reach_forget(e, name->reach);
}

/* Whether it asks for something else, has devices now, or none, or is about to go. */
static bool note_spec(struct skr_gang *e, uint64_t id, const struct skr_device_claim *claim)
{
    uint32_t number;
    if (!find(e, id, &number)) {
        return false;
    }
    struct claim_name *name = skr_slab_at(&e->claim_objects.id, number);
    const struct claim_name was = *name;
    name->spec = skr_devices_stock_keep(e->devices.stock, claim->meta.namespace_, claim->devices);
    name->allocated = claim->allocated;
    name->deleting = claim->meta.deleting;
    name->reach = skr_volumes_reach_get(e, claim->reach);
    const bool differs = was.spec != name->spec || was.allocated != name->allocated ||
                         was.reach != name->reach || was.deleting != name->deleting;
    forget(e, &was);
    return differs;
}

/* ---- what changed ---- */

bool skr_claim_objects_upsert(struct skr_gang *e, enum skr_pod_claim_kind kind,
                              const struct skr_meta *meta, const struct skr_device_claim *claim)
{
    const uint64_t id = id_of(e, kind, meta->namespace_, meta->name);
    const struct claim_awaited *awaited =
        put(e, id, classes_of(e, claim)) ? awaited_find(e, id) : NULL;
    struct group *g;
    const bool differs = claim && note_spec(e, id, claim);
    DL_FOREACH2(awaited ? awaited->groups : NULL, g, claims.anext)
    {
        skr_dirty_group(e, g);
    }
    return differs;
}

void skr_claim_objects_delete(struct skr_gang *e, enum skr_pod_claim_kind kind,
                              const char *namespace_, const char *name)
{
    const uint64_t id = id_of(e, kind, namespace_, name);
    uint32_t number;
    if (find(e, id, &number)) {
        forget(e, skr_slab_at(&e->claim_objects.id, number));
        skr_hash_index_remove(&e->claim_objects.by_id, (uint32_t)id, number);
        skr_slab_remove(&e->claim_objects.id, number);
    }
}

void skr_claim_objects_forbidden(struct skr_gang *e, enum skr_pod_claim_kind kind, bool is)
{
    e->claim_objects.forbidden[kind] = is;
    skr_claim_objects_judge(e);
}

void skr_claim_objects_judge(struct skr_gang *e)
{
    struct group *g, *next;
    HASH_ITER(hh, e->groups, g, next)
    {
        if (g->seats.n_claimers > 0) {
            skr_dirty_group(e, g);
        }
    }
}

void skr_claim_objects_fini(struct skr_gang *e)
{
    struct claim_awaited *awaited, *next;
    uint32_t number;
    for (size_t at = 0; skr_slab_next(&e->claim_objects.id, &at, &number);) {
        forget(e, skr_slab_at(&e->claim_objects.id, number));
    }
    HASH_ITER(hh, e->claim_objects.awaited, awaited, next)
    {
        HASH_DEL(e->claim_objects.awaited, awaited);
        free(awaited);
    }
    struct claim_classes *classes, *more;
    HASH_ITER(hh, e->claim_objects.classes, classes, more)
    {
        HASH_DEL(e->claim_objects.classes, classes);
        free(classes);
    }
    skr_slab_fini(&e->claim_objects.id);
    skr_hash_index_fini(&e->claim_objects.by_id);
}
