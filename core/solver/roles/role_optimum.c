/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The optimum: levels are opened from the top, and each is weighed word by word. Own keys of roles
 * come before the key of the group. With SKR_TIE_TIGHT the room of used units comes last.
 */
#include <stdlib.h>

#include "core/solver/roles/role_graph.h"

/* A vector that a unit's state wants of the unit's children. */
struct want {
    struct skr_role_span *inside;
    uint64_t key;
    int32_t main;
    struct skr_role_state *state;
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
static int32_t list_wants(const struct skr_role_graph *graph, int32_t level, struct want *ret)
{
    const struct skr_role_run *rr = graph->rr;
    const struct skr_role_level *above = &graph->level[level - 1];
    int32_t n = 0;
    for (int32_t i = 0; i < above->n_spans; i++) {
        struct skr_role_span *span = above->span[i];
        for (int32_t s = 0; s < span->n_states && !span->left; s++) {
            struct skr_role_state *state = &span->state[s];
            uint64_t key = span->rows.row[state->row].key;
            if (!state->live || ((key & rr->axes[level - 1].side) == 0 && state->main == 0)) {
                continue;
            }
            if (ret) {
                int32_t members[SKR_ROLES_MAX];
                struct want want = {.inside = span->inside, .state = state};
                skr_axes_members(rr, level - 1, key, state->main, members);
                skr_bug_on(!skr_axes_vector(rr, level, members, &want.key, &want.main));
                ret[n] = want;
            }
            n++;
        }
    }
    return n;
}

static struct skr_role_ports *add_set(struct skr_role_run *rr, struct skr_role_level *level,
                                      struct skr_role_span *all, int32_t n)
{
    struct skr_role_ports *set = skr_run_alloc(&rr->run, 1, sizeof *set);
    if (!set) {
        return NULL;
    }
    set->all = all;
    set->port = skr_run_alloc(&rr->run, (size_t)n, sizeof *set->port);
    if (!set->port) {
        return NULL;
    }
    level->set[level->n_sets++] = set;
    all->ports = set;
    return set;
}

/* The ports of a level below the first. */
static bool make_ports(struct skr_role_graph *graph, int32_t level)
{
    struct skr_role_run *rr = graph->rr;
    struct skr_role_level *at = &graph->level[level];
    int32_t n = list_wants(graph, level, NULL);
    struct want *want = skr_run_alloc(&rr->run, (size_t)n, sizeof *want);
    at->set = skr_run_alloc(&rr->run, (size_t)n, sizeof(struct skr_role_ports *));
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
        struct skr_role_ports *set = add_set(rr, at, want[i].inside, end - i);
        if (!set) {
            return false;
        }
        for (; i < end; i++) {
            struct skr_role_port *last = set->n > 0 ? &set->port[set->n - 1] : NULL;
            if (!last || last->key != want[i].key || last->main != want[i].main) {
                set->port[set->n++] = (struct skr_role_port){
                    .key = want[i].key, .main = want[i].main, .state = -1, .live = true};
                rr->ports++;
            }
            want[i].state->port = set->n - 1;
        }
    }
    return true;
}

/* Lists the spans of a set; the depth is the logarithm of its units. */
static int32_t list_spans(struct skr_role_span *span, struct skr_role_span **ret, int32_t n)
{
    if (span->listed) {
        return n;
    }
    span->listed = true;
    if (ret) {
        ret[n] = span;
    }
    n++;
    if (span->left) {
        n = list_spans(span->left, ret, n);
        n = list_spans(span->right, ret, n);
    }
    return n;
}

static void unlist(struct skr_role_span *span)
{
    if (span->listed) {
        span->listed = false;
        if (span->left) {
            unlist(span->left);
            unlist(span->right);
        }
    }
}

