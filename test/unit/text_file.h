/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_TEXT_FILE_H
#define SKR_TEST_UNIT_TEXT_FILE_H
/* A text as a file for whatever reads files: in memory, with a path. */
#include <stddef.h>

struct text_file {
    int fd;
    char path[32];
};

/* n bytes of text; fails the process when there is no room. */
struct text_file text_file_make(const char *text, size_t n);
void text_file_close(struct text_file *file);

#endif
