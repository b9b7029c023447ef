/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_FIT_CACHE_H
#define SKR_CORE_GANG_CACHE_FIT_CACHE_H
/*
 * The cache between solves, for fit.c:
 *
 *   kind         members of the same shapes: how many of them every leaf holds now (slots). Groups
 *                share it. A group that has vetoes has a kind of its own meanwhile
 *   kind_sizes   a kind under rules: which sizes fit now (core/solver/sizes.h), for all groups with
 *                these members and rules, of any size
 *
 * A kind is dropped with its tree, with one of its shapes, or if no group refers to it and its
 * memory is needed. Then it is dead, and is freed with the last reference.
 */
#include "core/gang/cache/booked.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/state/gang.h"
#include "core/solver/sizes.h"

/* Slots that n members of a kind can use: sum over leaves of min(slots, n). */
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
    struct device_needs *needs; /* a reference; NULL: none that limit */
    /* Its vetoes close leaves, or it has a reservation; NULL: the other groups share it. */
    const struct group *owner;
    struct window window; /* how long members hold their room; for ever while nothing is reserved */
    struct skr_amounts demand; /* the maximum over the shapes */
    int32_t *slots;            /* [leaf] */
    int32_t *most;             /* [leaf] members that node and vetoes admit; 0: it is closed */
    bool late;                 /* what devices serve on some leaves is to be counted again: */
    uint8_t *is_late;          /* [leaf] its numbers are old; NULL: the kind needs no devices */
    uint64_t changes;          /* grows when slots of some leaf change */
    size_t refs;               /* groups */
    bool dead;                 /* no longer in the list */
    uint64_t used;             /* when a group last used it */
    struct kind_sizes *sizes;
    struct watched *watched;
    struct kind *prev, *next;
};

enum dirt { DIRT_ROOM = 1, DIRT_NODE = 2 };

/* Written by fit_cache.c, read by fit.c. */
struct fit_cache {
    const struct skr_tree *tree; /* a reference: leaves are indices of it */
    struct skr_sizes_pool *pool;
    struct kind *kinds;
    size_t n_kinds;
    size_t bytes; /* of kinds, without what is in pool */
    uint64_t clock;
    uint64_t checks;
    /* When leaves with reservations were marked: what they leave changes with time and with ends. */
    int64_t booked_at;
    uint64_t booked_seen;
    int32_t *dirty; /* leaves to be counted again, each once */
    size_t n_dirty, cap_dirty;
    uint8_t *is_dirty;                   /* [leaf] enum dirt */
    bool all_dirty;                      /* all leaves are to be counted again */
    const struct skr_ledger_node **room; /* [leaf] working space: of the dirty leaves */
    int32_t *changed;                    /* [leaf] working space */
};

/* Call after every event: marks changed leaves; SEEN_ROOM. */
void skr_fit_cache_see_changes(struct skr_gang *e);
/* Call before evaluating: counts marked leaves again. O(marked leaves * kinds). */
void skr_fit_cache_refresh(struct skr_gang *e);
void skr_fit_cache_touch_node(struct skr_gang *e,
                              const char *node); /* the node or its vetoes changed */
void skr_fit_cache_shape_gone(struct skr_gang *e, const struct shape *s);
void skr_fit_cache_touch_room(struct skr_gang *e, const char *node);
/* The group has no veto, or no reservation, any more: kinds of its own go. */
void skr_fit_cache_group_shares(struct skr_gang *e, const struct group *g);
int skr_fit_cache_check(struct skr_gang *e, struct skr_error *error); /* SKR_BUG: slots are wrong */
void skr_fit_cache_fini(struct skr_gang *e);

/* Whose kinds the group uses: its own while it has vetoes or a reservation, or the shared ones
 * (NULL). */
const struct group *skr_kind_owner(const struct group *g);
/* The group's kind of members of these shapes and needs (NULL: none), created if there is none; NULL
 * beyond the byte limit. */
struct kind *skr_kind_get(struct skr_gang *e, const struct group *g, const struct shapes *shapes,
                          struct device_needs *needs, const struct window *window);
/* Counts late leaves again. */
void skr_kind_catch_up(struct skr_gang *e, struct kind *kind);
void skr_kind_ref(struct skr_gang *e, struct kind *kind);
void skr_kind_unref(struct skr_gang *e, struct kind *kind);
/* Sizes of the kind under the group's rules, up to n at least if the limits permit it. */
struct kind_sizes *skr_kind_sizes_get(struct skr_gang *e, struct kind *kind, const struct group *g,
                                      int32_t n);
/* A reference, released by skr_watched_unref(). */
struct watched *skr_watched_get(struct skr_gang *e, struct kind *kind, int32_t n);
void skr_watched_unref(struct kind *kind, struct watched *w);

#endif
