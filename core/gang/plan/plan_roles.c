/* SPDX-License-Identifier: Apache-2.0 */
/* Roles of the places of a plan: see plan_roles.h. */
#include "core/gang/plan/plan_roles.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/roles.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static int by_text(const void *a, const void *b)
{
    const struct skr_plan_role *left = a, *right = b;
    int c = strcmp(left->node, right->node);
    return c != 0 ? c : strcmp(left->role, right->role);
}

struct skr_plan_role *skr_plan_roles_count(const struct plan *plan, size_t *ret_n)
{
    const struct group *g = plan->group;
    *ret_n = 0;
    if (!skr_roles_are_several(g)) {
        return NULL;
    }
    struct skr_plan_role *all =
        skr_alloc_array(plan->n_members + plan->n_vacancies + 1, sizeof *all);
    const struct pod_entry *p;
    size_t n = 0, kept = 0;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == plan && p->role < g->roles.n) {
            all[n++] = (struct skr_plan_role){p->place.node, g->roles.item[p->role].name, 1};
        }
    }
    for (size_t i = 0; i < plan->n_vacancies; i++) {
        const struct vacancy *v = &plan->vacancy[i];
        if (v->of_role && v->role < g->roles.n) {
            all[n++] = (struct skr_plan_role){v->node, g->roles.item[v->role].name, 1};
        }
    }
    qsort(all, n, sizeof *all, by_text);
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && by_text(&all[kept - 1], &all[i]) == 0) {
            all[kept - 1].count++;
        } else {
            all[kept++] = all[i];
        }
    }
    *ret_n = kept;
    return all;
}

void skr_plan_roles_note(const struct group *g, const struct pod_entry *p, struct vacancy *v)
{
    if (skr_roles_are_several(g) && p->role < g->roles.n) {
        v->of_role = true;
        v->role = p->role;
        v->role_name = p->role_name ? skr_strdup(p->role_name) : NULL;
        v->set = p->set;
    }
}

static bool has_name(const struct vacancy *v, const struct pod_entry *p)
{
    return v->role_name ? p->role_name && strcmp(v->role_name, p->role_name) == 0 : !p->role_name;
}

bool skr_plan_roles_match(const struct group *g, const struct vacancy *v, const struct pod_entry *p)
{
    if (!v->of_role) {
        return true;
    }
    if (!has_name(v, p) || (v->set >= 0 && p->set_said >= 0 && p->set_said != v->set)) {
        return false;
    }
    bool undivided = skr_roles_are_keyed(g) ||
                     (p->role_name && g->spec && skr_group_names_role(g->spec, p->role_name));
    return undivided || p->shape == v->shape;
}
