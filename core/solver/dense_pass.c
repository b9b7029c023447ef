/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first word of a level, which also makes its states and edges.
 *
 * A sibling set of m units has up to n main counts per row and up to n splits per count, far too many
 * to write down as edges when most of them are bad. So the first word of the level's keys is weighed
 * on plain arrays: from the units up, the least weight of every cell,
 *
 *     weight(t) = min over i of left(i) + right(t - i)
 *
 * over all pairs of rows whose keys add up to its row's. Then the levels above decide which vectors
 * they want. From the top down, only splits that reach the least weight become edges, and only the
 * cells that they lead to become states (dense_states.c).
 *
 * If all units of a best placement but one are settled (role_settled.c), a span has a second, short
 * list of weights: with all units settled. A pair then adds each half's list to the cells of the other
 * half. Where the lists have become as long as the windows, the pair adds cells to cells, which allows
 * more than one unit that is not settled and is as right.
 *
 * Cost: pairs of rows x windows, for every span of the level; of equal members about 2 * n * (sum of
 * the fits) / step^2 for n much smaller than that sum. Memory of the step.
 */
#include "core/solver/role_cells.h"

/* The pass over one level. */
struct pass {
    struct skr_run *run;
    const struct skr_words *words;
    int32_t step;            /* of the level */
    int32_t scope;           /* of the ranges; if the level is not narrowed, there are none */
    bool settled;            /* all units of a set are but one */
    int64_t *settled_weight; /* [cells of the largest span] while a pair is weighed */
};

/* A list with room for n, of a span whose rows follow each other. */
static bool begin_settled(const struct pass *pass, struct skr_span *span, int32_t n)
{
    struct skr_cells *cells = span->note->node.cells;
    struct skr_run *run = pass->run;
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

/* The weights of a row of a unit, from this main count on, in steps. */
static void weigh_row(const struct pass *pass, const struct skr_row *row,
                      const struct skr_line *line, int32_t from)
{
    const struct skr_words *words = pass->words;
    const int64_t *table[SKR_SCOPES_MAX]; /* of each key, by the main count */
    int32_t slope[SKR_SCOPES_MAX];
    for (int32_t k = 0; k < words->n_keys; k++) {
        int32_t scope = words->scope[k];
        table[k] = words->table[scope] + skr_axes_base(words->axes, row->key, scope);
        slope[k] = skr_axes_slope(words->axes, scope);
    }
    int32_t last = skr_smaller(line->hi * pass->step, row->hi);
    for (int32_t x = skr_row_next(row, from * pass->step); x <= last;
         x = skr_row_next(row, x + 1)) {
        int64_t weight = 0;
        for (int32_t k = 0; k < words->n_keys; k++) {
            weight += table[k][x * slope[k]];
        }
        line->weight[x / pass->step - line->lo] = weight;
    }
}

static bool weigh_unit(const struct pass *pass, struct skr_span *span)
{
    struct skr_cells *cells = span->note->node.cells;
    if (pass->settled && !begin_settled(pass, span, 2 * span->rows.n)) {
        return false;
    }
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct skr_row *row = &span->rows.row[k];
        const struct skr_window *window = &cells->row[k];
        bool host = !pass->settled || row->key != 0 || row->lo > 0;
        bool fills = !host && !cells->can_rest; /* it holds all, or is not the one that rests */
        if (window->lo <= window->hi) {
            const struct skr_line line = skr_line_of(window, cells->weight);
            weigh_row(pass, row, &line, fills ? skr_larger(line.lo, window->to) : line.lo);
        }
        if (pass->settled) {
            cells->first_settled[k + 1] = cells->first_settled[k];
            if (row->lo < row->hi && !fills) {
                put_settled(cells, k, window->from);
            }
            if (row->lo == row->hi || host || cells->can_fill) {
                put_settled(cells, k, window->to);
            }
        }
    }
    return true;
}

