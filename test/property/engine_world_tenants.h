/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ENGINE_WORLD_TENANTS_H
#define SKR_TEST_PROPERTY_ENGINE_WORLD_TENANTS_H
/*
 * Two tenants of a world. The hostile one (namespace "hostile") holds room for what never happens, in every way that pods,
 * ConfigMaps and claims allow, and has what is costly to look at: distinct claims and templates of many selectors, with
 * and without pods. No event may take more than RIG_STEPS_MAX of evaluation (engine_rig.c). The honest one (namespace "default") runs gangs that come as a whole and go.
 *
 * First, hostile acts happen among all others. From step WORLD_SIEGE_FROM on the world is a siege: the honest
 * namespace starts empty, nodes and tree are whole, and no request fails or is late. So the law below can name seconds.
 *
 * The law (engine_world_siege.c): a group of the honest namespace that fits continuously is bound within
 * WORLD_BOUND_S of virtual time. It fits if its members have a place beside
 *
 *   - pods that are bound, terminating ones too
 *   - pods that kube-scheduler has assumed on a node and that wait for volumes there: kube-scheduler counts them
 *   - what other groups of its namespace have planned or hold
 *   - what groups of higher priority have planned or hold
 *   - room on nodes that kube-scheduler has refused to the group itself within a minute (vetoes.h)
 *   - held seats of groups of its own priority, whose deadline and sum are judged apart
 *
 * Whatever else the hostile namespace reserves, counts as free.
 */
#include "core/gang/plan/scheduler_progress.h"
#include "test/property/engine_world.h"

enum {
    WORLD_HOSTILE_GROUPS = 2,
    WORLD_SIEGE_FROM = 100,
    /* One plan for each hostile group, and one of its own that comes to nothing: kube-scheduler has so long to come to
     * the members of a plan. */
    WORLD_BOUND_S = (WORLD_HOSTILE_GROUPS + 1) * SKR_ACTIVATION_PATIENCE_S,
};

/* One act of the hostile tenant, drawn from the world's numbers. */
void tenants_attack(struct world *w);
/* One step of a siege: an act of a tenant, and time. */
void tenants_step(struct world *w);
/* Pods of the hostile namespace are let in on the word of a limit, and break it: engine_world_words.c. */
void words_give(struct world *w);
void words_break(struct world *w);
void words_run(struct world *w,
               skr_time duration); /* world_run(); its Jobs end at their deadlines */
void words_check(struct world *w); /* of a siege that has come to rest */
/* kube-scheduler comes to no pod for so long. */
void siege_silence(struct world *w, skr_time duration);
/* Faults rest, nodes and tree are whole, and namespace default is empty but for the tree. */
void tenants_clear(struct world *w);
/* The hostile namespace is deleted with all that it has. */
void tenants_end(struct world *w);
/* Of a siege that has come to rest. */
void tenants_check(struct world *w);

#endif
