/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_PARKED_H
#define SKR_SERVER_HTTP_PARKED_H
/*
 * Hang-ups of parked requests. libmicrohttpd takes a suspended connection out of its own epoll set
 * and learns nothing until it is resumed, so suspended connections are watched here: for the
 * peer's end of file, reset and errors, not for bytes (what a client sends early waits in the
 * kernel and wakes nobody). A client that closes only its sending side counts as gone, as it does
 * for Go's HTTP server.
 *
 * One thread: the listener's. The set's own descriptor can be watched by another epoll set.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/error.h"

struct skr_parked;

/* Errors: SKR_RETRY when the kernel has no room for another epoll set. */
int skr_parked_create(struct skr_parked **ret, struct skr_error *error);
void skr_parked_destroy(struct skr_parked *parked); /* NULL allowed */

/* Readable (EPOLLIN) while hang-ups wait for skr_parked_collect(). */
int skr_parked_fd(const struct skr_parked *parked);

/* who comes back when fd hangs up. False when the kernel refuses (no memory, its limit of watches).
 * An fd must be removed before it is closed. O(log n). */
bool skr_parked_add(struct skr_parked *parked, int fd, void *who);
void skr_parked_remove(struct skr_parked *parked, int fd);

/* Calls gone(context, who) for each hang-up seen. The fd is still in the set then; gone must remove
 * it and nobody else. */
void skr_parked_collect(struct skr_parked *parked, void (*gone)(void *context, void *who),
                        void *context);

#endif
