/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the caches for problem_volumes.h. */
#include "core/gang/problem/problem_volumes.h"

#include "core/gang/cache/csi.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/pins.h"
#include "core/gang/problem/late_claims.h"
#include "core/gang/problem/problem_attach.h"
#include "core/volume/masks.h"
#include "topology/base/hash.h"

#include <stdlib.h>
#include <string.h>

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
        const struct volume_facts facts = skr_problem_attach_facts(e, p, k);
        is = (!facts.host || skr_pins_is_called(node, facts.host)) &&
             (!facts.node || strcmp(node->meta.name, facts.node) == 0) &&
             (facts.late || !facts.rule || skr_volume_reaches(facts.rule, node)) &&
             (!skr_csi_matters(e, &facts) || skr_csi_runs_on(e, &facts, node->meta.name));
    }
    return is;
}

/* Whether a volume is for the late claim alone. */
static bool has_own(const struct skr_late_claims *l, const struct volume_facts *claim)
{
    size_t i = l->owned ? 0 : l->n_volumes;
    while (i < l->n_volumes && l->volume[i].claim != claim->volume) {
        i++;
    }
    return i < l->n_volumes;
}

/* What the leaves of newcomer i follow from; equal numbers: equal leaves. 0: it reaches all. *ret_host: its
 * only node, if that is called after its host. */
static uint64_t rules_of(const struct skr_gang *e, const struct skr_late_claims *l, size_t i,
                         const struct node_entry **ret_host)
{
    uint64_t sum = 0;
    *ret_host = NULL;
    for (size_t k = l->first[i]; k < l->first[i + 1]; k++) {
        const struct volume_facts facts = l->claim[k];
        if (l->kind[k] >= 0) {
            sum = skr_hash_pair(sum, (uint64_t)l->kind[k] + 1);
            sum = skr_hash_pair(sum, has_own(l, &facts) ? facts.volume : 0);
        } else if (skr_csi_matters(e, &facts)) {
            sum = skr_hash_pair(sum, facts.driver);
        }
        if (facts.host) {
            const struct node_entry *node = skr_nodes_find(e, facts.host);
            sum = skr_hash_pair(sum, skr_hash_string(facts.host));
            *ret_host = node && skr_pins_is_called(node->node, facts.host) ? node : NULL;
        } else if (facts.rule && !facts.late) {
            sum = skr_hash_pair(sum, (uint64_t)(uintptr_t)facts.rule);
        }
        if (facts.node) {
            sum = skr_hash_pair(sum, skr_hash_string(facts.node));
            *ret_host = skr_nodes_find(e, facts.node);
        }
    }
    return sum;
}

/* Open leaves that the volumes of p, newcomer i, are reachable from. free() it. */
static int32_t *leaves_of(struct skr_gang *e, struct skr_late_claims *l, size_t i,
                          const struct pod_entry *p, const struct node_entry *host,
                          const uint8_t *open, int32_t *ret_n)
{
    const struct skr_tree *tree = e->topology.tree;
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    const int32_t only = host ? skr_tree_find_leaf(tree, host->name) : -1;
    const int32_t first = only >= 0 ? only : 0, end = only >= 0 ? only + 1 : tree->n_leaves;
    int32_t *leaf = skr_alloc_array((size_t)(end - first) + 1, sizeof *leaf);
    uint8_t *served = skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *served);
    memcpy(served, open, (size_t)tree->n_leaves * sizeof *served);
    skr_late_claims_close(l, i, served);
    *ret_n = 0;
    for (int32_t at = first; at < end; at++) {
        if (served[at] && node[at] && reaches(e, p, node[at]->node)) {
            leaf[(*ret_n)++] = at;
        }
    }
    free(served);
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
    struct skr_late_claims late;
    size_t n_known = 0;
    skr_late_claims_init(&late, e, newcomers, n);
    skr_late_claims_gather(&late);
    for (size_t i = 0; i < n; i++) {
        const struct node_entry *host;
        const uint64_t rules = rules_of(e, &late, i, &host);
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
            int32_t *leaf = leaves_of(e, &late, i, newcomers[i], host, open, &n_leaves);
            known[n_known++] = (struct known_rules){rules, find_mask(&r, leaf, n_leaves)};
        }
        r.of[i] = (int32_t)known[at].mask;
        r.mask[known[at].mask].members++;
    }
    skr_late_claims_fini(&late);
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
    const struct skr_problem_drivers all = skr_problem_attach_drivers(e, newcomers, n);
    const size_t n_leaves = (size_t)e->topology.tree->n_leaves;
    struct skr_problem_drivers drivers = {0};
    for (size_t d = 0; d < all.n; d++) {
        if (skr_problem_attach_demand(e, all.driver[d], newcomers, n, newcomers, n, true) == 0) {
            drivers.driver[drivers.n++] = all.driver[d];
        }
    }
    const size_t size = n_leaves * drivers.n;
    int64_t *room = skr_alloc_array(2 * size + 1, sizeof *room);
    skr_problem_attach_room(e, &drivers, newcomers, n, false, drivers.n, room, &room[size]);
    for (size_t i = 0; i < size; i++) {
        eligible[i / drivers.n] = room[i] < 0 ? 0 : eligible[i / drivers.n];
    }
    free(room);
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

/* ---- what is said ---- */

void skr_problem_volumes_say_room(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                                  struct skr_strbuf *b)
{
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    const int32_t n_leaves = e->topology.tree ? e->topology.tree->n_leaves : 0;
    int32_t full = 0;
    for (size_t i = 0; i < n && e->volumes && full == 0; i++) {
        for (size_t k = 0; k < newcomers[i]->pod->n_claims && full == 0; k++) {
            const struct volume_facts facts = skr_problem_attach_facts(e, newcomers[i], k);
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
