/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/problem/late_claims.h"

#include "core/gang/cache/csi.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/pins.h"
#include "core/gang/problem/problem_attach.h"

#include <stdlib.h>
#include <string.h>

static bool is_alike(const struct volume_facts *a, const struct volume_facts *b)
{
    return a->class_ == b->class_ && a->bytes == b->bytes && a->modes == b->modes &&
           a->attributes == b->attributes && a->selector == b->selector;
}

static int32_t kind_of(struct skr_late_claims *l, const struct volume_facts *claim)
{
    size_t k = 0;
    while (k < l->n_kinds && !is_alike(&l->of_kind[k], claim)) {
        k++;
    }
    if (!claim->late || k == SKR_LATE_KINDS_MAX) {
        return -1;
    }
    if (k == l->n_kinds) {
        l->of_kind[l->n_kinds++] = *claim;
    }
    return (int32_t)k;
}

void skr_late_claims_init(struct skr_late_claims *l, struct skr_gang *e,
                          struct pod_entry *const *pod, size_t n)
{
    size_t all = 0;
    *l = (struct skr_late_claims){.e = e, .n_pods = n};
    for (size_t i = 0; i < n; i++) {
        all += pod[i]->pod->n_claims;
    }
    l->first = skr_alloc_array(n + 1, sizeof *l->first);
    l->claim = skr_alloc_array(all + 1, sizeof *l->claim);
    l->kind = skr_alloc_array(all + 1, sizeof *l->kind);
    for (size_t i = 0, at = 0; i < n; i++) {
        for (size_t k = 0; k < pod[i]->pod->n_claims; k++, at++) {
            l->claim[at] = skr_problem_attach_facts(e, pod[i], k);
            l->kind[at] = kind_of(l, &l->claim[at]);
        }
        l->first[i + 1] = at;
    }
}

void skr_late_claims_fini(struct skr_late_claims *l)
{
    free(l->first);
    free(l->claim);
    free(l->kind);
    free(l->volume);
}

