/* SPDX-License-Identifier: Apache-2.0 */
/* What of the nodes keeps members off: see no_node.h. */
#include "core/gang/report/no_node.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/pins.h"
#include "core/gang/problem/node_open.h"
#include "core/gang/problem/problem_volumes.h"

#include "topology/amount_text.h"

#include <string.h>

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

bool skr_no_node_is_large(struct skr_gang *e, struct group *g, struct skr_strbuf *b)
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

bool skr_no_node_is_open(const struct skr_problem *p, size_t r)
{
    const struct skr_role role = skr_problem_role(p, r);
    int32_t i = 0;
    while (role.eligible && i < p->tree->n_leaves && !role.eligible[i]) {
        i++;
    }
    return i < p->tree->n_leaves;
}

/* Newcomers of the role of the problem whose nodes are not given; free() the list. */
static struct pod_entry **newcomers_of(struct skr_gang *e, struct group *g,
                                       const struct skr_solve_request *request, size_t r,
                                       size_t *ret_n)
{
    size_t n;
    struct pod_entry **list = skr_membership_plannable(e, g, &n);
    *ret_n = 0;
    for (size_t i = 0; i < n; i++) {
        if (skr_request_role_of(request, list[i]->role) == (int32_t)r &&
            !skr_pins_is_pinned(list[i]->shape->spec)) {
            list[(*ret_n)++] = list[i];
        }
    }
    return list;
}

void skr_no_node_say(struct skr_gang *e, struct group *g, const struct skr_solve_request *request,
                     size_t r, struct skr_strbuf *b)
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
    int32_t count[CLOSED_BY_COUNT] = {0};
    const char *first[CLOSED_BY_COUNT] = {NULL};
    const struct skr_problem *p = &request->problem;
    size_t n;
    struct pod_entry **newcomers = newcomers_of(e, g, request, r, &n);
    struct shapes shapes = skr_shapes_of(newcomers, n);
    SKR_AUTO_FREE uint8_t *reached = skr_alloc((size_t)p->tree->n_leaves + 1);
    memset(reached, 1, (size_t)p->tree->n_leaves);
    skr_problem_volumes_close(e, newcomers, n, reached);
    const uint8_t of = request->roles->role[r];
    const struct role *role = of != SKR_ROLE_OF_ALL ? &g->roles.item[of] : NULL;
    if (role) {
        const bool named = role->named || n == 0;
        skr_strbuf_addf(b, "needs %zu slot%s for %s %s", n, n == 1 ? "" : "s",
                        named ? "role" : "pod", named ? role->name : newcomers[0]->pod->meta.name);
    } else {
        skr_strbuf_addf(b, "needs %d slots", p->n);
    }
    free(newcomers);
    for (int32_t i = 0; i < p->tree->n_leaves; i++) {
        const char *node = p->tree->unit_name[p->tree->first_leaf + i];
        enum closed_by cause = closed_by(e, g, &shapes, node);
        cause = cause == CLOSED_RULES && !reached[i] ? CLOSED_VOLUMES : cause;
        first[cause] = count[cause]++ == 0 ? node : first[cause];
    }
    skr_strbuf_add(b, ", no node is open to its pods");
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
}

/* ---- spares ---- */

void skr_no_node_say_spares(struct skr_gang *e, struct group *g, const struct skr_problem *p,
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
