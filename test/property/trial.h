/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_TRIAL_H
#define SKR_TEST_PROPERTY_TRIAL_H
/*
 * Trials: random problems by number, the solver on them, and failures that can be played again.
 *
 * Environment: SEED (default 1), N (problems, default 10000), FIRST (index of the first, default
 * 0). A failure prints both numbers and the problem, and leaves it as a file for `sakkara solve` in
 * KEEP (default: /tmp), made smaller where the oracles alone see that it is wrong; SEED=s FIRST=i
 * N=1 plays it again. Files in test/solve/known are played with every run: one that failed goes
 * there and stays.
 */
#include "test/property/oracle.h"

struct attempt {
    uint64_t seed;
    uint64_t first;
    uint64_t n;
};

extern struct attempt attempt;

extern const struct instance_limits attempt_tiny;  /* for the enumerator */
extern const struct instance_limits attempt_small; /* for the plain DP */
/* Keys that do not fit into one 64-bit word. */
extern const struct instance_limits attempt_medium;
/* Beyond the oracles. */
extern const struct instance_limits attempt_large;

/* Reads the environment, prints it after name. */
void attempt_begin(const char *name);
/* Ends the test. */
void attempt_fail(const struct instance *in, uint64_t index, const char *what);

/* Whether the solver's answer differs from the oracles': with and without fast paths. Above their
 * size (members, leaves, children) the two are compared with each other. */
bool attempt_is_wrong(const struct instance *in);
/* Makes the problem smaller while it fails. Returns the number of changes. */
int32_t instance_shrink(struct instance *in, bool (*fails)(const struct instance *));

/* The solver's answer; a failure when it has none. */
struct skr_solution *attempt_solve(const struct instance *in, uint64_t index);
bool attempt_keys_equal(const struct skr_tree *tree, const struct skr_level_key *a,
                        const struct skr_level_key *b);
/* What holds for every answer whatever the problem. */
void attempt_check_answer(const struct instance *in, uint64_t index,
                          const struct skr_solution *got);
/* The answer is the oracle's, ties included. */
void attempt_check_against(const struct instance *in, uint64_t index,
                           const struct skr_solution *got, const struct oracle_answer *want);
void attempt_print_counts(const char *who, const int32_t *count, int32_t n);

#endif
