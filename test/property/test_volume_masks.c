/* SPDX-License-Identifier: Apache-2.0 */
/* Members whose volumes are on some leaves alone: the rules of core/volume/masks.h let the solver find a
 * placement if and only if one exists in which every member has its place. Against an enumeration of all
 * counts and all deals. */
#include <string.h>

#include "core/solver/solver.h"
#include "core/volume/masks.h"
#include "test/property/trial.h"
#include "test/test.h"
#include "topology/base/arena.h"

enum { MASKS = 4, MEMBERS = 64 };

struct world {
    struct instance in;
    struct skr_volume_mask mask[MASKS];
    size_t n_masks;
    int32_t leaf[MASKS][INSTANCE_LEAVES_MAX];
    int32_t of[MEMBERS]; /* -1: any leaf */
    int32_t n;           /* new members */
    struct skr_domain_rule rule[SKR_DOMAIN_RULES_MAX];
    size_t n_rules;
    bool exact;
};

static bool in_mask(const struct skr_volume_mask *mask, int32_t leaf)
{
    int32_t i = 0;
    while (i < mask->n && mask->leaf[i] != leaf) {
        i++;
    }
    return i < mask->n;
}

/* Open leaves below a random unit, or any open leaves. */
static void draw_mask(struct world *w, size_t m, bool nests, struct random *random)
{
    const struct skr_tree *tree = &w->in.tree;
    struct skr_volume_mask *mask = &w->mask[m];
    const int32_t level = 1 + random_below(random, tree->n_levels);
    const int32_t at = random_below(random, tree->n_leaves);
    mask->leaf = w->leaf[m];
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const bool below = skr_tree_unit_at(tree, leaf, level) == skr_tree_unit_at(tree, at, level);
        if (w->in.eligible[0][leaf] && (nests ? below : random_percent(random, 45))) {
            w->leaf[m][mask->n++] = leaf;
        }
    }
}

static bool is_new(const struct world *w, size_t m)
{
    bool is = w->mask[m].n > 0;
    for (size_t i = 0; i < m; i++) {
        is = is && (w->mask[i].n != w->mask[m].n ||
                    memcmp(w->leaf[i], w->leaf[m], (size_t)w->mask[m].n * sizeof(int32_t)) != 0);
    }
    return is;
}

/* False: the problem has no members to speak of. */
static bool draw(struct world *w, uint64_t index, struct skr_arena *arena)
{
    struct random random = {trial.seed * 15485863 + index};
    memset(w, 0, sizeof *w);
    instance_make(&w->in, trial.seed + 4000037, index, &trial_tiny);
    w->in.problem.bounds = NULL;
    w->in.problem.explain = random_percent(&random, 20);
    w->n = w->in.problem.n;
    for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
        w->n -= w->in.claimed[0][leaf];
    }
    const bool nests = random_percent(&random, 50);
    const size_t n = 1 + (size_t)random_below(&random, MASKS);
    for (size_t i = 0; i < n; i++) {
        draw_mask(w, w->n_masks, nests, &random);
        if (is_new(w, w->n_masks)) {
            w->n_masks++;
        } else {
            w->mask[w->n_masks] = (struct skr_volume_mask){0};
        }
    }
    if (w->n <= 0 || w->n > MEMBERS || w->n_masks == 0) {
        return false;
    }
    bool any = false;
    for (int32_t i = 0; i < w->n; i++) {
        w->of[i] = random_percent(&random, 20) ? -1 : random_below(&random, (int32_t)w->n_masks);
        any = any || w->of[i] < 0;
        if (w->of[i] >= 0) {
            w->mask[w->of[i]].members++;
        }
    }
    for (int32_t leaf = 0; leaf < w->in.tree.n_leaves && !any; leaf++) {
        bool used = false;
        for (size_t m = 0; m < w->n_masks; m++) {
            used = used || (w->mask[m].members > 0 && in_mask(&w->mask[m], leaf));
        }
        w->in.eligible[0][leaf] = used ? w->in.eligible[0][leaf] : 0;
    }
    assert_true(skr_volume_masks_rules(&w->in.tree, w->mask, w->n_masks, w->in.eligible[0], 0,
                                       arena, w->rule, &w->n_rules, &w->exact));
    return true;
}

