/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Narrows a level whose first key, that of the lead scope, is of type spread.
 *
 * The best list of counts begins with the least possible greatest count m. So no unit of a best
 * placement holds more than m of the scope, and larger amounts are taken away before the level is
 * weighed. m has a lower bound: the units, each with at most m, must have room for what their set
 * holds. From there upwards, the feasible sets of units with at most m show which m suffices.
 *
 * Cost: for each m that is tried, the feasible sets of the level.
 */
#include "core/solver/roles/role_cells.h"

struct spread {
    struct skr_graph *graph;
    int32_t level, scope;
    int32_t **most;             /* [set][unit] greatest amount */
    struct skr_span **narrowed; /* [set] its units, at most m each; NULL: one holds more */
    struct skr_span **item;     /* [units of the largest set] working space */
};

/* *ret: the greatest amount of all units. */
static bool list_most(struct spread *s, int32_t *ret)
{
    struct skr_role_run *rr = s->graph->run->rr;
    const struct skr_graph_level *at = &s->graph->level[s->level];
    size_t n_units = 0;
    s->most = skr_run_alloc(&rr->run, (size_t)at->n_sets, sizeof *s->most);
    s->narrowed = skr_run_alloc(&rr->run, (size_t)at->n_sets, sizeof(struct skr_span *));
    *ret = 0;
    for (int32_t i = 0; i < at->n_sets && s->most && s->narrowed; i++) {
        const struct skr_siblings *set = skr_siblings_at(at, i);
        size_t n = (size_t)set->all->n_units;
        n_units = n > n_units ? n : n_units;
        s->most[i] = skr_run_alloc(&rr->run, n, sizeof(int32_t));
        if (!s->most[i]) {
            return false;
        }
        for (size_t u = 0; u < n; u++) {
            s->most[i][u] = skr_rows_greatest(&rr->axes[s->level], &set->unit[u]->rows, s->scope);
            *ret = skr_larger(*ret, s->most[i][u]);
        }
    }
    s->item = skr_run_alloc(&rr->run, n_units, sizeof(struct skr_span *));
    return s->item;
}

/* Whether the ports that weigh 0 make up a placement. */
static bool any_placement(const struct spread *s)
{
    skr_graph_weigh(s->graph, s->level - 1, NULL, NULL);
    return skr_graph_root_weight(s->graph) < SKR_WEIGHT_MAX;
}

/* Whether the units have room for the amounts of ports, at most m each. */
static bool has_room(const struct spread *s, int32_t m)
{
    const struct skr_axes *axes = &s->graph->run->rr->axes[s->level];
    const struct skr_graph_level *at = &s->graph->level[s->level];
    for (int32_t i = 0; i < at->n_sets; i++) {
        int64_t room = 0;
        for (int32_t u = 0; u < skr_siblings_at(at, i)->all->n_units; u++) {
            room += skr_smaller(m, s->most[i][u]);
        }
        for (int32_t p = 0; p < skr_siblings_at(at, i)->ports.n; p++) {
            struct skr_port *port = &skr_siblings_at(at, i)->ports.port[p];
            bool fits = skr_axes_amount(axes, port->key, port->main, s->scope) <= room;
            port->weight = fits ? 0 : SKR_WEIGHT_NONE;
        }
    }
    return any_placement(s);
}

/* The unit without amounts above m. NULL in *ret: no vector is left. False: the run had to stop. */
static bool cut_unit(const struct spread *s, const struct skr_span *unit, int32_t m,
                     struct skr_span **ret)
{
    struct skr_role_run *rr = s->graph->run->rr;
    const struct skr_axes *axes = &rr->axes[s->level];
    struct skr_rows rows;
    if (!skr_rows_begin(&rr->run, skr_axes_main_most(axes), 1)) {
        return false;
    }
    for (int32_t k = 0; k < unit->rows.n; k++) {
        const struct skr_row *row = &unit->rows.row[k];
        int32_t lo = row->lo;
        int32_t hi = row->hi;
        skr_role_cut(&lo, &hi, skr_axes_base(axes, row->key, s->scope),
                     skr_axes_slope(axes, s->scope), 0, m);
        if (!skr_rows_add_row(&rr->run, row->key, row, lo, hi)) {
            return false;
        }
    }
    if (!skr_rows_finish(&rr->run, false, &rows)) {
        return false;
    }
    *ret = rows.n == 0 ? NULL : skr_span_unit(&rr->run, s->level, unit->inside, unit->room, &rows);
    return rows.n == 0 || *ret;
}

