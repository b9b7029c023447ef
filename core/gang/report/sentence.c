/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the sentence that says why a group is not placed, for the map's message, the Event and the
 * log. Its numbers, need and have, are from the solver's proof. If no member fits at all, the
 * ledger shows whether one member is larger than any node, O(nodes). */
#include "core/gang/report/sentence.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"
#include "core/gang/problem/node_open.h"
#include "core/gang/problem/problem_volumes.h"
#include "core/gang/report/device_sentence.h"
#include "core/gang/report/explain_held.h"
#include "core/gang/state/groups.h"

#include "topology/amount_text.h"

#include <string.h>

/* "in one rack" or "in 2 racks": what the rule of the deciding level requires; false for another
 * kind of rule. */
static bool say_domains(const struct skr_rule *rule, const char *level, struct skr_strbuf *b)
{
    if (rule->hard && rule->type == SKR_RULE_PACK) {
        skr_strbuf_addf(b, " in one %s", level);
    } else if (!rule->hard && rule->partitions == 1) {
        skr_strbuf_addf(b, " in one %s", level);
    } else if (!rule->hard && rule->partitions > 1) {
        skr_strbuf_addf(b, " in %d %ss", rule->partitions, level);
    } else {
        return false;
    }
    return true;
}

static int32_t best_fit(const struct skr_explanation *x)
{
    int32_t best = 0;
    for (size_t i = 0; i < x->n_bottlenecks; i++) {
        best = x->bottleneck[i].fits > best ? x->bottleneck[i].fits : best;
    }
    return best;
}

static void placement_failed(const struct skr_explanation *x, const struct skr_problem *p,
                             struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "needs %d slots", p->n);
    bool said = false;
    if (x->n_bottlenecks > 0 && x->level > 0 && x->level <= p->tree->n_levels) {
        const char *level = p->tree->level_name[x->level];
        said = say_domains(&p->rule[x->level - 1], level, b);
        if (said) {
            skr_strbuf_addf(b, ", best %s has %d", level, best_fit(x));
        }
    }
    if (!said) {
        skr_strbuf_addf(b, ", its rules leave room for %d", x->largest);
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
    const struct skr_rule *rule = &p->rule[x->level - 1];
    bool one = rule->hard ? rule->type == SKR_RULE_PACK : rule->partitions == 1;
    return one && skr_held_units(p, x->level, ret_unit) == 1;
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

/* "needs 2 more slots", "needs 1 more slot for role leader". role NULL: of equal members. */
static void say_more(const char *role, int32_t more, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "needs %d more slot%s", more, more == 1 ? "" : "s");
    if (role) {
        skr_strbuf_addf(b, " for role %s", role);
    }
}

/* "needs 2 more slots in rack-0, where 6 members sit and the rule is hard; 1 is free there"; false
 * if that is not the case. */
static bool say_unit(const struct skr_explanation *x, const struct skr_problem *p, int32_t held,
                     const char *role, struct skr_strbuf *b)
{
    int32_t unit;
    if (x->class != SKR_CLASS_PLACEMENT_FAILED || !is_bound_to_unit(x, p, &unit) ||
        fits_in(x, unit) < 0) {
        return false;
    }
    int32_t free_ = not_negative(fits_in(x, unit) - held);
    say_more(role, p->n - held, b);
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
    if (say_unit(x, p, held, role, b)) {
        return;
    }
    say_more(role, p->n - held, b);
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

/* ---- a member that no node can take ---- */

/* The most room that one node has for the request, used or not. */
static int64_t largest_node(const struct skr_gang *e, const struct skr_amount *request)
{
    int64_t most = 0;
    const struct node_entry *n;
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        int64_t has = skr_ledger_node_empty_room(skr_ledger_get(e->ledger, n->name), request);
        most = n->node && has > most ? has : most;
    }
    return most;
}

