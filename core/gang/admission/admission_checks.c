/* SPDX-License-Identifier: Apache-2.0 */
/* Two tables of named objects: see admission_checks.h. */
#include "core/gang/admission/admission_checks.h"

#include "core/frame/object_writer.h"
#include "core/gang/state/output.h"
#include "core/gang/state/types.h"
#include "core/gang/state/wakes.h"
#include "topology/base/table.h"

#include <stdlib.h>
#include <string.h>

struct kueue_named {   /* a check of ours, or a flavor */
    UT_hash_handle hh; /* by name */
    char *name;
    struct skr_admission_check *check;
    struct skr_kueue_flavor *flavor;
    uint64_t write; /* of its condition, in flight; 0: none */
    skr_time at;    /* not written before */
};

static struct kueue_named *find(const struct skr_gang *e, struct kueue_named *table,
                                const char *name)
{
    struct kueue_named *entry = NULL;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, table, name, entry);
    return entry;
}

/* NULL: the table is full. */
static struct kueue_named *get(struct skr_gang *e, struct kueue_named **table, const char *name,
                               size_t most)
{
    struct kueue_named *entry = find(e, *table, name);
    if (!entry && HASH_COUNT(*table) < most) {
        entry = skr_alloc(sizeof *entry);
        entry->name = skr_strdup(name);
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, *table, entry->name, strlen(entry->name), entry);
    } else if (!entry) {
        SKR_STRBUF(text);
        skr_strbuf_addf(&text, "%zu objects of this kind are read, this one is not", most);
        skr_out_decision(e, name, "", "Object of Kueue left out", "", text.s, true);
    }
    return entry;
}

/* entry: NULL allowed. */
static void drop(struct kueue_named **table, struct kueue_named *entry)
{
    if (entry) {
        HASH_DEL(*table, entry);
        skr_admission_check_destroy(entry->check);
        skr_kueue_flavor_destroy(entry->flavor);
        free(entry->name);
        free(entry);
    }
}

void skr_admission_check_upsert(struct skr_gang *e, struct skr_admission_check *check)
{
    struct kueue_named **table = &e->kueue.checks, *entry = NULL;
    if (strcmp(check->controller, SKR_ADMISSION_CONTROLLER) == 0) {
        entry = get(e, table, check->meta.name, SKR_ADMISSION_CHECKS_MAX);
    } else {
        drop(table, find(e, *table, check->meta.name));
    }
    skr_admission_check_destroy(entry ? entry->check : check);
    if (entry) {
        entry->check = check;
    }
}

void skr_admission_flavor_upsert(struct skr_gang *e, struct skr_kueue_flavor *flavor)
{
    struct kueue_named *entry =
        get(e, &e->kueue.flavors, flavor->meta.name, SKR_ADMISSION_FLAVORS_MAX);
    skr_kueue_flavor_destroy(entry ? entry->flavor : flavor);
    if (entry) {
        entry->flavor = flavor;
    }
}

void skr_admission_checks_delete(struct skr_gang *e, const struct skr_object_type *type,
                                 const char *name)
{
    struct kueue_named **table =
        type == &skr_gang_admission_check ? &e->kueue.checks : &e->kueue.flavors;
    drop(table, find(e, *table, name));
}

bool skr_admission_is_ours(const struct skr_gang *e, const char *check)
{
    return find(e, e->kueue.checks, check);
}

const struct skr_kueue_flavor *skr_admission_flavor(const struct skr_gang *e, const char *name)
{
    const struct kueue_named *entry = find(e, e->kueue.flavors, name);
    return entry ? entry->flavor : NULL;
}

/* ---- condition Active ---- */

static void write_active(const struct skr_gang *e, const struct skr_meta *meta,
                         struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    char now[40];
    skr_time_write(skr_frame_now(e->frame) / SKR_SECOND * SKR_SECOND, 0, now, sizeof now);
    skr_object_open_patch(&w, meta);
    skr_object_close_patch_with(&w, &(struct skr_object_condition){
                                        .type = "Active",
                                        .reason = "Active",
                                        .message = "sakkara tries to place the pods of workloads",
                                        .since = now});
}

void skr_admission_checks_activate(struct skr_gang *e)
{
    struct kueue_named *entry, *next;
    const skr_time now = skr_frame_now(e->frame);
    HASH_ITER(hh, e->kueue.checks, entry, next)
    {
        if (entry->check->active || entry->write) {
            continue;
        }
        if (now < entry->at) {
            skr_wakes_add(e, entry->at, WAKE_ADMISSION, NULL);
            continue;
        }
        SKR_STRBUF(body);
        write_active(e, &entry->check->meta, &body);
        entry->at = now + SKR_ADMISSION_AGAIN_S * SKR_SECOND;
        entry->write = skr_out_write(e, SKR_WRITE_ACTIVATE_CHECK, SKR_WRITE_CLASS_STATUS, 0,
                                     &entry->check->meta, &body, WRITE_FOR_ADMISSION, entry->name)
                           ->id;
    }
}

void skr_admission_checks_written(struct skr_gang *e, const struct skr_pending_write *w,
                                  const struct skr_event *ev)
{
    struct kueue_named *entry = find(e, e->kueue.checks, w->key);
    if (!entry || entry->write != w->id) {
        return;
    }
    entry->write = 0;
    if (ev->written.outcome == SKR_WRITE_DENIED || ev->written.outcome == SKR_WRITE_INVALID) {
        entry->at = skr_frame_now(e->frame) + SKR_ADMISSION_REFUSED_S * SKR_SECOND;
        skr_out_decision(e, w->key, "", "AdmissionCheck not active", "", ev->written.message, true);
    }
}

void skr_admission_checks_fini(struct skr_gang *e)
{
    while (e->kueue.checks) {
        drop(&e->kueue.checks, e->kueue.checks);
    }
    while (e->kueue.flavors) {
        drop(&e->kueue.flavors, e->kueue.flavors);
    }
}
