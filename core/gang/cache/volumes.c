/* SPDX-License-Identifier: Apache-2.0 */
/* What claims, volumes and classes say: see volumes.h. */
#include "core/gang/cache/volumes.h"

#include "core/gang/cache/claim_users.h"
#include "core/gang/cache/csi.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/volume_rows.h"
#include "core/gang/state/groups.h"
#include "topology/base/table.h"

#include <stdlib.h>
#include <string.h>

uint64_t skr_volumes_id(const struct skr_gang *e, const char *namespace_, const char *claim)
{
    return skr_claim_users_id(e, SKR_POD_CLAIM_VOLUME, namespace_, claim);
}

static void *find_or_add(struct skr_gang *e, struct table *t, uint64_t id)
{
    void *row = skr_volume_rows_find(t, id);
    return row ? row : skr_volume_rows_add(e, t, id, NULL);
}

/* "late/CLASS": the volumes of a class that its claims are bound to late. */
static const char pool_prefix[] = "late/";

static uint16_t pool_of(struct skr_gang *e, const char *class)
{
    SKR_STRBUF(name);
    skr_strbuf_addf(&name, "%s%s", pool_prefix, class);
    return skr_volume_rows_driver(e, name.s);
}

void skr_volumes_touch(struct skr_gang *e)
{
    if (skr_frame_is_synced(e->frame) && skr_claim_users_any_volume(e)) {
        skr_dirty_capacity(e);
    }
}

void skr_volumes_touch_claim(struct skr_gang *e, uint64_t claim)
{
    size_t n = 0;
    SKR_AUTO_FREE struct pod_entry **user =
        skr_frame_is_synced(e->frame) ? skr_claim_users_list(e, claim, &n) : NULL;
    for (size_t i = 0; i < n; i++) {
        if (user[i]->group && !user[i]->group->plan) {
            skr_dirty_input(user[i]->group);
            skr_dirty_group(e, user[i]->group);
        }
    }
}

/* ---- objects ---- */

/* 0: the text is empty. */
static uint64_t id_of(const struct skr_gang *e, int kind, const char *text)
{
    return *text ? skr_volume_rows_id(e, kind, text, "") : 0;
}

static bool equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
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

static void claim_fini(struct volumes *v, struct claim_row *row)
{
    free(row->selected);
    rule_unref(v, row->selector);
}

static void volume_fini(struct volumes *v, struct volume_row *row)
{
    rule_unref(v, row->rule);
    free(row->host);
    free(row->labels);
}

void skr_volumes_claim_upsert(struct skr_gang *e, const struct skr_volume_claim *claim)
{
    struct volumes *v = skr_volume_rows(e);
    struct claim_row *row =
        find_or_add(e, &v->claim, skr_volumes_id(e, claim->meta.namespace_, claim->meta.name));
    if (!row) {
        return;
    }
    const struct claim_row now = {
        .id = row->id,
        .uid = id_of(e, OF_UID, claim->meta.uid),
        .selected = *claim->selected ? skr_strdup(claim->selected) : NULL,
        .selector = skr_volumes_reach_get(e, claim->selector),
        .volume = id_of(e, OF_VOLUME, claim->volume),
        .class_ = id_of(e, OF_CLASS, claim->class_),
        .attributes = id_of(e, OF_ATTRIBUTES, claim->attributes),
        .one_pod = claim->one_pod,
        .modes = claim->modes,
        .bytes = claim->bytes,
    };
    const bool same = row->volume == now.volume && row->class_ == now.class_ &&
                      row->uid == now.uid && row->attributes == now.attributes &&
                      row->selector == now.selector && row->one_pod == now.one_pod &&
                      row->modes == now.modes && row->bytes == now.bytes &&
                      equal(row->selected, now.selected);
    claim_fini(v, row);
    *row = now;
    if (!same) {
        skr_volumes_touch_claim(e, row->id);
    }
}

