/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans and their interning.
 *
 * The merge of two spans looks at all pairs of keys. A sum with a field beyond its limit is left
 * out; the main counts of the others are added as intervals or bits.
 */
#include "core/solver/roles/role_span.h"

#include "core/solver/roles/role_peaks.h"

bool skr_role_spans_init(struct skr_role_run *rr)
{
    return skr_intern_init(&rr->run, 2 * (size_t)rr->run.tree->n_units, &rr->spans);
}

/* A new span in the table. */
static struct skr_role_span *add(struct skr_role_run *rr, uint64_t hash)
{
    struct skr_role_span *span = skr_run_alloc(&rr->run, 1, sizeof *span);
    if (!span || !skr_intern_add(&rr->run, &rr->spans, span, hash)) {
        return NULL;
    }
    span->id = rr->spans.next_id++;
    return span;
}

int32_t skr_role_span_units(struct skr_role_span *span, struct skr_role_span **ret, int32_t n)
{
    if (span->left) {
        n = skr_role_span_units(span->left, ret, n);
        return skr_role_span_units(span->right, ret, n);
    }
    ret[n] = span;
    return n + 1;
}

static uint64_t hash_rows(uint64_t hash, const struct skr_role_rows *rows)
{
    for (int32_t i = 0; i < rows->n; i++) {
        const struct skr_role_row *row = &rows->row[i];
        hash = skr_intern_mix(hash, row->key);
        hash = skr_intern_mix(hash, (uint64_t)row->lo << 32 | (uint64_t)row->hi);
        for (int32_t w = 0; row->bits && w < skr_bits_words(row->hi); w++) {
            hash = skr_intern_mix(hash, row->bits[w]);
        }
    }
    return hash;
}

struct skr_role_span *skr_role_span_unit(struct skr_role_run *rr, int32_t level,
                                         struct skr_role_span *inside, int64_t room,
                                         const struct skr_role_rows *rows)
{
    const struct skr_intern *table = &rr->spans;
    uint64_t hash = skr_intern_mix(2, (uint64_t)level);
    hash = skr_intern_mix(hash, !inside ? UINT64_MAX : (uint64_t)inside->id);
    hash = hash_rows(skr_intern_mix(hash, (uint64_t)room), rows);
    for (size_t at = hash & table->mask; table->slot[at].item; at = (at + 1) & table->mask) {
        struct skr_role_span *span = table->slot[at].item;
        if (table->slot[at].hash == hash && !span->left && span->level == level &&
            span->inside == inside && span->room == room &&
            skr_role_rows_equal(&span->rows, rows)) {
            return span;
        }
    }
    struct skr_role_span *span = add(rr, hash);
    if (!span || !skr_role_rows_copy(rr, rows, &span->rows)) {
        return NULL;
    }
    span->level = level;
    span->n_units = 1;
    span->inside = inside;
    span->room = room;
    rr->rows += rows->n;
    rr->run.stats.units_visited++;
    return skr_role_peaks_find(rr, span) ? span : NULL;
}

static bool merge(struct skr_role_run *rr, struct skr_role_span *span)
{
    const struct skr_axes *axes = &rr->axes[span->level];
    const struct skr_role_rows *x = &span->left->rows;
    const struct skr_role_rows *y = &span->right->rows;
    if (skr_role_peaks_are_fewer(rr, span)) {
        return skr_role_peaks_merge(rr, span);
    }
    if (!skr_role_run_step(rr, (int64_t)x->n * y->n) ||
        !skr_role_rows_begin(rr, skr_axes_main_most(axes))) {
        return false;
    }
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t j = 0; j < y->n; j++) {
            uint64_t key = x->row[i].key + y->row[j].key;
            if (skr_axes_fits(axes, key) &&
                !skr_role_rows_add_sums(rr, key, &x->row[i], &y->row[j])) {
                return false;
            }
        }
    }
    rr->run.stats.merges++;
    return skr_role_rows_finish(rr, true, &span->rows) &&
           (!span->left->peak || !span->right->peak || skr_role_peaks_find(rr, span));
}

static bool join(struct skr_role_run *rr, struct skr_role_span *left, struct skr_role_span *right,
                 struct skr_role_span **ret)
{
    if (!left || !right) {
        *ret = left ? left : right;
        return true;
    }
    const struct skr_intern *table = &rr->spans;
    uint64_t hash = skr_intern_mix(skr_intern_mix(1, (uint64_t)left->id), (uint64_t)right->id);
    for (size_t at = hash & table->mask; table->slot[at].item; at = (at + 1) & table->mask) {
        struct skr_role_span *span = table->slot[at].item;
        if (table->slot[at].hash == hash && span->left == left && span->right == right) {
            *ret = span;
            return true;
        }
    }
    struct skr_role_span *span = add(rr, hash);
    if (!span) {
        return false;
    }
    span->level = left->level;
    span->left = left;
    span->right = right;
    span->node.left = &left->node;
    span->node.right = &right->node;
    span->n_units = left->n_units + right->n_units;
    *ret = span;
    if (!merge(rr, span)) {
        return false;
    }
    rr->rows += span->rows.n;
    return true;
}

bool skr_role_span_all(struct skr_role_run *rr, struct skr_role_span **item, int32_t n,
                       struct skr_role_span **ret)
{
    while (n > 1) {
        for (int32_t i = 0; i < n / 2; i++) {
            if (!join(rr, item[2 * i], item[2 * i + 1], &item[i])) {
                return false;
            }
        }
        if (n % 2 != 0) {
            item[n / 2] = item[n - 1];
        }
        n = (n + 1) / 2;
    }
    *ret = item[0];
    return true;
}
