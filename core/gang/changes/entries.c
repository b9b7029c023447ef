/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An entry depends on the owner, the namespace, the PodGroup, and the permissions to read these. A
 * change of any of them checks entries again. Namespaces and permissions change rarely: all pods are
 * checked. Owners and PodGroups change often: only members of groups that read the owner, and pods that
 * name the PodGroup, are checked.
 */
#include "core/gang/changes/entries.h"

#include "core/gang/cache/claim_users.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/changes/group_end.h"
#include "core/gang/changes/pod_changes.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/types.h"

#include <stdlib.h>
#include <string.h>

static void enter_again(struct skr_gang *e, struct pod_entry *p)
{
    struct group *old = p->group;
    skr_pod_changes_enter(e, p);
    if (old && old != p->group) {
        skr_group_end_if_empty(e, old);
    }
}

/* All pods of a namespace; NULL: of all. */
static void enter_all(struct skr_gang *e, const char *namespace_)
{
    struct pod_entry *p;
    for (size_t at = 0; (p = skr_pods_next(e, &at));) {
        if (p->ours && (!namespace_ || strcmp(p->pod->meta.namespace_, namespace_) == 0)) {
            enter_again(e, p);
        }
    }
}

static void read_again(struct skr_gang *e, struct owner_entry *entry)
{
    struct group *g, *gtmp;
    struct pod_entry *p, *ptmp;
    for (g = entry ? entry->groups : NULL; g; g = gtmp) {
        gtmp = g->derived.next;
        skr_dirty_group(e, g);
        for (p = g->members; p; p = ptmp) { /* the last one may end the group */
            ptmp = p->next;
            enter_again(e, p);
        }
    }
}

/* A group of pods of a Job whose size another object says may need fewer members now. */
static void count_again(struct skr_gang *e, struct group *g)
{
    if (g && g->state == GROUP_PENDING && g->spec) {
        skr_dirty_group(e, g);
    }
}

static void count_again_for(struct skr_gang *e, const struct skr_meta *job)
{
    size_t n;
    SKR_AUTO_FREE struct pod_entry **user = skr_claim_users_list(
        e, skr_claim_users_id(e, SKR_USERS_OF_JOB, job->namespace_, job->name), &n);
    for (size_t i = 0; i < n; i++) {
        count_again(e, user[i]->group);
    }
}

void skr_entries_owner_upsert(struct skr_gang *e, struct skr_owner *owner)
{
    struct owner_entry *entry = skr_workload_owners_put(e, owner);
    read_again(e, entry);
    if (entry && entry->counted && entry->owner->succeeded > 0 &&
        !skr_workload_owners_are_coming(e, entry->owner->kind)) {
        entry->counted = false;
        count_again_for(e, &entry->owner->meta);
    }
}

void skr_entries_owner_delete(struct skr_gang *e, const char *kind, const char *namespace_,
                              const char *name)
{
    struct owner_entry *entry = skr_workload_owners_delete(e, kind, namespace_, name);
    struct group *g;
    for (g = entry ? entry->groups : NULL; g; g = g->derived.next) {
        skr_dirty_group(e, g);
    }
}

static void look_again(struct skr_gang *e)
{
    struct group *g, *tmp;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        if (g->derived.owner) {
            skr_membership_changed(g);
            skr_dirty_group(e, g);
        }
    }
}

void skr_entries_owner_listed(struct skr_gang *e, const struct skr_object_type *type)
{
    struct group *g, *tmp;
    skr_workload_owners_listed(e, type);
    enter_all(e, NULL);
    look_again(e);
    HASH_ITER(hh, e->groups, g, tmp)
    {
        count_again(e, g);
    }
}

void skr_entries_owner_forbidden(struct skr_gang *e, const struct skr_object_type *type, bool is)
{
    const uint32_t bit = UINT32_C(1) << skr_gang_owner_number(type);
    e->owners.forbidden = is ? e->owners.forbidden | bit : e->owners.forbidden & ~bit;
    look_again(e);
}

void skr_entries_namespace_upsert(struct skr_gang *e, const char *name)
{
    if (skr_entry_namespace_put(e, name)) {
        enter_all(e, name);
    }
}

void skr_entries_namespace_delete(struct skr_gang *e, const char *name)
{
    if (skr_entry_namespace_delete(e, name)) {
        enter_all(e, name);
    }
}

void skr_entries_native_forbidden(struct skr_gang *e, bool is)
{
    if (e->native_forbidden != is) {
        e->native_forbidden = is;
        enter_all(e, NULL);
    }
}

void skr_entries_native_changed(struct skr_gang *e, const char *namespace_, const char *name)
{
    size_t n;
    SKR_AUTO_FREE struct pod_entry **user =
        skr_claim_users_list(e, skr_claim_users_id(e, SKR_USERS_OF_PODGROUP, namespace_, name), &n);
    for (size_t i = 0; i < n; i++) {
        if (!user[i]->ours) {
            continue;
        }
        enter_again(e, user[i]);
        if (user[i]->group) { /* its label may win over the PodGroup */
            skr_dirty_group(e, user[i]->group);
        }
    }
}
