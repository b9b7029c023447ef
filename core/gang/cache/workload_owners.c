/* SPDX-License-Identifier: Apache-2.0 */
/* The table of owners, and how many objects each namespace has in it. */
#include "core/gang/cache/workload_owners.h"

#include "core/gang/state/types.h"
#include "core/time/end.h"
#include "topology/base/strbuf.h"
#include "topology/base/table.h"

#include <string.h>
#include <utlist.h>

#define JOB        "Job.batch/"
#define DEPLOYMENT "Deployment"

struct owner_count {
    UT_hash_handle hh; /* by namespace */
    char *namespace_;
    size_t n;
};

static struct owner_count *count_of(const struct skr_gang *e, const char *namespace_)
{
    struct owner_count *count = NULL;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->owners.counts, namespace_, count);
    return count;
}

static void count_one_more(struct skr_gang *e, const char *namespace_)
{
    struct owner_count *count = count_of(e, namespace_);
    if (!count) {
        count = skr_alloc(sizeof *count);
        count->namespace_ = skr_strdup(namespace_);
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->owners.counts, count->namespace_,
                      strlen(namespace_), count);
    }
    count->n++;
    e->owners.n++;
}

static void count_drop(struct skr_gang *e, struct owner_count *count)
{
    HASH_DEL(e->owners.counts, count);
    free(count->namespace_);
    free(count);
}

static void count_one_less(struct skr_gang *e, const char *namespace_)
{
    struct owner_count *count = count_of(e, namespace_);
    skr_bug_on(!count);
    e->owners.n--;
    if (--count->n == 0) {
        count_drop(e, count);
    }
}

static bool is_beyond_limits(const struct skr_gang *e, const char *namespace_)
{
    const struct owner_count *count = count_of(e, namespace_);
    return e->owners.n >= SKR_OWNERS_MAX ||
           (e->owners.n >= SKR_OWNERS_MAX / 2 && count && count->n >= SKR_OWNERS_NAMESPACE);
}

/* ---- lists ---- */

static uint32_t bit(size_t i)
{
    return UINT32_C(1) << i;
}

void skr_workload_owners_ask(struct skr_gang *e, const char *kind)
{
    const struct skr_object_type *type;
    for (size_t i = 0; (type = skr_gang_owner_type(i)); i++) {
        if (!(e->owners.asked & bit(i)) && strcmp(type->resource->kind, kind) == 0) {
            e->owners.asked |= bit(i);
            skr_frame_watch(e->frame, type);
        }
    }
}

bool skr_workload_owners_are_coming(const struct skr_gang *e, const char *kind)
{
    const uint32_t coming = e->owners.asked & ~e->owners.listed;
    for (size_t i = 0; coming >> i; i++) {
        if (coming & bit(i) && strcmp(skr_gang_owner_type(i)->resource->kind, kind) == 0) {
            return true;
        }
    }
    return false;
}

bool skr_workload_owners_may_be(const struct skr_gang *e, const struct owner_entry *entry)
{
    char kind[64];
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(entry->key, "/"), entry->key);
    return !entry->owner && skr_workload_owners_are_coming(e, kind);
}

void skr_workload_owners_listed(struct skr_gang *e, const struct skr_object_type *type)
{
    for (size_t i = 0; skr_gang_owner_type(i); i++) {
        e->owners.listed |= skr_gang_owner_type(i) == type ? bit(i) : 0;
    }
}

/* ---- the table ---- */

static void key_of(struct skr_strbuf *b, const char *kind, const char *namespace_, const char *name)
{
    skr_strbuf_add(b, kind);
    skr_strbuf_addc(b, '/');
    skr_strbuf_add(b, namespace_);
    skr_strbuf_addc(b, '/');
    skr_strbuf_add(b, name);
}

static struct owner_entry *find(const struct skr_gang *e, const char *key)
{
    struct owner_entry *entry = NULL;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->owners.table, key, entry);
    return entry;
}

