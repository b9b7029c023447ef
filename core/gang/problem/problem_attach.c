/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the caches for problem_attach.h. */
#include "core/gang/problem/problem_attach.h"

#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/csi.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/volume_uses.h"
#include "core/gang/problem/late_claims.h"
#include "core/gang/state/plan_entry.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct volume_facts skr_problem_attach_facts(const struct skr_gang *e, const struct pod_entry *p,
                                             size_t k)
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

static void attach(struct skr_attached_list *list, int32_t at, uint64_t volume)
{
    skr_grow(&list->item, &list->cap, list->n + 1, sizeof *list->item);
    list->item[list->n++] = (struct skr_attached_volume){at, volume};
}

static int by_place(const void *a, const void *b)
{
    const struct skr_attached_volume *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at)
                          : (x->volume > y->volume) - (x->volume < y->volume);
}

static int by_volume(const void *a, const void *b)
{
    const struct skr_attached_volume *x = a, *y = b;
    return x->volume != y->volume ? (x->volume > y->volume) - (x->volume < y->volume)
                                  : (x->at > y->at) - (x->at < y->at);
}

/* Sorts the list, and leaves each once. */
static void sort(struct skr_attached_list *list, int (*order)(const void *, const void *))
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
static struct skr_attached_list volumes_of(const struct skr_gang *e, uint16_t driver,
                                           struct pod_entry *const *list, size_t n)
{
    struct skr_attached_list ret = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < list[i]->pod->n_claims; k++) {
            const struct volume_facts facts = skr_problem_attach_facts(e, list[i], k);
            if (facts.driver == driver && driver > 0) {
                attach(&ret, (int32_t)i, facts.volume);
            }
        }
    }
    sort(&ret, by_volume);
    return ret;
}

/* Whether the volume at i of the sorted list has several users. */
static bool is_shared(const struct skr_attached_list *list, size_t i)
{
    const uint64_t volume = list->item[i].volume;
    return (i > 0 && list->item[i - 1].volume == volume) ||
           (i + 1 < list->n && list->item[i + 1].volume == volume);
}

/* Its place among them; drivers->n: it is none of them. */
static size_t driver_at(const struct skr_problem_drivers *drivers, uint16_t driver)
{
    size_t d = 0;
    while (d < drivers->n && drivers->driver[d] != driver) {
        d++;
    }
    return d;
}

struct skr_problem_drivers skr_problem_attach_drivers(const struct skr_gang *e,
                                                      struct pod_entry *const *newcomers, size_t n)
{
    struct skr_problem_drivers ret = {0};
    for (size_t i = 0; i < n && e->volumes; i++) {
        for (size_t k = 0; k < newcomers[i]->pod->n_claims; k++) {
            const uint16_t driver = skr_problem_attach_facts(e, newcomers[i], k).driver;
            if (driver > 0 && driver_at(&ret, driver) == ret.n && ret.n < SKR_PROBLEM_DRIVERS_MAX &&
                skr_csi_has_limit(e, driver)) {
                ret.driver[ret.n++] = driver;
            }
        }
    }
    return ret;
}

int64_t skr_problem_attach_demand(const struct skr_gang *e, uint16_t driver,
                                  struct pod_entry *const *members, size_t n,
                                  struct pod_entry *const *all, size_t n_all, bool most)
{
    struct skr_attached_list list = volumes_of(e, driver, all, n_all);
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

bool skr_problem_attach_differ(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n)
{
    const struct skr_problem_drivers drivers = skr_problem_attach_drivers(e, newcomers, n);
    struct skr_late_claims late;
    skr_late_claims_init(&late, e, newcomers, n);
    bool differ = skr_late_claims_unlike(&late);
    skr_late_claims_fini(&late);
    for (size_t d = 0; d < drivers.n && !differ; d++) {
        const uint16_t driver = drivers.driver[d];
        differ = skr_problem_attach_demand(e, driver, newcomers, n, newcomers, n, true) !=
                 skr_problem_attach_demand(e, driver, newcomers, n, newcomers, n, false);
    }
    return differ;
}

/* Of bound pods, and of members of plans, of all groups. list: one for each driver, which is sorted. */
static void add_uses(const struct skr_gang *e, const struct skr_problem_drivers *drivers,
                     struct pod_entry *const *all, size_t n_all, struct skr_attached_list *list)
{
    const struct skr_tree *tree = e->topology.tree;
    const char *node;
    uint64_t claim;
    for (size_t at = 0; skr_volume_uses_next(e, &at, &claim, &node);) {
        const struct volume_facts facts = skr_volumes_facts(e, claim);
        const size_t d = driver_at(drivers, facts.driver);
        const int32_t leaf = d < drivers->n ? skr_tree_find_leaf(tree, node) : -1;
        if (leaf >= 0) {
            attach(&list[d], leaf, facts.volume);
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
                const struct volume_facts facts = skr_problem_attach_facts(e, p, k);
                const size_t d = driver_at(drivers, facts.driver);
                if (d < drivers->n) {
                    attach(&list[d], leaf, facts.volume);
                }
            }
        }
    }
    for (size_t d = 0; d < drivers->n; d++) {
        sort(&list[d], by_place);
    }
}

