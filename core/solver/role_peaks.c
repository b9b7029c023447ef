/* SPDX-License-Identifier: Apache-2.0 */
/* Merges of sets that are known by their peaks: see role_peaks.h. */
#include "core/solver/role_peaks.h"

enum {
    BITS_MAX = 16,      /* of the fields of a level with a table */
    KEYS_MAX = 1 << 16, /* of such a level */
    NOTHING = -1,       /* no vector has the key */
};

/* Of all levels of a run. */
struct skr_role_table {
    int32_t *most; /* [1 << BITS_MAX at most] greatest main count by key; NOTHING between uses */
    uint64_t *key[SKR_LEVELS_MAX + 1]; /* [level] all valid keys, ascending; NULL: no table */
    int32_t n_keys[SKR_LEVELS_MAX + 1];
};

/* The keys of a level, field by field from the lowest. */
static bool list_keys(struct skr_role_run *rr, const struct skr_axes *axes, uint64_t **ret,
                      int32_t *ret_n)
{
    int64_t n = 1;
    for (int32_t a = 0; a + 1 < axes->n && n <= KEYS_MAX; a++) {
        n *= axes->axis[a].most + 1;
    }
    if (axes->n_counters > 0 || axes->guards >> BITS_MAX != 0 || n > KEYS_MAX) {
        return true;
    }
    uint64_t *key = skr_run_alloc(&rr->run, (size_t)n, sizeof *key);
    if (!key) {
        return false;
    }
    n = 1;
    for (int32_t a = 0; a + 1 < axes->n; a++) {
        const struct skr_axis *axis = &axes->axis[a];
        for (int32_t count = 1; count <= axis->most; count++) {
            for (int64_t i = 0; i < n; i++) {
                key[count * n + i] = key[i] | (uint64_t)count << axis->shift;
            }
        }
        n *= axis->most + 1;
    }
    *ret = key;
    *ret_n = (int32_t)n;
    return true;
}

static bool make_table(struct skr_role_run *rr)
{
    struct skr_role_table *table = skr_run_alloc(&rr->run, 1, sizeof *table);
    uint64_t guards = 1;
    for (int32_t level = 1; table && level <= rr->run.tree->n_levels; level++) {
        if (!list_keys(rr, &rr->axes[level], &table->key[level], &table->n_keys[level])) {
            return false;
        }
        guards |= table->key[level] ? rr->axes[level].guards : 0;
    }
    size_t n = 1;
    while (guards >= n) {
        n *= 2;
    }
    int32_t *most = table ? skr_run_alloc(&rr->run, n, sizeof *most) : NULL;
    for (size_t i = 0; most && i < n; i++) {
        most[i] = NOTHING;
    }
    if (!most) {
        return false;
    }
    table->most = most;
    rr->table = table;
    return true;
}

/* The greatest main count of the keys one beyond this one. */
static int32_t beyond(const struct skr_axes *axes, const int32_t *most, uint64_t key)
{
    int32_t greatest = NOTHING;
    for (int32_t a = 0; a + 1 < axes->n; a++) {
        uint64_t next = key + (UINT64_C(1) << axes->axis[a].shift);
        if (skr_axes_fits(axes, next) && most[next] > greatest) {
            greatest = most[next];
        }
    }
    return greatest;
}

/* Whether all vectors below those of the row are there, too. */
static bool has_smaller(const struct skr_axes *axes, const int32_t *most, const struct skr_row *row)
{
    bool has = !row->bits && row->lo == 0;
    for (int32_t a = 0; a + 1 < axes->n && has; a++) {
        has = skr_axes_digit(axes, row->key, a) == 0 ||
              most[row->key - (UINT64_C(1) << axes->axis[a].shift)] >= row->hi;
    }
    return has;
}

