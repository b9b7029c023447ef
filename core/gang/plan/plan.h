/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_PLAN_H
#define SKR_CORE_GANG_PLAN_PLAN_H
/* Making, changing and ending plans (plan_entry.h). */
#include "core/gang/state/plan_entry.h"

struct plan *skr_plan_create(struct skr_gang *e, struct group *g);
/* A restored plan is of the roles that a member of it carries, whatever the map says now. */
void skr_plan_note_roles(struct plan *plan, const char *annotation);
void skr_plan_add_member(struct skr_gang *e, struct plan *plan, struct pod_entry *p,
                         const char *node, int32_t rank);
void skr_plan_remove_member(struct skr_gang *e, struct pod_entry *p); /* releases its charge */
/* sets id and text, requests the write */
void skr_plan_commit(struct skr_gang *e, struct plan *plan);
void skr_plan_text_changed(struct skr_gang *e, struct plan *plan);
/* Releases members, and their charges unless they are bound. */
void skr_plan_destroy(struct skr_gang *e, struct plan *plan);
/* Whether no node of an unbound member is overcommitted in a resource that the member requests, and its devices
 * are free. */
bool skr_plan_has_room(struct skr_gang *e, const struct plan *plan);
void skr_plan_set_rank(struct pod_entry *p, int32_t rank);
void skr_plan_set_retries(struct pod_entry *p, int32_t retries);
void skr_plan_set_turn(struct pod_entry *p, int32_t turn);
/* Whether members of an earlier turn have not voted yet. O(members) if there are turns. */
bool skr_plan_waits_for_turn(const struct pod_entry *p);
void skr_plan_note_recorded(struct pod_entry *p); /* a persisted text names it */
/* NULL: no member is left */
void skr_plan_set_anchor(struct plan *plan, const struct pod_entry *p);
/* Sets the state found in a record of an earlier process. */
void skr_plan_restore(struct plan *plan, bool binding, bool replacement);
void skr_plan_set_tree(struct plan *plan, const struct skr_tree *tree); /* NULL: unknown */
/* Sets whether the text says state Binding; wanted for the first time: planTimeout begins anew. */
void skr_plan_want_binding(struct skr_gang *e, struct plan *plan, bool wanted);
void skr_plan_note_persisted(struct plan *plan); /* state Binding was acknowledged: no way back */
void skr_plan_forget_victims(struct plan *plan);
bool skr_plan_moves(const struct plan *plan); /* one of its victims moves */
/* Begins or ends the wait for victims; planTimeout begins when it ends for the first time. */
void skr_plan_wait_for_victims(struct skr_gang *e, struct plan *plan, bool waits);
/* So many of their pods are left. Fewer than ever: the deadline moves (skr_settings_victims_wait()). */
void skr_plan_note_victims(struct skr_gang *e, struct plan *plan, size_t left);
void skr_plan_note_freed(struct plan *plan, skr_time now); /* its victims are gone */
/* The plan yields, or not any more: yielding.h. */
void skr_plan_note_idle(struct skr_gang *e, struct plan *plan, bool idle);
bool skr_plan_uses_node(const struct plan *plan, const char *node);
/* Of the members that the plan places: the loss of a running one must not end the plan. */
const struct pod_entry *skr_plan_oldest_member(const struct plan *plan);
/* Keeps the seat of a member that is gone, its room charged under v.uid; takes what v holds. */
void skr_plan_add_vacancy(struct skr_gang *e, struct plan *plan, struct vacancy v);
/* Gives back the seats whose time is over, or all. *ret_next: the end of the next one, or
 * SKR_TIME_NEVER. Returns whether any ended; the text is then an old one. */
bool skr_plan_end_vacancies(struct skr_gang *e, struct plan *plan, bool all, skr_time *ret_next);
/* Whether a member past the point of no return cannot be bound: its node is gone, or closed to it
 * without an open bind call. */
bool skr_plan_is_stranded(struct skr_gang *e, struct pod_entry *p);

#endif
