/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_SEAT_H
#define SKR_SERVER_DAEMON_SEAT_H
/*
 * An enabled scheduler in the daemon: its engine on its thread, its service, its workers, and the
 * messages between them. daemon.c owns the seats and orders their start and end.
 */
#include "server/daemon/engine_thread.h"
#include "server/daemon/schedulers.h"
#include "server/daemon/worker_thread.h"
#include "server/kube/client.h"

struct skr_seat {
    const struct skr_scheduler *scheduler;
    const struct skr_scheduler_row *row;
    void *service;
    struct skr_engine_thread *engine;
    struct skr_worker *worker;
    struct skr_worker *beside; /* for explanations, which must not delay plans */
    struct skr_kube *kube;     /* there before the engine runs */
    size_t subscriber;         /* of the kube client */
};

/* Objects and ends of writes, from the kube thread. context: a seat. */
void skr_seat_deliver(void *context, struct skr_event *event);
/* Starts workers and listeners, which produce events. Errors: those of the parts. */
int skr_seat_start(struct skr_seat *seat, struct skr_error *error);
/* The engine's thread, after all else. Errors: SKR_RETRY. */
int skr_seat_start_engine(struct skr_seat *seat, struct skr_error *error);

#endif
