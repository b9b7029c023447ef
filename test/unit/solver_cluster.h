/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_SOLVER_CLUSTER_H
#define SKR_TEST_UNIT_SOLVER_CLUSTER_H
/* Made-up clusters for the solver, its benchmarks too: regular trees, loads by a fixed generator. */
#include "core/solver/solver.h"

enum { CLUSTER_LEVELS_MAX = 8 };

struct cluster {
    struct skr_tree tree;
    int32_t *arrays; /* parent, child_first, child_count */
    int64_t *free;
    int64_t *capacity;
    int64_t demand[1];
    uint64_t random;
};

/* fanout[i] children below every unit of level i; every node holds room members when it is empty,
 * and is empty. */
void cluster_init(struct cluster *c, const int32_t *fanout, int32_t n_levels, int64_t room);
void cluster_fini(struct cluster *c);
/* Free slots of every node: 0 .. room, evenly. */
void cluster_load(struct cluster *c, uint64_t seed);
/* Loads of percent % full nodes, the rest empty or, one in ten, anything between. */
void cluster_load_whole(struct cluster *c, uint64_t seed, int32_t percent);
uint64_t cluster_random(struct cluster *c);
/* n members on it, no claims. */
struct skr_problem cluster_problem(struct cluster *c, const struct skr_rule *rules, int32_t n);

/* Memory that was freed stays with the process, as in one that solves all day. */
void cluster_keep_memory(void);
/* CPU time of this process, so that neighbours matter less. */
double cluster_now_us(void);

#endif
