/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array, an index over it by key, a list in the order in which they came, and a table of kinds by
 * their text: namespace, labels and priority, each ended by a NUL, and the shape. A kind's strings
 * are those of its text.
 */
#include "core/gang/residents.h"

#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "core/gang/names.h"
#include "core/gang/shapes.h"
#include "topology/base/hash.h"
#include "topology/base/strbuf.h"

struct resident_kind {
    UT_hash_handle hh; /* by text */
    size_t refs;
    struct skr_meta meta;
    struct shape *shape; /* a reference */
    int32_t priority;
    char *text;
    struct skr_label label[];
};

struct residents {
    struct resident *first;
    struct resident **item; /* by number */
    size_t n, cap;
    struct skr_hash_index index; /* by key */
    struct resident_kind *kinds;
    struct skr_strbuf text; /* of a key or a kind that is looked for */
};

static struct residents *obtain(struct skr_gang *e)
{
    if (!e->residents) {
        e->residents = skr_alloc(sizeof *e->residents);
        skr_strbuf_init(&e->residents->text);
    }
    return e->residents;
}

/* ---- kinds ---- */

static void add_text(struct skr_strbuf *b, const char *text)
{
    skr_strbuf_addn(b, text, strlen(text) + 1);
}

static void write_kind(struct skr_strbuf *b, const struct skr_pod *pod, const struct shape *shape)
{
    skr_strbuf_reset(b);
    add_text(b, pod->meta.namespace_);
    for (size_t i = 0; i < pod->meta.labels.n; i++) {
        add_text(b, pod->meta.labels.item[i].key);
        add_text(b, pod->meta.labels.item[i].value);
    }
    skr_strbuf_add_int(b, pod->priority);
    skr_strbuf_addc(b, '\0');
    skr_strbuf_addn(b, (const char *)&shape, sizeof shape);
}

/* Takes the reference of the shape. */
static struct resident_kind *kind_create(const struct skr_strbuf *text, const struct skr_pod *pod,
                                         struct shape *shape)
{
    size_t n = pod->meta.labels.n;
    struct resident_kind *kind = skr_alloc(sizeof *kind + n * sizeof kind->label[0]);
    kind->text = skr_alloc(text->len);
    memcpy(kind->text, text->s, text->len);
    const char *at = kind->text;
    kind->meta.namespace_ = at;
    kind->meta.name = kind->meta.uid = "";
    for (size_t i = 0; i < n; i++) {
        at += strlen(at) + 1;
        kind->label[i].key = at;
        at += strlen(at) + 1;
        kind->label[i].value = at;
    }
    kind->meta.labels = (struct skr_labels){.n = n, .item = kind->label};
    kind->priority = pod->priority;
    kind->shape = shape;
    return kind;
}

/* A reference. */
static struct resident_kind *kind_get(struct skr_gang *e, const struct skr_pod *pod)
{
    struct residents *all = e->residents;
    struct shape *shape = shapes_get(e, pod);
    struct resident_kind *kind;
    write_kind(&all->text, pod, shape);
    HASH_FIND(hh, all->kinds, all->text.s, all->text.len, kind);
    if (kind) {
        shapes_unref(e, shape);
    } else {
        kind = kind_create(&all->text, pod, shape);
        HASH_ADD_KEYPTR(hh, all->kinds, kind->text, all->text.len, kind);
    }
    kind->refs++;
    return kind;
}

static void kind_unref(struct skr_gang *e, struct resident_kind *kind)
{
    if (--kind->refs > 0) {
        return;
    }
    HASH_DEL(e->residents->kinds, kind);
    shapes_unref(e, kind->shape);
    free(kind->text);
    free(kind);
}

/* ---- the table ---- */

static uint32_t hash_of(const char *key)
{
    return (uint32_t)skr_hash_string(key);
}

static void write_key(struct skr_strbuf *b, const char *namespace_, const char *name)
{
    skr_strbuf_reset(b);
    skr_strbuf_add(b, namespace_);
    skr_strbuf_add(b, *namespace_ ? "/" : "");
    skr_strbuf_add(b, name);
}

size_t residents_count(const struct skr_gang *e)
{
    return e->residents ? e->residents->n : 0;
}

struct resident *residents_first(const struct skr_gang *e)
{
    return e->residents ? e->residents->first : NULL;
}

struct resident *residents_find(const struct skr_gang *e, const char *namespace_, const char *name)
{
    struct residents *all = e->residents;
    uint32_t number = 0;
    if (!all) {
        return NULL;
    }
    write_key(&all->text, namespace_, name);
    for (size_t at = 0; skr_hash_index_next(&all->index, hash_of(all->text.s), &at, &number);) {
        if (strcmp(all->item[number]->key, all->text.s) == 0) {
            return all->item[number];
        }
    }
    return NULL;
}

