/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closed forms for sibling sets whose units can hold any count up to a greatest one.
 *
 * Spread, every unit can hold lo .. hi: the best key is reached by filling like water: with m the
 * least level at which the sum of clamp(m, lo, hi) is >= x, every unit holds clamp(m - 1, lo, hi)
 * or clamp(m, lo, hi). (Were a unit lower and another higher, moving one member would be better.)
 *
 * Exactly p used units, every unit can hold 0 .. f: as above, or for pack filled up from the
 * largest f, on the p units with the largest f and with at least 1 in each of them. The list of
 * counts found so is the best key. Every optimal placement has the counts of that list, so a unit
 * needs no others, and 0. Moreover, let v be a count such that as many units can hold v or more as
 * the list has counts of v or more. Then all of them hold v or more, and one with f = v holds v:
 * pack, every unit with an f larger than that of the last full one; spread, every unit with an f
 * below the water but above that of the p-th.
 *
 * Pack without a number of used units: peel.c, which needs no intervals.
 *
 * All of this is true of every optimal placement, not of one, so ties are left to the graph. A set
 * may have several totals (ports): its units keep the counts of any of them.
 */
#include "core/solver/narrow_counts.h"

#include <stdlib.h>
#include <string.h>

enum { PORTS_MAX = 32 }; /* totals of one set; with more, narrowing takes more time than it saves */

/* What the best placement of one total looks like. */
struct shape {
    int32_t water;  /* spread: m */
    int32_t full;   /* pack: units that can hold more are full */
    int32_t least;  /* spread, exactly p used units: the greatest count of the p-th */
    uint64_t *list; /* exactly p used units: the counts they hold; else NULL */
};

/* Many units of few sizes (nodes) are sorted by counting, few units of many sizes by comparison. */
int32_t *skr_siblings_by_size(struct skr_run *run, const struct skr_siblings *siblings)
{
    const size_t n = (size_t)siblings->n_units;
    int32_t *sorted = skr_run_alloc(run, n, sizeof *sorted);
    int32_t most = 0;
    if (!sorted) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        sorted[i] = siblings->unit[i]->hi;
        most = sorted[i] > most ? sorted[i] : most;
    }
    if ((size_t)most >= n) {
        qsort(sorted, n, sizeof *sorted, skr_greatest_first_32);
        return sorted;
    }
    int32_t *units = skr_run_alloc(run, (size_t)most + 1, sizeof *units);
    if (!units) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        units[sorted[i]]++;
    }
    size_t at = 0;
    for (int32_t size = most; size >= 0; size--) {
        for (int32_t i = 0; i < units[size]; i++) {
            sorted[at++] = size;
        }
    }
    return sorted;
}

static int32_t clamp(int32_t x, const struct skr_span *span)
{
    return x < span->lo ? span->lo : x > span->hi ? span->hi : x;
}

/* m for the total: of the `used` largest, or, where used is 0, of all units. */
static int32_t water_level(const struct skr_siblings *siblings, const int32_t *sorted, int32_t used,
                           int32_t total)
{
    int32_t lo = used > 0 ? 1 : 0;
    int32_t hi = total;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        int64_t sum = 0;
        for (int32_t i = 0; i < used; i++) {
            sum += sorted[i] < mid ? sorted[i] : mid;
        }
        for (int32_t i = 0; i < siblings->n_units && used == 0; i++) {
            sum += clamp(mid, siblings->unit[i]);
        }
        if (sum >= total) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    return lo;
}

/* Counts of the used largest of sorted, which hold total together, into shape->list. */
static void list_pack(const int32_t *sorted, int32_t used, int32_t total, struct shape *shape)
{
    bool full = true; /* so far; then follow the rest, then ones */
    shape->full = INT32_MAX;
    for (int32_t i = 0; i < used; i++) {
        int32_t most = total - (used - 1 - i);
        int32_t count = sorted[i] < most ? sorted[i] : most;
        full = full && count == sorted[i];
        if (full) {
            shape->full = count;
        }
        skr_bits_set(shape->list, count);
        total -= count;
    }
}

static void list_spread(const int32_t *sorted, int32_t used, struct shape *shape)
{
    int32_t water = shape->water;
    for (int32_t i = 0; i < used; i++) {
        skr_bits_set(shape->list, sorted[i] < water ? sorted[i] : water);
        if (water > 1) {
            skr_bits_set(shape->list, sorted[i] < water - 1 ? sorted[i] : water - 1);
        }
    }
    shape->least = sorted[used - 1];
}

