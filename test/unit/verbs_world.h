/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_VERBS_WORLD_H
#define SKR_TEST_UNIT_VERBS_WORLD_H
/* The verbs over real sockets with an engine that the test plays itself. What is not as it must be
 * fails the test. */
#include <pthread.h>
#include <stdatomic.h>

#include "server/http/verbs.h"
#include "test/unit/http_client.h"

#define POD \
    "{\"metadata\":{\"name\":\"a-0\",\"namespace\":\"default\",\"uid\":\"u-0\"},\"spec\":{}}"
#define FILTER "{\"Pod\":" POD ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"]}"
#define BIND   "{\"PodName\":\"a-0\",\"PodNamespace\":\"d\",\"PodUID\":\"u-0\",\"Node\":\"n1\"}"

enum { WAIT_S = 60 };

struct posted {
    struct skr_event event;
    void (*release)(void *keep);
    void *keep;
    struct posted *next;
};

struct world {
    struct skr_verbs *verbs;
    struct skr_metrics *metrics;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct posted *first;
    struct posted **last;
    bool answer_at_once; /* on the listener's thread, before post returns */
    int all_gone;        /* so often the last connection was closed; under lock */
    atomic_int log_lines;
    char log_text[512]; /* the last line; under lock */
};

/* Ports are free ones; time limits in ms, 0: the default. */
struct world *world_open(void);
struct world *world_open_with(const struct skr_tls_files *tls, int request_timeout_ms,
                              int idle_timeout_ms);
void world_close(struct world *world);
uint16_t world_port(const struct world *world);
uint16_t world_bind_port(const struct world *world);

/* What it plugs into the verbs, for tests that make their own; context is the world. */
void world_on_post(void *context, const struct skr_event *event, void (*release)(void *keep),
                   void *keep);

/* The next event, waited for; world_drop() it. */
struct posted *world_take(struct world *world);
void world_drop(struct posted *posted);
/* Takes a request of this verb, or a hang-up, and returns its id. */
uint64_t world_take_request(struct world *world, enum skr_gang_verb verb);
uint64_t world_take_hangup(struct world *world);
/* Waits until the last connection has been closed so often. */
void world_wait_all_gone(struct world *world, int times);
/* Whether somebody still waited for it. */
bool world_answer(struct world *world, uint64_t request, enum skr_answer_kind kind,
                  const char *text);
/* Frees the answer. */
void world_expect(struct http_answer got, int status, const char *body);

#endif
