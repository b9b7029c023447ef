/* SPDX-License-Identifier: Apache-2.0 */
/* Which generation of a group pods are of, and when one has ended. */
#include "core/gang/group/generation.h"

#include "core/gang/cache/dirty.h"
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
    skr_workload_of(p->pod, &w);
    if (!skr_entry_is_derived(g->name) && w.kind != SKR_WORKLOAD_JOBSET) {
        skr_strbuf_add(b, p->pod->controller_uid);
        return;
    }
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

/* As many as its size have Succeeded. */
static bool is_enough(const struct group *g)
{
    return g->spec && g->generation.n_succeeded >= (size_t)g->spec->size;
}

static bool any_is_done(const struct group *g)
{
    const struct pod_entry *p = g->members;
    while (p && !p->done) {
        p = p->next;
    }
    return p;
}

/* Whether the controller of the pod makes no second run, or its run is not over. One without a controller goes on
 * beside what is there of its run. */
static bool may_go_on(const struct group *g, const struct pod_entry *p)
{
    struct skr_workload w;
    skr_workload_of(p->pod, &w);
    if (w.kind != SKR_WORKLOAD_OTHER && !skr_workload_makes_again(w.kind)) {
        return true;
    }
    return !g->generation.finished ||
           (!is_enough(g) && (*p->pod->controller_uid || any_is_done(g)));
}

bool skr_generation_goes_on(const struct skr_gang *e, const struct group *g)
{
    const struct pod_entry *p;
    bool goes = false;
    if (skr_entry_is_derived(g->name) || !g->generation.succeeded || g->generation.n == 0) {
        return false;
    }
    DL_FOREACH(g->members, p)
    {
        SKR_STRBUF(b);
        if (goes || !skr_pod_is_live(p->pod) || skr_pods_is_bound(p) || !may_go_on(g, p)) {
            continue;
        }
        add_generation_of(e, g, p, &b);
        goes = has_generation(g, &b) && !is_of_next_podgroup(g, p);
    }
    return goes;
}

/* ---- members that are not made again ---- */

/* What the pods of all controllers come to. */
struct ends {
    const struct skr_gang *e;
    struct group *g;
    bool derived, stated; /* stated: no owner says the size */
    int64_t total, gone;
    int64_t done;    /* members that have succeeded and still exist */
    int64_t cleared; /* others that have succeeded, and that their Jobs count */
    bool ran;        /* members of a Job have succeeded, so the gang has run as a whole */
};

/* Pods of one controller. */
struct lot {
    const struct pod_entry *first; /* one that lives, if any does */
    int32_t live, succeeded, done;
};

static int by_controller(const void *a, const void *b)
{
    const struct pod_entry *p = *(struct pod_entry *const *)a, *q = *(struct pod_entry *const *)b;
    return strcmp(p->pod->controller_uid, q->pod->controller_uid);
}

static void add_gone(struct ends *s, const struct pod_entry *p, int64_t n)
{
    const struct group *g = s->g;
    const size_t r =
        g->roles.keyed && p->role_name ? skr_group_role_find(g->spec, p->role_name) : g->roles.n;
    s->gone += n;
    if (r < g->roles.n) {
        g->roles.item[r].ended += (int32_t)n;
    }
}

static void add_job(struct ends *s, const struct lot *lot)
{
    const struct skr_pod *pod = lot->first->pod;
    const struct skr_owner *job = skr_workload_owners_job(s->e, pod);
    int64_t gone = lot->succeeded;
    s->ran = s->ran || lot->succeeded > 0 || (job && job->succeeded > 0);
    if (job && job->n_parts > 0) {
        const int32_t never = s->stated ? job->part->never : 0;
        s->cleared += job->succeeded > lot->succeeded ? job->succeeded - lot->succeeded : 0;
        gone = skr_owner_done(job, "", lot->succeeded, lot->live) + never;
        s->total += (int64_t)job->part->pods + never;
    } else if (s->derived) {
        struct skr_workload w;
        skr_workload_of(pod, &w);
        const struct skr_owner *owner = skr_workload_owners_of(s->e, pod, &w);
        gone = owner ? skr_owner_done(owner, w.part, lot->succeeded, lot->live) : gone;
    }
    add_gone(s, lot->first, gone);
}

