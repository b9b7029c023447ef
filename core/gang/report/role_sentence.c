/* SPDX-License-Identifier: Apache-2.0 */
/* Why a group of several roles is not placed: see role_sentence.h. */
#include "core/gang/report/role_sentence.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/roles.h"

#include <string.h>
#include <utlist.h>

struct saying {
    struct skr_gang *e;
    const struct group *g;
    const struct skr_problem *problem;
    const struct skr_request_roles *map;
    const struct skr_roles_explanation *x; /* NULL: none */
    struct skr_strbuf *b;
};

static const struct role *group_role(const struct saying *say, size_t r)
{
    return &say->g->roles.item[say->map->role[r]];
}

/* New members of the role that all leaves have room for, as if no other role existed. */
static int64_t slots_of(const struct saying *say, size_t r)
{
    const struct skr_role *role = &say->problem->roles->role[r];
    int64_t sum = 0;
    for (int32_t leaf = 0; leaf < say->problem->tree->n_leaves; leaf++) {
        sum += skr_role_room(say->problem, role, leaf, role->n);
    }
    return sum;
}

/* "1 leader and 8 workers": what the problem places, claims included. */
static void say_needs(const struct group *g, const struct skr_solve_request *request,
                      struct skr_strbuf *b)
{
    int32_t count[SKR_ROLES_MAX] = {0};
    for (size_t r = 0; r < request->roles->n; r++) {
        count[request->roles->role[r]] = request->problem.roles->role[r].n;
    }
    skr_roles_say_counts(g, count, b);
}

/* ---- no node takes it ---- */

static const struct pod_entry *newcomer_of(const struct saying *say, size_t r)
{
    const struct pod_entry *p;
    DL_FOREACH(say->g->members, p)
    {
        if (p->role == say->map->role[r] && p->seated && !skr_pods_is_bound(p) &&
            skr_pod_is_live(p->pod)) {
            return p;
        }
    }
    return NULL;
}

/* What empties the list of its nodes: the first entry of its selector that no node meets, else its
 * node affinity, else taints. */
static void say_closed(const struct saying *say, const struct skr_pod_shape *shape)
{
    const struct node_entry *n;
    size_t nodes = 0, selected = 0;
    for (size_t at = 0; (n = skr_nodes_next(say->e, &at));) {
        nodes += !!n->node;
        selected += n->node && skr_pod_shape_selects_node(shape, n->node);
    }
    for (size_t i = 0; i < shape->node_selector.n; i++) {
        const struct skr_label *want = &shape->node_selector.item[i];
        size_t with = 0;
        for (size_t at = 0; (n = skr_nodes_next(say->e, &at));) {
            const char *value = n->node ? skr_labels_get(&n->node->meta.labels, want->key) : NULL;
            with += value && strcmp(value, want->value) == 0;
        }
        if (with == 0) {
            skr_strbuf_addf(say->b, " (nodeSelector %s=%s: 0 of %zu nodes)", want->key, want->value,
                            nodes);
            return;
        }
    }
    if (selected == 0) {
        skr_strbuf_addf(say->b, " (%s: 0 of %zu nodes)",
                        shape->has_affinity ? "node affinity" : "nodeSelector", nodes);
        return;
    }
    for (size_t at = 0; (n = skr_nodes_next(say->e, &at));) {
        for (size_t i = 0;
             n->node && skr_pod_shape_selects_node(shape, n->node) && i < n->node->n_taints; i++) {
            skr_strbuf_addf(say->b, " (%zu of %zu nodes are selected, all closed: %s has taint %s)",
                            selected, nodes, n->name, n->node->taints[i].key);
            return;
        }
    }
    skr_strbuf_addf(say->b, " (%zu of %zu nodes are selected, all closed)", selected, nodes);
}

static bool say_no_node(const struct saying *say)
{
    const struct skr_roles *roles = say->problem->roles;
    for (size_t r = 0; r < roles->n_roles; r++) {
        const struct pod_entry *p = newcomer_of(say, r);
        bool any = !p || !roles->role[r].eligible;
        for (int32_t i = 0; i < say->problem->tree->n_leaves && !any; i++) {
            any = roles->role[r].eligible[i];
        }
        if (!any) {
            const struct role *role = group_role(say, r);
            skr_strbuf_addf(say->b, "group %s: no node takes %s %s", say->g->name,
                            role->named ? "role" : "pod",
                            role->named ? role->name : p->pod->meta.name);
            say_closed(say, p->shape->spec);
            return true;
        }
    }
    return false;
}

/* ---- a running set ---- */

