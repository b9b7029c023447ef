/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_ACTION_H
#define SKR_CORE_FRAME_ACTION_H
/*
 * What an engine wants done. A list is filled by skr_engine_handle() and carried out by the shell in
 * order. All memory of a list is its own (an arena), but for pieces of work, which are handed over.
 */
#include "core/frame/query.h"
#include "core/frame/work.h"
#include "core/frame/write.h"

enum skr_action_kind {
    SKR_ACTION_ANSWER,   /* of a request, at once or held before */
    SKR_ACTION_WRITE,    /* one API request; its outcome comes back as SKR_EVENT_WRITE_DONE */
    SKR_ACTION_WORK,     /* run, report SKR_EVENT_WORK_DONE */
    SKR_ACTION_CANCEL,   /* of work; its WORK_DONE still comes */
    SKR_ACTION_TIMER,    /* the one timer: SKR_EVENT_TIMER at this time; replaces the earlier one;
                            SKR_TIME_NEVER: none */
    SKR_ACTION_DECISION, /* for the log: what was decided, once per change */
    SKR_ACTION_QUERY,    /* to other services; the replies come back as SKR_EVENT_REPLIES */
    SKR_ACTION_WATCH,    /* start a watch on demand; its first list ends with SKR_EVENT_LISTED */
    SKR_ACTION_KIND_COUNT
};

struct skr_decision {
    const char *kind;   /* constant: of what it is about, as a key of the log: "group" */
    const char *key;    /* namespace/name, "" when not about one */
    const char *pod;    /* namespace/name, "" when not about a pod */
    const char *what;   /* constant: "Group bound", "Plan aborted", ... */
    const char *status; /* that it has now; NULL: this is not about a status */
    const char *reason;
    const char *message;
    bool is_error;
};

struct skr_action {
    enum skr_action_kind kind;
    union {
        struct {
            uint64_t request;
            const void *body; /* of the scheduler's type; it and all it points to in the list */
        } answer;
        struct skr_write write;
        struct skr_work *work; /* handed over to the shell */
        uint64_t cancel;
        struct skr_query query; /* it and all it points to in the list */
        const struct skr_object_type *watch;
        skr_time timer;
        struct skr_decision decision;
    };
};

struct skr_actions {
    size_t n;
    size_t cap;
    struct skr_action *item;
    struct skr_arena *arena;
};

void skr_actions_init(struct skr_actions *actions);
/* Empty again. The caller has taken over the work; a piece that it has not taken would leak. */
void skr_actions_reset(struct skr_actions *actions);
/* Frees the list and the work still in it: a shell that keeps a piece sets item.work to NULL or
 * resets the list before. */
void skr_actions_fini(struct skr_actions *actions);
/* A new last action, zero but for its kind. */
struct skr_action *skr_actions_add(struct skr_actions *actions, enum skr_action_kind kind);
/* Memory of the list; abort on failure. */
void *skr_actions_copy(struct skr_actions *actions, const void *data, size_t n);
const char *skr_actions_copy_string(struct skr_actions *actions, const char *s); /* NULL: "" */

/* Where actions go; what they get is borrowed for the call, but for work, which is handed over. NULL:
 * actions of that kind are passed over. */
struct skr_outlets {
    void *context;
    void (*answer)(void *context, uint64_t request, const void *body);
    void (*write)(void *context, const struct skr_write *write);
    void (*work)(void *context, struct skr_work *work);
    void (*cancel)(void *context, uint64_t id);
    void (*query)(void *context, const struct skr_query *query);
    void (*watch)(void *context, const struct skr_object_type *type);
    void (*decide)(void *context, const struct skr_decision *decision);
};
/* Carries the list out, in order, and resets it. *timer: when the timer was asked for. */
void skr_actions_carry_out(struct skr_actions *actions, const struct skr_outlets *outlets,
                           skr_time *timer);

#endif
