/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_LEADERSHIP_H
#define SKR_CORE_FRAME_LEADERSHIP_H
/*
 * Who of several processes decides, by a Lease of coordination.k8s.io/v1, as client-go's leader
 * election does it (k8s.io/client-go/tools/leaderelection): a state machine without clock and I/O.
 * The caller asks what to do, does it, and reports how it ended; all for one process:
 *
 *   skr_leadership_next() -> REST: ask again at *ret_at
 *                         -> READ: GET the Lease, then skr_leadership_was_read()
 *                         -> CREATE, UPDATE: send the body, then skr_leadership_was_written()
 *
 * Why never two lead at once, as long as clocks run at about the same speed:
 *
 * - a leader leads until `renew_deadline` after it *sent* its last renewal that succeeded;
 * - another one takes over only when it has seen the record unchanged for `duration`, counted from
 *   when it *received* it, or when the record has no holder;
 * - every write carries the resourceVersion that was seen, so one of several wins.
 *
 * One exception: skr_leadership_holder_ended(). The caller has a proof that the process of the record
 * has ended, and takes the Lease at once.
 *
 * duration - renew_deadline is the margin for clocks, and for writes of the old leader that are
 * still on their way. Correctness does not rest on it: Bindings are at most once a pod, plans are
 * written with their resourceVersion.
 *
 * Times named now are of a clock that never goes back and runs while the machine sleeps.
 */
#include <jansson.h>
#include <stdbool.h>

#include "topology/base/strbuf.h"
#include "topology/object.h"

enum { SKR_LEADERSHIP_IDENTITY_MAX = 330 }; /* bytes with the NUL */

struct skr_leadership_options {
    const char *namespace_; /* of the Lease, and its name; borrowed */
    const char *name;
    const char *identity; /* of this process alone, never used again; copied */
    skr_time duration;    /* seconds alone are written into the record */
    skr_time renew_deadline;
    skr_time retry;  /* between two renewals, and after what did not work */
    skr_time lookup; /* between two looks at the record of another process */
};
/* 13 s, 10 s, 2 s, 1 s: a leader that dies is followed within duration + lookup + one round trip. */
void skr_leadership_options_default(struct skr_leadership_options *options);

enum skr_leadership_step {
    SKR_LEADERSHIP_REST,
    SKR_LEADERSHIP_READ,
    SKR_LEADERSHIP_CREATE, /* POST to the collection */
    SKR_LEADERSHIP_UPDATE, /* PUT */
};

/* How a request ended. */
enum skr_lease_outcome {
    SKR_LEASE_OK,
    SKR_LEASE_NOT_FOUND,
    SKR_LEASE_CONFLICT,    /* another resourceVersion, or it exists already */
    SKR_LEASE_REFUSED,     /* not allowed or not valid: an administrator has to act */
    SKR_LEASE_NOT_APPLIED, /* never sent, or refused this time */
    SKR_LEASE_UNKNOWN,     /* may have been applied, or will be */
};

struct skr_leadership;

/* Stands by, as one that may not lead: see skr_leadership_permit(). */
struct skr_leadership *skr_leadership_create(const struct skr_leadership_options *options);
void skr_leadership_destroy(struct skr_leadership *leadership); /* NULL allowed */

/* Whether this process may lead at all. One that leads and may not any more gives the Lease back.
 * Leads no longer from this call on. */
void skr_leadership_permit(struct skr_leadership *leadership, bool may);

/* What is to be done now; body is set for CREATE and UPDATE. wall: for what people read in the
 * record. A step that was returned must be reported before the next call. */
enum skr_leadership_step skr_leadership_next(struct skr_leadership *leadership, skr_time now,
                                             skr_time wall, struct skr_strbuf *body,
                                             skr_time *ret_at);
/* lease: of an OK answer, borrowed; else NULL. */
void skr_leadership_was_read(struct skr_leadership *leadership, skr_time now,
                             enum skr_lease_outcome outcome, const json_t *lease);
void skr_leadership_was_written(struct skr_leadership *leadership, skr_time now,
                                enum skr_lease_outcome outcome, const json_t *lease);

/* Leads until this time, exclusive, unless it is renewed before; 0: does not lead. */
skr_time skr_leadership_leads_until(const struct skr_leadership *leadership);
/* The process that skr_leadership_holder() names has ended. Without effect if there is no holder, or if
 * this process is it. */
void skr_leadership_holder_ended(struct skr_leadership *leadership);
/* Who holds the Lease as far as it was seen, "" nobody. Borrowed until the next report. */
const char *skr_leadership_holder(const struct skr_leadership *leadership);
/* The Lease was given back, or there is nothing to give back: a process may end. */
bool skr_leadership_is_out(const struct skr_leadership *leadership);
/* It came by what its predecessor gave back, not by time: what that one wrote last may still be on
 * its way through the watches. */
bool skr_leadership_was_handed_over(const struct skr_leadership *leadership);

/* Whether holderIdentity is of a process on this host: HOST, "_" and more, as the schedulers and
 * controllers of Kubernetes name themselves. */
bool skr_leadership_is_host(const char *holder, const char *host);

#endif
