/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Narrows the dense pass if the first key of a level, that of the lead scope, is of type pack. Assume
 * that the best placements use k units.
 *
 * If j of the k units are in a span, the span holds at most what its j roomiest units hold. The other
 * units hold at most what their k - j roomiest units do. This bounds the amount of the span from both
 * sides. If k is the least possible, most of the roomiest units are nearly full, so the bounds are
 * narrow. k is not known before, so the first pass is for the lower bound of k. If its answer uses no
 * more units, the pass has seen all best placements. Otherwise the next k is tried. After some tries a
 * pass without narrowing follows.
 *
 * Cost: units of a set, for every span of it.
 */
#include <stdlib.h>

#include "core/solver/role_cells.h"

enum { UNITS_MAX = 2048, TRIES_MAX = 16 };

struct narrow {
    int32_t n;      /* units of the set */
    int32_t *most;  /* [n] amount of each, in tree order */
    int32_t *order; /* [n] units, the roomiest first */
    int64_t *in;    /* [n + 1] sums of the roomiest of a span */
    int64_t *out;   /* [n + 1] of the others */
    int32_t k;
    int32_t amount;
};

static void widen(struct skr_span *span, int64_t least, int64_t most)
{
    if (least <= most) {
        span->note->least = least < span->note->least ? (int32_t)least : span->note->least;
        span->note->most = most > span->note->most ? (int32_t)most : span->note->most;
    }
}

/* Adds a range, whose ends are not below those of the range before. */
static void add_range(struct skr_span *span, int64_t least, int64_t most)
{
    if (least > most) {
        return;
    }
    int32_t last = span->note->n_ranges - 1;
    if (last >= 0 && (span->note->range[last].most >= least - 1 ||
                      span->note->n_ranges == SKR_ROLE_RANGES_MAX)) {
        span->note->range[last].most = (int32_t)most;
    } else {
        span->note->range[span->note->n_ranges].least = (int32_t)least;
        span->note->range[span->note->n_ranges++].most = (int32_t)most;
    }
}

/* The depth is the logarithm of the units. */
static void open_wide(struct skr_span *span)
{
    span->note->n_ranges = 0;
    widen(span, 0, INT32_MAX);
    if (span->left) {
        open_wide(span->left);
        open_wide(span->right);
    }
}

/* Bounds of a span whose units begin at `first`. */
static void narrow_span(const struct narrow *w, struct skr_span *span, int32_t first)
{
    int32_t n_in = 0;
    int32_t n_out = 0;
    for (int32_t i = 0; i < w->n; i++) {
        int32_t unit = w->order[i];
        if (unit >= first && unit < first + span->n_units) {
            w->in[n_in + 1] = w->in[n_in] + w->most[unit];
            n_in++;
        } else {
            w->out[n_out + 1] = w->out[n_out] + w->most[unit];
            n_out++;
        }
    }
    /* Two ports: all amounts between. */
    bool alone = span->note->most < 0;
    span->note->n_ranges = 0;
    for (int32_t j = w->k > n_out ? w->k - n_out : 0; j <= w->k && j <= n_in; j++) {
        int64_t least = w->amount - w->out[w->k - j];
        int64_t most = w->in[j] < w->amount ? w->in[j] : w->amount;
        widen(span, least > 0 ? least : 0, most);
        if (alone) {
            add_range(span, least > 0 ? least : 0, most);
        }
    }
    if (span->left) {
        narrow_span(w, span->left, first);
        narrow_span(w, span->right, first + span->left->n_units);
    }
}

struct ranked {
    int32_t most, unit;
};

static int roomiest_first(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->most != y->most) {
        return x->most > y->most ? -1 : 1;
    }
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/* The units of a set by their amounts of the scope. */
static bool rank_units(struct skr_role_run *rr, const struct skr_siblings *set, int32_t scope,
                       struct narrow *ret)
{
    size_t n = (size_t)set->all->n_units;
    *ret = (struct narrow){.n = set->all->n_units};
    ret->most = skr_run_scratch_alloc(&rr->run, n, sizeof *ret->most);
    ret->order = skr_run_scratch_alloc(&rr->run, n, sizeof *ret->order);
    struct ranked *ranked = skr_run_scratch_alloc(&rr->run, n, sizeof *ranked);
    if (!ret->most || !ret->order || !ranked) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        ret->most[i] = skr_rows_greatest(&rr->axes[set->all->level], &set->unit[i]->rows, scope);
        ranked[i] = (struct ranked){.most = ret->most[i], .unit = (int32_t)i};
    }
    qsort(ranked, n, sizeof *ranked, roomiest_first);
    for (size_t i = 0; i < n; i++) {
        ret->order[i] = ranked[i].unit;
    }
    return true;
}

