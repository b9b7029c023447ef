/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in slabs with indexes by hashed names. */
#include "core/gang/cache/volume_rows.h"

#include "core/gang/state/output.h"

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

uint16_t skr_volume_rows_driver(struct skr_gang *e, const char *name)
{
    struct volumes *v = skr_volume_rows(e);
    uint16_t i = 0;
    while (i < v->n_drivers && strcmp(v->driver[i], name) != 0) {
        i++;
    }
    if (!*name || v->full) {
        return 0;
    }
    if (i == SKR_VOLUME_DRIVERS_MAX) {
        skr_volume_rows_give_up(
            e, "there are more than 256 drivers of volumes; kube-scheduler alone looks at "
               "volumes");
        return 0;
    }
    if (i == v->n_drivers) {
        v->driver[v->n_drivers++] = skr_strdup(name);
    }
    return (uint16_t)(i + 1);
}

void skr_volume_rows_fini(struct table *t)
{
    skr_slab_fini(&t->row);
    skr_hash_index_fini(&t->by_id);
}
