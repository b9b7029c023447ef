/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first word of a level, for all vectors at once.
 *
 * Windows: from the wanted vectors down, the main counts of each row that can be part of one. Cells
 * are the counts of these windows. Weights: from the units up, the least weight of every cell, over
 * all pairs of rows whose keys add up to its row's. States: from the live ports down, the cells on
 * walks of least weight, and their edges.
 *
 * Solo ports. Assume that the first key of the level is that of the group and of type pack. If one
 * unit can hold all that a port wants, every best placement uses one unit. The windows of such a port
 * are 0 and all of it, in every span.
 *
 * Cost: pairs of rows x windows, for every span of the level. Memory of the step, but for states
 * and edges.
 */
#include <string.h>

#include "core/solver/roles/role_graph.h"

struct window {
    int32_t lo, hi; /* hi < lo: not needed */
    int32_t first;  /* cell of lo */
};

struct skr_role_cells {
    struct window *row; /* [rows] */
    int32_t n;
    int64_t *weight;
    uint8_t *marked;
    int32_t *state; /* index of the state made for it */
};

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static void widen(struct window *window, int32_t lo, int32_t hi)
{
    if (lo > hi) {
        return;
    }
    bool empty = window->hi < window->lo;
    window->lo = empty ? lo : smaller(lo, window->lo);
    window->hi = empty ? hi : larger(hi, window->hi);
}

/* ---- windows ---- */

static bool make_cells(struct skr_role_run *rr, struct skr_role_span *span)
{
    struct skr_role_cells *cells = skr_run_scratch_alloc(&rr->run, 1, sizeof *cells);
    if (!cells) {
        return false;
    }
    cells->row = skr_run_scratch_alloc(&rr->run, (size_t)span->rows.n, sizeof *cells->row);
    for (int32_t k = 0; k < span->rows.n && cells->row; k++) {
        cells->row[k].hi = -1;
    }
    span->cells = cells;
    return cells->row;
}

/* Cuts the windows of a span to the amounts that it needs. */
static void cut_windows(const struct skr_axes *axes, int32_t scope, struct skr_role_span *span)
{
    int32_t slope = skr_axes_slope(axes, scope);
    for (int32_t k = 0; k < span->rows.n; k++) {
        struct window *window = &span->cells->row[k];
        int32_t base = skr_axes_base(axes, span->rows.row[k].key, scope);
        if (window->hi < window->lo) {
            continue;
        }
        if (span->most < base || (slope == 0 && span->least > base)) {
            *window = (struct window){.hi = -1};
        } else if (slope > 0) {
            int32_t least = span->least > base ? span->least - base : 0;
            window->lo = larger(window->lo, least / slope + (least % slope != 0));
            window->hi = smaller(window->hi, (span->most - base) / slope);
            if (window->hi < window->lo) {
                *window = (struct window){.hi = -1};
            }
        }
    }
}

/* What the halves of a pair must cover. */
static void pass_windows(struct skr_role_span *span)
{
    const struct skr_role_rows *x = &span->left->rows;
    const struct skr_role_rows *y = &span->right->rows;
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct window *window = &span->cells->row[k];
        if (window->hi < window->lo) {
            continue;
        }
        int32_t j = y->n - 1;
        for (int32_t i = 0; skr_role_rows_pair(x, y, span->rows.row[k].key, &i, &j); i++) {
            const struct skr_role_row *a = &x->row[i];
            const struct skr_role_row *b = &y->row[j];
            widen(&span->left->cells->row[i], larger(a->lo, window->lo - b->hi),
                  smaller(a->hi, window->hi - b->lo));
            widen(&span->right->cells->row[j], larger(b->lo, window->lo - a->hi),
                  smaller(b->hi, window->hi - a->lo));
        }
    }
}

static bool has_zero(const struct skr_role_span *span)
{
    return span->rows.n > 0 && span->rows.row[0].key == 0 &&
           skr_role_row_has(&span->rows.row[0], 0);
}

static bool holds(const struct skr_role_span *span, const struct skr_role_port *port)
{
    int32_t k = skr_role_rows_find(&span->rows, port->key);
    return k >= 0 && skr_role_row_has(&span->rows.row[k], port->main);
}

/* Counts the units that hold the port alone, those that must hold something, and those that are
 * both. The depth is the logarithm of the units. */
