/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the sentence that says why a group is not placed, for the map's message, the Event and the
 * log. Its numbers, need and have, are from the solver's proof. The first that applies:
 *
 * - a member is larger than any node, or no node is open to a role (no_node.h)
 * - a lost member must be in the unit of its set
 * - a group that holds seats: what it needs beside them
 * - devices are too few whatever else there is (device_sentence.h)
 * - a role fits nowhere even alone; too few sets fit
 * - no unit of the deciding level holds all
 * - what fits
 */
#include "core/gang/report/sentence.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"
#include "core/gang/report/device_sentence.h"
#include "core/gang/report/explain_held.h"
#include "core/gang/report/no_node.h"
#include "core/gang/state/groups.h"

#include <utlist.h>

struct saying {
    struct skr_gang *e;
    struct group *g;
    const struct skr_solve_request *request;
    const struct skr_problem *problem;
    const struct skr_solution *s;
    const struct skr_explanation *x;
    const struct skr_roles_explanation *roles; /* NULL: none */
    struct skr_strbuf *b;
};

/* Whether all members, or all further ones, must be in one unit. */
static bool wants_one(const struct skr_rule *rule)
{
    return rule->hard ? rule->type == SKR_RULE_PACK : rule->partitions == 1;
}

void skr_explain_say_counts(const struct group *g, const struct skr_solve_request *request,
                            const int32_t *count, const char *equal, struct skr_strbuf *b)
{
    int32_t of_group[SKR_ROLES_MAX] = {0};
    if (!request->problem.roles) {
        skr_strbuf_addf(b, "%d %s", count[0], equal);
        return;
    }
    for (size_t r = 0; r < request->roles->n; r++) {
        of_group[request->roles->role[r]] = count[r];
    }
    skr_roles_say_counts(g, of_group, b);
}

static void say_counts(const struct saying *say, const int32_t *count)
{
    skr_explain_say_counts(say->g, say->request, count, "", say->b);
}

/* What the problem places, claims included. equal: the word for members that are equal. */
static void say_members(const struct saying *say, const char *equal)
{
    int32_t count[SKR_ROLES_MAX] = {0};
    for (size_t r = 0; r < skr_problem_n_roles(say->problem); r++) {
        count[r] = skr_problem_role(say->problem, r).n;
    }
    skr_explain_say_counts(say->g, say->request, count, equal, say->b);
}

static const char *role_name(const struct saying *say, size_t r)
{
    return say->g->roles.item[say->request->roles->role[r]].name;
}

/* "needs 2 more slots", "needs 1 slot for role leader". role NULL: of equal members. */
static void say_slots(int32_t n, bool more, const char *role, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "needs %d%s slot%s", n, more ? " more" : "", n == 1 ? "" : "s");
    if (role) {
        skr_strbuf_addf(b, " for role %s", role);
    }
}

/* ---- a group that holds seats already ---- */

int32_t skr_explain_tying_level(const struct skr_explanation *x, const struct skr_problem *p)
{
    int32_t level = x->level;
    for (int32_t l = 1; level == 0 && l <= p->tree->n_levels; l++) {
        const struct skr_rule *rule = &p->rule[l - 1];
        bool ties = rule->hard ? rule->type == SKR_RULE_PACK : rule->partitions > 0;
        level = ties ? l : 0;
    }
    return level;
}

static void say_rule(const struct skr_rule *rule, struct skr_strbuf *b)
{
    if (rule->hard) {
        skr_strbuf_add(b, "the rule is hard");
    } else if (rule->partitions > 0) {
        skr_strbuf_addf(b, "partitions is %d", rule->partitions);
    } else if (rule->max > 0) {
        skr_strbuf_addf(b, "max is %d", rule->max);
    } else if (rule->min > 0) {
        skr_strbuf_addf(b, "min is %d", rule->min);
    } else {
        skr_strbuf_addf(b, "factor is %d", rule->factor);
    }
}

static bool has_rule(const struct skr_rule *rule)
{
    return rule->hard || rule->partitions > 0 || rule->min > 0 || rule->max > 0 || rule->factor > 1;
}

/* Whether all further members must go to one unit, where the others are. */
static bool is_bound_to_unit(const struct skr_explanation *x, const struct skr_problem *p,
                             int32_t *ret_unit)
{
    if (x->level == 0) {
        return false;
    }
    return wants_one(&p->rule[x->level - 1]) && skr_held_units(p, x->level, ret_unit) == 1;
}

