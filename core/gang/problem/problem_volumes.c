/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the caches for problem_volumes.h. */
#include "core/gang/problem/problem_volumes.h"

#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/csi.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/volume_uses.h"
#include "core/gang/cache/volumes.h"
#include "core/gang/state/plan_entry.h"
#include "core/volume/masks.h"
#include "topology/base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

bool skr_problem_volumes_matter(const struct skr_gang *e, struct pod_entry *const *newcomers,
                                size_t n)
{
    for (size_t i = 0; i < n && e->volumes; i++) {
        for (size_t k = 0; k < newcomers[i]->pod->n_claims; k++) {
            if (newcomers[i]->pod->claim[k].kind != SKR_POD_CLAIM_TEMPLATE) {
                return true;
            }
        }
    }
    return false;
}

/* Claim k of the pod; driver 0 and no rule: it is none of a volume, nor has devices of some nodes. */
static struct volume_facts facts_of(const struct skr_gang *e, const struct pod_entry *p, size_t k)
{
    const struct skr_pod_claim *claim = &p->pod->claim[k];
    const char *namespace_ = p->pod->meta.namespace_;
    struct volume_facts facts = {0};
    if (claim->kind == SKR_POD_CLAIM_VOLUME) {
        facts = skr_volumes_facts(e, skr_volumes_id(e, namespace_, claim->name));
    } else if (claim->kind == SKR_POD_CLAIM_DEVICES && !claim->made) {
        facts.rule = skr_claim_objects_facts(e, namespace_, claim).reach;
    }
    return facts;
}

static bool host_is(const struct skr_node *node, const char *host)
{
    const char *label = skr_labels_get(&node->meta.labels, "kubernetes.io/hostname");
    return label && strcmp(label, host) == 0;
}

/* ---- attach limits ---- */

/* A volume on a leaf, or of a member. */
struct attached {
    int32_t at;
    uint64_t volume;
};

struct attached_list {
    struct attached *item;
    size_t n, cap;
};

static void attach(struct attached_list *list, int32_t at, uint64_t volume)
{
    skr_grow(&list->item, &list->cap, list->n + 1, sizeof *list->item);
    list->item[list->n++] = (struct attached){at, volume};
}

static int by_place(const void *a, const void *b)
{
    const struct attached *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at)
                          : (x->volume > y->volume) - (x->volume < y->volume);
}

static int by_volume(const void *a, const void *b)
{
    const struct attached *x = a, *y = b;
    return x->volume != y->volume ? (x->volume > y->volume) - (x->volume < y->volume)
                                  : (x->at > y->at) - (x->at < y->at);
}

/* Sorts the list, and leaves each once. */
static void sort(struct attached_list *list, int (*order)(const void *, const void *))
{
    size_t n = 0;
    if (list->n > 1) {
        qsort(list->item, list->n, sizeof *list->item, order);
    }
    for (size_t i = 0; i < list->n; i++) {
        if (i == 0 || order(&list->item[i - 1], &list->item[i]) != 0) {
            list->item[n++] = list->item[i];
        }
    }
    list->n = n;
}

/* Volumes of the driver, each with the members that use it: the lists' numbers. */
static struct attached_list volumes_of(const struct skr_gang *e, uint16_t driver,
                                       struct pod_entry *const *list, size_t n)
{
    struct attached_list ret = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < list[i]->pod->n_claims; k++) {
            const struct volume_facts facts = facts_of(e, list[i], k);
            if (facts.driver == driver && driver > 0) {
                attach(&ret, (int32_t)i, facts.volume);
            }
        }
    }
    sort(&ret, by_volume);
    return ret;
}

/* Whether the volume at i of the sorted list has several users. */
static bool is_shared(const struct attached_list *list, size_t i)
{
    const uint64_t volume = list->item[i].volume;
    return (i > 0 && list->item[i - 1].volume == volume) ||
           (i + 1 < list->n && list->item[i + 1].volume == volume);
}