static void count_units(const struct skr_role_span *span, const struct skr_role_port *port,
                        int32_t *n_holding, int32_t *n_needed, int32_t *n_both)
{
    if (span->left) {
        count_units(span->left, port, n_holding, n_needed, n_both);
        count_units(span->right, port, n_holding, n_needed, n_both);
        return;
    }
    bool holding = holds(span, port);
    bool needed = !has_zero(span);
    *n_holding += holding ? 1 : 0;
    *n_needed += needed ? 1 : 0;
    *n_both += holding && needed ? 1 : 0;
}

/* Whether ports of the level are solo as soon as one unit holds all. */
static bool can_be_solo(const struct skr_role_graph *graph, const struct skr_role_words *words)
{
    const struct skr_role_run *rr = graph->rr;
    return !rr->run.plain && words->one_used > 0 && words->scope[words->lead] == rr->n_roles &&
           rr->axes[words->level].n_counters == 0;
}

static bool is_solo(const struct skr_role_graph *graph, const struct skr_role_words *words,
                    const struct skr_role_ports *set, const struct skr_role_port *port)
{
    int32_t n_holding = 0;
    int32_t n_needed = 0;
    int32_t n_both = 0;
    if (!can_be_solo(graph, words)) {
        return false;
    }
    count_units(set->all, port, &n_holding, &n_needed, &n_both);
    return n_needed == 0 ? n_holding > 0 : n_needed == 1 && n_both == 1;
}

/* The windows of a solo port, in all spans of its set. */
static void widen_solo(struct skr_role_span *span, const struct skr_role_port *port)
{
    span->n_ranges = 0;
    if (has_zero(span)) {
        widen(&span->cells->row[0], 0, 0);
    }
    if (holds(span, port)) {
        int32_t k = skr_role_rows_find(&span->rows, port->key);
        widen(&span->cells->row[k], port->main, port->main);
    }
    if (span->left) {
        widen_solo(span->left, port);
        widen_solo(span->right, port);
    }
}

static bool make_weights(struct skr_role_run *rr, struct skr_role_span *span)
{
    struct skr_role_cells *cells = span->cells;
    int64_t n = 0;
    for (int32_t k = 0; k < span->rows.n; k++) {
        struct window *window = &cells->row[k];
        window->first = (int32_t)n;
        n += window->hi < window->lo ? 0 : window->hi - window->lo + 1;
        if (n > INT32_MAX / 2) {
            rr->run.stop = SKR_RUN_BYTE_LIMIT;
            return false;
        }
    }
    cells->n = (int32_t)n;
    cells->weight = skr_run_scratch_alloc(&rr->run, (size_t)n, sizeof *cells->weight);
    for (int32_t c = 0; c < cells->n && cells->weight; c++) {
        cells->weight[c] = SKR_WEIGHT_NONE;
    }
    return cells->weight;
}

static bool make_windows(struct skr_role_graph *graph, int32_t level,
                         const struct skr_role_words *words)
{
    struct skr_role_run *rr = graph->rr;
    const struct skr_role_level *at = &graph->level[level];
    for (int32_t i = 0; i < at->n_spans; i++) {
        if (!make_cells(rr, at->span[i])) {
            return false;
        }
        at->span[i]->least = INT32_MAX;
        at->span[i]->most = -1;
        at->span[i]->n_ranges = 0;
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        const struct skr_role_ports *set = at->set[i];
        for (int32_t p = 0; p < set->n; p++) {
            struct skr_role_port *port = &set->port[p];
            port->solo = port->wanted && is_solo(graph, words, set, port);
            if (!port->wanted || port->solo) {
                continue;
            }
            if (port->least_used == 1 && can_be_solo(graph, words)) {
                port->least_used = 2;
            }
            int32_t k = skr_role_rows_find(&set->all->rows, set->port[p].key);
            skr_bug_on(k < 0);
            widen(&set->all->cells->row[k], set->port[p].main, set->port[p].main);
        }
    }
    bool cut = !rr->run.plain && words->one_used > 0;
    if (cut && !skr_role_narrow(graph, level, words)) {
        return false;
    }
    for (int32_t i = at->n_spans - 1; i >= 0; i--) {
        if (cut) {
            cut_windows(&rr->axes[level], words->scope[words->lead], at->span[i]);
        }
        if (at->span[i]->left) {
            if (!skr_role_run_step(rr, at->span[i]->rows.n)) {
                return false;
            }
            pass_windows(at->span[i]);
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < at->set[i]->n; p++) {
            if (at->set[i]->port[p].solo) {
                widen_solo(at->set[i]->all, &at->set[i]->port[p]);
            }
        }
    }
    for (int32_t i = 0; i < at->n_spans; i++) {
        if (!make_weights(rr, at->span[i])) {
            return false;
        }
    }
    return true;
}

