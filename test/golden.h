/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_GOLDEN_H
#define SKR_TEST_GOLDEN_H
/*
 * Outputs that are kept as files of the tree and have to come out byte for byte. With UPDATE=1 in the
 * environment they are written instead of compared; `make goldens` does so for all of them.
 * Paths are from the root of the repository, where the tests run.
 */
#include <stdbool.h>

/* Returns the whole of a text file, "" when there is none. Heap. */
char *golden_read(const char *path);

/* Returns whether the file holds this text; where not, the first line that differs was printed.
 * With UPDATE=1 the file is written and holds it. */
bool golden_is(const char *path, const char *got);

/* Fails the test unless golden_is(). */
void golden_check(const char *path, const char *got);

#endif
