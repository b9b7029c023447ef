/* SPDX-License-Identifier: Apache-2.0 */
/* The groups there are, by namespace/name: one for each that a pod or a source names. */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

struct group *groups_find(const struct skr_engine *e, const char *key)
{
    struct group *g = NULL;
    if (key) {
        HASH_FIND_STR(e->groups, key, g);
    }
    return g;
}

struct group *groups_find_named(const struct skr_engine *e, const char *key,
                                struct map_entry **ret_map)
{
    struct group *g = groups_find(e, key);
    struct map_entry *m;
    HASH_FIND_STR(e->maps, key, m);
    *ret_map = !g && m && m->is_group ? m : NULL;
    if (*ret_map) {
        g = groups_find(e, m->group_key);
        g = g && g->map == m ? g : NULL;
    }
    return g;
}

struct group *groups_get(struct skr_engine *e, const char *namespace_, const char *name)
{
    char *key = object_key(namespace_, name);
    struct group *g = groups_find(e, key);
    if (g) {
        free(key);
        return g;
    }
    g = skr_alloc(sizeof *g);
    g->key = key;
    g->namespace_ = skr_strdup(namespace_);
    g->name = skr_strdup(name);
    g->failed_epoch = UINT64_MAX;
    g->told_status = SKR_STATUS_COUNT;
    g->seats_dirty = true;
    HASH_FIND_STR(e->podgroups, key, g->podgroup);
    HASH_ADD_KEYPTR(hh, e->groups, g->key, strlen(g->key), g);
    engine_touch_group(e, g);
    return g;
}

static void group_destroy(struct skr_engine *e, struct group *g)
{
    measure_group_gone(e, g);
    if (g->plan) {
        plan_destroy(e, g->plan);
    }
    if (g->dirty) {
        DL_DELETE2(e->dirty_groups, g, dprev, dnext);
    }
    outlook_leave(g);
    HASH_DEL(e->groups, g);
    skr_group_spec_destroy(g->spec);
    for (size_t i = 0; i < g->n_gen_controllers; i++) {
        free(g->gen_controller[i]);
    }
    for (size_t i = 0; i < SKR_EVENTS_KEPT; i++) {
        free(g->event[i].note);
    }
    for (size_t i = 0; i < CONDITION_KIND_COUNT; i++) {
        free(g->condition[i].reason);
        free(g->condition[i].message);
    }
    free(g->gen_controller);
    free(g->defect);
    free(g->spec_text);
    free(g->homogeneity);
    free(g->message);
    explained_destroy(g->explained);
    free(g->placement);
    free(g->rank);
    free(g->key);
    free(g->namespace_);
    free(g->name);
    free(g);
}

void groups_release_if_empty(struct skr_engine *e, struct group *g)
{
    if (!g->members && !g->maps && !g->podgroup && !g->plan) {
        group_destroy(e, g);
    }
}

void groups_fini(struct skr_engine *e)
{
    struct group *g, *tmp;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        group_destroy(e, g);
    }
}
