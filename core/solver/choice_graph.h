/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_CHOICE_GRAPH_H
#define SKR_CORE_SOLVER_CHOICE_GRAPH_H
/*
 * The choice graph: all placements that are still possible, written down once.
 *
 *   state   a span holds this total (of this many used units). A state of a pair lists edges: the
 *           ways to split it into a state of the left and a state of the right half. A state of an
 *           inner unit with a total > 0 points to a port.
 *   port    a sibling set holds this total; it stands for the state of the whole set.
 *
 * A placement is a walk from the root's port: at every pair take one edge, at every port go on to
 * the state behind it. In the beginning the walks are all valid placements. A *weighing* gives
 * every count of one level a weight: a few digits of the key (weight_words.h). It computes from
 * below the least weight that each state can have, and drops the edges that do not reach it. The
 * walks that are left are the placements with the least weight, and the next weight decides among
 * them alone. After the last weight every walk is an optimal placement.
 *
 * Levels are opened from the top: the states inside a unit are made only for the totals that the
 * levels above still want (open_level.h).
 *
 * Internal to the solver; memory of the run.
 */
#include "core/solver/span.h"

/* Weights of finished states are within +-SKR_WEIGHT_MAX; SKR_WEIGHT_NONE: not reachable. The sum
 * of any two weights fits into 64 bits. */
#define SKR_WEIGHT_MAX  (INT64_C(1) << 60)
#define SKR_WEIGHT_NONE (INT64_C(1) << 61)

struct skr_edge {
    int32_t left; /* index of a state of the left half */
    int32_t right;
};

/* Edges while they are found: halves are cells of the dense pass until all states have numbers. */
struct skr_edges {
    struct skr_edge *edge; /* scratch memory */
    int32_t n, cap;
};

struct skr_state {
    int64_t weight; /* least, by the last weighing */
    int32_t total;
    int32_t port;       /* of an inner unit with total > 0: port of its children; else -1 */
    int32_t first_edge; /* of a pair */
    int32_t n_edges;
    bool live;   /* still on a walk from the root */
    bool marked; /* while walking */
};

struct skr_port {
    int64_t weight;
    int32_t total; /* > 0 */
    int32_t state; /* index of a state of the set's span; -1 until its level is opened */
    bool live;
    bool marked;
};

/* A sibling set that a live choice needs. One for all units with equal children. */
struct skr_siblings {
    struct skr_span *all;    /* as the feasible sets have it */
    struct skr_span *narrow; /* as it was opened: units may have lost counts, see narrow_counts.h */
    int32_t n_units;         /* all->n_units */
    struct skr_span **member; /* [n_units] of all, in tree order, as in narrow; NULL: holds 0 */
    int32_t n_ports;
    struct skr_port *port; /* ascending by total */
    uint64_t *wanted;      /* totals of the ports, while they are collected */
};

/* One level of the graph. */
struct skr_graph_level {
    int32_t n_siblings;
    struct skr_siblings **siblings;
    int32_t n_spans;
    struct skr_span **span; /* those with states, parts before wholes */
    int32_t step;           /* all their totals are multiples of it */
};

struct skr_graph {
    struct skr_run *run;
    int32_t n_levels; /* opened so far: levels 1 .. n_levels */
    struct skr_graph_level level[SKR_LEVELS_MAX + 2];
    uint32_t stamp; /* for walks over spans */
};

/* Weights of the counts of one level. */
struct skr_weights {
    bool by_room;            /* a used unit weighs its room; by_count is not used */
    const int64_t *by_count; /* [n + 1] */
};

/* Doubles cap. False: the run had to stop. */
bool skr_edges_grow(struct skr_run *run, struct skr_edges *edges);
/* False: the run had to stop. */
static inline bool skr_edges_put(struct skr_run *run, struct skr_edges *edges, int32_t left,
                                 int32_t right)
{
    if (edges->n == edges->cap && !skr_edges_grow(run, edges)) {
        return false;
    }
    edges->edge[edges->n++] = (struct skr_edge){.left = left, .right = right};
    return true;
}
/* A copy [edges->n] in the memory of the run; the edges become empty. NULL: the run had to stop. */
struct skr_edge *skr_edges_take(struct skr_run *run, struct skr_edges *edges);

/* Port of a sibling set for a total, or -1. */
int32_t skr_siblings_port(const struct skr_siblings *siblings, int32_t total);

/* Weighs every live state of levels deepest .. 1; weights are those of level deepest. NULL: the
 * units of level deepest weigh what their ports weigh, as set by the caller. */
void skr_graph_weigh(struct skr_graph *graph, int32_t deepest, const struct skr_weights *weights);
/* Least weight at the root; >= SKR_WEIGHT_MAX: no placement is left. */
int64_t skr_graph_root_weight(const struct skr_graph *graph);
/* Drops edges of levels 1 .. deepest that are not of least weight, then states and ports (those of
 * level deepest + 1 too, when made) that no walk from the root meets. Returns whether any state of
 * those levels has more than one edge left. */
bool skr_graph_tighten(struct skr_graph *graph, int32_t deepest);

#endif