static bool say_lost(const struct saying *say)
{
    const struct skr_roles *roles = say->problem->roles;
    const struct skr_tree *tree = say->problem->tree;
    const struct pod_entry *p, *q;
    DL_FOREACH(say->g->members, p)
    {
        size_t r = 0;
        while (r < say->map->n && say->map->role[r] != p->role) {
            r++;
        }
        if (r == say->map->n || p->set < 0 || !p->seated || skr_pods_is_bound(p) ||
            !skr_pod_is_live(p->pod)) {
            continue;
        }
        int32_t unit = -1, level = 0;
        for (size_t k = 0; k < roles->n_kinds; k++) {
            level = roles->kind[k].each[r] > 0 ? roles->kind[k].level : level;
        }
        DL_FOREACH(say->g->members, q)
        {
            bool same = q->set == p->set && skr_pods_is_bound(q) && skr_pod_is_live(q->pod) &&
                        say->g->roles.item[q->role].kind == say->g->roles.item[p->role].kind;
            int32_t leaf = same ? skr_tree_find_leaf(tree, q->pod->node_name) : -1;
            unit = leaf >= 0 && level > 0 ? skr_tree_unit_at(tree, leaf, level) : unit;
        }
        bool room = unit < 0;
        for (int32_t i = 0; i < tree->n_leaves && !room; i++) {
            room = skr_tree_unit_at(tree, i, level) == unit &&
                   skr_role_room(say->problem, &roles->role[r], i, 1) > 0;
        }
        if (!room) {
            skr_strbuf_addf(
                say->b,
                "group %s needs 1 slot for role %s of set %d in %s, where no node has room for it",
                say->g->name, group_role(say, r)->name, (int)p->set, tree->unit_name[unit]);
            return true;
        }
    }
    return false;
}

/* ---- what the solver found ---- */

static bool say_alone(const struct saying *say)
{
    const struct skr_roles *roles = say->problem->roles;
    for (size_t r = 0; say->x && r < roles->n_roles; r++) {
        int32_t need =
            roles->role[r].n - skr_role_claims(&roles->role[r], 0, say->problem->tree->n_leaves);
        if ((say->x->alone >> r & 1) == 0 || need <= 0) {
            continue;
        }
        const int32_t empty = say->x->holds_empty[r];
        const int64_t slots = slots_of(say, r);
        if (slots >= need && group_role(say, r)->kind >= 0) {
            continue; /* its sets have no room */
        }
        skr_strbuf_addf(say->b, "group %s needs %d slot%s for role %s, %lld %s free", say->g->name,
                        (int)need, need == 1 ? "" : "s", group_role(say, r)->name, (long long)slots,
                        slots == 1 ? "is" : "are");
        if (slots >= need) {
            skr_strbuf_add(say->b, ", but fewer under its rules");
        } else {
            skr_strbuf_addf(say->b, " (%d node%s could hold one if empty)", (int)empty,
                            empty == 1 ? "" : "s");
        }
        return true;
    }
    return false;
}

static bool say_sets(const struct saying *say)
{
    const struct skr_roles *roles = say->problem->roles;
    for (size_t k = 0; say->x && k < roles->n_kinds; k++) {
        const struct skr_set_kind *kind = &roles->kind[k];
        int32_t count[SKR_ROLES_MAX] = {0}, sets = 0;
        for (size_t r = 0; r < roles->n_roles; r++) {
            count[say->map->role[r]] = kind->each[r];
            sets = kind->each[r] > 0 ? roles->role[r].n / kind->each[r] : sets;
        }
        int32_t fit = say->x->largest_of_sets[k];
        if (fit < 0 || fit >= sets) {
            continue;
        }
        skr_strbuf_addf(say->b, "group %s needs %d set%s of ", say->g->name, (int)sets,
                        sets == 1 ? "" : "s");
        skr_roles_say_counts(say->g, count, say->b);
        skr_strbuf_addf(say->b, ", each in one %s, %d fit%s",
                        say->problem->tree->level_name[kind->level], (int)fit, fit == 1 ? "s" : "");
        return true;
    }
    return false;
}

int skr_role_sentence_short(const struct skr_roles *roles, const struct skr_role_short *unit)
{
    int best = -1;
    for (size_t r = 0; r < roles->n_roles; r++) {
        const int32_t lacks = unit->needs[r] - unit->fits[r];
        if (unit->fits[r] < 0 || lacks <= 0) {
            continue;
        }
        const int32_t than = best < 0 ? INT32_MAX : unit->needs[best] - unit->fits[best];
        if (lacks < than || (lacks == than && unit->fits[best] == 0 && unit->fits[r] > 0)) {
            best = (int)r;
        }
    }
    return best;
}

