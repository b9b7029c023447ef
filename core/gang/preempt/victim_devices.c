/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what victims free on each leaf; then plays the sequences of a leaf for all sets of them. */
#include "core/gang/preempt/victim_devices.h"

#include "core/devices/stock.h"
#include "core/gang/cache/device_counts.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/claims.h"
#include "core/gang/problem/learned.h"

#include <stdlib.h>
#include <string.h>

/* What goes with a victim on a leaf: an allocation, or a pending claimer. */
struct freed {
    int32_t leaf;
    size_t victim;
    char *key;             /* of the claim; NULL: */
    struct pod_entry *pod; /* the pending claimer */
};

struct list {
    struct skr_gang *e;
    struct group *g;
    struct skr_solve_request *request;
    struct skr_victims_problem *in;
    struct skr_learned learned;
    struct freed *item;
    size_t n, cap;
    struct skr_victim_table *table;
    size_t n_tables, cap_tables;
    int64_t sequences; /* that are left */
    bool full;
};

void skr_victim_devices_add(struct victim_givers *givers, struct pod_entry *p, size_t victim)
{
    skr_grow(&givers->item, &givers->cap, givers->n + 1, sizeof *givers->item);
    givers->item[givers->n++] = (struct victim_giver){p, victim};
}

static int by_pod(const void *a, const void *b)
{
    const struct victim_giver *x = a, *y = b;
    return x->pod->number != y->pod->number
               ? (x->pod->number > y->pod->number) - (x->pod->number < y->pod->number)
               : (x->victim > y->victim) - (x->victim < y->victim);
}

void skr_victim_givers_sort(struct victim_givers *givers)
{
    if (givers->n > 0) {
        qsort(givers->item, givers->n, sizeof *givers->item, by_pod);
    }
}

const struct victim_giver *skr_victim_givers_of(const struct victim_givers *givers,
                                                const struct pod_entry *p)
{
    size_t low = 0, high = p ? givers->n : 0;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (givers->item[mid].pod->number < p->number) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return p && low < givers->n && givers->item[low].pod == p ? &givers->item[low] : NULL;
}

/* ---- what is freed ---- */

static void free_up(struct list *l, const struct victim_giver *giver, const char *key)
{
    const struct pod_entry *p = giver->pod;
    const char *node = skr_pods_is_bound(p) ? p->pod->node_name : p->plan ? p->place.node : "";
    const int32_t leaf = skr_tree_find_leaf(l->request->tree, node);
    if (leaf >= 0) {
        skr_grow(&l->item, &l->cap, l->n + 1, sizeof *l->item);
        l->item[l->n++] = (struct freed){leaf, giver->victim, key ? skr_strdup(key) : NULL,
                                         key ? NULL : giver->pod};
    }
}

/* The first giver with the uid of a pod. NULL: there is none, or it keeps its devices. */
static const struct victim_giver *find(const struct list *l, const struct victim_givers *givers,
                                       const char *uid)
{
    const struct victim_giver *giver = skr_victim_givers_of(givers, skr_pods_find(l->e, uid));
    return giver && skr_claims_assumed_on(giver->pod) ? NULL : giver;
}

/* Whether the pod goes with the victim, or leaves anyway. */
static bool goes(const struct list *l, const struct victim_givers *givers, const char *uid,
                 size_t victim)
{
    const struct victim_giver *giver = find(l, givers, uid), *end = &givers->item[givers->n];
    const struct pod_entry *p = giver ? giver->pod : NULL;
    bool goes = false;
    for (; giver && giver < end && giver->pod == p && !goes; giver++) {
        goes = giver->victim == victim || giver->victim == SIZE_MAX;
    }
    return goes;
}

/* Allocations all of whose pods are of one victim. */
static void add_claims(struct list *l, const struct victim_givers *givers)
{
    const struct skr_stock_claim *at = NULL;
    const char *key, *const *uid;
    size_t n;
    while ((key = skr_devices_stock_next_used(l->e->devices.stock, &at, &uid, &n))) {
        const struct victim_giver *giver = find(l, givers, uid[0]);
        const struct pod_entry *p = giver ? giver->pod : NULL;
        for (; giver && giver < &givers->item[givers->n] && giver->pod == p; giver++) {
            size_t i = 1;
            while (i < n && goes(l, givers, uid[i], giver->victim)) {
                i++;
            }
            if (i == n) {
                free_up(l, giver, key);
            }
        }
    }
}

