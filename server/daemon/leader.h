/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_LEADER_H
#define SKR_SERVER_DAEMON_LEADER_H
/*
 * The one elector of the process: a thread that keeps, seeks or gives back the Lease
 * (core/frame/leadership.h) and reports when this process begins and ends to lead. All engines of
 * the process lead together.
 *
 *   none       one process. It holds the Lease nevertheless, so that a second installation by
 *              mistake, or a daemon on a laptop, waits instead of deciding beside it. Its successor
 *              in the same container takes the Lease at once (life_sign.h)
 *   lease      several replicas, each may lead
 *   scheduler  a sidecar of a kube-scheduler: may lead while the scheduler beside it holds the
 *              scheduler's own lease. The Lease is needed all the same: at a change of schedulers it
 *              keeps the old daemon and the new one apart
 *
 * skr_leader_may_write() is the last check before each request that changes something. A process
 * that was paused for longer than its Lease therefore sends nothing when it wakes.
 */
#include <stdbool.h>

#include "server/kube/access.h"
#include "topology/base/error.h"
#include "topology/object.h"

struct skr_leader;

enum { SKR_LEADER_NAME_MAX = 254 }; /* bytes of a name with its NUL */
#define SKR_LEADER_FRESH_TIME SKR_SECOND

struct skr_leader_options {
    const char *namespace_; /* of the Lease; all strings are copied */
    const char *name;
    const char *host;                /* of this pod: its name */
    const char *scheduler_namespace; /* of the scheduler's lease; */
    const char *scheduler_name;      /* "": not mode scheduler */
    bool alone;                      /* mode none */
    bool beside; /* looks for other installations (core/frame/installations.h) and stands aside */
    const char
        *trusted; /* namespaces whose Leases count whatever their accounts may do: separated by
                            commas, or "*" */
    const char *user_agent;
    /* Leadership begins or ends. On the elector's thread; not twice the same. */
    void (*report)(void *context, bool leads);
    /* Whether this process can do the work; called before every renewal. NULL: always true. */
    bool (*fit)(void *context);
    /* Another process may have used a Lease that was won. freshen() asks for all earlier writes, and
     * the report waits for is_fresh(), SKR_LEADER_FRESH_TIME at most. Both, or both NULL. */
    void (*freshen)(void *context);
    bool (*is_fresh)(void *context);
    void *context;
};

/* Starts as one that does not lead, without a report. access is taken over, also on errors. */
int skr_leader_create(const struct skr_leader_options *options, struct skr_kube_access *access,
                      struct skr_leader **ret, struct skr_error *error);
/* Gives the Lease back, so that another may take it at once, and leads no longer; waits at most
 * `timeout` for the API server. Nothing that leadership allowed may be under way any more. NULL
 * allowed. */
void skr_leader_resign(struct skr_leader *leader, skr_time timeout);
/* Ends the thread; a Lease that was not given back runs out. NULL allowed. */
void skr_leader_destroy(struct skr_leader *leader);

/* Any thread, no locks. */
bool skr_leader_may_write(const struct skr_leader *leader);
/* Whether leadership was reported. Any thread. */
bool skr_leader_leads(const struct skr_leader *leader);
/* The holder of the Lease, "": none, or not known. Any thread. */
void skr_leader_get_holder(struct skr_leader *leader, char *buffer, size_t size);
/* The Lease of the installation for which this process stands aside; "": none. Any thread. */
void skr_leader_get_other(struct skr_leader *leader, char *buffer, size_t size);

#endif
