/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which pods are members of a group and which hold its seats.
 *
 * Bound live pods always hold a seat. Members of a plan keep theirs until they end; a vacancy of a
 * plan in state Binding counts as taken. Newcomers get the rest by (creationTimestamp, name). While
 * a member of the running generation lives, its free seats are reserved, and pods of the next
 * generation get none (generation.h). A Job that can fill all seats gets all of them, so two Jobs
 * under one name never run as two halves.
 *
 * An open group (a PodGroup's minMember is a minimum) has a seat for every pod, whatever its
 * controller, except pods of the next generation. With key minimum the seats are those of its size.
 */
#include "core/gang/group/membership.h"

#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/generation.h"
#include "core/gang/group/member_order.h"
#include "core/gang/group/role_seats.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/roles_change.h"
#include "core/gang/group/uniform.h"
#include "core/gang/state/plan_entry.h"

#include <string.h>
#include <utlist.h>

#include "topology/amount_text.h"

int32_t skr_membership_size(const struct group *g)
{
    return g->spec ? g->spec->size : 0;
}

size_t skr_membership_needs(const struct group *g)
{
    const int32_t size = skr_membership_size(g), needs = size - g->generation.ended;
    return (size_t)(size > 0 && needs < 1 ? 1 : needs);
}

static bool is_open(const struct group *g)
{
    return g->spec && g->spec->open;
}

static bool is_endless(const struct group *g)
{
    return is_open(g) && g->spec->most == 0;
}

int32_t skr_membership_most(const struct group *g)
{
    return is_endless(g) ? SKR_GROUP_SIZE_MAX : is_open(g) ? g->spec->most : skr_membership_size(g);
}

size_t skr_membership_seats(const struct group *g)
{
    size_t size = (size_t)skr_membership_size(g), have = g->seats.n_bound + g->seats.n_new;
    return is_open(g) && have > size ? have : size;
}

/* Of n newcomers of an open group, those that make whole steps beyond the minimum. */
static size_t whole_steps(const struct group *g, size_t n)
{
    const size_t size = skr_membership_needs(g), all = g->seats.n_bound + n;
    const size_t over = is_open(g) && all > size ? (all - size) % (size_t)g->spec->step : 0;
    return over < n ? n - over : 0;
}

bool skr_membership_only_grows(const struct group *g)
{
    return is_open(g) && g->state == GROUP_BOUND && !g->plan &&
           g->seats.n_bound >= skr_membership_needs(g);
}

size_t skr_membership_least(const struct group *g)
{
    const size_t needs = skr_membership_needs(g);
    size_t n = 1;
    if (g->seats.n_bound == 0 && needs > 0) {
        return needs;
    }
    while (whole_steps(g, n) < n) {
        n++;
    }
    return n;
}

size_t skr_membership_fewer(const struct group *g, size_t n, size_t largest)
{
    const size_t least = skr_membership_least(g);
    if (!is_open(g) || n <= least) {
        return 0;
    }
    const size_t fits = whole_steps(g, largest < n ? largest : n - 1);
    return fits < least ? least : fits;
}

int32_t skr_membership_lowest_class(const struct group *g)
{
    const struct pod_entry *p;
    int32_t least = INT32_MAX;
    bool any = false;
    DL_FOREACH(g->members, p)
    {
        const bool counts = skr_pod_is_live(p->pod);
        least = counts && p->pod->priority < least ? p->pod->priority : least;
        any = any || counts;
    }
    return any ? least : INT32_MIN;
}

static struct pod_entry *oldest_of(const struct group *g, bool live)
{
    struct pod_entry *p, *best = NULL;
    DL_FOREACH(g->members, p)
    {
        if ((live ? skr_pod_is_live(p->pod) : p->lost) &&
            (!best || skr_meta_is_older(&p->pod->meta, &best->pod->meta))) {
            best = p;
        }
    }
    return best;
}

struct pod_entry *skr_membership_oldest(const struct group *g)
{
    return oldest_of(g, true);
}

struct pod_entry *skr_membership_model(const struct group *g)
{
    struct pod_entry *live = oldest_of(g, true);
    return live ? live : oldest_of(g, false);
}

bool skr_membership_runs(const struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (skr_pods_is_bound(p) && skr_pod_is_live(p->pod)) {
            return true;
        }
    }
    return false;
}