struct skr_problem_drivers skr_problem_volumes_drivers(const struct skr_gang *e,
                                                       struct pod_entry *const *newcomers, size_t n)
{
    struct skr_problem_drivers ret = {0};
    for (size_t i = 0; i < n && e->volumes; i++) {
        for (size_t k = 0; k < newcomers[i]->pod->n_claims; k++) {
            const uint16_t driver = facts_of(e, newcomers[i], k).driver;
            size_t d = 0;
            while (d < ret.n && ret.driver[d] != driver) {
                d++;
            }
            if (driver > 0 && d == ret.n && d < SKR_PROBLEM_DRIVERS_MAX &&
                skr_csi_has_limit(e, driver)) {
                ret.driver[ret.n++] = driver;
            }
        }
    }
    return ret;
}

int64_t skr_problem_volumes_demand(const struct skr_gang *e, uint16_t driver,
                                   struct pod_entry *const *members, size_t n,
                                   struct pod_entry *const *all, size_t n_all, bool most)
{
    struct attached_list list = volumes_of(e, driver, all, n_all);
    int32_t *own = skr_alloc_array(n_all + 1, sizeof *own), ret = most ? 0 : INT32_MAX;
    for (size_t i = 0; i < list.n; i++) {
        own[list.item[i].at] += is_shared(&list, i) ? 0 : 1;
    }
    for (size_t i = 0, k = 0; i < n_all && k < n; i++) {
        if (all[i] == members[k]) { /* both are in one order */
            ret = (own[i] > ret) == most ? own[i] : ret;
            k++;
        }
    }
    free(own);
    free(list.item);
    return n > 0 ? ret : 0;
}

bool skr_problem_volumes_differ(const struct skr_gang *e, struct pod_entry *const *newcomers,
                                size_t n)
{
    const struct skr_problem_drivers drivers = skr_problem_volumes_drivers(e, newcomers, n);
    bool differ = false;
    for (size_t d = 0; d < drivers.n && !differ; d++) {
        const uint16_t driver = drivers.driver[d];
        differ = skr_problem_volumes_demand(e, driver, newcomers, n, newcomers, n, true) !=
                 skr_problem_volumes_demand(e, driver, newcomers, n, newcomers, n, false);
    }
    return differ;
}

/* Bound pods, and members of plans, of all groups. */
static void add_uses(const struct skr_gang *e, uint16_t driver, struct pod_entry *const *all,
                     size_t n_all, struct attached_list *list)
{
    const struct skr_tree *tree = e->topology.tree;
    const char *node;
    uint64_t claim;
    for (size_t at = 0; skr_volume_uses_next(e, &at, &claim, &node);) {
        const struct volume_facts facts = skr_volumes_facts(e, claim);
        const int32_t leaf = facts.driver == driver ? skr_tree_find_leaf(tree, node) : -1;
        if (leaf >= 0) {
            attach(list, leaf, facts.volume);
        }
    }
    const struct group *g;
    const struct pod_entry *p;
    DL_FOREACH2(e->planned, g, pnext)
    {
        const bool claims = g->seats.n_claimers > 0 && (n_all == 0 || all[0]->group != g);
        DL_FOREACH(claims ? g->members : NULL, p)
        {
            const int32_t leaf = p->plan ? skr_tree_find_leaf(tree, p->place.node) : -1;
            for (size_t k = 0; k < p->pod->n_claims && leaf >= 0; k++) {
                const struct volume_facts facts = facts_of(e, p, k);
                if (facts.driver == driver) {
                    attach(list, leaf, facts.volume);
                }
            }
        }
    }
}

/* ret[leaf]: free volumes of the pool that serve the largest of these claims. One that several leaves reach
 * counts on each of them. */
static void count_free(struct skr_gang *e, uint16_t pool, struct pod_entry *const *all,
                       size_t n_all, int32_t *ret)
{
    const struct skr_tree *tree = e->topology.tree;
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    struct volume_facts most = {0};
    const struct skr_volume *rule;
    const char *host;
    for (size_t i = 0; i < n_all; i++) {
        for (size_t k = 0; k < all[i]->pod->n_claims; k++) {
            const struct volume_facts facts = facts_of(e, all[i], k);
            if (facts.driver == pool) {
                most.modes |= facts.modes;
                most.bytes = facts.bytes > most.bytes ? facts.bytes : most.bytes;
            }
        }
    }
    for (size_t at = 0; skr_volumes_next_free(e, &at, pool, &most, &host, &rule);) {
        const int32_t leaf = host ? skr_tree_find_leaf(tree, host) : -1;
        const bool named = leaf >= 0 && node[leaf] && host_is(node[leaf]->node, host);
        const int32_t first = named ? leaf : 0, end = named ? leaf + 1 : tree->n_leaves;
        for (int32_t i = first; i < end; i++) {
            ret[i] += node[i] && (!host || host_is(node[i]->node, host)) &&
                      (!rule || skr_volume_reaches(rule, node[i]->node));
        }
    }
}

