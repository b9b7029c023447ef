/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/log_catch.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "topology/base/attr.h"

struct log_catch log_catch_begin(void)
{
    struct log_catch log = {.caught = memfd_create("log", MFD_CLOEXEC),
                            .before = dup(STDERR_FILENO)};
    skr_bug_on(log.caught < 0 || log.before < 0 || dup2(log.caught, STDERR_FILENO) < 0);
    return log;
}

char *log_catch_end(struct log_catch *log)
{
    skr_bug_on(dup2(log->before, STDERR_FILENO) < 0);
    off_t size = lseek(log->caught, 0, SEEK_END);
    char *text = calloc((size_t)size + 1, 1);
    skr_bug_on(!text || pread(log->caught, text, (size_t)size, 0) != size);
    (void)close(log->caught);
    (void)close(log->before);
    return text;
}