static int by_bytes(const void *a, const void *b)
{
    const struct skr_late_volume *x = a, *y = b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static bool is_own(const struct skr_late_claims *l, const struct skr_free_volume *v)
{
    size_t i = 0, n = l->first[l->n_pods];
    while (i < n && !(l->kind[i] >= 0 && v->claim == l->claim[i].volume &&
                      skr_volumes_serves(v, &l->claim[i]))) {
        i++;
    }
    return i < n;
}

void skr_late_claims_gather(struct skr_late_claims *l)
{
    size_t cap = 0, at = 0;
    struct skr_free_volume v;
    struct node_entry *const *node = skr_topology_leaf_nodes(l->e);
    while (!l->gathered && l->n_kinds > 0 && skr_volumes_next(l->e, &at, &v)) {
        struct skr_late_volume one = {v.claim, 0, v.bytes, -1, v.host, v.rule};
        for (size_t k = 0; k < l->n_kinds && !v.claim; k++) {
            one.kinds |= (uint64_t)skr_volumes_serves(&v, &l->of_kind[k]) << k;
        }
        if (one.kinds || (v.claim && is_own(l, &v))) {
            const int32_t leaf = v.host ? skr_tree_find_leaf(l->e->topology.tree, v.host) : -1;
            one.leaf =
                leaf >= 0 && node[leaf] && skr_pins_is_called(node[leaf]->node, v.host) ? leaf : -1;
            skr_grow(&l->volume, &cap, l->n_volumes + 1, sizeof *l->volume);
            l->volume[l->n_volumes++] = one;
            l->owned = l->owned || v.claim;
        }
    }
    if (!l->gathered && l->n_volumes > 1) {
        qsort(l->volume, l->n_volumes, sizeof *l->volume, by_bytes);
    }
    l->gathered = true;
}

bool skr_late_claims_unlike(const struct skr_late_claims *l)
{
    for (size_t i = 1; i < l->n_kinds; i++) {
        for (size_t k = 0; k < i && !l->of_kind[i].made; k++) {
            if (l->of_kind[k].class_ == l->of_kind[i].class_) {
                return true;
            }
        }
    }
    return false;
}

bool skr_late_claims_reaches(const struct skr_late_claims *l, const struct skr_late_volume *v,
                             int32_t leaf)
{
    const struct node_entry *node = skr_topology_leaf_nodes(l->e)[leaf];
    if (v->leaf >= 0 || !node) {
        return v->leaf == leaf;
    }
    /* labels of zones count only once the claim is bound */
    return (!v->host || skr_pins_is_called(node->node, v->host)) &&
           (!v->rule || skr_pod_shape_selects_node(&v->rule->reach, node->node));
}

bool skr_late_claims_serves(const struct skr_late_claims *l, const struct skr_late_volume *v,
                            size_t claim)
{
    return v->claim ? v->claim == l->claim[claim].volume : v->kinds >> l->kind[claim] & 1;
}

/* Adds one to each leaf that reaches the volume. */
static void add_leaves(const struct skr_late_claims *l, const struct skr_late_volume *v,
                       int32_t *ret)
{
    const int32_t first = v->leaf >= 0 ? v->leaf : 0;
    const int32_t end = v->leaf >= 0 ? first + 1 : l->e->topology.tree->n_leaves;
    for (int32_t i = first; i < end; i++) {
        ret[i] += skr_late_claims_reaches(l, v, i);
    }
}

void skr_late_claims_count(struct skr_late_claims *l, uint16_t pool, bool all, int32_t *ret)
{
    uint64_t kinds = 0;
    for (size_t k = 0; k < l->n_kinds; k++) {
        kinds |= (uint64_t)(l->of_kind[k].driver == pool) << k;
    }
    skr_late_claims_gather(l);
    for (size_t i = 0; i < l->n_volumes; i++) {
        const struct skr_late_volume *v = &l->volume[i];
        if (all ? (v->kinds & kinds) == kinds : v->claim || (v->kinds & kinds)) {
            add_leaves(l, v, ret);
        }
    }
}

bool skr_late_claims_makes(const struct skr_gang *e, const struct volume_facts *claim,
                           const struct skr_node *node)
{
    return claim->made && (!claim->rule || skr_volume_reaches(claim->rule, node)) &&
           skr_csi_has_room(e, claim, node);
}

/* ret[leaf] becomes how many volumes serve claim c there: its own ones, or any if it has none. */
static void count_for(const struct skr_late_claims *l, size_t c, int32_t *ret)
{
    const size_t n = (size_t)l->e->topology.tree->n_leaves;
    bool own = false;
    memset(ret, 0, n * sizeof *ret);
    for (size_t k = 0; k < l->n_volumes; k++) {
        const struct skr_late_volume *v = &l->volume[k];
        if (skr_late_claims_serves(l, v, c) && (v->claim || !own)) {
            memset(ret, 0, v->claim && !own ? n * sizeof *ret : 0);
            own = v->claim;
            add_leaves(l, v, ret);
        }
    }
}

void skr_late_claims_close(struct skr_late_claims *l, size_t i, uint8_t *ret)
{
    const size_t n = (size_t)l->e->topology.tree->n_leaves;
    struct node_entry *const *node = skr_topology_leaf_nodes(l->e);
    int32_t *serve = skr_alloc_array(n + 1, sizeof *serve);
    skr_late_claims_gather(l);
    for (size_t c = l->first[i]; c < l->first[i + 1]; c++) {
        const struct volume_facts *claim = &l->claim[c];
        if (l->kind[c] >= 0 && !claim->node) {
            count_for(l, c, serve);
        }
        for (size_t leaf = 0; leaf < n && l->kind[c] >= 0; leaf++) {
            const bool has = !claim->node && serve[leaf] > 0;
            ret[leaf] = ret[leaf] && node[leaf] &&
                        (has || skr_late_claims_makes(l->e, claim, node[leaf]->node));
        }
    }
    free(serve);
}
