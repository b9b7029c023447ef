/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_POSTER_H
#define SKR_SERVER_LAB_SANDBOX_POSTER_H
/*
 * POSTs of JSON, any number at once, as Go's net/http client sends them: HTTP/1.1, reused
 * connections, no Expect, one time limit for the exchange, never retried. One thread with one
 * libcurl multi handle; waiting calls cost nothing. Errors use Go's words, because kube-scheduler
 * puts them into conditions of pods.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/error.h"
#include "topology/object.h"

enum {
    SKR_POSTER_ANSWER_MAX = 64 * 1024 * 1024, /* bytes of one answer's body */
};

struct skr_post_answer {
    int status;       /* HTTP; 0: no answer */
    const char *body; /* NUL-terminated; "" unless status is 200. Borrowed during the call */
    size_t n;
    const char *error; /* why the answer is missing or incomplete; NULL: it is complete */
    bool dropped;      /* the poster was stopped first */
};
/* Called on the poster's thread, or in skr_poster_stop(). */
typedef void skr_post_done(void *context, const struct skr_post_answer *answer);

struct skr_poster;

/* Starts the thread. Errors: SKR_RETRY, SKR_NO_MEMORY. */
int skr_poster_create(struct skr_poster **ret, struct skr_error *error);
/* Sends body (heap, taken) to the URL; done is called exactly once, in any case. timeout: for the
 * whole exchange. Never waits. Any thread. */
void skr_poster_post(struct skr_poster *poster, const char *url, char *body, size_t n,
                     skr_time timeout, skr_post_done *done, void *context);
/* Ends all exchanges at once, with their connections, and the thread. Drops later posts. A second
 * call has no effect. One thread. */
void skr_poster_stop(struct skr_poster *poster);
void skr_poster_destroy(struct skr_poster *poster); /* stops it first if needed; NULL allowed */

#endif
