/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in slabs with indexes by hashed names: see volumes.h. */
#include "core/gang/cache/volumes.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"
#include "topology/base/table.h"

#include <stdlib.h>
#include <string.h>

/* A rule about nodes, shared by volumes with equal texts. */
struct volume_rule {
    UT_hash_handle hh; /* by the text */
    size_t refs;
    struct skr_volume *holder;
};

struct claim_row {
    uint64_t id, volume, class_; /* hashes; 0: none */
    bool one_pod, selects;
    uint32_t modes;
    int64_t bytes;
};
struct volume_row {
    uint64_t id, unique;
    struct volume_rule *rule;
    char *host;
    uint16_t driver, pool; /* pool: while it is free */
    uint32_t modes;
    int64_t bytes;
};
struct class_row {
    uint64_t id;
    struct volume_rule *reach; /* where its provisioner makes volumes; NULL: on all nodes */
    uint16_t driver;           /* of its provisioner, or its pool */
    bool late;
};
struct limit_row {
    uint64_t id; /* of the node */
    int32_t most;
    uint16_t driver;
};

/* Every row begins with its id. */
struct table {
    struct skr_slab row;
    struct skr_hash_index by_id;
};

struct volumes {
    struct table claim, volume, class_, limit;
    struct volume_rule *rules;
    size_t n_rules, n_rows;
    char *driver[SKR_VOLUME_DRIVERS_MAX];
    uint16_t n_drivers;
    bool full;
};

enum { OF_CLAIM = 'c', OF_VOLUME = 'v', OF_CLASS = 's', OF_NODE = 'n', OF_HANDLE = 'h' };

/* ---- tables ---- */

static struct volumes *volumes_of(struct skr_gang *e)
{
    if (!e->volumes) {
        e->volumes = skr_alloc(sizeof *e->volumes);
        e->volumes->claim.row.size = sizeof(struct claim_row);
        e->volumes->volume.row.size = sizeof(struct volume_row);
        e->volumes->class_.row.size = sizeof(struct class_row);
        e->volumes->limit.row.size = sizeof(struct limit_row);
    }
    return e->volumes;
}

static uint64_t id_of(const struct skr_gang *e, int kind, const char *a, const char *b)
{
    const uint64_t id =
        skr_hash_pair(skr_hash_keyed_joined(&e->settings.hash_seed, a, "/", b), (uint64_t)kind);
    return id ? id : 1;
}

uint64_t skr_volumes_id(const struct skr_gang *e, const char *namespace_, const char *claim)
{
    return id_of(e, OF_CLAIM, namespace_, claim);
}

/* The next row of that id: *at begins as 0. */
static void *next_of(const struct table *t, uint64_t id, size_t *at, uint32_t *ret_number)
{
    while (skr_hash_index_next(&t->by_id, (uint32_t)id, at, ret_number)) {
        uint64_t *row = skr_slab_at(&t->row, *ret_number);
        if (*row == id) {
            return row;
        }
    }
    return NULL;
}

static void *find(const struct table *t, uint64_t id)
{
    size_t at = 0;
    uint32_t number;
    return next_of(t, id, &at, &number);
}

/* Nothing is known any more: plans go without, until the next start. */
static void give_up(struct skr_gang *e, const char *what)
{
    struct volumes *v = e->volumes;
    if (!v->full) {
        v->full = true;
        skr_out_decision(e, "", "", "Volumes are not planned with any more", "", what, true);
    }
}

/* NULL: there are too many. ret_number: NULL allowed. */
static void *add(struct skr_gang *e, struct table *t, uint64_t id, uint32_t *ret_number)
{
    struct volumes *v = e->volumes;
    if (v->n_rows >= SKR_VOLUME_ROWS_MAX) {
        give_up(e, "there are more than 2000000 claims, volumes and uses of them; kube-scheduler "
                   "alone looks at volumes");
        return NULL;
    }
    const uint32_t number = skr_slab_add(&t->row);
    uint64_t *row = skr_slab_at(&t->row, number);
    *row = id;
    skr_hash_index_add(&t->by_id, (uint32_t)id, number);
    v->n_rows++;
    if (ret_number) {
        *ret_number = number;
    }
    return row;
}

static void *find_or_add(struct skr_gang *e, struct table *t, uint64_t id)
{
    void *row = find(t, id);
    return row ? row : add(e, t, id, NULL);
}

static void drop(struct volumes *v, struct table *t, uint64_t id, uint32_t number)
{
    skr_hash_index_remove(&t->by_id, (uint32_t)id, number);
    skr_slab_remove(&t->row, number);
    v->n_rows--;
}

