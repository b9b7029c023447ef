/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracle 2: dynamic programming as plainly as it goes. A table per unit: for every vector of members
 * the best key of the levels below. The children of a unit are added from the right, to tables over
 * (vector so far, used children so far of each scope whose rule counts them).
 *
 * A key is one long list of digits, smaller is better. Per level, for each scope with a key (roles
 * with an own rule in role order, then the group): used units (pack; 0 for spread), then for every
 * amount from the greatest down the units that have it (negative for pack). After all levels, per
 * level, the room of used units of pack levels (SKR_TIE_TIGHT).
 *
 * Ties: a sibling set at a time, from the left the greatest (sum, role 0, role 1, ...) with which
 * the best key is still reached; then each child by itself.
 *
 * Costs: the only digit is the number of slots that leaves have grown by.
 */
#include <stdlib.h>
#include <string.h>

#include "test/property/oracle.h"

enum { SCOPES_MAX = SKR_ROLES_MAX + 1 };

struct table {
    bool *ok;
    int64_t *key; /* [state * width]: the last digits, those of levels from one on */
    int32_t width;
};

/* The children of one unit: suffix[c] has those from the c-th on. */
struct siblings {
    int32_t first, n, level;
    int32_t n_counted, scope[SCOPES_MAX], limit[SCOPES_MAX]; /* scopes whose used units count */
    int32_t n_counters;                                      /* product of limit + 1 */
    struct table suffix[INSTANCE_LEAVES_MAX + 1];
};

struct dp {
    const struct instance *in;
    bool costs;
    const int32_t *most; /* costs: see dp_costs() */
    int32_t n_roles, n_states;
    int32_t (*vector)[SCOPES_MAX]; /* [state] members of each role, then their sum */
    const struct skr_rule *rule[INSTANCE_LEVELS_MAX + 1][SCOPES_MAX]; /* NULL: none */
    int32_t digits;
    int32_t digit[INSTANCE_LEVELS_MAX + 1][SCOPES_MAX]; /* first of the key; -1: it has none */
    int32_t from[INSTANCE_LEVELS_MAX + 2];              /* first digit of the level */
    int32_t tight;                                      /* first of the room digits */
    int64_t room[INSTANCE_UNITS_MAX];
    struct table unit[INSTANCE_UNITS_MAX]; /* levels below it */
};

static void *zeroed(size_t n, size_t size)
{
    void *memory = calloc(n > 0 ? n : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

/* level: the first one whose digits it has. */
static struct table table_new(const struct dp *dp, int32_t n_states, int32_t level)
{
    const int32_t width = dp->digits - dp->from[level];
    return (struct table){zeroed((size_t)n_states, sizeof(bool)),
                          zeroed((size_t)n_states * (size_t)width, sizeof(int64_t)), width};
}

static void table_free(struct table *t)
{
    free(t->ok);
    free(t->key);
    *t = (struct table){NULL, NULL, 0};
}

static int64_t *key_at(const struct table *t, int32_t state)
{
    return t->key + (size_t)state * (size_t)t->width;
}

static int32_t scope_size(const struct dp *dp, int32_t scope)
{
    return dp->vector[dp->n_states - 1][scope];
}

/* The state of the difference of two vectors, -1: it is negative somewhere. States are numbers with a
 * digit for each role: sums of digits add up if and only if no digit borrows. */
static int32_t minus(const struct dp *dp, int32_t from, int32_t what)
{
    const int32_t left = from - what, all = dp->n_roles;
    return left >= 0 && dp->vector[left][all] + dp->vector[what][all] == dp->vector[from][all]
               ? left
               : -1;
}

/* ---- what a unit may hold ---- */

static bool leaf_fits(const struct dp *dp, int32_t leaf, const int32_t *x)
{
    const struct instance *in = dp->in;
    int64_t need[INSTANCE_RESOURCES] = {0};
    for (int32_t r = 0; r < dp->n_roles; r++) {
        if (x[r] < in->claimed[r][leaf] ||
            (x[r] > in->claimed[r][leaf] && !in->eligible[r][leaf])) {
            return false;
        }
        for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
            need[d] += in->demand[r][d] * (x[r] - in->claimed[r][leaf]);
        }
    }
    for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
        if (need[d] > 0 && need[d] > in->free[leaf * INSTANCE_RESOURCES + d]) {
            return false;
        }
    }
    return true;
}