/* The main counts of a row that best placements may have: parts of its line into ret, ascending. */
static int32_t list_parts(const struct pass *pass, const struct skr_span *span, int32_t k,
                          struct skr_line *ret)
{
    const struct skr_window *window = &span->note->node.cells->row[k];
    struct skr_line line = skr_line_of(window, span->note->node.cells->weight);
    if (span->note->n_ranges == 0) {
        ret[0] = line;
        return 1;
    }
    int32_t slope = skr_axes_slope(pass->words->axes, pass->scope) * pass->step;
    int32_t base = skr_axes_base(pass->words->axes, span->rows.row[k].key, pass->scope);
    int32_t n = 0;
    for (int32_t i = 0; i < span->note->n_ranges; i++) {
        ret[n] = line;
        skr_role_cut(&ret[n].lo, &ret[n].hi, base, slope, span->note->range[i].least,
                     span->note->range[i].most);
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
    const struct skr_window *window = &span->note->node.cells->row[k];
    int64_t *weight = span->note->node.cells->weight + window->first;
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

/* All cells of row i of a span, and all of row j of another one. The row with the narrower window goes
 * outside. */
static bool add_cells(const struct pass *pass, struct sums *sums, const struct skr_span *a,
                      int32_t i, const struct skr_span *b, int32_t j)
{
    const struct skr_window *outer = &a->note->node.cells->row[i];
    const struct skr_window *inner = &b->note->node.cells->row[j];
    if (skr_window_width(outer) > skr_window_width(inner)) {
        return add_cells(pass, sums, b, j, a, i);
    }
    const int64_t *weight = a->note->node.cells->weight + outer->first;
    struct skr_line part[SKR_ROLE_RANGES_MAX];
    int32_t n_parts = list_parts(pass, b, j, part);
    int32_t last = skr_smaller(outer->hi, sums->to.hi - inner->lo);
    for (int32_t x = skr_larger(outer->lo, sums->to.lo - inner->hi); x <= last; x++) {
        if (weight[x - outer->lo] <= SKR_WEIGHT_MAX) {
            add_parts(sums, weight[x - outer->lo], x, part, n_parts);
            if (x % 64 == 63 && !skr_run_poll(pass->run)) {
                return false;
            }
        }
    }
    return true;
}

/* The settled ones of row i of a span, and all cells of row j of another one. */
static void add_settled(const struct pass *pass, struct sums *sums, const struct skr_span *a,
                        int32_t i, const struct skr_span *b, int32_t j)
{
    struct skr_line part[SKR_ROLE_RANGES_MAX];
    int32_t n_parts = list_parts(pass, b, j, part);
    for (int32_t s = a->note->node.cells->first_settled[i];
         s < a->note->node.cells->first_settled[i + 1]; s++) {
        const struct skr_role_settled *one = &a->note->node.cells->settled[s];
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
    return span->note->node.cells->first_settled
               ? span->note->node.cells->first_settled[span->rows.n]
               : 0;
}

/* Whether lists are so short that adding them costs less than adding cells to cells. */
static bool worth_it(const struct skr_span *a, const struct skr_span *b)
{
    int64_t cells = (int64_t)a->note->node.cells->n * b->note->node.cells->n;
    int64_t listed = (int64_t)n_settled(a) * b->note->node.cells->n +
                     (int64_t)n_settled(b) * a->note->node.cells->n;
    return a->note->node.cells->first_settled && b->note->node.cells->first_settled &&
           listed < cells;
}

/* The settled list of a pair, from pass->settled_weight, which becomes empty again. */
static bool list_settled(const struct pass *pass, struct skr_span *span)
{
    struct skr_cells *cells = span->note->node.cells;
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
        const struct skr_window *window = &span->note->node.cells->row[k];
        if (window->hi < window->lo) {
            continue;
        }
        struct sums sums = {.to = skr_line_of(window, span->note->node.cells->weight),
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
                add_both(&both, left->note->node.cells, i, right->note->node.cells, j);
            } else if (!add_cells(pass, &sums, left, i, right, j)) {
                return false;
            }
            sums.steps++;
        }
        for (int32_t c = 0; c <= window->hi - window->lo; c++) {
            int64_t *weight = &sums.to.weight[c];
            *weight = *weight > SKR_WEIGHT_MAX ? SKR_WEIGHT_NONE : *weight;
        }
        drop_cells(pass, span, k);
        if (!skr_run_step(pass->run, sums.steps + both.steps)) {
            return false;
        }
    }
    return !listed || list_settled(pass, span);
}

static bool begin_pass(struct pass *pass, struct skr_graph *graph)
{
    int32_t level = pass->words->level;
    const struct skr_graph_level *at = &graph->level[level];
    graph->narrow = 0;
    if (!skr_dense_windows(graph, pass->words) ||
        (graph->run->rr && !skr_role_settle(graph, level, pass->words, &pass->settled))) {
        return false;
    }
    pass->step = at->step;
    pass->scope = graph->narrow;
    int32_t most = 0;
    for (int32_t i = 0; i < at->n_nodes && pass->settled; i++) {
        most = skr_larger(most, at->node[i]->cells->n);
    }
    pass->settled_weight = skr_run_scratch_alloc(pass->run, (size_t)most, sizeof(int64_t));
    for (int32_t c = 0; c < most && pass->settled_weight; c++) {
        pass->settled_weight[c] = SKR_WEIGHT_NONE;
    }
    return pass->settled_weight;
}

bool skr_dense_weigh(struct skr_graph *graph, const struct skr_words *words)
{
    const struct skr_graph_level *at = &graph->level[words->level];
    struct pass pass = {.run = graph->run, .words = words};
    if (!begin_pass(&pass, graph)) {
        return false;
    }
    for (int32_t i = 0; i < at->n_nodes; i++) {
        struct skr_span *span = skr_span_at(at, i);
        if (span->note->node.cells->n > 0 &&
            !(span->left ? weigh_pair(&pass, span) : weigh_unit(&pass, span))) {
            return false;
        }
    }
    return skr_run_poll(graph->run);
}

int32_t skr_dense_cell(const struct skr_graph_level *at, const struct skr_ports *set,
                       const struct skr_port *port)
{
    const struct skr_span *span = set->node ? skr_span_of(set->node) : NULL;
    int32_t k = span ? skr_rows_find(&span->rows, port->key) : -1;
    const struct skr_window *window = k < 0 ? NULL : &span->note->node.cells->row[k];
    int32_t x = port->main / at->step;
    bool there = window && port->main % at->step == 0 && x >= window->lo && x <= window->hi;
    return there ? window->first + x - window->lo : -1;
}
