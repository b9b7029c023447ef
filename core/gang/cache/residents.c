/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slab with an index by key, for pods and for kinds. The key of a kind is its text and the shape.
 * The text is namespace, stem of the name, labels and priority, each ended by a NUL. The strings of
 * a kind point into its text.
 */
#include "core/gang/cache/residents.h"

#include <string.h>

#include "core/gang/cache/ends.h"
#include "core/gang/cache/shapes.h"
#include "topology/base/hash.h"
#include "topology/base/short_text.h"
#include "topology/base/slab.h"

/* Equal pods of one template: namespace, stem of the name, labels, priority, shape. */
struct resident_kind {
    uint32_t number, hash, refs;
    int32_t priority;
    size_t size; /* bytes of text */
    struct skr_meta meta;
    const char *stem;
    struct shape *shape; /* a reference */
    char *text;
    struct skr_label label[];
};

struct resident {
    uint64_t version;
    struct skr_short_text rest; /* of its name, after the stem */
    uint32_t kind;
    uint32_t charge;
};
_Static_assert(sizeof(struct resident) == 32, "there are a million of them");

struct residents {
    struct skr_slab item, kinds; /* struct resident, struct resident_kind * */
    struct skr_hash_index index, kinds_index;
    struct skr_strbuf text; /* working space: text of the kind to look up */
};

static struct residents *obtain(struct skr_gang *e)
{
    if (!e->residents) {
        e->residents = skr_alloc(sizeof *e->residents);
        e->residents->item = (struct skr_slab){.size = sizeof(struct resident)};
        e->residents->kinds = (struct skr_slab){.size = sizeof(struct resident_kind *)};
        skr_strbuf_init(&e->residents->text);
    }
    return e->residents;
}

/* ---- kinds ---- */

static struct resident_kind *kind_at(const struct residents *all, uint32_t number)
{
    return *(struct resident_kind **)skr_slab_at(&all->kinds, number);
}

static struct resident_kind *kind_of(const struct skr_gang *e, const struct resident *r)
{
    return kind_at(e->residents, r->kind);
}

static void add_text(struct skr_strbuf *b, const char *text, size_t n)
{
    skr_strbuf_addn(b, text, n);
    skr_strbuf_addc(b, '\0');
}

static void write_kind(struct skr_strbuf *b, const struct skr_pod *pod, const struct shape *shape)
{
    skr_strbuf_reset(b);
    add_text(b, pod->meta.namespace_, strlen(pod->meta.namespace_));
    add_text(b, pod->meta.name, skr_name_stem(pod->meta.name));
    for (size_t i = 0; i < pod->meta.labels.n; i++) {
        add_text(b, pod->meta.labels.item[i].key, strlen(pod->meta.labels.item[i].key));
        add_text(b, pod->meta.labels.item[i].value, strlen(pod->meta.labels.item[i].value));
    }
    skr_strbuf_add_int(b, pod->priority);
    skr_strbuf_addc(b, '\0');
    skr_strbuf_addn(b, (const char *)&shape, sizeof shape);
}

/* Takes over the reference to shape. */
static struct resident_kind *kind_create(struct residents *all, uint32_t hash,
                                         const struct skr_pod *pod, struct shape *shape)
{
    size_t n = pod->meta.labels.n;
    struct resident_kind *kind = skr_alloc(sizeof *kind + n * sizeof kind->label[0]);
    kind->size = all->text.len;
    kind->text = skr_alloc(kind->size);
    memcpy(kind->text, all->text.s, kind->size);
    const char *at = kind->text;
    kind->meta.namespace_ = at;
    kind->meta.name = kind->meta.uid = "";
    at += strlen(at) + 1;
    kind->stem = at;
    for (size_t i = 0; i < n; i++) {
        at += strlen(at) + 1;
        kind->label[i].key = at;
        at += strlen(at) + 1;
        kind->label[i].value = at;
    }
    kind->meta.labels = (struct skr_labels){.n = n, .item = kind->label};
    kind->priority = pod->priority;
    kind->shape = shape;
    kind->hash = hash;
    kind->number = skr_slab_add(&all->kinds);
    *(struct resident_kind **)skr_slab_at(&all->kinds, kind->number) = kind;
    skr_hash_index_add(&all->kinds_index, hash, kind->number);
    return kind;
}

