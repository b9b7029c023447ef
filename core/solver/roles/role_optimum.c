/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optimum: levels are opened from the top, and each is weighed word by word. Own keys of roles
 * come before the key of the group. With SKR_TIE_TIGHT the room of used units comes last.
 */
#include "core/solver/roles/role_graph.h"

/* The amounts of all scopes that live units of the level have. */
static void live_counts(const struct skr_graph *graph, int32_t level, uint64_t *const *ret)
{
    const struct skr_role_run *rr = graph->rr;
    const struct skr_axes *axes = &rr->axes[level];
    const struct skr_graph_level *at = &graph->level[level];
    for (int32_t scope = 0; scope < rr->n_scopes; scope++) {
        for (int32_t w = 0; ret[scope] && w <= rr->n[scope] / 64; w++) {
            ret[scope][w] = 0;
        }
    }
    for (int32_t i = 0; i < at->n_nodes; i++) {
        const struct skr_span *span = skr_span_at(at, i);
        for (int32_t s = 0; s < span->node.n_states && !span->left; s++) {
            const struct skr_state *state = &span->node.state[s];
            uint64_t key = span->rows.row[state->row].key;
            for (int32_t scope = 0; scope < rr->n_scopes && state->live; scope++) {
                if (ret[scope]) {
                    skr_bits_set(ret[scope], skr_axes_amount(axes, key, state->main, scope));
                }
            }
        }
    }
}

/* A word, which is weighed on the states of a level. */
struct weighing {
    const struct skr_role_run *rr;
    const struct skr_words *words;
};

static void weigh_by_word(const void *context, struct skr_graph_node *unit)
{
    const struct weighing *by = context;
    const struct skr_span *span = skr_span_of(unit);
    for (int32_t s = 0; s < unit->n_states; s++) {
        struct skr_state *state = &unit->state[s];
        state->weight =
            skr_role_words_weight(by->rr, by->words, span->rows.row[state->row].key, state->main);
    }
}

static void weigh_by_room(const void *context, struct skr_graph_node *unit)
{
    const struct skr_role_run *rr = context;
    const struct skr_span *span = skr_span_of(unit);
    for (int32_t s = 0; s < unit->n_states; s++) {
        struct skr_state *state = &unit->state[s];
        uint64_t key = span->rows.row[state->row].key;
        bool used = state->main > 0 || skr_axes_base(&rr->axes[span->level], key, rr->n_roles) > 0;
        state->weight = used ? span->room : 0;
    }
}

/* The words of a level after the one it was opened with. */
static bool weigh_rest(struct skr_graph *graph, struct skr_words *words, bool choice)
{
    struct skr_role_run *rr = graph->rr;
    uint64_t *counts[SKR_SCOPES_MAX];
    if (!skr_role_words_counts(rr, words->level, counts)) {
        return false;
    }
    while (choice || rr->run.plain) {
        live_counts(graph, words->level, counts);
        if (!skr_words_next(words, counts)) {
            break;
        }
        const struct weighing by = {.rr = rr, .words = words};
        skr_graph_weigh(graph, words->level, weigh_by_word, &by);
        choice = skr_graph_tighten(graph, words->level);
        if (!skr_role_run_step(rr, rr->run.stats.states_kept)) {
            return false;
        }
    }
    return true;
}

bool skr_role_optimum(struct skr_role_run *rr, const struct skr_role_sets *sets,
                      const int32_t *members, struct skr_graph *ret)
{
    *ret = (struct skr_graph){.run = &rr->run, .rr = rr};
    struct skr_graph_level *first = &ret->level[1];
    first->set = skr_run_alloc(&rr->run, 1, sizeof(struct skr_ports *));
    struct skr_role_ports *root =
        first->set ? skr_role_ports_add(rr, first, sets->inside[0], 1) : NULL;
    if (!root) {
        return false;
    }
    root->ports.n = 1;
    root->ports.port[0] = (struct skr_port){.state = -1, .live = true};
    skr_axes_vector(rr, 1, members, &root->ports.port[0].key, &root->ports.port[0].main);
    for (int32_t level = 1; level <= rr->run.tree->n_levels; level++) {
        struct skr_words words;
        bool choice = false;
        if (!skr_role_graph_open(ret, &words, &choice) || !weigh_rest(ret, &words, choice)) {
            return false;
        }
    }
    for (int32_t level = 1; level <= rr->run.tree->n_levels; level++) {
        /* One role is a problem of equal members: its own rule is that of the level. */
        int32_t scope = rr->n_roles == 1 && rr->keyed[level][0] ? 0 : rr->n_roles;
        const struct skr_law *law = &rr->law[level][scope];
        if (rr->run.problem->tie_break == SKR_TIE_TIGHT && law->type == SKR_RULE_PACK &&
            !law->silent) {
            skr_graph_weigh(ret, level, weigh_by_room, rr);
            skr_graph_tighten(ret, level);
        }
    }
    return true;
}
