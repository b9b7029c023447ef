/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_CALLER_H
#define SKR_SERVER_KUBE_CALLER_H
/*
 * Sends one request at a time and waits for the answer, on its own connections: for threads that
 * must not depend on the kube thread (the Lease), for questions before that thread runs
 * (permissions), and for commands that read a daemon's pages.
 *
 * One thread, but for skr_caller_interrupt().
 */
#include <jansson.h>

#include "server/kube/access.h"
#include "topology/base/strbuf.h"
#include "topology/object.h"

struct skr_caller;

enum { SKR_CALLER_ANSWER_MAX = 1024 * 1024 }; /* bytes, where a call says nothing else */

/* access is taken over, also on errors. SKR_NO_MEMORY, SKR_BUG. */
int skr_caller_create(struct skr_kube_access *access, const char *user_agent,
                      struct skr_caller **ret, struct skr_error *error);
void skr_caller_destroy(struct skr_caller *caller); /* NULL allowed */

struct skr_call {
    const char *method;      /* GET, POST, PUT, PATCH (a merge patch), DELETE */
    const char *target;      /* path and query from '/', escaped */
    const char *body;        /* JSON; NULL: none */
    skr_time timeout;        /* of the whole exchange; more than 0 */
    size_t answer_max;       /* bytes; beyond it there is no answer. 0: SKR_CALLER_ANSWER_MAX */
    struct skr_strbuf *text; /* takes an answer 200 as it came; NULL: it is read as JSON */
};

struct skr_call_answer {
    int http_status;                  /* 0: no answer */
    bool never_sent;                  /* no connection came about, so nothing can have happened */
    bool too_large;                   /* beyond answer_max */
    json_t *json;                     /* of the answer; NULL: none that is JSON */
    char message[SKR_ERROR_TEXT_MAX]; /* of a failure: the Status, or the transport; "" */
};
/* Also for SKR_CLEANUP(). */
void skr_call_answer_fini(struct skr_call_answer *answer);

/* Waits for the end. *ret is set in any case. */
void skr_caller_call(struct skr_caller *caller, const struct skr_call *call,
                     struct skr_call_answer *ret);
/* While on, the running call and later ones end at once without an answer. Any thread. */
void skr_caller_interrupt(struct skr_caller *caller, bool on);

/* The address of the server, for messages; borrowed. */
const char *skr_caller_server(const struct skr_caller *caller);

#endif
