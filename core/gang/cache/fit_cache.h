/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_FIT_CACHE_H
#define SKR_CORE_GANG_CACHE_FIT_CACHE_H
/*
 * What is cached between solves, for fit.c:
 *
 *   kind         members of the same shapes: how many of them every leaf holds now (slots). Groups
 *                share it. A group that has vetoes has a kind of its own meanwhile
 *   kind_sizes   a kind under rules: which sizes fit now (core/solver/sizes.h), for all groups with
 *                these members and rules, whatever their size
 *
 * A kind is dropped with the tree it counts on, with one of its shapes, or when no group refers to
 * it and its room is wanted; then it is dead, and goes with the last reference.
 */
#include "core/gang/cache/shapes.h"
#include "core/gang/state/gang.h"
#include "core/solver/sizes.h"

/* Members that n members of a kind can count on: sum over leaves of min(slots, n). */
struct watched {
    int32_t n;
    size_t refs; /* groups */
    int64_t sum;
    struct watched *prev, *next;
};

struct kind_sizes {
    struct skr_rule rule[SKR_LEVELS_MAX];
    struct skr_sizes *sizes; /* NULL: beyond a limit, or settings.plain_planning */
    struct kind_sizes *prev, *next;
};

struct kind {
    struct shapes shapes;
    const struct group *owner; /* its vetoes close leaves; NULL: groups without vetoes share it */
    struct skr_amounts demand; /* the most of any shape */
    int32_t *slots;            /* [leaf] */
    uint8_t *open;             /* [leaf] may members go there: node, vetoes */
    uint64_t changes;          /* grows when slots of some leaf change */
    size_t refs;               /* groups */
    bool dead;                 /* not in the list any more */
    uint64_t used;             /* when a group came last */
    struct kind_sizes *sizes;
    struct watched *watched;
    struct kind *prev, *next;
};

enum dirt { DIRT_ROOM = 1, DIRT_NODE = 2 };

/* fit_cache.c writes it; fit.c reads. */
struct fit_cache {
    const struct skr_tree *tree; /* a reference: what leaves count on */
    struct skr_sizes_pool *pool;
    struct kind *kinds;
    size_t n_kinds;
    size_t bytes; /* of kinds, without what is in pool */
    uint64_t clock;
    uint64_t checks;
    int32_t *dirty; /* leaves to be counted again, each once */
    size_t n_dirty, cap_dirty;
    uint8_t *is_dirty;                   /* [leaf] enum dirt */
    const struct skr_ledger_node **room; /* [leaf] working space: of the dirty ones */
    int32_t *changed;                    /* [leaf] working space */
};

/* After every event: which leaves changed; epoch.room. */
void skr_fit_cache_see_changes(struct skr_gang *e);
/* Before judging: marked leaves are counted again. O(marked leaves * kinds). */
void skr_fit_cache_refresh(struct skr_gang *e);
void skr_fit_cache_touch_node(struct skr_gang *e,
                              const char *node); /* it, or its vetoes, changed */
void skr_fit_cache_shape_gone(struct skr_gang *e, const struct shape *s);
/* The group has no veto any more: kinds of its own go. */
void skr_fit_cache_group_shares(struct skr_gang *e, const struct group *g);
int skr_fit_cache_check(struct skr_gang *e, struct skr_error *error); /* SKR_BUG: slots are wrong */
void skr_fit_cache_fini(struct skr_gang *e);

/* Whose kinds the group uses: its own while it has vetoes, or the shared ones (NULL). */
const struct group *skr_kind_owner(const struct group *g);
/* The group's kind of members of these shapes, made when there is none; NULL beyond the byte limit. */
struct kind *skr_kind_get(struct skr_gang *e, const struct group *g, const struct shapes *shapes);
void skr_kind_ref(struct skr_gang *e, struct kind *kind);
void skr_kind_unref(struct kind *kind);
/* Sizes of the kind under the group's rules, up to n at least where the limits allow it. */
struct kind_sizes *skr_kind_sizes_get(struct skr_gang *e, struct kind *kind, const struct group *g,
                                      int32_t n);
/* A reference, given back by skr_watched_unref(). */
struct watched *skr_watched_get(struct skr_gang *e, struct kind *kind, int32_t n);
void skr_watched_unref(struct kind *kind, struct watched *w);

#endif
