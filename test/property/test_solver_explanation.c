/* SPDX-License-Identifier: Apache-2.0 */
/* What the solver reports beside the answer is true, complete and minimal. */
#include "test/property/trial.h"
#include "test/test.h"

static bool is_feasible(const struct instance *in)
{
    int32_t cost[128];
    dp_costs(in, NULL, cost);
    return cost[in->problem.n] == 0;
}

/* ---- sizes ---- */

static void check_sizes(const struct instance *in, const struct skr_explanation *got)
{
    struct instance twice;
    int32_t cost[128];
    bool listed[128] = {false};
    instance_copy(&twice, in);
    twice.problem.n = 2 * in->problem.n;
    dp_costs(&twice, NULL, cost);
    if ((got->parts & SKR_EXPLAIN_SIZES) == 0 || got->sizes_first != 1 ||
        got->sizes_last != twice.problem.n) {
        trial_fail(in, "sizes are not complete");
    }
    for (size_t i = 0; i < got->n_sizes; i++) {
        if (i > 0 && got->size[i].first <= got->size[i - 1].last + 1) {
            trial_fail(in, "ranges of sizes touch");
        }
        for (int32_t x = got->size[i].first; x <= got->size[i].last; x++) {
            listed[x] = true;
        }
    }
    for (int32_t x = 1; x <= twice.problem.n; x++) {
        if (listed[x] != (cost[x] == 0)) {
            trial_fail(in, "a size is wrong");
        }
    }
}

/* ---- slots ---- */

static void check_slots(const struct instance *in, const struct skr_explanation *got)
{
    int32_t cost[128];
    int32_t most[INSTANCE_LEAVES_MAX];
    bool bounded = in->problem.capacity && got->class != SKR_CLASS_NEVER_FITS;
    if (bounded) {
        struct instance empty;
        instance_empty(&empty, in);
        for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
            /* Claims use capacity. */
            int64_t room = instance_room(&empty, 0, leaf) + in->claimed[0][leaf];
            most[leaf] = room < in->problem.n ? (int32_t)room : in->problem.n;
        }
    }
    dp_costs(in, bounded ? most : NULL, cost);
    int32_t want = cost[in->problem.n] >= DP_NO_COST ? -1 : cost[in->problem.n];
    if ((got->parts & SKR_EXPLAIN_SLOTS) == 0 || got->slots != want) {
        printf("  slots %d, expected %d\n", got->slots, want);
        trial_fail(in, "missing slots are wrong");
    }
    if (want <= 0 || got->n_slot_leaves > SKR_MISSING_SLOTS_MAX) {
        return;
    }
    struct instance grown;
    instance_copy(&grown, in);
    int32_t sum = 0;
    for (size_t i = 0; i < got->n_slot_leaves; i++) {
        int32_t leaf = got->slot[i].leaf;
        sum += got->slot[i].slots;
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            int64_t free = in->demand[0][r] * (instance_room(in, 0, leaf) + got->slot[i].slots);
            int64_t *amount = &grown.free[leaf * INSTANCE_RESOURCES + r];
            *amount = *amount > free ? *amount : free;
        }
    }
    if (sum != want || !is_feasible(&grown)) {
        trial_fail(in, "with the missing slots it is not feasible");
    }
}

/* ---- relaxations ---- */

struct atoms {
    struct skr_relaxation_atom item[INSTANCE_LEVELS_MAX * SKR_RELAXATION_KIND_COUNT];
    int32_t n;
};

static int32_t *number_of(struct skr_rule *rule, enum skr_relaxation_kind kind)
{
    return kind == SKR_RELAX_MAX      ? &rule->max
           : kind == SKR_RELAX_MIN    ? &rule->min
           : kind == SKR_RELAX_FACTOR ? &rule->factor
                                      : &rule->partitions;
}

static void list_atoms(const struct instance *in, struct atoms *ret)
{
    ret->n = 0;
    for (int32_t level = in->tree.n_levels; level >= 1; level--) {
        struct skr_rule rule = in->rule[level - 1];
        bool crossed = rule.min > 0 && rule.max > 0 && rule.min > rule.max;
        const bool there[] = {rule.hard, rule.max > 0 && !crossed, rule.min > 0 && !crossed,
                              rule.factor > 1, rule.partitions > 0};
        for (int kind = 0; kind < SKR_RELAXATION_KIND_COUNT; kind++) {
            if (there[kind]) {
                ret->item[ret->n++] = (struct skr_relaxation_atom){
                    .level = level, .kind = (enum skr_relaxation_kind)kind};
            }
        }
    }
}