static bool has_volume(const struct skr_attached_list *list, int32_t at, uint64_t volume)
{
    const struct skr_attached_volume wanted = {at, volume};
    return list->n > 0 && bsearch(&wanted, list->item, list->n, sizeof wanted, by_place);
}

static int volume_only(const void *a, const void *b)
{
    const struct skr_attached_volume *x = a, *y = b;
    return (x->volume > y->volume) - (x->volume < y->volume);
}

/* Attached volumes that no pod or plan there uses. list: as that of add_uses(). */
static void add_idle(const struct skr_gang *e, const struct skr_problem_drivers *drivers,
                     const struct skr_attached_list *used, struct skr_attached_list *list)
{
    const char *node;
    uint64_t volume;
    uint16_t driver;
    for (size_t at = 0; skr_csi_next_attached(e, &at, &driver, &node, &volume);) {
        const size_t d = driver_at(drivers, driver);
        const int32_t leaf = d < drivers->n ? skr_tree_find_leaf(e->topology.tree, node) : -1;
        if (leaf >= 0 && !has_volume(&used[d], leaf, volume)) {
            attach(&list[d], leaf, volume);
        }
    }
    for (size_t d = 0; d < drivers->n; d++) {
        sort(&list[d], by_place);
    }
}

/* [leaf] how many there are; ret_own: those of the newcomers. */
static void count_idle(const struct skr_attached_list *idle, const struct skr_attached_list *wanted,
                       int32_t *ret, int32_t *ret_own)
{
    for (size_t i = 0; i < idle->n; i++) {
        const bool own = wanted->n > 0 && bsearch(&idle->item[i], wanted->item, wanted->n,
                                                  sizeof idle->item[i], volume_only);
        (own ? ret_own : ret)[idle->item[i].at]++;
    }
}

static void room_of(struct skr_gang *e, uint16_t driver, struct pod_entry *const *all, size_t n_all,
                    bool most_of_any, const struct skr_attached_list *used,
                    const struct skr_attached_list *idle_list, size_t stride, int64_t *ret,
                    int64_t *ret_empty)
{
    struct skr_attached_list wanted = volumes_of(e, driver, all, n_all);
    const bool pool = skr_volumes_is_pool(e, driver);
    const size_t n_leaves = (size_t)e->topology.tree->n_leaves;
    int32_t *free_of = skr_alloc_array(3 * n_leaves + 1, sizeof *free_of);
    int32_t *idle = &free_of[n_leaves], *own = &idle[n_leaves];
    if (pool) {
        struct skr_late_claims late;
        skr_late_claims_init(&late, e, all, n_all);
        skr_late_claims_count(&late, driver, most_of_any, free_of);
        skr_late_claims_fini(&late);
    } else {
        count_idle(idle_list, &wanted, idle, own);
    }
    size_t at = 0;
    for (int32_t leaf = 0; leaf < e->topology.tree->n_leaves; leaf++) {
        const struct node_entry *node = skr_topology_leaf_nodes(e)[leaf];
        const int32_t most = pool   ? free_of[leaf]
                             : node ? skr_csi_limit(e, node->name, driver)
                                    : INT32_MAX;
        int64_t in_use = idle[leaf], shared = 0, shared_new = 0;
        for (; at < used->n && used->item[at].at == leaf; at++) {
            in_use++;
        }
        for (size_t i = 0; i < wanted.n && most < INT32_MAX; i++) {
            const bool first = i == 0 || wanted.item[i - 1].volume != wanted.item[i].volume;
            if (first && is_shared(&wanted, i)) {
                shared++;
                shared_new += has_volume(used, leaf, wanted.item[i].volume) ? 0 : 1;
            }
        }
        /* for kube-scheduler a volume that is attached before its pod comes counts twice until then */
        const bool none = own[leaf] > 0 && in_use + own[leaf] + 1 > most;
        ret[(size_t)leaf * stride] = most == INT32_MAX ? SKR_ROOM_UNLIMITED
                                     : none            ? -1
                                            : most - in_use - (most_of_any ? shared_new : 0);
        ret_empty[(size_t)leaf * stride] =
            most < INT32_MAX && !pool ? most - shared : SKR_ROOM_UNLIMITED;
    }
    free(free_of);
    free(wanted.item);
}

