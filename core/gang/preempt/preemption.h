/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_PREEMPTION_H
#define SKR_CORE_GANG_PREEMPT_PREEMPTION_H
/*
 * Preemption, from the victims that were chosen (victim_search.h) to the plan that goes on as any other.
 *
 * - the plan of the preemptor is made and charged at once: its room is earmarked while victims are
 *   still on it, so that nobody else can take it and no second victims are chosen
 * - its text says state Preempting and names the victims; only when the object is seen with it is
 *   anybody evicted, and a restart goes on from it
 * - groups that give way are not planned before the text is seen without them: at the end, or when they have left and
 *   come again (victims_left.h)
 * - whoever was not touched yet stays when the room is there without
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/plan_text.h"
#include "core/solver/victims.h"
#include "topology/base/json_writer.h"

struct plan;
struct plan_victim;

/* The plan that is being made waits for these. */
void skr_preemption_begin(struct plan *plan, const struct skr_victims_problem *problem,
                          const struct skr_victims *victims);
/* As a record says that an earlier life left it. */
void skr_preemption_restore(struct skr_gang *e, struct plan *plan,
                            const struct skr_plan_record *record);
/* The plan waits for its victims: a look at them, at its room, and what follows. */
void skr_preemption_step(struct skr_gang *e, struct group *g);
/* Nothing depends on the end of the wait yet, and a victim shows on its node that was not known to be there, say of a
 * Binding that an earlier leader has sent: the plan waits again. False: it need not. */
bool skr_preemption_waits_again(struct skr_gang *e, struct group *g);
/* The text that stands names no victims any more: they are as free as any other group. */
void skr_preemption_settle(struct skr_gang *e, struct plan *plan);
/* Whether a plan of g that pushes out the one which waits for the victim takes it over: part of it has gone, or its
 * budgets let it go beside those asked about since skr_preemption_reset_budgets(). *ret_begun: part has. */
bool skr_preemption_takes(const struct skr_gang *e, const struct group *g,
                          const struct plan_victim *v, bool *ret_begun);
void skr_preemption_reset_budgets(struct skr_gang *e);
/* A group without a plan that gives way or gave way: its state; false: it is as any other. */
bool skr_preemption_rules_state(struct skr_gang *e, struct group *g);
/* The preemptor that an object names; gone when there is no such plan. */
void skr_preemption_restore_victim(struct group *g, const char *by);
/* How many groups the plan still waits for; *ret_pods: their pods and single ones. */
size_t skr_preemption_waits_for(const struct skr_gang *e, const struct plan *plan,
                                size_t *ret_pods);
/* Each as {"group" or "pod", "pods", "left"}, elements of an array. */
void skr_preemption_write_victims(const struct skr_gang *e, const struct plan *plan,
                                  struct skr_json_writer *w);

#endif