static struct resident_kind *kind_find(const struct residents *all, uint32_t hash)
{
    uint32_t number = 0;
    for (size_t at = 0; skr_hash_index_next(&all->kinds_index, hash, &at, &number);) {
        struct resident_kind *kind = kind_at(all, number);
        if (kind->size == all->text.len && memcmp(kind->text, all->text.s, kind->size) == 0) {
            return kind;
        }
    }
    return NULL;
}

/* Returns a reference. */
static struct resident_kind *skr_kind_get(struct skr_gang *e, const struct skr_pod *pod)
{
    struct residents *all = e->residents;
    struct shape *shape = skr_shapes_get(e, pod);
    write_kind(&all->text, pod, shape);
    const uint32_t hash =
        (uint32_t)skr_hash_keyed(&e->settings.hash_seed, all->text.s, all->text.len);
    struct resident_kind *kind = kind_find(all, hash);
    if (kind) {
        skr_shapes_unref(e, shape);
    } else {
        kind = kind_create(all, hash, pod, shape);
    }
    kind->refs++;
    return kind;
}

static void skr_kind_unref(struct skr_gang *e, struct resident_kind *kind)
{
    if (--kind->refs > 0) {
        return;
    }
    skr_hash_index_remove(&e->residents->kinds_index, kind->hash, kind->number);
    skr_slab_remove(&e->residents->kinds, kind->number);
    skr_shapes_unref(e, kind->shape);
    free(kind->text);
    free(kind);
}

/* ---- the table ---- */

/* The hash of a name in two parts equals that of the whole. */
static uint32_t hash_key(const struct skr_gang *e, const char *namespace_, const char *stem,
                         const char *rest)
{
    return (uint32_t)skr_hash_keyed_joined(&e->settings.hash_seed, namespace_, stem, rest);
}

static bool is_named(const struct resident_kind *kind, const struct resident *r,
                     const char *namespace_, const char *name)
{
    const size_t n = strlen(kind->stem);
    return strcmp(kind->meta.namespace_, namespace_) == 0 && strncmp(kind->stem, name, n) == 0 &&
           strcmp(skr_short_text_get(&r->rest), name + n) == 0;
}

size_t skr_residents_count(const struct skr_gang *e)
{
    return e->residents ? e->residents->item.n : 0;
}

size_t skr_residents_bytes(const struct skr_gang *e)
{
    const struct residents *all = e->residents;
    return all ? skr_slab_bytes(&all->item) + skr_hash_index_bytes(&all->index) : 0;
}

const struct resident *skr_residents_next(const struct skr_gang *e, size_t *at)
{
    uint32_t number;
    bool any = e->residents && skr_slab_next(&e->residents->item, at, &number);
    return any ? skr_slab_at(&e->residents->item, number) : NULL;
}

struct resident *skr_residents_find(const struct skr_gang *e, const char *namespace_,
                                    const char *name)
{
    const struct residents *all = e->residents;
    uint32_t number = 0;
    if (skr_residents_count(e) == 0) {
        return NULL;
    }
    const uint32_t hash = hash_key(e, namespace_, "", name);
    for (size_t at = 0; skr_hash_index_next(&all->index, hash, &at, &number);) {
        struct resident *r = skr_slab_at(&all->item, number);
        if (is_named(kind_of(e, r), r, namespace_, name)) {
            return r;
        }
    }
    return NULL;
}

static struct resident *add(const struct skr_gang *e, struct residents *all,
                            const struct skr_pod *pod)
{
    const char *rest = pod->meta.name + skr_name_stem(pod->meta.name);
    const uint32_t number = skr_slab_add(&all->item);
    struct resident *r = skr_slab_at(&all->item, number);
    skr_short_text_set(&r->rest, rest, strlen(rest));
    skr_hash_index_add(&all->index, hash_key(e, pod->meta.namespace_, "", pod->meta.name), number);
    return r;
}