/* ---- weights ---- */

static void weigh_unit(const struct skr_role_run *rr, const struct skr_role_span *span,
                       const struct skr_role_words *words)
{
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct skr_role_row *row = &span->rows.row[k];
        const struct window *window = &span->cells->row[k];
        int64_t *weight = span->cells->weight + window->first;
        for (int32_t x = skr_role_row_next(row, window->lo); x <= window->hi;
             x = skr_role_row_next(row, x + 1)) {
            weight[x - window->lo] = skr_role_words_weight(rr, words, row->key, x);
        }
    }
}

/* Cells of a row whose amounts no best placement has weigh nothing less than NONE. */
static void drop_cells(const struct skr_axes *axes, int32_t scope, const struct skr_role_span *span,
                       int32_t k)
{
    const struct window *window = &span->cells->row[k];
    int32_t slope = skr_axes_slope(axes, scope);
    int64_t amount =
        skr_axes_base(axes, span->rows.row[k].key, scope) + (int64_t)window->lo * slope;
    int32_t at = 0;
    for (int32_t x = window->lo; x <= window->hi && span->n_ranges > 0; x++, amount += slope) {
        while (at < span->n_ranges && span->range[at].most < amount) {
            at++;
        }
        if (at == span->n_ranges || span->range[at].least > amount) {
            span->cells->weight[window->first + x - window->lo] = SKR_WEIGHT_NONE;
        }
    }
}

/* The main counts of a row that best placements may have: parts of its window into ret. */
static int32_t list_parts(const struct skr_axes *axes, int32_t scope,
                          const struct skr_role_span *span, int32_t k, struct window *ret)
{
    const struct window *window = &span->cells->row[k];
    int32_t slope = skr_axes_slope(axes, scope);
    int32_t base = skr_axes_base(axes, span->rows.row[k].key, scope);
    if (span->n_ranges == 0 || slope == 0) {
        ret[0] = *window;
        return 1;
    }
    int32_t n = 0;
    for (int32_t i = 0; i < span->n_ranges; i++) {
        int32_t least = larger(span->range[i].least - base, 0);
        if (span->range[i].most < base) {
            continue;
        }
        ret[n].lo = larger(window->lo, least / slope + (least % slope != 0));
        ret[n].hi = smaller(window->hi, (span->range[i].most - base) / slope);
        n += ret[n].lo <= ret[n].hi ? 1 : 0;
    }
    return n;
}

/* Two rows whose sums are cells of a third one. */
struct sums {
    const struct window *a, *b, *out;
    const int64_t *weight_a, *weight_b;
    int64_t *weight;
    int32_t n_parts; /* of b */
    struct window part[SKR_ROLE_RANGES_MAX];
};

/* weight[x + y] = least of weight_a[x] + weight_b[y]. Returns the steps. */
static int64_t add_weights(const struct sums *s)
{
    int64_t steps = 0;
    int32_t last = smaller(s->a->hi, s->out->hi - s->b->lo);
    for (int32_t x = larger(s->a->lo, s->out->lo - s->b->hi); x <= last; x++) {
        int64_t weight = s->weight_a[x - s->a->lo];
        for (int32_t p = 0; p < s->n_parts && weight <= SKR_WEIGHT_MAX; p++) {
            int32_t from = larger(s->part[p].lo, s->out->lo - x);
            int32_t to = smaller(s->part[p].hi, s->out->hi - x);
            const int64_t *add = s->weight_b + (from - s->b->lo);
            int64_t *sum = s->weight + (x + from - s->out->lo);
            for (int32_t i = 0; i <= to - from; i++) {
                int64_t total = weight + add[i];
                sum[i] = total < sum[i] ? total : sum[i];
            }
            steps += to >= from ? to - from + 1 : 0;
        }
    }
    return steps + 1;
}

