/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the solver's account of a group without a place: its needs, the room, the sizes that fit.
 * All numbers are from the solved problem, not from the present ledger.
 */
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/explain/explain_roles.h"
#include "core/gang/problem/node_open.h"
#include "core/gang/report/explain_held.h"
#include "core/gang/report/sentence.h"
#include "core/gang/state/groups.h"

#include <string.h>
#include <utlist.h>

/* ---- the problem ---- */

const char *skr_account_resource(const struct account *a, size_t r)
{
    return a->request->resource_name[r];
}

/* Of resource r on all eligible nodes. */
static int64_t free_of(const struct skr_problem *p, size_t r)
{
    int64_t sum = 0;
    for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
        int64_t free_ = p->free[(size_t)leaf * p->n_resources + r];
        sum = p->eligible[leaf] ? skr_amount_sum(sum, skr_room_counted(free_)) : sum;
    }
    return sum;
}

static int64_t room_of(const struct skr_problem *p, int32_t leaf, size_t r)
{
    return skr_room_holds_all(&p->free[(size_t)leaf * p->n_resources + r], &p->demand[r], 1, p->n);
}

/* Of equally scarce resources: devices before cpu and memory, pods last. */
static int rank_of_resource(uint16_t id)
{
    return id == SKR_RESOURCE_PODS ? 2 : id == SKR_RESOURCE_CPU || id == SKR_RESOURCE_MEMORY;
}

static size_t scarcest(const struct skr_solve_request *request)
{
    const struct skr_problem *p = &request->problem;
    size_t best = 0;
    int64_t fewest = INT64_MAX;
    for (size_t r = 0; r < p->n_resources; r++) {
        if (p->demand[r] <= 0) {
            continue;
        }
        int64_t slots = 0;
        for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
            slots += p->eligible[leaf] ? room_of(p, leaf, r) : 0;
        }
        if (slots < fewest || (slots == fewest && rank_of_resource(request->resource[r]) <
                                                      rank_of_resource(request->resource[best]))) {
            fewest = slots;
            best = r;
        }
    }
    return best;
}

/* What is needed of resource r, in thousandths of what is free. */
static int64_t needed_part(const struct account *a, size_t r)
{
    const int64_t wanted = skr_explain_roles_wanted(a, r);
    const int64_t have = free_of(&a->request->problem, r);
    return wanted == 0                              ? 0
           : have == 0 || wanted > INT64_MAX / 1000 ? INT64_MAX
                                                    : wanted * 1000 / have;
}

static size_t scarcest_of_roles(const struct account *a)
{
    size_t best = 0;
    int64_t most = -1;
    for (size_t r = 0; r < a->request->problem.n_resources; r++) {
        const int64_t part = needed_part(a, r);
        if (part > most || (part == most && rank_of_resource(a->request->resource[r]) <
                                                rank_of_resource(a->request->resource[best]))) {
            best = r;
            most = part;
        }
    }
    return best;
}

void skr_account_init(struct account *a, struct skr_gang *e, const struct group *g,
                      const struct skr_solve_request *request, const struct skr_solution *s)
{
    *a = (struct account){.e = e, .g = g, .request = request, .x = &s->explanation};
    if (request->problem.roles && s->roles) {
        a->roles = &s->roles->explanation;
        skr_explain_roles_count_claims(a);
        a->scarce = scarcest_of_roles(a);
    } else {
        a->scarce = scarcest(request);
    }
}

void skr_account_leaves(const struct skr_tree *tree, int32_t unit, int32_t *ret_first,
                        int32_t *ret_end)
{
    int32_t first = unit, last = unit;
    while (first < tree->first_leaf) {
        first = tree->child_first[first];
        last = tree->child_first[last] + tree->child_count[last] - 1;
    }
    *ret_first = first - tree->first_leaf;
    *ret_end = last - tree->first_leaf + 1;
}

void skr_account_unit_name(const struct skr_tree *tree, int32_t unit, struct skr_strbuf *b)
{
    int32_t path[SKR_LEVELS_MAX];
    int32_t n = 0;
    for (int32_t u = unit; u > 0 && n < SKR_LEVELS_MAX; u = tree->parent[u]) {
        path[n++] = u;
    }
    if (unit >= tree->first_leaf) {
        n = 1;
    }
    for (int32_t i = n; i > 0; i--) {
        skr_strbuf_addf(b, "%s%s", tree->unit_name[path[i - 1]], i > 1 ? "/" : "");
    }
}

