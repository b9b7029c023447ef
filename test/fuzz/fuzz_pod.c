/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a pod, read with shared shapes: whatever is read is what the tree says, with tables that are
 * empty and with those that have seen the same text before.
 */
#include "test/fuzz/fuzz.h"
#include "test/unit/pod_same.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool first = false;
    bool second = false;
    SKR_AUTO(skr_pod_shapes_destroy) struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    fuzz_check(!pod_readers_differ(shapes, (const char *)data, size, &first));
    fuzz_check(!pod_readers_differ(shapes, (const char *)data, size, &second));
    fuzz_check(first == second);
    return 0;
}
