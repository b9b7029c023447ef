/* SPDX-License-Identifier: Apache-2.0 */
/* An epoll set of its own, EPOLLRDHUP only. Level triggered: a hang-up between suspending the
 * connection and adding it here is reported all the same. */
#include "server/http/parked.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "topology/base/arena.h"

enum { EVENTS = 64 };

struct skr_parked {
    int fd;
    size_t n;
};

int skr_parked_create(struct skr_parked **ret, struct skr_error *error)
{
    const int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0) {
        return skr_error_set(error, SKR_RETRY, "cannot create an epoll set: %s", strerror(errno));
    }
    *ret = skr_alloc(sizeof **ret);
    (*ret)->fd = fd;
    return 0;
}

void skr_parked_destroy(struct skr_parked *parked)
{
    if (!parked) {
        return;
    }
    close(parked->fd);
    free(parked);
}

int skr_parked_fd(const struct skr_parked *parked)
{
    return parked->fd;
}

bool skr_parked_add(struct skr_parked *parked, int fd, void *who)
{
    struct epoll_event event = {.events = EPOLLRDHUP, .data = {.ptr = who}};
    if (epoll_ctl(parked->fd, EPOLL_CTL_ADD, fd, &event) != 0) {
        return false;
    }
    parked->n++;
    return true;
}

void skr_parked_remove(struct skr_parked *parked, int fd)
{
    skr_bug_on(epoll_ctl(parked->fd, EPOLL_CTL_DEL, fd, NULL) != 0);
    parked->n--;
}

void skr_parked_collect(struct skr_parked *parked, void (*gone)(void *context, void *who),
                        void *context)
{
    struct epoll_event event[EVENTS];
    int n;
    do {
        n = epoll_wait(parked->fd, event, EVENTS, 0);
        for (int i = 0; i < n; i++) {
            gone(context, event[i].data.ptr);
        }
    } while (n == EVENTS);
}
