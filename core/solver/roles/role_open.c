/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a level of the choice graph.
 *
 * The ports of the level are the vectors that live units of the level above want from their children.
 * Dense passes for all ports would cost too much: with soft pack most racks can hold the gang, and each
 * needs a pass. So every port first has a lower bound of its first word (role_bounds.c). The ports on
 * the best walks by these bounds get their exact weights. This is repeated until all ports on the best
 * walks are exact. All other ports lead to worse placements.
 */
#include <stdlib.h>

#include "core/solver/roles/role_cells.h"

/* A vector that a unit's state wants from the unit's children. */
struct want {
    struct skr_span *unit, *inside;
    uint64_t key;
    int32_t main;
    struct skr_state *state;
};

static int by_vector(const void *a, const void *b)
{
    const struct want *x = a;
    const struct want *y = b;
    if (x->inside != y->inside) {
        return x->inside->id < y->inside->id ? -1 : 1;
    }
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return (x->main > y->main) - (x->main < y->main);
}

/* Live states of units of the level above that hold anything, in ret. */
static int32_t list_wants(const struct skr_graph *graph, int32_t level, struct want *ret)
{
    const struct skr_role_run *rr = graph->rr;
    const struct skr_graph_level *above = &graph->level[level - 1];
    int32_t n = 0;
    for (int32_t i = 0; i < above->n_nodes; i++) {
        struct skr_span *span = skr_span_at(above, i);
        for (int32_t s = 0; s < span->node.n_states && !span->left; s++) {
            struct skr_state *state = &span->node.state[s];
            uint64_t key = span->rows.row[state->row].key;
            if (!state->live || ((key & rr->axes[level - 1].side) == 0 && state->main == 0)) {
                continue;
            }
            if (ret) {
                int32_t members[SKR_ROLES_MAX];
                struct want want = {.unit = span, .inside = span->inside, .state = state};
                skr_axes_members(&rr->axes[level - 1], rr->n_roles, key, state->main, members);
                skr_bug_on(!skr_axes_vector(rr, level, members, &want.key, &want.main));
                ret[n] = want;
            }
            n++;
        }
    }
    return n;
}

static struct skr_role_ports *ports_add(struct skr_role_run *rr, struct skr_graph_level *level,
                                        struct skr_span *all, int32_t n)
{
    struct skr_role_ports *set = skr_run_alloc(&rr->run, 1, sizeof *set);
    if (!set) {
        return NULL;
    }
    set->all = all;
    set->ports.port = skr_run_alloc(&rr->run, (size_t)n, sizeof *set->ports.port);
    set->unit = skr_run_alloc(&rr->run, (size_t)all->n_units, sizeof(struct skr_span *));
    if (!set->ports.port || !set->unit) {
        return NULL;
    }
    skr_span_units(all, set->unit, 0);
    set->ports.node = &all->node;
    level->set[level->n_sets++] = &set->ports;
    all->ports = set;
    return set;
}

/* The ports of a level below the first. */
static bool make_ports(struct skr_graph *graph, int32_t level)
{
    struct skr_role_run *rr = graph->rr;
    struct skr_graph_level *at = &graph->level[level];
    int32_t n = list_wants(graph, level, NULL);
    struct want *want = skr_run_alloc(&rr->run, (size_t)n, sizeof *want);
    at->set = skr_run_alloc(&rr->run, (size_t)n, sizeof(struct skr_ports *));
    if (!want || !at->set) {
        return false;
    }
    list_wants(graph, level, want);
    qsort(want, (size_t)n, sizeof *want, by_vector);
    for (int32_t i = 0; i < n;) {
        int32_t end = i;
        while (end < n && want[end].inside == want[i].inside) {
            end++;
        }
        struct skr_role_ports *set = ports_add(rr, at, want[i].inside, end - i);
        if (!set) {
            return false;
        }
        for (; i < end; i++) {
            struct skr_port *last = set->ports.n > 0 ? &set->ports.port[set->ports.n - 1] : NULL;
            if (!last || last->key != want[i].key || last->main != want[i].main) {
                set->ports.port[set->ports.n++] = (struct skr_port){
                    .key = want[i].key, .main = want[i].main, .state = -1, .live = true};
                rr->ports++;
            }
            want[i].state->port = set->ports.n - 1;
            want[i].unit->node.ports = &set->ports;
        }
    }
    return true;
}

/* Lists the nodes of the sets with wanted ports. */
static bool list_wanted(struct skr_graph *graph, int32_t level)
{
    const struct skr_graph_level *at = &graph->level[level];
    size_t most = 0;
    for (int32_t i = 0; i < at->n_sets; i++) {
        most += (size_t)skr_role_set(at, i)->all->n_units;
    }
    return skr_graph_list(graph, level, most, skr_ports_wanted);
}

