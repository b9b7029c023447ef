/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_WRITER_H
#define SKR_SERVER_KUBE_WRITER_H
/*
 * Sends the engines' writes and read-backs, many at a time, through the token buckets of backlog.h.
 * Namespaces take turns (turns.h). Lower classes may not take the last free places, so slow Events
 * never delay a Binding: see slots_for().
 *
 * Outcomes:
 *   2xx                                         OK
 *   409                                         CONFLICT
 *   404, 410                                    NOT_FOUND
 *   403                                         DENIED
 *   401, 429, with the server's Retry-After     BUSY
 *   other 4xx and 3xx, an unreadable read-back  INVALID
 *   408, 5xx, timeouts, resets, broken answers  UNKNOWN
 *   no connection: never sent, http_status 0    BUSY
 * Nothing is sent again here: the engine decides that.
 *
 * Kube thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/frame/action.h"
#include "server/kube/transfer.h"

enum {
    SKR_KUBE_ANSWER_MAX = 16 * 1024 * 1024, /* bytes of an answer; beyond it the outcome is
                                               UNKNOWN */
};

/* A write with all its texts, in one block; made on any thread. */
struct skr_kube_job {
    struct skr_kube_job *next;
    const struct skr_kube_subscriber *from; /* gets the outcome */
    struct skr_write write;
    char text[];
};

/* Copies write. NULL without memory. free() it. */
struct skr_kube_job *skr_kube_job_create(const struct skr_kube_subscriber *from,
                                         const struct skr_write *write);

struct skr_writer;

struct skr_writer *skr_writer_create(struct skr_kube_session *session);
void skr_writer_destroy(struct skr_writer *writer); /* NULL allowed; nothing may be left in it */

/* Takes the job. Beyond the limits of the options it is answered DROPPED at once. */
void skr_writer_put(struct skr_writer *writer, struct skr_kube_job *job);
/* Sends what may be sent; returns when to call again at the latest, INT64_MAX: an answer will. */
int64_t skr_writer_tick(struct skr_writer *writer, int64_t now);
size_t skr_writer_in_flight(const struct skr_writer *writer);

/* Answers DROPPED to all that is queued. */
void skr_writer_drop_queued(struct skr_writer *writer, const char *why);
/* Ends what is in flight; answered UNKNOWN. */
void skr_writer_abandon(struct skr_writer *writer, const char *why);

/* Pure; also for tests and for the simulated API server. */
enum skr_write_outcome skr_writer_outcome_of(int http_status);
/* Fills the event, except its write, from the status and the JSON of an answer. json NULL: error says
 * why there is none. The event borrows both and owns the decoded object. */
void skr_writer_read_answer(const struct skr_write *write, int http_status, const json_t *json,
                            struct skr_event *event, struct skr_error *error);

#endif
