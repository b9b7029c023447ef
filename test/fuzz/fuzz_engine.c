/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine in the world of the property tests (test/property/engine_world.h), in a cluster that
 * behaves: the input chooses the world and the numbers of its steps. The rig's watchdog and judges
 * look at every request; in the end users and faults rest, and everybody is bound. (fuzz_events.c has
 * events that need not fit together.)
 */
#include "test/fuzz/fuzz.h"
#include "test/property/engine_world.h"

enum { STEPS_MAX = 1500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size, 0};
    struct world w;
    const uint32_t first = fuzz_pick(&bytes, 256);
    const uint64_t seed = first * 256 + fuzz_pick(&bytes, 256);
    world_begin(&w, seed, false, seed);
    w.rig->keeps_no_log = true;
    for (int i = 0; i < STEPS_MAX && fuzz_bytes_left(&bytes); i++) {
        const uint32_t high = fuzz_pick(&bytes, 256), low = fuzz_pick(&bytes, 256);
        world_step(&w, seed, (int)(high * 256 + low));
    }
    world_calm(&w);
    world_run(&w, 600 * SKR_SECOND);
    world_check_reasons(&w);
    world_mend(&w);
    world_run(&w, 1800 * SKR_SECOND);
    world_check_mended(&w);
    world_fini(&w);
    return 0;
}
