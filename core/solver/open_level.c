/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a level.
 *
 * 1. Ports: every vector that a live state of the level above wants inside its unit; units with equal
 *    children share them.
 * 2. Fewer counts, where the optimum is partly known before the search (fast paths): for equal members
 *    closed forms (narrow_counts.h); else, for spread, the least count that no unit has to exceed
 *    (narrow_level.c). Feasible sets show it, and these are much cheaper than weights.
 * 3. Dense passes. Of roles one for all ports would cost too much: with soft pack most racks can hold
 *    the gang, and each needs a pass. So every port first has a lower bound of its first word
 *    (role_bounds.c). The ports on the best walks by these bounds get their exact weights. This is
 *    repeated until all ports on the best walks are exact. All other ports lead to worse placements.
 * 4. The states of what is left.
 */
#include "core/solver/open_level.h"

#include <stdlib.h>

#include "core/solver/narrow_counts.h"
#include "core/solver/role_cells.h"

/* A vector that a unit's state wants from the unit's children. */
struct want {
    struct skr_span *unit;
    uint64_t key;
    int32_t main;
    struct skr_state *state;
};

static int by_vector(const void *a, const void *b)
{
    const struct want *x = a;
    const struct want *y = b;
    if (x->unit->inside != y->unit->inside) {
        return x->unit->inside->id < y->unit->inside->id ? -1 : 1;
    }
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return (x->main > y->main) - (x->main < y->main);
}

/* Live states of units of the level above that hold anything, in ret. */
static int32_t list_wants(const struct skr_graph *graph, int32_t level, struct want *ret)
{
    const struct skr_graph_level *above = &graph->level[level - 1];
    int32_t n = 0;
    for (int32_t i = 0; i < above->n_nodes; i++) {
        struct skr_span *unit = skr_span_at(above, i);
        for (int32_t s = 0; s < unit->note->node.n_states && !unit->left; s++) {
            struct skr_state *state = &unit->note->node.state[s];
            uint64_t key = skr_state_key(&unit->note->node, state);
            if (!state->live || ((key & above->axes->side) == 0 && state->main == 0)) {
                continue;
            }
            if (ret) {
                int32_t members[SKR_ROLES_MAX];
                struct want *want = &ret[n];
                *want = (struct want){.unit = unit, .state = state};
                skr_axes_members(above->axes, graph->run->n_roles, key, state->main, members);
                skr_bug_on(!skr_axes_vector(graph->run, level, members, &want->key, &want->main));
            }
            n++;
        }
    }
    return n;
}

static struct skr_siblings *siblings_new(struct skr_graph *graph, struct skr_graph_level *level,
                                         struct skr_span *all, int32_t n_ports)
{
    struct skr_run *run = graph->run;
    struct skr_siblings *set = skr_run_alloc(run, 1, sizeof *set);
    if (!set) {
        return NULL;
    }
    set->all = all;
    set->n_units = all->n_units;
    set->ports.port = skr_run_alloc(run, (size_t)n_ports, sizeof *set->ports.port);
    set->unit = skr_run_alloc(run, (size_t)all->n_units, sizeof(struct skr_span *));
    if (!set->ports.port || !set->unit || !skr_span_use(run, all, run->rr)) {
        return NULL;
    }
    skr_span_units(all, set->unit, 0);
    set->ports.node = &all->note->node;
    level->set[level->n_sets++] = &set->ports;
    all->note->siblings = set;
    return set;
}

/* The ports of a level below the first. */
static bool make_ports(struct skr_graph *graph, int32_t level)
{
    struct skr_graph_level *at = &graph->level[level];
    int32_t n = list_wants(graph, level, NULL);
    struct want *want = skr_run_alloc(graph->run, (size_t)n, sizeof *want);
    at->set = skr_run_alloc(graph->run, (size_t)n, sizeof(struct skr_ports *));
    if (!want || !at->set) {
        return false;
    }
    list_wants(graph, level, want);
    qsort(want, (size_t)n, sizeof *want, by_vector);
    for (int32_t i = 0; i < n;) {
        int32_t end = i;
        while (end < n && want[end].unit->inside == want[i].unit->inside) {
            end++;
        }
        struct skr_siblings *set = siblings_new(graph, at, want[i].unit->inside, end - i);
        if (!set) {
            return false;
        }
        for (; i < end; i++) {
            struct skr_port *last = set->ports.n > 0 ? &set->ports.port[set->ports.n - 1] : NULL;
            if (!last || last->key != want[i].key || last->main != want[i].main) {
                set->ports.port[set->ports.n++] = (struct skr_port){
                    .key = want[i].key, .main = want[i].main, .state = -1, .live = true};
                graph->n_ports++;
            }
            want[i].state->port = set->ports.n - 1;
            want[i].unit->note->node.ports = &set->ports;
        }
    }
    return true;
}

