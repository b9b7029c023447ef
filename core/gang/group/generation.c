/* SPDX-License-Identifier: Apache-2.0 */
/* Which generation of a group pods are of, and when one has ended. */
#include "core/gang/group/generation.h"

#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/state/map_entry.h"

#include <string.h>
#include <utlist.h>

/* ---- groups of workloads, by a text ---- */

/* Whether the group is one replica of its workload: all replicas of a LeaderWorkerSet have a leader
 * each. */
static bool is_of_one_leader(const struct group *g, const struct skr_workload *w)
{
    return w->kind != SKR_WORKLOAD_LWS || strchr(strchr(g->name, '/') + 1, '/');
}

/* The leader of a worker whose StatefulSet is not known, or may not be read: the newest one that is
 * older than the worker. Without one it is of a leader that is gone. O(members). */
static const char *leader_of(const struct group *g, const struct pod_entry *worker)
{
    const struct pod_entry *p, *leader = NULL;
    DL_FOREACH(g->members, p)
    {
        if (p->pod->index[SKR_POD_INDEX_LWS] == 0 &&
            p->pod->meta.created <= worker->pod->meta.created &&
            (!leader || p->pod->meta.created > leader->pod->meta.created)) {
            leader = p;
        }
    }
    return leader ? leader->pod->meta.uid : "gone";
}

/* Pods with different values never run in one gang. The value of a derived group comes from its
 * workload; without one the pod may be of any. */
static void add_generation_of(const struct skr_gang *e, const struct group *g,
                              const struct pod_entry *p, struct skr_strbuf *b)
{
    struct skr_workload w;
    if (!skr_entry_is_derived(g->name)) {
        skr_strbuf_add(b, p->pod->controller_uid);
        return;
    }
    skr_workload_of(p->pod, &w);
    if (is_of_one_leader(g, &w)) {
        const char *above = skr_workload_owners_above(e, p->pod);
        above = w.kind == SKR_WORKLOAD_LWS && !*above ? leader_of(g, p) : above;
        skr_workload_generation_add(p->pod, &w, above, b);
    }
}

static bool has_generation(const struct group *g, const struct skr_strbuf *b)
{
    bool has = b->len == 0 && skr_entry_is_derived(g->name);
    for (size_t i = 0; !has && i < g->generation.n; i++) {
        has = strcmp(g->generation.controller[i], b->s) == 0;
    }
    return has;
}

void skr_generation_join(const struct skr_gang *e, struct group *g, const struct pod_entry *p)
{
    SKR_STRBUF(b);
    add_generation_of(e, g, p, &b);
    if (!has_generation(g, &b)) {
        skr_grow(&g->generation.controller, &g->generation.cap, g->generation.n + 1,
                 sizeof *g->generation.controller);
        g->generation.controller[g->generation.n++] = skr_strdup(b.s);
    }
}

void skr_generation_reset(struct group *g)
{
    for (size_t i = 0; i < g->generation.n; i++) {
        free(g->generation.controller[i]);
    }
    g->generation.n = 0;
    g->generation.succeeded = false;
}

bool skr_generation_has_begun(const struct group *g)
{
    return g->generation.n > 0;
}

void skr_generation_youngest(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    const struct pod_entry *p, *youngest = NULL;
    DL_FOREACH(g->members, p)
    {
        SKR_STRBUF(of);
        if (skr_pod_is_live(p->pod) &&
            (!youngest || skr_meta_is_older(&youngest->pod->meta, &p->pod->meta))) {
            add_generation_of(e, g, p, &of);
            youngest = of.len > 0 ? p : youngest;
        }
    }
    if (youngest) {
        add_generation_of(e, g, youngest, b);
    }
}

bool skr_generation_may_be(const struct skr_gang *e, const struct group *g,
                           const struct pod_entry *p, const struct skr_strbuf *generation)
{
    SKR_STRBUF(of);
    if (generation->len > 0) {
        add_generation_of(e, g, p, &of);
    }
    return of.len == 0 || strcmp(of.s, generation->s) == 0;
}

/* ---- native PodGroups, by times ---- */

/* NULL: the group has none. */
static const struct skr_podgroup *native_of(const struct group *g)
{
    const struct podgroup_entry *entry = g->source.podgroup;
    return entry && entry->pg->native ? entry->pg : NULL;
}

bool skr_generation_is_earlier(const struct group *g)
{
    const struct skr_podgroup *pg = native_of(g);
    const struct pod_entry *p;
    DL_FOREACH(pg ? g->members : NULL, p)
    {
        if (skr_pod_is_live(p->pod) && skr_pods_is_bound(p) && p->pod->bound_at &&
            p->pod->bound_at < pg->meta.created) {
            return true;
        }
    }
    return false;
}

/* Whether members of an earlier PodGroup run, and the pod is of the present one. */
static bool is_of_next_podgroup(const struct group *g, const struct pod_entry *p)
{
    const struct skr_podgroup *pg = native_of(g);
    return g->generation.earlier && pg && p->pod->meta.created >= pg->meta.created;
}

/* ---- all groups ---- */

bool skr_generation_may_replace(const struct skr_gang *e, const struct group *g,
                                const struct pod_entry *p)
{
    const bool open = g->spec && g->spec->open && g->spec->most == 0;
    const bool replaces = !skr_entry_is_derived(g->name) && (open || !p->pod->of_job);
    if (is_of_next_podgroup(g, p)) {
        return false;
    }
    if ((!g->generation.succeeded && replaces) || g->generation.n == 0) {
        return true;
    }
    SKR_STRBUF(b);
    add_generation_of(e, g, p, &b);
    return has_generation(g, &b);
}

/* ---- the end of a generation ---- */

void skr_generation_note_success(struct group *g)
{
    g->generation.succeeded = true;
}

void skr_generation_count_success(struct group *g, struct pod_entry *p)
{
    p->done = true;
    g->generation.n_succeeded++;
}

bool skr_generation_is_finished(const struct group *g)
{
    return g->generation.finished;
}

void skr_generation_start(struct group *g)
{
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        p->done = false;
    }
    g->generation.finished = false;
    g->generation.n_succeeded = 0;
    g->seats.gang_plugin = false;
}

void skr_generation_note_end(struct group *g, size_t size)
{
    const struct pod_entry *p;
    bool others = false;
    if (g->seats.n_live > 0) {
        if (g->generation.finished) {
            skr_generation_start(g);
        }
        return;
    }
    DL_FOREACH(g->members, p)
    {
        others = others || p->pod->phase != SKR_POD_SUCCEEDED;
    }
    bool enough = size > 0 && g->generation.n_succeeded >= size;
    if (g->generation.n_succeeded > 0 && (enough || !others)) {
        g->generation.finished = true;
    }
}

void skr_generation_restore_end(struct skr_gang *e, struct group *g, bool finished,
                                const char *rank)
{
    skr_generation_start(g);
    for (const char *at = rank ? strchr(rank, '(') : NULL; at; at = strchr(at, '(')) {
        char name[256];
        size_t length = strcspn(++at, ",");
        if (length < sizeof name) {
            memcpy(name, at, length);
            name[length] = '\0';
            struct pod_entry *p = skr_pods_find_name(e, g->namespace_, name);
            if (p && p->group == g && p->pod->phase == SKR_POD_SUCCEEDED && skr_pods_is_bound(p)) {
                skr_generation_count_success(g, p);
            }
        }
    }
    g->generation.finished = finished;
}