/* The amounts that units of the level can have, into the words. */
static void first_counts(const struct skr_graph_level *at, struct skr_words *words)
{
    for (int32_t i = 0; i < at->n_nodes; i++) {
        const struct skr_span *span = skr_span_at(at, i);
        for (int32_t r = 0; r < span->rows.n && !span->left; r++) {
            const struct skr_row *row = &span->rows.row[r];
            for (int32_t k = 0; k < words->n_keys; k++) {
                int32_t base = skr_axes_base(at->axes, row->key, words->scope[k]);
                int32_t slope = skr_axes_slope(at->axes, words->scope[k]);
                skr_bits_set_progression(words->counts[words->scope[k]], base + row->lo * slope,
                                         base + row->hi * slope, slope > 1 ? slope : 1);
            }
        }
    }
}

static void want_live(const struct skr_graph_level *at)
{
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < skr_role_set(at, i)->ports.n; p++) {
            skr_role_set(at, i)->ports.port[p].wanted = skr_role_set(at, i)->ports.port[p].live;
        }
    }
}

/* Wants the marked ports that are not exact, and unmarks all. Whether there are any. */
static bool want_marked(const struct skr_graph_level *at)
{
    bool any = false;
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < skr_role_set(at, i)->ports.n; p++) {
            struct skr_port *port = &skr_role_set(at, i)->ports.port[p];
            port->wanted = port->marked && !port->exact;
            port->marked = false;
            any = any || port->wanted;
        }
    }
    return any;
}

static bool dense_pass(struct skr_graph *graph, int32_t level, const struct skr_words *words)
{
    struct skr_run *run = &graph->rr->run;
    skr_run_scratch_end(run);
    return list_wanted(graph, level) && skr_run_scratch_begin(run) &&
           skr_role_dense_weigh(graph, level, words);
}

/* Weights of ports, exact on the best walks. *passes: how many dense passes. */
static bool weigh_ports(struct skr_graph *graph, int32_t level, const struct skr_words *words,
                        int32_t *passes)
{
    struct skr_graph_level *at = &graph->level[level];
    if (graph->rr->run.plain) {
        *passes = 1;
        return dense_pass(graph, level, words);
    }
    if (!skr_role_bound_ports(graph, level, words)) {
        return false;
    }
    for (*passes = 0;; ++*passes) {
        skr_graph_weigh(graph, level - 1, NULL, NULL);
        skr_graph_mark(graph, level - 1);
        if (!want_marked(at)) {
            return true;
        }
        if (!dense_pass(graph, level, words)) {
            return false;
        }
    }
}

static bool open_level(struct skr_graph *graph, int32_t level, struct skr_words *words,
                       bool *choice)
{
    struct skr_graph_level *at = &graph->level[level];
    int32_t passes = 0;
    if ((level > 1 && !make_ports(graph, level)) || !skr_role_spread(graph, words)) {
        return false;
    }
    want_live(at);
    if (!list_wanted(graph, level)) {
        return false;
    }
    first_counts(at, words);
    skr_words_next(words);
    if (!weigh_ports(graph, level, words, &passes)) {
        return false;
    }
    skr_graph_weigh(graph, level - 1, NULL, NULL);
    *choice = skr_graph_tighten(graph, level - 1);
    if (passes != 1) {
        /* Several passes have listed spans: one more pass for the ports that are left. */
        want_live(at);
        if (!dense_pass(graph, level, words)) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        const struct skr_role_ports *set = skr_role_set(at, i);
        for (int32_t p = 0; p < set->ports.n; p++) {
            struct skr_port *port = &set->ports.port[p];
            port->cell = port->live ? skr_role_cell_of(set, port) : -1;
        }
    }
    at->step = 1;
    return skr_dense_states(graph, level, choice);
}

static bool open_next(struct skr_graph *graph, struct skr_words *words, bool *choice)
{
    bool done = open_level(graph, words->level, words, choice);
    skr_run_scratch_end(graph->run);
    graph->n_levels = words->level;
    return done;
}

static void put_children(const struct skr_graph *graph, int32_t unit, int32_t *ret)
{
    const struct skr_feasible *sets = graph->sets;
    const struct skr_tree *tree = graph->run->tree;
    int32_t first = tree->child_first[unit];
    for (int32_t child = first; child < first + tree->child_count[unit]; child++) {
        if (sets->unit[child]) {
            *ret++ = child;
        }
    }
}

bool skr_role_graph_begin(struct skr_graph *graph, struct skr_role_run *rr,
                          const struct skr_feasible *sets)
{
    *graph = (struct skr_graph){.run = &rr->run,
                                .rr = rr,
                                .n_roles = rr->n_roles,
                                .n_scopes = rr->n_scopes,
                                .n = rr->n,
                                .open = open_next,
                                .children = put_children,
                                .sets = sets};
    for (int32_t level = 1; level <= rr->run.tree->n_levels; level++) {
        graph->level[level].axes = &rr->axes[level];
        graph->level[level].law = rr->law[level];
    }
    struct skr_graph_level *first = &graph->level[1];
    first->set = skr_run_alloc(&rr->run, 1, sizeof(struct skr_ports *));
    struct skr_role_ports *root = first->set ? ports_add(rr, first, sets->inside[0], 1) : NULL;
    if (!root) {
        return false;
    }
    root->ports.n = 1;
    root->ports.port[0] = (struct skr_port){.state = -1, .live = true};
    return skr_axes_vector(rr, 1, rr->n, &root->ports.port[0].key, &root->ports.port[0].main);
}
