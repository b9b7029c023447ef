/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the units of sets: see set_units.h. O(members + sets). */
#include "core/gang/group/set_units.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/role_sets.h"
#include "core/gang/state/plan_entry.h"

#include <utlist.h>

static const char *node_of(const struct pod_entry *p, bool planned)
{
    if (!skr_pod_is_live(p->pod)) {
        return NULL;
    }
    if (skr_pods_is_bound(p)) {
        return p->pod->node_name;
    }
    return p->plan && !p->plan->aborting && (planned || p->plan->binding) ? p->place.node : NULL;
}

/* The unit with the member's node, of the level of its set; -1: it is in no set of the kind, or has
 * no node in the tree. */
static int32_t unit_of(const struct skr_tree *tree, const struct skr_rank_layout *layout,
                       size_t kind, const struct pod_entry *p, bool planned)
{
    bool in_set = skr_pods_has_seat(p) && p->role < p->group->roles.n &&
                  layout->role[p->role].kind == (int32_t)kind && p->set >= 0 &&
                  p->set < layout->kind[kind].sets;
    const char *node = in_set ? node_of(p, planned) : NULL;
    int32_t leaf = node ? skr_tree_find_leaf(tree, node) : -1;
    return leaf >= 0 ? skr_tree_unit_at(tree, leaf, layout->kind[kind].level) : -1;
}

int32_t *skr_set_units(const struct skr_tree *tree, const struct group *g, size_t kind,
                       bool planned, size_t *ret_n)
{
    struct skr_rank_layout layout;
    skr_role_sets_layout(g, tree, &layout);
    int32_t sets = kind < layout.n_kinds ? layout.kind[kind].sets : 0;
    int32_t *unit = skr_alloc_array((size_t)sets + 1, sizeof *unit);
    const struct pod_entry *p;
    for (int32_t s = 0; s < sets; s++) {
        unit[s] = -1;
    }
    DL_FOREACH(g->members, p)
    {
        int32_t in = unit_of(tree, &layout, kind, p, planned);
        if (in >= 0 && unit[p->set] < 0) {
            unit[p->set] = in;
        }
    }
    *ret_n = (size_t)sets;
    return unit;
}

static bool kind_holds(const struct skr_tree *tree, const struct group *g, size_t kind,
                       struct skr_error *error)
{
    struct skr_rank_layout layout;
    const struct pod_entry *p;
    size_t n;
    SKR_AUTO_FREE int32_t *unit = skr_set_units(tree, g, kind, true, &n);
    skr_role_sets_layout(g, tree, &layout);
    DL_FOREACH(g->members, p)
    {
        int32_t in = unit_of(tree, &layout, kind, p, true);
        if (in >= 0 && in != unit[p->set]) {
            skr_error_set(error, SKR_CONFLICT, "set %d is in %s and in %s", (int)p->set,
                          tree->unit_name[unit[p->set]], tree->unit_name[in]);
            return false;
        }
    }
    return true;
}

bool skr_set_units_hold(const struct skr_tree *tree, const struct group *g, struct skr_error *error)
{
    bool hold = true;
    for (size_t k = 0; hold && g->spec && k < g->spec->n_sets; k++) {
        hold = kind_holds(tree, g, k, error);
    }
    return hold;
}

char *skr_set_units_text(const struct skr_tree *tree, const struct group *g)
{
    size_t kinds = g->spec ? g->spec->n_sets : 0;
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    for (size_t k = 0; k < kinds; k++) {
        size_t n;
        SKR_AUTO_FREE int32_t *unit = skr_set_units(tree, g, k, false, &n);
        for (size_t s = 0; s < n; s++) {
            if (unit[s] < 0) {
                continue;
            }
            skr_strbuf_add(&b, b.len > 0 ? ",\"" : "{\"");
            if (kinds > 1) {
                skr_strbuf_addf(&b, "%zu/", k);
            }
            skr_strbuf_addf(&b, "%zu\":", s);
            skr_strbuf_add_json(&b, tree->unit_name[unit[s]]);
        }
    }
    if (b.len == 0) {
        skr_strbuf_fini(&b);
        return NULL;
    }
    skr_strbuf_addc(&b, '}');
    return skr_strbuf_take(&b, NULL);
}
