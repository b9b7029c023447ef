/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The description: places with their seats, subjects, and what was touched since the last end.
 *
 * A place that is touched is compared by a hash of everything that is shown of it. A subject has the
 * text of each field, so that a change names the fields that differ. picture_text.c writes both.
 */
#include "core/frame/picture_parts.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/table.h"

/* ---- life ---- */

struct skr_picture *skr_picture_create(const char *view, const struct skr_hash_seed *seed)
{
    struct skr_picture *p = skr_alloc(sizeof *p);
    p->view = view;
    p->seed = *seed;
    return p;
}

static void clear(struct skr_picture *p)
{
    for (size_t i = 0; i < p->n_places; i++) {
        free(p->place[i].seat);
    }
    free(p->place);
    free(p->touched);
    HASH_CLEAR(hh, p->by_key);
    for (size_t i = 0; i < p->n_subjects; i++) {
        free(p->subject[i]->key);
        free(p->subject[i]->text);
        free(p->subject[i]->at);
        free(p->subject[i]);
    }
    free(p->subject);
    free(p->changed);
    free(p->resource);
    free(p->memory);
    skr_tree_unref(p->tree);
}

static void drop_resources(struct skr_picture *p)
{
    for (size_t i = 0; i < p->n_resources; i++) {
        free(p->resources[i]);
    }
    free(p->resources);
}

void skr_picture_destroy(struct skr_picture *picture)
{
    if (picture) {
        clear(picture);
        drop_resources(picture);
        free(picture);
    }
}

void *skr_picture_memory(struct skr_picture *picture, size_t size)
{
    if (!picture->memory) {
        picture->memory = skr_alloc(size);
    }
    return picture->memory;
}

/* ---- begin ---- */

static void choose_level(struct skr_picture *p)
{
    int32_t level = p->tree->n_levels;
    while (level > 1 &&
           p->tree->level_first[level + 1] - p->tree->level_first[level] > SKR_PICTURE_PLACES_MAX) {
        level--;
    }
    p->level = level;
    p->first = p->tree->level_first[level];
    p->n_places = (size_t)(p->tree->level_first[level + 1] - p->first);
}

static void start_anew(struct skr_picture *p, const struct skr_tree *tree, const char *resource)
{
    struct skr_tree *own = skr_tree_ref(tree);
    char *name = skr_strdup(resource);
    struct skr_picture fresh = {.view = p->view,
                                .seed = p->seed,
                                .version = p->version,
                                .tree = own,
                                .resource = name,
                                .resources = p->resources,
                                .n_resources = p->n_resources};
    clear(p);
    *p = fresh;
    choose_level(p);
    p->place = skr_alloc_array(p->n_places + 1, sizeof *p->place);
    p->touched = skr_alloc_array(p->n_places + 1, sizeof *p->touched);
    for (size_t i = 0; i < p->n_places; i++) {
        p->place[i].state = SKR_PLACE_MISSING;
    }
    p->anew = true;
}

bool skr_picture_begin(struct skr_picture *picture, const struct skr_tree *tree,
                       const char *resource, skr_time now)
{
    struct skr_picture *p = picture;
    const bool same = p->tree && !p->crowded && strcmp(p->resource, resource) == 0 &&
                      (p->tree == tree || skr_tree_equal(p->tree, tree));
    if (!same) {
        start_anew(p, tree, resource);
    } else if (p->tree != tree) { /* so that the next comparison is one of pointers */
        skr_tree_unref(p->tree);
        p->tree = skr_tree_ref(tree);
    }
    p->now = now;
    p->keeps = false;
    p->round++;
    return p->anew;
}

void skr_picture_resources(struct skr_picture *picture, const char *const *name, size_t n)
{
    struct skr_picture *p = picture;
    size_t same = 0;
    while (same < n && same < p->n_resources && strcmp(p->resources[same], name[same]) == 0) {
        same++;
    }
    p->crowded = p->crowded || (!p->anew && (same < n || same < p->n_resources));
    drop_resources(p);
    p->resources = skr_alloc_array(n + 1, sizeof *p->resources);
    p->n_resources = n;
    for (size_t i = 0; i < n; i++) {
        p->resources[i] = skr_strdup(name[i]);
    }
}

/* ---- places ---- */

int32_t skr_picture_place_of(const struct skr_picture *picture, int32_t leaf)
{
    const struct skr_picture *p = picture;
    if (leaf < 0 || leaf >= p->tree->n_leaves) {
        return -1;
    }
    return skr_tree_unit_at(p->tree, leaf, p->level) - p->first;
}