bool skr_role_peaks_find(struct skr_role_run *rr, struct skr_span *span)
{
    const struct skr_axes *axes = &rr->axes[span->level];
    const struct skr_rows *rows = &span->rows;
    /* With one axis there is one row: a merge is one step. */
    if (rr->run.plain || axes->n == 1 || rows->n == 0 || rows->row[0].key != 0 ||
        rows->row[0].lo != 0) {
        return true;
    }
    if (!rr->table && !make_table(rr)) {
        return false;
    }
    int32_t *most = rr->table->most;
    if (!rr->table->key[span->level]) {
        return true;
    }
    bool whole = true;
    int32_t n = 0;
    for (int32_t k = 0; k < rows->n; k++) {
        most[rows->row[k].key] = rows->row[k].hi;
    }
    for (int32_t k = 0; k < rows->n && whole; k++) {
        whole = has_smaller(axes, most, &rows->row[k]);
        n += beyond(axes, most, rows->row[k].key) < rows->row[k].hi ? 1 : 0;
    }
    struct skr_role_peak *peak = whole ? skr_run_alloc(&rr->run, (size_t)n, sizeof *peak) : NULL;
    for (int32_t k = 0; k < rows->n && peak; k++) {
        const struct skr_row *row = &rows->row[k];
        if (beyond(axes, most, row->key) < row->hi) {
            peak[span->n_peaks++] = (struct skr_role_peak){.key = row->key, .main = row->hi};
        }
    }
    for (int32_t k = 0; k < rows->n; k++) {
        most[rows->row[k].key] = NOTHING;
    }
    span->peak = peak;
    return !whole || peak;
}

/* The key with every field at its limit at most. */
static uint64_t cut(const struct skr_axes *axes, uint64_t key)
{
    uint64_t ret = 0;
    for (int32_t a = 0; a + 1 < axes->n; a++) {
        const struct skr_axis *axis = &axes->axis[a];
        uint64_t count = key >> axis->shift & (2 * axis->mask + 1); /* with its guard bit */
        ret |= (count < (uint64_t)axis->most ? count : (uint64_t)axis->most) << axis->shift;
    }
    return ret;
}

static void add_peaks(const struct skr_axes *axes, const struct skr_span *left,
                      const struct skr_span *right, int32_t *most)
{
    const int32_t main_most = skr_axes_main_most(axes);
    for (int32_t i = 0; i < left->n_peaks; i++) {
        const struct skr_role_peak x = left->peak[i];
        for (int32_t j = 0; j < right->n_peaks; j++) {
            uint64_t key = x.key + right->peak[j].key;
            int32_t main = x.main + right->peak[j].main;
            key = skr_axes_fits(axes, key) ? key : cut(axes, key);
            main = main < main_most ? main : main_most;
            most[key] = main > most[key] ? main : most[key];
        }
    }
}

bool skr_role_peaks_are_fewer(const struct skr_role_run *rr, const struct skr_span *left,
                              const struct skr_span *right)
{
    return left->peak && right->peak &&
           (int64_t)left->rows.n * right->rows.n >= rr->table->n_keys[left->level];
}

bool skr_role_peaks_merge(struct skr_role_run *rr, struct skr_span *span)
{
    const struct skr_axes *axes = &rr->axes[span->level];
    const uint64_t *key = rr->table->key[span->level];
    const int32_t n_keys = rr->table->n_keys[span->level];
    int32_t *most = rr->table->most;
    if (!skr_role_run_step(rr, (int64_t)span->left->n_peaks * span->right->n_peaks + n_keys)) {
        return false;
    }
    add_peaks(axes, span->left, span->right, most);
    int32_t n = 0;
    int32_t n_peaks = 0;
    for (int32_t k = n_keys - 1; k >= 0; k--) {
        int32_t greater = beyond(axes, most, key[k]);
        n_peaks += most[key[k]] > greater ? 1 : 0;
        most[key[k]] = most[key[k]] > greater ? most[key[k]] : greater;
        n += most[key[k]] > NOTHING ? 1 : 0;
    }
    struct skr_row *row = skr_run_alloc(&rr->run, (size_t)n, sizeof *row);
    struct skr_role_peak *peak = skr_run_alloc(&rr->run, (size_t)n_peaks, sizeof *peak);
    rr->beyond = rr->beyond || n > rr->row_limit;
    for (int32_t k = 0; k < n_keys && row && peak; k++) {
        const int32_t main = most[key[k]];
        if (main > NOTHING) {
            row[span->rows.n++] = (struct skr_row){.key = key[k], .hi = main};
        }
        if (main > beyond(axes, most, key[k])) {
            peak[span->n_peaks++] = (struct skr_role_peak){.key = key[k], .main = main};
        }
    }
    for (int32_t k = 0; k < n_keys; k++) {
        most[key[k]] = NOTHING;
    }
    span->rows.row = row;
    span->peak = peak;
    rr->run.stats.merges++;
    return row && peak && !rr->beyond;
}