void skr_residents_drop(struct skr_gang *e, struct resident *r)
{
    struct residents *all = e->residents;
    struct resident_kind *kind = kind_of(e, r);
    const uint32_t hash =
        hash_key(e, kind->meta.namespace_, kind->stem, skr_short_text_get(&r->rest));
    uint32_t number = UINT32_MAX;
    for (size_t at = 0; skr_hash_index_next(&all->index, hash, &at, &number);) {
        if (skr_slab_at(&all->item, number) == r) {
            break;
        }
    }
    skr_hash_index_remove(&all->index, hash, number);
    skr_short_text_fini(&r->rest);
    skr_slab_remove(&all->item, number);
    skr_kind_unref(e, kind);
}

void skr_residents_fini(struct skr_gang *e)
{
    struct residents *all = e->residents;
    uint32_t number;
    if (!all) {
        return;
    }
    for (size_t at = 0; skr_slab_next(&all->item, &at, &number);) {
        struct resident *r = skr_slab_at(&all->item, number);
        skr_short_text_fini(&r->rest);
        skr_kind_unref(e, kind_of(e, r));
    }
    skr_slab_fini(&all->item);
    skr_slab_fini(&all->kinds);
    skr_hash_index_fini(&all->index);
    skr_hash_index_fini(&all->kinds_index);
    skr_strbuf_fini(&all->text);
    free(all);
    e->residents = NULL;
}

/* ---- pods ---- */

bool skr_residents_take(const struct skr_pod *pod, bool has_group)
{
    return !has_group && *pod->meta.uid && *pod->node_name && skr_pod_is_live(pod) &&
           pod->meta.annotations.n == 0 &&
           !skr_labels_get(&pod->meta.labels, SKR_LABEL_PREEMPTIBLE);
}

void skr_residents_put(struct skr_gang *e, const struct skr_pod *pod)
{
    struct residents *all = obtain(e);
    struct resident *r = skr_residents_find(e, pod->meta.namespace_, pod->meta.name);
    struct resident_kind *kind = skr_kind_get(e, pod), *old = r ? kind_of(e, r) : NULL;
    enum skr_charge_kind charge = SKR_CHARGE_KIND_COUNT;
    r = r ? r : add(e, all, pod);
    r->kind = kind->number;
    r->version = pod->meta.resource_version;
    const char *on = skr_ledger_find(e->ledger, pod->meta.uid, &charge);
    if (!on || charge != SKR_CHARGE_BOUND || strcmp(on, pod->node_name) != 0 || !old ||
        old->shape != kind->shape) {
        r->charge = skr_ledger_charge(e->ledger, pod->meta.uid, pod->node_name,
                                      &kind->shape->amounts, SKR_CHARGE_BOUND);
    }
    skr_ends_put(e, pod, pod->node_name, 0);
    if (old) {
        skr_kind_unref(e, old);
    }
}

bool skr_residents_is(const struct skr_gang *e, const struct resident *r, const char *uid)
{
    char buffer[SKR_UUID_TEXT];
    return strcmp(skr_residents_uid(e, r, buffer), uid) == 0;
}

uint64_t skr_residents_version(const struct resident *r)
{
    return r->version;
}

const char *skr_residents_uid(const struct skr_gang *e, const struct resident *r,
                              char buffer[SKR_UUID_TEXT])
{
    return skr_ledger_charge_uid(e->ledger, r->charge, buffer);
}

const char *skr_residents_node(const struct skr_gang *e, const struct resident *r)
{
    return skr_ledger_charge_node(e->ledger, r->charge);
}

void skr_residents_add_name(const struct skr_gang *e, const struct resident *r,
                            struct skr_strbuf *b)
{
    skr_strbuf_add(b, kind_of(e, r)->stem);
    skr_strbuf_add(b, skr_short_text_get(&r->rest));
}

const struct skr_meta *skr_residents_meta(const struct skr_gang *e, const struct resident *r)
{
    return &kind_of(e, r)->meta;
}

const struct shape *skr_residents_shape(const struct skr_gang *e, const struct resident *r)
{
    return kind_of(e, r)->shape;
}

int32_t skr_residents_priority(const struct skr_gang *e, const struct resident *r)
{
    return kind_of(e, r)->priority;
}
