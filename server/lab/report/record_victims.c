/* SPDX-License-Identifier: Apache-2.0 */
/* Victims free on a node what fits there without their pods, less what fits with them. */
#include "server/lab/report/record_victims.h"

#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"

static json_t *names_of(const char *plan)
{
    json_auto_t *json = plan ? json_loads(plan, 0, NULL) : NULL;
    const char *state = json_string_value(json_object_get(json, "state"));
    json_t *names = state && strcmp(state, "Preempting") == 0
                        ? json_incref(json_object_get(json, "victims"))
                        : NULL;
    return names;
}

bool skr_record_victims_named(const char *plan)
{
    json_auto_t *names = names_of(plan);
    const bool named = json_array_size(names) > 0;
    return named;
}

void skr_record_victims_note(struct skr_record_group *group, const char *plan)
{
    json_t *names = names_of(plan), *name;
    size_t i;
    json_array_foreach(names, i, name)
    {
        const char *key = json_string_value(name);
        size_t k = 0;
        while (key && k < group->n_preempted && strcmp(group->preempted[k], key) != 0) {
            k++;
        }
        if (key && !strchr(key, '@') && k == group->n_preempted) {
            skr_grow(&group->preempted, &group->cap_preempted, k + 1, sizeof(char *));
            group->preempted[group->n_preempted++] = skr_strdup(key);
        }
    }
    json_decref(names);
}

void skr_record_victims_fini(struct skr_record_group *group)
{
    for (size_t i = 0; i < group->n_victims; i++) {
        free(group->victim[i].name);
        free(group->victim[i].owner);
    }
    free(group->victim);
    group->victim = NULL;
    group->n_victims = 0;
}

/* The victim that the pod is, or belongs to; NULL: none. */
static struct skr_record_victim *victim_of(struct skr_record *record,
                                           const struct skr_record_group *group, const json_t *pod)
{
    const struct skr_record_group *of = skr_record_group_of(record, pod);
    for (size_t i = 0; i < group->n_victims; i++) {
        struct skr_record_victim *v = &group->victim[i];
        const char *uid = strchr(v->name, '@');
        if (v->is_pod ? strcmp(uid + 1, skr_path_text(pod, "metadata.uid")) == 0
                      : of && strcmp(v->name, of->key) == 0) {
            return v;
        }
    }
    return NULL;
}

/* A leaving pod: its charge, to be released for a moment, and its victim's index. */
struct leaver {
    struct skr_sched_pod *pod;
    size_t victim;
};

struct taking {
    struct skr_record *record;
    struct skr_record_group *group;
    struct leaver *item;
    size_t n, cap;
};

static void note_owner(struct skr_record_victim *v, const json_t *pod)
{
    const json_t *owners = skr_path_get(pod, "metadata.ownerReferences"), *owner;
    size_t i;
    json_array_foreach(owners, i, owner)
    {
        if (!v->owner && skr_path_true(owner, "controller")) {
            struct skr_strbuf b;
            skr_strbuf_init(&b);
            skr_strbuf_addf(&b, "%s/%s", skr_path_text(owner, "kind"),
                            skr_path_text(owner, "name"));
            v->owner = skr_strbuf_take(&b, NULL);
        }
    }
}

static bool take_pod(void *context, const json_t *pod)
{
    struct taking *t = context;
    struct skr_record_victim *v = victim_of(t->record, t->group, pod);
    struct skr_sched_pod *charged = NULL;
    if (v) {
        HASH_FIND_STR(t->record->charged, skr_path_text(pod, "metadata.uid"), charged);
    }
    if (!charged) {
        return true;
    }
    skr_grow(&t->item, &t->cap, t->n + 1, sizeof *t->item);
    t->item[t->n++] = (struct leaver){charged, (size_t)(v - t->group->victim)};
    v->pods++;
    note_owner(v, pod);
    return true;
}

static int by_victim_and_node(const void *a, const void *b)
{
    const struct leaver *x = a, *y = b;
    return x->victim != y->victim ? (x->victim > y->victim) - (x->victim < y->victim)
                                  : strcmp(x->pod->pod->node_name, y->pod->pod->node_name);
}

/* Counts the nodes of each victim. */
static void count_nodes(const struct taking *t)
{
    if (t->n > 0) {
        qsort(t->item, t->n, sizeof *t->item, by_victim_and_node);
    }
    for (size_t i = 0; i < t->n; i++) {
        t->group->victim[t->item[i].victim].nodes +=
            i == 0 || by_victim_and_node(&t->item[i - 1], &t->item[i]) != 0;
    }
}

static void count_slots(const struct taking *t)
{
    const struct skr_tree *tree = t->group->tree;
    for (size_t i = 0; i < t->n; i++) {
        skr_sched_cache_release(&t->record->cache, t->item[i].pod);
    }
    for (int32_t i = 0; tree && i < tree->n_leaves; i++) {
        struct skr_picture_leaf *leaf = &t->group->leaf[i];
        const struct skr_sched_node *node =
            skr_sched_cache_find(&t->record->cache, tree->unit_name[tree->first_leaf + i]);
        int32_t without = node && node->node ? skr_record_slots(&t->group->demand, node) : 0;
        leaf->victims = without > leaf->free ? without - leaf->free : 0;
    }
    for (size_t i = 0; i < t->n; i++) {
        skr_sched_cache_charge(&t->record->cache, t->item[i].pod, t->item[i].pod->pod->node_name);
    }
}

void skr_record_victims_take(struct skr_record *record, struct skr_record_group *group,
                             const char *plan)
{
    struct taking t = {.record = record, .group = group};
    json_auto_t *names = names_of(plan);
    size_t n = json_array_size(names);
    skr_record_victims_fini(group);
    group->victim = skr_alloc_array(n + 1, sizeof *group->victim);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name) {
            group->victim[group->n_victims++] =
                (struct skr_record_victim){.name = skr_strdup(name), .is_pod = strchr(name, '@')};
        }
    }
    skr_store_each(record->store, "Pod", take_pod, &t);
    count_nodes(&t);
    count_slots(&t);
    free(t.item);
}
