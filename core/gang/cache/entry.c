/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of pods, and namespaces that enter all their pods. */
#include "core/gang/cache/entry.h"

#include <string.h>
#include <uthash.h>

#include "core/gang/cache/pods.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/state/map_entry.h"
#include "topology/base/table.h"

enum { MEMBER_BYTES_MAX = 1024 }; /* of sakkara.member.group; longer ones are not the daemon's */

struct auto_namespace {
    UT_hash_handle hh;
    char name[];
};

static struct auto_namespace *find(const struct skr_gang *e, const char *name)
{
    struct auto_namespace *n = NULL;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->auto_namespaces, name, n);
    return n;
}

bool skr_entry_namespace_put(struct skr_gang *e, const char *name)
{
    if (find(e, name)) {
        return false;
    }
    struct auto_namespace *n = skr_alloc(sizeof *n + strlen(name) + 1);
    memcpy(n->name, name, strlen(name) + 1);
    SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->auto_namespaces, n->name, strlen(n->name), n);
    return true;
}

bool skr_entry_namespace_delete(struct skr_gang *e, const char *name)
{
    struct auto_namespace *n = find(e, name);
    if (n) {
        HASH_DEL(e->auto_namespaces, n);
        free(n);
    }
    return n;
}

void skr_entry_fini(struct skr_gang *e)
{
    struct auto_namespace *n, *tmp;
    HASH_ITER(hh, e->auto_namespaces, n, tmp)
    {
        HASH_DEL(e->auto_namespaces, n);
        free(n);
    }
}

bool skr_entry_is_native(const char *name)
{
    return strncmp(name, SKR_NATIVE_PREFIX, sizeof SKR_NATIVE_PREFIX - 1) == 0;
}

bool skr_entry_is_derived(const char *name)
{
    return strchr(name, '/') && !skr_entry_is_native(name);
}

/* The PodGroup that the pod names; NULL: none, or it is not in the cache yet. */
static struct podgroup_entry *native_of(const struct skr_gang *e, const struct skr_pod *pod)
{
    SKR_STRBUF(key);
    struct podgroup_entry *entry = NULL;
    if (*pod->scheduling_group) {
        skr_strbuf_addf(&key, "%s/%s%s", pod->meta.namespace_, SKR_NATIVE_PREFIX,
                        pod->scheduling_group);
        SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->podgroups, key.s, entry);
    }
    return entry;
}

/* Whether the PodGroup that the pod names has policy gang, or is not in the cache yet. False if the
 * daemon may not read PodGroups. */
static bool is_of_native(const struct skr_gang *e, const struct skr_pod *pod)
{
    if (!*pod->scheduling_group || e->native_forbidden) {
        return false;
    }
    const struct podgroup_entry *entry = native_of(e, pod);
    return !entry || !entry->pg->basic;
}

struct podgroup_entry *skr_entry_overridden(const struct skr_gang *e, const struct skr_pod *pod)
{
    struct podgroup_entry *entry = skr_pods_group_name(pod) ? native_of(e, pod) : NULL;
    return entry && !entry->pg->basic ? entry : NULL;
}

bool skr_entry_is_queued_whole(const struct skr_gang *e, const struct skr_pod *pod)
{
    const struct podgroup_entry *entry = native_of(e, pod);
    return entry && entry->pg->native >= SKR_PODGROUP_V1ALPHA3;
}

enum skr_workload_scope skr_entry_scope(const struct skr_gang *e, const struct skr_pod *pod,
                                        const struct skr_workload *w, const char **ret_unknown)
{
    const char *text = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_GANG);
    enum skr_workload_scope scope = SKR_SCOPE_AUTO;
    const bool known = !text || skr_workload_scope_find(text, &scope);
    *ret_unknown = known ? NULL : text;
    if (scope == SKR_SCOPE_AUTO && w->kind == SKR_WORKLOAD_JOBSET) {
        const struct skr_owner *owner = skr_workload_owners_of(e, pod, w);
        scope = owner && owner->in_order ? SKR_SCOPE_REPLICATEDJOB : SKR_SCOPE_AUTO;
    }
    return scope;
}

bool skr_entry_is_kept(const char *old, const char *name)
{
    return *old && (strchr(old, '/') || strchr(name, '/'));
}

/* By what the pod says now. */
static bool name_now(const struct skr_gang *e, const struct skr_pod *pod, struct skr_strbuf *name)
{
    const char *label = skr_pods_group_name(pod), *unknown;
    const char *gang = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_GANG);
    struct skr_workload w;
    skr_workload_of(pod, &w);
    if (w.beside) {
        return false;
    }
    if (label) {
        skr_strbuf_add(name, label);
        return true;
    }
    if (gang && strcmp(gang, "off") == 0) {
        return false;
    }
    if (is_of_native(e, pod)) {
        skr_strbuf_addf(name, "%s%s", SKR_NATIVE_PREFIX, pod->scheduling_group);
        return true;
    }
    if (!gang && !find(e, pod->meta.namespace_)) {
        return false;
    }
    if ((!gang && !(e->settings.derive_kinds & (1u << w.kind))) ||
        (w.alone && w.kind == SKR_WORKLOAD_SPARK)) {
        return false;
    }
    skr_workload_name_add(pod, &w, skr_entry_scope(e, pod, &w, &unknown), name);
    return true;
}

bool skr_entry_name(const struct skr_gang *e, const struct skr_pod *pod, struct skr_strbuf *name)
{
    const size_t begin = name->len;
    const bool has = name_now(e, pod, name);
    const char *kept =
        *pod->node_name ? skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_MEMBER) : NULL;
    if (kept && strlen(kept) <= MEMBER_BYTES_MAX &&
        skr_entry_is_kept(kept, has ? name->s + begin : "")) {
        name->len = begin;
        skr_strbuf_add(name, kept);
        return true;
    }
    return has;
}

bool skr_entry_has(const struct skr_gang *e, const struct skr_pod *pod)
{
    SKR_STRBUF(name);
    return skr_entry_name(e, pod, &name);
}