static bool weigh_pair(struct skr_role_run *rr, const struct skr_role_span *span,
                       const struct skr_role_words *words)
{
    const struct skr_role_span *left = span->left;
    const struct skr_role_span *right = span->right;
    /* Ranges are those of the lead scope; without a key there are none. */
    int32_t scope = words->n_keys > 0 ? words->scope[words->lead] : 0;
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct window *window = &span->cells->row[k];
        if (window->hi < window->lo) {
            continue;
        }
        int64_t *weight = span->cells->weight + window->first;
        int64_t steps = left->rows.n + right->rows.n;
        int32_t j = right->rows.n - 1;
        for (int32_t i = 0;
             skr_role_rows_pair(&left->rows, &right->rows, span->rows.row[k].key, &i, &j); i++) {
            struct sums sums = {.a = &left->cells->row[i],
                                .b = &right->cells->row[j],
                                .out = window,
                                .weight = weight};
            sums.weight_a = left->cells->weight + sums.a->first;
            sums.weight_b = right->cells->weight + sums.b->first;
            sums.n_parts = list_parts(&rr->axes[words->level], scope, right, j, sums.part);
            steps += add_weights(&sums);
        }
        for (int32_t c = 0; c <= window->hi - window->lo; c++) {
            weight[c] = weight[c] > SKR_WEIGHT_MAX ? SKR_WEIGHT_NONE : weight[c];
        }
        drop_cells(&rr->axes[words->level], scope, span, k);
        if (!skr_role_run_step(rr, steps)) {
            return false;
        }
    }
    return true;
}

/* The cell of a port. */
static int32_t cell_of(const struct skr_role_ports *set, const struct skr_role_port *port)
{
    int32_t k = skr_role_rows_find(&set->all->rows, port->key);
    const struct window *window = &set->all->cells->row[k];
    return window->first + port->main - window->lo;
}

/* The weight of a port; its cell may be outside the narrowed windows. */
static int64_t found(const struct skr_role_ports *set, const struct skr_role_port *port)
{
    int32_t k = skr_role_rows_find(&set->all->rows, port->key);
    const struct window *window = &set->all->cells->row[k];
    return port->main < window->lo || port->main > window->hi
               ? SKR_WEIGHT_NONE
               : set->all->cells->weight[cell_of(set, port)];
}

bool skr_role_dense_weigh(struct skr_role_graph *graph, int32_t level,
                          const struct skr_role_words *words)
{
    struct skr_role_run *rr = graph->rr;
    const struct skr_role_level *at = &graph->level[level];
    if (!make_windows(graph, level, words)) {
        return false;
    }
    for (int32_t i = 0; i < at->n_spans; i++) {
        if (!at->span[i]->left) {
            weigh_unit(rr, at->span[i], words);
        } else if (!weigh_pair(rr, at->span[i], words)) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_role_ports *set = at->set[i];
        for (int32_t p = 0; p < set->n; p++) {
            if (set->port[p].wanted) {
                skr_role_port_found(&set->port[p], words, found(set, &set->port[p]));
            }
        }
    }
    return skr_run_poll(&rr->run);
}

/* ---- states ---- */

/* Edges while they are found: halves are cells until all states have numbers. */
struct edges {
    struct skr_role_run *rr;
    struct skr_role_edge *edge;
    size_t n, cap;
};

static bool put_edge(struct edges *edges, int32_t left, int32_t right)
{
    if (edges->n == edges->cap) {
        size_t cap = edges->cap > 0 ? 2 * edges->cap : 1024;
        struct skr_role_edge *edge = skr_run_scratch_alloc(&edges->rr->run, cap, sizeof *edge);
        if (!edge) {
            return false;
        }
        if (edges->n > 0) {
            memcpy(edge, edges->edge, edges->n * sizeof *edge);
        }
        edges->edge = edge;
        edges->cap = cap;
    }
    edges->edge[edges->n++] = (struct skr_role_edge){.left = left, .right = right};
    return true;
}

