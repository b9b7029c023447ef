/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_VICTIMS_SEARCH_H
#define SKR_CORE_SOLVER_VICTIMS_SEARCH_H
/*
 * The cheapest of all sets of candidates that suffice, and among equally cheap ones the best.
 * Internal to victims.c; the parts: victims_anchors.c, victims_search.c, victims_ties.c.
 *
 * An *anchor* is a unit that may hold the whole group: a unit of the deepest level down to which
 * all levels are hard pack, or the root. Each anchor is searched by itself, with the candidates
 * that free room in it. A candidate's *gain* in an anchor is an upper bound of the members that its
 * eviction makes room for. Gains add up where slots do not (two halves of a slot): they use one
 * resource of each leaf, the one that is scarcest now.
 */
#include "core/solver/victims_room.h"

struct skr_victims_cost {
    int32_t groups; /* groups that lose their gang */
    int64_t members;
};

struct skr_victims_entry {
    size_t victim;
    size_t name; /* index among the candidates, which are in the order of names */
    int64_t gain;
    struct skr_victims_cost cost;
};

struct skr_victims_anchor {
    int64_t need; /* the least gain with which the anchor may hold the group; may be negative */
    size_t n;
    struct skr_victims_entry *entry;
    struct skr_victims_cost least; /* bound of all its sets */
};

/* The set that the search is at, and its sums. */
struct skr_victims_pick {
    size_t n;
    size_t *at; /* entries of the anchor */
    int64_t gain;
    struct skr_victims_cost cost;
};

struct skr_victims_search {
    struct skr_victims_room *room;
    const struct skr_victims_problem *in;
    struct skr_error *error;
    const size_t *candidate; /* by name */
    int64_t cap;             /* single members of a higher priority are not chosen */
    size_t n;
    size_t n_anchors;
    struct skr_victims_anchor *anchor; /* by their bounds, the least first */
    struct skr_victims_entry *entries; /* of all anchors */

    struct skr_victims_pick pick;
    uint8_t *taken;                 /* [victim] in pick */
    uint8_t *listed;                /* [victim] is a candidate */
    uint8_t *has_surplus;           /* [victim] members of it are candidates by themselves */
    int32_t *used;                  /* [budget] by pick */
    int32_t *given;                 /* [giver] single members in pick */
    struct skr_victim_scope *scope; /* of the problem, without these */
    size_t n_uneven;                /* givers of which pick has no whole steps */
    size_t *set;                    /* [n] working space: victims of pick */

    /* The best so far, by name. */
    bool found;
    size_t n_best;
    struct skr_victims_entry *best;
    struct skr_victims_cost cost;
    struct skr_solution *solution; /* of best; NULL: not made yet */
    struct skr_solution *ideal;    /* without any candidate: no set does better */

    bool cheapest, optimal; /* proven */
    bool capped;            /* proven: the highest priority of single members is the least */
    int32_t groups_proven;
};

/* < 0, 0, > 0 */
int skr_victims_cost_compare(struct skr_victims_cost a, struct skr_victims_cost b);
/* Order of entries for qsort(). */
int skr_victims_by_name(const void *a, const void *b);

/* Makes anchors and their entries. room: without any candidate. */
void skr_victims_anchors_make(struct skr_victims_search *s);
void skr_victims_anchors_free(struct skr_victims_search *s);

/* Whether the candidate is a member of a group that is a candidate, too. */
bool skr_victims_is_inside(const struct skr_victims_search *s, size_t victim);

/* Takes the entry into pick, unless that exceeds a budget or takes a member twice. */
bool skr_victims_pick_push(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                           size_t at);
void skr_victims_pick_pop(struct skr_victims_search *s, const struct skr_victims_anchor *anchor);
void skr_victims_pick_clear(struct skr_victims_search *s, const struct skr_victims_anchor *anchor);
/* The victims of the first n entries of pick into s->set. */
void skr_victims_pick_list(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                           size_t n);
/* Whether pick suffices. */
int skr_victims_pick_fits(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                          bool *ret);
/* Whether single members go by whole steps. O(1). */
bool skr_victims_pick_is_even(const struct skr_victims_search *s);
/* The same, and rules hold on what is left of their groups. O(units) for each of these with rules. */
bool skr_victims_pick_is_whole(const struct skr_victims_search *s);
/* Whether the candidate may have to go with others of its group. */
bool skr_victims_has_mates(const struct skr_victim *v);
/* Makes pick the best set. */
void skr_victims_pick_keep(struct skr_victims_search *s, const struct skr_victims_anchor *anchor);

/* candidate[n]: by name; together, without surplus of groups among them, they suffice. Not found,
 * but cheapest: every sufficient set exceeds a budget. Neither: the steps have run out. */
int skr_victims_search_run(struct skr_victims_search *s);
/* The best by placement and name of the sets as cheap as the best. */
int skr_victims_ties_run(struct skr_victims_search *s);

#endif
