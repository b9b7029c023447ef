/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Narrows a level whose first key, that of the lead scope, is of type spread.
 *
 * The best list of counts begins with the least possible greatest count m. So no unit of a best
 * placement holds more than m of the scope, and larger amounts are taken away before the level is
 * weighed. m has a lower bound: the units, each with at most m, must have room for what their set
 * holds. From there upwards, the feasible sets of units with at most m show which m suffices.
 *
 * Of equal members the closed forms come first, which may leave nothing to search for.
 *
 * Cost: for each m that is tried, the feasible sets of the level.
 */
#include "core/solver/narrow_counts.h"
#include "core/solver/role_cells.h"

struct spread {
    struct skr_graph *graph;
    const struct skr_graph_level *at;
    int32_t level, scope;
    int32_t **most;         /* [set][unit] greatest amount; NULL: nothing is cut */
    struct skr_span **item; /* [units of the largest set] working space */
};

static bool make_item(struct spread *s)
{
    int32_t n_units = 0;
    for (int32_t i = 0; i < s->at->n_sets; i++) {
        n_units = skr_larger(n_units, skr_siblings_at(s->at, i)->n_units);
    }
    s->item = skr_run_alloc(s->graph->run, (size_t)n_units, sizeof(struct skr_span *));
    return s->item;
}

/* *ret: the greatest amount of all units. */
static bool list_most(struct spread *s, int32_t *ret)
{
    struct skr_run *run = s->graph->run;
    s->most = skr_run_alloc(run, (size_t)s->at->n_sets, sizeof *s->most);
    *ret = 0;
    for (int32_t i = 0; i < s->at->n_sets && s->most; i++) {
        const struct skr_siblings *set = skr_siblings_at(s->at, i);
        s->most[i] = skr_run_alloc(run, (size_t)set->n_units, sizeof(int32_t));
        if (!s->most[i]) {
            return false;
        }
        for (int32_t u = 0; u < set->n_units; u++) {
            const struct skr_span *unit = set->unit[u];
            s->most[i][u] = unit ? skr_rows_greatest(s->at->axes, &unit->rows, s->scope) : 0;
            *ret = skr_larger(*ret, s->most[i][u]);
        }
    }
    return s->most;
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
    const int32_t used = s->at->law[s->scope].used;
    for (int32_t i = 0; i < s->at->n_sets; i++) {
        const struct skr_siblings *set = skr_siblings_at(s->at, i);
        int64_t room = 0;
        for (int32_t u = 0; u < set->n_units; u++) {
            room += skr_smaller(m, s->most[i][u]);
        }
        room = used > 0 && (int64_t)used * m < room ? (int64_t)used * m : room;
        for (int32_t p = 0; p < set->ports.n; p++) {
            struct skr_port *port = &set->ports.port[p];
            bool fits = skr_axes_amount(s->at->axes, port->key, port->main, s->scope) <= room;
            port->weight = fits ? 0 : SKR_WEIGHT_NONE;
        }
    }
    return any_placement(s);
}

/* The unit without amounts above m; NULL in *ret: no vector is left. Of equal members *ret is NULL,
 * too, if only 0 is, which *only_zero says. False: the run had to stop. */
static bool cut_unit(const struct spread *s, struct skr_span *unit, int32_t m,
                     struct skr_span **ret, bool *only_zero)
{
    struct skr_run *run = s->graph->run;
    const struct skr_axes *axes = s->at->axes;
    struct skr_rows rows;
    if (!skr_rows_begin(run, unit->hi, skr_run_divisor(run, s->level))) {
        return false;
    }
    for (int32_t k = 0; k < unit->rows.n; k++) {
        const struct skr_row *row = &unit->rows.row[k];
        int32_t lo = row->lo;
        int32_t hi = row->hi;
        skr_role_cut(&lo, &hi, skr_axes_base(axes, row->key, s->scope),
                     skr_axes_slope(axes, s->scope), 0, m);
        if (!skr_rows_add_row(run, row->key, row, lo, hi)) {
            return false;
        }
    }
    if (!skr_rows_finish(run, false, &rows)) {
        return false;
    }
    *only_zero = !run->rr && skr_rows_only_zero(&rows);
    const bool none = rows.n == 0 || *only_zero;
    *ret = none ? NULL : skr_span_unit(run, s->level, unit->inside, unit->room, &rows);
    return none || *ret;
}

/* Whether a set holds its ports with at most m in each unit, into their weights. keep: its units
 * lose larger amounts. */
static bool cut_set(struct spread *s, int32_t i, int32_t m, bool keep)
{
    struct skr_run *run = s->graph->run;
    struct skr_siblings *set = skr_siblings_at(s->at, i);
    struct skr_span *all = NULL;
    bool fits = true;
    int32_t n = 0;
    for (int32_t u = 0; u < set->n_units; u++) {
        struct skr_span *unit = set->unit[u];
        bool only_zero = !unit;
        if (s->most && s->most[i][u] > m && !cut_unit(s, unit, m, &unit, &only_zero)) {
            return false;
        }
        if (!unit && !only_zero) {
            unit = set->unit[u];
            fits = false;
        }
        if (keep) {
            set->unit[u] = unit;
        }
        if (unit) {
            s->item[n++] = unit;
        }
    }
    if (n > 0 && !skr_span_all(run, s->item, n, s->item, &all)) {
        return false;
    }
    for (int32_t p = 0; p < set->ports.n && s->most; p++) {
        struct skr_port *port = &set->ports.port[p];
        bool has = fits && all && skr_span_has(all, port->key, port->main);
        port->weight = has ? 0 : SKR_WEIGHT_NONE;
    }
    if (!keep || (all && !skr_span_use(run, all, true))) {
        return !keep;
    }
    set->all = all ? all : set->all;
    set->ports.node = all ? &all->note->node : NULL;
    return true;
}

static bool cut_sets(struct spread *s, int32_t m, bool keep)
{
    bool done = true;
    for (int32_t i = 0; i < s->at->n_sets && done; i++) {
        done = cut_set(s, i, m, keep);
    }
    return done;
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
    for (int32_t step = 0; lo < hi; step = 2 * step + 1) {
        int32_t m = lo + skr_smaller(step, (hi - lo) / 2);
        if (!cut_sets(s, m, false)) {
            return false;
        }
        if (any_placement(s)) {
            hi = m;
        } else {
            lo = m + 1;
        }
    }
    *ret = hi;
    return true;
}

bool skr_narrow_level(struct skr_graph *graph, const struct skr_words *words)
{
    struct skr_run *run = graph->run;
    struct spread s = {.graph = graph,
                       .at = &graph->level[words->level],
                       .level = words->level,
                       .scope = words->scope[0]};
    bool known = !run->rr;
    for (int32_t i = 0; i < s.at->n_sets && !run->rr && words->n_keys > 0; i++) {
        bool exact = false;
        if (!skr_narrow_counts(run, skr_siblings_at(s.at, i), &exact)) {
            return false;
        }
        known = known && exact;
    }
    const bool searches =
        !run->plain && words->n_keys > 0 && !known && s.at->law[s.scope].type == SKR_RULE_SPREAD;
    int32_t greatest = 0;
    int32_t m = 0;
    if (!make_item(&s) ||
        (searches && (!list_most(&s, &greatest) || !least_most(&s, greatest, &m)))) {
        return false;
    }
    if (run->rr && m == greatest) {
        return true;
    }
    if (!cut_sets(&s, m, true)) {
        return false;
    }
    if (m < greatest) {
        skr_graph_weigh(graph, s.level - 1, NULL, NULL);
        skr_graph_tighten(graph, s.level - 1);
    }
    return true;
}
