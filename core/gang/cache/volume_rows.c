/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in slabs with indexes by hashed names. */
#include "core/gang/cache/volume_rows.h"

#include "core/gang/state/output.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct volumes *skr_volume_rows(struct skr_gang *e)
{
    if (!e->volumes) {
        e->volumes = skr_alloc(sizeof *e->volumes);
        e->volumes->claim.row.size = sizeof(struct claim_row);
        e->volumes->volume.row.size = sizeof(struct volume_row);
        e->volumes->class_.row.size = sizeof(struct class_row);
        e->volumes->limit.row.size = sizeof(struct limit_row);
        e->volumes->capacity.row.size = sizeof(struct capacity_row);
        e->volumes->attachment.row.size = sizeof(struct attachment_row);
    }
    return e->volumes;
}

uint64_t skr_volume_rows_id(const struct skr_gang *e, int kind, const char *a, const char *b)
{
    const uint64_t id =
        skr_hash_pair(skr_hash_keyed_joined(&e->settings.hash_seed, a, "/", b), (uint64_t)kind);
    return id ? id : 1;
}

void *skr_volume_rows_next(const struct table *t, uint64_t id, size_t *at, uint32_t *ret_number)
{
    while (skr_hash_index_next(&t->by_id, (uint32_t)id, at, ret_number)) {
        uint64_t *row = skr_slab_at(&t->row, *ret_number);
        if (*row == id) {
            return row;
        }
    }
    return NULL;
}

void *skr_volume_rows_find(const struct table *t, uint64_t id)
{
    size_t at = 0;
    uint32_t number;
    return skr_volume_rows_next(t, id, &at, &number);
}

void skr_volume_rows_give_up(struct skr_gang *e, const char *what)
{
    struct volumes *v = e->volumes;
    if (!v->full) {
        v->full = true;
        skr_out_decision(e, "", "", "Volumes are not planned with any more", "", what, true);
    }
}

void *skr_volume_rows_add(struct skr_gang *e, struct table *t, uint64_t id, uint32_t *ret_number)
{
    struct volumes *v = e->volumes;
    if (v->n_rows >= SKR_VOLUME_ROWS_MAX) {
        skr_volume_rows_give_up(
            e, "there are more than 2000000 claims, volumes and uses of them; kube-scheduler "
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

void skr_volume_rows_drop(struct volumes *v, struct table *t, uint64_t id, uint32_t number)
{
    skr_hash_index_remove(&t->by_id, (uint32_t)id, number);
    skr_slab_remove(&t->row, number);
    v->n_rows--;
}

bool skr_volume_rows_drop_id(struct skr_gang *e, struct table *t, uint64_t id)
{
    size_t at = 0;
    uint32_t number;
    const bool is = skr_volume_rows_next(t, id, &at, &number);
    if (is) {
        skr_volume_rows_drop(e->volumes, t, id, number);
    }
    return is;
}

/* offset: of a driver's number in the rows. */
static void mark_drivers(const struct table *t, size_t offset, bool *named)
{
    uint32_t number;
    for (size_t at = 0; skr_slab_next(&t->row, &at, &number);) {
        uint16_t driver;
        memcpy(&driver, (const char *)skr_slab_at(&t->row, number) + offset, sizeof driver);
        named[driver] = true;
    }
}

/* Gives back the numbers of drivers that no object names any more, but for the one that was given last: its object is
 * no row yet. O(rows). */
static void sweep_drivers(struct volumes *v)
{
    bool named[SKR_VOLUME_DRIVERS_MAX + 1] = {false};
    named[v->newest] = true;
    mark_drivers(&v->volume, offsetof(struct volume_row, driver), named);
    mark_drivers(&v->class_, offsetof(struct class_row, driver), named);
    mark_drivers(&v->limit, offsetof(struct limit_row, driver), named);
    mark_drivers(&v->attachment, offsetof(struct attachment_row, driver), named);
    for (uint16_t i = 1; i <= SKR_VOLUME_DRIVERS_MAX; i++) {
        if (!named[i] && !v->about[i].says_capacity && !v->about[i].must_run) {
            free(v->driver[i - 1]);
            v->driver[i - 1] = NULL;
        }
    }
}

static bool is_at(const struct volumes *v, uint16_t i, const char *name)
{
    const char *driver = v->driver[i];
    return name && driver ? strcmp(driver, name) == 0 : !name && !driver;
}

/* The place of the driver; NULL: of the first that is free. SKR_VOLUME_DRIVERS_MAX: there is none. */
static uint16_t place_of(const struct volumes *v, const char *name)
{
    uint16_t i = 0;
    while (i < SKR_VOLUME_DRIVERS_MAX && !is_at(v, i, name)) {
        i++;
    }
    return i;
}

uint16_t skr_volume_rows_find_driver(const struct volumes *v, const char *name)
{
    const uint16_t i = place_of(v, name);
    return i < SKR_VOLUME_DRIVERS_MAX ? (uint16_t)(i + 1) : 0;
}

uint16_t skr_volume_rows_driver(struct skr_gang *e, const char *name)
{
    struct volumes *v = skr_volume_rows(e);
    uint16_t i = place_of(v, name);
    if (!*name || v->full) {
        return 0;
    }
    if (i == SKR_VOLUME_DRIVERS_MAX && place_of(v, NULL) == i) {
        sweep_drivers(v);
    }
    i = i == SKR_VOLUME_DRIVERS_MAX ? place_of(v, NULL) : i;
    if (i == SKR_VOLUME_DRIVERS_MAX) {
        skr_volume_rows_give_up(
            e, "there are more than 256 drivers of volumes; kube-scheduler alone looks at "
               "volumes");
        return 0;
    }
    v->driver[i] = v->driver[i] ? v->driver[i] : skr_strdup(name);
    v->newest = (uint16_t)(i + 1);
    return v->newest;
}

void skr_volume_rows_fini(struct table *t)
{
    skr_slab_fini(&t->row);
    skr_hash_index_fini(&t->by_id);
}