/* The amounts that units of the level can have, into the words. */
static void first_counts(const struct skr_graph_level *at, struct skr_words *words)
{
    for (int32_t i = 0; i < at->n_nodes; i++) {
        const struct skr_span *unit = skr_span_at(at, i);
        for (int32_t r = 0; r < unit->rows.n && !unit->left; r++) {
            const struct skr_row *row = &unit->rows.row[r];
            for (int32_t k = 0; k < words->n_keys; k++) {
                uint64_t *counts = words->counts[words->scope[k]];
                int32_t base = skr_axes_base(at->axes, row->key, words->scope[k]);
                int32_t slope = skr_axes_slope(at->axes, words->scope[k]);
                if (base == 0 && slope == 1) {
                    skr_row_put(row, counts);
                } else {
                    skr_bits_set_progression(counts, base + row->lo * slope, base + row->hi * slope,
                                             slope > 1 ? slope : 1);
                }
            }
        }
    }
}

static void want_live(const struct skr_graph_level *at)
{
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < at->set[i]->n; p++) {
            at->set[i]->port[p].wanted = at->set[i]->port[p].live;
        }
    }
}

/* Wants the marked ports that are not exact, and unmarks all. Whether there are any. */
static bool want_marked(const struct skr_graph_level *at)
{
    bool any = false;
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < at->set[i]->n; p++) {
            struct skr_port *port = &at->set[i]->port[p];
            port->wanted = port->marked && !port->exact;
            port->marked = false;
            any = any || port->wanted;
        }
    }
    return any;
}

/* Lists the nodes of the sets with wanted ports. */
static bool list_wanted(struct skr_graph *graph, int32_t level)
{
    const struct skr_graph_level *at = &graph->level[level];
    size_t most = 0;
    for (int32_t i = 0; i < at->n_sets; i++) {
        most += (size_t)skr_siblings_at(at, i)->n_units;
    }
    return skr_graph_list(graph, level, most, skr_ports_wanted);
}

/* The wanted ports, whose nodes are listed, become exact, or have a better bound. */
static bool dense_pass(struct skr_graph *graph, const struct skr_words *words)
{
    const struct skr_graph_level *at = &graph->level[words->level];
    skr_run_scratch_end(graph->run);
    if (!skr_run_scratch_begin(graph->run) || !skr_dense_weigh(graph, words)) {
        return false;
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < at->set[i]->n; p++) {
            struct skr_port *port = &at->set[i]->port[p];
            if (port->wanted) {
                port->cell = skr_dense_cell(at, at->set[i], port);
                int64_t weight =
                    port->cell < 0 ? SKR_WEIGHT_NONE : at->set[i]->node->cells->weight[port->cell];
                skr_role_port_found(port, words, weight);
            }
        }
    }
    return true;
}

/* Weights of ports, exact on the best walks. *passes: how many dense passes. */
static bool weigh_ports(struct skr_graph *graph, const struct skr_words *words, int32_t *passes)
{
    int32_t level = words->level;
    *passes = 1;
    if (graph->run->plain || !graph->run->rr) {
        return dense_pass(graph, words);
    }
    if (!skr_role_bound_ports(graph, level, words)) {
        return false;
    }
    for (*passes = 0;; ++*passes) {
        skr_graph_weigh(graph, level - 1, NULL, NULL);
        skr_graph_mark(graph, level - 1);
        if (!want_marked(&graph->level[level])) {
            return true;
        }
        if (!list_wanted(graph, level) || !dense_pass(graph, words)) {
            return false;
        }
    }
}

static bool open_level(struct skr_graph *graph, struct skr_words *words, bool *choice)
{
    int32_t level = words->level;
    struct skr_graph_level *at = &graph->level[level];
    int32_t passes = 0;
    if ((level > 1 && !make_ports(graph, level)) || !skr_narrow_level(graph, words)) {
        return false;
    }
    want_live(at);
    if (!list_wanted(graph, level)) {
        return false;
    }
    first_counts(at, words);
    skr_words_next(words);
    if (!weigh_ports(graph, words, &passes)) {
        return false;
    }
    skr_graph_weigh(graph, level - 1, NULL, NULL);
    skr_bug_on(skr_graph_root_weight(graph) >= SKR_WEIGHT_MAX);
    *choice = skr_graph_tighten(graph, level - 1);
    if (passes != 1) {
        /* Several passes have listed spans: one more pass for the ports that are left. */
        want_live(at);
        if (!list_wanted(graph, level) || !dense_pass(graph, words)) {
            return false;
        }
    }
    return skr_dense_states(graph, level, choice);
}

bool skr_graph_open(struct skr_graph *graph, struct skr_words *words, bool *ret_choice)
{
    bool done = open_level(graph, words, ret_choice);
    skr_run_scratch_end(graph->run);
    graph->n_levels = words->level;
    return done;
}

bool skr_graph_begin(struct skr_graph *graph, struct skr_run *run, const struct skr_feasible *sets)
{
    *graph = (struct skr_graph){.run = run, .sets = sets};
    for (int32_t level = 1; level <= run->tree->n_levels; level++) {
        graph->level[level].axes = &run->axes[level];
        graph->level[level].law = run->laws[level];
    }
    struct skr_graph_level *first = &graph->level[1];
    first->set = skr_run_alloc(run, 1, sizeof(struct skr_ports *));
    struct skr_siblings *root = first->set ? siblings_new(graph, first, sets->inside[0], 1) : NULL;
    if (!root) {
        return false;
    }
    struct skr_port *port = &root->ports.port[root->ports.n++];
    *port = (struct skr_port){.state = -1, .live = true};
    skr_bug_on(!skr_axes_vector(run, 1, run->sizes, &port->key, &port->main));
    return true;
}
