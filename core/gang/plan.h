/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_H
#define SKR_CORE_GANG_PLAN_H
/*
 * A plan: which member goes to which node with which rank, from the solver's answer to the last
 * Binding. At most one per group.
 *
 * - made: members charged in the ledger (RESERVED), text asked to be written to the group's object
 * - persisted: the object carries exactly the text; only now may members be nominated, ungated,
 *   accepted in filter (plan_home.h)
 * - Binding: wanted once every member has voted, persisted with the ranks; only now may a Binding
 *   be posted, and from here there is only forward (plan_step.h)
 * - aborting: the text is wanted away; only when the object is seen without it is the room given
 *   back (plan_loss.h)
 */
#include "core/gang/groups.h"
#include "core/gang/plan_text.h"

/* A place of a plan whose pod is gone in state Binding, kept for its replacement. */
struct vacancy {
    char *uid; /* of the lost pod; also names the ledger charge that keeps the room */
    const char *node;
    int32_t rank;
    struct shape *shape; /* a reference: what the charge counts */
};

struct plan {
    struct group *group;
    enum group_source home; /* whose object carries the text; plan_home.c */
    uint64_t order;         /* of its members' writes: an earlier plan's go first */
    bool replacement;       /* others of the gang run already: public status stays Bound */
    char id[SKR_PLAN_ID_LEN + 1];
    bool binding; /* past the point of no return (wanted; persisted when plan_home_is_persisted());
                     plan_step.c */
    bool binding_persisted; /* state Binding was acknowledged once: only forward from here */
    bool aborting;          /* on its way out: persisted removal is awaited; plan_loss.c */
    bool rollback;          /* a member was lost in Binding: bound ones are to be deleted */
    bool check_nodes;       /* dirty.c: look whether it still holds */
    bool dropped_members;   /* text without "members": too long */
    struct {
        enum skr_reason reason;
        char *message;
        bool backoff; /* go to Backoff, not to Pending/Ready at once */
    } abort;
    skr_time created_at;
    skr_time heard_at; /* a member was asked about for the first time since its kick */
    skr_time deadline; /* planTimeout */
    size_t n_members;  /* pods with entry->plan == this */
    int32_t last_turn; /* greatest of its members; 0: all are nominated at once */
    struct vacancy *vacancy;
    size_t n_vacancies, cap_vacancies;
    struct skr_tree *tree; /* it was made or last checked on; a reference */
    char *anchor; /* groups from labels: uid of the member that carries the text; else NULL */
    char *text;   /* annotation as it should stand now; rebuilt when members or state change */
};

struct plan *plan_create(struct skr_gang *e, struct group *g);
void plan_add_member(struct skr_gang *e, struct plan *plan, struct pod_entry *p, const char *node,
                     int32_t rank);
void plan_remove_member(struct skr_gang *e, struct pod_entry *p); /* releases its charge */
void plan_commit(struct skr_gang *e, struct plan *plan);          /* id, text; asks for the write */
void plan_text_changed(struct skr_gang *e, struct plan *plan);
/* Members are let go, charges released but of bound ones. */
void plan_destroy(struct skr_gang *e, struct plan *plan);
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
bool plan_uses_node(const struct plan *plan, const char *node);
/* Of those that the plan places: the loss of one who runs already must not end it. */
const struct pod_entry *plan_oldest_member(const struct plan *plan);
/* The seat of a member that is gone, its room charged under v.uid; what v holds is taken. */
void plan_add_vacancy(struct skr_gang *e, struct plan *plan, struct vacancy v);

#endif
