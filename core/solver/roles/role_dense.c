/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first word of a level, for all vectors at once: from the units up, the least weight of every
 * cell, over all pairs of rows whose keys add up to its row's.
 *
 * If all units of a best placement but one are settled (role_settled.c), a span has a second, short
 * list of weights: with all units settled. A pair then adds each half's list to the cells of the other
 * half. Where the lists have become as long as the windows, the pair adds cells to cells, which allows
 * more than one unit that is not settled and is as right.
 *
 * Cost: pairs of rows x windows, for every span of the level. Memory of the step.
 */
#include "core/solver/roles/role_cells.h"

/* The pass over one level. */
struct pass {
    struct skr_role_run *rr;
    const struct skr_words *words;
    const struct skr_axes *axes;
    int32_t scope;           /* of the ranges; if the level is not narrowed, there are none */
    bool settled;            /* all units of a set are but one */
    int64_t *settled_weight; /* [cells of the largest span] while a pair is weighed */
};

/* A list with room for n, of a span whose rows follow each other. */
static bool begin_settled(const struct pass *pass, struct skr_span *span, int32_t n)
{
    struct skr_cells *cells = span->node.cells;
    struct skr_run *run = &pass->rr->run;
    cells->settled = skr_run_scratch_alloc(run, (size_t)n, sizeof *cells->settled);
    cells->first_settled =
        skr_run_scratch_alloc(run, (size_t)span->rows.n + 1, sizeof *cells->first_settled);
    return cells->settled && cells->first_settled;
}

static void put_settled(struct skr_cells *cells, int32_t k, int32_t main)
{
    const struct skr_window *window = &cells->row[k];
    if (main >= window->lo && main <= window->hi) {
        cells->settled[cells->first_settled[k + 1]++] = (struct skr_role_settled){
            .main = main, .weight = cells->weight[window->first + main - window->lo]};
    }
}

static bool weigh_unit(const struct pass *pass, struct skr_span *span)
{
    struct skr_cells *cells = span->node.cells;
    if (pass->settled && !begin_settled(pass, span, 2 * span->rows.n)) {
        return false;
    }
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct skr_row *row = &span->rows.row[k];
        const struct skr_window *window = &cells->row[k];
        int64_t *weight = cells->weight + window->first;
        bool host = !pass->settled || row->key != 0 || row->lo > 0;
        int32_t from = host || cells->can_rest ? window->lo : skr_larger(window->lo, row->hi);
        for (int32_t x = skr_row_next(row, from); x <= window->hi; x = skr_row_next(row, x + 1)) {
            weight[x - window->lo] = skr_words_weight(pass->words, row->key, x);
        }
        if (pass->settled) {
            cells->first_settled[k + 1] = cells->first_settled[k];
            if (row->lo < row->hi && (host || cells->can_rest)) {
                put_settled(cells, k, row->lo);
            }
            if (row->lo == row->hi || host || cells->can_fill) {
                put_settled(cells, k, row->hi);
            }
        }
    }
    return true;
}

/* The main counts of a row that best placements may have: parts of its line into ret, ascending. */
static int32_t list_parts(const struct pass *pass, const struct skr_span *span, int32_t k,
                          struct skr_line *ret)
{
    const struct skr_window *window = &span->node.cells->row[k];
    struct skr_line line = skr_line_of(window, span->node.cells->weight);
    if (span->n_ranges == 0) {
        ret[0] = line;
        return 1;
    }
    int32_t slope = skr_axes_slope(pass->axes, pass->scope);
    int32_t base = skr_axes_base(pass->axes, span->rows.row[k].key, pass->scope);
    int32_t n = 0;
    for (int32_t i = 0; i < span->n_ranges; i++) {
        ret[n] = line;
        skr_role_cut(&ret[n].lo, &ret[n].hi, base, slope, span->range[i].least,
                     span->range[i].most);
        if (ret[n].lo <= ret[n].hi) {
            ret[n].weight += ret[n].lo - line.lo;
            n++;
        }
    }
    return n;
}

