/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peeling: what is known about the optimum of a pack level although its units' sets have holes.
 *
 * Let f be the greatest count of a unit, sorted f1 >= f2 >= ... If every unit could hold 0 .. f, a
 * total T would best be held by the k - 1 largest, full, and the rest in one more (k the least
 * number whose sum is >= T). No placement has a better key than that one. So when a valid placement
 * has k - t units with f1 .. f(k-t) and any t others that hold the rest, every optimal placement
 * begins with these counts, and:
 *   - a unit with f > f(k-t) is full;
 *   - one with f = f(k-t) is full or one of the others;
 *   - one of the others holds the rest (t = 1), or the two counts that make it up whose larger one
 *     is as large as can be (t = 2).
 * t = 1 almost always does; with neither, nothing is known and nothing is changed.
 */
#include "core/solver/peel.h"

#include <string.h>

#include "core/solver/narrow_counts.h"

/* What is known for one total. */
struct peeled {
    int32_t full;     /* units with a greater f are full */
    int32_t large;    /* the others' counts */
    int32_t small;    /* 0: one other */
    bool full_choice; /* units with f = full may be others */
};

struct view {
    const struct skr_siblings *siblings;
    const int32_t *sorted; /* f, descending */
    int32_t *holders;      /* [count] units among the others that can hold it */
    int32_t *holder;       /* [count] one of them */
};

static const uint64_t *counts_of(const struct skr_span *unit)
{
    return skr_span_row(unit, unit->rows - 1);
}

static bool can_hold(const struct skr_span *unit, int32_t x)
{
    return x <= unit->hi && skr_bits_get(counts_of(unit), x);
}

/* Number of units with f = full, and how many of them are among the first n. */
static void count_equal(const struct view *v, int32_t full, int32_t n, int32_t *ret_all,
                        int32_t *ret_among)
{
    *ret_all = 0;
    *ret_among = 0;
    for (int32_t i = 0; i < v->siblings->n_units; i++) {
        *ret_all += v->sorted[i] == full ? 1 : 0;
        *ret_among += i < n && v->sorted[i] == full ? 1 : 0;
    }
}

/* Whether one of the others holds exactly rest. */
static bool one_other(const struct view *v, const struct peeled *p, int32_t rest)
{
    for (int32_t i = 0; i < v->siblings->n_units; i++) {
        const struct skr_span *unit = v->siblings->member[i];
        bool other = unit->hi < p->full || (unit->hi == p->full && p->full_choice);
        if (other && can_hold(unit, rest)) {
            return true;
        }
    }
    return false;
}

/* The largest count of two others that make up rest; false when there are no two. spare: how many
 * units with f = full may be others. */
static bool two_others(const struct view *v, struct peeled *p, int32_t rest, int32_t spare)
{
    memset(v->holders, 0, ((size_t)rest + 1) * sizeof *v->holders);
    for (int32_t i = 0; i < v->siblings->n_units; i++) {
        const struct skr_span *unit = v->siblings->member[i];
        /* With one to spare, two of them are too many: leave them out, that loses no proof. */
        bool other = unit->hi < p->full || (unit->hi == p->full && spare >= 2);
        for (int32_t x = other ? skr_bits_next(counts_of(unit), unit->words, 1) : -1;
             x > 0 && x <= rest; x = skr_bits_next(counts_of(unit), unit->words, x + 1)) {
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
            return spare == 0 || spare >= 2;
        }
    }
    return false;
}

static bool peel_total(const struct view *v, int32_t total, struct peeled *ret)
{
    int32_t n = v->siblings->n_units;
    int32_t k = 0;
    int64_t sum = 0;
    while (k < n && sum < total) {
        sum += v->sorted[k++];
    }
    for (int32_t t = 1; t <= 2 && t <= k; t++) {
        int64_t rest = total - sum;
        for (int32_t i = k - t; i < k; i++) {
            rest += v->sorted[i];
        }
        int32_t all = 0;
        int32_t among = 0;
        *ret = (struct peeled){.full = k > t ? v->sorted[k - t - 1] : INT32_MAX,
                               .large = (int32_t)rest};
        count_equal(v, ret->full, k - t, &all, &among);
        ret->full_choice = all > among;
        if (t == 1 ? one_other(v, ret, (int32_t)rest)
                   : two_others(v, ret, (int32_t)rest, all - among)) {
            return true;
        }
    }
    return false;
}

static void add_counts(const struct skr_span *unit, const struct peeled *p, uint64_t *bits)
{
    bool other = unit->hi < p->full || (unit->hi == p->full && p->full_choice);
    if (unit->hi >= p->full) {
        skr_bits_set(bits, unit->hi);
    }
    if (other) {
        skr_bits_set(bits, 0);
        if (can_hold(unit, p->large)) {
            skr_bits_set(bits, p->large);
        }
        if (can_hold(unit, p->small)) {
            skr_bits_set(bits, p->small);
        }
    }
}

static bool applies(const struct skr_run *run, const struct skr_siblings *siblings)
{
    const struct skr_law *law = &run->law[siblings->all->level];
    if (law->type != SKR_RULE_PACK || law->used > 0 || law->mute) {
        return false;
    }
    for (int32_t i = 0; i < siblings->n_units; i++) {
        const struct skr_span *unit = siblings->member[i];
        if (!unit || unit->lo > 0 || unit->hi <= 0) {
            return false;
        }
    }
    return true;
}

/* Every total peeled; false in *ret when one of them is not. */
static bool peel_all(struct skr_run *run, const struct skr_siblings *siblings,
                     struct peeled *peeled, bool *ret)
{
    int32_t *sorted = skr_siblings_by_size(run, siblings);
    int32_t most = siblings->port[siblings->n_ports - 1].total;
    struct view view = {.siblings = siblings, .sorted = sorted};
    view.holders = skr_run_alloc(run, (size_t)most + 1, sizeof(int32_t));
    view.holder = skr_run_alloc(run, (size_t)most + 1, sizeof(int32_t));
    if (!sorted || !view.holders || !view.holder) {
        return false;
    }
    *ret = true;
    for (int32_t p = 0; p < siblings->n_ports && *ret; p++) {
        *ret = peel_total(&view, siblings->port[p].total, &peeled[p]);
    }
    return true;
}

bool skr_peel(struct skr_run *run, struct skr_siblings *siblings)
{
    if (!applies(run, siblings)) {
        return true;
    }
    bool known = false;
    struct peeled *peeled = skr_run_alloc(run, (size_t)siblings->n_ports, sizeof *peeled);
    uint64_t *bits = skr_run_alloc(run, (size_t)run->n / 64 + 1, sizeof *bits);
    if (!peeled || !bits || !peel_all(run, siblings, peeled, &known)) {
        return false;
    }
    const struct skr_span *before = NULL;
    struct skr_span *result = NULL;
    for (int32_t i = 0; i < siblings->n_units && known; i++) {
        struct skr_span *unit = siblings->member[i];
        if (unit != before) {
            memset(bits, 0, (size_t)unit->words * sizeof *bits);
            for (int32_t p = 0; p < siblings->n_ports; p++) {
                add_counts(unit, &peeled[p], bits);
            }
            if (!skr_narrow_to_counts(run, unit, bits, unit->words, &result)) {
                return false;
            }
            before = unit;
        }
        siblings->member[i] = result;
    }
    return true;
}