static bool has_volume(const struct attached_list *list, int32_t at, uint64_t volume)
{
    const struct attached wanted = {at, volume};
    return list->n > 0 && bsearch(&wanted, list->item, list->n, sizeof wanted, by_place);
}

static int volume_only(const void *a, const void *b)
{
    const struct attached *x = a, *y = b;
    return (x->volume > y->volume) - (x->volume < y->volume);
}

/* [leaf] attached volumes of the driver that no pod or plan there uses; ret_own: those of the newcomers. */
static void count_idle(struct skr_gang *e, uint16_t driver, const struct attached_list *used,
                       const struct attached_list *wanted, int32_t *ret, int32_t *ret_own)
{
    struct attached_list idle = {0};
    const char *node;
    uint64_t volume;
    for (size_t at = 0; skr_csi_next_attached(e, &at, driver, &node, &volume);) {
        const int32_t leaf = skr_tree_find_leaf(e->topology.tree, node);
        if (leaf >= 0 && !has_volume(used, leaf, volume)) {
            attach(&idle, leaf, volume);
        }
    }
    sort(&idle, by_place);
    for (size_t i = 0; i < idle.n; i++) {
        const bool own = wanted->n > 0 && bsearch(&idle.item[i], wanted->item, wanted->n,
                                                  sizeof idle.item[i], volume_only);
        (own ? ret_own : ret)[idle.item[i].at]++;
    }
    free(idle.item);
}

void skr_problem_volumes_room(struct skr_gang *e, uint16_t driver, struct pod_entry *const *all,
                              size_t n_all, size_t stride, int64_t *ret, int64_t *ret_empty)
{
    struct attached_list wanted = volumes_of(e, driver, all, n_all), used = {0};
    const bool pool = skr_volumes_is_pool(e, driver);
    const size_t n_leaves = (size_t)e->topology.tree->n_leaves;
    int32_t *free_of = skr_alloc_array(3 * n_leaves + 1, sizeof *free_of);
    int32_t *idle = &free_of[n_leaves], *own = &idle[n_leaves];
    add_uses(e, driver, all, n_all, &used);
    sort(&used, by_place);
    if (pool) {
        count_free(e, driver, all, n_all, free_of);
    } else {
        count_idle(e, driver, &used, &wanted, idle, own);
    }
    size_t at = 0;
    for (int32_t leaf = 0; leaf < e->topology.tree->n_leaves; leaf++) {
        const struct node_entry *node = skr_topology_leaf_nodes(e)[leaf];
        const int32_t most = pool   ? free_of[leaf]
                             : node ? skr_csi_limit(e, node->name, driver)
                                    : INT32_MAX;
        int64_t in_use = idle[leaf], shared = 0, shared_new = 0;
        for (; at < used.n && used.item[at].at == leaf; at++) {
            in_use++;
        }
        for (size_t i = 0; i < wanted.n && most < INT32_MAX; i++) {
            const bool first = i == 0 || wanted.item[i - 1].volume != wanted.item[i].volume;
            if (first && is_shared(&wanted, i)) {
                shared++;
                shared_new += has_volume(&used, leaf, wanted.item[i].volume) ? 0 : 1;
            }
        }
        /* for kube-scheduler a volume that is attached before its pod comes counts twice until then */
        const bool none = own[leaf] > 0 && in_use + own[leaf] + 1 > most;
        ret[(size_t)leaf * stride] = most == INT32_MAX ? SKR_ROOM_UNLIMITED
                                     : none            ? -1
                                                       : most - in_use - shared_new;
        ret_empty[(size_t)leaf * stride] =
            most < INT32_MAX && !pool ? most - shared : SKR_ROOM_UNLIMITED;
    }
    free(free_of);
    free(wanted.item);
    free(used.item);
}

/* ---- where the volumes are ---- */

/* Masks of newcomers, distinct ones. */
struct reach {
    struct skr_volume_mask *mask; /* those of all leaves are left out */
    int32_t *of;                  /* [n] of each newcomer; -1: all leaves */
    size_t n, cap;
};

