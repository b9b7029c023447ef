/* SPDX-License-Identifier: Apache-2.0 */
/* Objects by kind, decoded while their text is at hand, sorted once all are there. */
#include "server/lab/simulate/placement_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "topology/base/arena.h"
#include "topology/base/decimal.h"

/* Every decoded object begins with its arena and its meta. */
struct object {
    struct skr_arena *arena;
    struct skr_meta meta;
};

enum kind { CLUSTER, SET, BINDING, PLACEMENT, DECISION, SCORE, KINDS };

#define DECODE(name, type)                                                         \
    static int name##_any(const json_t *json, void **ret, struct skr_error *error) \
    {                                                                              \
        struct type *object = NULL;                                                \
        int rc = name(json, &object, error);                                       \
        *ret = object;                                                             \
        return rc;                                                                 \
    }
DECODE(skr_managed_cluster_decode, skr_managed_cluster)
DECODE(skr_cluster_set_decode, skr_cluster_set)
DECODE(skr_cluster_set_binding_decode, skr_cluster_set_binding)
DECODE(skr_placement_decode, skr_placement)
DECODE(skr_placement_decision_decode, skr_placement_decision)
DECODE(skr_addon_score_decode, skr_addon_score)
#undef DECODE

static const struct {
    const char *kind;
    bool namespaced;
    int (*decode)(const json_t *json, void **ret, struct skr_error *error);
} kinds[KINDS] = {
    [CLUSTER] = {"ManagedCluster", false, skr_managed_cluster_decode_any},
    [SET] = {"ManagedClusterSet", false, skr_cluster_set_decode_any},
    [BINDING] = {"ManagedClusterSetBinding", true, skr_cluster_set_binding_decode_any},
    [PLACEMENT] = {"Placement", true, skr_placement_decode_any},
    [DECISION] = {"PlacementDecision", true, skr_placement_decision_decode_any},
    [SCORE] = {"AddOnPlacementScore", true, skr_addon_score_decode_any},
};

static enum kind kind_of(const json_t *object)
{
    const char *kind = skr_path_text(object, "kind");
    if (strncmp(skr_path_text(object, "apiVersion"), SKR_OCM, strlen(SKR_OCM)) != 0) {
        return KINDS;
    }
    int k = 0;
    while (k < KINDS && strcmp(kinds[k].kind, kind) != 0) {
        k++;
    }
    return (enum kind)k;
}

static void destroy(void *object)
{
    skr_arena_destroy(object ? ((struct object *)object)->arena : NULL);
}

static int check(void *context, const json_t *json, struct skr_error *error)
{
    const enum kind kind = kind_of(json);
    void *object = NULL;
    (void)context;
    if (kind == KINDS) {
        return 0;
    }
    int rc = kinds[kind].decode(json, &object, error);
    if (rc == 0) {
        const struct skr_meta *meta = &((struct object *)object)->meta;
        const char *total = skr_labels_get(&meta->annotations, SKR_TOTAL_SCORE_KEY);
        int64_t number;
        if (!meta->name[0]) {
            rc = skr_error_set_key(error, SKR_INVALID, "metadata.name", "missing");
        } else if (kind == CLUSTER && total && !skr_decimal_parse(total, strlen(total), &number)) {
            rc = skr_error_set_key(error, SKR_INVALID, "metadata.annotations",
                                   "%s is an integer, not \"%.64s\"", SKR_TOTAL_SCORE_KEY, total);
        }
    }
    destroy(object);
    return rc;
}

void skr_placement_world_init(struct skr_placement_world *world)
{
    *world = (struct skr_placement_world){0};
    skr_manifests_init(&world->manifests);
}

/* The list of a kind. */
static void ***list_of(struct skr_placement_world *w, enum kind kind)
{
    void *list[KINDS] = {
        [CLUSTER] = &w->cluster,     [SET] = &w->set,           [BINDING] = &w->binding,
        [PLACEMENT] = &w->placement, [DECISION] = &w->decision, [SCORE] = &w->score};
    return list[kind];
}

void skr_placement_world_fini(struct skr_placement_world *world)
{
    for (int k = 0; k < KINDS; k++) {
        void **list = *list_of(world, (enum kind)k);
        for (size_t i = 0; i < world->n[k]; i++) {
            destroy(list[i]);
        }
        free(list);
    }
    free(world->load);
    skr_manifests_fini(&world->manifests);
}

int skr_placement_world_read(struct skr_placement_world *world, const char *path,
                             struct skr_strbuf *errors)
{
    return skr_manifests_read(&world->manifests, path, check, NULL, errors);
}

