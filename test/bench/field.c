/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/field.h"

#include <stdio.h>

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

void field_make(struct field *f, size_t levels, size_t leaves, bool hard)
{
    uint64_t seed = 88172645463325252u;
    size_t width[SKR_SPREAD_LEVELS_MAX];
    for (size_t i = 0; i < 1000; i++) {
        snprintf(f->text[i], FIELD_NAME_BYTES, "v%zu", i);
    }
    width[levels - 1] = leaves;
    for (size_t l = levels - 1; l-- > 0;) {
        width[l] = width[l + 1] > 2 ? width[l + 1] / 2 : 2;
    }
    for (size_t i = 0; i < FIELD_CLUSTERS; i++) {
        const size_t leaf = next(&seed) % leaves;
        snprintf(f->name[i], FIELD_NAME_BYTES, "c%05zu", i);
        f->names[i] = f->name[i];
        f->total[i] = (int64_t)(next(&seed) % 400) - 200;
        for (size_t l = 0; l < levels; l++) {
            f->value[i * levels + l] = f->text[leaf * width[l] / leaves];
        }
    }
    for (size_t l = 0; l < levels; l++) {
        f->constraint[l] =
            (struct skr_spread_constraint){.key = "k", .hard = hard && l == 0, .max_skew = 1};
    }
    f->problem = (struct skr_spread_problem){.n = FIELD_CLUSTERS,
                                             .name = f->names,
                                             .total = f->total,
                                             .value = f->value,
                                             .n_levels = levels,
                                             .constraint = f->constraint,
                                             .weight = 2,
                                             .want = 1000};
}
