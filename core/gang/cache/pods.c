/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pod cache: lookups, and facts about one pod; pod_changes.c has the meaning of a change. The
 * ledger knows the uids of residents: all of them are charged, and no other pod without an entry is
 * charged as bound.
 */
#include "core/gang/cache/pods.h"

#include "core/gang/state/reason.h"
#include "core/group/group.h"

#include <string.h>

/* ---- what is under way ---- */

const struct pod_work pods_no_work;

struct pod_work *skr_pods_work(struct pod_entry *p)
{
    if (p->work == &pods_no_work) {
        p->own_work = skr_alloc(sizeof *p->own_work);
    }
    return p->own_work;
}

void skr_pods_drop_work(struct pod_entry *p)
{
    if (p->work == &pods_no_work) {
        return;
    }
    free(p->own_work->evict.by);
    free(p->own_work);
    p->work = &pods_no_work;
}

/* No call is open, no retry is due, no write is owed. */
static bool is_over(const struct pod_work *w, skr_time now)
{
    const bool writes = w->patch.write || w->bind.write || w->removal.write || w->evict.write;
    const bool fails = w->patch.failures || w->bind.failures || w->removal.failures;
    const bool doubt = w->patch.must_read || w->patch.clears || w->patch.owes || w->bind.unknown;
    const bool listed = w->nominated_on || w->binding_queued || w->claims_on;
    const bool undone = skr_undone_lasts(&w->patch.undone, now);
    return !listed && !undone && !writes && !fails && !doubt && w->patch.at <= now &&
           !w->vote.request && !w->single.asked_at && !w->removal.confirmed && !w->evict.by;
}

void skr_pods_rest(const struct skr_gang *e, struct pod_entry *p)
{
    if (p->work != &pods_no_work && skr_pods_is_bound(p) && !p->plan &&
        is_over(p->work, skr_frame_now(e->frame))) {
        skr_pods_drop_work(p);
    }
}

/* ---- finding entries ---- */

static struct pod_entry *entry_at(const struct skr_gang *e, uint32_t number)
{
    return *(struct pod_entry **)skr_slab_at(&e->pods.item, number);
}

static uint32_t hash_of(const struct skr_gang *e, const char *text)
{
    return (uint32_t)skr_hash_keyed(&e->settings.hash_seed, text, strlen(text));
}

void skr_pods_enter(struct skr_gang *e, struct pod_entry *p)
{
    e->pods.item.size = sizeof(struct pod_entry *);
    p->number = skr_slab_add(&e->pods.item);
    *(struct pod_entry **)skr_slab_at(&e->pods.item, p->number) = p;
    skr_hash_index_add(&e->pods.by_uid, hash_of(e, p->uid), p->number);
    skr_hash_index_add(&e->pods.by_name, hash_of(e, p->key), p->number);
}

void skr_pods_leave(struct skr_gang *e, struct pod_entry *p)
{
    skr_hash_index_remove(&e->pods.by_uid, hash_of(e, p->uid), p->number);
    skr_hash_index_remove(&e->pods.by_name, hash_of(e, p->key), p->number);
    skr_slab_remove(&e->pods.item, p->number);
}

size_t skr_pods_count(const struct skr_gang *e)
{
    return e->pods.item.n;
}

struct pod_entry *skr_pods_next(const struct skr_gang *e, size_t *at)
{
    uint32_t number;
    return skr_slab_next(&e->pods.item, at, &number) ? entry_at(e, number) : NULL;
}

struct pod_entry *skr_pods_find(const struct skr_gang *e, const char *uid)
{
    uint32_t number;
    for (size_t at = 0;
         uid && *uid && skr_hash_index_next(&e->pods.by_uid, hash_of(e, uid), &at, &number);) {
        struct pod_entry *p = entry_at(e, number);
        if (strcmp(p->uid, uid) == 0) {
            return p;
        }
    }
    return NULL;
}

struct pod_entry *skr_pods_find_name(const struct skr_gang *e, const char *namespace_,
                                     const char *name)
{
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    const uint32_t hash = hash_of(e, key);
    uint32_t number;
    for (size_t at = 0; skr_hash_index_next(&e->pods.by_name, hash, &at, &number);) {
        struct pod_entry *p = entry_at(e, number);
        if (strcmp(p->key, key) == 0) {
            return p;
        }
    }
    return NULL;
}

const char *skr_pods_resident_node(const struct skr_gang *e, const char *uid)
{
    enum skr_charge_kind kind;
    const char *node =
        uid && *uid && !skr_pods_find(e, uid) ? skr_ledger_find(e->ledger, uid, &kind) : NULL;
    return node && kind == SKR_CHARGE_BOUND ? node : NULL;
}

bool skr_pods_has_seat(const struct pod_entry *p)
{
    return p->seated && skr_pod_is_live(p->pod);
}