/* Adds what the k roomiest units of each wanted port hold beyond it. */
static bool add_slack(struct skr_role_run *rr, const struct skr_siblings *set, int32_t scope,
                      int64_t *ret)
{
    struct narrow w;
    if (!rank_units(rr, set, scope, &w)) {
        return false;
    }
    for (int32_t p = 0; p < set->ports.n; p++) {
        const struct skr_port *port = &set->ports.port[p];
        if (port->wanted && port->least_used > 0) {
            *ret -= skr_axes_amount(&rr->axes[set->all->level], port->key, port->main, scope);
            for (int32_t i = 0; i < port->least_used && i < w.n; i++) {
                *ret += w.most[w.order[i]];
            }
        }
    }
    return true;
}

/* The scope whose amounts are bounded. The members of the main axis lie in the units that the group
 * uses. If what these hold is closer to the need, the bounds are narrower. */
static bool choose_scope(struct skr_graph *graph, int32_t level, const struct skr_words *words)
{
    struct skr_role_run *rr = graph->run->rr;
    const struct skr_graph_level *at = &graph->level[level];
    const int32_t main = rr->axes[level].axis[rr->axes[level].n - 1].role;
    int64_t of_group = 0;
    int64_t of_main = 0;
    graph->narrow = words->scope[words->lead];
    if (graph->narrow < rr->run.n_roles || main < 0) {
        return true;
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        if (skr_ports_wanted(at->set[i]) && skr_siblings_at(at, i)->all->n_units <= UNITS_MAX &&
            (!add_slack(rr, skr_siblings_at(at, i), rr->run.n_roles, &of_group) ||
             !add_slack(rr, skr_siblings_at(at, i), main, &of_main))) {
            return false;
        }
    }
    graph->narrow = of_main < of_group ? main : graph->narrow;
    return true;
}

static bool narrow_set(struct skr_graph *graph, const struct skr_words *words,
                       struct skr_siblings *set)
{
    struct skr_run *run = &graph->run->rr->run;
    const struct skr_axes *axes = &graph->run->rr->axes[words->level];
    size_t n = (size_t)set->all->n_units;
    struct narrow w;
    if (!rank_units(graph->run->rr, set, graph->narrow, &w)) {
        return false;
    }
    w.in = skr_run_scratch_alloc(run, n + 1, sizeof *w.in);
    w.out = skr_run_scratch_alloc(run, n + 1, sizeof *w.out);
    if (!w.in || !w.out) {
        return false;
    }
    for (int32_t p = 0; p < set->ports.n; p++) {
        const struct skr_port *port = &set->ports.port[p];
        w.k = port->least_used;
        w.amount = skr_axes_amount(axes, port->key, port->main, graph->narrow);
        if (port->wanted && w.k > 0) {
            narrow_span(&w, set->all, 0);
            if (!skr_role_run_step(graph->run->rr, (int64_t)w.n * w.n)) {
                return false;
            }
        }
    }
    return true;
}

bool skr_role_narrow(struct skr_graph *graph, int32_t level, const struct skr_words *words)
{
    struct skr_graph_level *at = &graph->level[level];
    if (!choose_scope(graph, level, words)) {
        return false;
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_siblings *set = skr_siblings_at(at, i);
        bool any = false;
        for (int32_t p = 0; p < set->ports.n; p++) {
            struct skr_port *port = &set->ports.port[p];
            if (set->all->n_units > UNITS_MAX) {
                port->least_used = 0;
            }
            any = any || (port->wanted && port->least_used > 0);
            if (port->wanted && port->least_used == 0) {
                open_wide(set->all);
            }
        }
        if (any && !narrow_set(graph, words, set)) {
            return false;
        }
    }
    return true;
}

void skr_role_port_found(struct skr_port *port, const struct skr_words *words, int64_t weight)
{
    int64_t one = words->one_used;
    /* Digits below "used" are negative in sum, and less than one of it. */
    if (port->least_used == 0 ||
        (weight < SKR_WEIGHT_MAX && (weight + one - 1) / one <= port->least_used)) {
        port->weight = weight;
        port->exact = true;
        return;
    }
    port->least_used++;
    int64_t bound = port->least_used * one - (one - 1) - words->slack;
    port->bound = bound > port->bound ? bound : port->bound;
    port->weight = port->bound;
    if (++port->tries >= TRIES_MAX) {
        port->least_used = 0;
    }
}
