/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_BENCH_REFERENCE_H
#define SKR_TEST_BENCH_REFERENCE_H
/*
 * Another solver, asked through a pipe: the program `sakkara-bench` in a folder of the user's,
 * which knows the other solver (docs/benchmarks.md says what it has to do). One line of JSON each
 * way:
 *
 *   {"children": [...], "demand": [...], "capacity": [...], "free": [...], "n": 4, "repeat": 5,
 *    "rules": [{"type": "pack", "hard": false, "partitions": 0, "min": 0, "max": 0, "factor": 0}]}
 *   {"microseconds": 3.7, "counts": [...]}
 */
#include "core/solver/solver.h"

struct reference;

struct reference_answer {
    double us;
    bool placed;
    int32_t *count; /* [n_leaves], of the reference, until the next question */
};

/* NULL: there is no such program; *ret_why says why. */
struct reference *reference_open(const char *folder, const char **ret_why);
void reference_close(struct reference *reference); /* NULL allowed */
/* Ends this program when the other one has died or answers nonsense. */
struct reference_answer reference_solve(struct reference *reference,
                                        const struct skr_problem *problem, int repeat);

#endif
