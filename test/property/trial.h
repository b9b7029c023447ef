/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_TRIAL_H
#define SKR_TEST_PROPERTY_TRIAL_H
/*
 * Trials: random problems by number, the solver on them, and failures that can be played again.
 *
 * Environment: SEED (default 1), N (problems, default 10000), FIRST (index of the first, default
 * 0). A failure prints both numbers and the problem, and leaves a problem of equal members as a file
 * for `sakkara solve` in KEEP (default: /tmp). A problem is made smaller first where the oracles alone
 * see that it is wrong; SEED=s FIRST=i N=1 plays it again. Files in test/solve/known are played with
 * every run: one that failed goes there and stays.
 */
#include "test/property/oracle.h"

struct trial {
    uint64_t seed;
    uint64_t first;
    uint64_t n;
    uint64_t at; /* the one that is played */
};

extern struct trial trial;

/* So many problems from the first on. */
#define EACH_TRIAL(n_) for (trial.at = trial.first; trial.at < trial.first + (n_); trial.at++)

extern const struct instance_shape trial_tiny;  /* for the enumerator */
extern const struct instance_shape trial_small; /* for the dp */
/* Keys that do not fit into one 64-bit word. */
extern const struct instance_shape trial_medium;
/* Beyond the oracles. */
extern const struct instance_shape trial_large, trial_wide;

/* Reads the environment, prints it after name. */
void trial_begin(const char *name);
/* N / part, 1 at least. */
uint64_t trial_share(uint64_t part);
/* Ends the test. */
void trial_fail(const struct instance *in, const char *what);
/* The same, with two answers (NULL: none). */
void trial_differ(const struct instance *in, const char *what, const struct oracle_answer *want,
                  const struct oracle_answer *got);

/* Whether the solver's answer differs from the oracle's: with and without fast paths. Above the
 * oracle's size (members, leaves) the two are compared with each other. */
bool trial_is_wrong(const struct instance *in);
/* Makes the problem smaller while it fails. Returns the number of changes. */
int32_t instance_shrink(struct instance *in, bool (*fails)(const struct instance *));

/* The solver's answer; a failure when it has none. */
struct skr_solution *trial_solve(const struct instance *in);
void trial_answer(const struct instance *in, const struct skr_solution *got,
                  struct oracle_answer *ret);
/* Both in one step. */
void trial_solve_answer(const struct instance *in, struct oracle_answer *ret);
/* Infeasible ones are equal. */
bool trial_answers_equal(const struct oracle_answer *a, const struct oracle_answer *b);
/* The same status and, if they are placed, the same key of the group. */
bool trial_keys_equal(const struct instance *in, const struct skr_solution *a,
                      const struct skr_solution *b);
/* Whether the key has these amounts of used units, greatest first. */
bool trial_key_is(const struct skr_level_key *key, const int32_t *amount, int32_t used);
/* What holds for every answer whatever the problem. */
void trial_check_answer(const struct instance *in, const struct skr_solution *got);
/* The answer is the oracle's, ties included. */
void trial_check_against(const struct instance *in, const struct skr_solution *got,
                         const struct oracle_answer *want);
/* Both problems have the answer of the first, else the test ends. */
void trial_check_same(const struct instance *in, const struct instance *other, const char *what);

#endif
