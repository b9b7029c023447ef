/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files whole, up to a limit, and wipes buffers that it outgrows. */
#include "server/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topology/base/arena.h"

enum { FIRST = 4096 }; /* bytes of the buffer of a file whose size is not known */

void skr_file_drop(char *text, size_t n)
{
    if (text) {
        explicit_bzero(text, n);
    }
    free(text);
}

static int fail(int e, struct skr_error *error)
{
    const enum skr_error_code code = e == ENOENT || e == ENOTDIR ? SKR_NOT_FOUND
                                     : e == EACCES || e == EPERM ? SKR_DENIED
                                                                 : SKR_INVALID;
    return skr_error_set(error, code, "%s", strerror(e));
}

/* Room for the file, the NUL, and a byte for the read that finds the end. */
static size_t first_size(int fd, size_t max)
{
    struct stat status;
    const bool known = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
                       (size_t)status.st_size <= max;
    const size_t size = known ? (size_t)status.st_size + 2 : FIRST;
    return size > FIRST ? size : FIRST;
}

int skr_file_read_open(int fd, size_t max, char **ret, size_t *ret_n, struct skr_error *error)
{
    size_t cap = first_size(fd, max), n = 0;
    char *text = skr_alloc(cap);
    ssize_t got = 1;
    while (got != 0 && n <= max) {
        if (n + 1 == cap) {
            char *larger = skr_alloc(2 * cap);
            memcpy(larger, text, n);
            skr_file_drop(text, n);
            text = larger;
            cap *= 2;
        }
        got = read(fd, text + n, cap - 1 - n);
        if (got < 0 && errno != EINTR) {
            const int e = errno;
            skr_file_drop(text, n);
            return fail(e, error);
        }
        n += got > 0 ? (size_t)got : 0;
    }
    if (n > max) {
        skr_file_drop(text, n);
        return skr_error_set(error, SKR_LIMIT, "larger than %zu bytes", max);
    }
    text[n] = '\0';
    *ret = text;
    *ret_n = n;
    return 0;
}

int skr_file_read(const char *path, size_t max, char **ret, size_t *ret_n, struct skr_error *error)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail(errno, error);
    }
    const int rc = skr_file_read_open(fd, max, ret, ret_n, error);
    (void)close(fd);
    return rc;
}
