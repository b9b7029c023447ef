/* SPDX-License-Identifier: Apache-2.0 */
/* The one sentence that says why a group is not placed: the same in the map's message, the Event
 * and the log. Numbers come from the solver's proof and are always need and have; that one member
 * is larger than any node is seen in the ledger, O(nodes), when no member fits at all. */
#include "core/gang/explain.h"

#include "core/gang/groups.h"
#include "core/gang/membership.h"
#include "core/gang/nodes.h"
#include "core/gang/pods.h"
#include "core/gang/shapes.h"

#include "topology/amount_text.h"

#include <string.h>

/* "in one rack" or "in 2 racks": what the rule of the deciding level asks for; false when it is
 * another kind of rule. */
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

static void placement_failed(const struct skr_gang *e, const struct group *g,
                             const struct skr_explanation *x, int32_t n, struct skr_strbuf *b)
{
    struct skr_rule rule[SKR_LEVELS_MAX];
    skr_strbuf_addf(b, "needs %d slots", n);
    bool said = false;
    if (x->n_bottlenecks > 0 && x->level > 0 && e->topology.tree &&
        x->level <= e->topology.tree->n_levels) {
        const char *level = e->topology.tree->level_name[x->level];
        int32_t best = 0;
        for (size_t i = 0; i < x->n_bottlenecks; i++) {
            best = x->bottleneck[i].fits > best ? x->bottleneck[i].fits : best;
        }
        skr_group_rules(g->spec, e->topology.tree, rule, NULL);
        said = say_domains(&rule[x->level - 1], level, b);
        if (said) {
            skr_strbuf_addf(b, ", best %s has %d", level, best);
        }
    }
    if (!said) {
        skr_strbuf_addf(b, ", its rules leave room for %d", x->largest);
    }
}

/* ---- a member that no node can take ---- */

/* The most that one node has of a resource, whatever is in use there. */
static int64_t largest_node(const struct skr_gang *e, uint16_t resource)
{
    int64_t most = 0;
    const struct node_entry *n, *tmp;
    HASH_ITER(hh, e->nodes, n, tmp)
    {
        int64_t has = skr_ledger_node_allocatable(skr_ledger_get(e->ledger, n->name), resource);
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
    if (strcmp(needs.s, has.s) == 0) { /* rounded */
        skr_amount_add_number(b, resource, need - have);
        skr_strbuf_add(b, " less");
    } else {
        skr_strbuf_add(b, has.s);
    }
    skr_strbuf_fini(&needs);
    skr_strbuf_fini(&has);
}

/* A resource that no node has is named first, then the first of which one member needs too much. */
static bool member_too_large(struct skr_gang *e, struct group *g, struct skr_strbuf *b)
{
    size_t n;
    struct pod_entry **newcomers = membership_plannable(e, g, &n);
    struct shapes shapes = shapes_of(newcomers, n);
    struct skr_amounts each;
    const char *absent = shapes_absent(e, &shapes).name, *large = absent;
    shapes_demand(&shapes, &each);
    free(newcomers);
    int64_t need = 0, have = 0;
    for (size_t i = 0; i < each.n; i++) {
        const char *name = skr_resource_names_get(e->resources, each.item[i].resource);
        int64_t most = largest_node(e, each.item[i].resource);
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

static void never_fits(struct skr_gang *e, struct group *g, const struct skr_explanation *x,
                       int32_t n, struct skr_strbuf *b)
{
    bool none_fits = x->largest <= 0 || (size_t)x->largest <= g->seats.n_bound;
    if (e->n_nodes > 0 && none_fits && !g->plan && member_too_large(e, g, b)) {
        return;
    }
    skr_strbuf_addf(b, "needs %d slots, more than an empty cluster has under its rules; %d fit now",
                    n, x->largest);
}

/* ---- the whole ---- */

void explain_sentence(struct skr_gang *e, struct group *g, const struct skr_explanation *x,
                      int32_t n, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "group %s ", g->name);
    switch (x->class) {
    case SKR_CLASS_CONSTRAINT_CONFLICT:
        skr_strbuf_addf(b,
                        "has rules that no placement of %d members meets on this tree, whatever "
                        "the capacity; at most %d can be placed",
                        n, x->largest);
        break;
    case SKR_CLASS_NEVER_FITS:
        never_fits(e, g, x, n, b);
        break;
    case SKR_CLASS_WAITING_FOR_CAPACITY:
        skr_strbuf_addf(b, "needs %d slots, %lld are free on eligible nodes", n,
                        (long long)x->sum_fits);
        break;
    case SKR_CLASS_NONE:
    case SKR_CLASS_PLACEMENT_FAILED:
    case SKR_INFEASIBLE_CLASS_COUNT:
    default:
        placement_failed(e, g, x, n, b);
        break;
    }
}
