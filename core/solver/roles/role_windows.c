/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows: from the wanted vectors down, the main counts of each row that can be part of one.
 *
 * Solo ports. Assume that the first key of the level is that of the group and of type pack. If one
 * unit can hold all that a port wants, every best placement uses one unit. The windows of such a port
 * are 0 and all of it, in every span.
 *
 * Cost: pairs of rows, for every span of the level.
 */
#include "core/solver/roles/role_cells.h"

/* Empty windows, which need no amounts. */
static bool begin_cells(struct skr_role_run *rr, struct skr_span *span)
{
    span->least = INT32_MAX;
    span->most = -1;
    span->n_ranges = 0;
    if (!skr_cells_begin(&rr->run, span->rows.n, &span->node)) {
        return false;
    }
    span->node.cells->rows = &span->rows;
    return true;
}

/* Cuts the windows of a span to the amounts that it needs. */
static void cut_windows(const struct skr_axes *axes, int32_t scope, struct skr_span *span)
{
    int32_t slope = skr_axes_slope(axes, scope);
    for (int32_t k = 0; k < span->rows.n; k++) {
        struct skr_window *window = &span->node.cells->row[k];
        int32_t base = skr_axes_base(axes, span->rows.row[k].key, scope);
        skr_role_cut(&window->lo, &window->hi, base, slope, span->least, span->most);
    }
}

/* What the halves of a pair must cover. */
static void pass_windows(struct skr_span *span)
{
    const struct skr_rows *x = &span->left->rows;
    const struct skr_rows *y = &span->right->rows;
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct skr_window *window = &span->node.cells->row[k];
        if (window->hi < window->lo) {
            continue;
        }
        int32_t j = y->n - 1;
        for (int32_t i = 0; skr_rows_pair(x, y, span->rows.row[k].key, &i, &j); i++) {
            const struct skr_row *a = &x->row[i];
            const struct skr_row *b = &y->row[j];
            skr_window_widen(&span->left->node.cells->row[i], skr_larger(a->lo, window->lo - b->hi),
                             skr_smaller(a->hi, window->hi - b->lo));
            skr_window_widen(&span->right->node.cells->row[j],
                             skr_larger(b->lo, window->lo - a->hi),
                             skr_smaller(b->hi, window->hi - a->lo));
        }
    }
}

static bool has_zero(const struct skr_span *span)
{
    return span->rows.n > 0 && span->rows.row[0].key == 0 && skr_row_has(&span->rows.row[0], 0);
}

static bool holds(const struct skr_span *span, const struct skr_port *port)
{
    return skr_span_has(span, port->key, port->main);
}

/* Whether ports of the level are solo as soon as one unit holds all. */
static bool can_be_solo(const struct skr_graph *graph, const struct skr_words *words)
{
    const struct skr_role_run *rr = graph->rr;
    return !rr->run.plain && words->one_used > 0 && words->scope[words->lead] == rr->n_roles &&
           rr->axes[words->level].n_counters == 0;
}

/* Whether one unit holds all of the port, and no other one must hold anything. */
static bool fits_alone(const struct skr_role_ports *set, const struct skr_port *port)
{
    int32_t n_holding = 0;
    int32_t n_needed = 0;
    int32_t n_both = 0;
    for (int32_t u = 0; u < set->all->n_units; u++) {
        bool holding = holds(set->unit[u], port);
        bool needed = !has_zero(set->unit[u]);
        n_holding += holding ? 1 : 0;
        n_needed += needed ? 1 : 0;
        n_both += holding && needed ? 1 : 0;
    }
    return n_needed == 0 ? n_holding > 0 : n_needed == 1 && n_both == 1;
}

/* The windows of a solo port, in all spans of its set. */
static void widen_solo(struct skr_span *span, const struct skr_port *port)
{
    span->n_ranges = 0;
    if (has_zero(span)) {
        skr_window_widen(&span->node.cells->row[0], 0, 0);
    }
    if (holds(span, port)) {
        int32_t k = skr_rows_find(&span->rows, port->key);
        skr_window_widen(&span->node.cells->row[k], port->main, port->main);
    }
    if (span->left) {
        widen_solo(span->left, port);
        widen_solo(span->right, port);
    }
}

/* The windows of the wanted ports of a set, but for solo ones. */
static void want_ports(struct skr_role_ports *set, bool can_be_solo)
{
    for (int32_t p = 0; p < set->ports.n; p++) {
        struct skr_port *port = &set->ports.port[p];
        port->solo = port->wanted && can_be_solo && fits_alone(set, port);
        if (!port->wanted || port->solo) {
            continue;
        }
        if (port->least_used == 1 && can_be_solo) {
            port->least_used = 2;
        }
        int32_t k = skr_rows_find(&set->all->rows, port->key);
        skr_bug_on(k < 0);
        skr_window_widen(&set->all->node.cells->row[k], port->main, port->main);
    }
}

/* What the spans need for the windows of whole sets. */
static bool pass_down(struct skr_graph *graph, int32_t level, const struct skr_words *words)
{
    struct skr_role_run *rr = graph->rr;
    const struct skr_graph_level *at = &graph->level[level];
    bool cut = !rr->run.plain && words->one_used > 0;
    if (cut && !skr_role_narrow(graph, level, words)) {
        return false;
    }
    for (int32_t i = at->n_nodes - 1; i >= 0; i--) {
        if (cut) {
            cut_windows(&rr->axes[level], graph->narrow, skr_span_at(at, i));
        }
        if (skr_span_at(at, i)->left) {
            if (!skr_role_run_step(rr, skr_span_at(at, i)->rows.n)) {
                return false;
            }
            pass_windows(skr_span_at(at, i));
        }
    }
    return true;
}

bool skr_role_windows(struct skr_graph *graph, int32_t level, const struct skr_words *words)
{
    struct skr_role_run *rr = graph->rr;
    const struct skr_graph_level *at = &graph->level[level];
    for (int32_t i = 0; i < at->n_nodes; i++) {
        if (!begin_cells(rr, skr_span_at(at, i))) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        want_ports(skr_role_set(at, i), can_be_solo(graph, words));
    }
    if (!pass_down(graph, level, words)) {
        return false;
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < skr_role_set(at, i)->ports.n; p++) {
            if (skr_role_set(at, i)->ports.port[p].solo) {
                widen_solo(skr_role_set(at, i)->all, &skr_role_set(at, i)->ports.port[p]);
            }
        }
    }
    for (int32_t i = 0; i < at->n_nodes; i++) {
        if (!skr_cells_weights(&rr->run, at->node[i]->cells)) {
            return false;
        }
    }
    return true;
}