/* For one shape; SKR_ELIGIBLE also if only a veto closes the node. */
static const char *closed_for(const struct account *a, struct shape *s, const struct node_entry *n,
                              bool *ret_opens)
{
    *ret_opens = false;
    enum skr_ineligible why = skr_pod_shape_check_node(s->spec, n->node);
    if (why == SKR_INELIGIBLE_SELECTOR) {
        return "NotSelected";
    }
    if (why == SKR_ELIGIBLE) {
        return skr_vetoes_close(a->e, a->g, s, n->name) ? "Refused" : NULL;
    }
    *ret_opens = true;
    if (!n->node->ready) {
        return "NotReady";
    }
    return n->node->unschedulable ? "Cordoned" : "Tainted";
}

const char *skr_account_closed(const struct account *a, int32_t leaf, int role, bool *ret_opens)
{
    const struct skr_tree *tree = a->request->problem.tree;
    const struct node_entry *n = skr_nodes_find(a->e, tree->unit_name[tree->first_leaf + leaf]);
    *ret_opens = false;
    if (!n || !n->node) {
        return "NotFound";
    }
    const char *word = NULL;
    const struct shape *seen = NULL;
    bool opens = true;
    const struct pod_entry *p;
    DL_FOREACH(a->g->members, p)
    {
        bool one_opens;
        if (!p->seated || skr_pods_is_bound(p) || p->shape == seen ||
            (role != SKR_ROLE_OF_ALL && p->role != role)) {
            continue;
        }
        seen = p->shape;
        const char *one = closed_for(a, p->shape, n, &one_opens);
        if (one) {
            word = word && opens && !one_opens ? one : word ? word : one;
            opens = opens && one_opens;
        }
    }
    if (!word && skr_node_is_spare(a->g, n)) {
        word = SKR_ACCOUNT_SPARE;
    }
    *ret_opens = word && opens;
    return word;
}

/* ---- need and have ---- */

/* "rack=pack, hard" */
static void explain_rule(const char *level, const struct skr_rule *rule, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "%s=%s", level, rule->type == SKR_RULE_SPREAD ? "spread" : "pack");
    if (rule->hard) {
        skr_strbuf_add(b, ", hard");
    }
    if (rule->partitions > 0) {
        skr_strbuf_addf(b, ", partitions %d", rule->partitions);
    }
    if (rule->min > 0) {
        skr_strbuf_addf(b, ", min %d", rule->min);
    }
    if (rule->max > 0) {
        skr_strbuf_addf(b, ", max %d", rule->max);
    }
    if (rule->factor > 1) {
        skr_strbuf_addf(b, ", factor %d", rule->factor);
    }
}

/* The rules of the level, or of all if it is 0; of: what has them, with a blank behind it, or "". */
static void explain_rules(const struct skr_level_rule *rule, size_t n, const char *of,
                          const char *level, struct skr_strbuf *b)
{
    for (size_t i = 0; i < n; i++) {
        if (!level || strcmp(rule[i].level, level) == 0) {
            skr_strbuf_addf(b, "%s%s%s", b->len > 0 ? "; " : "", of, *of ? " " : "");
            explain_rule(rule[i].level, &rule[i].rule, b);
        }
    }
}

/* The rules that the sentence concerns: those of the deciding level, or all rules of the spec. */
static void write_constraint(const struct account *a, struct skr_strbuf *b)
{
    const struct skr_problem *p = &a->request->problem;
    const struct skr_group_spec *spec = a->g->spec;
    const char *level = a->x->level > 0 ? p->tree->level_name[a->x->level] : NULL;
    SKR_STRBUF(text);
    if (level && !a->roles) {
        explain_rule(level, &p->rule[a->x->level - 1], &text);
    } else if (level || a->x->class != SKR_CLASS_WAITING_FOR_CAPACITY) {
        explain_rules(spec->rule, spec->n_rules, "", level, &text);
        for (size_t i = 0; i < spec->n_role_rules; i++) {
            explain_rules(spec->role_rules[i].rule, spec->role_rules[i].n_rules,
                          spec->role_rules[i].role, level, &text);
        }
        for (size_t i = 0; i < spec->n_sets; i++) {
            if (!level || strcmp(spec->set[i].level, level) == 0) {
                skr_strbuf_addf(&text, "%sone %s a set%s", text.len > 0 ? "; " : "",
                                spec->set[i].level, spec->set[i].exclusive ? ", exclusive" : "");
            }
        }
    }
    skr_strbuf_add(b, ",\"constraint\":");
    skr_strbuf_add_json(b, text.len > 0 ? text.s : "");
}

