/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_FILE_H
#define SKR_SERVER_FILE_H
/*
 * The one reader of files: configurations, manifests, certificates, tokens, /proc. Bytes that it
 * leaves behind in memory are wiped, so secrets may be read.
 */
#include <stddef.h>

#include "topology/base/error.h"

/* The whole file: *ret is heap memory with a NUL behind *ret_n bytes. The text of an error has no
 * path: "No such file or directory", "larger than 1048576 bytes". Errors: SKR_NOT_FOUND, SKR_DENIED,
 * SKR_LIMIT (more than max bytes), SKR_INVALID (any other). O(n). */
int skr_file_read(const char *path, size_t max, char **ret, size_t *ret_n, struct skr_error *error);
/* The same of an open descriptor, from its position on. */
int skr_file_read_open(int fd, size_t max, char **ret, size_t *ret_n, struct skr_error *error);
/* Wipes n bytes and frees them. text NULL: nothing happens. */
void skr_file_drop(char *text, size_t n);

#endif
