/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_LEARNED_H
#define SKR_CORE_GANG_PROBLEM_LEARNED_H
/*
 * How many newcomers a leaf takes whatever its room: what refusals have taught (core/gang/cache/vetoes.h), and what
 * devices serve (core/gang/cache/devices.h). Resources of a problem, the last ones (skr_solve_request.n_learned):
 * one without roles; with roles one for each of them, and one for all together: of members if their devices are the
 * same, else of devices.
 */
#include "core/gang/cache/devices.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/shapes.h"
#include "core/solver/roles.h"

struct skr_learned_part {
    size_t n; /* newcomers; 0: it limits nothing */
    struct shapes shapes;
    struct device_needs *needs; /* a reference; NULL: none that limit */
    bool devices;               /* it counts devices and not members, which differ */
    int32_t pools, pools_ever; /* what devices of all nodes serve: core/gang/cache/device_pools.h */
};

struct skr_learned {
    size_t n;
    struct skr_learned_part of[SKR_ROLES_MAX + 1];
};

/* How many such resources the problem of these newcomers has; notes why devices are not counted. */
size_t skr_learned_count(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                         size_t n);
/* newcomers: those to be placed. n_learned: as counted. skr_learned_close(). O(n). */
void skr_learned_open(struct skr_gang *e, const struct group *g, struct pod_entry *const *newcomers,
                      size_t n, size_t n_learned, struct skr_learned *ret);
void skr_learned_note(struct group *g, const struct skr_learned *learned); /* the same, of nodes */
void skr_learned_close(struct skr_gang *e, struct skr_learned *learned);

/* What the node takes. guess: with first guesses of vetoes. */
int64_t skr_learned_of(struct skr_gang *e, const struct group *g,
                       const struct skr_learned_part *part, const struct node_entry *node,
                       bool guess);
/* The most that devices of the node ever leave, which may be fewer than now: a device more may fit one member less. */
int64_t skr_learned_ever(struct skr_gang *e, const struct skr_learned_part *part,
                         const struct node_entry *node, int64_t now);

#endif