/* Without the atoms of the set, but with value for the number of one of them. */
static bool feasible_without(const struct instance *in, const struct atoms *atoms, uint32_t set,
                             int32_t kept, int32_t value)
{
    struct instance other;
    instance_copy(&other, in);
    for (int32_t i = 0; i < atoms->n; i++) {
        struct skr_rule *rule = &other.rule[atoms->item[i].level - 1];
        if ((set >> i & 1) == 0) {
            continue;
        }
        if (atoms->item[i].kind == SKR_RELAX_HARD) {
            rule->hard = false;
        } else {
            *number_of(rule, atoms->item[i].kind) = i == kept ? value : 0;
        }
    }
    return is_feasible(&other);
}

static int32_t bits_in(uint32_t set)
{
    int32_t n = 0;
    for (; set != 0; set &= set - 1) {
        n++;
    }
    return n;
}

/* < 0: a comes first. */
static int32_t set_order(uint32_t a, uint32_t b)
{
    while (a != b) {
        uint32_t low_a = a & (~a + 1);
        uint32_t low_b = b & (~b + 1);
        if (low_a != low_b) {
            return low_a < low_b ? -1 : 1;
        }
        a ^= low_a;
        b ^= low_b;
    }
    return 0;
}

static int32_t nearest(const struct instance *in, const struct atoms *atoms, uint32_t set,
                       int32_t at)
{
    struct skr_rule rule = in->rule[atoms->item[at].level - 1];
    enum skr_relaxation_kind kind = atoms->item[at].kind;
    if (kind == SKR_RELAX_HARD) {
        return 0;
    }
    int32_t have = *number_of(&rule, kind);
    for (int32_t by = 1; by <= 2 * in->problem.n + have + 8; by++) {
        const int32_t candidate[] = {have - by, have + by};
        for (int32_t c = 0; c < 2; c++) {
            bool down = c == 0;
            if ((kind == SKR_RELAX_MAX && down) || (kind == SKR_RELAX_MIN && !down) ||
                (kind == SKR_RELAX_FACTOR && !down) || candidate[c] < 1) {
                continue;
            }
            if (feasible_without(in, atoms, set, at, candidate[c])) {
                /* A max beyond n is as good as n. */
                return kind == SKR_RELAX_MAX && candidate[c] > in->problem.n ? in->problem.n
                                                                             : candidate[c];
            }
        }
    }
    return 0;
}

static void check_relaxations(const struct instance *in, const struct skr_explanation *got)
{
    struct atoms atoms;
    list_atoms(in, &atoms);
    uint32_t found[1 << 12];
    size_t n_found = 0;
    int32_t size = 0;
    while (size < atoms.n && n_found == 0) {
        size++;
        for (uint32_t set = 1; set < UINT32_C(1) << atoms.n; set++) {
            if (bits_in(set) == size && feasible_without(in, &atoms, set, -1, 0)) {
                found[n_found++] = set;
            }
        }
    }
    if (size > SKR_RELAXATION_ATOMS_MAX) {
        n_found = 0; /* more than are reported */
    } else if ((got->parts & SKR_EXPLAIN_RELAXATIONS) == 0 && n_found <= SKR_RELAXATIONS_MAX) {
        trial_fail(in, "relaxations are not complete");
    }
    if (n_found != got->n_relaxations) {
        printf("  %zu relaxations, expected %zu\n", got->n_relaxations, n_found);
        trial_fail(in, "number of relaxations is wrong");
    }
    for (size_t i = 0; i < n_found; i++) {
        size_t first = i;
        for (size_t j = i + 1; j < n_found; j++) {
            first = set_order(found[j], found[first]) < 0 ? j : first;
        }
        uint32_t set = found[first];
        found[first] = found[i];
        size_t a = 0;
        for (int32_t at = 0; at < atoms.n; at++) {
            if ((set >> at & 1) == 0) {
                continue;
            }
            const struct skr_relaxation_atom *atom = &got->relaxation[i].atom[a++];
            if (atom->level != atoms.item[at].level || atom->kind != atoms.item[at].kind) {
                trial_fail(in, "a relaxation is wrong");
            }
            int32_t value = nearest(in, &atoms, set, at);
            if (atom->value != value) {
                printf("  level %d kind %d: %d, expected %d\n", atom->level, (int)atom->kind,
                       atom->value, value);
                trial_fail(in, "nearest value is wrong");
            }
        }
        if (a != got->relaxation[i].n_atoms) {
            trial_fail(in, "a relaxation has other atoms");
        }
    }
}

