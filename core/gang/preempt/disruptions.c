/* SPDX-License-Identifier: Apache-2.0 */
/* Caches PodDisruptionBudgets. A budget that allows more than before may provide victims for a
 * group that found none. */
#include "core/gang/preempt/disruptions.h"

#include "core/gang/cache/dirty.h"
#include "topology/base/table.h"

#include <string.h>
#include <utlist.h>

struct disruption_space {
    UT_hash_handle hh; /* by namespace */
    struct disruption_budget *list;
    char namespace_[];
};

static struct disruption_space *space_find(const struct skr_gang *e, const char *namespace_)
{
    struct disruption_space *space;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->disruption_spaces, namespace_, space);
    return space;
}

static struct disruption_space *space_get(struct skr_gang *e, const char *namespace_)
{
    const size_t n = strlen(namespace_);
    struct disruption_space *space = space_find(e, namespace_);
    if (!space) {
        space = skr_alloc(sizeof *space + n + 1);
        memcpy(space->namespace_, namespace_, n + 1);
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->disruption_spaces, space->namespace_, n,
                      space);
    }
    return space;
}

static void entry_free(struct skr_gang *e, struct disruption_budget *b)
{
    DL_DELETE(b->space->list, b);
    if (!b->space->list) {
        HASH_DEL(e->disruption_spaces, b->space);
        free(b->space);
    }
    HASH_DEL(e->disruptions, b);
    skr_budget_destroy(b->budget);
    free(b->key);
    free(b);
}

static struct disruption_budget *entry_create(struct skr_gang *e, const struct skr_budget *budget)
{
    struct disruption_budget *b = skr_alloc(sizeof *b);
    b->key = skr_object_key(budget->meta.namespace_, budget->meta.name);
    b->space = space_get(e, budget->meta.namespace_);
    DL_APPEND(b->space->list, b);
    SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->disruptions, b->key, strlen(b->key), b);
    return b;
}

static struct disruption_budget *find(const struct skr_gang *e, const struct skr_meta *meta)
{
    struct disruption_budget *b;
    SKR_AUTO_FREE char *key = skr_object_key(meta->namespace_, meta->name);
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->disruptions, key, b);
    return b;
}

void skr_disruptions_upsert(struct skr_gang *e, struct skr_budget *budget)
{
    struct disruption_budget *b = find(e, &budget->meta);
    const struct skr_budget *was = b ? b->budget : NULL;
    const bool same = b && strcmp(budget->meta.uid, was->meta.uid) == 0;
    if (same && budget->meta.resource_version &&
        budget->meta.resource_version < was->meta.resource_version) {
        skr_budget_destroy(budget);
        return;
    }
    const bool more =
        b && (!same || budget->allowed > was->allowed || budget->generation != was->generation);
    b = b ? b : entry_create(e, budget);
    skr_budget_destroy(b->budget);
    b->budget = budget;
    if (more && b->used) {
        b->used = false;
        skr_dirty_victims(e);
    }
}

void skr_disruptions_delete(struct skr_gang *e, const char *namespace_, const char *name)
{
    struct disruption_budget *b =
        find(e, &(struct skr_meta){.namespace_ = namespace_, .name = name});
    const bool used = b && b->used;
    if (b) {
        entry_free(e, b);
    }
    if (used) {
        skr_dirty_victims(e);
    }
}

struct disruption_budget *skr_disruptions_of(const struct skr_gang *e, const struct skr_meta *pod,
                                             size_t *ret_n)
{
    const struct disruption_space *space = space_find(e, pod->namespace_);
    struct disruption_budget *b, *first = NULL;
    *ret_n = 0;
    DL_FOREACH(space ? space->list : NULL, b)
    {
        if (skr_budget_covers(b->budget, pod)) {
            ++*ret_n;
            b->used = true;
            first = !first || strcmp(b->key, first->key) < 0 ? b : first;
        }
    }
    return first;
}

void skr_disruptions_fini(struct skr_gang *e)
{
    struct disruption_budget *b, *tmp;
    HASH_ITER(hh, e->disruptions, b, tmp)
    {
        entry_free(e, b);
    }
}