static int32_t fits_in(const struct skr_explanation *x, int32_t unit)
{
    for (size_t i = 0; i < x->n_bottlenecks; i++) {
        if (x->bottleneck[i].unit == unit) {
            return x->bottleneck[i].fits;
        }
    }
    return -1;
}

static int32_t not_negative(int32_t n)
{
    return n > 0 ? n : 0;
}

/* "needs 2 more slots in rack-0, where 6 members sit and the rule is hard; 1 is free there"; false
 * if that is not the case. */
static bool say_held_unit(const struct skr_explanation *x, const struct skr_problem *p,
                          int32_t held, const char *role, struct skr_strbuf *b)
{
    int32_t unit;
    if (x->class != SKR_CLASS_PLACEMENT_FAILED || !is_bound_to_unit(x, p, &unit) ||
        fits_in(x, unit) < 0) {
        return false;
    }
    int32_t free_ = not_negative(fits_in(x, unit) - held);
    say_slots(p->n - held, true, role, b);
    skr_strbuf_addf(b, " in %s, where %d member%s and ", p->tree->unit_name[unit], held,
                    held == 1 ? " sits" : "s sit");
    say_rule(&p->rule[x->level - 1], b);
    skr_strbuf_addf(b, "; %d %s free there", free_, free_ == 1 ? "is" : "are");
    return true;
}

/* The seats it has, and the rule that binds it to them. */
static void say_seats(const struct skr_explanation *x, const struct skr_solve_request *request,
                      struct skr_strbuf *b)
{
    const struct skr_problem *p = &request->problem;
    int32_t level = skr_explain_tying_level(x, p);
    skr_strbuf_add(b, ": ");
    skr_held_say(request, level > 0 ? level : 1, b);
    if (level > 0 && skr_held_in_all(p) > 0 && has_rule(&p->rule[level - 1])) {
        skr_strbuf_add(b, ", ");
        say_rule(&p->rule[level - 1], b);
    }
}

static void say_beside(const struct skr_explanation *x, const struct skr_solve_request *request,
                       int32_t held, const char *role, struct skr_strbuf *b)
{
    const struct skr_problem *p = &request->problem;
    int32_t fit = not_negative(x->largest - held);
    int64_t free_ = x->sum_fits > held ? x->sum_fits - held : 0;
    if (say_held_unit(x, p, held, role, b)) {
        return;
    }
    say_slots(p->n - held, true, role, b);
    skr_strbuf_addf(b, " beside the %d it holds", held + request->outside);
    switch (x->class) {
    case SKR_CLASS_CONSTRAINT_CONFLICT:
        skr_strbuf_add(b, ", its rules have none for them, whatever the capacity");
        say_seats(x, request, b);
        break;
    case SKR_CLASS_NEVER_FITS:
        if (x->closed) {
            skr_strbuf_addf(b, ", the nodes open to it have %d under its rules", fit);
            break;
        }
        skr_strbuf_addf(b, ", there would be too few if all other pods were gone, %d fit%s now",
                        fit, fit == 1 ? "s" : "");
        say_seats(x, request, b);
        break;
    case SKR_CLASS_WAITING_FOR_CAPACITY:
        skr_strbuf_addf(b, ", %lld %s free on eligible nodes", (long long)free_,
                        free_ == 1 ? "is" : "are");
        break;
    case SKR_CLASS_NONE:
    case SKR_CLASS_PLACEMENT_FAILED:
    case SKR_INFEASIBLE_CLASS_COUNT:
    default:
        skr_strbuf_addf(b, ", its rules leave room for %d", fit);
        say_seats(x, request, b);
        break;
    }
}

/* "; all 8 would fit in rack-1 if they started anew, or a size of 7 would do": both found by the
 * solver. The size is not said of a group that lacks members of one role. */
static void say_choices(const struct skr_explanation *x, const struct skr_solve_request *request,
                        int32_t held, const char *role, struct skr_strbuf *b)
{
    const struct skr_problem *p = &request->problem;
    bool smaller = !role && x->largest >= held && x->largest < p->n;
    if (request->moved) {
        int32_t level = skr_explain_tying_level(x, p);
        skr_strbuf_addf(b, "; all %d would fit in ", p->n);
        skr_held_say_units(p->tree, request->moved->count, level > 0 ? level : 1, b);
        skr_strbuf_add(b, " if they started anew");
    }
    if (smaller) {
        skr_strbuf_addf(b, "%s a size of %d would do", request->moved ? ", or" : ";",
                        x->largest + request->outside);
    }
}