static bool rule_admits(const struct skr_rule *rule, int32_t amount)
{
    if (amount == 0) {
        return true;
    }
    if (rule->hard) {
        return rule->type != SKR_RULE_SPREAD || amount == 1;
    }
    const bool void_pair = rule->min > 0 && rule->max > 0 && rule->max < rule->min;
    const bool low = !void_pair && rule->min > 0 && amount < rule->min;
    const bool high = !void_pair && rule->max > 0 && amount > rule->max;
    return !low && !high && (rule->factor <= 1 || amount % rule->factor == 0);
}

static bool kind_admits(const struct dp *dp, const struct skr_set_kind *kind, int32_t unit,
                        const int32_t *x)
{
    const int32_t most = kind->exclusive ? 1 : INSTANCE_UNITS_MAX;
    for (int32_t q = kind->alive ? kind->alive[unit] : 0; q <= most; q++) {
        bool equal = true, beyond = false;
        for (int32_t r = 0; r < dp->n_roles; r++) {
            equal = equal && (kind->each[r] == 0 || x[r] == q * kind->each[r]);
            beyond = beyond || (kind->each[r] > 0 && q * kind->each[r] > x[r]);
        }
        if (equal || beyond) {
            return equal;
        }
    }
    return false;
}

static bool cap_admits(const struct dp *dp, const struct skr_role_cap *cap, int32_t unit,
                       const int32_t *x)
{
    int32_t sum[2] = {0, 0}, claims[2] = {0, 0};
    for (int32_t r = 0; r < dp->n_roles; r++) {
        for (int32_t side = 0; side < 2; side++) {
            if ((side == 0 ? cap->roles : cap->against) & 1U << r) {
                sum[side] += x[r];
                claims[side] += instance_claims(dp->in, r, unit);
            }
        }
    }
    const bool same = sum[0] == claims[0] && sum[1] == claims[1];
    return same || (cap->against ? sum[0] == 0 || sum[1] == 0 : sum[0] <= cap->most);
}

static bool unit_admits(const struct dp *dp, int32_t level, int32_t unit, const int32_t *x)
{
    const struct instance *in = dp->in;
    bool admits = !in->problem.bounds || (x[dp->n_roles] >= in->bounds[unit].least &&
                                          x[dp->n_roles] <= in->bounds[unit].most);
    for (int32_t scope = 0; admits && scope <= dp->n_roles; scope++) {
        const struct skr_rule *rule = dp->rule[level][scope];
        admits = !rule || rule_admits(rule, x[scope]);
    }
    for (size_t k = 0; admits && k < in->roles.n_kinds; k++) {
        admits = in->kind[k].level != level || kind_admits(dp, &in->kind[k], unit, x);
    }
    for (size_t i = 0; admits && i < in->roles.n_caps; i++) {
        admits = in->cap[i].level != level || cap_admits(dp, &in->cap[i], unit, x);
    }
    return admits;
}

/* Adds what the unit itself contributes. */
static void add_unit(const struct dp *dp, int32_t level, int32_t unit, const int32_t *x,
                     int64_t *key)
{
    for (int32_t scope = 0; scope <= dp->n_roles; scope++) {
        const int32_t first = dp->digit[level][scope] - dp->from[level];
        if (first < 0 || x[scope] == 0) {
            continue;
        }
        const bool pack = dp->rule[level][scope]->type == SKR_RULE_PACK;
        key[first] += pack ? 1 : 0;
        key[first + 1 + scope_size(dp, scope) - x[scope]] += pack ? -1 : 1;
    }
    /* A lone role is a group of equal members; what is tight follows its own rule. */
    const bool lone = dp->n_roles == 1 && dp->rule[level][0];
    const struct skr_rule *rule = dp->rule[level][lone ? 0 : dp->n_roles];
    if (dp->in->problem.tie_break == SKR_TIE_TIGHT && !dp->costs && x[dp->n_roles] > 0 &&
        rule->type == SKR_RULE_PACK && !rule->silent) {
        key[dp->tight - dp->from[level] + level - 1] += dp->room[unit];
    }
}

/* ---- siblings ---- */

