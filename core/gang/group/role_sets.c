/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the set of each member: see role_sets.h. */
#include "core/gang/group/role_sets.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/member_order.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/plan_text.h"

#include <stdlib.h>
#include <utlist.h>

static int32_t sets_of(const struct group *g, size_t kind)
{
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct role *role = &g->roles.item[r];
        if (role->kind == (int32_t)kind && role->each > 0) {
            return role->size / role->each;
        }
    }
    return 0;
}

static bool is_placed(const struct pod_entry *p)
{
    return skr_pods_is_bound(p) || (p->plan && !p->plan->aborting);
}

static int32_t rank_of(const struct pod_entry *p)
{
    return p->place.rank >= 0 ? p->place.rank : skr_pods_rank_label(p);
}

/* Sets of one kind while they are filled: left[role * sets + set] free seats. */
struct filling {
    int32_t sets;
    int32_t *left;
};

static bool enter_set(struct filling *f, struct pod_entry *p, int32_t set)
{
    if (set < 0 || set >= f->sets || f->left[p->role * f->sets + set] <= 0) {
        return false;
    }
    f->left[p->role * f->sets + set]--;
    p->set = set;
    return true;
}

/* The members of roles of the kind, in member order within each role; free(). */
static struct pod_entry **members_of_kind(const struct group *g, size_t kind, size_t *ret_n)
{
    struct pod_entry **list = skr_alloc_array(g->n_members + 1, sizeof *list), *p;
    size_t n = 0;
    for (size_t r = 0; r < g->roles.n; r++) {
        size_t begin = n;
        if (g->roles.item[r].kind != (int32_t)kind) {
            continue;
        }
        DL_FOREACH(g->members, p)
        {
            if (skr_pods_has_seat(p) && p->role == r) {
                list[n++] = p;
            }
        }
        skr_member_order_sort(&list[begin], n - begin);
    }
    *ret_n = n;
    return list;
}

static void fill_sets(const struct group *g, size_t kind, const struct skr_rank_position *position,
                      size_t n_positions)
{
    struct filling f = {.sets = sets_of(g, kind)};
    size_t n;
    SKR_AUTO_FREE struct pod_entry **list = members_of_kind(g, kind, &n);
    f.left = skr_alloc_array(g->roles.n * (size_t)f.sets + 1, sizeof *f.left);
    for (size_t r = 0; r < g->roles.n; r++) {
        for (int32_t s = 0; s < f.sets; s++) {
            f.left[(int32_t)r * f.sets + s] = g->roles.item[r].each;
        }
    }
    for (size_t i = 0; i < n; i++) {
        enter_set(&f, list[i], list[i]->set_said);
    }
    for (size_t i = 0; i < n; i++) {
        if (list[i]->set < 0 && skr_pods_is_bound(list[i])) {
            enter_set(&f, list[i], skr_member_plan_set(skr_pods_annotation(list[i])));
        }
    }
    for (size_t i = 0; i < n; i++) {
        int32_t rank = list[i]->set < 0 && is_placed(list[i]) ? rank_of(list[i]) : -1;
        if (rank >= 0 && (size_t)rank < n_positions && position[rank].role == list[i]->role) {
            enter_set(&f, list[i], position[rank].set);
        }
    }
    int32_t from[SKR_ROLES_MAX] = {0};
    for (size_t i = 0; i < n; i++) {
        int32_t *s = &from[list[i]->role];
        while (list[i]->set < 0 && *s < f.sets && !enter_set(&f, list[i], *s)) {
            (*s)++;
        }
    }
    /* A set that none of its members runs is planned whole. */
    bool *runs = skr_alloc_array((size_t)f.sets + 1, sizeof *runs);
    bool *lacks = skr_alloc_array((size_t)f.sets + 1, sizeof *lacks);
    for (size_t i = 0; i < n; i++) {
        int32_t s = list[i]->set;
        if (s >= 0) {
            runs[s] = runs[s] || is_placed(list[i]);
            lacks[s] = lacks[s] || (!is_placed(list[i]) && list[i]->pod->foreign_gate);
        }
    }
    for (size_t r = 0; r < g->roles.n; r++) {
        for (int32_t s = 0; s < f.sets && g->roles.item[r].kind == (int32_t)kind; s++) {
            lacks[s] = lacks[s] || f.left[(int32_t)r * f.sets + s] > 0;
        }
    }
    for (size_t i = 0; i < n; i++) {
        int32_t s = list[i]->set;
        list[i]->waits_for_set = s < 0 || (!runs[s] && lacks[s]);
    }
    free(runs);
    free(lacks);
    free(f.left);
}

void skr_role_sets_layout(const struct group *g, const struct skr_tree *tree,
                          struct skr_rank_layout *ret)
{
    *ret = (struct skr_rank_layout){.whole = g->roles.keyed,
                                    .n_roles = g->roles.n > 0 ? g->roles.n : 1,
                                    .role = {{.kind = -1}}};
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct role *role = &g->roles.item[r];
        bool in_sets = role->kind >= 0 && role->each > 0;
        ret->role[r].size = role->size;
        ret->role[r].kind = in_sets ? role->kind : -1;
        ret->role[r].each = in_sets ? role->each : 0;
    }
    ret->n_kinds = g->spec ? g->spec->n_sets : 0;
    for (size_t k = 0; k < ret->n_kinds; k++) {
        int32_t level = tree ? skr_tree_find_level(tree, g->spec->set[k].level) : 1;
        ret->kind[k].level = level > 0 ? level : 1;
        ret->kind[k].sets = sets_of(g, k);
    }
}

void skr_role_sets_update(struct group *g)
{
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        p->set = -1;
        p->waits_for_set = false;
    }
    if (!g->spec || g->spec->n_sets == 0) {
        return;
    }
    struct skr_rank_layout layout;
    skr_role_sets_layout(g, NULL, &layout);
    size_t n = skr_rank_layout_size(&layout);
    SKR_AUTO_FREE struct skr_rank_position *position = skr_alloc_array(n + 1, sizeof *position);
    skr_rank_layout_positions(&layout, position);
    for (size_t k = 0; k < g->spec->n_sets; k++) {
        fill_sets(g, k, position, n);
    }
}
