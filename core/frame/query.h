/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_QUERY_H
#define SKR_CORE_FRAME_QUERY_H
/*
 * Questions to other services than the API server, such as an estimator of each cluster. One query
 * asks several services the same kind of question. One event brings all replies: when the last one
 * is there, or when the time is over. An engine decides nothing about addresses and connections; the
 * shell has them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/object.h"

struct skr_question {
    const char *service; /* name; the shell makes an address of it */
    const void *body;    /* in the encoding of the service */
    size_t body_len;
};

struct skr_query {
    uint64_t id;        /* given by the frame */
    const char *key;    /* what it is about */
    const char *method; /* constant: what is asked of each service */
    skr_time timeout;   /* for all replies together; more than 0 */
    size_t n;
    const struct skr_question *question;
};

/* To the question of the same index. */
struct skr_reply {
    bool answered;
    const void *body; /* if answered */
    size_t body_len;
    const char *failure; /* if not: why, for people; never NULL then */
};

/* What a query came to. */
struct skr_replies {
    uint64_t id;
    const char *key; /* of the query */
    size_t n;
    const struct skr_reply *reply;
};

#endif
