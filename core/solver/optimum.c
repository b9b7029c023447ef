/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optimum, by weighing the choice graph word by word, level by level: keys are compared from
 * the top level down, so the first word of level 1 decides first. A level is opened after the
 * levels above have decided all they can. They often leave little open, which is why this is fast.
 * With SKR_TIE_TIGHT the room of used units comes after the last level's key.
 */
#include "core/solver/optimum.h"

#include "core/solver/open_level.h"

/* The amounts that live units of the level have, into the words. */
static void live_counts(const struct skr_graph_level *at, struct skr_words *words)
{
    for (int32_t i = 0; i < at->n_nodes; i++) {
        const struct skr_graph_node *unit = at->node[i];
        for (int32_t s = 0; s < unit->n_states && !unit->left; s++) {
            const struct skr_state *state = &unit->state[s];
            for (int32_t k = 0; k < words->n_keys && state->live; k++) {
                int32_t scope = words->scope[k];
                skr_bits_set(
                    words->counts[scope],
                    skr_axes_amount(at->axes, skr_state_key(unit, state), state->main, scope));
            }
        }
    }
}

static void weigh_by_word(const void *context, struct skr_graph_node *unit)
{
    for (int32_t s = 0; s < unit->n_states; s++) {
        struct skr_state *state = &unit->state[s];
        state->weight = skr_words_weight(context, skr_state_key(unit, state), state->main);
    }
}

static void weigh_by_room(const void *context, struct skr_graph_node *unit)
{
    const struct skr_axes *axes = context;
    for (int32_t s = 0; s < unit->n_states; s++) {
        struct skr_state *state = &unit->state[s];
        bool used = state->main > 0 || (skr_state_key(unit, state) & axes->side) != 0;
        state->weight = used ? skr_span_of(unit)->room : 0;
    }
}

/* The words of a level after the one it was opened with. Without a choice one placement is left, as
 * far as opened. */
static bool weigh_rest(struct skr_graph *graph, struct skr_words *words, bool choice)
{
    while (choice || graph->run->plain) {
        live_counts(&graph->level[words->level], words);
        if (!skr_words_next(words)) {
            break;
        }
        skr_graph_weigh(graph, words->level, weigh_by_word, words);
        choice = skr_graph_tighten(graph, words->level);
        if (!skr_run_step(graph->run, graph->run->stats.states_kept)) {
            return false;
        }
    }
    return true;
}

bool skr_optimum(struct skr_graph *graph, int32_t deepest)
{
    for (int32_t level = 1; level <= deepest; level++) {
        struct skr_words words;
        bool choice = false;
        if (!skr_words_init(graph, level, &words) || !skr_graph_open(graph, &words, &choice) ||
            !weigh_rest(graph, &words, choice)) {
            return false;
        }
    }
    for (int32_t level = 1; level <= deepest; level++) {
        /* The own rule of one role alone is that of the level. */
        const struct skr_law *law = graph->level[level].law;
        law += graph->run->n_roles == 1 && !law->silent ? 0 : graph->run->n_scopes - 1;
        if (graph->run->problem->tie_break == SKR_TIE_TIGHT && law->type == SKR_RULE_PACK &&
            !law->silent) {
            skr_graph_weigh(graph, level, weigh_by_room, graph->level[level].axes);
            skr_graph_tighten(graph, level);
        }
    }
    return true;
}