/* Makes s->narrowed[i]. */
static bool cut_set(struct spread *s, int32_t i, int32_t m)
{
    const struct skr_siblings *set = skr_siblings_at(&s->graph->level[s->level], i);
    s->narrowed[i] = NULL;
    for (int32_t u = 0; u < set->all->n_units; u++) {
        s->item[u] = set->unit[u];
        if (s->most[i][u] > m && !cut_unit(s, set->unit[u], m, &s->item[u])) {
            return false;
        }
        if (!s->item[u]) {
            return true;
        }
    }
    return skr_span_all(&s->graph->run->rr->run, s->item, set->all->n_units, s->item,
                        &s->narrowed[i]);
}

/* Makes s->narrowed of all sets. *ret: whether m suffices. */
static bool try_most(struct spread *s, int32_t m, bool *ret)
{
    const struct skr_graph_level *at = &s->graph->level[s->level];
    for (int32_t i = 0; i < at->n_sets; i++) {
        if (!cut_set(s, i, m)) {
            return false;
        }
        const struct skr_span *all = s->narrowed[i];
        for (int32_t p = 0; p < skr_siblings_at(at, i)->ports.n; p++) {
            struct skr_port *port = &skr_siblings_at(at, i)->ports.port[p];
            bool has = all && skr_span_has(all, port->key, port->main);
            port->weight = has ? 0 : SKR_WEIGHT_NONE;
        }
    }
    *ret = any_placement(s);
    return true;
}

/* The least m that has room. */
static int32_t bound_most(const struct spread *s, int32_t greatest)
{
    int32_t lo = 0;
    int32_t hi = greatest;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (has_room(s, mid)) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    return lo;
}

/* The least m that suffices. The greatest amount does. Steps grow: the bound is seldom far off. */
static bool least_most(struct spread *s, int32_t greatest, int32_t *ret)
{
    int32_t lo = bound_most(s, greatest);
    int32_t hi = greatest;
    int32_t last = greatest;
    for (int32_t step = 0; lo < hi; step = 2 * step + 1) {
        bool suffices = false;
        last = lo + skr_smaller(step, (hi - lo) / 2);
        if (!try_most(s, last, &suffices)) {
            return false;
        }
        if (suffices) {
            hi = last;
        } else {
            lo = last + 1;
        }
    }
    *ret = hi;
    bool suffices;
    return last == hi || hi == greatest || try_most(s, hi, &suffices);
}

bool skr_role_spread(struct skr_graph *graph, const struct skr_words *words)
{
    const struct skr_role_run *rr = graph->run->rr;
    struct spread s = {.graph = graph, .level = words->level, .scope = words->scope[0]};
    if (rr->run.plain || words->n_keys == 0 || rr->law[s.level][s.scope].type == SKR_RULE_PACK) {
        return true;
    }
    int32_t greatest = 0;
    int32_t m = 0;
    if (!list_most(&s, &greatest) || !least_most(&s, greatest, &m)) {
        return false;
    }
    const struct skr_graph_level *at = &graph->level[s.level];
    for (int32_t i = 0; i < at->n_sets && m < greatest; i++) {
        if (s.narrowed[i]) {
            struct skr_siblings *set = skr_siblings_at(at, i);
            set->all = s.narrowed[i];
            if (!skr_span_use(graph->run, set->all, true)) {
                return false;
            }
            set->ports.node = &set->all->note->node;
            skr_span_units(set->all, set->unit, 0);
        }
    }
    if (m < greatest) {
        skr_graph_tighten(graph, s.level - 1);
    }
    return true;
}
