/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_REQUEST_JSON_H
#define SKR_SERVER_HTTP_REQUEST_JSON_H
/*
 * Bodies of the extender's verbs (k8s.io/kube-scheduler/extender/v1: ExtenderArgs,
 * ExtenderPreemptionArgs, ExtenderBindingArgs). The Go structs carry no tags: keys are the Go names
 * and are matched without regard to case, the last of equal keys counts, unknown keys are ignored,
 * null is the zero value (but takes nothing back), integers must be written as integers.
 *
 * Decoded arguments own the body and everything that points into it. They are immutable after
 * parsing and may be read by several threads.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gang/state/requests.h"
#include "core/pod/pod.h"
#include "core/pod/shapes.h"

enum skr_verb {
    SKR_VERB_FILTER,
    SKR_VERB_PRIORITIZE,
    SKR_VERB_PREEMPT,
    SKR_VERB_BIND,
    SKR_VERB_COUNT
};

enum {
    SKR_VERB_NODES_MAX = 1 << 18, /* nodes of one filter or preempt request */
};

/* A part of the body; not NUL-terminated. */
struct skr_body_part {
    const char *s;
    size_t len;
};

struct skr_verb_args {
    enum skr_verb verb;
    struct skr_pod *pod; /* all but BIND */

    /* FILTER, PRIORITIZE: the names asked about, in their order. */
    size_t n_nodes;
    const char **node;
    bool nodes_form;            /* asked with Nodes, not with NodeNames */
    struct skr_body_part *item; /* nodes_form: [n_nodes] the Node objects as they came */

    /* PREEMPT: the candidates in the order of the text. Victims without a UID are refused. */
    size_t n_candidates;
    struct skr_preempt_node *candidate;
    int64_t *pdb_violations; /* [n_candidates] NumPDBViolations */

    /* BIND */
    const char *namespace_;
    const char *name;
    const char *uid;
    const char *bind_node;

    /* Memory. */
    char *body;
    json_t *json;
    struct skr_arena *arena;
};

/* body (len bytes, heap memory) is taken over, also on failure. Errors: SKR_INVALID with what is
 * wrong and where, SKR_LIMIT (SKR_VERB_NODES_MAX, a too large pod). On success *ret must be given
 * to skr_verb_args_fini(); on failure it is empty. shapes: of the calling thread, where pods of filter and
 * prioritize find what they share; NULL: they share nothing. Cost O(len). */
int skr_verb_args_parse(enum skr_verb verb, char *body, size_t len, struct skr_pod_shapes *shapes,
                        struct skr_verb_args *ret, struct skr_error *error);
void skr_verb_args_fini(struct skr_verb_args *args); /* an empty one is allowed */

const char *skr_verb_name(enum skr_verb verb); /* "filter", ... */

#endif