/* ---- keys ---- */

static void check_keys(const struct instance *in, const struct skr_solution *got)
{
    int32_t list[INSTANCE_UNITS_MAX];
    struct instance cleared;
    instance_copy(&cleared, in);
    memcpy(cleared.free, in->capacity, sizeof cleared.free);
    memset(cleared.claimed, 0, sizeof cleared.claimed);
    bool complete = true;
    for (int32_t level = 1; level <= in->tree.n_levels; level++) {
        int32_t used = enumerator_best_level(in, level, list);
        if (!trial_key_is(&got->best_alone[level - 1], list, used)) {
            trial_fail(in, "best key of a level alone is wrong");
        }
        if (in->problem.capacity) {
            used = enumerator_best_level(&cleared, level, list);
            complete = complete && used > 0;
            if (!trial_key_is(&got->best_empty[level - 1], list, used)) {
                trial_fail(in, "best key of a level on an empty cluster is wrong");
            }
        }
    }
    if (complete != ((got->explanation.parts & SKR_EXPLAIN_KEYS) != 0)) {
        trial_fail(in, "keys are not complete");
    }
}

/* ---- tests ---- */

TEST(infeasible_problems_are_explained_in_full)
{
    uint64_t n_relaxed = 0;
    EACH_TRIAL(trial.n)
    {
        struct instance in;
        instance_make(&in, trial.seed + 20, trial.at, &trial_small);
        in.problem.explain = true;
        in.problem.explain_parts = SKR_EXPLAIN_ALL;
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = trial_solve(&in);
        trial_check_answer(&in, got);
        const struct skr_explanation *x = &got->explanation;
        if (got->status == SKR_SOLVE_INFEASIBLE) {
            check_sizes(&in, x);
            check_slots(&in, x);
            check_relaxations(&in, x);
            n_relaxed += x->n_relaxations > 0 ? 1 : 0;
        } else if (in.problem.n > 0) {
            check_sizes(&in, x);
        }
    }
    assert_true(trial.n < 100 || n_relaxed > trial.n / 20);
}

TEST(placed_problems_are_compared_with_the_best_of_each_level)
{
    EACH_TRIAL(trial_share(2))
    {
        struct instance in;
        instance_make(&in, trial.seed + 21, trial.at, &trial_tiny);
        in.problem.explain = true;
        in.problem.explain_parts = SKR_EXPLAIN_KEYS;
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = trial_solve(&in);
        if (got->status == SKR_SOLVE_PLACED && in.problem.n > 0) {
            check_keys(&in, got);
        }
    }
}

/* A part that meets a limit is not marked, and changes nothing else. */
TEST(limits_leave_parts_out_and_never_change_the_answer)
{
    EACH_TRIAL(trial.n < 200 ? trial.n : 200)
    {
        struct instance in;
        instance_make(&in, trial.seed + 22, trial.at, &trial_small);
        in.problem.explain = true;
        SKR_AUTO(skr_solution_destroy) struct skr_solution *want = trial_solve(&in);
        in.problem.explain_parts = SKR_EXPLAIN_ALL;
        in.problem.step_budget = 1;
        for (in.problem.byte_limit = 30000; in.problem.byte_limit < 3000000;
             in.problem.byte_limit += in.problem.byte_limit / 2) {
            struct skr_solution *got = NULL;
            if (skr_solve(&in.problem, &got, NULL) != 0) {
                continue;
            }
            if (got->status != want->status || got->explanation.class != want->explanation.class ||
                got->explanation.largest != want->explanation.largest ||
                got->explanation.n_relaxations > 1) {
                trial_fail(&in, "a limit changed the answer");
            }
            skr_solution_destroy(got);
        }
    }
}

BEFORE_ALL
{
    trial_begin("solver explanation");
}
