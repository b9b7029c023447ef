/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_INSTALLATIONS_H
#define SKR_CORE_FRAME_INSTALLATIONS_H
/*
 * Two or more installations in one cluster, by mistake. Each has a Lease in its own namespace, and
 * all Leases have one name. leadership.h decides about one Lease only. So this file compares the
 * Leases of all namespaces: the installation with the oldest Lease decides. Age is the
 * creationTimestamp, which the API server sets. If two are equal, the namespace that comes first in
 * byte order decides.
 *
 * - A process stands aside while an older Lease of an installation is held.
 * - A process that has won its own Lease waits until an installation with a younger Lease stands
 *   aside, at most SKR_INSTALLATIONS_YIELD_S.
 *
 * Users may write Leases in their own namespaces, and no field of a Lease proves which account wrote
 * it. So a Lease counts only in a namespace whose own account has the rights of an installation, which
 * only an administrator can grant, or which operators name. The caller looks that up:
 *
 *   skr_installations_see() -> skr_installations_ask() -> skr_installations_answer(), as often as it asks
 *
 * A Lease is held if its record names a holder and this process has seen it change within
 * SKR_INSTALLATION_LIVE_S. A record that was renewed more than SKR_INSTALLATION_OLD_S ago by wall
 * time is ignored. A state machine without clock and I/O; single owner.
 */
#include <jansson.h>
#include <stdbool.h>

#include "topology/object.h"

enum {
    SKR_INSTALLATIONS_MAX = 128,  /* Leases of other namespaces; further ones are ignored */
    SKR_INSTALLATION_LIVE_S = 13, /* as the duration of leadership.h */
    SKR_INSTALLATION_OLD_S = 600,
    SKR_INSTALLATIONS_LOOK_S = 2, /* between two lists of Leases */
    SKR_INSTALLATIONS_YIELD_S = 4,
    SKR_INSTALLATIONS_ASK_S = 60, /* an account is looked up again: rights change */
};

struct skr_installations;
/* namespace_: of this process's own Lease; copied. */
struct skr_installations *skr_installations_create(const char *namespace_);
void skr_installations_destroy(struct skr_installations *installations); /* NULL allowed */
/* list: the Leases of all namespaces as the API server answers them; borrowed. now: of a clock that
 * never goes back. */
void skr_installations_see(struct skr_installations *installations, const json_t *list,
                           skr_time now, skr_time wall);
/* Leases cannot be listed: afterwards no other installation is known. */
void skr_installations_forget(struct skr_installations *installations);
/* A namespace whose account is to be looked up now; NULL: none. Borrowed until the next list. */
const char *skr_installations_ask(const struct skr_installations *installations, skr_time now);
/* Whether the account of that namespace has the rights of an installation, or operators name it. */
void skr_installations_answer(struct skr_installations *installations, const char *namespace_,
                              bool is_installation, skr_time now);
/* The installation for which this process stands aside, "Lease NAMESPACE/NAME, held by HOLDER"; NULL:
 * none. Borrowed until the next list. */
const char *skr_installations_in_the_way(const struct skr_installations *installations,
                                         skr_time now);
/* Whether any other installation may decide, with an older or a younger Lease: one whose account was
 * not looked up yet counts, too. */
bool skr_installations_any(const struct skr_installations *installations, skr_time now);

#endif