static void add_lot(struct ends *s, struct pod_entry *const *list, size_t n)
{
    struct lot lot = {.first = list[0]};
    struct skr_workload w;
    for (size_t i = 0; i < n; i++) {
        const bool live = skr_pod_is_live(list[i]->pod);
        lot.first = live ? list[i] : lot.first;
        lot.live += live;
        lot.succeeded += !live;
        lot.done += !live && list[i]->done;
    }
    s->done += lot.done;
    if (lot.first->pod->of_job) {
        if (s->derived || lot.live > 0 || lot.done > 0) { /* else it is of an earlier generation */
            add_job(s, &lot);
        }
        return;
    }
    skr_workload_of(lot.first->pod, &w);
    for (size_t i = 0; i < n && !skr_workload_makes_again(w.kind); i++) {
        if (!skr_pod_is_live(list[i]->pod) && (s->derived || list[i]->done)) {
            add_gone(s, list[i], 1);
        }
    }
}

/* Live members, and those that have Succeeded; free(). Of a derived group, those of its generation. */
static struct pod_entry **ended_or_live(const struct ends *s, size_t *ret_n)
{
    SKR_STRBUF(generation);
    struct pod_entry **list = skr_alloc_array(s->g->n_members + 1, sizeof *list), *p;
    bool mixed = false;
    size_t n = 0;
    if (s->derived) {
        skr_generation_youngest(s->e, s->g, &generation);
    }
    DL_FOREACH(s->g->members, p)
    {
        const bool ended = p->pod->phase == SKR_POD_SUCCEEDED && skr_pods_is_bound(p);
        if (skr_pod_is_live(p->pod) ||
            (ended && (!s->derived || skr_generation_may_be(s->e, s->g, p, &generation)))) {
            list[n++] = p;
            mixed = mixed || by_controller(&list[0], &list[n - 1]) != 0;
        }
    }
    if (mixed) {
        qsort(list, n, sizeof *list, by_controller);
    }
    *ret_n = n;
    return list;
}

/* The object of a derived group says how many there are in all, also before they are seen. */
static int64_t total_of(const struct ends *s, const struct pod_entry *any)
{
    struct skr_workload w;
    const char *unknown;
    skr_workload_of(any->pod, &w);
    const struct skr_owner *owner = skr_workload_owners_of(s->e, any->pod, &w);
    const int64_t all =
        owner ? skr_owner_total(owner, &w, skr_entry_scope(s->e, any->pod, &w, &unknown)) : 0;
    return all > s->total ? all : s->total;
}

/* Whether a member of the role of the key has a seat. O(members). */
static bool role_lives(const struct group *g, size_t role)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->seated && p->role == role && skr_pod_is_live(p->pod)) {
            return true;
        }
    }
    return false;
}

/* Members that were deleted after their success, with Jobs that count them no more. Of roles by hand they
 * were those of which none lives. */
static void add_cleared(struct ends *s)
{
    const struct group *g = s->g;
    int64_t left = (int64_t)g->generation.n_succeeded - s->done - s->cleared;
    if (left <= 0 || !skr_generation_goes_on(s->e, g)) {
        return;
    }
    s->total += left;
    s->gone += left;
    for (size_t r = 0; g->roles.keyed && r < g->roles.n; r++) {
        struct role *role = &g->roles.item[r];
        const int32_t lacks = role->minimum - role->ended;
        if (lacks > 0 && lacks <= left && !role_lives(g, r)) {
            role->ended += lacks;
            left -= lacks;
        }
    }
}

static int32_t between(int64_t n, int32_t most)
{
    return n < 0 ? 0 : n > most ? most : (int32_t)n;
}

/* Whether one Job made all members. O(members). */
static bool is_of_one_job(const struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (!p->pod->of_job ||
            strcmp(p->pod->controller_uid, g->members->pod->controller_uid) != 0) {
            return false;
        }
    }
    return g->generation.n <= 1;
}

/* Those that are not made again come off what is beyond the size first. If the Job was scaled down
 * since the gang ran, it makes as many fewer. A total of 0 is not known. */
static void set_ended(struct group *g, const struct ends *s)
{
    const int32_t size = g->spec->size;
    const int64_t beyond = s->total - size;
    const bool counts = beyond > 0 || (s->total > 0 && s->ran && is_of_one_job(g));
    g->generation.ended = between(s->gone - (counts ? beyond : 0), size);
    for (size_t r = 0; r < g->roles.n; r++) {
        g->roles.item[r].ended = between(g->roles.item[r].ended, g->roles.item[r].minimum);
    }
}

static void count_ended(const struct skr_gang *e, struct group *g)
{
    struct ends s = {.e = e, .g = g, .derived = skr_entry_is_derived(g->name)};
    size_t n = 0;
    SKR_AUTO_FREE struct pod_entry **list = ended_or_live(&s, &n);
    s.stated = !s.derived || skr_labels_get(&list[0]->pod->meta.annotations, SKR_LABEL_GROUP_SIZE);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (i + 1 == n || by_controller(&list[i], &list[i + 1]) != 0) {
            add_lot(&s, &list[first], i + 1 - first);
            first = i + 1;
        }
    }
    add_cleared(&s);
    s.total = s.derived ? total_of(&s, list[0]) : s.total;
    set_ended(g, &s);
}

