/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_PREEMPTION_H
#define SKR_CORE_GANG_PREEMPT_PREEMPTION_H
/*
 * Preemption, from the chosen victims (victim_search.h) to an ordinary plan.
 *
 * - The preemptor's plan is made and charged at once. Its room is reserved while victims still use
 *   it, so that no other group takes it and no second victims are chosen.
 * - Its text has state Preempting and the victims' names. Evictions begin only after the object is
 *   seen with it; a restart continues from it.
 * - Victim groups are not planned until the text is seen without them: at the end, or after they
 *   have left and returned (victims_left.h).
 * - Victims that are not yet touched stay if there is room without them.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/plan_text.h"
#include "core/solver/victims.h"
#include "topology/base/json_writer.h"

struct plan;
struct plan_victim;

/* Makes the new plan wait for these victims. */
void skr_preemption_begin(struct plan *plan, const struct skr_victims_problem *problem,
                          const struct skr_victims *victims);
/* Restores the wait from a record of an earlier process. */
void skr_preemption_restore(struct skr_gang *e, struct plan *plan,
                            const struct skr_plan_record *record);
/* A step of a plan that waits: checks its victims and its room, and acts on the result. */
void skr_preemption_step(struct skr_gang *e, struct group *g);
/* A new victim appeared on its node, such as from a Binding that an earlier leader sent, and
 * nothing depends on the end of the wait yet: the plan waits again. False: not needed. */
bool skr_preemption_waits_again(struct skr_gang *e, struct group *g);
/* The persisted text names no victims any more: releases them. */
void skr_preemption_settle(struct skr_gang *e, struct plan *plan);
/* Whether the plan waits for victims, and room elsewhere may have appeared since it was last looked
 * for: planner.c solves for its members as if they had no plan. */
bool skr_preemption_looks_elsewhere(struct skr_gang *e, const struct group *g);
/* That solve found a placement: the plan ends, and the group is planned anew. */
void skr_preemption_goes_elsewhere(struct skr_gang *e, struct group *g);
/* It found none at this stamp. took: duration of the solve, which determines the pause. */
void skr_preemption_stays(struct skr_gang *e, struct group *g, uint64_t seen, skr_time took);
/* Sets the state of a group without a plan that is or was a victim; false: it is neither. */
bool skr_preemption_rules_state(struct skr_gang *e, struct group *g);
/* The preemptor that an object names; dropped if there is no such plan. */
void skr_preemption_restore_victim(struct group *g, const char *by);
/* The number of groups the plan still waits for; *ret_pods: their pods and single pods. */
size_t skr_preemption_waits_for(const struct skr_gang *e, const struct plan *plan,
                                size_t *ret_pods);
/* Writes each as {"group" or "pod", "pods", "left"}, elements of an array. */
void skr_preemption_write_victims(const struct skr_gang *e, const struct plan *plan,
                                  struct skr_json_writer *w);

#endif
