/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optimum, by weighing the choice graph word by word, level by level: keys are compared from
 * the top level down, so the first word of level 1 decides first. A level is opened after the
 * levels above have decided all they can. They often leave little open, which is why this is fast.
 * With SKR_TIE_TIGHT the room of used units comes after the last level's key.
 */
#include "core/solver/optimum.h"

#include "core/solver/open_level.h"
#include "core/solver/weight_words.h"

static void weigh_by_count(const void *context, struct skr_graph_node *unit)
{
    const struct skr_words *words = context;
    for (int32_t s = 0; s < unit->n_states; s++) {
        unit->state[s].weight = words->table[0][unit->state[s].main];
    }
}

static void weigh_by_room(const void *context, struct skr_graph_node *unit)
{
    (void)context;
    for (int32_t s = 0; s < unit->n_states; s++) {
        unit->state[s].weight = unit->state[s].main > 0 ? skr_span_of(unit)->room : 0;
    }
}

/* The rest of the words of a level, after the one it was opened with. */
static bool weigh_rest(struct skr_graph *graph, struct skr_words *words, bool choice)
{
    struct skr_run *run = graph->run;
    uint64_t *counts = skr_run_alloc(run, (size_t)run->n / 64 + 1, sizeof *counts);
    if (!counts) {
        return false;
    }
    /* Without a choice one placement is left, as far as opened. */
    while (choice || run->plain) {
        skr_graph_counts(graph, words->level, counts);
        if (!skr_words_next(words, &counts)) {
            break;
        }
        skr_graph_weigh(graph, words->level, weigh_by_count, words);
        choice = skr_graph_tighten(graph, words->level);
        if (!skr_run_poll(run)) {
            return false;
        }
    }
    return true;
}

bool skr_optimum(struct skr_run *run, const struct skr_feasible *feasible, int32_t deepest,
                 struct skr_graph *ret)
{
    if (!skr_graph_begin(ret, run, feasible->inside[0])) {
        return false;
    }
    for (int32_t level = 1; level <= deepest; level++) {
        struct skr_words words;
        bool choice = false;
        if (!skr_graph_open_level(ret, &words, &choice) || !weigh_rest(ret, &words, choice)) {
            return false;
        }
    }
    for (int32_t level = 1; level <= deepest; level++) {
        if (run->problem->tie_break == SKR_TIE_TIGHT && run->law[level].type == SKR_RULE_PACK &&
            !run->law[level].silent) {
            skr_graph_weigh(ret, level, weigh_by_room, NULL);
            skr_graph_tighten(ret, level);
        }
    }
    return true;
}