static void say_too_large(const char *resource, int64_t need, int64_t have, struct skr_strbuf *b)
{
    struct skr_strbuf needs, has;
    skr_strbuf_init(&needs);
    skr_strbuf_init(&has);
    skr_amount_add_number(&needs, resource, need);
    skr_amount_add_number(&has, resource, have);
    skr_strbuf_add(b, "needs ");
    skr_amount_add(b, resource, need);
    skr_strbuf_add(b, " a pod, the largest node has ");
    if (strcmp(needs.s, has.s) == 0) { /* equal when rounded */
        skr_amount_add_number(b, resource, need - have);
        skr_strbuf_add(b, " less");
    } else {
        skr_strbuf_add(b, has.s);
    }
    skr_strbuf_fini(&needs);
    skr_strbuf_fini(&has);
}

/* Names a resource that no node has, else the first that one member needs too much of. */
static bool member_too_large(struct skr_gang *e, struct group *g, struct skr_strbuf *b)
{
    size_t n;
    struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    struct shapes shapes = skr_shapes_of(newcomers, n);
    struct skr_amounts each;
    const char *absent = skr_shapes_absent(e, &shapes).name, *large = absent;
    skr_shapes_demand(&shapes, &each);
    free(newcomers);
    int64_t need = 0, have = 0;
    for (size_t i = 0; i < each.n; i++) {
        const char *name = skr_resource_names_get(e->resources, each.item[i].resource);
        int64_t most = largest_node(e, &each.item[i]);
        if (!name || each.item[i].amount <= most || each.item[i].resource == SKR_RESOURCE_PODS) {
            continue;
        }
        if (most == 0 && (!absent || strcmp(name, absent) < 0)) {
            absent = name;
        }
        if (!large || strcmp(name, large) < 0) {
            large = name;
            need = each.item[i].amount;
            have = most;
        }
    }
    if (absent) {
        skr_strbuf_addf(b, "needs %s, no node has it", absent);
    } else if (large) {
        say_too_large(large, need, have, b);
    }
    skr_amounts_fini(&each);
    return large;
}

/* True if it wrote the sentence. */
static bool too_large(struct skr_gang *e, struct group *g, const struct skr_explanation *x,
                      int32_t held, struct skr_strbuf *b)
{
    return x->class == SKR_CLASS_NEVER_FITS && x->largest <= held && e->n_nodes > 0 && !g->plan &&
           member_too_large(e, g, b);
}

/* ---- no node is open ---- */

enum closed_by {
    CLOSED_SOME, /* open to only some of its pods */
    CLOSED_SELECTOR,
    CLOSED_TAINT,
    CLOSED_CORDON,
    CLOSED_REFUSED,
    CLOSED_RULES, /* about other pods */
    CLOSED_VOLUMES,
    CLOSED_ABSENT,
    CLOSED_SPARE,
    CLOSED_BY_COUNT
};

static enum closed_by closed_by(const struct skr_gang *e, const struct group *g,
                                const struct shapes *shapes, const char *node)
{
    static const enum closed_by cause[] = {
        [SKR_ELIGIBLE] = CLOSED_REFUSED,
        [SKR_INELIGIBLE_UNSCHEDULABLE] = CLOSED_CORDON,
        [SKR_INELIGIBLE_TAINT] = CLOSED_TAINT,
        [SKR_INELIGIBLE_SELECTOR] = CLOSED_SELECTOR,
    };
    _Static_assert(sizeof cause / sizeof *cause == SKR_INELIGIBLE_COUNT, "all causes");
    const struct node_entry *n = skr_nodes_find(e, node);
    enum closed_by first = CLOSED_RULES;
    size_t open = 0;
    for (size_t i = 0; i < shapes->n && n && n->node; i++) {
        enum skr_ineligible why = skr_pod_shape_check_node(shapes->item[i]->spec, n->node);
        if (why == SKR_ELIGIBLE && !skr_vetoes_close(e, g, shapes->item[i], node)) {
            open++;
        } else if (first == CLOSED_RULES) {
            first = cause[why];
        }
    }
    if (!n || !n->node) {
        return CLOSED_ABSENT;
    }
    if (first == CLOSED_RULES && skr_node_is_spare(g, n)) {
        return CLOSED_SPARE;
    }
    return open > 0 && open < shapes->n ? CLOSED_SOME : first;
}

