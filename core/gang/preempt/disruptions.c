/* SPDX-License-Identifier: Apache-2.0 */
/* Caches PodDisruptionBudgets. A budget that allows more than before may provide victims for a
 * group that found none. */
#include "core/gang/preempt/disruptions.h"

#include "core/gang/cache/dirty.h"
#include "topology/base/table.h"

#include <string.h>

static void entry_free(struct skr_gang *e, struct disruption_budget *b)
{
    HASH_DEL(e->disruptions, b);
    skr_budget_destroy(b->budget);
    free(b->key);
    free(b);
}

void skr_disruptions_upsert(struct skr_gang *e, struct skr_budget *budget)
{
    struct disruption_budget *b;
    char *key = skr_object_key(budget->meta.namespace_, budget->meta.name);
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->disruptions, key, b);
    if (b && budget->meta.resource_version &&
        budget->meta.resource_version < b->budget->meta.resource_version &&
        strcmp(budget->meta.uid, b->budget->meta.uid) == 0) {
        skr_budget_destroy(budget);
        free(key);
        return;
    }
    if (!b) {
        b = skr_alloc(sizeof *b);
        b->key = key;
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->disruptions, b->key, strlen(b->key), b);
    } else {
        free(key);
        skr_budget_destroy(b->budget);
    }
    b->budget = budget;
    skr_dirty_victims(e);
}

void skr_disruptions_delete(struct skr_gang *e, const char *namespace_, const char *name)
{
    struct disruption_budget *b;
    char *key = skr_object_key(namespace_, name);
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->disruptions, key, b);
    free(key);
    if (b) {
        entry_free(e, b);
        skr_dirty_victims(e);
    }
}

struct disruption_budget *skr_disruptions_of(const struct skr_gang *e, const struct skr_meta *pod,
                                             size_t *ret_n)
{
    struct disruption_budget *b, *tmp, *first = NULL;
    *ret_n = 0;
    HASH_ITER(hh, e->disruptions, b, tmp)
    {
        if (skr_budget_covers(b->budget, pod)) {
            ++*ret_n;
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