static void add_pending(struct list *l, const struct victim_givers *givers)
{
    for (size_t i = 0; i < givers->n; i++) {
        const struct pod_entry *p = givers->item[i].pod;
        if (p->work->claims_on && !skr_claims_assumed_on(p)) {
            free_up(l, &givers->item[i], NULL);
        }
    }
}

static int by_leaf(const void *a, const void *b)
{
    const struct freed *x = a, *y = b;
    return x->leaf != y->leaf ? (x->leaf > y->leaf) - (x->leaf < y->leaf)
                              : (x->victim > y->victim) - (x->victim < y->victim);
}

/* ---- tables ---- */

/* The freed things of one leaf, and its victims. */
struct leaf {
    int32_t number;
    const struct freed *freed;
    size_t n;
    size_t victim[SKR_VICTIM_TABLE_MAX];
    size_t n_victims;
};

static void gather_victims(const struct list *l, struct leaf *leaf)
{
    const struct skr_victim *of = l->in->victim;
    for (size_t i = 0; i < leaf->n; i++) {
        const size_t victim = leaf->freed[i].victim;
        const bool seen = leaf->n_victims > 0 && leaf->victim[leaf->n_victims - 1] == victim;
        if (victim != SIZE_MAX && !seen && leaf->n_victims < SKR_VICTIM_TABLE_MAX) {
            leaf->victim[leaf->n_victims++] = victim;
        }
    }
    for (size_t i = 1; i < leaf->n_victims; i++) { /* by priority */
        const size_t one = leaf->victim[i];
        size_t at = i;
        for (; at > 0 && of[leaf->victim[at - 1]].priority > of[one].priority; at--) {
            leaf->victim[at] = leaf->victim[at - 1];
        }
        leaf->victim[at] = one;
    }
}

/* Bit i: victim[i] of the leaf is gone. back: all are there, and so are pods that leave. */
static void leave_out(struct list *l, const struct leaf *leaf, uint32_t set, bool back)
{
    for (int out = 0; out < 2; out++) { /* a claim may go with either of two victims */
        for (size_t i = 0; i < leaf->n; i++) {
            const struct freed *freed = &leaf->freed[i];
            bool gone = !back && freed->victim == SIZE_MAX;
            for (size_t v = 0; v < leaf->n_victims && !gone && !back; v++) {
                gone = (set >> v & 1) && leaf->victim[v] == freed->victim;
            }
            if (gone != (out == 1)) {
                continue;
            }
            if (freed->key) {
                skr_devices_stock_leave_out(l->e->devices.stock, freed->key, gone);
            } else {
                skr_pods_work(freed->pod)->claims_left_out = gone;
            }
        }
    }
}

/* The share of the victim says what it adds at most. */
static void note_share(const struct list *l, const struct leaf *leaf, size_t victim,
                       size_t resource, int64_t most)
{
    const struct skr_victim *v = &l->in->victim[victim];
    for (size_t s = 0; s < v->n_shares; s++) {
        if (v->share[s].leaf == leaf->number) {
            ((int64_t *)(uintptr_t)v->share[s].amount)[resource] = most;
        }
    }
}

static void note_shares(const struct list *l, const struct leaf *leaf, size_t resource,
                        const int64_t *room, size_t n_sets)
{
    const bool all_sets = leaf->n_victims <= SKR_VICTIM_TABLE_SETS;
    for (size_t v = 0; v < leaf->n_victims; v++) {
        int64_t most = 0;
        for (size_t set = 0; set < n_sets; set++) {
            /* Those behind it count only if it is gone. */
            const int64_t adds = room[set] - room[all_sets ? set & ~((size_t)1 << v) : v];
            most = adds > most ? adds : most;
        }
        note_share(l, leaf, leaf->victim[v], resource, most);
    }
}

static int64_t bounded(int64_t room)
{
    return room < SKR_SOLVER_MEMBERS_MAX ? room : SKR_SOLVER_MEMBERS_MAX;
}