struct owner_entry *skr_workload_owners_find(const struct skr_gang *e, const char *kind,
                                             const char *namespace_, const char *name)
{
    SKR_STRBUF(key);
    key_of(&key, kind, namespace_, name);
    return find(e, key.s);
}

const struct skr_owner *skr_workload_owners_of(const struct skr_gang *e, const struct skr_pod *pod,
                                               const struct skr_workload *w)
{
    if (!*w->owner_kind) {
        return NULL;
    }
    const struct owner_entry *entry =
        skr_workload_owners_find(e, w->owner_kind, pod->meta.namespace_, w->owner);
    const struct skr_owner *owner = entry ? entry->owner : NULL;
    const bool is_it = owner && (!*w->owner_uid || strcmp(w->owner_uid, owner->meta.uid) == 0);
    return is_it ? owner : NULL;
}

const char *skr_workload_owners_job_name(const struct skr_pod *pod)
{
    const size_t n = sizeof JOB - 1;
    return pod->of_job && strncmp(pod->controller, JOB, n) == 0 ? pod->controller + n : "";
}

/* Of a pod whose controller is of that kind; NULL: it is of another, or the object is not known. */
static struct owner_entry *controller_of(const struct skr_gang *e, const struct skr_pod *pod,
                                         const char *kind, const char *full)
{
    const size_t n = strlen(full);
    struct owner_entry *entry =
        strncmp(pod->controller, full, n) == 0
            ? skr_workload_owners_find(e, kind, pod->meta.namespace_, pod->controller + n)
            : NULL;
    const bool is_it =
        entry && entry->owner && strcmp(entry->owner->meta.uid, pod->controller_uid) == 0;
    return is_it ? entry : NULL;
}

const char *skr_workload_owners_above(const struct skr_gang *e, const struct skr_pod *pod)
{
    const struct owner_entry *entry = controller_of(e, pod, "Job", JOB);
    entry = entry ? entry : controller_of(e, pod, "StatefulSet", "StatefulSet.apps/");
    return entry ? entry->owner->above : "";
}

const struct skr_owner *skr_workload_owners_job(const struct skr_gang *e, const struct skr_pod *pod)
{
    struct owner_entry *entry = controller_of(e, pod, "Job", JOB);
    if (entry) {
        entry->counted = true;
    }
    return entry ? entry->owner : NULL;
}

static struct owner_entry *get(struct skr_gang *e, const char *key)
{
    struct owner_entry *entry = find(e, key);
    if (!entry) {
        entry = skr_alloc(sizeof *entry);
        entry->key = skr_strdup(key);
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->owners.table, entry->key, strlen(entry->key),
                      entry);
    }
    return entry;
}

static void drop_if_unused(struct skr_gang *e, struct owner_entry *entry)
{
    if (entry->owner || entry->groups) {
        return;
    }
    HASH_DEL(e->owners.table, entry);
    free(entry->key);
    free(entry);
}

struct owner_entry *skr_workload_owners_put(struct skr_gang *e, struct skr_owner *owner)
{
    SKR_STRBUF(key);
    key_of(&key, owner->kind, owner->meta.namespace_, owner->meta.name);
    struct owner_entry *entry = find(e, key.s);
    if (!entry && is_beyond_limits(e, owner->meta.namespace_)) {
        e->owners.left_out = true;
        skr_owner_destroy(owner);
        return NULL;
    }
    entry = entry ? entry : get(e, key.s);
    struct skr_owner *old = entry->owner;
    const bool is_older = old && owner->meta.resource_version &&
                          owner->meta.resource_version < old->meta.resource_version &&
                          strcmp(owner->meta.uid, old->meta.uid) == 0;
    const bool is_worse =
        owner->defect && old && !old->defect && strcmp(old->meta.uid, owner->meta.uid) == 0;
    if (is_older || is_worse) { /* the last good one counts */
        skr_owner_destroy(owner);
        return NULL;
    }
    const bool same = old && skr_owner_equal(old, owner);
    const skr_time claimed = owner->started;
    owner->started = old && entry->claimed == claimed
                         ? old->started
                         : skr_start_seen(claimed, skr_frame_now(e->frame));
    entry->claimed = claimed;
    if ((old ? old->deadline_s : 0) != owner->deadline_s ||
        (owner->deadline_s > 0 && old && old->started != owner->started)) {
        skr_seen_note(&e->seen, SEEN_JOBS);
    }
    e->owners.n_deadlines += owner->deadline_s > 0;
    e->owners.n_deadlines -= old && old->deadline_s > 0;
    entry->owner = owner;
    entry->counted = entry->counted || !old; /* its pods may have come before */
    if (!old) {
        count_one_more(e, owner->meta.namespace_);
    }
    skr_owner_destroy(old);
    return same ? NULL : entry;
}

