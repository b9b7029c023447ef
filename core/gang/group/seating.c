/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/seating.h"

#include "core/gang/cache/entry.h"
#include "core/gang/group/generation.h"
#include "core/gang/group/role_sets.h"

#include <string.h>
#include <utlist.h>

/* ---- members that are gone ---- */

/* Of what a pod said of its role; NULL: nothing. */
static const char *text_of(const char *role_name)
{
    return role_name ? role_name : "";
}

/* The role that members like this one have now: of its name, preferably of its shape. SKR_ROLES_MAX: there
 * is none. */
static uint8_t role_like(struct pod_entry *const *owner, size_t n, const char *name,
                         const struct shape *shape)
{
    uint8_t role = SKR_ROLES_MAX;
    for (size_t i = 0; i < n; i++) {
        const bool alike = owner[i]->shape == shape;
        if (strcmp(text_of(owner[i]->role_name), text_of(name)) != 0) {
            continue;
        }
        role = role == SKR_ROLES_MAX || alike ? owner[i]->role : role;
        if (alike) {
            break;
        }
    }
    return role;
}

/* The set that a member said, else that of the member with its index. */
static int32_t set_like(const struct group *g, const struct skr_seat *gone, int32_t said,
                        const struct skr_seat *seat, size_t n)
{
    if (gone->role >= g->roles.n || g->roles.item[gone->role].kind < 0) {
        return -1;
    }
    for (size_t i = 0; i < n && said < 0; i++) {
        said = seat[i].role == gone->role && seat[i].index == gone->index ? seat[i].set : -1;
    }
    return said;
}

/* Whether it has Succeeded in the generation that youngest says; of a group by hand, in that of its last
 * start. */
static bool is_done(const struct skr_gang *e, const struct group *g, const struct pod_entry *p,
                    const struct skr_strbuf *youngest)
{
    return p->done || (p->pod->phase == SKR_POD_SUCCEEDED && skr_entry_is_derived(g->name) &&
                       skr_generation_may_be(e, g, p, youngest));
}

size_t skr_seating_add_gone(const struct skr_gang *e, const struct group *g,
                            struct pod_entry *const *owner, size_t n,
                            const enum skr_pod_index_key *key, const struct skr_tree *tree,
                            struct skr_seat *seat)
{
    SKR_STRBUF(youngest);
    const struct pod_entry *p;
    size_t k = n;
    if (skr_entry_is_derived(g->name)) {
        skr_generation_youngest(e, g, &youngest);
    }
    DL_FOREACH(g->members, p)
    {
        struct skr_seat *gone = &seat[k];
        const bool counts = !skr_pod_is_live(p->pod) && skr_pods_is_bound(p);
        *gone = (struct skr_seat){.name = p->pod->meta.name,
                                  .rank = counts ? skr_pods_rank_label(p) : -1,
                                  .created = p->pod->meta.created,
                                  .gone = true};
        gone->role = gone->rank >= 0 ? role_like(owner, n, p->role_name, p->shape) : SKR_ROLES_MAX;
        gone->done = gone->rank >= 0 && is_done(e, g, p, &youngest);
        gone->kept = gone->done && !*p->pod->controller_uid;
        gone->index = -1;
        if (gone->role < SKR_ROLES_MAX) {
            gone->index = skr_member_order_index(p, key[gone->role]);
            gone->set = set_like(g, gone, p->set_said, seat, n);
            gone->leaf = skr_tree_find_leaf(tree, p->pod->node_name);
        }
        k += gone->role < SKR_ROLES_MAX || gone->done;
    }
    for (size_t i = 0; i < g->holds.n; i++) {
        const struct seat_hold *hold = &g->holds.item[i];
        struct skr_seat *gone = &seat[k];
        *gone =
            (struct skr_seat){.name = hold->uid, .rank = hold->rank, .gone = true, .held = true};
        gone->role =
            hold->early ? SKR_ROLES_MAX : role_like(owner, n, hold->role_name, hold->shape);
        if (gone->role < SKR_ROLES_MAX) {
            const enum skr_pod_index_key of = key[gone->role];
            gone->index = of < SKR_POD_INDEX_COUNT ? hold->index[of] : -1;
            gone->set = set_like(g, gone, hold->set, seat, n);
            gone->leaf = skr_tree_find_leaf(tree, hold->node);
            k++;
        }
    }
    return k;
}

/* ---- the deal ---- */

int skr_seating_deal(const struct group *g, const struct skr_tree *tree,
                     const struct skr_role_counts *counts, struct skr_seat *seat, size_t n,
                     struct skr_error *error)
{
    struct skr_rank_layout layout;
    skr_role_sets_layout(g, tree, &layout);
    return skr_assign(tree, &layout, counts, seat, n, error);
}

int skr_seating_deal_known(const struct group *g, const struct skr_tree *tree,
                           const int32_t *node_leaf, struct skr_seat *seat, size_t n,
                           struct skr_error *error)
{
    size_t leaves = (size_t)tree->n_leaves;
    SKR_AUTO_FREE int32_t *count = skr_alloc_array((g->roles.n + 1) * leaves + 1, sizeof *count);
    struct skr_role_counts counts = {.total = &count[g->roles.n * leaves]};
    for (size_t r = 0; r < g->roles.n; r++) {
        counts.of_role[r] = &count[r * leaves];
    }
    for (size_t i = 0; i < n; i++) {
        if (node_leaf[i] >= 0) {
            count[g->roles.n * leaves + (size_t)node_leaf[i]]++;
        }
        if (node_leaf[i] >= 0 && seat[i].role < g->roles.n) {
            count[seat[i].role * leaves + (size_t)node_leaf[i]]++;
        }
    }
    return skr_seating_deal(g, tree, &counts, seat, n, error);
}