void skr_account_amounts(const struct account *a, const char *key, const int64_t *amount,
                         struct skr_strbuf *b)
{
    const struct skr_problem *p = &a->request->problem;
    bool first = true;
    skr_strbuf_addf(b, ",\"%s\":{", key);
    for (size_t r = 0; r < p->n_resources; r++) {
        if (p->demand[r] <= 0) {
            continue;
        }
        skr_strbuf_add(b, first ? "" : ",");
        skr_strbuf_add_json(b, skr_account_resource(a, r));
        skr_strbuf_addf(b, ":%lld", (long long)amount[r]);
        first = false;
    }
    skr_strbuf_addc(b, '}');
}

static void write_free(const struct account *a, struct skr_strbuf *b)
{
    const struct skr_problem *p = &a->request->problem;
    SKR_AUTO_FREE int64_t *sum = skr_alloc_array(p->n_resources + 1, sizeof *sum);
    for (size_t r = 0; r < p->n_resources; r++) {
        sum[r] = free_of(p, r);
    }
    skr_account_amounts(a, "free", sum, b);
}

static int32_t best_fit(const struct account *a)
{
    const struct skr_explanation *x = a->x;
    int32_t best = 0;
    for (size_t i = 0; i < x->n_bottlenecks; i++) {
        int32_t fits =
            x->bottleneck[i].fits - skr_held_below(&a->request->problem, x->bottleneck[i].unit);
        best = fits > best ? fits : best;
    }
    return best;
}

/* Slots and sums are without the group's own seats; largest is a size. */
static void write_have(const struct account *a, struct skr_strbuf *b)
{
    const struct skr_explanation *x = a->x;
    int32_t held = skr_held_in_all(&a->request->problem);
    int64_t all = x->sum_fits > held ? x->sum_fits - held : 0;
    int64_t slots = x->n_bottlenecks > 0                         ? best_fit(a)
                    : x->class == SKR_CLASS_WAITING_FOR_CAPACITY ? all
                    : x->largest > held                          ? x->largest - held
                                                                 : 0;
    if (a->roles) {
        skr_strbuf_addf(b, ",\"have\":{\"inAll\":%lld", (long long)all);
        skr_explain_roles_have(a, b);
    } else {
        skr_strbuf_addf(b, ",\"have\":{\"slots\":%lld,\"largest\":%d,\"inAll\":%lld",
                        (long long)slots, x->largest + a->request->outside, (long long)all);
    }
    write_free(a, b);
    skr_strbuf_addc(b, '}');
}

static void write_sizes(const struct account *a, struct skr_strbuf *b)
{
    const struct skr_explanation *x = a->x;
    const int32_t outside = a->request->outside;
    if (!(x->parts & SKR_EXPLAIN_SIZES)) {
        return;
    }
    skr_strbuf_add(b, ",\"sizes\":[");
    for (size_t i = 0; i < x->n_sizes; i++) {
        skr_strbuf_addf(b, "%s[%d,%d]", i ? "," : "", x->size[i].first + outside,
                        x->size[i].last + outside);
    }
    skr_strbuf_addc(b, ']');
}

void skr_explain_account(const struct account *a, struct skr_strbuf *b)
{
    const struct skr_problem *p = &a->request->problem;
    int32_t held = skr_held_in_all(p);
    skr_strbuf_addf(b, ",\"need\":{\"slots\":%d", p->n - held);
    if (held + a->request->outside > 0) {
        skr_strbuf_addf(b, ",\"held\":%d", held + a->request->outside);
    }
    write_constraint(a, b);
    if (a->roles) {
        skr_explain_roles_need(a, b);
    } else {
        skr_account_amounts(a, "each", p->demand, b);
    }
    skr_strbuf_addc(b, '}');
    write_have(a, b);
    skr_strbuf_add(b, ",\"resource\":");
    skr_strbuf_add_json(b, p->n_resources > 0 ? skr_account_resource(a, a->scarce) : "pods");
    skr_strbuf_add(b, ",\"level\":");
    skr_strbuf_add_json(b, a->x->level > 0 ? p->tree->level_name[a->x->level] : "");
    if ((a->x->parts & SKR_EXPLAIN_SLOTS) && a->x->slots >= 0) {
        skr_strbuf_addf(b, ",\"missingSlots\":%d", a->x->slots);
    }
    write_sizes(a, b);
    skr_explain_domains(a, b);
}

void skr_explained_destroy(struct explained *x)
{
    if (!x) {
        return;
    }
    free(x->account);
    free(x->relaxations);
    free(x->smaller);
    free(x->size);
    free(x->set);
    free(x->preemption);
    free(x);
}
