/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_PLACEMENT_KEY_H
#define SKR_CORE_SOLVER_PLACEMENT_KEY_H
/* Keys of single levels. Internal to the solver; placements have skr_placement_key(). */
#include "core/solver/solution.h"
#include "topology/base/arena.h"

/* Key of the counts that are > 0 among n of them, runs in arena; list is working space for n. False
 * without memory. */
bool skr_key_of_counts(const int32_t *count, int32_t n, int32_t *list, struct skr_arena *arena,
                       struct skr_level_key *ret);

/* Keys of one level of this type; < 0: a is better. */
int skr_level_key_compare(enum skr_rule_type type, const struct skr_level_key *a,
                          const struct skr_level_key *b);

#endif