static void touch(struct skr_picture *p, int32_t place)
{
    if (!p->place[place].touched) {
        p->place[place].touched = true;
        p->touched[p->n_touched++] = place;
    }
}

void skr_picture_place(struct skr_picture *picture, int32_t place, enum skr_picture_state state,
                       int64_t allocatable, int64_t used, int64_t slots)
{
    struct place *x = &picture->place[place];
    if (x->state == state && x->allocatable == allocatable && x->used == used &&
        x->slots == slots) {
        return;
    }
    x->state = state;
    x->allocatable = allocatable;
    x->used = used;
    x->slots = slots;
    touch(picture, place);
}

/* ---- seats ---- */

/* Where the seat of this subject is, or belongs. */
static size_t find_seat(const struct place *x, uint32_t subject, enum skr_picture_seat kind)
{
    size_t i = 0;
    while (i < x->n_seats && (x->seat[i].subject < subject ||
                              (x->seat[i].subject == subject && x->seat[i].kind < kind))) {
        i++;
    }
    return i;
}

void skr_picture_seat(struct skr_picture *picture, uint32_t subject, int32_t place, int32_t pods,
                      int64_t amount, enum skr_picture_seat kind)
{
    struct place *x = &picture->place[place];
    struct subject *s = picture->subject[subject];
    const size_t i = find_seat(x, subject, kind);
    if (i == x->n_seats || x->seat[i].subject != subject || x->seat[i].kind != kind) {
        skr_grow(&x->seat, &x->cap_seats, x->n_seats + 1, sizeof *x->seat);
        memmove(&x->seat[i + 1], &x->seat[i], (x->n_seats - i) * sizeof *x->seat);
        x->seat[i] = (struct seat){.subject = subject, .kind = kind};
        x->n_seats++;
        skr_grow(&s->at, &s->cap_at, s->n_at + 1, sizeof *s->at);
        s->at[s->n_at++] = place;
    }
    x->seat[i].pods += pods;
    if (__builtin_add_overflow(x->seat[i].amount, amount, &x->seat[i].amount)) {
        x->seat[i].amount = INT64_MAX;
    }
    touch(picture, place);
}

void skr_picture_unseat(struct skr_picture *picture, uint32_t subject)
{
    struct subject *s = picture->subject[subject];
    for (size_t i = 0; i < s->n_at; i++) {
        struct place *x = &picture->place[s->at[i]];
        size_t n = 0;
        for (size_t k = 0; k < x->n_seats; k++) {
            if (x->seat[k].subject != subject) {
                x->seat[n++] = x->seat[k];
            }
        }
        x->n_seats = n;
        touch(picture, s->at[i]);
    }
    s->n_at = 0;
}

/* ---- subjects ---- */

static struct subject *find(const struct skr_picture *p, const char *key)
{
    struct subject *s;
    SKR_TABLE_FIND_STR(&p->seed, p->by_key, key, s);
    return s;
}

static char *key_of(const char *kind, const char *namespace_, const char *name)
{
    SKR_STRBUF(key);
    skr_strbuf_add(&key, kind ? kind : "");
    skr_strbuf_addc(&key, '/');
    skr_strbuf_add(&key, namespace_);
    skr_strbuf_addc(&key, '/');
    skr_strbuf_add(&key, name);
    return skr_strbuf_take(&key, NULL);
}

static struct subject *add(struct skr_picture *p, char *key)
{
    struct subject *s = skr_alloc(sizeof *s);
    s->key = key;
    s->number = (uint32_t)p->n_subjects;
    skr_grow(&p->subject, &p->cap_subjects, p->n_subjects + 1, sizeof *p->subject);
    p->subject[p->n_subjects++] = s;
    skr_grow(&p->changed, &p->cap_changed, p->n_subjects, sizeof *p->changed);
    SKR_TABLE_ADD(&p->seed, hh, p->by_key, s->key, strlen(s->key), s);
    return s;
}

uint32_t skr_picture_subject(struct skr_picture *picture, const struct skr_picture_subject *subject)
{
    struct skr_picture *p = picture;
    char *key = key_of(subject->kind, subject->namespace_, subject->name);
    struct subject *s = find(p, key);
    if (s) {
        free(key);
    } else {
        s = add(p, key);
    }
    s->seen = p->round;
    if (skr_picture_set_fields(p, s, subject) && !s->changed) {
        s->changed = true;
        p->changed[p->n_changed++] = s->number;
    }
    return s->number;
}