static int by_age(const void *a, const void *b)
{
    const struct pod_entry *p = *(struct pod_entry *const *)a, *q = *(struct pod_entry *const *)b;
    if (p->pod->meta.created != q->pod->meta.created) {
        return p->pod->meta.created < q->pod->meta.created ? -1 : 1;
    }
    return strcmp(p->pod->meta.name, q->pod->meta.name);
}

size_t skr_membership_done(const struct group *g)
{
    const size_t size = (size_t)skr_membership_size(g), ended = (size_t)g->generation.ended;
    size_t open = size > g->seats.n_bound ? size - g->seats.n_bound : 0, done = ended;
    if (g->seats.n_newcomers == 0 && g->generation.n_succeeded > ended) {
        done = g->generation.n_succeeded; /* nothing waits for their seats */
    }
    return done < open ? done : open;
}

/* ---- seats ---- */

enum { JOBS_MAX = 64 }; /* that are examined */

/* Of the Jobs that can fill all seats, the one with the oldest pod; NULL: none, seats go by age.
 * The list is sorted by age, so uid[] has the Jobs in that order. */
static const char *whole_job(struct pod_entry *const *list, size_t n, size_t size)
{
    const char *uid[JOBS_MAX];
    size_t count[JOBS_MAX], jobs = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        if (!list[i]->pod->of_job) {
            continue;
        }
        while (j < jobs && strcmp(uid[j], list[i]->pod->controller_uid) != 0) {
            j++;
        }
        if (j == JOBS_MAX) {
            continue;
        }
        if (j == jobs) {
            uid[jobs] = list[i]->pod->controller_uid;
            count[jobs++] = 0;
        }
        count[j]++;
    }
    for (size_t j = 0; j < jobs; j++) {
        if (size > 0 && count[j] >= size) {
            return uid[j];
        }
    }
    return NULL;
}

/* Seats of members that run or have a plan; returns whether one runs. Whatever runs is of this
 * generation, and so are the members of a derived group that have a plan. */
static bool keep_seats(const struct skr_gang *e, struct group *g, size_t *taken)
{
    const bool derived = skr_entry_is_derived(g->name);
    struct pod_entry *p;
    bool running = false;
    DL_FOREACH(g->members, p)
    {
        const bool bound = skr_pods_is_bound(p);
        p->seated = skr_pod_is_live(p->pod) && (bound || (p->plan && !p->plan->aborting));
        *taken += p->seated;
        running = running || (p->seated && bound);
        if (p->seated && (bound || derived)) {
            skr_generation_join(e, g, p);
        }
    }
    return running;
}

/* The members that may have the other seats. */
static size_t candidates(const struct skr_gang *e, struct group *g, bool running,
                         struct pod_entry **list)
{
    SKR_STRBUF(first);
    struct pod_entry *p;
    size_t n = 0;
    const bool derived = skr_entry_is_derived(g->name);
    const bool goes_on = !running && skr_generation_goes_on(e, g);
    if (!running && !g->plan && !goes_on && skr_membership_oldest(g)) { /* another one begins */
        skr_generation_reset(g);
    }
    const bool begun = running || goes_on || (derived && skr_generation_has_begun(g));
    if (!begun && derived) {
        skr_generation_youngest(e, g, &first);
    }
    DL_FOREACH(g->members, p)
    {
        if (!p->seated && skr_pod_is_live(p->pod) &&
            (begun ? skr_generation_may_replace(e, g, p)
                   : skr_generation_may_be(e, g, p, &first))) {
            list[n++] = p;
        }
    }
    return n;
}