static void reach_fini(struct reach *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free((void *)(uintptr_t)r->mask[i].leaf);
    }
    free(r->mask);
    free(r->of);
}

static bool reaches(const struct skr_gang *e, const struct pod_entry *p,
                    const struct skr_node *node)
{
    bool is = true;
    for (size_t k = 0; k < p->pod->n_claims && is; k++) {
        const struct volume_facts facts = facts_of(e, p, k);
        is = (!facts.host || host_is(node, facts.host)) &&
             (!facts.node || strcmp(node->meta.name, facts.node) == 0) &&
             (!facts.rule || skr_volume_reaches(facts.rule, node)) &&
             (!skr_csi_matters(e, &facts) ||
              (skr_csi_runs_on(e, &facts, node->meta.name) && skr_csi_has_room(e, &facts, node)));
    }
    return is;
}

/* What the leaves of a newcomer follow from; equal numbers: equal leaves. 0: it reaches all. *ret_host: its
 * only node, if that is called after its host. */
static uint64_t rules_of(const struct skr_gang *e, const struct pod_entry *p,
                         const struct node_entry **ret_host)
{
    uint64_t sum = 0;
    *ret_host = NULL;
    for (size_t k = 0; k < p->pod->n_claims; k++) {
        const struct volume_facts facts = facts_of(e, p, k);
        if (skr_csi_matters(e, &facts)) {
            sum = skr_hash_pair(sum, facts.driver);
            sum = skr_hash_pair(sum, skr_hash_pair(facts.class_, (uint64_t)facts.bytes));
        }
        if (facts.host) {
            const struct node_entry *node = skr_nodes_find(e, facts.host);
            sum = skr_hash_pair(sum, skr_hash_string(facts.host));
            *ret_host = node && host_is(node->node, facts.host) ? node : NULL;
        } else if (facts.rule) {
            sum = skr_hash_pair(sum, (uint64_t)(uintptr_t)facts.rule);
        }
        if (facts.node) {
            sum = skr_hash_pair(sum, skr_hash_string(facts.node));
            *ret_host = skr_nodes_find(e, facts.node);
        }
    }
    return sum;
}

/* Open leaves that the newcomer's volumes are reachable from. free() it. */
static int32_t *leaves_of(struct skr_gang *e, const struct pod_entry *p,
                          const struct node_entry *host, const uint8_t *open, int32_t *ret_n)
{
    const struct skr_tree *tree = e->topology.tree;
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    const int32_t only = host ? skr_tree_find_leaf(tree, host->name) : -1;
    const int32_t first = only >= 0 ? only : 0, end = only >= 0 ? only + 1 : tree->n_leaves;
    int32_t *leaf = skr_alloc_array((size_t)(end - first) + 1, sizeof *leaf);
    *ret_n = 0;
    for (int32_t i = first; i < end; i++) {
        if (open[i] && node[i] && reaches(e, p, node[i]->node)) {
            leaf[(*ret_n)++] = i;
        }
    }
    return leaf;
}

static size_t find_mask(struct reach *r, int32_t *leaf, int32_t n)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->mask[i].n == n && memcmp(r->mask[i].leaf, leaf, (size_t)n * sizeof *leaf) == 0) {
            free(leaf);
            return i;
        }
    }
    skr_grow(&r->mask, &r->cap, r->n + 1, sizeof *r->mask);
    r->mask[r->n] = (struct skr_volume_mask){.leaf = leaf, .n = n};
    return r->n++;
}

struct known_rules {
    uint64_t rules;
    size_t mask;
};

static struct reach reach_of(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                             const uint8_t *open)
{
    struct reach r = {.of = skr_alloc_array(n + 1, sizeof *r.of)};
    struct known_rules *known = skr_alloc_array(SKR_PROBLEM_MASKS_MAX, sizeof *known);
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++) {
        const struct node_entry *host;
        const uint64_t rules = rules_of(e, newcomers[i], &host);
        size_t at = 0;
        while (at < n_known && known[at].rules != rules) {
            at++;
        }
        r.of[i] = -1;
        if (rules == 0 || (at == n_known && n_known == SKR_PROBLEM_MASKS_MAX)) {
            continue;
        }
        if (at == n_known) {
            int32_t n_leaves;
            int32_t *leaf = leaves_of(e, newcomers[i], host, open, &n_leaves);
            known[n_known++] = (struct known_rules){rules, find_mask(&r, leaf, n_leaves)};
        }
        r.of[i] = (int32_t)known[at].mask;
        r.mask[known[at].mask].members++;
    }
    free(known);
    return r;
}

