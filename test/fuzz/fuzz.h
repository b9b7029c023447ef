/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_FUZZ_FUZZ_H
#define SKR_TEST_FUZZ_FUZZ_H
/* Entry point of every fuzz_NAME.c: libFuzzer calls it with inputs of its own (make fuzz), replay.c
 * with the files of corpus/NAME (make fuzz-replay, everywhere). */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NUL-terminated heap copy; free() it. */
char *skr_fuzz_text(const uint8_t *data, size_t size);

#endif