int skr_placement_world_parse(struct skr_placement_world *world, const char *name, const char *text,
                              size_t n, struct skr_strbuf *errors)
{
    return skr_manifests_parse(&world->manifests, name, text, n, check, NULL, errors);
}

/* ---- sorting ---- */

static const char *namespace_of(const struct skr_meta *meta)
{
    return meta->namespace_[0] ? meta->namespace_ : "default";
}

static int by_key(const void *a, const void *b)
{
    const struct object *s = *(struct object *const *)a, *t = *(struct object *const *)b;
    int order = strcmp(namespace_of(&s->meta), namespace_of(&t->meta));
    return order != 0 ? order : strcmp(s->meta.name, t->meta.name);
}

struct numbered {
    void *object;
    size_t number;
};

static int by_key_and_number(const void *a, const void *b)
{
    const struct numbered *s = a, *t = b;
    int order = by_key(&s->object, &t->object);
    return order != 0 ? order : (s->number > t->number) - (s->number < t->number);
}

static void tell(struct skr_strbuf *out, const struct skr_manifest *item, const char *what)
{
    skr_strbuf_addf(out, "%s:%zu:%zu: warning: %s\n", item->file, item->line, item->column, what);
}

/* Once a kind. */
static void warn_ignored(const struct skr_placement_world *world, size_t i, struct skr_strbuf *out)
{
    const struct skr_manifest *item = &world->manifests.item[i];
    const char *kind = skr_path_text(item->object, "kind");
    char text[192];
    for (size_t k = 0; k < i; k++) {
        const json_t *before = world->manifests.item[k].object;
        if (kind_of(before) == KINDS && strcmp(skr_path_text(before, "kind"), kind) == 0) {
            return;
        }
    }
    snprintf(text, sizeof text, "kind %.64s of %.96s is ignored", kind,
             skr_path_text(item->object, "apiVersion"));
    tell(out, item, text);
}

/* Decodes all objects of a kind; the last of those with one name stays. */
static int decode_kind(struct skr_placement_world *world, enum kind kind, struct skr_strbuf *out)
{
    struct numbered *all = skr_alloc_array(world->manifests.n + 1, sizeof *all);
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < world->manifests.n; i++) {
        const struct skr_manifest *item = &world->manifests.item[i];
        struct skr_error error = {0};
        if (kind_of(item->object) != kind) {
            continue;
        }
        rc = kinds[kind].decode(item->object, &all[n].object, &error);
        if (rc < 0) {
            skr_strbuf_addf(out, "%s:%zu:%zu: %s\n", item->file, item->line, item->column,
                            error.text);
        } else {
            all[n++].number = i;
        }
    }
    qsort(all, n, sizeof *all, by_key_and_number);
    void **list = skr_alloc_array(n + 1, sizeof *list);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && by_key(&all[i].object, &all[i + 1].object) == 0) {
            tell(out, &world->manifests.item[all[i].number],
                 "this object comes again below, and counts there");
            destroy(all[i].object);
        } else {
            list[kept++] = all[i].object;
        }
    }
    *list_of(world, kind) = list;
    world->n[kind] = kept;
    free(all);
    return rc;
}

/* A cluster in a decision of a Placement. */
struct named {
    const struct skr_placement_decision *decision;
    const char *cluster;
};

static int by_cluster_and_placement(const void *a, const void *b)
{
    const struct named *s = a, *t = b;
    int order = strcmp(s->cluster, t->cluster);
    order = order != 0 ? order
                       : strcmp(namespace_of(&s->decision->meta), namespace_of(&t->decision->meta));
    return order != 0 ? order : strcmp(s->decision->placement, t->decision->placement);
}

/* A Placement counts once for a cluster, in however many of its objects that stands. */
static void count_load(struct skr_placement_world *w)
{
    const struct skr_placement_hub hub = {
        .n_clusters = w->n[CLUSTER],
        .cluster = (const struct skr_managed_cluster *const *)w->cluster};
    struct named *all = NULL;
    size_t n = 0, cap = 0;
    w->load = skr_alloc_array(w->n[CLUSTER] + 1, sizeof *w->load);
    for (size_t d = 0; d < w->n[DECISION]; d++) {
        const struct skr_placement_decision *own = w->decision[d];
        for (size_t i = 0; own->placement && i < own->n; i++) {
            skr_grow(&all, &cap, n + 1, sizeof *all);
            all[n++] = (struct named){own, own->cluster[i]};
        }
    }
    if (n > 1) {
        qsort(all, n, sizeof *all, by_cluster_and_placement);
    }
    for (size_t i = 0; i < n; i++) {
        bool again = i > 0 && by_cluster_and_placement(&all[i - 1], &all[i]) == 0;
        int64_t at = again ? -1 : skr_placement_hub_find(&hub, all[i].cluster);
        if (at >= 0) {
            w->load[at]++;
        }
    }
    free(all);
}

