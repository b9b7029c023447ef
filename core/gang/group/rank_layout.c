/* SPDX-License-Identifier: Apache-2.0 */
/* The positions of a rank order: see rank_layout.h. */
#include "core/gang/group/rank_layout.h"

size_t skr_rank_layout_size(const struct skr_rank_layout *layout)
{
    size_t n = 0;
    for (size_t r = 0; r < layout->n_roles; r++) {
        int32_t kind = layout->role[r].kind;
        int32_t size =
            kind < 0 ? layout->role[r].size : layout->role[r].each * layout->kind[kind].sets;
        n += size > 0 ? (size_t)size : 0;
    }
    return n;
}

static size_t add_role(struct skr_rank_position *ret, size_t n, uint8_t r, int32_t s, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        ret[n++] = (struct skr_rank_position){r, s};
    }
    return n;
}

size_t skr_rank_layout_positions(const struct skr_rank_layout *layout,
                                 struct skr_rank_position *ret)
{
    size_t n = 0;
    uint32_t done = 0; /* kinds */
    for (uint8_t r = 0; r < layout->n_roles; r++) {
        int32_t kind = layout->role[r].kind;
        if (kind < 0) {
            n = add_role(ret, n, r, -1, layout->role[r].size);
            continue;
        }
        for (int32_t s = 0; !(done >> kind & 1) && s < layout->kind[kind].sets; s++) {
            for (uint8_t q = r; q < layout->n_roles; q++) {
                if (layout->role[q].kind == kind) {
                    n = add_role(ret, n, q, s, layout->role[q].each);
                }
            }
        }
        done |= 1U << kind;
    }
    return n;
}
