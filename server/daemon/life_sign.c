/* SPDX-License-Identifier: Apache-2.0 */
/* Abstract sockets of unix(7). */
#include "server/daemon/life_sign.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/file.h"
#include "topology/base/arena.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define NETWORK "/proc/self/ns/net"
#define PREFIX  "sakkara/"

enum {
    RANDOM_BYTES = 16,
    BOOT_ID_BYTES = 36, /* of a UUID */
    BOOT_ID_SECOND = 9, /* where its second group begins */
    BOOT_ID_MAX = 64,
};

/* "": not known. */
static void write_place(char *buffer, size_t size)
{
    SKR_AUTO_FREE char *boot = NULL;
    struct stat network;
    size_t n = 0;
    buffer[0] = '\0';
    if (skr_file_read(BOOT_ID, BOOT_ID_MAX, &boot, &n, NULL) == 0 && n >= BOOT_ID_BYTES &&
        stat(NETWORK, &network) == 0) {
        (void)snprintf(buffer, size, "%.8s%.4s%llx-", boot, boot + BOOT_ID_SECOND,
                       (unsigned long long)network.st_ino);
    }
}

static socklen_t address_of(const char *name, struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    /* the first byte is NUL: abstract */
    const int n = snprintf(ret->sun_path + 1, sizeof ret->sun_path - 1, PREFIX "%s", name);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

void skr_life_sign_init(struct skr_life_sign *sign)
{
    unsigned char random[RANDOM_BYTES];
    struct sockaddr_un address;
    skr_bug_on(getrandom(random, sizeof random, 0) != (ssize_t)sizeof random);
    write_place(sign->name, sizeof sign->name);
    const size_t place = strlen(sign->name);
    for (size_t i = 0, n = place; i < sizeof random && n + 3 <= sizeof sign->name; i++, n += 2) {
        (void)snprintf(sign->name + n, sizeof sign->name - n, "%02x", random[i]);
    }
    sign->fd = place > 0 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    const socklen_t n = address_of(sign->name, &address);
    if (sign->fd >= 0 && bind(sign->fd, (const struct sockaddr *)&address, n) != 0) {
        skr_life_sign_fini(sign);
    }
    if (sign->fd < 0) { /* another process would take it for ended */
        memmove(sign->name, sign->name + place, strlen(sign->name + place) + 1);
    }
}

void skr_life_sign_fini(struct skr_life_sign *sign)
{
    if (sign->fd >= 0) {
        close(sign->fd);
        sign->fd = -1;
    }
}

bool skr_life_sign_has_ended(const struct skr_life_sign *own, const char *name)
{
    struct sockaddr_un address;
    const char *dash = strchr(own->name, '-');
    const size_t place = dash ? (size_t)(dash + 1 - own->name) : 0;
    if (place == 0 || strncmp(own->name, name, place) != 0 || strlen(name) != strlen(own->name)) {
        return false;
    }
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const socklen_t n = address_of(name, &address);
    const bool ended =
        fd >= 0 && connect(fd, (const struct sockaddr *)&address, n) != 0 && errno == ECONNREFUSED;
    if (fd >= 0) {
        close(fd);
    }
    return ended;
}