int skr_placement_world_finish(struct skr_placement_world *world, struct skr_strbuf *messages)
{
    int rc = 0;
    for (size_t i = 0; i < world->manifests.n; i++) {
        if (kind_of(world->manifests.item[i].object) == KINDS) {
            warn_ignored(world, i, messages);
        }
    }
    for (int k = 0; rc == 0 && k < KINDS; k++) {
        rc = decode_kind(world, (enum kind)k, messages);
    }
    if (rc == 0) {
        count_load(world);
    }
    return rc;
}

/* ---- looking ---- */

const struct skr_placement *skr_placement_world_at(const struct skr_placement_world *world,
                                                   size_t i)
{
    return i < world->n[PLACEMENT] ? world->placement[i] : NULL;
}

static bool is_named(const struct skr_placement *placement, const char *name)
{
    const char *slash = strchr(name, '/');
    const char *own = namespace_of(&placement->meta);
    return strcmp(placement->meta.name, slash ? slash + 1 : name) == 0 &&
           (!slash || (strlen(own) == (size_t)(slash - name) &&
                       strncmp(own, name, (size_t)(slash - name)) == 0));
}

enum skr_placement_found skr_placement_world_find(const struct skr_placement_world *world,
                                                  const char *name, const char *scheduler,
                                                  const struct skr_placement **ret)
{
    const struct skr_placement *placement, *in_default = NULL;
    size_t n = 0;
    for (size_t i = 0; (placement = skr_placement_world_at(world, i)); i++) {
        if (name ? !is_named(placement, name) : !skr_placement_is_ours(placement, scheduler)) {
            continue;
        }
        n++;
        *ret = placement;
        if (name && strcmp(namespace_of(&placement->meta), "default") == 0) {
            in_default = placement;
        }
    }
    if (n > 1 && in_default) {
        *ret = in_default;
        return SKR_PLACEMENT_FOUND;
    }
    return n == 1 ? SKR_PLACEMENT_FOUND : n == 0 ? SKR_PLACEMENT_ABSENT : SKR_PLACEMENT_AMBIGUOUS;
}

static const struct skr_addon_score *find_score(void *context, const char *cluster,
                                                const char *name)
{
    const struct skr_placement_world *world = context;
    struct object wanted = {.meta = {.namespace_ = cluster, .name = name}}, *key = &wanted;
    struct skr_addon_score *const *found =
        bsearch(&key, world->score, world->n[SCORE], sizeof *world->score, by_key);
    return found ? *found : NULL;
}

int skr_placement_world_hub(struct skr_placement_world *world,
                            const struct skr_placement *placement, struct skr_arena *arena,
                            struct skr_placement_hub *ret, struct skr_error *error)
{
    const char *namespace_ = namespace_of(&placement->meta);
    const struct skr_cluster_set_binding **binding =
        skr_arena_array(arena, world->n[BINDING] + 1, sizeof *binding);
    const struct skr_placement_decision **decision =
        skr_arena_array(arena, world->n[DECISION] + 1, sizeof *decision);
    if (!binding || !decision) {
        return skr_error_set(error, SKR_LIMIT, "too many objects");
    }
    *ret = (struct skr_placement_hub){.n_clusters = world->n[CLUSTER],
                                      .cluster =
                                          (const struct skr_managed_cluster *const *)world->cluster,
                                      .load = world->load,
                                      .n_sets = world->n[SET],
                                      .set = (const struct skr_cluster_set *const *)world->set,
                                      .binding = binding,
                                      .decision = decision,
                                      .score = find_score,
                                      .context = world,
                                      .every_cluster = world->n[SET] == 0,
                                      .what_if = true,
                                      .explain = true,
                                      .spread_mode = SKR_SPREAD_WEIGHTED};
    for (size_t i = 0; i < world->n[BINDING]; i++) {
        if (strcmp(namespace_of(&world->binding[i]->meta), namespace_) == 0) {
            binding[ret->n_bindings++] = world->binding[i];
        }
    }
    for (size_t i = 0; i < world->n[DECISION]; i++) {
        const struct skr_placement_decision *d = world->decision[i];
        if (d->placement && strcmp(d->placement, placement->meta.name) == 0 &&
            strcmp(namespace_of(&d->meta), namespace_) == 0) {
            decision[ret->n_decisions++] = d;
        }
    }
    return 0;
}
