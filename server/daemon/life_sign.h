/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_LIFE_SIGN_H
#define SKR_SERVER_DAEMON_LIFE_SIGN_H
/*
 * Proves to a later process of the same machine that this one has ended, however it ended. Each
 * process holds a socket with an abstract name, which the kernel frees at its end. The name has two
 * parts:
 *
 *   PLACE-RANDOM   PLACE: the running kernel and the network namespace, which has the socket
 *
 * A container that starts again is in the network namespace of its pod, as before. A process of the
 * same place whose socket is gone has therefore ended. Nothing is known about other places: another
 * machine of the same host name, or the same machine before it was booted.
 *
 * One process may hold several. Thread-safe.
 */
#include <stdbool.h>

enum { SKR_LIFE_SIGN_MAX = 72 }; /* bytes of a name with its NUL */

struct skr_life_sign {
    int fd;                       /* -1: none; then later processes wait */
    char name[SKR_LIFE_SIGN_MAX]; /* never used again; without a socket RANDOM alone */
};

void skr_life_sign_init(struct skr_life_sign *sign);
void skr_life_sign_fini(struct skr_life_sign *sign);
/* name: of another process, any text. Whether that process was at the place of `own` and has ended. */
bool skr_life_sign_has_ended(const struct skr_life_sign *own, const char *name);

#endif