void skr_volumes_claim_delete(struct skr_gang *e, const char *namespace_, const char *name)
{
    const uint64_t id = skr_volumes_id(e, namespace_, name);
    struct claim_row *row = e->volumes ? skr_volume_rows_find(&e->volumes->claim, id) : NULL;
    if (row) {
        claim_fini(e->volumes, row);
        (void)skr_volume_rows_drop_id(e, &e->volumes->claim, id);
        skr_volumes_touch_claim(e, id);
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
            skr_volume_rows_give_up(
                e, "volumes have more than 16384 distinct rules about nodes; kube-scheduler "
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
    (void)skr_volume_rows(e);
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

/* Those of a volume. free_: any late claim of its class may take it. */
static void touch_users(struct skr_gang *e, bool free_, uint64_t claim)
{
    if (free_) {
        skr_volumes_touch(e);
    }
    if (claim) {
        skr_volumes_touch_claim(e, claim);
    }
}

void skr_volumes_upsert(struct skr_gang *e, struct skr_volume *volume)
{
    struct volumes *v = skr_volume_rows(e);
    struct volume_row *row =
        find_or_add(e, &v->volume, skr_volume_rows_id(e, OF_VOLUME, volume->meta.name, ""));
    if (!row) {
        skr_volume_destroy(volume);
        return;
    }
    struct volume_row now = {
        .id = row->id,
        .unique = skr_volume_rows_id(e, OF_HANDLE, volume->driver, volume->handle),
        .class_ = id_of(e, OF_CLASS, volume->class_),
        .attributes = id_of(e, OF_ATTRIBUTES, volume->attributes),
        .claim = *volume->claim_name
                     ? skr_volumes_id(e, volume->claim_namespace, volume->claim_name)
                     : 0,
        .claim_uid = id_of(e, OF_UID, volume->claim_uid),
        .host = volume->host ? skr_strdup(volume->host) : NULL,
        .labels = volume->free && *volume->labels ? skr_strdup(volume->labels) : NULL,
        .driver = skr_volume_rows_driver(e, volume->driver),
        .free = volume->free,
        .goes = volume->meta.deleting,
        .modes = volume->modes,
        .bytes = volume->bytes,
    };
    const uint64_t was_for = row->claim;
    now.rule = rule_of(e, volume);
    const bool same = row->rule == now.rule && row->driver == now.driver &&
                      row->unique == now.unique && row->class_ == now.class_ &&
                      row->attributes == now.attributes && row->claim == now.claim &&
                      row->claim_uid == now.claim_uid && row->free == now.free &&
                      row->goes == now.goes && row->modes == now.modes && row->bytes == now.bytes &&
                      equal(row->host, now.host) && equal(row->labels, now.labels);
    const bool any = row->free || now.free;
    volume_fini(v, row);
    *row = now;
    if (!same) {
        touch_users(e, any, now.claim);
    }
    if (!same && was_for != now.claim) {
        touch_users(e, any, was_for);
    }
}

void skr_volumes_delete(struct skr_gang *e, const char *name)
{
    const uint64_t id = skr_volume_rows_id(e, OF_VOLUME, name, "");
    struct volume_row *row = e->volumes ? skr_volume_rows_find(&e->volumes->volume, id) : NULL;
    if (row) {
        const bool was_free = row->free;
        const uint64_t was_for = row->claim;
        volume_fini(e->volumes, row);
        (void)skr_volume_rows_drop_id(e, &e->volumes->volume, id);
        touch_users(e, was_free, was_for);
    }
}

void skr_volumes_class_upsert(struct skr_gang *e, const struct skr_storage_class *class)
{
    struct volumes *v = skr_volume_rows(e);
    struct class_row *row =
        find_or_add(e, &v->class_, skr_volume_rows_id(e, OF_CLASS, class->meta.name, ""));
    const bool none =
        class->late && strcmp(class->provisioner, "kubernetes.io/no-provisioner") == 0;
    const uint16_t driver = !row   ? 0
                            : none ? pool_of(e, class->meta.name)
                                   : skr_volume_rows_driver(e, class->provisioner);
    struct volume_rule *was = row ? row->reach : NULL;
    if (row) {
        row->reach = none ? NULL : skr_volumes_reach_get(e, class->reach);
    }
    if (row && (row->driver != driver || row->late != class->late || row->reach != was)) {
        row->driver = driver;
        row->late = class->late;
        row->none = none;
        skr_volumes_touch(e);
    }
    rule_unref(v, was);
}

void skr_volumes_class_delete(struct skr_gang *e, const char *name)
{
    const uint64_t id = skr_volume_rows_id(e, OF_CLASS, name, "");
    const struct class_row *row = e->volumes ? skr_volume_rows_find(&e->volumes->class_, id) : NULL;
    if (row) {
        rule_unref(e->volumes, row->reach);
        (void)skr_volume_rows_drop_id(e, &e->volumes->class_, id);
        skr_volumes_touch(e);
    }
}

/* ---- what is known ---- */

struct volume_facts skr_volumes_facts(const struct skr_gang *e, uint64_t claim)
{
    const struct volumes *v = e->volumes;
    const struct claim_row *row = v && !v->full ? skr_volume_rows_find(&v->claim, claim) : NULL;
    struct volume_facts facts = {.known = row, .volume = claim};
    if (!row) {
        return facts;
    }
    const struct volume_row *volume =
        row->volume ? skr_volume_rows_find(&v->volume, row->volume) : NULL;
    const struct class_row *class =
        row->class_ ? skr_volume_rows_find(&v->class_, row->class_) : NULL;
    facts.one_pod = row->one_pod;
    if (volume) {
        facts.driver = volume->driver;
        facts.volume = volume->driver ? volume->unique : claim;
        facts.rule = volume->rule ? volume->rule->holder : NULL;
        facts.host = volume->host;
    } else if (class) {
        facts.late = !row->volume && class->late;
        facts.node = facts.late ? row->selected : NULL;
        facts.class_ = facts.late ? row->class_ : 0;
        facts.made = facts.late && !class->none;
        facts.rule = facts.made ? skr_volumes_reach(class->reach) : NULL;
        facts.driver = row->volume && class->none ? 0 : class->driver;
        facts.uid = row->uid;
        facts.attributes = row->attributes;
        facts.selector = skr_volumes_reach(row->selector);
        facts.modes = row->modes;
        facts.bytes = row->bytes;
    }
    return facts;
}

const char *skr_volumes_driver(const struct skr_gang *e, uint16_t driver)
{
    return e->volumes->driver[driver - 1];
}

bool skr_volumes_names_pool(const char *driver)
{
    return strncmp(driver, pool_prefix, sizeof pool_prefix - 1) == 0;
}

bool skr_volumes_is_pool(const struct skr_gang *e, uint16_t driver)
{
    return driver > 0 && skr_volumes_names_pool(e->volumes->driver[driver - 1]);
}

bool skr_volumes_next(const struct skr_gang *e, size_t *at, struct skr_free_volume *ret)
{
    const struct volumes *v = e->volumes;
    uint32_t number;
    while (skr_slab_next(&v->volume.row, at, &number)) {
        const struct volume_row *row = skr_slab_at(&v->volume.row, number);
        if (row->class_ && !row->goes && (row->free || row->claim)) {
            *ret = (struct skr_free_volume){
                .class_ = row->class_,
                .attributes = row->attributes,
                .claim = row->claim,
                .claim_uid = row->claim_uid,
                .modes = row->modes,
                .bytes = row->bytes,
                .host = row->host,
                .labels = row->labels ? row->labels : "",
                .rule = skr_volumes_reach(row->rule),
            };
            return true;
        }
    }
    return false;
}

bool skr_volumes_serves(const struct skr_free_volume *volume, const struct volume_facts *claim)
{
    const bool own =
        volume->claim == claim->volume && (!volume->claim_uid || volume->claim_uid == claim->uid);
    const uint32_t modes = own ? claim->modes & SKR_VOLUME_MODE_BITS : claim->modes;
    return (own || !volume->claim) && volume->class_ == claim->class_ &&
           volume->attributes == claim->attributes && volume->bytes >= claim->bytes &&
           (volume->modes & modes) == modes &&
           (own || !claim->selector || skr_volume_selects(claim->selector, volume->labels));
}

void skr_volumes_fini(struct skr_gang *e)
{
    struct volumes *v = e->volumes;
    uint32_t number;
    if (!v) {
        return;
    }
    for (size_t at = 0; skr_slab_next(&v->volume.row, &at, &number);) {
        volume_fini(v, skr_slab_at(&v->volume.row, number));
    }
    for (size_t at = 0; skr_slab_next(&v->class_.row, &at, &number);) {
        rule_unref(v, ((struct class_row *)skr_slab_at(&v->class_.row, number))->reach);
    }
    for (size_t at = 0; skr_slab_next(&v->claim.row, &at, &number);) {
        claim_fini(v, skr_slab_at(&v->claim.row, number));
    }
    skr_csi_fini(e);
    for (size_t i = 0; i < SKR_VOLUME_DRIVERS_MAX; i++) {
        free(v->driver[i]);
    }
    skr_volume_rows_fini(&v->claim);
    skr_volume_rows_fini(&v->volume);
    skr_volume_rows_fini(&v->class_);
    free(v);
    e->volumes = NULL;
}