/* Removes the row; false: there is none. */
static bool drop_id(struct skr_gang *e, struct table *t, uint64_t id)
{
    size_t at = 0;
    uint32_t number;
    const bool is = next_of(t, id, &at, &number);
    if (is) {
        drop(e->volumes, t, id, number);
    }
    return is;
}

/* 0: none, or there are too many. */
static uint16_t driver_of(struct skr_gang *e, const char *name)
{
    struct volumes *v = volumes_of(e);
    uint16_t i = 0;
    while (i < v->n_drivers && strcmp(v->driver[i], name) != 0) {
        i++;
    }
    if (!*name || v->full) {
        return 0;
    }
    if (i == SKR_VOLUME_DRIVERS_MAX) {
        give_up(e, "there are more than 256 drivers of volumes; kube-scheduler alone looks at "
                   "volumes");
        return 0;
    }
    if (i == v->n_drivers) {
        v->driver[v->n_drivers++] = skr_strdup(name);
    }
    return (uint16_t)(i + 1);
}

/* "late/CLASS": the volumes of a class that its claims are bound to late. */
static const char pool_prefix[] = "late/";

static uint16_t pool_of(struct skr_gang *e, const char *class)
{
    SKR_STRBUF(name);
    skr_strbuf_addf(&name, "%s%s", pool_prefix, class);
    return driver_of(e, name.s);
}

/* Groups with claims that wait may fit now. */
void skr_volumes_touch(struct skr_gang *e)
{
    struct group *g = NULL, *next = NULL;
    bool any = false;
    if (!skr_frame_is_synced(e->frame)) {
        return;
    }
    skr_dirty_facts(e);
    HASH_ITER(hh, e->groups, g, next)
    {
        if (g->seats.n_claimers > 0 && !g->plan) {
            skr_dirty_group(e, g);
            any = true;
        }
    }
    if (any) {
        skr_dirty_capacity(e);
    }
}

/* ---- objects ---- */

void skr_volumes_claim_upsert(struct skr_gang *e, const struct skr_volume_claim *claim)
{
    struct volumes *v = volumes_of(e);
    struct claim_row *row =
        find_or_add(e, &v->claim, id_of(e, OF_CLAIM, claim->meta.namespace_, claim->meta.name));
    if (!row) {
        return;
    }
    const struct claim_row now = {
        .id = row->id,
        .volume = *claim->volume ? id_of(e, OF_VOLUME, claim->volume, "") : 0,
        .class_ = *claim->class_ ? id_of(e, OF_CLASS, claim->class_, "") : 0,
        .one_pod = claim->one_pod,
        .selects = claim->selects,
        .modes = claim->modes,
        .bytes = claim->bytes,
    };
    const bool same = row->volume == now.volume && row->class_ == now.class_ &&
                      row->one_pod == now.one_pod && row->bytes == now.bytes;
    *row = now;
    if (!same) {
        skr_volumes_touch(e);
    }
}

void skr_volumes_claim_delete(struct skr_gang *e, const char *namespace_, const char *name)
{
    if (e->volumes && drop_id(e, &e->volumes->claim, id_of(e, OF_CLAIM, namespace_, name))) {
        skr_volumes_touch(e);
    }
}

static void rule_unref(struct volumes *v, struct volume_rule *rule)
{
    if (rule && --rule->refs == 0) {
        HASH_DEL(v->rules, rule);
        skr_volume_destroy(rule->holder);
        free(rule);
        v->n_rules--;
    }
}

/* Takes the volume, which holds the rule if that is new. */
static struct volume_rule *rule_of(struct skr_gang *e, struct skr_volume *volume)
{
    struct volumes *v = e->volumes;
    struct volume_rule *rule = NULL;
    const size_t n = strlen(volume->reach_key);
    if (n > 0 && !volume->host) {
        SKR_TABLE_FIND(&e->settings.hash_seed, hh, v->rules, volume->reach_key, n, rule);
        if (!rule && v->n_rules == SKR_VOLUME_RULES_MAX) {
            give_up(e, "volumes have more than 16384 distinct rules about nodes; kube-scheduler "
                       "alone looks at volumes");
        } else if (!rule) {
            rule = skr_alloc(sizeof *rule);
            rule->holder = volume;
            SKR_TABLE_ADD(&e->settings.hash_seed, hh, v->rules, volume->reach_key, n, rule);
            v->n_rules++;
            rule->refs++;
            return rule;
        }
    }
    if (rule) {
        rule->refs++;
    }
    skr_volume_destroy(volume);
    return rule;
}

struct volume_rule *skr_volumes_reach_get(struct skr_gang *e, const char *selector)
{
    struct skr_volume *volume = *selector ? skr_volume_of_selector(selector) : NULL;
    if (!volume) {
        return NULL;
    }
    (void)volumes_of(e);
    volume->host = NULL; /* rules of one host are shared, too */
    return rule_of(e, volume);
}

