/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ENGINE_WORLD_H
#define SKR_TEST_PROPERTY_ENGINE_WORLD_H
/*
 * A small cluster on the engine's rig (test/unit/engine_rig.h) in which everything happens that can: users
 * change pods, maps, nodes, budgets and the tree; requests are answered late, out of order, twice, or not at all; watches
 * break; the daemon crashes after any request, or is paused while another one leads; kube-scheduler starts anew.
 * Made from a number alone.
 */
#include "core/frame/picture.h"
#include "test/unit/engine_rig.h"

enum {
    WORLD_NODES = 9,
    WORLD_MAPS = 5, /* groups of maps; then one of a PodGroup, one of labels */
    WORLD_PODGROUP = WORLD_MAPS,
    WORLD_LABELS,
    WORLD_GROUPS,
    WORLD_DERIVED = 7,       /* workloads: engine_world_derived.h */
    WORLD_HONEST_GROUPS = 3, /* groups of maps that come and go in a siege */
};

struct world {
    struct rig *rig;
    uint64_t random;
    int pods;      /* made so far */
    bool faults;   /* writes may fail */
    char veto[32]; /* node that in-tree filters refuse; "" none */
    bool mended;   /* shy pods are shy no more */
    bool shy;      /* there are some: pods that run beside no other one */
    bool no_tree;  /* the topology map is malformed */
    bool crowded;  /* who comes late has to push */
    bool pushed; /* crowded, with two groups of which either makes room for two that outrank both */
    bool devices;  /* a class serves a resource that only some nodes list */
    bool tenants;  /* a hostile namespace is there: engine_world_tenants.h */
    bool roles;    /* groups whose members are not equal: engine_world_roles.h */
    bool timed;    /* pods have deadlines, and kubelets end them */
    bool derived;  /* workloads without an object of their group: engine_world_derived.h */
    bool losses;   /* nodes are lost, and groups have key replace */
    bool elastic;  /* groups have key minimum */
    bool partners; /* pods of gb run beside one of ga, and nowhere else */
    bool moves;    /* groups move for others, and hours pass */
    struct {
        int attempt, size; /* 0: it does not exist yet */
        bool mixed;        /* its pods were not always members of its group */
        skr_time kept_until, held_until, whole_since; /* engine_world_restarts.h; 0: not */
        int seats[WORLD_NODES], ran; /* that its last attempt left; that all workloads had then */
    } work[WORLD_DERIVED];
    bool restarts, restarting; /* the law of restarts will hold, and holds */
    bool tree_changed;
    bool siege;      /* the law of tenants holds */
    size_t overruns; /* rig->promises.overruns, as was seen last */
    bool has_claims;
    skr_time fits_since[WORLD_HONEST_GROUPS]; /* in the siege; 0: it does not */
    size_t fits_life; /* rig->n_lives then: time without a daemon does not count */
    bool pictures;    /* the page is judged: engine_world_picture.c */
    struct skr_picture *picture;
    size_t picture_life; /* rig->n_lives that it follows */
    char *drawn;         /* by it and by one that began, when they were last judged; NULL not yet */
    bool busy; /* gangs come as a whole, and are planned before kube-scheduler comes to them */
};

extern const char *const world_group[WORLD_GROUPS];

/* plain: the engine keeps nothing between solves. */
void world_begin(struct world *w, uint64_t seed, bool plain, uint64_t hash_seed);
/* The number of the step decides what happens, whatever happened before. */
void world_step(struct world *w, uint64_t seed, int step);
void world_fini(struct world *w);
/* rig_run(), with a new process when one dies. */
void world_run(struct world *w, skr_time duration);
/* What ends plans whatever the engine does: kube-scheduler refuses nodes for reasons of its own, there is no
 * tree, plans time out soon, room does not become free. */
bool world_is_odd(const struct world *w);
/* xorshift64*: 0 .. n - 1 */
uint32_t world_pick(struct world *w, uint32_t n);

/* ---- the end: engine_world_end.c ---- */

/* Faults rest. */
void world_calm_down(struct world *w);
/* Users and faults rest, and the hostile tenant is gone; nothing else is made easier. */
void world_calm(struct world *w);
/* Nodes and tree are whole, and one group has one map. */
void world_repair(struct world *w);
/* Calm, with room for everybody. */
void world_mend(struct world *w);
/* Of a mended world: everybody is bound, nobody gives way, no traces are left. */
void world_check_mended(struct world *w);
/* Of a world that is calm: what is said of groups that wait (engine_world_reasons.c). */
void world_check_reasons(struct world *w);
/* Of any world, at any time: whether a group is left alone that could be placed (engine_world_prompt.c). */
void world_check_promptness(struct world *w);
/* Whether a group needs no further victims, by what leaves anyway (engine_world_victims.c). context: the world. */
bool world_has_room_then(void *context, const struct skr_solve_request *search);
/* The same: whether the page has followed all changes. */
void world_check_picture(struct world *w);
const char *world_group_of(const struct world *w, const struct rig_object *pod);

#endif