/* The role of all newcomers, if the group has several and they name it; else NULL. */
static const char *role_of_newcomers(struct skr_gang *e, struct group *g)
{
    size_t n;
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    bool one = skr_roles_are_several(g) && n > 0 && newcomers[0]->role < g->roles.n;
    for (size_t i = 1; one && i < n; i++) {
        one = newcomers[i]->role == newcomers[0]->role;
    }
    const struct role *role = one ? &g->roles.item[newcomers[0]->role] : NULL;
    return role && role->named ? role->name : NULL;
}

/* ---- a running set ---- */

/* "needs 1 slot for role worker of set 1 in rack-0, where no node has room for it". */
static bool say_lost(const struct saying *say)
{
    const struct skr_roles *roles = say->problem->roles;
    const struct skr_tree *tree = say->problem->tree;
    const struct pod_entry *p, *q;
    DL_FOREACH(roles ? say->g->members : NULL, p)
    {
        const int32_t r = skr_request_role_of(say->request, p->role);
        if (r < 0 || p->set < 0 || !p->seated || skr_pods_is_bound(p) || !skr_pod_is_live(p->pod)) {
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
            say_slots(1, false, role_name(say, (size_t)r), say->b);
            skr_strbuf_addf(say->b, " of set %d in %s, where no node has room for it", (int)p->set,
                            tree->unit_name[unit]);
            return true;
        }
    }
    return false;
}

/* ---- what the solver found ---- */

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