static void add_table(struct list *l, const struct leaf *leaf, size_t k, size_t n_sets)
{
    const struct skr_problem *p = &l->request->problem;
    const struct node_entry *node = skr_topology_leaf_nodes(l->e)[leaf->number];
    const bool all_sets = leaf->n_victims <= SKR_VICTIM_TABLE_SETS;
    const size_t resource = p->n_resources - l->learned.n + k;
    int64_t *free_ =
        (int64_t *)(uintptr_t)&p->free[(size_t)leaf->number * p->n_resources + resource];
    size_t *victim = skr_arena_array(l->request->arena, leaf->n_victims + 1, sizeof *victim);
    int64_t *room = skr_arena_array(l->request->arena, n_sets, sizeof *room);
    if (!victim || !room) {
        l->full = true;
        return;
    }
    skr_device_counts_suppose(l->e, true);
    for (size_t i = 0; i < n_sets; i++) {
        leave_out(l, leaf, (uint32_t)(all_sets ? i : ((size_t)1 << i) - 1), false);
        room[i] = bounded(skr_learned_of(l->e, l->g, &l->learned.of[k], node, false));
    }
    leave_out(l, leaf, 0, true);
    skr_device_counts_suppose(l->e, false);
    *free_ = *free_ == SKR_ROOM_UNLIMITED && room[0] == SKR_SOLVER_MEMBERS_MAX ? *free_ : room[0];
    if (leaf->n_victims == 0 || *free_ == SKR_ROOM_UNLIMITED) {
        return;
    }
    memcpy(victim, leaf->victim, leaf->n_victims * sizeof *victim);
    note_shares(l, leaf, resource, room, n_sets);
    skr_grow(&l->table, &l->cap_tables, l->n_tables + 1, sizeof *l->table);
    l->table[l->n_tables++] = (struct skr_victim_table){.leaf = leaf->number,
                                                        .resource = resource,
                                                        .n = leaf->n_victims,
                                                        .victim = victim,
                                                        .room = room};
}

static void add_tables(struct list *l, struct leaf *leaf)
{
    gather_victims(l, leaf);
    const size_t n_sets = leaf->n_victims <= SKR_VICTIM_TABLE_SETS ? (size_t)1 << leaf->n_victims
                                                                   : leaf->n_victims + 1;
    for (size_t k = 0; k < l->learned.n && !l->full; k++) {
        if (l->learned.of[k].needs && l->sequences > 0) {
            l->sequences -= (int64_t)n_sets;
            add_table(l, leaf, k, n_sets);
        }
    }
}

/* ---- all ---- */

static bool finish(struct list *l)
{
    struct skr_victim_table *table =
        skr_arena_array(l->request->arena, l->n_tables + 1, sizeof *table);
    if (table && l->n_tables > 0) {
        memcpy(table, l->table, l->n_tables * sizeof *table);
    }
    l->in->table = table;
    l->in->n_tables = l->n_tables;
    for (size_t i = 0; i < l->n; i++) {
        free(l->item[i].key);
    }
    free(l->item);
    free(l->table);
    skr_learned_close(l->e, &l->learned);
    return table && !l->full;
}

bool skr_victim_devices_count(struct skr_gang *e, struct group *g,
                              struct pod_entry *const *newcomers, size_t n,
                              struct victim_givers *givers, struct skr_solve_request *request,
                              struct skr_victims_problem *in)
{
    struct list l = {
        .e = e, .g = g, .request = request, .in = in, .sequences = SKR_VICTIM_SEQUENCES_MAX};
    if (request->n_learned == 0 || request->pinned || givers->n == 0) {
        return true;
    }
    skr_learned_open(e, g, newcomers, n, request->n_learned, &l.learned);
    add_claims(&l, givers);
    add_pending(&l, givers);
    if (l.n > 1) {
        qsort(l.item, l.n, sizeof *l.item, by_leaf);
    }
    for (size_t i = 0, end; i < l.n && !l.full; i = end) {
        for (end = i; end < l.n && l.item[end].leaf == l.item[i].leaf;) {
            end++;
        }
        struct leaf leaf = {.number = l.item[i].leaf, .freed = &l.item[i], .n = end - i};
        if (skr_topology_leaf_nodes(e)[leaf.number]) {
            add_tables(&l, &leaf);
        }
    }
    return finish(&l);
}