/* Unlike skr_grow this leaves new room untouched: with a million pods it is many pages. */
static void reserve_one(struct residents *all)
{
    if (all->n < all->cap) {
        return;
    }
    size_t cap = all->cap != 0 ? all->cap * 2 : 64;
    skr_bug_on(cap > SIZE_MAX / sizeof all->item[0]);
    struct resident **item = realloc(all->item, cap * sizeof item[0]);
    skr_bug_on(!item);
    all->item = item;
    all->cap = cap;
}

static struct resident *add(struct residents *all, const struct skr_pod *pod)
{
    write_key(&all->text, pod->meta.namespace_, pod->meta.name);
    struct resident *r = skr_alloc(sizeof *r + all->text.len + 1);
    memcpy(r->key, all->text.s, all->text.len);
    r->uid_is_text = !skr_uuid_pack(pod->meta.uid, r->uid);
    if (r->uid_is_text) {
        r->uid[0] = (uint64_t)(uintptr_t)skr_strdup(pod->meta.uid);
    }
    reserve_one(all);
    r->number = (uint32_t)all->n;
    all->item[all->n++] = r;
    skr_hash_index_add(&all->index, hash_of(r->key), r->number);
    DL_APPEND(all->first, r);
    return r;
}

static void free_one(struct resident *r)
{
    if (r->uid_is_text) {
        free((char *)(uintptr_t)r->uid[0]);
    }
    free(r);
}

void residents_drop(struct skr_gang *e, struct resident *r)
{
    struct residents *all = e->residents;
    struct resident *last = all->item[all->n - 1];
    skr_hash_index_remove(&all->index, hash_of(r->key), r->number);
    if (r != last) {
        skr_hash_index_renumber(&all->index, hash_of(last->key), last->number, r->number);
        all->item[r->number] = last;
        last->number = r->number;
    }
    all->n--;
    DL_DELETE(all->first, r);
    kind_unref(e, r->kind);
    free_one(r);
}

void residents_fini(struct skr_gang *e)
{
    struct residents *all = e->residents;
    if (!all) {
        return;
    }
    for (size_t i = 0; i < all->n; i++) {
        kind_unref(e, all->item[i]->kind);
        free_one(all->item[i]);
    }
    free(all->item);
    skr_hash_index_fini(&all->index);
    skr_strbuf_fini(&all->text);
    free(all);
    e->residents = NULL;
}

/* ---- pods ---- */

bool residents_take(const struct skr_pod *pod, bool has_group)
{
    return !has_group && *pod->meta.uid && *pod->node_name && skr_pod_is_live(pod) &&
           pod->meta.annotations.n == 0 &&
           !skr_labels_get(&pod->meta.labels, SKR_LABEL_PREEMPTIBLE);
}

void residents_put(struct skr_gang *e, const struct skr_pod *pod)
{
    struct residents *all = obtain(e);
    struct resident *r = residents_find(e, pod->meta.namespace_, pod->meta.name);
    struct resident_kind *kind = kind_get(e, pod), *old = r ? r->kind : NULL;
    enum skr_charge_kind charge = SKR_CHARGE_KIND_COUNT;
    r = r ? r : add(all, pod);
    r->kind = kind;
    r->version = pod->meta.resource_version;
    r->node = names_intern(e, pod->node_name);
    const char *on = skr_ledger_find(e->ledger, pod->meta.uid, &charge);
    if (!on || charge != SKR_CHARGE_BOUND || strcmp(on, r->node) != 0 || !old ||
        old->shape != kind->shape) {
        skr_ledger_charge(e->ledger, pod->meta.uid, r->node, &kind->shape->amounts,
                          SKR_CHARGE_BOUND);
    }
    if (old) {
        kind_unref(e, old);
    }
}

bool residents_is(const struct resident *r, const char *uid)
{
    char buffer[SKR_UUID_TEXT];
    return strcmp(residents_uid(r, buffer), uid) == 0;
}

const char *residents_uid(const struct resident *r, char buffer[SKR_UUID_TEXT])
{
    return r->uid_is_text ? (const char *)(uintptr_t)r->uid[0] : skr_uuid_unpack(r->uid, buffer);
}

const struct skr_meta *residents_meta(const struct resident *r)
{
    return &r->kind->meta;
}

const struct shape *residents_shape(const struct resident *r)
{
    return r->kind->shape;
}

int32_t residents_priority(const struct resident *r)
{
    return r->kind->priority;
}
