/* SPDX-License-Identifier: Apache-2.0 */
/* The stamp of the last change of each kind. */
#include "core/gang/state/seen.h"

void skr_seen_init(struct skr_seen *seen)
{
    *seen = (struct skr_seen){.now = 0};
    skr_seen_note(seen, (1U << SEEN_COUNT) - 1);
}

uint64_t skr_seen_note(struct skr_seen *seen, unsigned kinds)
{
    seen->now++;
    for (unsigned i = 0; kinds >> i; i++) {
        if (kinds & 1U << i) {
            seen->last[i] = seen->now;
        }
    }
    return seen->now;
}

uint64_t skr_seen_last(const struct skr_seen *seen, unsigned kinds)
{
    uint64_t last = 0;
    for (unsigned i = 0; kinds >> i; i++) {
        if (kinds & 1U << i && seen->last[i] > last) {
            last = seen->last[i];
        }
    }
    return last;
}

bool skr_seen_changed(const struct skr_seen *seen, unsigned kinds, uint64_t since)
{
    return skr_seen_last(seen, kinds) > since;
}
