/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the names of claims, each with its pod. */
#include "core/gang/cache/device_shares.h"

#include "core/devices/pod_problem.h"
#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/pods.h"

#include <stdlib.h>
#include <string.h>

struct use {
    const char *name;
    const struct skr_claim_spec *spec;
    size_t pod;
};

struct uses {
    struct use *item;
    size_t n, cap;
};

static int by_name(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->pod > y->pod) - (x->pod < y->pod);
}

static struct uses uses_of(const struct skr_gang *e, struct pod_entry *const *pod, size_t n)
{
    struct uses uses = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < pod[i]->pod->n_claims; k++) {
            const struct skr_pod_claim *claim = &pod[i]->pod->claim[k];
            if (claim->kind != SKR_POD_CLAIM_DEVICES || claim->made) {
                continue;
            }
            const struct claim_facts facts =
                skr_claim_objects_facts(e, pod[i]->pod->meta.namespace_, claim);
            if (!facts.allocated) {
                skr_grow(&uses.item, &uses.cap, uses.n + 1, sizeof *uses.item);
                uses.item[uses.n++] = (struct use){claim->name, facts.spec, i};
            }
        }
    }
    if (uses.n > 1) {
        qsort(uses.item, uses.n, sizeof *uses.item, by_name);
    }
    return uses;
}

/* Reads what a shared claim asks for, unless it is beyond what a pod may ask for. */
static bool is_read(const struct skr_gang *e, const struct skr_claim_spec *spec)
{
    size_t requests, selectors;
    skr_devices_stock_size(e->devices.stock, spec->text, &requests, &selectors);
    if (requests > SKR_DEVICES_REQUESTS_MAX || selectors > SKR_DEVICES_SELECTORS_MAX) {
        return false;
    }
    const struct skr_claim_spec *read = skr_devices_stock_spec(e->devices.stock, spec->text);
    skr_devices_stock_forget_spec(e->devices.stock, read); /* its object keeps it */
    return read;
}

/* Whether all pods of its roles use it. */
static bool is_whole(struct pod_entry *const *pod, size_t n, const struct device_share *share)
{
    size_t users = 0;
    for (size_t i = 0; i < n; i++) {
        users += share->roles >> pod[i]->role & 1;
    }
    return users == share->users;
}

struct device_shares skr_device_shares_of(const struct skr_gang *e, struct pod_entry *const *pod,
                                          size_t n)
{
    struct uses uses = uses_of(e, pod, n);
    struct device_shares ret = {0};
    size_t cap = 0;
    for (size_t i = 0, end; i < uses.n; i = end) {
        struct device_share share = {.name = uses.item[i].name, .spec = uses.item[i].spec};
        for (end = i; end < uses.n && strcmp(uses.item[end].name, share.name) == 0; end++) {
            ret.partial = ret.partial || (end > i && uses.item[end].pod == uses.item[end - 1].pod);
            share.roles |= UINT32_C(1) << pod[uses.item[end].pod]->role;
            share.users++;
        }
        if (share.users > 1) {
            share.spec = share.spec && is_read(e, share.spec) ? share.spec : NULL;
            skr_grow(&ret.item, &cap, ret.n + 1, sizeof *ret.item);
            ret.item[ret.n++] = share;
            ret.partial = ret.partial || !is_whole(pod, n, &share);
        }
    }
    free(uses.item);
    return ret;
}

bool skr_device_shares_any(const struct skr_gang *e, struct pod_entry *const *pod, size_t n)
{
    struct device_shares shares = skr_device_shares_of(e, pod, n);
    free(shares.item);
    return shares.n > 0;
}

const struct device_share *skr_device_shares_find(const struct device_shares *shares,
                                                  const char *name)
{
    size_t i = 0;
    while (i < shares->n && strcmp(shares->item[i].name, name) != 0) {
        i++;
    }
    return i < shares->n ? &shares->item[i] : NULL;
}

/* ---- pods that are on one node ---- */

static bool is_of_one_node(const struct skr_gang *e, const struct use *use)
{
    return use->spec && is_read(e, use->spec) &&
           skr_claim_reach_of(e->devices.stock, use->spec) == SKR_CLAIM_OF_ONE_NODE;
}

