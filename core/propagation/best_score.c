/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The covering set of a size with enough room and the highest sum of scores, and of those the one
 * with the smallest list of positions.
 *
 * Members of one group with one score and one tier form a class; in it they are ordered by room, so
 * a best set takes the first ones of every class: exchanging a later one for an earlier one keeps
 * groups and score, loses no room, and is smaller. A table over (clusters taken, score taken) holds
 * the most room; groups are merged into it one after another. The best score is read off; then the
 * positions are gone through, and the next member of a class is taken if a best set remains, else
 * the class is closed. That is one table per member taken or class closed.
 *
 * Scores are counted in units of their common divisor above the lowest. Where the table would be
 * too large (many clusters with many different scores) the roomiest covering set is improved member
 * by member instead: legal, not always the best.
 */
#include <stdlib.h>
#include <string.h>

#include "core/propagation/steps.h"

enum { WORK_MAX = 400 * 1000 * 1000 };

struct class_ {
    int32_t group;
    int64_t level; /* score above the lowest, in units */
    int32_t tier;
    size_t n;
    int64_t *sum;  /* [0..n] room of the first so many */
    size_t taken;  /* already decided for */
    bool closed;   /* no more than taken */
};

struct table {
    size_t rows;    /* clusters taken: 0..size */
    size_t columns; /* score taken: 0..most */
    int64_t *room;  /* -1: not possible */
};

/* What one group can contribute: at least one member. */
struct offer {
    size_t row, column;
    int64_t room;
};

struct problem {
    const struct skr_decision *decision;
    const struct skr_pool *pool;
    size_t size;
    int64_t need;
    int64_t lowest;
    int64_t unit;
    int64_t levels; /* highest level */
    size_t n_classes;
    struct class_ *class_; /* by group, then level */
    int32_t *class_of;     /* [position] */
    struct table now, next; /* of all groups so far */
    struct table own[2];    /* of one group */
    struct offer *offer;
};

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static const struct skr_candidate *at(const struct problem *p, size_t position)
{
    return &p->decision->candidate[p->pool->member[position]];
}

static void find_units(struct problem *p)
{
    int64_t highest = at(p, 0)->score;
    p->lowest = highest;
    for (size_t i = 0; i < p->pool->n; i++) {
        int64_t score = at(p, i)->score;
        p->lowest = score < p->lowest ? score : p->lowest;
        highest = score > highest ? score : highest;
    }
    p->unit = 0;
    for (size_t i = 0; i < p->pool->n; i++) {
        p->unit = divisor(at(p, i)->score - p->lowest, p->unit);
    }
    p->unit = p->unit == 0 ? 1 : p->unit;
    p->levels = (highest - p->lowest) / p->unit;
}

/* ---- classes ---- */

struct entry {
    int32_t position;
    int32_t group;
    int32_t tier;
    int64_t level;
};

static int by_class(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    if (x->level != y->level) {
        return x->level > y->level ? -1 : 1;
    }
    if (x->tier != y->tier) {
        return x->tier < y->tier ? -1 : 1;
    }
    return (x->position > y->position) - (x->position < y->position);
}

static void make_classes(struct problem *p)
{
    size_t n = p->pool->n;
    struct entry *entry = skr_alloc_array(n, sizeof *entry);
    for (size_t i = 0; i < n; i++) {
        entry[i] = (struct entry){.position = (int32_t)i,
                                  .group = p->pool->group[i],
                                  .tier = at(p, i)->tier,
                                  .level = (at(p, i)->score - p->lowest) / p->unit};
    }
    qsort(entry, n, sizeof *entry, by_class);
    p->class_ = skr_alloc_array(n, sizeof *p->class_);
    p->class_of = skr_alloc_array(n, sizeof *p->class_of);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && entry[end].group == entry[i].group &&
               entry[end].level == entry[i].level && entry[end].tier == entry[i].tier) {
            end++;
        }
        struct class_ *class_ = &p->class_[p->n_classes];
        *class_ = (struct class_){
            .group = entry[i].group, .level = entry[i].level, .tier = entry[i].tier};
        class_->n = end - i < p->size ? end - i : p->size;
        class_->sum = skr_alloc_array(class_->n + 1, sizeof *class_->sum);
        for (size_t k = 0; k < end - i; k++) {
            p->class_of[entry[i + k].position] = (int32_t)p->n_classes;
            if (k < class_->n) {
                class_->sum[k + 1] =
                    class_->sum[k] + at(p, (size_t)entry[i + k].position)->available;
            }
        }
        p->n_classes++;
        i = end;
    }
    free(entry);
}

