/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_HEALTH_H
#define SKR_SERVER_DAEMON_HEALTH_H
/*
 * The checks of /livez and /readyz. Live: every thread makes progress. A thread that spends half a
 * minute on one message will not recover, so the process should be killed. Ready: the caches are
 * complete and not old, the process is not ending, and, among replicas behind a Service or where it
 * should be alone, it leads.
 *
 * Checks run on the threads of the listeners and take no time.
 */
#include <stdatomic.h>

#include "core/schedulers.h"
#include "server/daemon/engine_thread.h"
#include "server/daemon/leader.h"
#include "server/http/admin.h"
#include "server/kube/client.h"

#define SKR_HEALTH_WEDGED (30 * SKR_SECOND) /* the kube thread begins a round every ten at least */

/* What is looked at; borrowed, set before the listeners start. */
struct skr_health {
    struct skr_engine_thread *engine[SKR_SCHEDULER_COUNT];
    size_t n_engines;
    struct skr_kube *kube;
    struct skr_leader *leader; /* NULL: not looked at */
    bool alone;                /* leaderElection.mode none: there should be no other daemon */
    skr_time wedged_after;     /* at one thing: the process is to be killed; SKR_HEALTH_WEDGED */
    atomic_bool stopping;
};

/* Fill check (of SKR_ADMIN_CHECKS_MAX) and return how many. health outlives the listeners. */
size_t skr_health_live(struct skr_health *health, struct skr_admin_check *check);
size_t skr_health_ready(struct skr_health *health, struct skr_admin_check *check);

/* Every engine has its first lists. */
bool skr_health_is_synced(const struct skr_health *health);
/* The longest time that an engine has spent on its present message. */
skr_time skr_health_busy(const struct skr_health *health);

#endif
