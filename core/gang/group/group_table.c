/* SPDX-License-Identifier: Apache-2.0 */
/* The groups there are, by namespace/name: one for each that a pod or a source names. */
#include "core/gang/group/group_table.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/map_entry.h"
#include "topology/base/attr.h"
#include "topology/base/table.h"

#include <string.h>

void skr_groups_uncount(struct skr_gang *e, struct group *g)
{
    if (!g->counted.done) {
        return;
    }
    e->n_by_status[g->counted.status]--;
    if (g->counted.reason != SKR_REASON_COUNT) {
        e->n_by_reason[g->counted.reason]--;
    }
    e->n_by_uncounted[g->counted.uncounted]--;
    g->counted.done = false;
}

void skr_groups_count(struct skr_gang *e, struct group *g)
{
    bool placed = g->status == SKR_STATUS_BOUND || g->status == SKR_STATUS_FINISHED;
    skr_groups_uncount(e, g);
    g->counted.done = true;
    g->counted.status = g->status;
    g->counted.reason = placed ? SKR_REASON_COUNT : g->reason;
    g->counted.uncounted = placed ? SKR_COUNTED : g->uncounted;
    e->n_by_status[g->counted.status]++;
    e->n_by_uncounted[g->counted.uncounted]++;
    if (!placed) {
        e->n_by_reason[g->counted.reason]++;
    }
}

struct group *skr_groups_find(const struct skr_gang *e, const char *key)
{
    struct group *g = NULL;
    if (key) {
        SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->groups, key, g);
    }
    return g;
}

/* Other ways to name a group, behind the namespace: a kind as the API or kubectl has it. A TrainJob
 * makes a JobSet of its name. */
static const struct {
    const char *spelt, *prefix;
} spellings[] = {
    {"/leaderworkerset/", "/lws/"}, {"/replicaset/", "/replicaset.apps/"},
    {"/rs/", "/replicaset.apps/"},  {"/sts/", "/statefulset/"},
    {"/trainjob/", "/jobset/"},     {"/podgroup/", "/"}, /* also of scheduling.x-k8s.io */
};

/* "NAMESPACE/pod/NAME": the group of a pod. */
static struct group *find_spelt(const struct skr_gang *e, const char *key)
{
    const char *slash = strchr(key, '/');
    if (!slash || !strchr(slash + 1, '/')) {
        return NULL;
    }
    SKR_STRBUF(other);
    skr_strbuf_addn(&other, key, (size_t)(slash - key));
    if (strncmp(slash, "/pod/", 5) == 0) {
        const struct pod_entry *p = skr_pods_find_name(e, other.s, slash + 5);
        return p ? p->group : NULL;
    }
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const size_t n = strlen(spellings[i].spelt);
        if (strncmp(slash, spellings[i].spelt, n) == 0) {
            skr_strbuf_addf(&other, "%s%s", spellings[i].prefix, slash + n);
            return skr_groups_find(e, other.s);
        }
    }
    return NULL;
}

struct group *skr_groups_find_named(const struct skr_gang *e, const char *key,
                                    struct map_entry **ret_map)
{
    skr_bug_on(!key);
    struct group *g = skr_groups_find(e, key);
    struct map_entry *m;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->maps, key, m);
    *ret_map = !g && m && m->is_group ? m : NULL;
    if (*ret_map) {
        g = skr_groups_find(e, m->group_key);
        g = g && g->source.map == m ? g : NULL;
    }
    return g || *ret_map ? g : find_spelt(e, key);
}

struct group *skr_groups_get(struct skr_gang *e, const char *namespace_, const char *name)
{
    char *key = skr_object_key(namespace_, name);
    struct group *g = skr_groups_find(e, key);
    if (g) {
        free(key);
        return g;
    }
    g = skr_alloc(sizeof *g);
    g->key = key;
    g->namespace_ = skr_strdup(namespace_);
    g->name = skr_strdup(name);
    skr_attempt_again(g);
    g->reported.status = SKR_STATUS_COUNT; /* no status reported yet */
    skr_membership_changed(g);
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->podgroups, key, g->source.podgroup);
    SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->groups, g->key, strlen(g->key), g);
    skr_groups_count(e, g);
    skr_dirty_group(e, g);
    return g;
}