void skr_generation_count_ended(const struct skr_gang *e, struct group *g)
{
    const int32_t before = g->generation.ended;
    g->generation.ended = 0;
    for (size_t r = 0; r < g->roles.n; r++) {
        g->roles.item[r].ended = 0;
    }
    if (g->spec && g->seats.n_live > 0 &&
        (g->roles.keyed || g->seats.n_bound + g->seats.n_ready < (size_t)g->spec->size)) {
        count_ended(e, g);
    }
    if (g->generation.ended != before) { /* its rules are others: cache/rules.h */
        skr_dirty_input(g);
    }
}

/* ---- the end of a generation ---- */

void skr_generation_read_owner(struct skr_gang *e, struct group *g, const struct pod_entry *p)
{
    skr_workload_owners_ask(e, skr_workload_owners_link(e, g, p->pod));
}

/* Of a group that is one replica of a LeaderWorkerSet; -1: it is none. */
static int32_t replica_of(const struct group *g)
{
    const char *last = strrchr(g->name, '/');
    const bool is = strncmp(g->name, "lws/", 4) == 0 && last != g->name + 3;
    return is ? (int32_t)strtol(last + 1, NULL, 10) : -1;
}

bool skr_generation_is_made_again(const struct skr_gang *e, const struct group *g)
{
    const struct owner_entry *owner = g->derived.owner;
    const struct pod_entry *p;
    if (owner && owner->owner && !owner->owner->defect) {
        return skr_owner_makes_pods(owner->owner, replica_of(g));
    }
    DL_FOREACH(g->members, p)
    {
        if (skr_pod_is_live(p->pod) && !skr_pods_is_bound(p)) {
            return true;
        }
    }
    return owner && skr_workload_owners_may_be(e, owner);
}

size_t skr_generation_later_size(const struct group *g)
{
    const struct skr_owner *owner = g->derived.owner ? g->derived.owner->owner : NULL;
    return owner && owner->leader_first && g->spec ? (size_t)owner->part[0].pods : 0;
}

void skr_generation_note_success(struct group *g)
{
    g->generation.succeeded = true;
}

void skr_generation_count_success(struct group *g, struct pod_entry *p)
{
    p->done = true;
    g->generation.n_succeeded++;
}

size_t skr_generation_cleared(const struct group *g)
{
    const size_t n = g->generation.n_succeeded;
    const struct pod_entry *p;
    size_t done = 0;
    DL_FOREACH(n > 0 ? g->members : NULL, p)
    {
        done += p->done;
    }
    return done == 0 && g->generation.finished && is_enough(g) ? 0 : n - done;
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

/* The workload makes no pod more. */
static bool is_over(const struct group *g)
{
    return g->derived.owner && g->derived.owner->owner && g->derived.owner->owner->over;
}

void skr_generation_note_end(const struct skr_gang *e, struct group *g, size_t size)
{
    const struct pod_entry *p;
    bool others = false;
    if (g->seats.n_live > 0) {
        if (g->generation.finished && !skr_generation_goes_on(e, g)) {
            skr_generation_start(g);
        }
        g->generation.finished = false;
        return;
    }
    DL_FOREACH(g->members, p)
    {
        others = others || p->pod->phase != SKR_POD_SUCCEEDED;
    }
    bool enough = size > 0 && g->generation.n_succeeded >= size;
    if ((g->generation.n_succeeded > 0 && (enough || !others)) || is_over(g)) {
        g->generation.finished = true;
    }
}

void skr_generation_restore_end(struct skr_gang *e, struct group *g, bool finished, size_t cleared,
                                const char *rank)
{
    skr_generation_start(g);
    g->generation.n_succeeded = cleared;
    g->generation.succeeded = g->generation.succeeded || cleared > 0;
    for (const char *at = rank ? strchr(rank, '(') : NULL; at; at = strchr(at, '(')) {
        char name[256];
        size_t length = strcspn(++at, ",");
        if (length < sizeof name) {
            memcpy(name, at, length);
            name[length] = '\0';
            struct pod_entry *p = skr_pods_find_name(e, g->namespace_, name);
            if (!p || p->group != g || !skr_pods_is_bound(p)) {
                continue;
            }
            if (p->pod->phase == SKR_POD_SUCCEEDED) {
                skr_generation_count_success(g, p);
                skr_generation_note_success(g);
            }
            skr_generation_join(e, g, p);
        }
    }
    g->generation.finished = finished;
}
