/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_CHOICE_GRAPH_H
#define SKR_CORE_SOLVER_CHOICE_GRAPH_H
/*
 * The choice graph: all placements that are still possible, written down once. It is the same for
 * equal members and for roles.
 *
 *   node    a span whose states the graph has
 *   state   a span holds this vector: a main count in one of its rows. Of equal members the main
 *           count is the total, and the row the number of used units. A state of a pair lists edges:
 *           the ways to split it into a state of the left and a state of the right half. A state of
 *           an inner unit that holds anything points to a port.
 *   port    a sibling set holds this vector; it stands for the state of the whole set.
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
#include "core/solver/solve_run.h"

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
    int32_t row;    /* of roles: of the span's rows */
    int32_t main;
    int32_t port;       /* of an inner unit that holds anything: port of its children; else -1 */
    int32_t first_edge; /* of a pair */
    int32_t n_edges;
    bool live;   /* still on a walk from the root */
    bool marked; /* while walking */
};

struct skr_port {
    int64_t weight; /* while its level is opened: of roles a lower bound, unless it is exact */
    int32_t main;
    int32_t state; /* index of a state of the set's node; -1 until its level is opened */
    int32_t cell;  /* while its level is opened: of the node's cells; -1: the set cannot hold it */
    bool live;
    bool marked;
    uint64_t key; /* with counters */
    bool wanted;  /* in the dense pass at hand */

    /* Of roles. */
    bool exact; /* weight is the least weight of the first word */
    bool solo;  /* wanted, and one unit holds all of it */
    /* With a lead of type pack: a lower bound of the units that its best placements use. The dense
     * pass looks only for placements that use no more. 0: it looks for all. */
    int32_t least_used;
    int32_t tries;
    int64_t bound; /* of the weight */
};

/* A sibling set that a live choice needs, by the vectors it is to hold. One for all units with equal
 * children. */
struct skr_ports {
    struct skr_graph_node *node; /* the set as it was opened; NULL: it can hold nothing */
    int32_t n;
    struct skr_port *port; /* ascending by key, then main count */
};

struct skr_cells;    /* dense_windows.h */
struct skr_feasible; /* feasible_sets.h */
struct skr_words;    /* weight_words.h */

/* The first member of the note of a span. */
struct skr_graph_node {
    struct skr_graph_node *left, *right; /* NULL for a unit */
    struct skr_ports *ports;             /* of a unit: of its children, if a state has one */
    int32_t n_states;
    struct skr_state *state; /* by row, then main count, ascending */
    struct skr_edge *edge;
    struct skr_cells *cells; /* while its level is opened */
    uint32_t stamp;          /* of the last walk that met it */
};

/* One level of the graph. */
struct skr_graph_level {
    const struct skr_axes *axes; /* axes.h */
    const struct skr_law *law;   /* [scope] */
    int32_t n_sets;
    struct skr_ports **set;
    int32_t n_nodes;
    struct skr_graph_node **node; /* those with states, parts before wholes */
    int32_t step;                 /* of equal members: all their totals are multiples of it */
};

struct skr_graph {
    struct skr_run *run;
    const struct skr_feasible *sets;
    int32_t n_levels; /* opened so far: levels 1 .. n_levels */
    struct skr_graph_level level[SKR_LEVELS_MAX + 2];
    uint32_t stamp; /* of the last walk over nodes */
    int64_t n_ports;
    int32_t narrow; /* of roles: scope of the amounts that spans need for the dense pass at hand */
};

/* A sibling set. */
struct skr_siblings {
    struct skr_ports ports; /* first: see skr_siblings_at() */
    struct skr_span *all;   /* as the feasible sets have it; of roles as it was opened */
    int32_t n_units;        /* all->n_units */
    /* [n_units] in tree order, as the set was opened: units may have lost counts, see narrow_counts.h;
     * NULL: holds 0. Equal ones are one span. */
    struct skr_span **unit;
};

static inline struct skr_siblings *skr_siblings_at(const struct skr_graph_level *level, int32_t i)
{
    return (struct skr_siblings *)(void *)level->set[i];
}

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

static inline bool skr_ports_wanted(const struct skr_ports *set)
{
    bool any = false;
    for (int32_t p = 0; p < set->n && !any; p++) {
        any = set->port[p].wanted;
    }
    return any;
}

/* Lists the nodes of the sets of the level that are wanted (NULL: all), each once, parts before wholes.
 * most: units of all sets of the level. False: the run had to stop. */
bool skr_graph_list(struct skr_graph *graph, int32_t level, size_t most,
                    bool (*wanted)(const struct skr_ports *set));

/* Port of a sibling set for a vector, or -1. */
int32_t skr_ports_find(const struct skr_ports *ports, uint64_t key, int32_t main);

/* Sets the weights of the live states of a unit. */
typedef void skr_weigh_unit_fn(const void *context, struct skr_graph_node *unit);
/* Weighs every live state of levels deepest .. 1; weigh: those of the units of level deepest. NULL:
 * these weigh what their ports weigh, as set by the caller. */
void skr_graph_weigh(struct skr_graph *graph, int32_t deepest, skr_weigh_unit_fn *weigh,
                     const void *context);
/* Least weight at the root; >= SKR_WEIGHT_MAX: no placement is left. */
int64_t skr_graph_root_weight(const struct skr_graph *graph);
/* Drops edges of levels 1 .. deepest that are not of least weight, then states and ports (those of
 * level deepest + 1 too, when made) that no walk from the root meets. Returns whether any state of
 * those levels has more than one edge left. */
bool skr_graph_tighten(struct skr_graph *graph, int32_t deepest);
/* Marks the ports of level deepest + 1 on walks of least weight, and drops nothing. */
void skr_graph_mark(struct skr_graph *graph, int32_t deepest);

#endif