/* Edges of least weight of the cell of row k and total x; marks the cells where they lead. */
static bool put_edges(struct edges *edges, const struct skr_role_span *span, int32_t k, int32_t x,
                      int64_t weight)
{
    const struct skr_role_span *left = span->left;
    const struct skr_role_span *right = span->right;
    int32_t j = right->rows.n - 1;
    for (int32_t i = 0;
         skr_role_rows_pair(&left->rows, &right->rows, span->rows.row[k].key, &i, &j); i++) {
        const struct window *a = &left->cells->row[i];
        const struct window *b = &right->cells->row[j];
        int32_t to = smaller(a->hi, x - b->lo);
        for (int32_t m = larger(a->lo, x - b->hi); m <= to; m++) {
            int32_t p = a->first + m - a->lo;
            int32_t q = b->first + x - m - b->lo;
            if (left->cells->weight[p] + right->cells->weight[q] == weight) {
                left->cells->marked[p] = 1;
                right->cells->marked[q] = 1;
                if (!put_edge(edges, p, q)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Makes the states of a span, whose cells are marked, and its edges. */
static bool make_states(struct skr_role_run *rr, struct edges *edges, struct skr_role_span *span)
{
    struct skr_role_cells *cells = span->cells;
    int32_t n = 0;
    for (int32_t c = 0; c < cells->n; c++) {
        n += cells->marked[c];
    }
    span->n_states = 0;
    span->state = skr_run_alloc(&rr->run, (size_t)n, sizeof *span->state);
    edges->n = 0;
    if (!span->state) {
        return false;
    }
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct window *window = &cells->row[k];
        for (int32_t x = window->lo; x <= window->hi; x++) {
            int32_t c = window->first + x - window->lo;
            if (!cells->marked[c]) {
                continue;
            }
            cells->state[c] = span->n_states;
            struct skr_role_state *state = &span->state[span->n_states++];
            *state = (struct skr_role_state){.row = k, .main = x, .port = -1, .live = true};
            state->first_edge = (int32_t)edges->n;
            if (span->left && (!put_edges(edges, span, k, x, cells->weight[c]) ||
                               !skr_role_run_step(rr, 1 + window->hi - window->lo))) {
                return false;
            }
            if (edges->n > INT32_MAX) {
                rr->run.stop = SKR_RUN_BYTE_LIMIT;
                return false;
            }
            state->n_edges = (int32_t)edges->n - state->first_edge;
        }
    }
    rr->run.stats.states_kept += n;
    span->edge = skr_run_alloc(&rr->run, edges->n, sizeof *span->edge);
    if (span->edge && edges->n > 0) {
        memcpy(span->edge, edges->edge, edges->n * sizeof *span->edge);
    }
    return span->edge;
}

static void number_edges(struct skr_role_span *span)
{
    for (int32_t s = 0; s < span->n_states; s++) {
        struct skr_role_edge *edge = span->edge + span->state[s].first_edge;
        for (int32_t e = 0; e < span->state[s].n_edges; e++) {
            edge[e].left = span->left->cells->state[edge[e].left];
            edge[e].right = span->right->cells->state[edge[e].right];
        }
    }
}

bool skr_role_dense_states(struct skr_role_graph *graph, int32_t level)
{
    struct skr_role_run *rr = graph->rr;
    const struct skr_role_level *at = &graph->level[level];
    struct edges edges = {.rr = rr};
    for (int32_t i = 0; i < at->n_spans; i++) {
        struct skr_role_cells *cells = at->span[i]->cells;
        cells->marked = skr_run_scratch_alloc(&rr->run, (size_t)cells->n, 1);
        cells->state = skr_run_scratch_alloc(&rr->run, (size_t)cells->n, sizeof *cells->state);
        if (!cells->marked || !cells->state) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        const struct skr_role_ports *set = at->set[i];
        for (int32_t p = 0; p < set->n; p++) {
            if (set->port[p].live) {
                set->all->cells->marked[cell_of(set, &set->port[p])] = 1;
            }
        }
    }
    for (int32_t i = at->n_spans - 1; i >= 0; i--) {
        if (!make_states(rr, &edges, at->span[i])) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_spans; i++) {
        if (at->span[i]->left) {
            number_edges(at->span[i]);
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_role_ports *set = at->set[i];
        for (int32_t p = 0; p < set->n; p++) {
            struct skr_role_port *port = &set->port[p];
            port->state = port->live ? set->all->cells->state[cell_of(set, port)] : -1;
        }
    }
    return true;
}