bool skr_pods_was_accepted(const struct pod_entry *p)
{
    return p->work->activation.asked || p->work->vote.given;
}

bool skr_pods_is_bound(const struct pod_entry *p)
{
    return p->pod->node_name[0] != '\0';
}

static size_t profile_named(const struct skr_gang *e, const char *name)
{
    size_t i = 0;
    while (i < e->settings.n_scheduler_names && strcmp(name, e->settings.scheduler_name[i]) != 0) {
        i++;
    }
    return i;
}

bool skr_pods_is_our_scheduler(const struct skr_gang *e, const char *name)
{
    return profile_named(e, name) < e->settings.n_scheduler_names;
}

size_t skr_pods_profile(const struct skr_gang *e, const struct skr_pod *pod)
{
    return profile_named(e, pod->scheduler_name);
}

bool skr_pods_is_ours(const struct skr_gang *e, const struct skr_pod *pod)
{
    return skr_pods_is_our_scheduler(e, pod->scheduler_name);
}

const char *skr_pods_group_name(const struct skr_pod *pod)
{
    const char *name = skr_labels_get(&pod->meta.labels, SKR_LABEL_GROUP);
    if (!name || !*name) {
        name = skr_labels_get(&pod->meta.labels, SKR_LABEL_POD_GROUP);
    }
    return name && *name ? name : NULL;
}

/* ---- ordinary pods ---- */

bool skr_pods_is_waiting(const struct pod_entry *p)
{
    return p->ours && !p->group && !skr_pods_is_bound(p) && skr_pod_is_live(p->pod) &&
           !p->pod->gate && !p->pod->foreign_gate;
}

void skr_pods_note_leaving(struct skr_gang *e, struct pod_entry *p, bool gone)
{
    bool is = !gone && skr_pods_is_bound(p) && !skr_pods_is_terminal(p->pod) &&
              (p->pod->meta.deleting || p->work->evict.by);
    e->n_leaving += (size_t)is;
    e->n_leaving -= (size_t)p->leaving;
    p->leaving = is;
}

enum { CLOCKS_DIFFER_S = 2 * 3600 }; /* at most */

void skr_pods_note_deletion(const struct skr_gang *e, struct pod_entry *p,
                            const struct skr_pod *old)
{
    const struct skr_meta *meta = &p->pod->meta;
    const int32_t grace = meta->deletion_grace_s;
    const skr_time now = skr_frame_now(e->frame);
    if (!meta->deleting) {
        p->leaves_by = 0;
    } else if (old && old->meta.deleting && grace >= 0 && old->meta.deletion_grace_s != grace) {
        p->leaves_by = now + grace * SKR_SECOND; /* from now on, whenever the first request came */
    } else if (grace < 0 || meta->deleted_at < now - CLOCKS_DIFFER_S * SKR_SECOND) {
        p->leaves_by = meta->deleted_at;
    } else if (!old || !old->meta.deleting) {
        p->leaves_by = now + grace * SKR_SECOND;
    }
}

void skr_pods_forget_eviction(struct skr_gang *e, struct pod_entry *p)
{
    if (p->work != &pods_no_work) {
        struct pod_work *work = skr_pods_work(p);
        free(work->evict.by);
        work->evict.by = NULL;
        work->evict.at = 0;
        work->evict.failures = 0;
        work->evict.blocked = false;
        work->evict.force = FORCE_NONE;
    }
    skr_pods_note_leaving(e, p, false);
}

bool skr_pods_is_terminal(const struct skr_pod *pod)
{
    return pod->phase == SKR_POD_SUCCEEDED || pod->phase == SKR_POD_FAILED;
}

int32_t skr_pods_rank_label(const struct pod_entry *p)
{
    const char *text = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_RANK);
    char *end;
    long v = text && *text ? strtol(text, &end, 10) : -1;
    return v < 0 || v > SKR_GROUP_SIZE_MAX || *end ? -1 : (int32_t)v;
}

const char *skr_pods_label(const struct pod_entry *p, const char *key)
{
    const char *value = skr_labels_get(&p->pod->meta.labels, key);
    return value ? value : "";
}

bool skr_pods_was_tried(const struct skr_pod *pod)
{
    return *pod->scheduled_message && strcmp(pod->scheduled_reason, "SchedulingGated") != 0;
}

const char *skr_pods_scheduler_says(const struct skr_pod *pod)
{
    const bool says =
        skr_pods_was_tried(pod) && strcmp(pod->scheduled_message, SKR_TEXT_ASKED_AGAIN) != 0;
    return says ? pod->scheduled_message : "";
}

const char *skr_pods_scheduler_answer(const struct pod_entry *p)
{
    const char *says = skr_pods_scheduler_says(p->pod);
    return skr_hash_string(says) != p->work->activation.said ? says : "";
}

const char *skr_pods_annotation(const struct pod_entry *p)
{
    const char *text = skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_PLAN);
    return text ? text : "";
}