static void close_leaves(const struct reach *r, size_t n, int32_t n_leaves, uint8_t *eligible,
                         uint8_t *emptied)
{
    bool all = n == 0;
    uint8_t *open = skr_alloc_array((size_t)n_leaves + 1, sizeof *open);
    bool none = false;
    for (size_t i = 0; i < n; i++) {
        all = all || r->of[i] < 0;
    }
    for (size_t i = 0; i < r->n; i++) {
        none = none || r->mask[i].n == 0;
        for (int32_t k = 0; k < r->mask[i].n; k++) {
            open[r->mask[i].leaf[k]] = 1;
        }
    }
    for (int32_t i = 0; i < n_leaves && (!all || none); i++) {
        const bool closed = none || !open[i];
        eligible[i] = closed ? 0 : eligible[i];
        if (emptied && closed) {
            emptied[i] = 0;
        }
    }
    free(open);
}

/* Leaves that do not even attach what all of the newcomers share: members that need no more have no
 * demand. */
static void close_full_leaves(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                              uint8_t *eligible)
{
    const struct skr_problem_drivers drivers = skr_problem_volumes_drivers(e, newcomers, n);
    const size_t n_leaves = (size_t)e->topology.tree->n_leaves;
    for (size_t d = 0; d < drivers.n; d++) {
        if (skr_problem_volumes_demand(e, drivers.driver[d], newcomers, n, newcomers, n, true) >
            0) {
            continue;
        }
        int64_t *room = skr_alloc_array(2 * n_leaves + 1, sizeof *room);
        skr_problem_volumes_room(e, drivers.driver[d], newcomers, n, 1, room, &room[n_leaves]);
        for (size_t i = 0; i < n_leaves; i++) {
            eligible[i] = room[i] < 0 ? 0 : eligible[i];
        }
        free(room);
    }
}

void skr_problem_volumes_close(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                               uint8_t *eligible)
{
    if (skr_problem_volumes_matter(e, newcomers, n)) {
        struct reach r = reach_of(e, newcomers, n, eligible);
        close_leaves(&r, n, e->topology.tree->n_leaves, eligible, NULL);
        reach_fini(&r);
    }
}

bool skr_problem_volumes_reach(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                               uint32_t roles, struct skr_arena *arena, uint8_t *eligible,
                               struct skr_problem *problem)
{
    if (!skr_problem_volumes_matter(e, newcomers, n)) {
        return true;
    }
    close_full_leaves(e, newcomers, n, eligible);
    struct reach r = reach_of(e, newcomers, n, eligible);
    bool exact, done = true;
    size_t n_masks = 0;
    close_leaves(&r, n, e->topology.tree->n_leaves, eligible,
                 (uint8_t *)(uintptr_t)problem->emptied);
    for (size_t i = 0; i < r.n; i++) {
        n_masks += r.mask[i].n > 0;
    }
    if (n_masks == r.n && r.n > 0) {
        struct skr_domain_rule *rule = (struct skr_domain_rule *)(uintptr_t)problem->domain_rule;
        rule = rule ? rule : skr_arena_array(arena, SKR_DOMAIN_RULES_MAX, sizeof *rule);
        done = rule && skr_volume_masks_rules(e->topology.tree, r.mask, r.n, eligible, roles, arena,
                                              rule, &problem->n_domain_rules, &exact);
        problem->domain_rule = problem->n_domain_rules > 0 ? rule : problem->domain_rule;
    }
    reach_fini(&r);
    return done;
}

