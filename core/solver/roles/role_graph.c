/* SPDX-License-Identifier: Apache-2.0 */
/* Weighing and tightening of the choice graph. Costs the edges of the levels that it goes through.
 */
#include "core/solver/roles/role_graph.h"

static void weigh_pair(struct skr_role_span *span)
{
    const struct skr_role_state *left = span->left->state;
    const struct skr_role_state *right = span->right->state;
    for (int32_t s = 0; s < span->n_states; s++) {
        struct skr_role_state *state = &span->state[s];
        const struct skr_edge *edge = span->edge + state->first_edge;
        int64_t least = SKR_WEIGHT_NONE;
        for (int32_t e = 0; state->live && e < state->n_edges; e++) {
            int64_t weight = left[edge[e].left].weight + right[edge[e].right].weight;
            least = weight < least ? weight : least;
        }
        state->weight = least;
    }
}

static void weigh_unit(const struct skr_role_graph *graph, struct skr_role_span *span, bool by_port,
                       enum skr_role_weighing how, const struct skr_role_words *words)
{
    const struct skr_role_run *rr = graph->rr;
    const struct skr_axes *axes = &rr->axes[span->level];
    for (int32_t s = 0; s < span->n_states; s++) {
        struct skr_role_state *state = &span->state[s];
        uint64_t key = span->rows.row[state->row].key;
        if (!state->live) {
            state->weight = SKR_WEIGHT_NONE;
        } else if (by_port) {
            state->weight = state->port >= 0 ? span->inside->ports->port[state->port].weight : 0;
        } else if (how == SKR_ROLE_WEIGH_WORD) {
            state->weight = skr_role_words_weight(rr, words, key, state->main);
        } else {
            bool used = skr_axes_base(axes, key, rr->n_roles) > 0 || state->main > 0;
            state->weight = used ? span->room : 0;
        }
    }
}

void skr_role_graph_weigh(struct skr_role_graph *graph, int32_t deepest, enum skr_role_weighing how,
                          const struct skr_role_words *words)
{
    for (int32_t level = deepest; level >= 1; level--) {
        struct skr_role_level *at = &graph->level[level];
        bool by_port = level < deepest || how == SKR_ROLE_WEIGH_PORTS;
        for (int32_t i = 0; i < at->n_spans; i++) {
            if (at->span[i]->left) {
                weigh_pair(at->span[i]);
            } else {
                weigh_unit(graph, at->span[i], by_port, how, words);
            }
        }
        for (int32_t i = 0; i < at->n_sets; i++) {
            struct skr_role_ports *set = at->set[i];
            for (int32_t p = 0; p < set->n; p++) {
                struct skr_role_port *port = &set->port[p];
                port->weight = port->live ? set->all->state[port->state].weight : SKR_WEIGHT_NONE;
            }
        }
    }
}

/* Keeps the marked states of a span, and their edges of least weight; marks where these lead. */
static bool tighten_span(struct skr_role_span *span)
{
    bool choice = false;
    for (int32_t s = 0; s < span->n_states; s++) {
        struct skr_role_state *state = &span->state[s];
        state->live = state->marked;
        state->marked = false;
        if (!state->live) {
            state->n_edges = 0;
            continue;
        }
        if (!span->left) {
            if (state->port >= 0) {
                span->inside->ports->port[state->port].marked = true;
            }
            continue;
        }
        struct skr_edge *edge = span->edge + state->first_edge;
        int32_t kept = 0;
        for (int32_t e = 0; e < state->n_edges; e++) {
            struct skr_role_state *left = &span->left->state[edge[e].left];
            struct skr_role_state *right = &span->right->state[edge[e].right];
            if (left->weight + right->weight == state->weight) {
                left->marked = true;
                right->marked = true;
                edge[kept++] = edge[e];
            }
        }
        state->n_edges = kept;
        choice = choice || kept > 1;
    }
    return choice;
}

bool skr_role_graph_tighten(struct skr_role_graph *graph, int32_t deepest)
{
    bool choice = false;
    for (int32_t i = 0; deepest >= 1 && i < graph->level[1].n_sets; i++) {
        graph->level[1].set[i]->port[0].marked = true;
    }
    for (int32_t level = 1; level <= deepest + 1 && level <= graph->rr->run.tree->n_levels;
         level++) {
        struct skr_role_level *at = &graph->level[level];
        for (int32_t i = 0; i < at->n_sets; i++) {
            struct skr_role_ports *set = at->set[i];
            for (int32_t p = 0; p < set->n; p++) {
                struct skr_role_port *port = &set->port[p];
                port->live = port->marked || (deepest == 0 && level == 1);
                port->marked = false;
                if (port->live && level <= deepest) {
                    set->all->state[port->state].marked = true;
                }
            }
        }
        for (int32_t i = at->n_spans - 1; i >= 0 && level <= deepest; i--) {
            choice = tighten_span(at->span[i]) || choice;
        }
    }
    return choice;
}

/* Marks what the best walks through the marked states of a span meet; unmarks the states. */
static void mark_span(struct skr_role_span *span)
{
    for (int32_t s = 0; s < span->n_states; s++) {
        struct skr_role_state *state = &span->state[s];
        if (!state->marked) {
            continue;
        }
        state->marked = false;
        if (!span->left && state->port >= 0) {
            span->inside->ports->port[state->port].marked = true;
        }
        const struct skr_edge *edge = span->edge + state->first_edge;
        for (int32_t e = 0; span->left && e < state->n_edges; e++) {
            struct skr_role_state *left = &span->left->state[edge[e].left];
            struct skr_role_state *right = &span->right->state[edge[e].right];
            if (left->weight + right->weight == state->weight) {
                left->marked = true;
                right->marked = true;
            }
        }
    }
}

void skr_role_graph_mark(struct skr_role_graph *graph, int32_t deepest)
{
    for (int32_t i = 0; i < graph->level[1].n_sets; i++) {
        graph->level[1].set[i]->port[0].marked = true;
    }
    for (int32_t level = 1; level <= deepest; level++) {
        struct skr_role_level *at = &graph->level[level];
        for (int32_t i = 0; i < at->n_sets; i++) {
            struct skr_role_ports *set = at->set[i];
            for (int32_t p = 0; p < set->n; p++) {
                if (set->port[p].marked) {
                    set->port[p].marked = false;
                    set->all->state[set->port[p].state].marked = true;
                }
            }
        }
        for (int32_t i = at->n_spans - 1; i >= 0; i--) {
            mark_span(at->span[i]);
        }
    }
}