/* Cells of a row whose amounts no best placement has weigh nothing less than NONE. */
static void drop_cells(const struct pass *pass, const struct skr_span *span, int32_t k)
{
    const struct skr_window *window = &span->node.cells->row[k];
    int64_t *weight = span->node.cells->weight + window->first;
    struct skr_line part[SKR_ROLE_RANGES_MAX];
    int32_t n_parts = list_parts(pass, span, k, part);
    int32_t x = window->lo;
    for (int32_t p = 0; p <= n_parts; p++) {
        for (; x < (p < n_parts ? part[p].lo : window->hi + 1); x++) {
            weight[x - window->lo] = SKR_WEIGHT_NONE;
        }
        x = p < n_parts ? part[p].hi + 1 : x;
    }
}

/* A row to which sums of two rows are added. */
struct sums {
    struct skr_line to;
    int64_t steps;
};

/* The least of weight plus those of the parts of a row, x main counts on. */
static void add_parts(struct sums *sums, int64_t weight, int32_t x, const struct skr_line *part,
                      int32_t n_parts)
{
    for (int32_t p = 0; p < n_parts; p++) {
        sums->steps += skr_line_add(&sums->to, weight, x, &part[p]);
    }
}

/* All cells of row i of a span, and all of row j of another one. */
static void add_cells(const struct pass *pass, struct sums *sums, const struct skr_span *a,
                      int32_t i, const struct skr_span *b, int32_t j)
{
    const struct skr_window *x_row = &a->node.cells->row[i];
    const struct skr_window *y_row = &b->node.cells->row[j];
    const int64_t *weight = a->node.cells->weight + x_row->first;
    struct skr_line part[SKR_ROLE_RANGES_MAX];
    int32_t n_parts = list_parts(pass, b, j, part);
    int32_t last = skr_smaller(x_row->hi, sums->to.hi - y_row->lo);
    for (int32_t x = skr_larger(x_row->lo, sums->to.lo - y_row->hi); x <= last; x++) {
        if (weight[x - x_row->lo] <= SKR_WEIGHT_MAX) {
            add_parts(sums, weight[x - x_row->lo], x, part, n_parts);
        }
    }
}

/* The settled ones of row i of a span, and all cells of row j of another one. */
static void add_settled(const struct pass *pass, struct sums *sums, const struct skr_span *a,
                        int32_t i, const struct skr_span *b, int32_t j)
{
    struct skr_line part[SKR_ROLE_RANGES_MAX];
    int32_t n_parts = list_parts(pass, b, j, part);
    for (int32_t s = a->node.cells->first_settled[i]; s < a->node.cells->first_settled[i + 1];
         s++) {
        const struct skr_role_settled *one = &a->node.cells->settled[s];
        add_parts(sums, one->weight, one->main, part, n_parts);
    }
}

/* The settled ones of both. */
static void add_both(struct sums *sums, const struct skr_cells *a, int32_t i,
                     const struct skr_cells *b, int32_t j)
{
    for (int32_t s = a->first_settled[i]; s < a->first_settled[i + 1]; s++) {
        for (int32_t t = b->first_settled[j]; t < b->first_settled[j + 1]; t++) {
            int32_t x = a->settled[s].main + b->settled[t].main;
            if (x >= sums->to.lo && x <= sums->to.hi) {
                int64_t total = a->settled[s].weight + b->settled[t].weight;
                int64_t *sum = &sums->to.weight[x - sums->to.lo];
                *sum = total < *sum ? total : *sum;
            }
            sums->steps++;
        }
    }
}

static int32_t n_settled(const struct skr_span *span)
{
    return span->node.cells->first_settled ? span->node.cells->first_settled[span->rows.n] : 0;
}

/* Whether lists are so short that adding them costs less than adding cells to cells. */
static bool worth_it(const struct skr_span *a, const struct skr_span *b)
{
    int64_t cells = (int64_t)a->node.cells->n * b->node.cells->n;
    int64_t listed =
        (int64_t)n_settled(a) * b->node.cells->n + (int64_t)n_settled(b) * a->node.cells->n;
    return a->node.cells->first_settled && b->node.cells->first_settled && listed < cells;
}

/* The settled list of a pair, from pass->settled_weight, which becomes empty again. */
static bool list_settled(const struct pass *pass, struct skr_span *span)
{
    struct skr_cells *cells = span->node.cells;
    int32_t n = 0;
    for (int32_t c = 0; c < cells->n; c++) {
        n += pass->settled_weight[c] <= SKR_WEIGHT_MAX && cells->weight[c] <= SKR_WEIGHT_MAX;
    }
    if (!begin_settled(pass, span, n)) {
        return false;
    }
    n = 0;
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct skr_window *window = &cells->row[k];
        for (int32_t x = window->lo; x <= window->hi; x++) {
            int32_t c = window->first + x - window->lo;
            if (pass->settled_weight[c] <= SKR_WEIGHT_MAX && cells->weight[c] <= SKR_WEIGHT_MAX) {
                cells->settled[n++] =
                    (struct skr_role_settled){.main = x, .weight = pass->settled_weight[c]};
            }
            pass->settled_weight[c] = SKR_WEIGHT_NONE;
        }
        cells->first_settled[k + 1] = n;
    }
    return true;
}

