/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_PLAN_ENTRY_H
#define SKR_CORE_GANG_STATE_PLAN_ENTRY_H
/*
 * A plan: which member goes to which node with which rank, from the solver's answer to the last
 * Binding. At most one per group.
 *
 * - made: members charged in the ledger (RESERVED), text asked to be written to the group's object
 * - persisted: the object carries exactly the text; only now may members be nominated, ungated,
 *   accepted in filter (plan_storage.h)
 * - Binding: wanted once every member has voted, persisted with the ranks; only now may a Binding
 *   be posted, and from here there is only forward (plan_step.h)
 * - aborting: the text is wanted away; only when the object is seen without it is the room given
 *   back (plan_loss.h)
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/plan_text.h"

/* Controllers recreate pods within seconds. */
enum { SKR_VACANCY_S = 10 };

/*
 * The place of a plan whose pod is gone in state Binding, kept for its replacement. It ends after
 * SKR_VACANCY_S, at the plan's deadline, and when the group has no pod left. The daemon that takes over
 * does not keep it.
 */
struct vacancy {
    char *uid; /* of the lost pod; also names the ledger charge that keeps the room */
    const char *node;
    int32_t rank;
    skr_time until;
    struct shape *shape; /* a reference: what the charge counts */
};

/* Whoever gives way to a plan: a group, or a single pod. */
struct plan_victim {
    char *text;   /* "namespace/name", of a pod "namespace/name/uid" */
    bool begun;   /* an eviction was asked for, or its plan was taken */
    bool gone;    /* a group that has left and comes again: named no more; victims_left.h */
    int32_t pods; /* that ran when it was chosen, >= 0 */
};

struct plan {
    struct group *group;
    enum group_source home; /* whose object carries the text; plan_storage.c */
    uint64_t order;         /* of its members' writes: an earlier plan's go first */
    bool replacement;       /* others of the gang run already: public status stays Bound */
    char id[SKR_PLAN_ID_LEN + 1];
    bool
        binding; /* past the point of no return (wanted; persisted when skr_plan_storage_is_persisted());
                     plan_step.c */
    bool binding_persisted; /* state Binding was acknowledged once: only forward from here */
    bool aborting;          /* on its way out: persisted removal is awaited; plan_loss.c */
    bool preempting;        /* waits for its victims; preemption.c */
    bool preempted;         /* it had victims */
    bool rollback;          /* a member was lost in Binding: bound ones are to be deleted */
    bool check_nodes;       /* dirty.c: look whether it still holds */
    bool dropped_members;   /* text without "members": too long */
    struct {
        enum skr_reason reason;
        char *message;
        bool backoff; /* go to Backoff, not to Pending/Ready at once */
    } abort;
    skr_time created_at;
    skr_time heard_at; /* a member was asked about for the first time since its activation */
    skr_time freed_at; /* its victims were gone; 0 not */
    skr_time deadline; /* planTimeout */
    size_t n_members;  /* pods with entry->plan == this */
    int32_t last_turn; /* greatest of its members; 0: all are nominated at once */
    struct plan_victim *victim; /* while preempting */
    size_t n_victims;
    struct vacancy *vacancy;
    size_t n_vacancies, cap_vacancies;
    bool gave_up; /* a vacancy ended without a replacement */
    struct skr_tree *tree; /* it was made or last checked on; a reference */
    char *anchor; /* groups from labels: uid of the member that carries the text; else NULL */
    char *text;   /* annotation as it should stand now; rebuilt when members or state change */
    size_t text_len;
};

#endif