static int by_id(const void *a, const void *b)
{
    const struct skr_role_span *const *x = a;
    const struct skr_role_span *const *y = b;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static bool make_list(struct skr_role_graph *graph, int32_t level)
{
    struct skr_role_level *at = &graph->level[level];
    int32_t n = 0;
    for (int32_t i = 0; i < at->n_sets; i++) {
        n = list_spans(at->set[i]->all, NULL, n);
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        unlist(at->set[i]->all);
    }
    at->span = skr_run_alloc(&graph->rr->run, (size_t)n, sizeof(struct skr_role_span *));
    if (!at->span) {
        return false;
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        at->n_spans = list_spans(at->set[i]->all, at->span, at->n_spans);
    }
    qsort(at->span, (size_t)n, sizeof(struct skr_role_span *), by_id);
    return true;
}

bool skr_role_graph_open(struct skr_role_graph *graph, struct skr_role_words *words)
{
    struct skr_role_run *rr = graph->rr;
    int32_t level = graph->n_levels + 1;
    if ((level > 1 && !make_ports(graph, level)) || !make_list(graph, level) ||
        !skr_run_scratch_begin(&rr->run)) {
        return false;
    }
    bool done = skr_role_dense_weigh(graph, level, words);
    if (done) {
        skr_role_graph_weigh(graph, level - 1, SKR_ROLE_WEIGH_PORTS, NULL);
        skr_role_graph_tighten(graph, level - 1);
        done = skr_role_dense_states(graph, level);
    }
    skr_run_scratch_end(&rr->run);
    graph->n_levels = level;
    return done;
}

/* The amounts of all scopes that live units of the level have. */
static void live_counts(const struct skr_role_graph *graph, int32_t level, uint64_t *const *ret)
{
    const struct skr_role_run *rr = graph->rr;
    const struct skr_axes *axes = &rr->axes[level];
    const struct skr_role_level *at = &graph->level[level];
    for (int32_t scope = 0; scope < rr->n_scopes; scope++) {
        for (int32_t w = 0; ret[scope] && w <= rr->n[scope] / 64; w++) {
            ret[scope][w] = 0;
        }
    }
    for (int32_t i = 0; i < at->n_spans; i++) {
        const struct skr_role_span *span = at->span[i];
        for (int32_t s = 0; s < span->n_states && !span->left; s++) {
            const struct skr_role_state *state = &span->state[s];
            uint64_t key = span->rows.row[state->row].key;
            for (int32_t scope = 0; scope < rr->n_scopes && state->live; scope++) {
                if (ret[scope]) {
                    skr_bits_set(ret[scope], skr_axes_base(axes, key, scope) +
                                                 state->main * skr_axes_slope(axes, scope));
                }
            }
        }
    }
}

static bool has_choice(const struct skr_role_graph *graph)
{
    for (int32_t level = 1; level <= graph->n_levels; level++) {
        const struct skr_role_level *at = &graph->level[level];
        for (int32_t i = 0; i < at->n_spans; i++) {
            for (int32_t s = 0; s < at->span[i]->n_states; s++) {
                if (at->span[i]->state[s].n_edges > 1) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* The words of a level after the one it was opened with. */
static bool weigh_rest(struct skr_role_graph *graph, struct skr_role_words *words)
{
    struct skr_role_run *rr = graph->rr;
    uint64_t *counts[SKR_SCOPES_MAX];
    if (!skr_role_words_counts(rr, words->level, counts)) {
        return false;
    }
    bool choice = has_choice(graph);
    while (choice || rr->run.plain) {
        live_counts(graph, words->level, counts);
        if (!skr_role_words_next(rr, words, counts)) {
            break;
        }
        skr_role_graph_weigh(graph, words->level, SKR_ROLE_WEIGH_WORD, words);
        choice = skr_role_graph_tighten(graph, words->level);
        if (!skr_role_run_step(rr, rr->run.stats.states_kept)) {
            return false;
        }
    }
    return true;
}

bool skr_role_optimum(struct skr_role_run *rr, const struct skr_role_sets *sets,
                      const int32_t *members, struct skr_role_graph *ret)
{
    *ret = (struct skr_role_graph){.rr = rr};
    struct skr_role_level *first = &ret->level[1];
    first->set = skr_run_alloc(&rr->run, 1, sizeof(struct skr_role_ports *));
    struct skr_role_ports *root = first->set ? add_set(rr, first, sets->inside[0], 1) : NULL;
    if (!root) {
        return false;
    }
    root->n = 1;
    root->port[0] = (struct skr_role_port){.state = -1, .live = true};
    skr_axes_vector(rr, 1, members, &root->port[0].key, &root->port[0].main);
    for (int32_t level = 1; level <= rr->run.tree->n_levels; level++) {
        struct skr_role_words words;
        if (!skr_role_graph_open(ret, &words) || !weigh_rest(ret, &words)) {
            return false;
        }
    }
    for (int32_t level = 1; level <= rr->run.tree->n_levels; level++) {
        const struct skr_law *law = &rr->law[level][rr->n_roles];
        if (rr->run.problem->tie_break == SKR_TIE_TIGHT && law->type == SKR_RULE_PACK &&
            !law->silent) {
            skr_role_graph_weigh(ret, level, SKR_ROLE_WEIGH_ROOM, NULL);
            skr_role_graph_tighten(ret, level);
        }
    }
    return true;
}