static void find_counted(const struct dp *dp, struct siblings *s)
{
    s->n_counted = 0;
    s->n_counters = 1;
    for (int32_t scope = 0; scope <= dp->n_roles; scope++) {
        const struct skr_rule *rule = dp->rule[s->level][scope];
        const bool one = rule && rule->hard && rule->type == SKR_RULE_PACK;
        if (one || (rule && !rule->hard && rule->partitions > 0)) {
            s->scope[s->n_counted] = scope;
            s->limit[s->n_counted] = one ? 1 : rule->partitions;
            s->n_counters *= s->limit[s->n_counted++] + 1;
        }
    }
}

/* The counters once a child with these amounts is added to the others; -1: one is beyond. */
static int32_t count_child(const struct siblings *s, int32_t counters, const int32_t *x)
{
    int32_t step = 1, sum = counters;
    for (int32_t i = s->n_counted - 1; i >= 0; i--) {
        const int32_t used = counters / step % (s->limit[i] + 1);
        if (x[s->scope[i]] > 0) {
            if (used == s->limit[i]) {
                return -1;
            }
            sum += step;
        }
        step *= s->limit[i] + 1;
    }
    return sum;
}

/* The counters that a parent with these amounts has to have. */
static int32_t wanted_counters(const struct siblings *s, const int32_t *x)
{
    int32_t counters = 0;
    for (int32_t i = 0; i < s->n_counted; i++) {
        counters = counters * (s->limit[i] + 1) + (x[s->scope[i]] > 0 ? s->limit[i] : 0);
    }
    return counters;
}

/* The tables of one child as its siblings see it: what it admits, with its own digits. */
static struct table child_table(const struct dp *dp, int32_t level, int32_t unit)
{
    const struct table *below = &dp->unit[unit];
    struct table t = table_new(dp, dp->n_states, level);
    for (int32_t y = 0; y < dp->n_states; y++) {
        t.ok[y] = below->ok[y] && unit_admits(dp, level, unit, dp->vector[y]);
        if (t.ok[y]) {
            memcpy(key_at(&t, y) + t.width - below->width, key_at(below, y),
                   (size_t)below->width * sizeof *t.key);
            add_unit(dp, level, unit, dp->vector[y], key_at(&t, y));
        }
    }
    return t;
}

/* < 0: the sum of a and b is better than than. */
static int compare_sum(int32_t width, const int64_t *a, const int64_t *b, const int64_t *than)
{
    for (int32_t i = 0; i < width; i++) {
        const int64_t sum = a[i] + b[i];
        if (sum != than[i]) {
            return sum < than[i] ? -1 : 1;
        }
    }
    return 0;
}

static void add_child(const struct dp *dp, const struct siblings *s, const struct table *child,
                      const struct table *rest, struct table *ret)
{
    for (int32_t y = 0; y < dp->n_states; y++) {
        for (int32_t x = y; child->ok[y] && x < dp->n_states; x++) {
            const int32_t left = minus(dp, x, y);
            for (int32_t k = 0; left >= 0 && k < s->n_counters; k++) {
                const int32_t from = left * s->n_counters + k;
                const int32_t counters = rest->ok[from] ? count_child(s, k, dp->vector[y]) : -1;
                if (counters < 0) {
                    continue;
                }
                const int32_t to = x * s->n_counters + counters;
                const int64_t *a = key_at(rest, from), *b = key_at(child, y);
                int64_t *best = key_at(ret, to);
                if (!ret->ok[to] || compare_sum(ret->width, a, b, best) < 0) {
                    ret->ok[to] = true;
                    for (int32_t i = 0; i < ret->width; i++) {
                        best[i] = a[i] + b[i];
                    }
                }
            }
        }
    }
}

static void siblings_make(const struct dp *dp, int32_t parent, int32_t level, struct siblings *s)
{
    *s = (struct siblings){
        .first = dp->in->child_first[parent], .n = dp->in->child_count[parent], .level = level};
    find_counted(dp, s);
    for (int32_t c = s->n; c >= 0; c--) {
        s->suffix[c] = table_new(dp, dp->n_states * s->n_counters, level);
        if (c == s->n) {
            s->suffix[c].ok[0] = true;
            continue;
        }
        struct table child = child_table(dp, level, s->first + c);
        add_child(dp, s, &child, &s->suffix[c + 1], &s->suffix[c]);
        table_free(&child);
    }
}

static void siblings_free(struct siblings *s)
{
    for (int32_t c = 0; c <= s->n; c++) {
        table_free(&s->suffix[c]);
    }
}

/* ---- all units, bottom up ---- */

