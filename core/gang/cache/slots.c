/* SPDX-License-Identifier: Apache-2.0 */
/* Adds each leaf's slots to the units above it, a piece of the leaves at a time; a level's value is
 * the largest sum of its units. */
#include "core/gang/cache/slots.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/topology.h"

struct asked {
    size_t n; /* the last resource is pods */
    uint16_t resource[SKR_SLOT_RESOURCES_MAX + 1];
    int64_t one[SKR_SLOT_RESOURCES_MAX];
    bool known[SKR_SLOT_RESOURCES_MAX]; /* by name, or no node has any of it */
};

static void ask(const struct skr_gang *e, const struct skr_slots *slots, struct asked *ret)
{
    *ret = (struct asked){.n = slots->n_resources + 1};
    for (size_t r = 0; r < slots->n_resources; r++) {
        const char *name = slots->tree->resource_name[r];
        int id = skr_resource_names_find(e->resources, name);
        ret->known[r] = id >= 0;
        ret->resource[r] = id >= 0 ? (uint16_t)id : SKR_RESOURCE_PODS;
        ret->one[r] = skr_resource_one(name);
    }
    ret->resource[slots->n_resources] = SKR_RESOURCE_PODS;
}

static void begin(const struct skr_gang *e, struct skr_slot_count *count)
{
    size_t names = e->topology.tree->n_resource_names;
    skr_slot_count_fini(count);
    count->slots.tree = skr_tree_ref(e->topology.tree);
    count->slots.n_resources = names < SKR_SLOT_RESOURCES_MAX ? names : SKR_SLOT_RESOURCES_MAX;
    count->unit = skr_alloc_array(
        (size_t)e->topology.tree->first_leaf * count->slots.n_resources * SKR_SLOT_SIZES + 1,
        sizeof *count->unit);
}

static int64_t *unit_cell(const struct skr_slot_count *count, int32_t unit, size_t r, size_t i)
{
    return &count->unit[((size_t)unit * count->slots.n_resources + r) * SKR_SLOT_SIZES + i];
}

static void raise(int64_t *most, int64_t n)
{
    if (n > *most) {
        *most = n;
    }
}

static void add(struct skr_slot_count *count, int32_t leaf_unit, size_t r, size_t i, int64_t n)
{
    const struct skr_tree *t = count->slots.tree;
    raise(&count->slots.most[t->n_levels][r][i], n);
    for (int32_t u = t->parent[leaf_unit]; u >= 0; u = t->parent[u]) {
        int64_t *sum = unit_cell(count, u, r, i);
        *sum = *sum > INT64_MAX - n ? INT64_MAX : *sum + n;
    }
}

/* Pods of 1, 2, 4, 8 of each resource that fit the leaf. */
static void count_leaf(const struct skr_gang *e, struct skr_slot_count *count,
                       const struct asked *asked, const struct node_entry *n, int32_t leaf)
{
    int64_t have[SKR_SLOT_RESOURCES_MAX + 1];
    if (!n || !n->node || !n->node->ready || n->node->unschedulable) {
        return;
    }
    skr_ledger_free_each(e->ledger, n->name, asked->resource, asked->n, have);
    int64_t pods = skr_room_holds(have[asked->n - 1], 1);
    for (size_t r = 0; r + 1 < asked->n; r++) {
        int64_t whole = asked->known[r] ? skr_room_holds(have[r], asked->one[r]) : 0;
        for (size_t i = 0; i < SKR_SLOT_SIZES; i++) {
            int64_t fits = whole >> i < pods ? whole >> i : pods;
            if (fits > 0) {
                add(count, count->slots.tree->first_leaf + leaf, r, i, fits);
            }
        }
    }
}

static void finish(struct skr_slot_count *count, struct skr_slots *ret)
{
    struct skr_slots *s = &count->slots;
    for (int32_t l = 0; l < s->tree->n_levels; l++) {
        for (int32_t u = s->tree->level_first[l]; u < s->tree->level_first[l + 1]; u++) {
            for (size_t r = 0; r < s->n_resources; r++) {
                for (size_t i = 0; i < SKR_SLOT_SIZES; i++) {
                    raise(&s->most[l][r][i], *unit_cell(count, u, r, i));
                }
            }
        }
    }
    *ret = *s;
    s->tree = NULL; /* the reference moved with it */
    skr_slot_count_fini(count);
}

bool skr_gang_count_slots(struct skr_gang *e, struct skr_slot_count *count, int32_t n,
                          struct skr_slots *ret)
{
    struct asked asked;
    if (!e->topology.tree || e->topology.tree->n_leaves == 0) {
        skr_slot_count_fini(count);
        *ret = (struct skr_slots){0};
        return true;
    }
    if (count->slots.tree != e->topology.tree) {
        begin(e, count);
    }
    ask(e, &count->slots, &asked);
    struct node_entry *const *leaf = skr_topology_leaf_nodes(e);
    int32_t left = e->topology.tree->n_leaves - count->next;
    for (int32_t i = n < left ? n : left; i > 0; i--, count->next++) {
        count_leaf(e, count, &asked, leaf[count->next], count->next);
    }
    if (count->next < e->topology.tree->n_leaves) {
        return false;
    }
    finish(count, ret);
    return true;
}

void skr_slots_fini(struct skr_slots *slots)
{
    skr_tree_unref(slots->tree);
    *slots = (struct skr_slots){0};
}

void skr_slot_count_fini(struct skr_slot_count *count)
{
    skr_slots_fini(&count->slots);
    free(count->unit);
    *count = (struct skr_slot_count){0};
}