void skr_volumes_reach_forget(struct skr_gang *e, struct volume_rule *rule)
{
    rule_unref(e->volumes, rule);
}

const struct skr_volume *skr_volumes_reach(const struct volume_rule *rule)
{
    return rule ? rule->holder : NULL;
}

void skr_volumes_upsert(struct skr_gang *e, struct skr_volume *volume)
{
    struct volumes *v = volumes_of(e);
    struct volume_row *row = find_or_add(e, &v->volume, id_of(e, OF_VOLUME, volume->meta.name, ""));
    if (!row) {
        skr_volume_destroy(volume);
        return;
    }
    struct volume_rule *was = row->rule;
    char *host = volume->host ? skr_strdup(volume->host) : NULL;
    const uint16_t driver = driver_of(e, volume->driver);
    const uint16_t pool = volume->free && *volume->class_ ? pool_of(e, volume->class_) : 0;
    const uint64_t unique = id_of(e, OF_HANDLE, volume->driver, volume->handle);
    row->modes = volume->modes;
    row->bytes = volume->bytes;
    row->rule = rule_of(e, volume);
    const bool same = row->rule == was && row->driver == driver && row->unique == unique &&
                      row->pool == pool && !row->host == !host &&
                      (!host || strcmp(row->host, host) == 0);
    rule_unref(v, was);
    free(row->host);
    row->host = host;
    row->driver = driver;
    row->pool = pool;
    row->unique = unique;
    if (!same) {
        skr_volumes_touch(e);
    }
}

void skr_volumes_delete(struct skr_gang *e, const char *name)
{
    const uint64_t id = id_of(e, OF_VOLUME, name, "");
    struct volume_row *row = e->volumes ? find(&e->volumes->volume, id) : NULL;
    if (row) {
        rule_unref(e->volumes, row->rule);
        free(row->host);
        (void)drop_id(e, &e->volumes->volume, id);
        skr_volumes_touch(e);
    }
}

void skr_volumes_class_upsert(struct skr_gang *e, const struct skr_storage_class *class)
{
    struct volumes *v = volumes_of(e);
    struct class_row *row = find_or_add(e, &v->class_, id_of(e, OF_CLASS, class->meta.name, ""));
    const bool pool =
        class->late && strcmp(class->provisioner, "kubernetes.io/no-provisioner") == 0;
    const uint16_t driver = !row   ? 0
                            : pool ? pool_of(e, class->meta.name)
                                   : driver_of(e, class->provisioner);
    struct volume_rule *was = row ? row->reach : NULL;
    if (row) {
        row->reach = pool ? NULL : skr_volumes_reach_get(e, class->reach);
    }
    if (row && (row->driver != driver || row->late != class->late || row->reach != was)) {
        row->driver = driver;
        row->late = class->late;
        skr_volumes_touch(e);
    }
    rule_unref(v, was);
}

void skr_volumes_class_delete(struct skr_gang *e, const char *name)
{
    const uint64_t id = id_of(e, OF_CLASS, name, "");
    const struct class_row *row = e->volumes ? find(&e->volumes->class_, id) : NULL;
    if (row) {
        rule_unref(e->volumes, row->reach);
        (void)drop_id(e, &e->volumes->class_, id);
        skr_volumes_touch(e);
    }
}

static struct limit_row *limit_of(const struct volumes *v, uint64_t node, uint16_t driver)
{
    size_t at = 0;
    uint32_t number;
    struct limit_row *row;
    while ((row = next_of(&v->limit, node, &at, &number)) && row->driver != driver) {
    }
    return row;
}

/* Removes limits of the node whose drivers are not in the object; node NULL: all. */
static bool drop_limits(struct skr_gang *e, uint64_t id, const struct skr_csi_node *node)
{
    struct volumes *v = e->volumes;
    struct limit_row *row;
    bool any = false;
    uint32_t number;
    for (size_t at = 0; (row = next_of(&v->limit, id, &at, &number));) {
        size_t i = 0;
        while (node && i < node->n && strcmp(node->limit[i].driver, v->driver[row->driver - 1])) {
            i++;
        }
        if (!node || i == node->n) {
            drop(v, &v->limit, id, number);
            any = true;
            at = 0;
        }
    }
    return any;
}

void skr_volumes_node_upsert(struct skr_gang *e, const struct skr_csi_node *node)
{
    struct volumes *v = volumes_of(e);
    const uint64_t id = id_of(e, OF_NODE, node->meta.name, "");
    bool changed = drop_limits(e, id, node);
    for (size_t i = 0; i < node->n; i++) {
        const uint16_t driver = driver_of(e, node->limit[i].driver);
        struct limit_row *row = driver ? limit_of(v, id, driver) : NULL;
        const bool is_new = driver && !row;
        row = is_new ? add(e, &v->limit, id, NULL) : row;
        if (row && (is_new || row->most != node->limit[i].most)) {
            row->driver = driver;
            row->most = node->limit[i].most;
            changed = true;
        }
    }
    if (changed) {
        skr_volumes_touch(e);
    }
}