static void make_leaf(struct dp *dp, int32_t leaf)
{
    struct table *t = &dp->unit[dp->in->tree.first_leaf + leaf];
    *t = table_new(dp, dp->n_states, dp->in->tree.n_levels + 1);
    for (int32_t x = 0; x < dp->n_states; x++) {
        t->ok[x] = leaf_fits(dp, leaf, dp->vector[x]);
    }
    if (dp->costs) {
        const int32_t fit = instance_fit(dp->in, leaf);
        const int32_t most = !dp->in->eligible[0][leaf] ? fit
                             : dp->most                 ? dp->most[leaf]
                                                        : INT32_MAX;
        for (int32_t x = fit + 1; x < dp->n_states && x <= most; x++) {
            t->ok[x] = true;
            t->key[x] = x - fit;
        }
    }
}

static void make_inner(struct dp *dp, int32_t unit, int32_t level)
{
    struct siblings s;
    struct table *t = &dp->unit[unit];
    *t = table_new(dp, dp->n_states, level + 1);
    siblings_make(dp, unit, level + 1, &s);
    for (int32_t x = 0; x < dp->n_states; x++) {
        const int32_t from = x * s.n_counters + wanted_counters(&s, dp->vector[x]);
        t->ok[x] = s.suffix[0].ok[from];
        memcpy(key_at(t, x), key_at(&s.suffix[0], from), (size_t)t->width * sizeof *t->key);
    }
    siblings_free(&s);
}

static void make_rooms(struct dp *dp)
{
    const struct skr_tree *tree = &dp->in->tree;
    for (int32_t u = tree->n_units - 1; u > 0; u--) {
        dp->room[u] += u < tree->first_leaf ? 0 : instance_tight_room(dp->in, u - tree->first_leaf);
        dp->room[tree->parent[u]] += dp->room[u];
    }
}

static void lay_out_digits(struct dp *dp)
{
    memset(dp->digit, 0xff, sizeof dp->digit);
    for (int32_t level = 1; level <= dp->in->tree.n_levels; level++) {
        dp->from[level] = dp->digits;
        for (int32_t scope = 0; scope <= dp->n_roles; scope++) {
            const struct skr_rule *rule = instance_rule(dp->in, scope, level);
            dp->rule[level][scope] = rule;
            if (rule && !rule->silent && !dp->costs) {
                dp->digit[level][scope] = dp->digits;
                dp->digits += 1 + scope_size(dp, scope);
            }
        }
    }
    dp->tight = dp->from[dp->in->tree.n_levels + 1] = dp->digits;
    dp->digits += dp->costs ? 1 : dp->in->tree.n_levels;
}

/* False: too many vectors. */
static bool list_vectors(struct dp *dp)
{
    int64_t n = 1;
    for (int32_t r = 0; r < dp->n_roles; r++) {
        n *= instance_n(dp->in, r) + 1;
        if (n > DP_STATES_MAX) {
            return false;
        }
    }
    dp->n_states = (int32_t)n;
    dp->vector = zeroed((size_t)n, sizeof *dp->vector);
    for (int32_t state = 0; state < dp->n_states; state++) {
        int32_t rest = state;
        for (int32_t r = dp->n_roles - 1; r >= 0; r--) {
            dp->vector[state][r] = rest % (instance_n(dp->in, r) + 1);
            dp->vector[state][dp->n_roles] += dp->vector[state][r];
            rest /= instance_n(dp->in, r) + 1;
        }
    }
    return true;
}

/* ---- the answer ---- */

static bool is_greater(const struct dp *dp, int32_t a, int32_t b)
{
    const int32_t *x = dp->vector[a], *y = dp->vector[b];
    int32_t r = 0;
    if (x[dp->n_roles] != y[dp->n_roles]) {
        return x[dp->n_roles] > y[dp->n_roles];
    }
    while (r < dp->n_roles && x[r] == y[r]) {
        r++;
    }
    return r < dp->n_roles && x[r] > y[r];
}

/* Counters of the children from c + 1 on, once child c with y is taken out; -1: there is no way. */
static int32_t counters_left(const struct siblings *s, int32_t counters, const int32_t *y)
{
    for (int32_t k = 0; k < s->n_counters; k++) {
        if (count_child(s, k, y) == counters) {
            return k;
        }
    }
    return -1;
}