/* Whether the unit holds its greatest count and nothing else, when exactly p units are used. */
static bool must_be_full(const struct skr_span *unit, enum skr_rule_type type,
                         const struct shape *shape)
{
    if (type == SKR_RULE_PACK) {
        return unit->hi > shape->full;
    }
    return unit->hi > shape->least && unit->hi < shape->water - 1;
}

/* The closed forms of all totals of a set. */
struct shapes {
    enum skr_rule_type type;
    int32_t n;
    struct shape item[PORTS_MAX];
};

static void add_counts(const struct skr_span *unit, const void *context, uint64_t *bits)
{
    const struct shapes *shapes = context;
    for (int32_t p = 0; p < shapes->n; p++) {
        const struct shape *shape = &shapes->item[p];
        if (!shape->list) {
            skr_bits_set(bits, clamp(shape->water - 1, unit));
            skr_bits_set(bits, clamp(shape->water, unit));
        } else if (must_be_full(unit, shapes->type, shape)) {
            skr_bits_set(bits, unit->hi);
        } else {
            const int32_t words = skr_bits_words(unit->hi);
            for (int32_t w = 0; w < words; w++) {
                bits[w] |= shape->list[w];
            }
            skr_bits_set(bits, 0);
            skr_bits_clear_above(bits, words, unit->hi);
        }
    }
}

static bool applies(const struct skr_run *run, const struct skr_siblings *siblings)
{
    const struct skr_law *law = &run->law[siblings->all->level];
    if (law->type == SKR_RULE_PACK && law->used == 0) {
        return false;
    }
    for (int32_t i = 0; i < siblings->n_units; i++) {
        const struct skr_span *unit = siblings->unit[i];
        if (!skr_span_is_interval(unit) || (law->used > 0 && unit->lo > 0)) {
            return false;
        }
    }
    return true;
}

static bool find_shapes(struct skr_run *run, const struct skr_siblings *siblings,
                        struct shapes *ret)
{
    const struct skr_law *law = &run->law[siblings->all->level];
    bool spread = law->type == SKR_RULE_SPREAD;
    int32_t *sorted = law->used > 0 ? skr_siblings_by_size(run, siblings) : NULL;
    if (law->used > 0 && !sorted) {
        return false;
    }
    *ret = (struct shapes){.type = law->type, .n = siblings->ports.n};
    for (int32_t p = 0; p < siblings->ports.n; p++) {
        struct shape *shape = &ret->item[p];
        int32_t total = siblings->ports.port[p].main;
        if (spread) {
            shape->water = water_level(siblings, sorted, law->used, total);
        }
        if (!sorted) {
            continue;
        }
        shape->list = skr_run_alloc(run, (size_t)run->n / 64 + 1, sizeof(uint64_t));
        if (!shape->list) {
            return false;
        }
        if (spread) {
            list_spread(sorted, law->used, shape);
        } else {
            list_pack(sorted, law->used, total, shape);
        }
    }
    return true;
}

bool skr_narrow_members(struct skr_run *run, struct skr_siblings *siblings, skr_narrow_add_fn *add,
                        const void *context)
{
    const struct skr_span *before = NULL;
    struct skr_span *result = NULL;
    uint64_t *bits = run->bits_tmp;
    for (int32_t i = 0; i < siblings->n_units; i++) {
        struct skr_span *unit = siblings->unit[i];
        if (unit != before) {
            const int32_t words = skr_bits_words(unit->hi);
            memset(bits, 0, (size_t)words * sizeof *bits);
            add(unit, context, bits);
            result =
                skr_bits_only_zero(bits, words)
                    ? NULL
                    : skr_span_of_counts(run, unit->level, unit->inside, unit->room, bits, words);
            if (run->stop != SKR_RUN_GOES_ON) {
                return false;
            }
            before = unit;
        }
        siblings->unit[i] = result;
    }
    return true;
}

bool skr_narrow_counts(struct skr_run *run, struct skr_siblings *siblings, bool *ret_exact)
{
    *ret_exact = false;
    if (run->plain || siblings->ports.n > PORTS_MAX) {
        return true;
    }
    if (!applies(run, siblings)) {
        return skr_peel(run, siblings);
    }
    *ret_exact = true;
    struct shapes shapes;
    return find_shapes(run, siblings, &shapes) &&
           skr_narrow_members(run, siblings, add_counts, &shapes);
}