/* ---- the table ---- */

static void clear(struct table *table)
{
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        table->room[i] = -1;
    }
}

static size_t most_of(const struct class_ *class_)
{
    return class_->closed ? class_->taken : class_->n;
}

/* Puts taken .. most members of the class beside every entry of from. */
static void add_class(const struct class_ *class_, const struct table *from, struct table *to)
{
    clear(to);
    for (size_t i = 0; i < from->rows * from->columns; i++) {
        size_t row = i / from->columns;
        size_t column = i % from->columns;
        for (size_t k = class_->taken; from->room[i] >= 0 && k <= most_of(class_); k++) {
            size_t to_column = column + k * (size_t)class_->level;
            if (row + k >= to->rows || to_column >= to->columns) {
                break;
            }
            int64_t *room = &to->room[(row + k) * to->columns + to_column];
            int64_t sum = from->room[i] + class_->sum[k];
            *room = sum > *room ? sum : *room;
        }
    }
}

/* The offers of classes first..end; their number. p->spare has room for them. */
static size_t list_offers(struct problem *p, size_t first, size_t end)
{
    size_t rows = 1;
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        rows += most_of(&p->class_[i]);
    }
    rows = rows < p->now.rows ? rows : p->now.rows;
    struct table *from = &p->own[0];
    struct table *to = &p->own[1];
    p->own[0].rows = p->own[1].rows = rows;
    clear(from);
    from->room[0] = 0;
    for (size_t i = first; i < end; i++) {
        add_class(&p->class_[i], from, to);
        struct table *filled = to;
        to = from;
        from = filled;
    }
    for (size_t i = from->columns; i < rows * from->columns; i++) {
        if (from->room[i] >= 0) {
            p->offer[n++] = (struct offer){i / from->columns, i % from->columns, from->room[i]};
        }
    }
    return n;
}

static void add_group(struct problem *p, size_t first, size_t end)
{
    size_t n = list_offers(p, first, end);
    clear(&p->next);
    for (size_t i = 0; i < p->now.rows * p->now.columns; i++) {
        size_t row = i / p->now.columns;
        size_t column = i % p->now.columns;
        for (size_t k = 0; p->now.room[i] >= 0 && k < n; k++) {
            const struct offer *offer = &p->offer[k];
            if (row + offer->row < p->next.rows && column + offer->column < p->next.columns) {
                int64_t *to = &p->next.room[(row + offer->row) * p->next.columns + column +
                                            offer->column];
                int64_t sum = p->now.room[i] + offer->room;
                *to = sum > *to ? sum : *to;
            }
        }
    }
    struct table filled = p->next;
    p->next = p->now;
    p->now = filled;
}

/* The best score, in units above size times the lowest, of what the classes still allow; -1: none
 * has the room. */
static int64_t best_score(struct problem *p)
{
    clear(&p->now);
    p->now.room[0] = 0;
    for (size_t i = 0; i < p->n_classes;) {
        size_t end = i;
        while (end < p->n_classes && p->class_[end].group == p->class_[i].group) {
            end++;
        }
        add_group(p, i, end);
        i = end;
    }
    for (size_t column = p->now.columns; column-- > 0;) {
        if (p->now.room[p->size * p->now.columns + column] >= p->need) {
            return (int64_t)column;
        }
    }
    return -1;
}

static void make_table(struct table *table, size_t rows, size_t columns)
{
    *table = (struct table){.rows = rows, .columns = columns};
    table->room = skr_alloc_array(rows * columns, sizeof *table->room);
}

/* ---- the set ---- */

