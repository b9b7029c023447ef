/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_ACTION_H
#define SKR_CORE_GANG_ACTION_H
/*
 * What the engine wants done. A list is filled by skr_engine_handle() and carried out by the shell
 * in order. All memory of a list is its own (an arena), but for solve problems, which are handed
 * over.
 */
#include "core/solver/solver.h"
#include "topology/object.h"

/* Names of their own beside core/frame/action.h, whose lists take their place. */
#define skr_actions_init     skr_gang_actions_init
#define skr_actions_reset    skr_gang_actions_reset
#define skr_actions_fini     skr_gang_actions_fini
#define skr_write_class_name skr_gang_write_class_name

enum skr_action_kind {
    SKR_ACTION_ANSWER,       /* a verb, at once or a parked bind */
    SKR_ACTION_HOLD,         /* the bind request stays open; watch it for a hang-up */
    SKR_ACTION_WRITE,        /* one API request; its outcome comes back as SKR_EVENT_WRITE_DONE */
    SKR_ACTION_SOLVE,        /* run, report SKR_EVENT_SOLVED */
    SKR_ACTION_CANCEL_SOLVE, /* its SOLVED still comes */
    SKR_ACTION_TIMER,    /* the one timer: SKR_EVENT_TIMER at this time; replaces the earlier one;
                            SKR_TIME_NEVER: none */
    SKR_ACTION_DECISION, /* for the log: what was decided, once per change */
    SKR_ACTION_EXPLAIN,  /* the answer to an SKR_EVENT_EXPLAIN */
    SKR_ACTION_KIND_COUNT
};

/* Order of the one rate limiter (docs/ARCHITECTURE.md); lower goes first. EVENT may be dropped. */
enum skr_write_class {
    SKR_WRITE_CLASS_LEASE,
    SKR_WRITE_CLASS_COMMIT, /* plan, Binding and abort commits, Bindings, read-backs */
    SKR_WRITE_CLASS_MEMBER, /* gates and nominations, by order of the plans */
    SKR_WRITE_CLASS_EVICT,
    SKR_WRITE_CLASS_STATUS, /* map status */
    SKR_WRITE_CLASS_LABEL,  /* labels that only inform */
    SKR_WRITE_CLASS_EVENT,
    SKR_WRITE_CLASS_COUNT
};

enum skr_write_kind {
    SKR_WRITE_BINDING,          /* POST pods/NAME/binding */
    SKR_WRITE_PATCH_POD,        /* merge patch */
    SKR_WRITE_UNGATE_POD,       /* strategic merge patch: lists are merged by name */
    SKR_WRITE_PATCH_POD_STATUS, /* merge patch of the status subresource */
    SKR_WRITE_PATCH_CONFIGMAP,
    SKR_WRITE_PATCH_PODGROUP,
    SKR_WRITE_CREATE_EVENT, /* POST events.k8s.io/v1 into namespace */
    SKR_WRITE_EVICT,        /* POST pods/NAME/eviction */
    SKR_WRITE_DELETE_POD,
    SKR_WRITE_GET_POD, /* read-backs after an unknown outcome or a conflict */
    SKR_WRITE_GET_CONFIGMAP,
    SKR_WRITE_GET_PODGROUP,
    SKR_WRITE_KIND_COUNT
};

struct skr_write {
    uint64_t id;
    enum skr_write_kind kind;
    enum skr_write_class class;
    uint64_t order; /* within the class: lower goes first, equal ones as they come */
    const char *namespace_;
    const char *name;
    const char *body; /* JSON; "" for GETs */
    size_t body_len;
};

enum skr_answer_kind {
    SKR_ANSWER_ERROR,        /* Error: text */
    SKR_ANSWER_FILTER_ALL,   /* all names pass */
    SKR_ANSWER_FILTER_ONE,   /* name with this index passes, the rest is left out */
    SKR_ANSWER_FILTER_NONE,  /* every name unresolvable with text */
    SKR_ANSWER_FILTER_MASK,  /* bit i set: passes; else unresolvable with text */
    SKR_ANSWER_SCORES,       /* prioritize: one score 0..10 per name */
    SKR_ANSWER_PREEMPT_MASK, /* bit i set: candidate i is kept */
    SKR_ANSWER_BOUND,        /* bind: success */
    SKR_ANSWER_KIND_COUNT
};

struct skr_answer {
    uint64_t request;
    enum skr_answer_kind kind;
    const char *text; /* constant, never NULL; "" where unused */
    size_t index;
    size_t n;             /* entries of mask/scores */
    const uint8_t *mask;  /* (n + 7) / 8 bytes */
    const int8_t *scores; /* n */
};

/* A problem with everything it borrows: the struct from skr_alloc(), the arrays in its arena. The
 * shell passes &request->problem to skr_solve() and destroys the request after the SOLVED event was
 * handled. */
struct skr_solve_request {
    uint64_t id;
    struct skr_problem problem;
    const uint16_t *resource;    /* [problem.n_resources] the engine's ids, in the arena */
    bool is_explanation;         /* nothing is planned with it: it must not keep plans waiting */
    const struct skr_tree *tree; /* a reference */
    struct skr_arena *arena;
    atomic_bool cancel;
};
void skr_solve_request_destroy(struct skr_solve_request *request); /* NULL allowed */

struct skr_decision {
    const char *group; /* namespace/name, "" when not about a group */
    const char *pod;   /* namespace/name, "" when not about a pod */
    const char *what;  /* constant: "Group bound", "Plan aborted", ... */
    const char *reason;
    const char *message;
    bool is_error;
};

enum skr_explain_status {
    SKR_EXPLAIN_FOUND,
    SKR_EXPLAIN_NOT_FOUND, /* no such group, and no pod names it */
    SKR_EXPLAIN_NOT_NOW,   /* not ready, not leader, shutting down, or too many ask */
    SKR_EXPLAIN_STATUS_COUNT
};

struct skr_explain_answer {
    uint64_t request;
    enum skr_explain_status status;
    const char
        *json; /* FOUND: docs/reference.md, "Explanations"; else a Status (core/gang/pages.h) */
    size_t json_len;
};

struct skr_action {
    enum skr_action_kind kind;
    union {
        struct skr_answer answer;
        struct {
            uint64_t request;
            skr_time deadline;
        } hold;
        struct skr_write write;
        struct skr_solve_request *solve; /* handed over to the shell */
        uint64_t cancel_solve;
        skr_time timer;
        struct skr_decision decision;
        struct skr_explain_answer explain;
    };
};

struct skr_actions {
    size_t n;
    size_t cap;
    struct skr_action *item;
    struct skr_arena *arena;
};

void skr_actions_init(struct skr_actions *actions);
/* Empty again. The caller has taken over the solve requests; one that it has not taken would leak.
 */
void skr_actions_reset(struct skr_actions *actions);
/* Frees the list and the solve requests still in it: a shell that keeps one sets item.solve to NULL
 * or resets the list before. */
void skr_actions_fini(struct skr_actions *actions);

const char *skr_write_kind_name(enum skr_write_kind kind);
const char *skr_write_class_name(enum skr_write_class class);

#endif
