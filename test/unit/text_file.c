/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct text_file text_file_make(const char *text, size_t n)
{
    struct text_file file = {.fd = memfd_create("text", MFD_CLOEXEC)};
    if (file.fd < 0 || write(file.fd, text, n) != (ssize_t)n) {
        perror("text_file");
        abort();
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

void text_file_close(struct text_file *file)
{
    close(file->fd);
}
