/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Context of a run: laws of the rules, memory under one byte limit, cancellation, room of leaves.
 *
 * Memory: one arena for the time of the run, and one scratch arena at a time for a step. Together
 * they stay below the byte limit of the problem.
 */
#include "core/solver/solve_run.h"

#include "core/solver/axes.h"
#include "core/solver/count_bits.h"
#include "topology/room.h"

struct skr_law skr_law_of(const struct skr_rule *rule, int32_t n)
{
    struct skr_law law = {.type = rule->type,
                          .used = 0,
                          .lo = 1,
                          .hi = n,
                          .factor = 1,
                          .step = 1,
                          .silent = rule->silent};
    if (rule->hard) {
        if (rule->type == SKR_RULE_PACK) {
            law.used = 1;
        } else {
            law.hi = n < 1 ? n : 1;
        }
        return law;
    }
    bool ignored = skr_rule_range_is_void(rule);
    if (rule->min > 0 && !ignored) {
        law.lo = rule->min;
    }
    if (rule->max > 0 && rule->max < n && !ignored) {
        law.hi = rule->max;
    }
    if (rule->factor > 1) {
        law.factor = rule->factor;
    }
    if (rule->partitions > 0) {
        /* More than any group has members: one too many says the same, and used + 1 still fits. */
        law.used = rule->partitions <= SKR_SOLVER_MEMBERS_MAX ? rule->partitions
                                                              : SKR_SOLVER_MEMBERS_MAX + 1;
    }
    return law;
}

bool skr_law_allows(const struct skr_law *law, int32_t x)
{
    return x >= law->lo && x <= law->hi && x % law->factor == 0;
}

bool skr_law_allows_all(const struct skr_law *law, int32_t n)
{
    return law->lo == 1 && law->hi >= n && law->factor == 1;
}

void skr_law_counts(const struct skr_law *law, int32_t n, uint64_t *bits)
{
    int64_t first = ((int64_t)law->lo + law->factor - 1) / law->factor * law->factor;
    int32_t last = law->hi < n ? law->hi : n;
    if (first <= last) {
        skr_bits_set_progression(bits, (int32_t)first, last, law->factor);
    }
    skr_bits_set(bits, 0);
}

/* A unit holds a multiple of its level's factor that is a sum of multiples of the step below. If
 * the least common multiple of both is beyond n, only 0 is left, and either of them will do. */
static void find_steps(struct skr_run *run)
{
    int32_t below = 1;
    for (int32_t level = run->tree->n_levels; level >= 1; level--) {
        struct skr_law *law = &run->law[level];
        int64_t both = (int64_t)law->factor / skr_common_divisor(law->factor, below) * below;
        law->step = both <= run->n ? (int32_t)both : law->factor;
        below = law->step;
    }
}

static bool init(struct skr_run *run, const struct skr_problem *problem, size_t byte_limit)
{
    *run = (struct skr_run){
        .problem = problem,
        .tree = problem->tree,
        .n = problem->n,
        .plain = problem->no_fast_paths,
        .byte_limit = byte_limit,
    };
    for (int32_t level = 1; level <= run->tree->n_levels; level++) {
        run->law[level] = skr_law_of(&problem->rule[level - 1], run->n);
    }
    find_steps(run);
    run->arena = skr_arena_create(run->byte_limit, (size_t)64 * 1024);
    if (!run->arena) {
        run->stop = SKR_RUN_NO_MEMORY;
        return false;
    }
    run->steps_left = INT64_MAX;
    run->n_roles = run->n_scopes = 1;
    run->sizes = &run->n;
    run->bits_tmp = skr_run_alloc(run, (size_t)run->n / 64 + 1, sizeof(uint64_t));
    for (int32_t level = 1; level <= run->tree->n_levels; level++) {
        run->laws[level] = &run->law[level];
        if (!skr_law_allows_all(&run->law[level], run->n)) {
            uint64_t *bits = skr_run_alloc(run, (size_t)run->n / 64 + 1, sizeof *bits);
            if (bits) {
                skr_law_counts(&run->law[level], run->n, bits);
            }
            run->allowed[level] = bits;
        }
    }
    run->axes = skr_axes_of_equals(run);
    return run->stop == SKR_RUN_GOES_ON;
}

bool skr_run_init(struct skr_run *run, const struct skr_problem *problem)
{
    return init(run, problem,
                problem->byte_limit != 0 ? problem->byte_limit : SKR_SOLVER_BYTES_MAX);
}

/* Both arenas only grow until scratch is released. */
static void note_peak(struct skr_run *run)
{
    size_t used = skr_arena_used(run->arena);
    if (run->scratch) {
        used += skr_arena_used(run->scratch);
    }
    if ((int64_t)used > run->stats.peak_bytes) {
        run->stats.peak_bytes = (int64_t)used;
    }
}

void skr_run_fini(struct skr_run *run)
{
    if (run->arena) {
        note_peak(run);
    }
    skr_run_scratch_end(run);
    skr_arena_destroy(run->arena);
    run->arena = NULL;
}

static size_t bytes_left(const struct skr_run *run)
{
    size_t used = skr_arena_used(run->arena);
    if (run->scratch) {
        used += skr_arena_used(run->scratch);
    }
    return used < run->byte_limit ? run->byte_limit - used : 0;
}

bool skr_run_begin_inner(const struct skr_run *outer, const struct skr_problem *problem,
                         struct skr_run *inner)
{
    size_t left = bytes_left(outer);
    return init(inner, problem, left > 0 ? left : 1) && skr_run_poll(inner);
}

