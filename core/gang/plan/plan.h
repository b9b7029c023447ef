/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_PLAN_H
#define SKR_CORE_GANG_PLAN_PLAN_H
/* Making, changing and ending plans (plan_entry.h). */
#include "core/gang/state/plan_entry.h"

struct plan *skr_plan_create(struct skr_gang *e, struct group *g);
void skr_plan_add_member(struct skr_gang *e, struct plan *plan, struct pod_entry *p,
                         const char *node, int32_t rank);
void skr_plan_remove_member(struct skr_gang *e, struct pod_entry *p); /* releases its charge */
void skr_plan_commit(struct skr_gang *e, struct plan *plan); /* id, text; asks for the write */
void skr_plan_text_changed(struct skr_gang *e, struct plan *plan);
/* Members are let go, charges released but of bound ones. */
void skr_plan_destroy(struct skr_gang *e, struct plan *plan);
/* No node of a member that is not bound is overcommitted in a resource that the member asks for. */
bool skr_plan_has_room(const struct skr_gang *e, const struct plan *plan);
void skr_plan_set_rank(struct pod_entry *p, int32_t rank);
void skr_plan_set_retries(struct pod_entry *p, int32_t retries);
void skr_plan_set_turn(struct pod_entry *p, int32_t turn);
/* Members of an earlier turn have not voted yet. O(members) where there are turns. */
bool skr_plan_waits_for_turn(const struct pod_entry *p);
void skr_plan_note_recorded(struct pod_entry *p); /* a persisted text names it */
void skr_plan_set_anchor(struct plan *plan, const struct pod_entry *p); /* NULL: nobody is left */
/* As an earlier life left it. */
void skr_plan_restore(struct plan *plan, bool binding, bool replacement);
void skr_plan_set_tree(struct plan *plan, const struct skr_tree *tree); /* NULL: not known */
/* State Binding as its text should say it; wanted: planTimeout begins anew. */
void skr_plan_want_binding(struct skr_gang *e, struct plan *plan, bool wanted);
void skr_plan_note_persisted(struct plan *plan); /* state Binding was acknowledged: only forward */
void skr_plan_forget_victims(struct plan *plan);
/* It waits for victims no longer, or again; planTimeout begins when it ends. */
void skr_plan_wait_for_victims(struct skr_gang *e, struct plan *plan, bool waits);
void skr_plan_note_freed(struct plan *plan, skr_time now); /* its victims are gone */
bool skr_plan_uses_node(const struct plan *plan, const char *node);
/* Of those that the plan places: the loss of one who runs already must not end it. */
const struct pod_entry *skr_plan_oldest_member(const struct plan *plan);
/* The seat of a member that is gone, its room charged under v.uid; what v holds is taken. */
void skr_plan_add_vacancy(struct skr_gang *e, struct plan *plan, struct vacancy v);
/* Gives back the seats whose time is over, or all. *ret_next: the end of the next one, or
 * SKR_TIME_NEVER. Returns whether any ended; the text is then an old one. */
bool skr_plan_end_vacancies(struct skr_gang *e, struct plan *plan, bool all, skr_time *ret_next);
/* A member past the point of no return that cannot be bound to its node: the node is gone, or
 * closed to it and no bind call is open. */
bool skr_plan_is_stranded(struct skr_gang *e, struct pod_entry *p);

#endif
