/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closed forms for sibling sets whose number of used units is free.
 *
 * Pack, every unit can hold 0 .. f: for a total x the best key is reached by filling units from the
 * largest f down, so the counts are the k - 1 largest f and the rest, with the least k whose sum is
 * >= x. A unit with an f larger than the (k - 1)-th must be full; one with an f equal to it is
 * full, holds the rest, or is empty; any other holds the rest or is empty.
 *
 * Spread, every unit can hold lo .. hi: the best key is reached by filling like water: with m the
 * least level at which the sum of clamp(m, lo, hi) is >= x, every unit holds clamp(m - 1, lo, hi)
 * or clamp(m, lo, hi). (Were a unit lower and another higher, moving one member would be better.)
 *
 * Both speak about all optimal placements, not about one, so ties are left to the graph. A set may
 * have several totals (ports): its units keep the counts of any of them.
 */
#include "core/solver/narrow_counts.h"

#include <stdlib.h>
#include <string.h>

enum { PORTS_MAX = 32 }; /* totals of one set up to which narrowing is worth its time */

/* What the best placement of one total looks like. */
struct shape {
    int32_t full;  /* pack: units that can hold more are full; those that can hold it may be */
    int32_t rest;  /* pack */
    int32_t water; /* spread: m */
};

static int by_size(const void *a, const void *b)
{
    const int32_t *x = a;
    const int32_t *y = b;
    return (*x < *y) - (*x > *y);
}

static int32_t clamp(int32_t x, const struct skr_span *span)
{
    return x < span->lo ? span->lo : x > span->hi ? span->hi : x;
}

static struct shape pack_shape(const int32_t *sorted, int32_t n, int32_t total)
{
    struct shape shape = {.full = INT32_MAX, .rest = total};
    for (int32_t i = 0; i < n && shape.rest > sorted[i]; i++) {
        shape.full = sorted[i];
        shape.rest -= sorted[i];
    }
    return shape;
}

static struct shape spread_shape(const struct skr_siblings *siblings, int32_t total)
{
    int32_t lo = 0;
    int32_t hi = total;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        int64_t sum = 0;
        for (int32_t i = 0; i < siblings->n_units; i++) {
            sum += clamp(mid, siblings->member[i]);
        }
        if (sum >= total) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    return (struct shape){.water = lo};
}

static void add_counts(const struct skr_span *unit, enum skr_rule_type type,
                       const struct shape *shape, uint64_t *bits)
{
    if (type == SKR_RULE_SPREAD) {
        skr_bits_set(bits, clamp(shape->water - 1, unit));
        skr_bits_set(bits, clamp(shape->water, unit));
        return;
    }
    if (unit->hi >= shape->full) {
        skr_bits_set(bits, unit->hi);
    }
    if (unit->hi <= shape->full) {
        skr_bits_set(bits, 0);
        if (shape->rest <= unit->hi) {
            skr_bits_set(bits, shape->rest);
        }
    }
}

static bool applies(const struct skr_run *run, const struct skr_siblings *siblings)
{
    const struct skr_law *law = &run->law[siblings->all->level];
    if (run->plain || law->used > 0 || siblings->n_ports > PORTS_MAX) {
        return false;
    }
    for (int32_t i = 0; i < siblings->n_units; i++) {
        const struct skr_span *unit = siblings->member[i];
        if (!unit->is_run || (law->type == SKR_RULE_PACK && unit->lo > 0)) {
            return false;
        }
    }
    return true;
}

/* The unit with fewer counts; NULL when only 0 is left. */
static bool with_counts(struct skr_run *run, const struct skr_span *unit, const uint64_t *bits,
                        int32_t words, struct skr_span **ret)
{
    *ret = NULL;
    if (skr_bits_only_zero(bits, words)) {
        return true;
    }
    *ret = skr_span_unit(run, unit->level, unit->inside, unit->room, bits, words);
    return *ret != NULL;
}

static bool find_shapes(struct skr_run *run, const struct skr_siblings *siblings,
                        struct shape *shape)
{
    int32_t n = siblings->n_units;
    int32_t *sorted = NULL;
    bool pack = run->law[siblings->all->level].type == SKR_RULE_PACK;
    if (pack) {
        sorted = skr_run_alloc(run, (size_t)n, sizeof(*sorted));
        if (sorted == NULL) {
            return false;
        }
        for (int32_t i = 0; i < n; i++) {
            sorted[i] = siblings->member[i]->hi;
        }
        qsort(sorted, (size_t)n, sizeof(*sorted), by_size);
    }
    for (int32_t p = 0; p < siblings->n_ports; p++) {
        int32_t total = siblings->port[p].total;
        shape[p] = pack ? pack_shape(sorted, n, total) : spread_shape(siblings, total);
    }
    return true;
}

bool skr_narrow_counts(struct skr_run *run, struct skr_siblings *siblings, bool *ret_exact)
{
    *ret_exact = applies(run, siblings);
    if (!*ret_exact) {
        return true;
    }
    struct shape shape[PORTS_MAX];
    uint64_t *bits = skr_run_alloc(run, (size_t)run->n / 64 + 1, sizeof(*bits));
    if (bits == NULL || !find_shapes(run, siblings, shape)) {
        return false;
    }
    enum skr_rule_type type = run->law[siblings->all->level].type;
    const struct skr_span *before = NULL;
    struct skr_span *result = NULL;
    for (int32_t i = 0; i < siblings->n_units; i++) {
        struct skr_span *unit = siblings->member[i];
        if (unit != before) {
            memset(bits, 0, (size_t)unit->words * sizeof(*bits));
            for (int32_t p = 0; p < siblings->n_ports; p++) {
                add_counts(unit, type, &shape[p], bits);
            }
            if (!with_counts(run, unit, bits, unit->words, &result)) {
                return false;
            }
            before = unit;
        }
        siblings->member[i] = result;
    }
    return true;
}

bool skr_narrow_below(struct skr_run *run, struct skr_span *unit, int32_t most,
                      struct skr_span **ret)
{
    *ret = unit;
    if (unit->hi <= most) {
        return true;
    }
    int32_t words = skr_bits_words(most);
    uint64_t *bits = run->bits_tmp;
    memcpy(bits, skr_span_row(unit, unit->rows - 1), (size_t)words * sizeof(*bits));
    bits[0] |= skr_span_row(unit, 0)[0] & 1;
    skr_bits_clear_above(bits, words, most);
    return with_counts(run, unit, bits, words, ret);
}