static bool weigh_pair(const struct pass *pass, struct skr_span *span)
{
    const struct skr_span *left = span->left;
    const struct skr_span *right = span->right;
    bool listed = worth_it(left, right);
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct skr_window *window = &span->node.cells->row[k];
        if (window->hi < window->lo) {
            continue;
        }
        struct sums sums = {.to = skr_line_of(window, span->node.cells->weight),
                            .steps = left->rows.n + right->rows.n};
        struct sums both = {.steps = 0};
        if (listed) {
            both.to = skr_line_of(window, pass->settled_weight);
        }
        int32_t j = right->rows.n - 1;
        for (int32_t i = 0; skr_rows_pair(&left->rows, &right->rows, span->rows.row[k].key, &i, &j);
             i++) {
            if (listed) {
                add_settled(pass, &sums, left, i, right, j);
                add_settled(pass, &sums, right, j, left, i);
                add_both(&both, left->node.cells, i, right->node.cells, j);
            } else {
                add_cells(pass, &sums, left, i, right, j);
            }
            sums.steps++;
        }
        for (int32_t c = 0; c <= window->hi - window->lo; c++) {
            int64_t *weight = &sums.to.weight[c];
            *weight = *weight > SKR_WEIGHT_MAX ? SKR_WEIGHT_NONE : *weight;
        }
        drop_cells(pass, span, k);
        if (!skr_role_run_step(pass->rr, sums.steps + both.steps)) {
            return false;
        }
    }
    return !listed || list_settled(pass, span);
}

/* The weight of a port; its cell may be outside the narrowed windows. */
static int64_t found(const struct skr_role_ports *set, const struct skr_port *port)
{
    int32_t k = skr_rows_find(&set->all->rows, port->key);
    const struct skr_window *window = &set->all->node.cells->row[k];
    return port->main < window->lo || port->main > window->hi
               ? SKR_WEIGHT_NONE
               : set->all->node.cells->weight[skr_role_cell_of(set, port)];
}

static bool begin_pass(struct pass *pass, struct skr_graph *graph, int32_t level)
{
    struct skr_run *run = &pass->rr->run;
    const struct skr_graph_level *at = &graph->level[level];
    if (!skr_role_windows(graph, level, pass->words) ||
        !skr_role_settle(graph, level, pass->words, &pass->settled)) {
        return false;
    }
    int32_t most = 0;
    for (int32_t i = 0; i < at->n_nodes && pass->settled; i++) {
        most = skr_larger(most, skr_span_at(at, i)->node.cells->n);
    }
    pass->settled_weight = skr_run_scratch_alloc(run, (size_t)most, sizeof(int64_t));
    for (int32_t c = 0; c < most && pass->settled_weight; c++) {
        pass->settled_weight[c] = SKR_WEIGHT_NONE;
    }
    return pass->settled_weight;
}

bool skr_role_dense_weigh(struct skr_graph *graph, int32_t level, const struct skr_words *words)
{
    struct skr_role_run *rr = graph->rr;
    const struct skr_graph_level *at = &graph->level[level];
    struct pass pass = {.rr = rr, .words = words, .axes = &rr->axes[level]};
    graph->narrow = 0;
    if (!begin_pass(&pass, graph, level)) {
        return false;
    }
    pass.scope = graph->narrow;
    for (int32_t i = 0; i < at->n_nodes; i++) {
        if (!(skr_span_at(at, i)->left ? weigh_pair(&pass, skr_span_at(at, i))
                                       : weigh_unit(&pass, skr_span_at(at, i)))) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_role_ports *set = skr_role_set(at, i);
        for (int32_t p = 0; p < set->ports.n; p++) {
            if (set->ports.port[p].wanted) {
                skr_role_port_found(&set->ports.port[p], words, found(set, &set->ports.port[p]));
            }
        }
    }
    return skr_run_poll(&rr->run);
}
