/* SPDX-License-Identifier: Apache-2.0 */
/* A table of claims by name; each pod has a list of its own. */
#include "core/gang/group/device_holds.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/group/claims.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"
#include "topology/base/table.h"

#include <string.h>
#include <utlist.h>

struct device_hold {
    UT_hash_handle hh; /* by key */
    char *key, *namespace_, *name, *pod_uid;
    uint64_t version, tried; /* tried: the version that was patched last; 0: none */
    bool reserved, fabric;
    uint64_t write;                  /* in flight; 0: none */
    struct pod_entry *pod;           /* NULL: not known yet */
    struct device_hold *prev, *next; /* in pod->work->holds */
};

/* ---- entries ---- */

static struct device_hold *find(const struct skr_gang *e, const char *key)
{
    struct device_hold *hold = NULL;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->device_holds.table, key, hold);
    return hold;
}

static void drop(struct skr_gang *e, struct device_hold *hold)
{
    struct pod_entry *p = hold->pod;
    if (p) {
        struct pod_work *work = skr_pods_work(p);
        DL_DELETE(work->holds, hold);
        if (p->group) {
            skr_dirty_member(e, p->group);
        }
    }
    HASH_DEL(e->device_holds.table, hold);
    free(hold->key);
    free(hold->namespace_);
    free(hold->name);
    free(hold->pod_uid);
    free(hold);
}

/* Owner references name uids: one of another namespace is not believed. */
static bool may_hold(const struct pod_entry *p, const char *namespace_)
{
    return p && p->group && !skr_pods_is_bound(p) && skr_pod_is_live(p->pod) &&
           strcmp(p->pod->meta.namespace_, namespace_) == 0;
}

static void attach(struct skr_gang *e, struct device_hold *hold, struct pod_entry *p)
{
    struct pod_work *work = skr_pods_work(p);
    hold->pod = p;
    DL_APPEND(work->holds, hold);
    skr_dirty_member(e, p->group);
}

static struct device_hold *create(struct skr_gang *e, const struct skr_device_claim *claim,
                                  const char *key)
{
    struct device_hold *hold = skr_alloc(sizeof *hold);
    hold->key = skr_strdup(key);
    hold->namespace_ = skr_strdup(claim->meta.namespace_);
    hold->name = skr_strdup(claim->meta.name);
    hold->pod_uid = skr_strdup(claim->pod_uid);
    SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->device_holds.table, hold->key, strlen(hold->key),
                  hold);
    return hold;
}

void skr_device_holds_upsert(struct skr_gang *e, const struct skr_device_claim *claim)
{
    SKR_AUTO_FREE char *key = skr_object_key(claim->meta.namespace_, claim->meta.name);
    struct device_hold *hold = find(e, key);
    struct pod_entry *p = skr_pods_find(e, claim->pod_uid);
    const bool early = !p && !skr_frame_is_synced(e->frame);
    if (!*claim->pod_uid || !claim->allocated || !(early || may_hold(p, claim->meta.namespace_))) {
        if (hold) {
            drop(e, hold);
        }
        return;
    }
    hold = hold ? hold : create(e, claim, key);
    hold->version = claim->meta.resource_version;
    hold->reserved = claim->n_reserved > 0;
    hold->fabric = claim->fabric;
    if (p && !hold->pod) {
        attach(e, hold, p);
    }
    if (p) {
        skr_dirty_member(e, p->group);
    }
}

void skr_device_holds_delete(struct skr_gang *e, const char *namespace_, const char *name)
{
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    struct device_hold *hold = find(e, key);
    if (hold) {
        drop(e, hold);
    }
}

void skr_device_holds_begin(struct skr_gang *e)
{
    struct device_hold *hold, *next;
    HASH_ITER(hh, e->device_holds.table, hold, next)
    {
        struct pod_entry *p = skr_pods_find(e, hold->pod_uid);
        if (!may_hold(p, hold->namespace_)) {
            drop(e, hold);
        } else if (!hold->pod) {
            attach(e, hold, p);
        }
    }
}

void skr_device_holds_forget(struct skr_gang *e, struct pod_entry *p)
{
    while (p->work->holds) {
        drop(e, p->work->holds);
    }
}

void skr_device_holds_fini(struct skr_gang *e)
{
    struct device_hold *hold, *next;
    HASH_ITER(hh, e->device_holds.table, hold, next)
    {
        drop(e, hold);
    }
}

/* ---- leftovers ---- */

static void release(struct skr_gang *e, struct device_hold *hold)
{
    const struct skr_meta meta = {.namespace_ = hold->namespace_, .name = hold->name};
    SKR_STRBUF(b);
    skr_strbuf_addf(
        &b, "{\"metadata\":{\"resourceVersion\":\"%llu\"},\"status\":{\"allocation\":null}}",
        (unsigned long long)hold->version);
    hold->tried = hold->version;
    hold->write = skr_out_write(e, SKR_WRITE_RELEASE_CLAIM, SKR_WRITE_CLASS_MEMBER, 0, &meta, &b,
                                WRITE_FOR_CLAIM, hold->key)
                      ->id;
}