static void solve(struct problem *p, int32_t *pick)
{
    size_t rows = p->size + 1;
    size_t columns = p->size * (size_t)p->levels + 1;
    size_t n = 0;
    make_table(&p->now, rows, columns);
    make_table(&p->next, rows, columns);
    make_table(&p->own[0], rows, columns);
    make_table(&p->own[1], rows, columns);
    p->offer = skr_alloc_array(rows * columns, sizeof *p->offer);
    int64_t best = best_score(p);
    skr_bug_on(best < 0);
    for (size_t i = 0; i < p->pool->n && n < p->size; i++) {
        struct class_ *class_ = &p->class_[p->class_of[i]];
        if (class_->closed || class_->taken == class_->n) {
            continue;
        }
        class_->taken++;
        if (best_score(p) == best) {
            pick[n++] = p->pool->member[i];
        } else {
            class_->taken--;
            class_->closed = true;
        }
    }
    skr_bug_on(n != p->size);
    free(p->offer);
    free(p->own[0].room);
    free(p->own[1].room);
    free(p->now.room);
    free(p->next.room);
}

/* ---- without the table ---- */

static int by_available(const struct problem *p, size_t a, size_t b)
{
    return at(p, a)->available > at(p, b)->available;
}

/* The roomiest covering set. */
static void pick_roomiest(const struct problem *p, bool *picked, size_t *cover)
{
    size_t n = p->pool->n_groups;
    size_t *best = skr_alloc_array(n, sizeof *best);
    memset(best, 0xff, n * sizeof *best);
    for (size_t i = 0; i < p->pool->n; i++) {
        size_t *held = &best[p->pool->group[i]];
        *held = *held == SIZE_MAX || by_available(p, i, *held) ? i : *held;
    }
    for (size_t i = 0; i < n; i++) {
        picked[best[i]] = true;
        cover[i] = 1;
    }
    for (; n < p->size; n++) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < p->pool->n; i++) {
            next = !picked[i] && (next == SIZE_MAX || by_available(p, i, next)) ? i : next;
        }
        picked[next] = true;
        cover[p->pool->group[next]]++;
    }
    free(best);
}

/* One pick of a lower score that i may replace; SIZE_MAX: none. */
static size_t replaced_by(const struct problem *p, const bool *picked, const size_t *cover,
                          size_t i, int64_t room)
{
    for (size_t k = p->pool->n; k-- > 0;) {
        bool keeps = cover[p->pool->group[k]] > 1 || p->pool->group[k] == p->pool->group[i];
        if (picked[k] && keeps && at(p, k)->score < at(p, i)->score &&
            room - at(p, k)->available + at(p, i)->available >= p->need) {
            return k;
        }
    }
    return SIZE_MAX;
}

static void improve(const struct problem *p, int32_t *pick)
{
    bool *picked = skr_alloc_array(p->pool->n, sizeof *picked);
    size_t *cover = skr_alloc_array(p->pool->n_groups, sizeof *cover);
    int64_t room = 0;
    size_t n = 0;
    pick_roomiest(p, picked, cover);
    for (size_t i = 0; i < p->pool->n; i++) {
        room += picked[i] ? at(p, i)->available : 0;
    }
    for (size_t i = 0; i < p->pool->n; i++) {
        size_t k = picked[i] ? SIZE_MAX : replaced_by(p, picked, cover, i, room);
        if (k != SIZE_MAX) {
            room += at(p, i)->available - at(p, k)->available;
            picked[k] = false;
            picked[i] = true;
            cover[p->pool->group[k]]--;
            cover[p->pool->group[i]]++;
        }
    }
    for (size_t i = 0; i < p->pool->n; i++) {
        if (picked[i]) {
            pick[n++] = p->pool->member[i];
        }
    }
    free(picked);
    free(cover);
}

/* Entries times what a group offers, for all groups, for every step; roughly. */
static bool is_solvable(const struct problem *p)
{
    skr_int128 steps = (skr_int128)(p->size + p->n_classes);
    skr_int128 entries =
        (skr_int128)(p->size + 1) * ((skr_int128)p->size * (skr_int128)p->levels + 1);
    return steps * entries <= WORK_MAX && steps * entries * (skr_int128)p->n_classes * 4 <= WORK_MAX;
}

void skr_pool_pick_best_score(struct skr_decision *decision, const struct skr_pool *pool,
                              size_t size, int64_t need, int32_t *pick)
{
    struct problem p = {.decision = decision, .pool = pool, .size = size, .need = need};
    find_units(&p);
    make_classes(&p);
    if (is_solvable(&p)) {
        solve(&p, pick);
    } else {
        decision->fell_back = true;
        improve(&p, pick);
    }
    for (size_t i = 0; i < p.n_classes; i++) {
        free(p.class_[i].sum);
    }
    free(p.class_);
    free(p.class_of);
}