void skr_run_end_inner(struct skr_run *outer, struct skr_run *inner)
{
    skr_run_fini(inner);
    struct skr_solve_stats *stats = &outer->stats;
    int64_t peak = (int64_t)skr_arena_used(outer->arena) + inner->stats.peak_bytes;
    stats->units_visited += inner->stats.units_visited;
    stats->merges += inner->stats.merges;
    stats->merges_of_runs += inner->stats.merges_of_runs;
    stats->states_kept += inner->stats.states_kept;
    stats->peak_bytes = peak > stats->peak_bytes ? peak : stats->peak_bytes;
}

static void *alloc_from(struct skr_run *run, struct skr_arena *arena, size_t n, size_t size)
{
    if (run->stop != SKR_RUN_GOES_ON) {
        return NULL;
    }
    void *memory = skr_arena_array(arena, n, size);
    if (!memory) {
        size_t left = bytes_left(run);
        /* An arena pads what it hands out; the last few bytes before the limit count as reached. */
        bool fits = size == 0 || n < left / size;
        run->stop = fits && left > 4096 ? SKR_RUN_NO_MEMORY : SKR_RUN_BYTE_LIMIT;
    }
    return memory;
}

void *skr_run_alloc(struct skr_run *run, size_t n, size_t size)
{
    return alloc_from(run, run->arena, n, size);
}

bool skr_run_scratch_begin(struct skr_run *run)
{
    if (run->stop != SKR_RUN_GOES_ON) {
        return false;
    }
    run->scratch = skr_arena_create(bytes_left(run), (size_t)64 * 1024);
    if (!run->scratch) {
        run->stop = SKR_RUN_NO_MEMORY;
    }
    return run->scratch;
}

void *skr_run_scratch_alloc(struct skr_run *run, size_t n, size_t size)
{
    return alloc_from(run, run->scratch, n, size);
}

void skr_run_scratch_end(struct skr_run *run)
{
    if (run->scratch) {
        note_peak(run);
        skr_arena_destroy(run->scratch);
        run->scratch = NULL;
    }
}

bool skr_run_poll(struct skr_run *run)
{
    const atomic_bool *cancel = run->problem->cancel;
    if (cancel && atomic_load_explicit(cancel, memory_order_relaxed) &&
        run->stop == SKR_RUN_GOES_ON) {
        run->stop = SKR_RUN_CANCELLED;
    }
    return run->stop == SKR_RUN_GOES_ON;
}

bool skr_run_step(struct skr_run *run, int64_t steps)
{
    run->steps_left -= steps;
    return run->steps_left >= 0 && skr_run_poll(run);
}

int32_t skr_leaf_room(const struct skr_problem *problem, const int64_t *amounts, int32_t leaf)
{
    return (int32_t)skr_room_holds_all(amounts + (size_t)leaf * problem->n_resources,
                                       problem->demand, problem->n_resources, INT32_MAX);
}

/* The most that a leaf with this room can hold; what is claimed stays, whatever its bounds. */
static int32_t most_of(const struct skr_problem *problem, int32_t leaf, int32_t claimed,
                       int32_t room)
{
    int32_t most = room < problem->n - claimed ? claimed + room : problem->n;
    if (problem->bounds && problem->bounds[problem->tree->first_leaf + leaf].most < most) {
        most = problem->bounds[problem->tree->first_leaf + leaf].most;
        most = most > claimed ? most : claimed;
    }
    return most;
}

struct skr_leaf skr_leaf_of(const struct skr_problem *problem, int32_t leaf)
{
    struct skr_leaf ret = {.least = skr_leaf_claimed(problem, leaf)};
    ret.room = skr_leaf_eligible(problem, leaf) ? skr_leaf_room(problem, problem->free, leaf) : 0;
    ret.most = most_of(problem, leaf, ret.least, ret.room);
    return ret;
}

void skr_leaves_of(const struct skr_problem *problem, int32_t *least, int32_t *most, int32_t *room)
{
    /* Resource by resource, so that a leaf costs no calls and few branches. */
    size_t n_leaves = (size_t)problem->tree->n_leaves;
    for (size_t leaf = 0; leaf < n_leaves; leaf++) {
        most[leaf] = INT32_MAX;
    }
    for (size_t r = 0; r < problem->n_resources; r++) {
        const int64_t *amount = problem->free + r;
        int64_t demand = problem->demand[r];
        for (size_t leaf = 0; leaf < n_leaves && demand > 0; leaf++) {
            int64_t fits = skr_room_holds(amount[leaf * problem->n_resources], demand);
            most[leaf] = fits < most[leaf] ? (int32_t)fits : most[leaf];
        }
    }
    for (size_t leaf = 0; leaf < n_leaves; leaf++) {
        int32_t new = skr_leaf_eligible(problem, (int32_t)leaf) ? most[leaf] : 0;
        int32_t claimed = skr_leaf_claimed(problem, (int32_t)leaf);
        if (room) {
            room[leaf] = new;
        }
        least[leaf] = claimed;
        most[leaf] = most_of(problem, (int32_t)leaf, claimed, new);
    }
}

const int64_t *skr_leaf_sums(struct skr_run *run, const int32_t *leaf)
{
    const struct skr_tree *tree = run->tree;
    int64_t *sum = skr_run_alloc(run, (size_t)tree->n_units, sizeof *sum);
    for (int32_t unit = tree->n_units - 1; unit > 0 && sum; unit--) {
        if (unit >= tree->first_leaf) {
            sum[unit] = leaf[unit - tree->first_leaf];
        }
        sum[tree->parent[unit]] += sum[unit];
    }
    return sum;
}