void skr_volumes_node_delete(struct skr_gang *e, const char *name)
{
    if (e->volumes && drop_limits(e, id_of(e, OF_NODE, name, ""), NULL)) {
        skr_volumes_touch(e);
    }
}

/* ---- what is known ---- */

struct volume_facts skr_volumes_facts(const struct skr_gang *e, uint64_t claim)
{
    const struct volumes *v = e->volumes;
    const struct claim_row *row = v && !v->full ? find(&v->claim, claim) : NULL;
    struct volume_facts facts = {.known = row, .volume = claim};
    if (!row) {
        return facts;
    }
    const struct volume_row *volume = row->volume ? find(&v->volume, row->volume) : NULL;
    const struct class_row *class = row->class_ ? find(&v->class_, row->class_) : NULL;
    facts.one_pod = row->one_pod;
    if (volume) {
        facts.driver = volume->driver;
        facts.volume = volume->driver ? volume->unique : claim;
        facts.rule = volume->rule ? volume->rule->holder : NULL;
        facts.host = volume->host;
    } else if (class) {
        const bool outside = row->volume || row->selects; /* of the pool */
        facts.late = !row->volume && class->late;
        facts.rule = facts.late ? skr_volumes_reach(class->reach) : NULL;
        facts.driver = outside && skr_volumes_is_pool(e, class->driver) ? 0 : class->driver;
        facts.modes = row->modes;
        facts.bytes = row->bytes;
    }
    return facts;
}

const char *skr_volumes_driver(const struct skr_gang *e, uint16_t driver)
{
    return e->volumes->driver[driver - 1];
}

int32_t skr_volumes_limit(const struct skr_gang *e, const char *node, uint16_t driver)
{
    const struct limit_row *row =
        e->volumes ? limit_of(e->volumes, id_of(e, OF_NODE, node, ""), driver) : NULL;
    return row ? row->most : INT32_MAX;
}

bool skr_volumes_is_pool(const struct skr_gang *e, uint16_t driver)
{
    return driver > 0 &&
           strncmp(e->volumes->driver[driver - 1], pool_prefix, sizeof pool_prefix - 1) == 0;
}

bool skr_volumes_next_free(const struct skr_gang *e, size_t *at, uint16_t pool,
                           const struct volume_facts *claim, const char **ret_host,
                           const struct skr_volume **ret_rule)
{
    const struct volumes *v = e->volumes;
    uint32_t number;
    while (skr_slab_next(&v->volume.row, at, &number)) {
        const struct volume_row *row = skr_slab_at(&v->volume.row, number);
        if (row->pool == pool && row->bytes >= claim->bytes &&
            (row->modes & claim->modes) == claim->modes) {
            *ret_host = row->host;
            *ret_rule = row->rule ? row->rule->holder : NULL;
            return true;
        }
    }
    return false;
}

bool skr_volumes_has_limit(const struct skr_gang *e, uint16_t driver)
{
    const struct volumes *v = e->volumes;
    uint32_t number;
    if (v && !v->full && skr_volumes_is_pool(e, driver)) {
        return true;
    }
    for (size_t at = 0; v && !v->full && skr_slab_next(&v->limit.row, &at, &number);) {
        if (((const struct limit_row *)skr_slab_at(&v->limit.row, number))->driver == driver) {
            return true;
        }
    }
    return false;
}

static void table_fini(struct table *t)
{
    skr_slab_fini(&t->row);
    skr_hash_index_fini(&t->by_id);
}

void skr_volumes_fini(struct skr_gang *e)
{
    struct volumes *v = e->volumes;
    uint32_t number;
    if (!v) {
        return;
    }
    for (size_t at = 0; skr_slab_next(&v->volume.row, &at, &number);) {
        struct volume_row *row = skr_slab_at(&v->volume.row, number);
        rule_unref(v, row->rule);
        free(row->host);
    }
    for (size_t at = 0; skr_slab_next(&v->class_.row, &at, &number);) {
        rule_unref(v, ((struct class_row *)skr_slab_at(&v->class_.row, number))->reach);
    }
    for (uint16_t i = 0; i < v->n_drivers; i++) {
        free(v->driver[i]);
    }
    table_fini(&v->claim);
    table_fini(&v->volume);
    table_fini(&v->class_);
    table_fini(&v->limit);
    free(v);
    e->volumes = NULL;
}