/* Whether members i .. have places, by trying all. */
static bool can_deal(const struct world *w, int32_t i, int32_t *place)
{
    if (i == w->n) {
        return true;
    }
    for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
        if (place[leaf] > 0 && (w->of[i] < 0 || in_mask(&w->mask[w->of[i]], leaf))) {
            place[leaf]--;
            const bool can = can_deal(w, i + 1, place);
            place[leaf]++;
            if (can) {
                return true;
            }
        }
    }
    return false;
}

static int32_t claims_on(const struct world *w, int32_t leaf)
{
    return w->in.claimed[0][leaf];
}

static bool find(const struct world *w, int32_t leaf, int32_t left, int32_t *count)
{
    if (leaf == w->in.tree.n_leaves) {
        int32_t place[INSTANCE_LEAVES_MAX];
        for (int32_t i = 0; i < leaf; i++) {
            place[i] = count[i] - claims_on(w, i);
        }
        return left == 0 && skr_solution_check(&w->in.problem, count, NULL) == 0 &&
               can_deal(w, 0, place);
    }
    for (int32_t k = 0; k <= left; k++) {
        count[leaf] = claims_on(w, leaf) + k;
        if (count[leaf] > instance_fit(&w->in, leaf) && k > 0) {
            break;
        }
        if (find(w, leaf + 1, left - k, count)) {
            return true;
        }
    }
    return false;
}

static void deal_all(const struct world *w, const int32_t *count)
{
    int32_t place[INSTANCE_LEAVES_MAX], of[MEMBERS], leaf[MEMBERS];
    size_t k = 0;
    for (int32_t i = 0; i < w->in.tree.n_leaves; i++) {
        place[i] = count[i] - claims_on(w, i);
    }
    for (int32_t i = 0; i < w->n; i++) {
        of[k] = w->of[i];
        k += w->of[i] >= 0;
    }
    skr_volume_masks_deal(w->mask, of, k, w->in.tree.n_leaves, place, leaf);
    for (size_t i = 0; i < k; i++) {
        if (leaf[i] < 0 || !in_mask(&w->mask[of[i]], leaf[i])) {
            trial_fail(&w->in, "a member has no place");
        }
    }
    for (int32_t i = 0; i < w->in.tree.n_leaves; i++) {
        assert_true(place[i] >= 0);
    }
}

TEST(a_placement_is_found_if_and_only_if_every_member_has_a_place)
{
    trial_begin("volume masks");
    uint64_t placed = 0, infeasible = 0, undecided = 0;
    EACH_TRIAL(trial.n)
    {
        SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create((size_t)1 << 26, 0);
        struct world w;
        struct skr_error error;
        if (!draw(&w, trial.at, arena)) {
            continue;
        }
        struct skr_problem problem = w.in.problem;
        problem.domain_rule = w.rule;
        problem.n_domain_rules = w.n_rules;
        SKR_AUTO(skr_solution_destroy) struct skr_solution *s = NULL;
        assert_int_equal(skr_solve(&problem, &s, &error), 0);
        int32_t count[INSTANCE_LEAVES_MAX];
        if (s->status == SKR_SOLVE_PLACED) {
            placed++;
            if (w.exact) {
                deal_all(&w, s->count);
            }
        } else if (s->domains.n_rules > 0 && !s->domains.proven) {
            undecided++; /* masks that overlap, and a search that reached its limit */
        } else if (find(&w, 0, w.n, count)) {
            struct oracle_answer found = {.feasible = true};
            memcpy(found.count[0], count, sizeof count);
            trial_differ(&w.in, "a placement was not found", &found, NULL);
        } else {
            infeasible++;
        }
    }
    printf("%d placed, %d not, %d undecided\n", (int)placed, (int)infeasible, (int)undecided);
    assert_true(undecided * 100 <= trial.n);
}