/* Appends the selector or taint that closes the node, for the first shape to which it is closed. */
static void say_cause(const struct skr_gang *e, const struct shapes *shapes, const char *node,
                      struct skr_strbuf *b)
{
    const struct node_entry *n = skr_nodes_find(e, node);
    for (size_t i = 0; n && n->node && b->len == 0 && i < shapes->n; i++) {
        skr_pod_shape_say_ineligible(shapes->item[i]->spec, n->node, b);
    }
}

static bool any_open(const struct skr_problem *p)
{
    int32_t i = 0;
    while (p->eligible && i < p->tree->n_leaves && !p->eligible[i]) {
        i++;
    }
    return i < p->tree->n_leaves;
}

/* "needs 4 slots, no node is open to its pods: 3 not selected by nodeSelector or nodeAffinity
 * (pool=gpu), 1 tainted (t:NoSchedule)"; false if a node is open. In brackets is the cause of the
 * first such node. */
static bool nowhere(struct skr_gang *e, struct group *g, const struct skr_problem *p,
                    struct skr_strbuf *b)
{
    static const char *const text[] = {
        [CLOSED_SOME] = "open to some of them, which differ",
        [CLOSED_SELECTOR] = "not selected by nodeSelector or nodeAffinity",
        [CLOSED_TAINT] = "tainted",
        [CLOSED_CORDON] = "cordoned",
        [CLOSED_REFUSED] = "refused by kube-scheduler",
        [CLOSED_RULES] = "closed by rules about other pods",
        [CLOSED_VOLUMES] = "out of reach of volumes of its pods",
        [CLOSED_ABSENT] = "not there",
        [CLOSED_SPARE] = "kept as spares",
    };
    _Static_assert(sizeof text / sizeof *text == CLOSED_BY_COUNT, "a text for each");
    if (any_open(p)) {
        return false;
    }
    int32_t count[CLOSED_BY_COUNT] = {0};
    const char *first[CLOSED_BY_COUNT] = {NULL};
    size_t n;
    struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    struct shapes shapes = skr_shapes_of(newcomers, n);
    SKR_AUTO_FREE uint8_t *reached = skr_alloc((size_t)p->tree->n_leaves + 1);
    memset(reached, 1, (size_t)p->tree->n_leaves);
    skr_problem_volumes_close(e, newcomers, n, reached);
    free(newcomers);
    for (int32_t i = 0; i < p->tree->n_leaves; i++) {
        const char *node = p->tree->unit_name[p->tree->first_leaf + i];
        enum closed_by cause = closed_by(e, g, &shapes, node);
        cause = cause == CLOSED_RULES && !reached[i] ? CLOSED_VOLUMES : cause;
        first[cause] = count[cause]++ == 0 ? node : first[cause];
    }
    skr_strbuf_addf(b, "needs %d slots, no node is open to its pods", p->n);
    const char *before = ": ";
    for (int i = 0; i < CLOSED_BY_COUNT; i++) {
        if (count[i] > 0) {
            SKR_STRBUF(cause);
            if (i == CLOSED_SELECTOR || i == CLOSED_TAINT) {
                say_cause(e, &shapes, first[i], &cause);
            }
            skr_strbuf_addf(b, "%s%d %s%s%s%s", before, count[i], text[i], cause.len ? " (" : "",
                            cause.len ? cause.s : "", cause.len ? ")" : "");
            before = ", ";
        }
    }
    return true;
}