static bool is_denied(const struct skr_gang *e)
{
    return skr_frame_now(e->frame) < e->device_holds.denied_until;
}

/* Whether the setting asks for its release. */
static bool is_wanted(const struct skr_gang *e, const struct device_hold *hold)
{
    const enum skr_devices_release release = e->settings.devices_release;
    return release == SKR_DEVICES_ALL || (release == SKR_DEVICES_FABRIC && hold->fabric);
}

static bool holds_wanted(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct device_hold *hold = p->work->holds;
    while (hold && !is_wanted(e, hold)) {
        hold = hold->next;
    }
    return hold;
}

bool skr_device_holds_leftover(const struct skr_gang *e, const struct group *g)
{
    const struct pod_entry *p = e->device_holds.table && !is_denied(e) ? g->members : NULL;
    while (p && !(holds_wanted(e, p) && !skr_pods_was_accepted(p))) {
        p = p->next;
    }
    return p;
}

static bool is_leftover(const struct device_hold *hold)
{
    return hold->pod && !hold->pod->plan && !hold->reserved;
}

size_t skr_device_holds_count(const struct skr_gang *e)
{
    const struct device_hold *hold;
    size_t n = 0;
    for (hold = e->device_holds.table; hold; hold = hold->hh.next) {
        n += is_leftover(hold);
    }
    return n;
}

const struct pod_entry *skr_device_holds_kept(const struct skr_gang *e, const struct group *g,
                                              const char **ret_claim)
{
    const struct pod_entry *p, *first = NULL;
    DL_FOREACH(e->device_holds.table && is_denied(e) ? g->members : NULL, p)
    {
        const struct device_hold *hold = p->work->holds;
        while (hold && !(is_leftover(hold) && is_wanted(e, hold))) {
            hold = hold->next;
        }
        if (hold && (!first || strcmp(p->pod->meta.name, first->pod->meta.name) < 0)) {
            first = p;
            *ret_claim = hold->name;
        }
    }
    return first;
}

void skr_device_holds_settle(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    bool holds = false;
    const bool denied = is_denied(e);
    DL_FOREACH(e->device_holds.table && !g->plan ? g->members : NULL, p)
    {
        struct device_hold *hold;
        DL_FOREACH(p->plan || skr_pods_is_bound(p) ? NULL : p->work->holds, hold)
        {
            if (!is_wanted(e, hold)) {
                continue;
            }
            const bool is_free =
                !hold->reserved && !p->work->vote.request && !skr_claims_assumed_on(p);
            holds = !denied;
            if (denied) {
                skr_wakes_group(e, g, e->device_holds.denied_until);
            } else if (is_free && !hold->write && hold->tried != hold->version) {
                release(e, hold);
            }
        }
    }
    const skr_time now = skr_frame_now(e->frame);
    if (!holds) {
        if (g->claims.holds_until) {
            g->claims.holds_until = 0;
            if (!g->plan) {
                skr_vetoes_end_doubtful(e, g);
            }
            skr_dirty_plan(e);
        }
        return;
    }
    if (!g->claims.holds_until) {
        g->claims.holds_until = now + SKR_HOLDS_S * SKR_SECOND;
    }
    if (g->claims.holds_until > now) {
        skr_wakes_group(e, g, g->claims.holds_until);
    } else {
        skr_dirty_plan(e);
    }
}

void skr_device_holds_written(struct skr_gang *e, const struct skr_pending_write *w,
                              struct skr_event *ev)
{
    struct device_hold *hold = find(e, w->key);
    if (!hold || hold->write != w->id) {
        return;
    }
    hold->write = 0;
    const enum skr_write_outcome outcome = ev->written.outcome;
    const bool never = outcome == SKR_WRITE_DENIED || outcome == SKR_WRITE_INVALID;
    e->stats.releases[outcome == SKR_WRITE_OK         ? SKR_RELEASE_DONE
                      : outcome == SKR_WRITE_CONFLICT ? SKR_RELEASE_CONFLICT
                      : never                         ? SKR_RELEASE_DENIED
                                                      : SKR_RELEASE_FAILED]++;
    if (outcome == SKR_WRITE_OK) {
        e->device_holds.denied_until = 0;
        drop(e, hold);
        return;
    }
    if (never) {
        hold->tried = 0;
        if (e->device_holds.denied_until == 0) {
            skr_out_decision(e, hold->pod && hold->pod->group ? hold->pod->group->key : "",
                             hold->pod ? hold->pod->key : "", "Devices are left to kube-scheduler",
                             "", ev->written.message, true);
        }
        e->device_holds.denied_until = skr_frame_now(e->frame) + SKR_DENIED_S * SKR_SECOND;
    }
    if (hold->pod && hold->pod->group) {
        skr_dirty_member(e, hold->pod->group);
    }
}
