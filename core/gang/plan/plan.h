/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_PLAN_H
#define SKR_CORE_GANG_PLAN_PLAN_H
/* Making, changing and ending plans (plan_entry.h). */
#include "core/gang/state/plan_entry.h"

struct plan *plan_create(struct skr_gang *e, struct group *g);
void plan_add_member(struct skr_gang *e, struct plan *plan, struct pod_entry *p, const char *node,
                     int32_t rank);
void plan_remove_member(struct skr_gang *e, struct pod_entry *p); /* releases its charge */
void plan_commit(struct skr_gang *e, struct plan *plan);          /* id, text; asks for the write */
void plan_text_changed(struct skr_gang *e, struct plan *plan);
/* Members are let go, charges released but of bound ones. */
void plan_destroy(struct skr_gang *e, struct plan *plan);
/* No node of a member that is not bound is overcommitted in a resource that the member asks for. */
bool plan_has_room(const struct skr_gang *e, const struct plan *plan);
void plan_set_rank(struct pod_entry *p, int32_t rank);
void plan_set_retries(struct pod_entry *p, int32_t retries);
void plan_set_turn(struct pod_entry *p, int32_t turn);
/* Members of an earlier turn have not voted yet. O(members) where there are turns. */
bool plan_waits_for_turn(const struct pod_entry *p);
void plan_note_recorded(struct pod_entry *p);                       /* a persisted text names it */
void plan_set_anchor(struct plan *plan, const struct pod_entry *p); /* NULL: nobody is left */
/* As an earlier life left it. */
void plan_restore(struct plan *plan, bool binding, bool replacement);
void plan_set_tree(struct plan *plan, const struct skr_tree *tree); /* NULL: not known */
/* State Binding as its text should say it; wanted: planTimeout begins anew. */
void plan_want_binding(struct skr_gang *e, struct plan *plan, bool wanted);
void plan_note_persisted(struct plan *plan); /* state Binding was acknowledged: only forward */
void plan_forget_victims(struct plan *plan);
/* It waits for victims no longer, or again; planTimeout begins when it ends. */
void plan_wait_for_victims(struct skr_gang *e, struct plan *plan, bool waits);
void plan_note_freed(struct plan *plan, skr_time now); /* its victims are gone */
bool plan_uses_node(const struct plan *plan, const char *node);
/* Of those that the plan places: the loss of one who runs already must not end it. */
const struct pod_entry *plan_oldest_member(const struct plan *plan);
/* The seat of a member that is gone, its room charged under v.uid; what v holds is taken. */
void plan_add_vacancy(struct skr_gang *e, struct plan *plan, struct vacancy v);
/* A member past the point of no return that cannot be bound to its node: the node is gone, or
 * closed to it and no bind call is open. */
bool plan_is_stranded(struct skr_gang *e, struct pod_entry *p);

#endif