/* The pod before use i that names the same claim of one node; SIZE_MAX: there is none. */
static size_t mate_of(const struct skr_gang *e, const struct uses *uses, size_t i)
{
    const struct use *use = &uses->item[i];
    const bool mates = i > 0 && strcmp(use[-1].name, use->name) == 0 && is_of_one_node(e, use);
    return mates ? use[-1].pod : SIZE_MAX;
}

/* set[n]: the first pod of the set that a pod is of, which is itself without a claim that others name. */
static void find_sets(const struct skr_gang *e, struct pod_entry *const *pod, size_t n, size_t *set)
{
    struct uses uses = uses_of(e, pod, n);
    for (size_t i = 0; i < n; i++) {
        set[i] = i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < uses.n; i++) {
            const size_t mate = mate_of(e, &uses, i), own = uses.item[i].pod;
            if (mate != SIZE_MAX && set[mate] != set[own]) {
                set[mate] = set[own] = set[mate] < set[own] ? set[mate] : set[own];
                changed = true;
            }
        }
    }
    free(uses.item);
}

/* The leaf of a set of which a leaf is given, else the one with the least room that is enough; -1: there is none. */
static int32_t leaf_of(const size_t *set, size_t n, size_t first, int32_t members,
                       const int32_t *place, size_t n_leaves, const int32_t *leaf)
{
    int32_t best = -1;
    for (size_t i = first; i < n && best < 0; i++) {
        best = set[i] == first ? leaf[i] : -1;
    }
    for (size_t i = 0; i < n_leaves && members > 0; i++) {
        if (place[i] >= members && (best < 0 || place[i] < place[best])) {
            best = (int32_t)i;
        }
    }
    return best;
}

void skr_device_shares_deal(const struct skr_gang *e, struct pod_entry *const *pod, size_t n,
                            int32_t *place, size_t n_leaves, int32_t *leaf)
{
    SKR_AUTO_FREE size_t *set = skr_alloc_array(n + 1, sizeof *set);
    SKR_AUTO_FREE int32_t *open = skr_alloc_array(n + 1, sizeof *open); /* [first pod of a set] */
    find_sets(e, pod, n, set);
    for (size_t i = 0; i < n; i++) {
        open[set[i]] += leaf[i] < 0;
        place[leaf[i] < 0 ? (int32_t)n_leaves : leaf[i]]--;
    }
    for (;;) {
        size_t first = n;
        for (size_t i = 0; i < n; i++) {
            first = open[i] > 1 && (first == n || open[i] > open[first]) ? i : first;
        }
        if (first == n) {
            return;
        }
        const int32_t to = leaf_of(set, n, first, open[first], place, n_leaves, leaf);
        for (size_t i = first; i < n && to >= 0; i++) {
            if (set[i] == first && leaf[i] < 0) {
                leaf[i] = to;
                place[to]--;
            }
        }
        open[first] = 0;
    }
}

static size_t count_on(const char *const *node, size_t n, const char *of)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        found += strcmp(node[i], of) == 0;
    }
    return found;
}

size_t skr_device_shares_split(const struct skr_gang *e, struct pod_entry *const *pod,
                               const char *const *node, size_t n, const char **ret_claim)
{
    struct uses uses = uses_of(e, pod, n);
    size_t split = n;
    for (size_t i = 0; i < uses.n && split == n; i++) {
        const size_t mate = mate_of(e, &uses, i), own = uses.item[i].pod;
        if (mate != SIZE_MAX && strcmp(node[mate], node[own]) != 0) {
            *ret_claim = uses.item[i].name;
            split = count_on(node, n, node[own]) > count_on(node, n, node[mate]) ? own : mate;
        }
    }
    free(uses.item);
    return split;
}

void skr_device_shares_turns(const struct skr_gang *e, struct pod_entry *const *pod, size_t n,
                             int32_t *ret)
{
    struct uses uses = uses_of(e, pod, n);
    for (bool raised = true; raised;) { /* it ends: a pod is raised by one before it alone */
        raised = false;
        for (size_t i = 0, first = 0; i < uses.n; i++) {
            const struct use *use = &uses.item[i];
            first = strcmp(uses.item[first].name, use->name) == 0 ? first : i;
            const int32_t after = ret[uses.item[first].pod] + 1;
            if (use->pod != uses.item[first].pod && ret[use->pod] < after) {
                ret[use->pod] = after;
                raised = true;
            }
        }
    }
    free(uses.item);
}
