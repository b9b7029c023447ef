/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_REQUESTS_H
#define SKR_CORE_GANG_STATE_REQUESTS_H
/*
 * Requests to the gang scheduler (SKR_EVENT_REQUEST) and its answers (SKR_ACTION_ANSWER): the verbs
 * of a kube-scheduler extender, and why a group is not placed.
 */
#include "core/pod/pod.h"

enum skr_gang_verb {
    SKR_GANG_FILTER,     /* struct skr_filter_request */
    SKR_GANG_PRIORITIZE, /* struct skr_filter_request */
    SKR_GANG_PREEMPT,    /* struct skr_preempt_request */
    SKR_GANG_BIND,       /* struct skr_bind_request; may be held */
    SKR_GANG_EXPLAIN,    /* struct skr_explain_request; answered later, possibly after a solve */
    SKR_GANG_SERVER_IS,  /* int32_t, no answer: the new settings.server_minor */
    SKR_GANG_VERB_COUNT
};

/* All pointers of a request are borrowed for the event. */
struct skr_filter_request {
    const struct skr_pod *pod; /* as in the request */
    size_t n_nodes;
    const char *const *node; /* candidate names; may have duplicates */
};

/* Candidates of a preempt request: victims of a node by UID. */
struct skr_preempt_node {
    const char *node;
    size_t n_uids;
    const char **uid;
};
struct skr_preempt_request {
    const struct skr_pod *pod;
    size_t n_nodes;
    const struct skr_preempt_node *node;
};

struct skr_bind_request {
    const char *namespace_;
    const char *name;
    const char *uid;
    const char *node;
};

/* A question instead of an explanation: whether the group would be placed if it were different. */
struct skr_what_if {
    size_t n_changes;
    const struct skr_label *change; /* path and value of core/group/change.h */
    size_t n_without;
    const char *const *without; /* nodes that take no member; members that run there move */
};
enum {
    SKR_WHAT_IF_CHANGES_MAX = 16,
    SKR_WHAT_IF_WITHOUT_MAX = 64,
    SKR_WHAT_IF_PATIENCE_S = 2, /* from a request to its answer */
};

struct skr_explain_request {
    const char *namespace_;
    const char *name; /* of a group or of its map */
    bool preempt;     /* also compute its victims */
    bool standing;    /* of a dump, in which nothing is decided: option preemption counts as true */
    const struct skr_what_if *what_if; /* NULL: none */
};

enum skr_answer_kind {
    SKR_ANSWER_ERROR,        /* Error: text */
    SKR_ANSWER_FILTER_ALL,   /* all names pass */
    SKR_ANSWER_FILTER_ONE,   /* the name with this index passes, the rest is left out */
    SKR_ANSWER_FILTER_NONE,  /* every name unresolvable with text */
    SKR_ANSWER_FILTER_MASK,  /* bit i set: passes; else unresolvable with text */
    SKR_ANSWER_SCORES,       /* prioritize: one score 0..10 per name */
    SKR_ANSWER_PREEMPT_MASK, /* bit i set: candidate i is kept */
    SKR_ANSWER_BOUND,        /* bind: success */
    SKR_ANSWER_EXPLANATION,  /* explain */
    SKR_ANSWER_KIND_COUNT
};

enum skr_explain_status {
    SKR_EXPLAIN_FOUND,
    SKR_EXPLAIN_NOT_FOUND, /* no such group, and no pod names it */
    SKR_EXPLAIN_NOT_NOW,   /* not ready, not leader, shutting down, or too many requests */
    SKR_EXPLAIN_REFUSED,   /* what_if: a change that the group cannot have */
    SKR_EXPLAIN_LATE,      /* what_if: no answer within SKR_WHAT_IF_PATIENCE_S */
    SKR_EXPLAIN_STATUS_COUNT
};

int skr_explain_code(enum skr_explain_status status); /* of HTTP; explain_request.c */

struct skr_explain_answer {
    enum skr_explain_status status;
    /* FOUND: docs/reference.md, "Explanations" and "What if"; else a Status
     * (core/gang/state/pages.h) */
    const char *json;
    size_t json_len;
};

/* The body of an answer; its pointers are valid as long as the list of actions. */
struct skr_answer {
    uint64_t request;
    enum skr_answer_kind kind;
    const char *text; /* constant, never NULL; "" where unused */
    size_t index;
    size_t n;             /* entries of mask/scores */
    const uint8_t *mask;  /* (n + 7) / 8 bytes */
    const int8_t *scores; /* n */
    struct skr_explain_answer explanation;
};

#endif