/* The child's state, the greatest with which the rest still reaches the best key. */
static int32_t choose(const struct dp *dp, const struct siblings *s, int32_t c, int32_t x,
                      int32_t counters)
{
    struct table child = child_table(dp, s->level, s->first + c);
    const int64_t *want = key_at(&s->suffix[c], x * s->n_counters + counters);
    int32_t best = -1;
    for (int32_t y = 0; y < dp->n_states; y++) {
        const int32_t left = child.ok[y] ? minus(dp, x, y) : -1;
        const int32_t k = left >= 0 ? counters_left(s, counters, dp->vector[y]) : -1;
        const int32_t from = left * s->n_counters + k;
        if (k >= 0 && s->suffix[c + 1].ok[from] &&
            compare_sum(child.width, key_at(&child, y), key_at(&s->suffix[c + 1], from), want) ==
                0 &&
            (best < 0 || is_greater(dp, y, best))) {
            best = y;
        }
    }
    table_free(&child);
    return best;
}

static void fill_in(const struct dp *dp, int32_t unit, int32_t level, int32_t x,
                    struct oracle_answer *ret)
{
    const struct skr_tree *tree = &dp->in->tree;
    struct siblings s;
    int32_t child[INSTANCE_LEAVES_MAX];
    for (int32_t r = 0; r < dp->n_roles && unit >= tree->first_leaf; r++) {
        ret->count[r][unit - tree->first_leaf] = dp->vector[x][r];
    }
    if (unit >= tree->first_leaf || x == 0) {
        return;
    }
    siblings_make(dp, unit, level + 1, &s);
    int32_t counters = wanted_counters(&s, dp->vector[x]);
    for (int32_t c = 0; c < s.n; c++) {
        child[c] = choose(dp, &s, c, x, counters);
        counters = counters_left(&s, counters, dp->vector[child[c]]);
        x = minus(dp, x, child[c]);
    }
    siblings_free(&s);
    for (int32_t c = 0; c < tree->child_count[unit]; c++) {
        fill_in(dp, tree->child_first[unit] + c, level + 1, child[c], ret);
    }
}

/* The greatest sizes in role order that are feasible, -1: none are. */
static int32_t find_sizes(const struct dp *dp)
{
    for (int32_t x = dp->n_states - 1; x >= 0; x--) {
        bool enough = dp->unit[0].ok[x];
        for (int32_t r = 0; r < dp->n_roles; r++) {
            enough = enough && dp->vector[x][r] >= instance_minimum(dp->in, r);
        }
        if (enough) {
            return x;
        }
    }
    return -1;
}

/* The tables of all units; false: too many vectors. */
static bool make_all(struct dp *dp, const struct instance *in)
{
    const struct skr_tree *tree = &in->tree;
    dp->in = in;
    dp->n_roles = instance_n_roles(in);
    if (!list_vectors(dp)) {
        return false;
    }
    lay_out_digits(dp);
    make_rooms(dp);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        make_leaf(dp, leaf);
    }
    for (int32_t level = tree->n_levels - 1; level >= 0; level--) {
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            make_inner(dp, u, level);
        }
    }
    return true;
}

static void free_all(struct dp *dp)
{
    for (int32_t u = 0; u < dp->in->tree.n_units; u++) {
        table_free(&dp->unit[u]);
    }
    free(dp->vector);
}

bool dp_solve(const struct instance *in, struct oracle_answer *ret, bool *sizes)
{
    struct dp dp = {.costs = false};
    memset(ret, 0, sizeof *ret);
    if (!make_all(&dp, in)) {
        return false;
    }
    const int32_t x = find_sizes(&dp);
    ret->feasible = x >= 0;
    if (x >= 0) {
        memcpy(ret->size, dp.vector[x], (size_t)dp.n_roles * sizeof *ret->size);
        fill_in(&dp, 0, 0, x, ret);
    }
    if (sizes) {
        memcpy(sizes, dp.unit[0].ok, (size_t)dp.n_states * sizeof *sizes);
    }
    free_all(&dp);
    return true;
}

void dp_costs(const struct instance *in, const int32_t *most, int32_t *cost)
{
    struct dp dp = {.costs = true, .most = most};
    if (!make_all(&dp, in)) {
        abort();
    }
    for (int32_t x = 0; x < dp.n_states; x++) {
        cost[x] = dp.unit[0].ok[x] ? (int32_t)dp.unit[0].key[x] : DP_NO_COST;
    }
    free_all(&dp);
}
