/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a level.
 *
 * 1. Ports: every total > 0 that a live state of the level above wants inside its unit; units with
 *    equal children share them.
 * 2. Fewer counts, where the optimum is partly known before the search (fast paths): closed forms
 *    (narrow_counts.h); else, for spread, the least count that no unit has to exceed. Bisection
 *    over feasible sets finds it, and these are much cheaper than weights.
 * 3. The spans of what is left, parts before wholes, and the dense pass over them.
 */
#include "core/solver/open_level.h"

#include "core/solver/narrow_counts.h"

static struct skr_siblings *siblings_new(struct skr_run *run, struct skr_span *all)
{
    struct skr_siblings *siblings = skr_run_alloc(run, 1, sizeof *siblings);
    if (!siblings) {
        return NULL;
    }
    siblings->all = all;
    siblings->narrow = all;
    siblings->n_units = all->n_units;
    siblings->wanted = skr_run_alloc(run, (size_t)all->words, sizeof *siblings->wanted);
    siblings->member = skr_run_alloc(run, (size_t)all->n_units, sizeof(struct skr_span *));
    if (!siblings->wanted || !siblings->member) {
        return NULL;
    }
    skr_span_units(all, siblings->member, 0);
    skr_span_use(run, all);
    all->siblings = siblings;
    return siblings;
}

static bool make_ports(struct skr_run *run, struct skr_siblings *siblings)
{
    int32_t words = siblings->all->words;
    int32_t n = 0;
    for (int32_t x = skr_bits_next(siblings->wanted, words, 0); x >= 0;
         x = skr_bits_next(siblings->wanted, words, x + 1)) {
        n++;
    }
    siblings->ports.port = skr_run_alloc(run, (size_t)n, sizeof *siblings->ports.port);
    if (!siblings->ports.port) {
        return false;
    }
    for (int32_t x = skr_bits_next(siblings->wanted, words, 0); x >= 0;
         x = skr_bits_next(siblings->wanted, words, x + 1)) {
        siblings->ports.port[siblings->ports.n++] =
            (struct skr_port){.main = x, .state = -1, .live = true};
    }
    return true;
}

/* Sibling sets and ports of the level below `above`. */
static bool want_siblings(struct skr_graph *graph, int32_t above)
{
    struct skr_run *run = graph->run;
    struct skr_graph_level *from = &graph->level[above];
    struct skr_graph_level *to = &graph->level[above + 1];
    to->set = skr_run_alloc(run, (size_t)from->n_nodes, sizeof(struct skr_ports *));
    if (!to->set) {
        return false;
    }
    for (int32_t i = 0; i < from->n_nodes; i++) {
        struct skr_graph_node *node = from->node[i];
        struct skr_span *unit = skr_span_of(node);
        for (int32_t s = 0; s < node->n_states && unit->inside; s++) {
            if (!node->state[s].live || node->state[s].main == 0) {
                continue;
            }
            if (!unit->inside->siblings) {
                struct skr_siblings *siblings = siblings_new(run, unit->inside);
                if (!siblings) {
                    return false;
                }
                to->set[to->n_sets++] = &siblings->ports;
            }
            skr_bits_set(unit->inside->siblings->wanted, node->state[s].main);
        }
    }
    for (int32_t i = 0; i < to->n_sets; i++) {
        if (!make_ports(run, skr_siblings_at(to, i))) {
            return false;
        }
    }
    for (int32_t i = 0; i < from->n_nodes; i++) {
        struct skr_graph_node *unit = from->node[i];
        const struct skr_span *inside = skr_span_of(unit)->inside;
        struct skr_siblings *siblings = inside ? inside->siblings : NULL;
        unit->ports = siblings ? &siblings->ports : NULL;
        for (int32_t s = 0; s < unit->n_states && unit->ports; s++) {
            struct skr_state *state = &unit->state[s];
            if (state->live && state->main > 0) {
                state->port = skr_ports_find(unit->ports, 0, state->main);
            }
        }
    }
    return true;
}

/* Spans of the set without counts above `most`, in siblings->narrow (NULL: no span is left). keep:
 * the members lose these counts, too. */
static bool narrow_to(struct skr_run *run, struct skr_siblings *siblings, int32_t most, bool keep)
{
    struct skr_span **item = skr_run_alloc(run, (size_t)siblings->n_units, sizeof *item);
    if (!item) {
        return false;
    }
    int32_t n = 0;
    for (int32_t i = 0; i < siblings->n_units; i++) {
        struct skr_span *unit = siblings->member[i];
        if (unit && !skr_narrow_below(run, unit, most, &unit)) {
            return false;
        }
        if (keep) {
            siblings->member[i] = unit;
        }
        if (unit) {
            item[n++] = unit;
        }
    }
    siblings->narrow = NULL;
    return n == 0 || skr_span_all(run, item, n, item, &siblings->narrow);
}

