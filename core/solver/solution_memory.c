/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of solutions. */
#include "core/solver/answer.h"

struct skr_solution *skr_solution_create(const struct skr_tree *tree, size_t rows)
{
    /* Counts and keys of each row: at most one run per used unit of a level. */
    size_t most = 64 * 1024 + 64 * (size_t)tree->n_units * rows;
    struct skr_arena *arena = skr_arena_create(most, 0);
    if (!arena) {
        return NULL;
    }
    struct skr_solution *solution = skr_arena_alloc(arena, sizeof *solution);
    if (!solution) {
        skr_arena_destroy(arena);
        return NULL;
    }
    solution->arena = arena;
    return solution;
}

void skr_solution_destroy(struct skr_solution *solution)
{
    if (solution) {
        skr_arena_destroy(solution->arena);
    }
}