static void deal_seats(const struct skr_gang *e, struct group *g)
{
    size_t taken = g->plan && !g->plan->aborting ? g->plan->n_vacancies : 0;
    const bool running = keep_seats(e, g, &taken);
    g->generation.earlier = skr_generation_is_earlier(g);
    SKR_AUTO_FREE struct pod_entry **list =
        skr_alloc_array(g->n_members ? g->n_members : 1, sizeof *list);
    size_t n = candidates(e, g, running, list);
    qsort(list, n, sizeof(struct pod_entry *), by_age);
    size_t size = (size_t)skr_membership_most(g);
    struct skr_role_seats *roles = skr_roles_are_keyed(g) ? skr_role_seats_deal(g) : NULL;
    skr_roles_change_note_running(g);
    n = g->roles.first_foreign ? 0 : n; /* the map is that of the next generation */
    const char *whole = taken == 0 && !is_endless(g) && !roles
                            ? whole_job(list, n, (size_t)skr_membership_size(g))
                            : NULL;
    for (size_t i = 0; i < n && taken < size; i++) {
        bool of_another = whole && strcmp(list[i]->pod->controller_uid, whole) != 0;
        list[i]->seated = !of_another && (!roles || skr_role_seats_take(roles, g, list[i]));
        taken += list[i]->seated;
    }
    skr_role_seats_end(roles);
}

static void note_difference(struct group *g, const struct pod_entry *first,
                            const struct pod_entry *odd)
{
    const char *name;
    int64_t x, y;
    SKR_STRBUF(s);
    if (skr_quantities_differ(&first->shape->spec->requests, &odd->shape->spec->requests, &name, &x,
                              &y)) {
        skr_strbuf_addf(&s, "pod %s requests ", odd->pod->meta.name);
        skr_amount_add(&s, name, y);
        skr_strbuf_addf(&s, ", pod %s ", first->pod->meta.name);
        skr_amount_add(&s, name, x);
        g->seats.difference = skr_strbuf_take(&s, NULL);
    }
}

/* Members of one role are compared with the first of them by name. */
static void check_homogeneity(struct group *g)
{
    struct pod_entry *p, *first[SKR_ROLES_MAX] = {0};
    free(g->seats.difference);
    g->seats.difference = NULL;
    DL_FOREACH(g->members, p)
    {
        if (!p->seated || p->role >= SKR_ROLES_MAX) {
            continue;
        }
        struct pod_entry **of_role = &first[p->role];
        if (!*of_role || strcmp(p->pod->meta.name, (*of_role)->pod->meta.name) < 0) {
            *of_role = p;
        }
    }
    DL_FOREACH(g->members, p)
    {
        if (p->seated && p->role < SKR_ROLES_MAX && p->shape != first[p->role]->shape &&
            !g->seats.difference) {
            note_difference(g, first[p->role], p);
        }
    }
}

void skr_membership_update(struct skr_gang *e, struct group *g)
{
    bool dealt = g->seats.dirty;
    if (dealt) {
        g->seats.dirty = false;
        deal_seats(e, g);
        skr_roles_update(e, g);
        check_homogeneity(g);
        skr_uniform_check(g);
    }
    struct pod_entry *p;
    g->seats.n_live = g->seats.n_bound = g->seats.n_newcomers = g->seats.n_new = g->seats.n_ready =
        0;
    g->seats.n_foreign_gate = 0;
    g->seats.n_claimers = g->seats.n_unasked = g->seats.n_unread = g->seats.n_assumed = 0;
    DL_FOREACH(g->members, p)
    {
        if (!skr_pod_is_live(p->pod)) {
            continue;
        }
        g->seats.n_live++;
        if (skr_pods_is_bound(p)) {
            g->seats.n_bound++;
            continue;
        }
        g->seats.n_newcomers++;
        g->seats.n_new += p->seated;
        g->seats.n_ready += p->seated && !p->pod->foreign_gate && !p->waits_for_set;
        g->seats.n_foreign_gate += p->seated && p->pod->foreign_gate;
        g->seats.n_claimers += p->seated && p->pod->n_claims > 0 && !skr_pods_is_bound(p);
        g->seats.n_unasked += p->seated && !skr_claims_are_asked(e, p);
        g->seats.n_unread += p->seated && !skr_claims_are_read(e, p);
        g->seats.n_assumed += p->seated && skr_claims_assumed_on(p);
    }
    skr_generation_count_ended(e, g);
    g->seats.n_ready = whole_steps(g, g->seats.n_ready);
    skr_roles_count(g);
    skr_generation_note_end(e, g, (size_t)skr_membership_size(g));
}

