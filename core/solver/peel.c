/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peeling: what is known about the optimum of a pack level, whether or not its units' sets have
 * holes (min, factor, rules further down).
 *
 * Let f be the greatest count of a unit, sorted f1 >= f2 >= ... If every unit could hold 0 .. f, a
 * total T would best be held by the k - 1 largest, full, and the rest in one more (k the least
 * number whose sum is >= T). No placement has a better key than that one. So if a valid placement
 * has k - t units with f1 .. f(k-t) and any t others that hold the rest, every optimal placement
 * begins with these counts, and:
 *   - a unit with f > f(k-t) is full;
 *   - one with f = f(k-t) is full or one of the others;
 *   - one of the others holds the rest (t = 1), or two of them hold two counts that make it up, the
 *     larger of which is as large as possible (t = 2). Without holes t = 1 always holds; with them,
 *     almost always. If neither holds, nothing is known and nothing is changed.
 */
#include "core/solver/narrow_counts.h"

#include <string.h>

/* What is known for one total. */
struct peeled {
    int32_t full;  /* units with a greater f are full */
    int32_t large; /* the others' counts */
    int32_t small; /* 0: one other */
    int32_t spare; /* units with f = full that may be others */
};

/* The totals of a set. */
struct peeling {
    int32_t n;
    struct peeled *item;
};

struct view {
    const struct skr_siblings *siblings;
    const int32_t *sorted; /* f, descending */
    int32_t *holders;      /* [count] units among the others that can hold it; made when needed */
    int32_t *holder;       /* [count] one of them */
};

static bool can_hold(const struct skr_span *unit, int32_t x)
{
    return skr_row_has(unit->rows.row, x);
}

static bool is_other(const struct skr_span *unit, const struct peeled *p)
{
    return unit->hi < p->full || (unit->hi == p->full && p->spare > 0);
}

/* Whether one of the others holds exactly rest. */
static bool one_other(const struct view *v, const struct peeled *p, int32_t rest)
{
    for (int32_t i = 0; i < v->siblings->n_units; i++) {
        const struct skr_span *unit = v->siblings->unit[i];
        if (is_other(unit, p) && can_hold(unit, rest)) {
            return true;
        }
    }
    return false;
}

static bool have_holders(struct skr_run *run, struct view *v)
{
    size_t n = (size_t)v->siblings->ports.port[v->siblings->ports.n - 1].main + 1;
    if (!v->holders) {
        v->holders = skr_run_alloc(run, n, sizeof *v->holders);
        v->holder = skr_run_alloc(run, n, sizeof *v->holder);
    }
    return v->holders && v->holder;
}

/* The largest count of two others that make up rest; false when there are no two. */
static bool two_others(const struct view *v, struct peeled *p, int32_t rest)
{
    memset(v->holders, 0, ((size_t)rest + 1) * sizeof *v->holders);
    for (int32_t i = 0; i < v->siblings->n_units; i++) {
        const struct skr_span *unit = v->siblings->unit[i];
        /* With one to spare, two of them are too many: leave them out, that loses no proof. */
        bool other = unit->hi < p->full || (unit->hi == p->full && p->spare >= 2);
        const int32_t last = !other ? -1 : unit->hi < rest ? unit->hi : rest;
        for (int32_t x = skr_row_next(unit->rows.row, 1); x <= last;
             x = skr_row_next(unit->rows.row, x + 1)) {
            v->holders[x]++;
            v->holder[x] = i;
        }
    }
    for (int32_t x = rest - 1; x >= rest - x && x > 0; x--) {
        int32_t y = rest - x;
        bool found = v->holders[x] > 0 && v->holders[y] > 0;
        bool same = v->holders[x] == 1 && v->holders[y] == 1 && v->holder[x] == v->holder[y];
        if (found && !same && (x != y || v->holders[x] > 1)) {
            p->large = x;
            p->small = y;
            return p->spare != 1;
        }
    }
    return false;
}

/* *ret: whether anything is known. False: no memory. */
static bool peel_total(struct skr_run *run, struct view *v, int32_t total, struct peeled *p,
                       bool *ret)
{
    int32_t n = v->siblings->n_units;
    int32_t k = 0;
    int64_t sum = 0;
    while (k < n && sum < total) {
        sum += v->sorted[k++];
    }
    *ret = false;
    for (int32_t t = 1; t <= 2 && t <= k && !*ret; t++) {
        int32_t full = k - t;
        sum -= v->sorted[full];
        int32_t rest = (int32_t)(total - sum);
        *p = (struct peeled){.full = full > 0 ? v->sorted[full - 1] : INT32_MAX, .large = rest};
        while (full + p->spare < n && v->sorted[full + p->spare] == p->full) {
            p->spare++;
        }
        if (t == 1) {
            *ret = one_other(v, p, rest);
        } else if (have_holders(run, v)) {
            *ret = two_others(v, p, rest);
        } else {
            return false;
        }
    }
    return true;
}

static void add_counts(const struct skr_span *unit, const void *context, uint64_t *bits)
{
    const struct peeling *peeling = context;
    for (int32_t i = 0; i < peeling->n; i++) {
        const struct peeled *p = &peeling->item[i];
        if (unit->hi >= p->full) {
            skr_bits_set(bits, unit->hi);
        }
        if (is_other(unit, p)) {
            skr_bits_set(bits, 0);
            if (can_hold(unit, p->large)) {
                skr_bits_set(bits, p->large);
            }
            if (p->small > 0 && can_hold(unit, p->small)) {
                skr_bits_set(bits, p->small);
            }
        }
    }
}

static bool applies(const struct skr_run *run, const struct skr_siblings *siblings)
{
    const struct skr_law *law = &run->law[siblings->all->level];
    if (law->type != SKR_RULE_PACK || law->used > 0) {
        return false;
    }
    for (int32_t i = 0; i < siblings->n_units; i++) {
        const struct skr_span *unit = siblings->unit[i];
        if (!unit || unit->lo > 0 || unit->hi <= 0) {
            return false;
        }
    }
    return true;
}

bool skr_peel(struct skr_run *run, struct skr_siblings *siblings)
{
    if (!applies(run, siblings)) {
        return true;
    }
    struct view view = {.siblings = siblings, .sorted = skr_siblings_by_size(run, siblings)};
    struct peeling peeling = {.n = siblings->ports.n};
    peeling.item = skr_run_alloc(run, (size_t)peeling.n, sizeof *peeling.item);
    if (!view.sorted || !peeling.item) {
        return false;
    }
    bool known = true;
    for (int32_t p = 0; p < peeling.n && known; p++) {
        if (!peel_total(run, &view, siblings->ports.port[p].main, &peeling.item[p], &known)) {
            return false;
        }
    }
    return !known || skr_narrow_members(run, siblings, add_counts, &peeling);
}