void skr_problem_volumes_deal(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                              int32_t *place, int32_t *ret)
{
    const size_t n_leaves = (size_t)e->topology.tree->n_leaves;
    for (size_t i = 0; i < n; i++) {
        ret[i] = -1;
    }
    if (!skr_problem_volumes_matter(e, newcomers, n)) {
        return;
    }
    uint8_t *open = skr_alloc_array(n_leaves + 1, sizeof *open);
    int32_t *of = skr_alloc_array(n + 1, sizeof *of), *leaf = skr_alloc_array(n + 1, sizeof *leaf);
    size_t *who = skr_alloc_array(n + 1, sizeof *who), k = 0;
    int32_t n_open = 0;
    for (size_t i = 0; i < n_leaves; i++) {
        open[i] = place[i] > 0;
        n_open += open[i];
    }
    struct reach r = reach_of(e, newcomers, n, open);
    for (size_t i = 0; i < n; i++) {
        if (r.of[i] >= 0 && r.mask[r.of[i]].n < n_open) {
            who[k] = i;
            of[k++] = r.of[i];
        }
    }
    skr_volume_masks_deal(r.mask, of, k, (int32_t)n_leaves, place, leaf);
    for (size_t i = 0; i < k; i++) {
        ret[who[i]] = leaf[i];
    }
    reach_fini(&r);
    free(open);
    free(of);
    free(leaf);
    free(who);
}

/* ---- turns ---- */

static bool is_late(const struct skr_gang *e, const struct pod_entry *p)
{
    size_t k = 0;
    while (k < p->pod->n_claims && !facts_of(e, p, k).late) {
        k++;
    }
    return k < p->pod->n_claims;
}

void skr_problem_volumes_turns(const struct skr_gang *e, struct pod_entry *const *newcomers,
                               size_t n, int32_t *ret)
{
    int32_t first = 0;
    if (!skr_problem_volumes_matter(e, newcomers, n)) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        first = !is_late(e, newcomers[i]) && ret[i] >= first ? ret[i] + 1 : first;
    }
    for (size_t i = 0; i < n; i++) {
        ret[i] += is_late(e, newcomers[i]) ? first : 0;
    }
}

/* ---- words ---- */

/* The least that a member of any role demands of it, if it demands any; 0: none does. */
static int64_t least_demand(const struct skr_problem *p, size_t resource)
{
    int64_t least = p->roles ? 0 : p->demand[resource];
    for (size_t r = 0; p->roles && r < p->roles->n_roles; r++) {
        const int64_t one = p->roles->role[r].demand[resource];
        least = one > 0 && (least == 0 || one < least) ? one : least;
    }
    return least;
}

void skr_problem_volumes_say(const struct skr_gang *e, const struct skr_solve_request *request,
                             struct skr_strbuf *b)
{
    const struct skr_problem *p = &request->problem;
    const size_t first = p->n_resources - request->n_learned - request->drivers.n;
    for (size_t i = 0; i < request->drivers.n; i++) {
        const char *driver = strchr(request->resource_name[first + i], '/') + 1;
        const int64_t least = least_demand(p, first + i);
        size_t n = 0;
        for (size_t leaf = 0; leaf < (size_t)p->tree->n_leaves; leaf++) {
            n += p->eligible[leaf] && p->free[leaf * p->n_resources + first + i] < least;
        }
        if (n > 0 && skr_volumes_is_pool(e, request->drivers.driver[i])) {
            skr_strbuf_addf(b, "; %zu node%s not enough free volumes of class %s", n,
                            n == 1 ? " has" : "s have", strchr(driver, '/') + 1);
        } else if (n > 0) {
            skr_strbuf_addf(b, "; %zu node%s no more volumes of %s", n,
                            n == 1 ? " attaches" : "s attach", driver);
        }
    }
}

void skr_problem_volumes_say_room(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                                  struct skr_strbuf *b)
{
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    const int32_t n_leaves = e->topology.tree ? e->topology.tree->n_leaves : 0;
    int32_t full = 0;
    for (size_t i = 0; i < n && e->volumes && full == 0; i++) {
        for (size_t k = 0; k < newcomers[i]->pod->n_claims && full == 0; k++) {
            const struct volume_facts facts = facts_of(e, newcomers[i], k);
            for (int32_t leaf = 0; leaf < n_leaves && skr_csi_matters(e, &facts); leaf++) {
                full += node[leaf] && !skr_csi_has_room(e, &facts, node[leaf]->node);
            }
            if (full > 0) {
                skr_strbuf_addf(b,
                                "; %d of %d nodes have no room for the volume of claim %s "
                                "(CSIStorageCapacity, which is compared with each claim by itself)",
                                (int)full, (int)n_leaves, newcomers[i]->pod->claim[k].name);
            }
        }
    }
}
