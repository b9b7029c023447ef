/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_FUZZ_FUZZ_H
#define SKR_TEST_FUZZ_FUZZ_H
/*
 * Entry point of every fuzz_NAME.c, and what they share. libFuzzer calls the entry with inputs of
 * its own (make fuzz), replay.c with the files of corpus/NAME (make fuzz-replay, everywhere). What
 * must hold is said with fuzz_check(), which aborts. A fuzzer keeps nothing between two calls.
 *
 * Inputs with several parts separate them by FUZZ_SEPARATOR, which no JSON text can contain, so
 * that corpora stay readable and can be written by hand: printf 'one\037two'.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/error.h"

enum { FUZZ_SEPARATOR = 0x1f };

#define fuzz_check(condition) skr_bug_on(!(condition))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NUL-terminated heap copy; free() it. */
char *fuzz_text(const uint8_t *data, size_t size);
/* Cuts text at the separators, in place; at most max parts, the last one holds the rest. Returns
 * their number, at least 1. */
size_t fuzz_split(char *text, char **part, size_t max);

/* The input as a row of small decisions. At its end all of them are 0. */
struct fuzz_bytes {
    const uint8_t *data;
    size_t size;
    size_t at;
};
bool fuzz_bytes_left(const struct fuzz_bytes *bytes);
/* 0 .. n - 1, n from 1 to 256. */
uint32_t fuzz_pick(struct fuzz_bytes *bytes, uint32_t n);

/* rc is a parser's answer: 0, or the negative code of error, which is about the input (invalid, or
 * a limit), in a text that is not empty and valid UTF-8. */
void fuzz_check_rc(int rc, const struct skr_error *error);
/* The text has "LINE:COLUMN" in it. */
bool fuzz_has_position(const char *text);
/* The first n bytes are UTF-8 without NUL. */
bool fuzz_is_utf8(const char *text, size_t n);
/* The text as JSON, which it must be; json_decref() it. */
json_t *fuzz_json(const char *text, size_t n);

#endif
