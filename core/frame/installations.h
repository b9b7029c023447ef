/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_INSTALLATIONS_H
#define SKR_CORE_FRAME_INSTALLATIONS_H
/*
 * Installations of one cluster by mistake: each has a Lease of the same name in a namespace of its own, so
 * that leadership.h keeps none of them from deciding. Their Leases of all namespaces are listed. The one
 * whose Lease is the oldest decides, by the creationTimestamp that the API server sets; of two of the same
 * second the one whose namespace is first in byte order:
 *
 * - A process stands aside while an older Lease is held. A user that may write Leases can therefore not
 *   keep an installation from deciding that was there before.
 * - A process that has won its own Lease waits SKR_INSTALLATIONS_YIELD_S at most for one with a younger
 *   Lease, which decided meanwhile, to stand aside.
 *
 * A Lease is held if its record names a holder and has changed within SKR_INSTALLATION_LIVE_S, counted
 * from when this process saw it first. A record that was renewed more than SKR_INSTALLATION_OLD_S ago by
 * wall time is not waited for. A state machine without clock and I/O; single owner.
 */
#include <jansson.h>
#include <stdbool.h>

#include "topology/object.h"

enum {
    SKR_INSTALLATIONS_MAX = 16,   /* others that are looked at; further ones are ignored */
    SKR_INSTALLATION_LIVE_S = 13, /* as leaderships's duration */
    SKR_INSTALLATION_OLD_S = 600,
    SKR_INSTALLATIONS_LOOK_S = 2, /* between two looks */
    SKR_INSTALLATIONS_YIELD_S = 4,
};

struct skr_installations;
/* namespace_: of the own Lease; copied. */
struct skr_installations *skr_installations_create(const char *namespace_);
void skr_installations_destroy(struct skr_installations *installations); /* NULL allowed */
/* The Leases of that name in all namespaces, a list as the API server answers it; borrowed. now: of a
 * clock that never goes back. */
void skr_installations_see(struct skr_installations *installations, const json_t *list,
                           skr_time now, skr_time wall);
/* Leases cannot be listed: none is known of. */
void skr_installations_forget(struct skr_installations *installations);
/* The one that keeps this process from deciding, "Lease NAMESPACE/NAME, held by HOLDER"; NULL: none.
 * Borrowed until the next look. */
const char *skr_installations_in_the_way(const struct skr_installations *installations,
                                         skr_time now);
/* Whether any other one decides, older or younger. */
bool skr_installations_any(const struct skr_installations *installations, skr_time now);

#endif
