/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lower bounds of the first word of ports, where its first key is of type pack.
 *
 * No unit holds more of a scope than its greatest amount. The best list of counts by these amounts
 * alone fills the roomiest units one after the other; no placement has a better key. The number of
 * used units has a second bound: the roomiest of them must have room for each role and enough of each
 * resource. Digits of later keys in the word cannot exceed its slack.
 *
 * Cost: rows of the units of each set, and sorting them, for every scope and resource.
 */
#include <stdlib.h>
#include <string.h>

#include "core/solver/role_cells.h"

/* One measure of what a unit may hold: what one count of each axis takes. */
struct measure {
    int64_t each[SKR_AXES_MAX];
};

struct bounds {
    struct skr_graph *graph;
    int32_t level;
    const struct skr_words *words;
    struct skr_span *const *unit; /* [n_units] of the set at hand */
    int32_t n_units;
    int64_t *most; /* [n_units] by a measure, greatest first */
};

enum { AMOUNT_BITS = 61 };

/* a + n * each, at most 2^AMOUNT_BITS. */
static int64_t add_capped(int64_t a, int32_t n, int64_t each)
{
    const int64_t most = INT64_C(1) << AMOUNT_BITS;
    return n > 0 && each > (most - a) / n ? most : a + n * each;
}

/* each: what a member of each role takes. */
static struct measure measure_of(const struct bounds *b, const int64_t *each)
{
    const struct skr_role_run *rr = b->graph->run->rr;
    const struct skr_axes *axes = &rr->axes[b->level];
    struct measure ret = {{0}};
    for (int32_t a = 0; a < axes->n; a++) {
        for (int32_t r = 0; r < rr->run.n_roles; r++) {
            ret.each[a] = add_capped(ret.each[a], axes->axis[a].each[r], each[r]);
        }
    }
    return ret;
}

static int64_t amount_of(const struct bounds *b, const struct measure *measure, uint64_t key,
                         int32_t main)
{
    const struct skr_axes *axes = &b->graph->run->rr->axes[b->level];
    int64_t sum = add_capped(0, main, measure->each[axes->n - 1]);
    for (int32_t a = 0; a + 1 < axes->n; a++) {
        sum = add_capped(sum, skr_axes_digit(axes, key, a), measure->each[a]);
    }
    return sum;
}

static void find_most(struct bounds *b, const struct measure *measure)
{
    for (int32_t u = 0; u < b->n_units; u++) {
        const struct skr_rows *rows = &b->unit[u]->rows;
        b->most[u] = 0;
        if (u > 0 && b->unit[u] == b->unit[u - 1]) {
            b->most[u] = b->most[u - 1];
            continue;
        }
        for (int32_t k = 0; k < rows->n; k++) {
            int64_t amount = amount_of(b, measure, rows->row[k].key, rows->row[k].hi);
            b->most[u] = amount > b->most[u] ? amount : b->most[u];
        }
    }
    qsort(b->most, (size_t)b->n_units, sizeof *b->most, skr_greatest_first_64);
}

/* The least number of units that are used for this amount. */
static int32_t least_used(const struct bounds *b, int64_t amount)
{
    int32_t used = 0;
    for (int64_t got = 0; used < b->n_units && got < amount; used++) {
        got += b->most[used] < amount ? b->most[used] : amount;
    }
    return used;
}

/* The least weight of the first key alone, by the measure of its scope. */
static int64_t best_list(const struct bounds *b, int32_t scope, int64_t amount)
{
    int64_t weight = -b->words->slack;
    for (int32_t u = 0; u < b->n_units && amount > 0; u++) {
        int64_t count = b->most[u] < amount ? b->most[u] : amount;
        weight += b->words->table[scope][count];
        amount -= count;
    }
    return weight;
}

static void raise_used(struct bounds *b, const int64_t *each, struct skr_siblings *set)
{
    int64_t one = b->words->one_used;
    struct measure measure = measure_of(b, each);
    find_most(b, &measure);
    for (int32_t p = 0; p < set->ports.n; p++) {
        struct skr_port *port = &set->ports.port[p];
        int32_t used = least_used(b, amount_of(b, &measure, port->key, port->main));
        /* The counts of so many units weigh less than one more unit. */
        int64_t weight = used * one - (one - 1) - b->words->slack;
        port->bound = weight > port->bound ? weight : port->bound;
        port->least_used = used > port->least_used ? used : port->least_used;
    }
}

static void bound_set(struct bounds *b, struct skr_siblings *set)
{
    const struct skr_role_run *rr = b->graph->run->rr;
    const struct skr_problem *problem = rr->run.problem;
    int32_t scope = b->words->scope[b->words->lead];
    int64_t each[SKR_ROLES_MAX] = {0};
    b->unit = set->unit;
    b->n_units = set->all->n_units;
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        each[r] = scope == rr->run.n_roles || scope == r ? 1 : 0;
    }
    struct measure measure = measure_of(b, each);
    find_most(b, &measure);
    for (int32_t p = 0; p < set->ports.n; p++) {
        struct skr_port *port = &set->ports.port[p];
        port->weight =
            best_list(b, scope, amount_of(b, &measure, port->key, port->main)) - b->words->slack;
    }
    if (scope < rr->run.n_roles) {
        return;
    }
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        memset(each, 0, sizeof each);
        each[r] = 1;
        raise_used(b, each, set);
    }
    for (size_t d = 0; d < problem->n_resources; d++) {
        for (int32_t r = 0; r < rr->run.n_roles; r++) {
            each[r] = rr->roles->role[r].demand[d];
        }
        raise_used(b, each, set);
    }
}

bool skr_role_bound_ports(struct skr_graph *graph, int32_t level, const struct skr_words *words)
{
    struct skr_role_run *rr = graph->run->rr;
    struct skr_graph_level *at = &graph->level[level];
    bool pack = words->n_keys > 0 && words->one_used > 0;
    int32_t most = 0;
    for (int32_t i = 0; i < at->n_sets; i++) {
        most = skr_siblings_at(at, i)->all->n_units > most ? skr_siblings_at(at, i)->all->n_units
                                                           : most;
        for (int32_t p = 0; p < skr_siblings_at(at, i)->ports.n; p++) {
            skr_siblings_at(at, i)->ports.port[p].bound = -words->slack;
        }
    }
    struct bounds b = {.graph = graph, .level = level, .words = words};
    b.most = skr_run_alloc(&rr->run, (size_t)most, sizeof *b.most);
    if (!b.most) {
        return false;
    }
    for (int32_t i = 0; i < at->n_sets && pack; i++) {
        bound_set(&b, skr_siblings_at(at, i));
        if (!skr_role_run_step(rr, skr_siblings_at(at, i)->all->n_units)) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < skr_siblings_at(at, i)->ports.n; p++) {
            skr_siblings_at(at, i)->ports.port[p].weight =
                skr_siblings_at(at, i)->ports.port[p].bound;
        }
    }
    return true;
}