static void never_fits(struct skr_gang *e, struct group *g, const struct skr_explanation *x,
                       const struct skr_problem *p, struct skr_strbuf *b)
{
    int32_t n = p->n;
    if (x->closed) {
        skr_strbuf_addf(b, "needs %d slots, the nodes open to it have %d under its rules", n,
                        x->largest);
        return;
    }
    if (nowhere(e, g, p, b)) {
        return;
    }
    skr_strbuf_addf(b, "needs %d slots, more than an empty cluster has under its rules; %d fit now",
                    n, x->largest);
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

/* "; 4 more fit on 2 nodes kept as spares": what option time.spare closes to the group. */
static void say_spares(struct skr_gang *e, struct group *g, const struct skr_problem *p,
                       struct skr_strbuf *b)
{
    size_t n, spares = 0;
    int64_t fits = 0;
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    const struct shapes shapes = skr_shapes_of(newcomers, n);
    for (int32_t i = 0; i < p->tree->n_leaves; i++) {
        if (closed_by(e, g, &shapes, p->tree->unit_name[p->tree->first_leaf + i]) != CLOSED_SPARE) {
            continue;
        }
        spares++;
        fits = skr_amount_sum(fits, skr_room_holds_all(&p->free[(size_t)i * p->n_resources],
                                                       p->demand, p->n_resources, INT32_MAX));
    }
    if (spares > 0 && p->roles) {
        skr_strbuf_addf(b, "; time.spare keeps %zu node%s", spares, spares == 1 ? "" : "s");
    } else if (spares > 0) {
        skr_strbuf_addf(b, "; time.spare keeps %zu node%s, where %lld more fit%s", spares,
                        spares == 1 ? "" : "s", (long long)fits, fits == 1 ? "s" : "");
    }
}

/* ---- the whole ---- */

static void say(struct skr_gang *e, struct group *g, const struct skr_explanation *x,
                const struct skr_solve_request *request, struct skr_strbuf *b)
{
    const struct skr_problem *problem = &request->problem;
    int32_t n = problem->n, held = skr_held_in_all(problem);
    skr_strbuf_addf(b, "group %s ", g->name);
    if (too_large(e, g, x, held, b)) {
        return;
    }
    if (held > 0 || request->outside > 0) {
        const char *role = role_of_newcomers(e, g);
        say_beside(x, request, held, role, b);
        if (!g->spec->open) {
            say_choices(x, request, held, role, b);
        }
        return;
    }
    if ((x->class == SKR_CLASS_NEVER_FITS || x->class == SKR_CLASS_WAITING_FOR_CAPACITY) &&
        any_open(problem) &&
        skr_device_sentence(e, g, x->class == SKR_CLASS_NEVER_FITS, request, b)) {
        return;
    }
    switch (x->class) {
    case SKR_CLASS_CONSTRAINT_CONFLICT:
        skr_strbuf_addf(b,
                        "has rules that no placement of %d members meets on this tree, whatever "
                        "the capacity; at most %d can be placed",
                        n, x->largest);
        break;
    case SKR_CLASS_NEVER_FITS:
        never_fits(e, g, x, problem, b);
        break;
    case SKR_CLASS_WAITING_FOR_CAPACITY:
        skr_strbuf_addf(b, "needs %d slots, %lld are free on eligible nodes", n,
                        (long long)x->sum_fits);
        break;
    case SKR_CLASS_NONE:
    case SKR_CLASS_PLACEMENT_FAILED:
    case SKR_INFEASIBLE_CLASS_COUNT:
    default:
        placement_failed(x, problem, b);
        break;
    }
}

void skr_explain_sentence(struct skr_gang *e, struct group *g, const struct skr_explanation *x,
                          const struct skr_solve_request *request, struct skr_strbuf *b)
{
    say(e, g, x, request, b);
    if (e->spare.dirty) {
        say_spares(e, g, &request->problem, b);
    }
}