static bool say_alone(const struct saying *say)
{
    const struct skr_roles *roles = say->problem->roles;
    for (size_t r = 0; say->roles && r < roles->n_roles; r++) {
        int32_t need =
            roles->role[r].n - skr_role_claims(&roles->role[r], 0, say->problem->tree->n_leaves);
        if ((say->roles->alone >> r & 1) == 0 || need <= 0) {
            continue;
        }
        const int32_t empty = say->roles->holds_empty[r];
        const int64_t slots = slots_of(say, r);
        if (slots >= need && say->g->roles.item[say->request->roles->role[r]].kind >= 0) {
            continue; /* its sets have no room */
        }
        say_slots(need, false, role_name(say, r), say->b);
        skr_strbuf_addf(say->b, ", %lld %s free", (long long)slots, slots == 1 ? "is" : "are");
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
    for (size_t k = 0; say->roles && k < roles->n_kinds; k++) {
        const struct skr_set_kind *kind = &roles->kind[k];
        int32_t sets = 0;
        for (size_t r = 0; r < roles->n_roles; r++) {
            sets = kind->each[r] > 0 ? roles->role[r].n / kind->each[r] : sets;
        }
        int32_t fit = say->roles->largest_of_sets[k];
        if (fit < 0 || fit >= sets) {
            continue;
        }
        skr_strbuf_addf(say->b, "needs %d set%s of ", (int)sets, sets == 1 ? "" : "s");
        say_counts(say, kind->each);
        skr_strbuf_addf(say->b, ", each in one %s, %d fit%s",
                        say->problem->tree->level_name[kind->level], (int)fit, fit == 1 ? "s" : "");
        return true;
    }
    return false;
}

int skr_explain_short_role(const struct skr_roles *roles, const struct skr_bottleneck *unit)
{
    int best = -1;
    for (size_t r = 0; r < roles->n_roles; r++) {
        const int32_t lacks = unit->needs_of[r] - unit->fits_of[r];
        if (unit->fits_of[r] < 0 || lacks <= 0) {
            continue;
        }
        const int32_t than = best < 0 ? INT32_MAX : unit->needs_of[best] - unit->fits_of[best];
        if (lacks < than || (lacks == than && unit->fits_of[best] == 0 && unit->fits_of[r] > 0)) {
            best = (int)r;
        }
    }
    return best;
}

/* ", best rack has 6". */
static void say_best(const struct saying *say)
{
    const struct skr_explanation *x = say->x;
    int32_t best = 0;
    for (size_t i = 0; i < x->n_bottlenecks; i++) {
        best = x->bottleneck[i].fits > best ? x->bottleneck[i].fits : best;
    }
    skr_strbuf_addf(say->b, ", best %s has %d", say->problem->tree->level_name[x->level], best);
}

/* ", rack-1 has 7 workers beside 1 leader". */
static void say_short(const struct saying *say, const struct skr_bottleneck *unit, size_t short_of)
{
    const struct skr_roles *roles = say->problem->roles;
    int32_t has[SKR_ROLES_MAX] = {0}, beside[SKR_ROLES_MAX] = {0};
    has[short_of] = unit->fits_of[short_of];
    for (size_t r = 0; r < roles->n_roles; r++) {
        beside[r] = r == short_of ? 0 : roles->role[r].n;
    }
    skr_strbuf_addf(say->b, ", %s has ", say->problem->tree->unit_name[unit->unit]);
    if (unit->fits_of[short_of] > 0) {
        say_counts(say, has);
    } else {
        skr_strbuf_addf(say->b, "no %s", role_name(say, short_of));
    }
    skr_strbuf_add(say->b, " beside ");
    say_counts(say, beside);
}

/* What the rule of the deciding level requires, " in one rack" or " in 2 racks", and the unit that
 * is least short. False for another kind of rule. */
static bool say_unit(const struct saying *say)
{
    const struct skr_explanation *x = say->x;
    if (x->n_bottlenecks == 0 || x->level <= 0 || x->level > say->problem->tree->n_levels) {
        return false;
    }
    const struct skr_roles *roles = say->problem->roles;
    const struct skr_rule *rule = &say->problem->rule[x->level - 1];
    const char *level = say->problem->tree->level_name[x->level];
    const struct skr_bottleneck *unit = &x->bottleneck[0];
    const int short_of = roles ? skr_explain_short_role(roles, unit) : -1;
    const bool one = wants_one(rule);
    if (roles ? !one || short_of < 0 : !one && (rule->hard || rule->partitions <= 1)) {
        return false;
    }
    skr_strbuf_add(say->b, " in ");
    if (one) {
        skr_strbuf_addf(say->b, "one %s", level);
    } else {
        skr_strbuf_addf(say->b, "%d %ss", rule->partitions, level);
    }
    if (roles) {
        say_short(say, unit, (size_t)short_of);
    } else {
        say_best(say);
    }
    return true;
}

/* The role that lacks the fewest members while the others are complete. */
static bool say_left_over(const struct saying *say)
{
    const struct skr_roles *roles = say->problem->roles;
    int32_t left[SKR_ROLES_MAX] = {0}, least = INT32_MAX;
    size_t at = 0;
    for (size_t r = 0; say->roles && r < roles->n_roles; r++) {
        int32_t largest = say->roles->largest_of_role[r];
        int32_t lacks = largest >= 0 ? roles->role[r].n - largest : INT32_MAX;
        if (lacks > 0 && lacks < least) {
            least = lacks;
            at = r;
        }
    }
    if (least == INT32_MAX) {
        return false;
    }
    left[at] = least;
    skr_strbuf_add(say->b, ", all but ");
    say_counts(say, left);
    skr_strbuf_add(say->b, " fit under its rules");
    return true;
}

/* "has 8 roles, not decided within the budget; best found leaves 2 workers". */
static void say_undecided(const struct saying *say)
{
    const struct skr_roles_outcome *found = say->s->roles;
    int32_t all = 0;
    for (size_t r = 0; found && r < say->request->roles->n; r++) {
        all += found->left_out[r];
    }
    skr_strbuf_addf(say->b, "has %zu roles, not decided within the budget", say->request->roles->n);
    if (all > 0) {
        skr_strbuf_add(say->b, "; best found leaves ");
        say_counts(say, found->left_out);
    }
}

/* "has rules that no placement of 8 members meets on this tree, whatever the capacity". */
static void say_conflict(const struct saying *say)
{
    skr_strbuf_add(say->b, "has rules that no placement of ");
    say_members(say, "members");
    skr_strbuf_add(say->b, " meets on this tree, whatever the capacity");
    if (!say->problem->roles) {
        skr_strbuf_addf(say->b, "; at most %d can be placed", say->x->largest);
    }
}

/* What the group needs, and what of it fits. How many members of several roles fit is not said. */
static void say_fit(const struct saying *say)
{
    const struct skr_explanation *x = say->x;
    const bool roles = say->problem->roles;
    skr_strbuf_add(say->b, "needs ");
    say_members(say, "slots");
    if (roles && (say_unit(say) || say_left_over(say))) {
        return;
    }
    if (x->class == SKR_CLASS_NEVER_FITS && x->closed && !roles) {
        skr_strbuf_addf(say->b, ", the nodes open to it have %d under its rules", x->largest);
    } else if (x->class == SKR_CLASS_NEVER_FITS) {
        skr_strbuf_addf(say->b, ", more than %s under its rules",
                        x->closed ? "the nodes open to it have" : "an empty cluster has");
        if (!roles) {
            skr_strbuf_addf(say->b, "; %d fit now", x->largest);
        }
    } else if (roles) {
        skr_strbuf_addf(say->b, ", which do not fit %s",
                        x->class == SKR_CLASS_WAITING_FOR_CAPACITY ? "into the room that is free"
                                                                   : "together under its rules");
    } else if (x->class == SKR_CLASS_WAITING_FOR_CAPACITY) {
        skr_strbuf_addf(say->b, ", %lld are free on eligible nodes", (long long)x->sum_fits);
    } else if (!say_unit(say)) {
        skr_strbuf_addf(say->b, ", its rules leave room for %d", x->largest);
    }
}

/* ---- the whole ---- */

/* What of the nodes keeps members off. True if it wrote the sentence, as those below. */
static bool say_nodes(const struct saying *say, int32_t held)
{
    const struct skr_problem *p = say->problem;
    const bool never = say->x->class == SKR_CLASS_NEVER_FITS;
    if (never && (p->roles || say->x->largest <= held) && say->e->n_nodes > 0 && !say->g->plan &&
        skr_no_node_is_large(say->e, say->g, say->b)) {
        return true;
    }
    const bool anew = never && !say->x->closed && held + say->request->outside == 0;
    for (size_t r = 0; (p->roles || anew) && r < skr_problem_n_roles(p); r++) {
        const struct skr_role role = skr_problem_role(p, r);
        if (role.n > skr_role_claims(&role, 0, p->tree->n_leaves) && !skr_no_node_is_open(p, r)) {
            skr_no_node_say(say->e, say->g, say->request, r, say->b);
            return true;
        }
    }
    return false;
}

/* Beside the seats that the group holds. */
static bool say_held(const struct saying *say, int32_t held)
{
    if (say->problem->roles || held + say->request->outside == 0) {
        return false;
    }
    const char *role = role_of_newcomers(say->e, say->g);
    say_beside(say->x, say->request, held, role, say->b);
    if (!say->g->spec->open) {
        say_choices(say->x, say->request, held, role, say->b);
    }
    return true;
}

static bool say_devices(const struct saying *say)
{
    const bool never = say->x->class == SKR_CLASS_NEVER_FITS;
    bool open = false;
    for (size_t r = 0; r < skr_problem_n_roles(say->problem) && !open; r++) {
        open = skr_no_node_is_open(say->problem, r);
    }
    return (never || say->x->class == SKR_CLASS_WAITING_FOR_CAPACITY) && open &&
           skr_device_sentence(say->e, say->g, never, say->request, say->b);
}

/* Members of several roles: what is wrong with one of them. */
static bool say_role(const struct saying *say)
{
    if (!say->problem->roles) {
        return false;
    }
    if (say->s->status == SKR_SOLVE_PLACED) {
        skr_strbuf_add(say->b, "has no room for further members beside those that run");
    } else if (say->s->status == SKR_SOLVE_TIMEOUT) {
        say_undecided(say);
    } else {
        return say->x->class != SKR_CLASS_CONSTRAINT_CONFLICT && (say_alone(say) || say_sets(say));
    }
    return true;
}

void skr_explain_sentence(struct skr_gang *e, struct group *g, const struct skr_solution *s,
                          const struct skr_solve_request *request, struct skr_strbuf *b)
{
    const struct skr_explanation *x = &s->explanation;
    const bool known = s->status == SKR_SOLVE_INFEASIBLE && s->roles && x->class != SKR_CLASS_NONE;
    const struct saying say = {.e = e,
                               .g = g,
                               .request = request,
                               .problem = &request->problem,
                               .s = s,
                               .x = x,
                               .roles = known ? &s->roles->explanation : NULL,
                               .b = b};
    const int32_t held = skr_held_in_all(&request->problem);
    skr_strbuf_addf(b, "group %s ", g->name);
    if (!say_nodes(&say, held) && !say_lost(&say) && !say_held(&say, held) && !say_role(&say) &&
        !say_devices(&say)) {
        (x->class == SKR_CLASS_CONSTRAINT_CONFLICT ? say_conflict : say_fit)(&say);
    }
    if (e->spare.dirty) {
        skr_no_node_say_spares(e, g, &request->problem, b);
    }
}
