/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows in tables: see csi.h. A CSIStorageCapacity names its nodes by labels, as a rule one for each node. So
 * its row is found by its spot: a hash of its class, the list of label keys, and their values. A node looks
 * up one spot for each list of keys. A row that names nodes otherwise has the spot of its class alone.
 */
#include "core/gang/cache/csi.h"

#include "core/gang/cache/names.h"
#include "core/gang/cache/volume_rows.h"
#include "core/gang/state/types.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

static struct limit_row *limit_of(const struct volumes *v, uint64_t node, uint16_t driver)
{
    size_t at = 0;
    uint32_t number;
    struct limit_row *row;
    while ((row = skr_volume_rows_next(&v->limit, node, &at, &number)) && row->driver != driver) {
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
    for (size_t at = 0; (row = skr_volume_rows_next(&v->limit, id, &at, &number));) {
        size_t i = 0;
        while (node && i < node->n && strcmp(node->limit[i].driver, v->driver[row->driver - 1])) {
            i++;
        }
        if (!node || i == node->n) {
            v->about[row->driver].n_limits -= row->most < INT32_MAX;
            skr_volume_rows_drop(v, &v->limit, id, number);
            any = true;
            at = 0;
        }
    }
    return any;
}

void skr_csi_node_upsert(struct skr_gang *e, const struct skr_csi_node *node)
{
    struct volumes *v = skr_volume_rows(e);
    const uint64_t id = skr_volume_rows_id(e, OF_NODE, node->meta.name, "");
    bool changed = drop_limits(e, id, node);
    for (size_t i = 0; i < node->n; i++) {
        const uint16_t driver = skr_volume_rows_driver(e, node->limit[i].driver);
        struct limit_row *row = driver ? limit_of(v, id, driver) : NULL;
        const bool is_new = driver && !row;
        row = is_new ? skr_volume_rows_add(e, &v->limit, id, NULL) : row;
        if (row && (is_new || row->most != node->limit[i].most)) {
            v->about[driver].n_limits -= !is_new && row->most < INT32_MAX;
            v->about[driver].n_limits += node->limit[i].most < INT32_MAX;
            row->driver = driver;
            row->most = node->limit[i].most;
            changed = true;
        }
    }
    if (changed) {
        skr_volumes_touch(e);
    }
}

void skr_csi_node_delete(struct skr_gang *e, const char *name)
{
    if (e->volumes && drop_limits(e, skr_volume_rows_id(e, OF_NODE, name, ""), NULL)) {
        skr_volumes_touch(e);
    }
}

/* ---- drivers ---- */

static void set_driver(struct skr_gang *e, const char *name, bool says_capacity, bool must_run)
{
    struct volumes *v = skr_volume_rows(e);
    const uint16_t driver = says_capacity || must_run ? skr_volume_rows_driver(e, name)
                                                      : skr_volume_rows_find_driver(v, name);
    struct about_driver *about = &v->about[driver];
    if (driver && (about->says_capacity != says_capacity || about->must_run != must_run)) {
        about->says_capacity = says_capacity;
        about->must_run = must_run;
        skr_volumes_touch(e);
    }
}

void skr_csi_driver_upsert(struct skr_gang *e, const struct skr_csi_driver *driver)
{
    set_driver(e, driver->meta.name, driver->says_capacity, driver->must_run);
}

void skr_csi_driver_delete(struct skr_gang *e, const char *name)
{
    if (e->volumes) {
        set_driver(e, name, false, false);
    }
}

/* ---- room for new volumes ---- */

/* The list of these keys; n_keys: there is none. */
static size_t find_keys(const struct volumes *v, const struct skr_csi_capacity *capacity)
{
    size_t k = 0;
    for (; k < v->n_keys; k++) {
        size_t i = 0;
        while (i < v->keys[k].n && i < capacity->n_labels &&
               strcmp(v->keys[k].key[i], capacity->label[i].key) == 0) {
            i++;
        }
        if (i == v->keys[k].n && i == capacity->n_labels) {
            break;
        }
    }
    return k;
}

static uint64_t spot_begin(uint64_t class_, size_t keys)
{
    return skr_hash_pair(class_, keys + 1);
}

static uint64_t spot_add(const struct skr_gang *e, uint64_t spot, const char *value)
{
    return skr_hash_pair(spot, skr_volume_rows_id(e, OF_LABEL, value, ""));
}

/* The spot of rows with a rule. */
static uint64_t spot_of_rules(uint64_t class_)
{
    return spot_begin(class_, SKR_CAPACITY_KEYS_MAX);
}

/* By labels alone; 0: that is not possible. */
static uint64_t spot_of(struct skr_gang *e, const struct skr_csi_capacity *capacity)
{
    struct volumes *v = e->volumes;
    const size_t k = find_keys(v, capacity);
    if (!capacity->labels_alone || capacity->n_labels > SKR_CAPACITY_LABELS_MAX ||
        k == SKR_CAPACITY_KEYS_MAX) {
        return 0;
    }
    if (k == v->n_keys) {
        struct capacity_keys *keys = &v->keys[v->n_keys++];
        for (; keys->n < capacity->n_labels; keys->n++) {
            keys->key[keys->n] = skr_strdup(capacity->label[keys->n].key);
        }
    }
    uint64_t spot = spot_begin(skr_volume_rows_id(e, OF_CLASS, capacity->class_, ""), k);
    for (size_t i = 0; i < capacity->n_labels; i++) {
        spot = spot_add(e, spot, capacity->label[i].value);
    }
    return spot;
}

static bool drop_capacity(struct skr_gang *e, uint64_t id)
{
    struct volumes *v = e->volumes;
    size_t at = 0;
    uint32_t number;
    const struct capacity_row *row = skr_volume_rows_next(&v->capacity, id, &at, &number);
    if (row) {
        skr_hash_index_remove(&v->by_spot, (uint32_t)row->spot, number);
        skr_volumes_reach_forget(e, row->rule);
        skr_volume_rows_drop(v, &v->capacity, id, number);
    }
    return row;
}

void skr_csi_capacity_upsert(struct skr_gang *e, const struct skr_csi_capacity *capacity)
{
    struct volumes *v = skr_volume_rows(e);
    const uint64_t id =
        skr_volume_rows_id(e, OF_CAPACITY, capacity->meta.namespace_, capacity->meta.name);
    const struct capacity_row *old = skr_volume_rows_find(&v->capacity, id);
    const struct capacity_row was = old ? *old : (struct capacity_row){.bytes = -1};
    uint64_t spot = spot_of(e, capacity);
    struct volume_rule *rule = spot ? NULL : skr_volumes_reach_get(e, capacity->selector);
    uint32_t number;
    (void)drop_capacity(e, id);
    struct capacity_row *row =
        capacity->bytes >= 0 ? skr_volume_rows_add(e, &v->capacity, id, &number) : NULL;
    if (!row) {
        skr_volumes_reach_forget(e, rule);
        return;
    }
    spot = spot ? spot : spot_of_rules(skr_volume_rows_id(e, OF_CLASS, capacity->class_, ""));
    *row = (struct capacity_row){id, spot, capacity->bytes, rule};
    skr_hash_index_add(&v->by_spot, (uint32_t)spot, number);
    if (row->bytes > was.bytes || row->spot != was.spot || row->rule != was.rule) {
        skr_volumes_touch(e); /* less room fits no other group */
    }
}

void skr_csi_capacity_delete(struct skr_gang *e, const char *namespace_, const char *name)
{
    if (e->volumes) {
        (void)drop_capacity(e, skr_volume_rows_id(e, OF_CAPACITY, namespace_, name));
    }
}

/* Whether there is room at the spot. */
static bool spot_has(const struct volumes *v, uint64_t spot, int64_t bytes,
                     const struct skr_node *node)
{
    size_t at = 0;
    uint32_t number;
    while (skr_hash_index_next(&v->by_spot, (uint32_t)spot, &at, &number)) {
        const struct capacity_row *row = skr_slab_at(&v->capacity.row, number);
        if (row->spot == spot && row->bytes >= bytes &&
            (!row->rule || skr_volume_reaches(skr_volumes_reach(row->rule), node))) {
            return true;
        }
    }
    return false;
}

bool skr_csi_has_room(const struct skr_gang *e, const struct volume_facts *facts,
                      const struct skr_node *node)
{
    const struct volumes *v = e->volumes;
    if (!facts->made || facts->bytes == 0 || v->no_capacity ||
        !v->about[facts->driver].says_capacity) {
        return true;
    }
    bool has = spot_has(v, spot_of_rules(facts->class_), facts->bytes, node);
    for (size_t k = 0; k < v->n_keys && !has; k++) {
        uint64_t spot = spot_begin(facts->class_, k);
        size_t i = 0;
        const char *value;
        while (i < v->keys[k].n &&
               (value = skr_labels_get(&node->meta.labels, v->keys[k].key[i]))) {
            spot = spot_add(e, spot, value);
            i++;
        }
        has = i == v->keys[k].n && spot_has(v, spot, facts->bytes, node);
    }
    return has;
}

/* ---- what is attached ---- */

void skr_csi_attachment_upsert(struct skr_gang *e, const struct skr_volume_attachment *attachment)
{
    struct volumes *v = skr_volume_rows(e);
    const uint64_t id = skr_volume_rows_id(e, OF_ATTACHMENT, attachment->meta.name, "");
    const uint16_t driver = skr_volume_rows_driver(e, attachment->driver);
    if (!driver || !*attachment->volume || skr_volume_rows_find(&v->attachment, id)) {
        return; /* its spec never changes */
    }
    struct attachment_row *row = skr_volume_rows_add(e, &v->attachment, id, NULL);
    if (row) {
        row->driver = driver;
        row->volume = skr_volume_rows_id(e, OF_VOLUME, attachment->volume, "");
        row->node = skr_names_intern(e, attachment->node);
    }
}

void skr_csi_attachment_delete(struct skr_gang *e, const char *name)
{
    if (e->volumes && skr_volume_rows_drop_id(e, &e->volumes->attachment,
                                              skr_volume_rows_id(e, OF_ATTACHMENT, name, ""))) {
        skr_volumes_touch(e);
    }
}

bool skr_csi_next_attached(const struct skr_gang *e, size_t *at, uint16_t *ret_driver,
                           const char **ret_node, uint64_t *ret_volume)
{
    const struct volumes *v = e->volumes;
    uint32_t number;
    while (skr_slab_next(&v->attachment.row, at, &number)) {
        const struct attachment_row *row = skr_slab_at(&v->attachment.row, number);
        const struct volume_row *volume = skr_volume_rows_find(&v->volume, row->volume);
        if (volume && volume->driver) {
            *ret_driver = row->driver;
            *ret_node = row->node;
            *ret_volume = volume->driver == row->driver
                              ? volume->unique
                              : skr_hash_pair(volume->unique, row->driver);
            return true;
        }
    }
    return false;
}

void skr_csi_mark_names(const struct skr_gang *e)
{
    uint32_t number;
    for (size_t at = 0; e->volumes && skr_slab_next(&e->volumes->attachment.row, &at, &number);) {
        const struct attachment_row *row = skr_slab_at(&e->volumes->attachment.row, number);
        skr_names_mark(row->node);
    }
}

/* ---- what is known ---- */

void skr_csi_forbidden(struct skr_gang *e, const struct skr_object_type *type, bool is)
{
    if (type == &skr_gang_csi_node) {
        skr_volume_rows(e)->no_nodes = is;
    } else if (type == &skr_gang_csi_capacity) {
        skr_volume_rows(e)->no_capacity = is;
    }
}

int32_t skr_csi_limit(const struct skr_gang *e, const char *node, uint16_t driver)
{
    const struct limit_row *row =
        limit_of(e->volumes, skr_volume_rows_id(e, OF_NODE, node, ""), driver);
    return row ? row->most : INT32_MAX;
}

bool skr_csi_has_limit(const struct skr_gang *e, uint16_t driver)
{
    const struct volumes *v = e->volumes;
    return v && !v->full && (v->about[driver].n_limits > 0 || skr_volumes_is_pool(e, driver));
}

bool skr_csi_runs_on(const struct skr_gang *e, const struct volume_facts *facts, const char *node)
{
    const struct volumes *v = e->volumes;
    return !facts->driver || !v->about[facts->driver].must_run || v->no_nodes ||
           limit_of(v, skr_volume_rows_id(e, OF_NODE, node, ""), facts->driver);
}

bool skr_csi_matters(const struct skr_gang *e, const struct volume_facts *facts)
{
    const struct volumes *v = e->volumes;
    return facts->driver && (v->about[facts->driver].must_run ||
                             (facts->made && v->about[facts->driver].says_capacity));
}

void skr_csi_fini(struct skr_gang *e)
{
    struct volumes *v = e->volumes;
    uint32_t number;
    for (size_t at = 0; skr_slab_next(&v->capacity.row, &at, &number);) {
        skr_volumes_reach_forget(
            e, ((struct capacity_row *)skr_slab_at(&v->capacity.row, number))->rule);
    }
    for (size_t k = 0; k < v->n_keys; k++) {
        for (size_t i = 0; i < v->keys[k].n; i++) {
            free(v->keys[k].key[i]);
        }
    }
    skr_hash_index_fini(&v->by_spot);
    skr_volume_rows_fini(&v->limit);
    skr_volume_rows_fini(&v->capacity);
    skr_volume_rows_fini(&v->attachment);
}