void skr_attached_init(struct skr_attached *a, const struct skr_gang *e,
                       const struct skr_problem_drivers *drivers, struct pod_entry *const *without,
                       size_t n)
{
    *a = (struct skr_attached){.drivers = *drivers};
    if (drivers->n > 0) {
        add_uses(e, drivers, without, n, a->used);
        add_idle(e, drivers, a->used, a->idle);
    }
}

void skr_attached_fini(struct skr_attached *a)
{
    for (size_t d = 0; d < a->drivers.n; d++) {
        free(a->used[d].item);
        free(a->idle[d].item);
    }
}

size_t skr_attached_first(const struct skr_attached_list *list, int32_t leaf)
{
    size_t first = 0, end = list->n;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        first = list->item[middle].at < leaf ? middle + 1 : first;
        end = list->item[middle].at < leaf ? end : middle;
    }
    return first;
}

void skr_problem_attach_room(struct skr_gang *e, const struct skr_problem_drivers *drivers,
                             struct pod_entry *const *all, size_t n_all, bool most, size_t stride,
                             int64_t *ret, int64_t *ret_empty)
{
    struct skr_attached a;
    skr_attached_init(&a, e, drivers, all, n_all);
    for (size_t d = 0; d < drivers->n; d++) {
        room_of(e, drivers->driver[d], all, n_all, most, &a.used[d], &a.idle[d], stride, &ret[d],
                &ret_empty[d]);
    }
    skr_attached_fini(&a);
}

/* The least that a member of any role demands of it, if it demands any; 0: none does. */
static int64_t least_demand(const struct skr_problem *p, size_t resource)
{
    int64_t least = 0;
    for (size_t r = 0; r < skr_problem_n_roles(p); r++) {
        const int64_t one = skr_problem_role(p, r).demand[resource];
        least = one > 0 && (least == 0 || one < least) ? one : least;
    }
    return least;
}

void skr_problem_attach_say(const struct skr_solve_request *request, struct skr_strbuf *b)
{
    const struct skr_problem *p = &request->problem;
    const size_t first = p->n_resources - request->n_learned - request->drivers.n;
    for (size_t i = 0; i < request->drivers.n; i++) {
        const char *driver = strchr(request->resource_name[first + i], '/') + 1;
        const int64_t least = least_demand(p, first + i);
        const bool pool = skr_volumes_names_pool(driver); /* without a volume, leaves are closed */
        size_t n = 0;
        for (size_t leaf = 0; leaf < (size_t)p->tree->n_leaves; leaf++) {
            n += (pool || p->eligible[leaf]) && p->free[leaf * p->n_resources + first + i] < least;
        }
        if (n > 0 && pool) {
            skr_strbuf_addf(b, "; %zu node%s not enough free volumes of class %s", n,
                            n == 1 ? " has" : "s have", strchr(driver, '/') + 1);
        } else if (n > 0) {
            skr_strbuf_addf(b, "; %zu node%s no more volumes of %s", n,
                            n == 1 ? " attaches" : "s attach", driver);
        }
    }
}