bool skr_picture_keep(struct skr_picture *picture, const char *kind, const char *namespace_,
                      const char *name, uint64_t mark, uint32_t *ret)
{
    SKR_AUTO_FREE char *key = key_of(kind, namespace_, name);
    struct subject *s = find(picture, key);
    if (!s || s->mark != mark) {
        return false;
    }
    s->seen = picture->round;
    if (ret) {
        *ret = s->number;
    }
    return true;
}

void skr_picture_keep_others(struct skr_picture *picture)
{
    picture->keeps = true;
}

void skr_picture_mark(struct skr_picture *picture, uint32_t subject, uint64_t mark)
{
    picture->subject[subject]->mark = mark;
}

uint64_t *skr_picture_note(struct skr_picture *picture, uint32_t subject)
{
    return &picture->subject[subject]->note;
}

/* Its number is not given again: pages have it. */
static void remove_subject(struct skr_picture *p, struct subject *s)
{
    skr_picture_unseat(p, s->number);
    HASH_DEL(p->by_key, s);
    free(s->text);
    s->text = NULL;
    s->gone = true;
    p->n_gone++;
    if (!s->changed) {
        s->changed = true;
        p->changed[p->n_changed++] = s->number;
    }
}

static void remove_unseen(struct skr_picture *p)
{
    struct subject *s, *next;
    HASH_ITER(hh, p->by_key, s, next)
    {
        if (s->seen != p->round) {
            remove_subject(p, s);
        }
    }
}

void skr_picture_decide(struct skr_picture *picture, skr_time at, uint32_t subject,
                        enum skr_picture_decision kind)
{
    struct skr_picture *p = picture;
    p->decision[p->n_decisions++ % SKR_PICTURE_DECISIONS_MAX] =
        (struct decision){.at = at, .subject = subject, .kind = kind};
}

/* ---- end ---- */

static uint64_t hash_place(const struct place *x)
{
    const int64_t numbers[] = {(int64_t)x->state, x->allocatable, x->used, x->slots};
    uint64_t hash = SKR_HASH_BEGIN;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hash = skr_hash_pair(hash, (uint64_t)numbers[i]);
    }
    for (size_t i = 0; i < x->n_seats; i++) {
        const struct seat *s = &x->seat[i];
        const uint64_t who = (uint64_t)s->subject << 32 | (uint32_t)s->pods;
        hash = skr_hash_pair(skr_hash_pair(hash, who), (uint64_t)s->amount << 2 | s->kind);
    }
    return hash;
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* Leaves only places that differ in touched, in order. */
static void sift_places(struct skr_picture *p)
{
    size_t n = 0;
    bool sorted = true;
    for (size_t i = 0; i < p->n_touched; i++) {
        struct place *x = &p->place[p->touched[i]];
        const uint64_t hash = hash_place(x);
        x->touched = false;
        x->resized = x->shown_allocatable != x->allocatable;
        x->shown_allocatable = x->allocatable;
        if (hash != x->shown) {
            x->shown = hash;
            sorted = sorted && (n == 0 || p->touched[n - 1] < p->touched[i]);
            p->touched[n++] = p->touched[i];
        }
    }
    p->n_touched = n;
    if (!sorted) {
        qsort(p->touched, n, sizeof *p->touched, by_number);
    }
}

static void forget_changes(struct skr_picture *p)
{
    for (size_t i = 0; i < p->n_changed; i++) {
        struct subject *s = p->subject[p->changed[i]];
        s->changed = false;
        s->fields = 0;
    }
    p->n_changed = 0;
    p->n_touched = 0;
    p->shown_decisions = p->n_decisions;
}

enum skr_picture_news skr_picture_end(struct skr_picture *picture, struct skr_strbuf *change)
{
    struct skr_picture *p = picture;
    if (!p->keeps) {
        remove_unseen(p);
    }
    sift_places(p);
    enum skr_picture_news news =
        p->n_touched + p->n_changed > 0 || p->n_decisions > p->shown_decisions ? SKR_PICTURE_CHANGED
                                                                               : SKR_PICTURE_SAME;
    if (p->anew) {
        news = SKR_PICTURE_ANEW;
    }
    if (news != SKR_PICTURE_SAME) {
        p->version++;
        p->changed_at = p->now;
    }
    if (news == SKR_PICTURE_CHANGED) {
        skr_picture_write_change(p, change);
    }
    forget_changes(p);
    p->anew = false;
    p->crowded = p->n_gone > SKR_PICTURE_GONE_MAX;
    return news;
}

uint64_t skr_picture_version(const struct skr_picture *picture)
{
    return picture->version;
}