bool skr_membership_is_without(const struct group *g, const char *node)
{
    return g->without && skr_names_contain(g->without->name, g->without->n, node);
}

struct pod_entry **skr_membership_plannable(struct skr_gang *e, struct group *g, size_t *ret_n)
{
    (void)e;
    struct pod_entry **list = skr_alloc_array(g->n_members ? g->n_members : 1, sizeof *list);
    struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        const bool stays = skr_pods_is_bound(p) && !skr_membership_is_without(g, p->pod->node_name);
        if (p->seated && !stays && !p->pod->foreign_gate && !p->waits_for_set &&
            skr_pod_is_live(p->pod)) {
            list[n++] = p;
        }
    }
    const size_t limit = is_open(g) && g->attempt.limit > 0 && g->attempt.limit < n
                             ? g->attempt.limit
                             : whole_steps(g, n);
    if (limit < n) {
        skr_member_order_sort_roles(list, n);
    } else {
        qsort(list, n, sizeof *list, by_age);
    }
    *ret_n = limit;
    return list;
}

bool skr_membership_may_be_planned(const struct group *g)
{
    return g->roles.keyed ? g->seats.n_ready > 0 && skr_roles_have_minimum(g, SKR_ROLE_READY)
                          : g->seats.n_ready >= skr_membership_needs(g);
}

bool skr_membership_is_of_another(const struct group *g, const struct pod_entry *p)
{
    return is_endless(g) && skr_membership_is_beyond(g, p);
}

void skr_membership_say_another(const struct group *g, size_t n, struct skr_strbuf *b)
{
    const size_t bound = g->seats.n_bound;
    skr_strbuf_addf(b, "%zu %s", n, n == 1 ? "pod waits" : "pods wait");
    if (bound > 0) {
        skr_strbuf_addf(b, " for the end of %zu pod%s of an earlier generation", bound,
                        bound == 1 ? "" : "s");
    } else {
        skr_strbuf_add(b, ": pods of another generation are placed first");
    }
}

bool skr_membership_is_beyond(const struct group *g, const struct pod_entry *p)
{
    return g->spec && skr_pod_is_live(p->pod) && !skr_pods_is_bound(p) && !p->seated;
}

static bool is_newcomer(const struct pod_entry *p, struct pod_entry *const *newcomers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (newcomers[i] == p) {
            return true;
        }
    }
    return false;
}

const char *skr_membership_claim_node(const struct group *g, const struct pod_entry *p,
                                      struct pod_entry *const *newcomers, size_t n)
{
    if (!skr_pod_is_live(p->pod)) {
        return NULL;
    }
    if (skr_pods_is_bound(p)) {
        return skr_membership_is_without(g, p->pod->node_name) ? NULL : p->pod->node_name;
    }
    if (g->plan && p->plan == g->plan && !is_newcomer(p, newcomers, n)) {
        return p->place.node;
    }
    return NULL;
}

void skr_membership_changed(struct group *g)
{
    g->seats.dirty = true;
    g->podsets.read = false;
}

void skr_membership_seat(struct pod_entry *p)
{
    p->seated = true;
}

void skr_membership_unseat(struct pod_entry *p)
{
    p->seated = false;
}

void skr_membership_fini(struct group *g)
{
    skr_generation_reset(g);
    free(g->generation.controller);
    free(g->seats.difference);
    free(g->seats.uneven);
    skr_roles_fini(g);
}