/* The level whose rule wants all members in one unit, and the unit that is least short. */
static bool say_unit(const struct saying *say, const struct skr_explanation *x)
{
    const struct skr_roles *roles = say->problem->roles;
    if (!say->x || say->x->n_bottlenecks == 0 || x->level <= 0) {
        return false;
    }
    const struct skr_rule *rule = &say->problem->rule[x->level - 1];
    bool one = rule->hard ? rule->type == SKR_RULE_PACK : rule->partitions == 1;
    const struct skr_role_short *best = &say->x->bottleneck[0];
    const struct skr_tree *tree = say->problem->tree;
    const int short_of = skr_role_sentence_short(roles, best);
    if (!one || short_of < 0) {
        return false;
    }
    int32_t has[SKR_ROLES_MAX] = {0}, beside[SKR_ROLES_MAX] = {0};
    has[say->map->role[short_of]] = best->fits[short_of] > 0 ? best->fits[short_of] : 0;
    for (size_t r = 0; r < roles->n_roles; r++) {
        beside[say->map->role[r]] = (int)r == short_of ? 0 : roles->role[r].n;
    }
    skr_strbuf_addf(say->b, " in one %s, %s has ", tree->level_name[x->level],
                    tree->unit_name[best->unit]);
    if (best->fits[short_of] > 0) {
        skr_roles_say_counts(say->g, has, say->b);
    } else {
        skr_strbuf_addf(say->b, "no %s", group_role(say, (size_t)short_of)->name);
    }
    skr_strbuf_add(say->b, " beside ");
    skr_roles_say_counts(say->g, beside, say->b);
    return true;
}

/* The role that lacks the fewest members while the others are complete. */
static bool say_left_over(const struct saying *say)
{
    const struct skr_roles *roles = say->problem->roles;
    int32_t left[SKR_ROLES_MAX] = {0}, least = INT32_MAX;
    size_t at = 0;
    for (size_t r = 0; say->x && r < roles->n_roles; r++) {
        int32_t largest = say->x->largest_of_role[r];
        int32_t lacks = largest >= 0 ? roles->role[r].n - largest : INT32_MAX;
        if (lacks > 0 && lacks < least) {
            least = lacks;
            at = r;
        }
    }
    if (least == INT32_MAX) {
        return false;
    }
    left[say->map->role[at]] = least;
    skr_strbuf_add(say->b, ", all but ");
    skr_roles_say_counts(say->g, left, say->b);
    skr_strbuf_add(say->b, " fit under its rules");
    return true;
}

static void say_undecided(const struct saying *say, const struct skr_roles_outcome *found)
{
    const size_t n_roles = say->problem->roles->n_roles;
    int32_t left[SKR_ROLES_MAX] = {0}, all = 0;
    for (size_t r = 0; found && r < n_roles; r++) {
        left[say->map->role[r]] = found->left_out[r];
        all += found->left_out[r];
    }
    skr_strbuf_addf(say->b, "group %s has %zu roles, not decided within the budget", say->g->name,
                    n_roles);
    if (all > 0) {
        skr_strbuf_add(say->b, "; best found leaves ");
        skr_roles_say_counts(say->g, left, say->b);
    }
}

static void say_class(const struct saying *say, const struct skr_explanation *x)
{
    if (x->class == SKR_CLASS_NEVER_FITS) {
        skr_strbuf_add(say->b, ", more than an empty cluster has under its rules");
    } else if (x->class == SKR_CLASS_WAITING_FOR_CAPACITY) {
        skr_strbuf_add(say->b, ", which do not fit into the room that is free");
    } else {
        skr_strbuf_add(say->b, ", which do not fit together under its rules");
    }
}

void skr_role_sentence(struct skr_gang *e, const struct group *g, const struct skr_solution *s,
                       const struct skr_solve_request *request, struct skr_strbuf *b)
{
    const struct skr_explanation *x = &s->explanation;
    const bool known = s->status == SKR_SOLVE_INFEASIBLE && s->roles && x->class != SKR_CLASS_NONE;
    const struct saying say = {.e = e,
                               .g = g,
                               .problem = &request->problem,
                               .map = request->roles,
                               .x = known ? &s->roles->explanation : NULL,
                               .b = b};
    if (say_no_node(&say) || say_lost(&say)) {
        return;
    }
    if (s->status == SKR_SOLVE_PLACED) {
        skr_strbuf_addf(b, "group %s has no room for further members beside those that run",
                        g->name);
        return;
    }
    if (s->status == SKR_SOLVE_TIMEOUT) {
        say_undecided(&say, s->roles);
        return;
    }
    if (x->class != SKR_CLASS_CONSTRAINT_CONFLICT && (say_alone(&say) || say_sets(&say))) {
        return;
    }
    if (x->class == SKR_CLASS_CONSTRAINT_CONFLICT) {
        skr_strbuf_addf(b, "group %s has rules that no placement of ", g->name);
        say_needs(g, request, b);
        skr_strbuf_add(b, " meets on this tree, whatever the capacity");
        return;
    }
    skr_strbuf_addf(b, "group %s needs ", g->name);
    say_needs(g, request, b);
    if (!say_unit(&say, x) && !say_left_over(&say)) {
        say_class(&say, x);
    }
}
