/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracle 4: for every size, the least number of slots that have to be added to leaves. A table per
 * unit over totals, children added one by one to a table over (used, total).
 */
#include <string.h>

#include "test/property/oracle.h"

enum { TOTALS_MAX = 128, USED_MAX = 8 };

struct table {
    int32_t cost[TOTALS_MAX];
};

static bool may_hold(const struct skr_rule *rule, int32_t x)
{
    if (x == 0) {
        return true;
    }
    if (rule->hard) {
        return rule->type != SKR_RULE_SPREAD || x == 1;
    }
    bool crossed = rule->min > 0 && rule->max > 0 && rule->max < rule->min;
    if (!crossed && rule->min > 0 && x < rule->min) {
        return false;
    }
    if (!crossed && rule->max > 0 && x > rule->max) {
        return false;
    }
    return rule->factor < 2 || x % rule->factor == 0;
}

static int32_t used_wanted(const struct skr_rule *rule)
{
    if (rule->hard) {
        return rule->type == SKR_RULE_PACK ? 1 : -1;
    }
    return rule->partitions > 0 ? rule->partitions : -1;
}

static struct table of_leaf(const struct instance *in, const int32_t *most, int32_t leaf)
{
    struct table t;
    int32_t fit = instance_fit(in, leaf);
    int32_t hi = !in->eligible[leaf] ? fit : !most ? in->problem.n : most[leaf];
    hi = hi > fit ? hi : fit;
    for (int32_t x = 0; x < TOTALS_MAX; x++) {
        t.cost[x] = x < in->claimed[leaf] || x > hi ? PLAIN_NO_COST : x > fit ? x - fit : 0;
    }
    return t;
}

/* sum[used].cost[total] over so many children, and one more. */
static void add_child(struct table sum[USED_MAX], int32_t children, const struct table *child,
                      const struct skr_rule *rule, int32_t n)
{
    struct table next[USED_MAX];
    for (int32_t used = 0; used < USED_MAX; used++) {
        for (int32_t t = 0; t < TOTALS_MAX; t++) {
            next[used].cost[t] = PLAIN_NO_COST;
        }
    }
    for (int32_t x = 0; x <= n; x++) {
        const int32_t more = child->cost[x], uses = x > 0;
        if (more >= PLAIN_NO_COST || !may_hold(rule, x)) {
            continue;
        }
        for (int32_t before = 0; before <= children && before + uses < USED_MAX; before++) {
            int32_t *cost = next[before + uses].cost;
            for (int32_t t = x; t <= n; t++) {
                int32_t sure = sum[before].cost[t - x] + more;
                cost[t] = sure < cost[t] ? sure : cost[t];
            }
        }
    }
    memcpy(sum, next, sizeof next);
}

static struct table of_unit(const struct instance *in, const int32_t *most, int32_t level,
                            int32_t unit)
{
    const struct skr_tree *tree = &in->tree;
    int32_t n = in->problem.n;
    if (unit >= tree->first_leaf) {
        return of_leaf(in, most, unit - tree->first_leaf);
    }
    const struct skr_rule *rule = &in->rule[level];
    static const struct table none = {.cost = {0}};
    struct table sum[USED_MAX];
    for (int32_t used = 0; used < USED_MAX; used++) {
        for (int32_t x = 0; x < TOTALS_MAX; x++) {
            sum[used].cost[x] = used == 0 && x == 0 ? none.cost[0] : PLAIN_NO_COST;
        }
    }
    for (int32_t c = 0; c < tree->child_count[unit]; c++) {
        struct table child = of_unit(in, most, level + 1, tree->child_first[unit] + c);
        add_child(sum, c, &child, rule, n);
    }
    struct table ret = none;
    int32_t wanted = used_wanted(rule);
    for (int32_t x = 0; x < TOTALS_MAX; x++) {
        ret.cost[x] = PLAIN_NO_COST;
        for (int32_t used = 0; used < USED_MAX && x <= n; used++) {
            bool counts = x == 0 ? used == 0 : wanted < 0 || used == wanted;
            if (counts && sum[used].cost[x] < ret.cost[x]) {
                ret.cost[x] = sum[used].cost[x];
            }
        }
    }
    return ret;
}

void plain_costs(const struct instance *instance, const int32_t *most, int32_t *cost)
{
    struct table root = of_unit(instance, most, 0, 0);
    memcpy(cost, root.cost, ((size_t)instance->problem.n + 1) * sizeof *cost);
}
