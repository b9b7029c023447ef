/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one fuzzer over the files named on the command line: no clang, no libFuzzer needed. */
#include "test/fuzz/fuzz.h"

enum { INPUT_MAX = 1 << 22 };

int main(int argc, char **argv)
{
    uint8_t *data = malloc(INPUT_MAX);
    if (!data) {
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            fprintf(stderr, "%s cannot be opened\n", argv[i]);
            free(data);
            return 1;
        }
        size_t n = fread(data, 1, INPUT_MAX, file);
        fclose(file);
        fprintf(stderr, "%s\n", argv[i]);
        LLVMFuzzerTestOneInput(data, n);
    }
    free(data);
    printf("%d passed, 0 failed\n", argc - 1);
    return 0;
}