/* Whether a placement is left when no unit of the level holds more than most. */
static bool feasible_below(struct skr_graph *graph, int32_t level, int32_t most, bool *ret)
{
    struct skr_run *run = graph->run;
    struct skr_graph_level *at = &graph->level[level];
    int32_t row = skr_law_row(&run->law[level]);
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_siblings *siblings = skr_siblings_at(at, i);
        if (!narrow_to(run, siblings, most, false)) {
            return false;
        }
        for (int32_t p = 0; p < siblings->ports.n; p++) {
            struct skr_port *port = &siblings->ports.port[p];
            bool has =
                siblings->narrow && skr_span_has(siblings->narrow, (uint64_t)row, port->main);
            port->weight = has ? 0 : SKR_WEIGHT_NONE;
        }
    }
    skr_graph_weigh(graph, level - 1, NULL, NULL);
    *ret = skr_graph_root_weight(graph) < SKR_WEIGHT_MAX;
    return true;
}

/* Greatest count that a member of a set of the level has left. */
static int32_t greatest_count(const struct skr_graph_level *level)
{
    int32_t most = 1;
    for (int32_t i = 0; i < level->n_sets; i++) {
        const struct skr_siblings *siblings = skr_siblings_at(level, i);
        for (int32_t m = 0; m < siblings->n_units; m++) {
            const struct skr_span *unit = siblings->member[m];
            most = unit && unit->hi > most ? unit->hi : most;
        }
    }
    return most;
}

/* Spread: the least count that the fullest unit of the level can have. */
static bool least_maximum(struct skr_graph *graph, int32_t level, int32_t *ret)
{
    int32_t lo = 1;
    int32_t hi = greatest_count(&graph->level[level]);
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        bool feasible = false;
        if (!feasible_below(graph, level, mid, &feasible)) {
            return false;
        }
        if (feasible) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    *ret = lo;
    return true;
}

/* Removes counts from the members of the level's sets, then makes their spans. */
static bool narrow_level(struct skr_graph *graph, int32_t level)
{
    struct skr_run *run = graph->run;
    struct skr_graph_level *at = &graph->level[level];
    bool silent = run->law[level].silent;
    bool all_exact = true;
    for (int32_t i = 0; i < at->n_sets && !silent; i++) {
        bool exact = false;
        if (!skr_narrow_counts(run, skr_siblings_at(at, i), &exact)) {
            return false;
        }
        all_exact = all_exact && exact;
    }
    int32_t most = run->n;
    if (!run->plain && !silent && !all_exact && run->law[level].type == SKR_RULE_SPREAD &&
        !least_maximum(graph, level, &most)) {
        return false;
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        if (!narrow_to(run, skr_siblings_at(at, i), most, true)) {
            return false;
        }
    }
    return true;
}

static bool list_level(struct skr_graph *graph, int32_t level)
{
    struct skr_graph_level *at = &graph->level[level];
    size_t most = 0;
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_span *narrow = skr_siblings_at(at, i)->narrow;
        if (narrow) {
            skr_span_use(graph->run, narrow);
            at->set[i]->node = &narrow->node;
            most += (size_t)narrow->n_units;
        }
    }
    return skr_graph_list(graph, level, most, NULL);
}

/* The counts that the units of the level may hold. */
static void possible_counts(const struct skr_graph_level *at, struct skr_words *words)
{
    for (int32_t i = 0; i < at->n_nodes && words->n_keys > 0; i++) {
        const struct skr_span *unit = skr_span_of(at->node[i]);
        if (!unit->left) {
            const uint64_t *used = skr_span_row(unit, unit->rows.n - 1);
            for (int32_t w = 0; w < unit->words; w++) {
                words->counts[0][w] |= used[w];
            }
        }
    }
}

static bool open_level(struct skr_graph *graph, struct skr_words *words, bool *ret_choice)
{
    int32_t level = words->level;
    if ((level > 1 && !want_siblings(graph, level - 1)) || !narrow_level(graph, level) ||
        !list_level(graph, level)) {
        return false;
    }
    possible_counts(&graph->level[level], words);
    skr_words_next(words);
    graph->n_levels = level;
    return skr_dense_pass(graph, words, ret_choice);
}

static void put_children(const struct skr_graph *graph, int32_t unit, int32_t *ret)
{
    const struct skr_feasible *feasible = graph->sets;
    const struct skr_tree *tree = graph->run->tree;
    struct skr_span *const *member = feasible->inside[unit]->siblings->member;
    int32_t first = tree->child_first[unit];
    for (int32_t child = first; child < first + tree->child_count[unit]; child++) {
        if (feasible->unit[child] && *member++) {
            *ret++ = child;
        }
    }
}

bool skr_graph_begin(struct skr_graph *graph, struct skr_run *run,
                     const struct skr_feasible *feasible)
{
    *graph = (struct skr_graph){.run = run,
                                .n_roles = 1,
                                .n_scopes = 1,
                                .n = &run->n,
                                .open = open_level,
                                .children = put_children,
                                .sets = feasible};
    for (int32_t level = 1; level <= run->tree->n_levels; level++) {
        graph->level[level].axes = &skr_axes_of_equals;
        graph->level[level].law = &run->law[level];
    }
    struct skr_graph_level *level = &graph->level[1];
    level->set = skr_run_alloc(run, 1, sizeof(struct skr_ports *));
    struct skr_siblings *siblings = siblings_new(run, feasible->inside[0]);
    if (!level->set || !siblings) {
        return false;
    }
    level->set[0] = &siblings->ports;
    level->n_sets = 1;
    skr_bits_set(siblings->wanted, run->n);
    return make_ports(run, siblings);
}
