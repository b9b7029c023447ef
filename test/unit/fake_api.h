/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_FAKE_API_H
#define SKR_TEST_UNIT_FAKE_API_H
/*
 * A scripted API server on 127.0.0.1, for tests of HTTP clients: raw sockets and one thread a
 * connection, so that it can send half lines, reset, hang up without an answer or stay silent. The
 * sandbox of the lab cannot stand in: it behaves, and its listener is the one under test.
 *
 * Every request is written down. It is answered by the first step that matches and was not used
 * yet, else by the responder, else: a watch gets an open stream, a list an empty list of version 1,
 * all else a 200 with a Status. "match" is a part of "METHOD TARGET"; NULL or "" matches all.
 * A match with labelSelector= has the whole selector, or ends in a dot.
 * Waiting functions give up after FAKE_DEADLINE_S and fail the test. Thread safe.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { FAKE_DEADLINE_S = 120 };

enum fake_mode {
    FAKE_ANSWER, /* status, headers, body; connection kept */
    FAKE_STREAM, /* chunked, body (may be NULL) first; stays open for fake_api_send */
    FAKE_HANG,   /* as FAKE_ANSWER after fake_api_release */
    FAKE_CLOSE,  /* closes without an answer */
    FAKE_RESET,  /* resets without an answer */
    FAKE_SHORT,  /* as FAKE_ANSWER, but ends after half of the body */
    FAKE_PASS,   /* the responder answers */
    FAKE_LOST,   /* the responder takes the request, its answer is a reset */
};

struct fake_step {
    const char *match; /* strings are copied */
    enum fake_mode mode;
    int status;          /* 0: 200 */
    const char *headers; /* "Retry-After: 1\r\n"; NULL: none */
    const char *body;    /* NULL: "" */
    bool forever;        /* not used up */
    int skip;            /* so many matching requests are left to the next step first */
    int delay_ms;        /* before anything else happens */
};

/* PEM texts for 127.0.0.1 and "kubernetes", made anew in every process; borrowed. */
struct fake_pki {
    const char *ca;
    const char *server_cert;
    const char *server_key;
    const char *client_cert; /* common name "sakkara" */
    const char *client_key;
};
const struct fake_pki *fake_pki_get(void);
void fake_pki_free(void); /* at the end of the process */

/* Where the chunks of a stream come from. */
struct fake_source {
    void *context; /* NULL: from fake_api_send() alone */
    /* Waits for the next one, on a thread of the stream's, without the lock; heap, NULL: the end. */
    char *(*next)(void *context);
    void (*stop)(void *context); /* next() returns NULL soon; another thread */
    void (*destroy)(void *context);
};

struct fake_reply {
    int status;  /* 0: none, the connection is reset */
    char *body;  /* heap, taken over; NULL: "" */
    bool stream; /* a watch: body is its first chunk */
    bool end;    /* and its last */
    struct fake_source source;
};
/* request: as fake_api_request() returns it. Called with the lock held (fake_api_lock). */
typedef struct fake_reply (*fake_responder)(void *context, const char *request);

struct fake_api;
/* pki NULL: plain HTTP. require_client: a certificate of that CA is demanded. */
struct fake_api *fake_api_start(const struct fake_pki *pki, bool require_client);
void fake_api_stop(struct fake_api *api); /* ends all connections, joins, frees; NULL allowed */
/* Stops listening and ends all connections; the port stays its own, connections are refused. */
void fake_api_go_down(struct fake_api *api);
void fake_api_come_up(struct fake_api *api);
uint16_t fake_api_port(const struct fake_api *api);

void fake_api_expect(struct fake_api *api, const struct fake_step *step);
/* Before the first request. */
void fake_api_respond(struct fake_api *api, fake_responder responder, void *context);

/* The one lock, for a responder's state; not recursive, and not to be held when another function of
 * this header is called but the three that follow. */
void fake_api_lock(struct fake_api *api);
/* False: the caller has the lock already, as an assertion that failed leaves it. */
bool fake_api_lock_unless_held(struct fake_api *api);
void fake_api_unlock(struct fake_api *api);
/* Something a waiting thread may wait for has changed. */
void fake_api_changed(struct fake_api *api);
/* Waits for that, until a time of CLOCK_REALTIME; false when it is over. */
bool fake_api_wait(struct fake_api *api, const struct timespec *until);
/* As fake_api_end() at once for every open stream that matches, after sending text (NULL: none).
 * Returns their number. */
size_t fake_api_break(struct fake_api *api, const char *match, const char *text,
                      enum fake_mode how);

size_t fake_api_count(struct fake_api *api, const char *match);
void fake_api_wait_count(struct fake_api *api, const char *match, size_t n);
/* "METHOD TARGET\nheader lines\n\nbody" of the i-th matching request (from 0, waited for); free().
 */
char *fake_api_request(struct fake_api *api, const char *match, size_t i);

/* One HTTP chunk into the newest open stream that matches (waited for). */
void fake_api_send(struct fake_api *api, const char *match, const char *text);
/* Ends it: FAKE_ANSWER properly, FAKE_CLOSE in the middle, FAKE_RESET with a reset. */
void fake_api_end(struct fake_api *api, const char *match, enum fake_mode how);
/* Lets hanging requests that match go on, also those to come. */
void fake_api_release(struct fake_api *api, const char *match);
/* Most requests that were being handled at the same moment (watches and lists apart). */
size_t fake_api_peak(struct fake_api *api);
/* Connections accepted so far. */
size_t fake_api_connections(struct fake_api *api);
void fake_api_wait_connections(struct fake_api *api, size_t n);

#endif
