/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a pod, read without a tree: whatever is read is what the tree says, by a reader that has
 * seen nothing and by one that has seen the same text before.
 */
#include "test/fuzz/fuzz.h"
#include "test/unit/pod_same.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool first = false;
    bool second = false;
    SKR_AUTO(skr_pod_reader_destroy) struct skr_pod_reader *reader = skr_pod_reader_create();
    fuzz_check(!pod_readers_differ(reader, (const char *)data, size, &first));
    fuzz_check(!pod_readers_differ(reader, (const char *)data, size, &second));
    fuzz_check(first == second);
    return 0;
}
