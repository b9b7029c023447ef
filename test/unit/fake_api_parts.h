/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_FAKE_API_PARTS_H
#define SKR_TEST_UNIT_FAKE_API_PARTS_H
/* What the files of the scripted API server share and tests need not see. */
#include <gnutls/gnutls.h>
#include <pthread.h>

#include "test/unit/fake_api.h"

enum { FAKE_REQUEST_MAX = 4 * 1024 * 1024, FAKE_STEPS_MAX = 256 };

struct fake_chunk {
    struct fake_chunk *next;
    char *text;
};

struct fake_conn {
    struct fake_api *api;
    struct fake_conn *next;
    pthread_t thread;
    int fd;
    gnutls_session_t tls;
    char *buffer; /* FAKE_REQUEST_MAX + 1 */
    size_t n;
    /* Of an open stream. */
    char *stream; /* its request line; NULL: none */
    struct fake_chunk *chunks;
    bool ending;
    enum fake_mode end;
    struct fake_source source;
    bool gone;
};

struct fake_set_step {
    struct fake_step step;
    bool used;
};

struct fake_request {
    char *text;
    struct fake_request *next;
};

struct fake_api {
    int listener;
    uint16_t port;
    pthread_t thread;
    bool listening;
    const struct fake_pki *pki;
    bool require_client;
    gnutls_certificate_credentials_t credentials;

    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t changed;
    bool stopping;
    struct fake_conn *conns;
    struct fake_set_step steps[FAKE_STEPS_MAX];
    size_t n_steps;
    struct fake_request *requests;
    struct fake_request **requests_end;
    char *released[FAKE_STEPS_MAX];
    size_t n_released;
    size_t busy;
    size_t peak;
    size_t n_accepted;
    fake_responder responder;
    void *responder_context;
};

/* fake_api.c */
char *fake_copy(const char *text); /* NULL: ""; free() it */
/* Whether match is part of the first line. */
bool fake_line_matches(const char *text, const char *match);

/* fake_api_wire.c */
void fake_wire_load_pki(struct fake_api *api);
bool fake_wire_begin(struct fake_conn *c); /* TLS, where it is asked for */
bool fake_wire_write(struct fake_conn *c, const char *data, size_t n);
void fake_wire_reset(const struct fake_conn *c); /* closing it will */
/* Reads one request; its length with the body, 0 at the end of the connection. */
size_t fake_wire_request(struct fake_conn *c, size_t *ret_head);

/* fake_api_answers.c */
/* "METHOD TARGET\nheaders\n\nbody". */
char *fake_request_text(const char *raw, size_t head, size_t n);
/* Lock held at call and return. text stays in the journal. Returns whether the connection can be
 * used on. */
bool fake_answer_request(struct fake_conn *c, char *text);
void fake_chunk_add(struct fake_conn *c, char *text); /* takes over text */
void fake_chunks_free(struct fake_conn *c);

#endif
