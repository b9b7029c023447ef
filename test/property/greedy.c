/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracle 3: the greedy placement that is common elsewhere. Counts are taken as they come, without
 * looking ahead, and siblings are tried strictly in the order of the sums of their room. Its
 * answers may be missing or poor; they are here so that the solver can be seen never to do worse.
 */
#include <string.h>

#include "test/property/oracle.h"

struct greedy {
    const struct instance *in;
    struct random *random;
    int64_t sum_fit[INSTANCE_UNITS_MAX];
    int32_t count[INSTANCE_LEAVES_MAX];
};

/* How a unit of a level may be filled when offered members are left over. */
struct offer {
    int64_t lo, hi, want;
    int32_t factor;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int32_t min_or_one(const struct skr_rule *rule)
{
    return !rule->hard && rule->min > 0 ? rule->min : 1;
}

static int32_t partitions_of(const struct skr_rule *rule)
{
    return !rule->hard && rule->partitions > 0 ? rule->partitions : 0;
}

static bool make_offer(const struct skr_rule *rule, int64_t siblings, int64_t offered, int64_t done,
                       struct offer *ret)
{
    if (rule->hard) {
        int64_t all = rule->type == SKR_RULE_PACK ? offered : 1;
        *ret = (struct offer){.lo = all, .hi = all, .want = all, .factor = 1};
        return offered > 0;
    }
    int64_t min = min_or_one(rule);
    int64_t left = 0;
    if (rule->partitions > 0) {
        left = rule->partitions - done;
        if (left <= 0 || left > siblings) {
            return false;
        }
    }
    int64_t reserve = left > 1 ? (left - 1) * min : 0;
    if (offered < min + reserve) {
        return false;
    }
    int64_t max = rule->max > 0 ? rule->max : INT64_MAX;
    ret->lo = min;
    if (rule->type == SKR_RULE_PACK) {
        ret->want = least(offered - reserve, max);
        ret->hi = rule->max > 0 ? max : ret->want;
    } else {
        int64_t shares = left > 0 ? left : siblings;
        int64_t share = (2 * offered + shares) / (2 * shares);
        share = share > 1 ? share : 1;
        ret->want = least(share > min ? share : min, max);
        ret->hi = rule->max > 0 ? max : offered;
    }
    ret->factor = rule->factor > 1 ? rule->factor : 1;
    ret->lo = (ret->lo + ret->factor - 1) / ret->factor * ret->factor;
    ret->hi = ret->hi / ret->factor * ret->factor;
    ret->want = ret->want / ret->factor * ret->factor;
    return ret->lo <= ret->want && ret->want <= ret->hi;
}

/* Children in the order in which they are tried. */
static int32_t order_children(struct greedy *g, int32_t unit, bool descending, int32_t *ret)
{
    const struct skr_tree *tree = &g->in->tree;
    int32_t n = tree->child_count[unit];
    for (int32_t i = 0; i < n; i++) {
        ret[i] = tree->child_first[unit] + i;
    }
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t j = random_below(g->random, i + 1);
        int32_t swap = ret[i];
        ret[i] = ret[j];
        ret[j] = swap;
    }
    for (int32_t i = 1; i < n; i++) {
        int32_t child = ret[i];
        int32_t at = i;
        while (at > 0 && (descending ? g->sum_fit[ret[at - 1]] < g->sum_fit[child]
                                     : g->sum_fit[ret[at - 1]] > g->sum_fit[child])) {
            ret[at] = ret[at - 1];
            at--;
        }
        ret[at] = child;
    }
    return n;
}

static void empty(struct greedy *g, int32_t unit)
{
    const struct skr_tree *tree = &g->in->tree;
    if (unit >= tree->first_leaf) {
        g->count[unit - tree->first_leaf] = 0;
        return;
    }
    for (int32_t c = 0; c < tree->child_count[unit]; c++) {
        empty(g, tree->child_first[unit] + c);
    }
}

static int64_t place(struct greedy *g, int32_t level, int32_t unit, int64_t siblings,
                     int64_t offered, int64_t done)
{
    const struct skr_tree *tree = &g->in->tree;
    static const struct skr_rule all_of_it = {.type = SKR_RULE_PACK, .hard = true};
    const struct skr_rule *rule = level == 0 ? &all_of_it : &g->in->rule[level - 1];
    struct offer offer;
    if (!make_offer(rule, siblings, offered, done, &offer) || g->sum_fit[unit] < offer.lo) {
        return 0;
    }
    int64_t room = g->sum_fit[unit] / offer.factor * offer.factor;
    int64_t z = least(room, least(offer.hi, offer.want));
    if (unit >= tree->first_leaf) {
        g->count[unit - tree->first_leaf] = (int32_t)z;
        return z;
    }
    const struct skr_rule *below = &g->in->rule[level];
    int64_t partitions = partitions_of(below);
    int32_t children[INSTANCE_UNITS_MAX];
    int32_t n = order_children(g, unit, below->type == SKR_RULE_PACK, children);
    if (partitions > n || z < partitions * min_or_one(below)) {
        return 0;
    }
    int64_t left = partitions > 0 ? partitions : n;
    int64_t start = partitions > 0 && rule->type == SKR_RULE_SPREAD ? n - partitions : 0;
    int64_t total = 0;
    int64_t used = 0;
    for (int32_t i = (int32_t)start; i < n && z > 0 && left > 0; i++) {
        int64_t got = place(g, level + 1, children[i], left, z, used);
        left--;
        z -= got;
        total += got;
        used += got > 0;
    }
    if (total < offer.lo || total > offer.hi || total % offer.factor != 0) {
        empty(g, unit);
        return 0;
    }
    return total;
}

void greedy_solve(const struct instance *in, struct random *random, struct oracle_answer *ret)
{
    const struct skr_tree *tree = &in->tree;
    struct greedy g = {.in = in, .random = random};
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        g.sum_fit[tree->first_leaf + leaf] = instance_fit(in, leaf);
    }
    for (int32_t u = tree->n_units - 1; u > 0; u--) {
        g.sum_fit[tree->parent[u]] += g.sum_fit[u];
    }
    int64_t total = place(&g, 0, 0, 1, in->problem.n, 0);
    memset(ret, 0, sizeof *ret);
    ret->feasible = total == in->problem.n;
    ret->size[0] = (int32_t)total;
    memcpy(ret->count[0], g.count, sizeof g.count);
}
