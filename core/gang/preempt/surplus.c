/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/preempt/surplus.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/rule_check.h"

#include <stdlib.h>
#include <string.h>

size_t skr_surplus_scope(const struct group *g, const struct pod_entry *p)
{
    return g->roles.keyed && p->role < g->roles.n ? p->role : 0;
}

int32_t skr_surplus_needed(const struct group *g, size_t scope)
{
    return g->roles.keyed ? g->roles.item[scope].size : skr_membership_size(g);
}

bool skr_surplus_may_go(const struct group *g, const struct pod_entry *p)
{
    return !g->roles.first_foreign && (p->role >= g->roles.n || g->roles.item[p->role].kind < 0);
}

bool skr_surplus_any(const struct group *g)
{
    bool any = !g->roles.keyed && g->seats.n_bound > (size_t)skr_membership_size(g);
    for (size_t r = 0; g->roles.keyed && r < g->roles.n; r++) {
        any = any || g->roles.item[r].n_bound > g->roles.item[r].size;
    }
    return any;
}

static int by_rank_last_first(const void *a, const void *b)
{
    const struct pod_entry *p = *(struct pod_entry *const *)a, *q = *(struct pod_entry *const *)b;
    int32_t x = skr_pods_rank_label(p), y = skr_pods_rank_label(q);
    return x != y ? (x < y) - (x > y) : strcmp(q->pod->meta.name, p->pod->meta.name);
}

size_t skr_surplus_of(const struct group *g, struct pod_entry **list, size_t n)
{
    int32_t beyond[SKR_ROLES_MAX] = {0};
    size_t n_surplus = 0;
    for (size_t i = 0; i < n; i++) {
        beyond[skr_surplus_scope(g, list[i])]++;
    }
    for (size_t s = 0; s < SKR_ROLES_MAX; s++) {
        beyond[s] -= beyond[s] > 0 ? skr_surplus_needed(g, s) : 0;
    }
    if (n > 1) {
        qsort(list, n, sizeof(struct pod_entry *), by_rank_last_first);
    }
    for (size_t i = 0; i < n; i++) {
        int32_t *left = &beyond[skr_surplus_scope(g, list[i])];
        if (*left > 0 && skr_surplus_may_go(g, list[i])) {
            struct pod_entry *p = list[i];
            (*left)--;
            list[i] = list[n_surplus];
            list[n_surplus++] = p;
        }
    }
    return n_surplus;
}

/* Whether fewer members may break a rule that more of them keep. */
static bool counts_members(const struct skr_rule_scope *scope)
{
    bool counts = false;
    for (int32_t level = 0; level < scope->problem.tree->n_levels; level++) {
        const struct skr_rule *r = &scope->rule[level];
        counts = counts || (!r->hard && (r->partitions > 0 || r->min > 1 || r->factor > 1));
    }
    return counts;
}

static void *copy(struct skr_arena *arena, const void *from, size_t size)
{
    void *to = skr_arena_alloc(arena, size);
    return to ? memcpy(to, from, size) : NULL;
}

size_t skr_surplus_scopes(const struct group *g, const struct skr_tree *tree,
                          struct pod_entry *const *list, size_t n, struct skr_arena *arena,
                          struct skr_victim_scope *ret)
{
    struct skr_rule_check check;
    size_t n_scopes = 0;
    skr_rule_check_init(&check, tree, g);
    for (size_t i = 0; i < n; i++) {
        skr_rule_check_add(&check, list[i]->role, list[i]->pod->node_name, 1);
    }
    for (size_t i = 0; i < check.n_scopes; i++) {
        const struct skr_rule_scope *from = &check.scope[i];
        if (counts_members(from)) {
            struct skr_rule *rule = copy(arena, from->rule, (size_t)tree->n_levels * sizeof *rule);
            int32_t *count = copy(arena, from->count, (size_t)tree->n_leaves * sizeof *count);
            ret[n_scopes++] = (struct skr_victim_scope){
                .role = from->role,
                .problem = {.tree = tree, .rule = rule, .n = from->problem.n, .step_budget = -1},
                .count = rule ? count : NULL};
        }
    }
    skr_rule_check_fini(&check);
    return n_scopes;
}
