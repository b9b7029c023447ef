/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_PLAN_ENTRY_H
#define SKR_CORE_GANG_STATE_PLAN_ENTRY_H
/*
 * A plan assigns a node and a rank to each member, from the solver's answer to the last Binding. At
 * most one per group.
 *
 * - made: members are charged in the ledger (RESERVED), the write of the text is requested
 * - persisted: the object carries exactly the text; only now may members be nominated, ungated,
 *   accepted in filter (plan_storage.h)
 * - Binding: begins when every member has voted, persisted with the ranks. Only then may a Binding
 *   be posted; the plan can only go forward (plan_step.h)
 * - aborting: removal of the text is requested; once the object is seen without it, the room is
 *   released (plan_loss.h)
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/plan_text.h"

/* Controllers recreate pods within seconds. */
enum { SKR_VACANCY_S = 10 };

/*
 * A place in a plan in state Binding whose pod is gone, held for its replacement. It ends after
 * SKR_VACANCY_S, at the plan's deadline, and when the group has no pod left. A daemon that takes over
 * does not hold it.
 */
struct vacancy {
    char *uid; /* of the lost pod; also names the ledger charge that holds the room */
    const char *node;
    int32_t rank;
    skr_time until;
    struct shape *shape; /* a reference: what is charged */
    bool of_role;        /* only a pod of that role may take it: plan_roles.h */
    uint8_t role;        /* of the group */
    char *role_name;     /* what its pod said; NULL: nothing */
    int32_t set;         /* -1: none */
};

/* A victim of a plan: a group or a single pod. */
struct plan_victim {
    char *text;   /* key of a group; for a pod "namespace/name@uid" */
    char *moved;  /* it goes there, as in the plan's text; NULL: it does not move */
    bool begun;   /* an eviction was requested, or its plan was taken */
    bool gone;    /* a group that left and may return: no longer named; victims_left.h */
    int32_t pods; /* running ones when it was chosen, >= 0 */
};

struct plan {
    struct group *group;
    enum group_source home; /* the kind of object that carries the text; plan_storage.c */
    uint64_t order;         /* of its members' writes: those of earlier plans go first */
    bool replacement;       /* other members already run: public status stays Bound */
    char id[SKR_PLAN_ID_LEN + 1];
    /* wants the point of no return; persisted when skr_plan_storage_is_persisted(); plan_step.c */
    bool binding;
    bool binding_persisted; /* state Binding was acknowledged once: no way back */
    bool aborting;          /* ending: waits for the persisted removal; plan_loss.c */
    bool preempting;        /* waits for its victims; preemption.c */
    bool preempted;         /* it had victims */
    int32_t evicted;        /* pods that were evicted for it */
    bool rollback;          /* a member was lost in Binding: bound ones will be deleted */
    bool check_nodes;       /* dirty.c: check whether it still holds */
    bool uncounted;         /* kube-scheduler alone evaluates claims of it: group/uncounted.h */
    bool idle;              /* in gang->idle_plans: skr_plan_note_idle() */
    int32_t class_;         /* lowest PriorityClass of its group's pods, when it was found idle */
    struct plan *iprev, *inext;
    bool dropped_members; /* the text omits "members": too long */
    struct {
        enum skr_reason reason;
        char *message;
        bool backoff; /* go to Backoff instead of Pending/Ready */
    } abort;
    skr_time created_at;
    skr_time heard_at;         /* the first call for a member since its activation */
    skr_time no_devices_since; /* members ask to bind, and claims of them have none; 0: all have */
    skr_time freed_at;         /* when its victims were gone; 0: not yet */
    skr_time deadline; /* planTimeout; while it waits for victims: skr_plan_note_victims() */
    bool was_wanted,
        had_room;      /* the deadline was moved: Binding was wanted; the victims were gone */
    size_t least_left; /* fewest pods of victims that were left, plus 1; 0: not looked at */
    size_t n_members;  /* pods with entry->plan == this */
    int32_t last_turn; /* greatest of its members'; 0: all are nominated at once */
    struct plan_victim *victim; /* while preempting */
    size_t n_victims;
    struct vacancy *vacancy;
    size_t n_vacancies, cap_vacancies;
    bool gave_up; /* a vacancy ended without a replacement */
    struct {
        uint64_t seen;     /* the stamp of the last look; 0: none yet */
        skr_time at;       /* no look before; 0: the plan has not begun to wait */
    } elsewhere;           /* room without its victims; preemption.c */
    struct skr_tree *tree; /* the tree it was made or last checked on; a reference */
    char *anchor; /* groups from labels: uid of the member that carries the text; else NULL */
    char *roles;  /* what members record of them: skr_group_composition(); NULL: nothing */
    char *text;   /* the wanted annotation; rebuilt when members or state change */
    size_t text_len;
    uint64_t carrier; /* version of the object that is known to carry the text; 0: none is */
};

#endif