struct owner_entry *skr_workload_owners_delete(struct skr_gang *e, const char *kind,
                                               const char *namespace_, const char *name)
{
    struct owner_entry *entry = skr_workload_owners_find(e, kind, namespace_, name);
    if (!entry) {
        return NULL;
    }
    const bool is_read = entry->groups;
    if (entry->owner) {
        count_one_less(e, namespace_);
        e->owners.n_deadlines -= entry->owner->deadline_s > 0;
    }
    skr_owner_destroy(entry->owner);
    entry->owner = NULL;
    drop_if_unused(e, entry);
    return is_read ? entry : NULL;
}

static void link_to(struct skr_gang *e, struct group *g, struct owner_entry *now)
{
    struct owner_entry *old = g->derived.owner;
    if (now == old) {
        return;
    }
    if (old) {
        DL_DELETE2(old->groups, g, derived.prev, derived.next);
        drop_if_unused(e, old);
    }
    g->derived.owner = now;
    if (now) {
        DL_APPEND2(now->groups, g, derived.prev, derived.next);
    }
}

const char *skr_workload_owners_link(struct skr_gang *e, struct group *g, const struct skr_pod *pod)
{
    struct skr_workload w = {.owner_kind = ""};
    SKR_STRBUF(name);
    SKR_STRBUF(key);
    if (pod) {
        skr_workload_of(pod, &w);
        skr_strbuf_add(&name, w.owner);
    }
    if (pod && w.kind == SKR_WORKLOAD_OTHER) {
        skr_workload_deployment_add(pod, &name);
        w.owner_kind = name.len > 0 ? DEPLOYMENT : "";
    }
    if (*w.owner_kind) {
        key_of(&key, w.owner_kind, g->namespace_, name.s);
    }
    link_to(e, g, key.len > 0 ? get(e, key.s) : NULL);
    return w.owner_kind;
}

static bool is_deployment(const struct owner_entry *entry)
{
    return entry && strncmp(entry->key, DEPLOYMENT "/", sizeof DEPLOYMENT) == 0;
}

const struct skr_owner *skr_workload_owners_of_group(const struct group *g)
{
    const struct owner_entry *entry = g->derived.owner;
    return entry && !is_deployment(entry) ? entry->owner : NULL;
}

bool skr_workload_owners_roll_out(const struct group *g, const struct group *h)
{
    return g != h && is_deployment(g->derived.owner) && g->derived.owner == h->derived.owner &&
           strchr(g->name, '/') && strchr(h->name, '/');
}

void skr_workload_owners_fini(struct skr_gang *e)
{
    struct owner_entry *entry, *tmp;
    HASH_ITER(hh, e->owners.table, entry, tmp)
    {
        HASH_DEL(e->owners.table, entry);
        skr_owner_destroy(entry->owner);
        free(entry->key);
        free(entry);
    }
    struct owner_count *count, *next;
    HASH_ITER(hh, e->owners.counts, count, next)
    {
        count_drop(e, count);
    }
}
