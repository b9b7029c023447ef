/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topology and group ConfigMaps and PodGroups: findings of their parsers, and contradictions between
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/entry.h"
#include "server/lint/parts.h"
#include "server/object/path.h"
#include "server/object/slices.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"
#include "topology/base/json_position.h"
#include "topology/base/suggest.h"
#include "topology/duration.h"
#include "topology/topology_map.h"

static const char *const topology_keys[] = {
    "name", "resource-names", "level-names", "tree", "levels", "reason", "message", "conditions"};
static const char *const group_keys[] = {"name",
                                         "size",
                                         "priority",
                                         "constraints",
                                         "seat-hold",
                                         "within",
                                         "roles",
                                         "run-limit",
                                         "run-estimate",
                                         "movable",
                                         "minimum",
                                         "step",
                                         "replace",
                                         "status",
                                         "reason",
                                         "message",
                                         "placement",
                                         "rank",
                                         "sets",
                                         "conditions",
                                         "preemptor",
                                         "schedBeginTime",
                                         "schedEndTime",
                                         "schedTotalTimeMilli",
                                         "schedSolverTimeMilli",
                                         "delayed-deletion"};
#define COUNT(array) (sizeof array / sizeof *(array))

/* Unknown keys are kept and have no effect. A key that is nearly a known one is a mistake. */
static void check_keys(struct skr_lint *lint, const struct lint_object *o,
                       const struct skr_labels *data, const char *const *known, size_t n)
{
    char path[512];
    for (size_t i = 0; i < data->n; i++) {
        const char *key = data->item[i].key;
        const char *near = skr_suggest(key, known, n);
        (void)snprintf(path, sizeof path, "data.%.300s", key);
        if (!near) {
            lint_tell(lint, o, "ForeignKey", lint_at(o, path), NULL, "key %.64s means nothing here",
                      key);
        } else if (strcmp(near, key) != 0 && !skr_labels_get(data, near)) {
            lint_tell(lint, o, "MisspeltKey", lint_at(o, path), NULL,
                      "key %.64s means nothing (did you mean %s?)", key, near);
        }
    }
}

/* ---- topology ---- */

static void check_topology_place(struct skr_lint *lint, const struct lint_object *o)
{
    const char *namespace_ = lint->config->settings.topology_namespace;
    if (lint->config_object && strcmp(o->namespace_, namespace_) != 0) {
        const struct lint_place see = lint_at(lint->config_object, "topologyConfigMapNameSpace");
        lint_tell(lint, o, "TopologyNamespace", lint_at(o, "metadata.namespace"), &see,
                  "a topology map in namespace %.64s is not read, the configuration says %s",
                  o->namespace_, namespace_);
    }
    for (size_t i = 0; i < lint->n_trees; i++) {
        if (strcmp(lint->tree[i].object->namespace_, o->namespace_) == 0) {
            const struct lint_place see = lint_at(lint->tree[i].object, "metadata.name");
            lint_tell(lint, o, "DuplicateTopology", lint_at(o, "metadata.name"), &see,
                      "another topology map: the older one is in force, the other waits");
            return;
        }
    }
}

/* ---- trees of labels ---- */

struct nodes {
    struct skr_node **node;
    size_t n;
};

static struct nodes read_nodes(const struct skr_lint *lint)
{
    struct nodes nodes = {skr_alloc_array(lint->n_objects + 1, sizeof *nodes.node), 0};
    for (size_t i = 0; i < lint->n_objects; i++) {
        if (strcmp(lint->object[i]->kind, "Node") == 0 &&
            skr_node_decode(lint->object[i]->json, &nodes.node[nodes.n], NULL) == 0) {
            nodes.n++;
        }
    }
    return nodes;
}

static void free_nodes(struct nodes *nodes)
{
    while (nodes->n > 0) {
        skr_node_destroy(nodes->node[--nodes->n]);
    }
    free(nodes->node);
}

static const struct lint_object *find_node(const struct skr_lint *lint, const char *name)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        const struct lint_object *o = lint->object[i];
        if (strcmp(o->kind, "Node") == 0 && strcmp(o->name, name) == 0) {
            return o;
        }
    }
    return NULL;
}

struct oddities {
    struct skr_lint *lint;
    const struct skr_label_findings *findings;
    const struct lint_object *source; /* the map, or the configuration; NULL: none */
    const char *path;                 /* in it */
    size_t level;                     /* of the last LabelMissing */
};

static void tell_oddity(void *context, const char *type, const char *text)
{
    struct oddities *o = context;
    const struct lint_object *node = NULL;
    if (strcmp(type, SKR_TOPOLOGY_LABEL_MISSING) == 0) {
        while (o->findings->n_missing[o->level] == 0) {
            o->level++;
        }
        node = find_node(o->lint, o->findings->first_missing[o->level++]);
    }
    if (node) {
        lint_tell(o->lint, node, type, lint_at(node, "metadata.labels"), NULL, "%s", text);
    } else if (o->source) {
        lint_tell(o->lint, o->source, type, lint_at(o->source, o->path), NULL, "%s", text);
    }
}

/* The tree that the files' nodes make, with what is odd about it. NULL: too large. */
static struct skr_tree *derive(struct skr_lint *lint, const struct skr_label_source *source,
                               const struct lint_object *at, const char *path)
{
    SKR_AUTO_FREE struct skr_label_findings *findings = skr_alloc(sizeof *findings);
    struct oddities oddities = {lint, findings, at, path, 0};
    struct nodes nodes = read_nodes(lint);
    struct skr_slices slices = {0};
    for (size_t i = 0; i < lint->n_objects; i++) {
        skr_slices_add(&slices, lint->object[i]->json);
    }
    const struct skr_label_source with = skr_slices_source(&slices, source);
    struct skr_tree *tree = NULL;
    (void)skr_topology_derive((const struct skr_node *const *)nodes.node, nodes.n, &with, &tree,
                              findings, NULL);
    skr_slices_fini(&slices);
    skr_label_findings_each(findings, tell_oddity, &oddities);
    free_nodes(&nodes);
    return tree;
}

static void add_tree(struct skr_lint *lint, const struct lint_object *o, struct skr_tree *tree)
{
    skr_grow(&lint->tree, &lint->cap_trees, lint->n_trees + 1, sizeof *lint->tree);
    lint->tree[lint->n_trees++] = (struct lint_tree){o, tree};
}

/* A map with the key levels: its level names count, whatever nodes the files have. */
static void check_map_levels(struct skr_lint *lint, const struct lint_object *o,
                             const struct skr_labels *data)
{
    SKR_AUTO(skr_map_levels_destroy) struct skr_map_levels *levels = NULL;
    struct skr_tree *tree = NULL;
    if (skr_map_levels_parse(data, &levels, NULL) == 0 && levels) {
        tree = derive(lint, &levels->source, o, "data.levels");
    }
    if (tree) {
        add_tree(lint, o, tree);
    }
}

static void check_topology(struct skr_lint *lint, const struct lint_object *o,
                           const struct skr_labels *data)
{
    struct lint_receiver receiver;
    struct skr_tree *tree = NULL;
    struct skr_error error;
    lint_receive(&receiver, lint, o, "data");
    const int rc = skr_topology_map_check(data, &receiver.defects, &tree, NULL, &error);
    check_keys(lint, o, data, topology_keys, COUNT(topology_keys));
    check_topology_place(lint, o);
    if (rc < 0) {
        return;
    }
    if (tree) {
        add_tree(lint, o, tree);
    } else {
        check_map_levels(lint, o, data);
    }
}

/* ---- groups ---- */

struct lint_group *lint_find_group(struct skr_lint *lint, const char *namespace_, const char *name)
{
    struct lint_group_name *found;
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    HASH_FIND_STR(lint->group_name, key, found);
    return found ? &lint->group[found->index] : NULL;
}

void lint_forget_groups(struct skr_lint *lint)
{
    struct lint_group_name *name, *next;
    HASH_ITER(hh, lint->group_name, name, next)
    {
        HASH_DEL(lint->group_name, name);
        free(name->key);
        free(name);
    }
}

static void add_group(struct skr_lint *lint, const struct lint_object *o, const char *size_path,
                      struct skr_group_spec *spec)
{
    struct lint_group_name *name = skr_alloc(sizeof *name);
    name->key = skr_object_key(o->namespace_, spec->name);
    name->index = lint->n_groups;
    HASH_ADD_KEYPTR(hh, lint->group_name, name->key, strlen(name->key), name);
    skr_grow(&lint->group, &lint->cap_groups, lint->n_groups + 1, sizeof *lint->group);
    lint->group[lint->n_groups++] =
        (struct lint_group){.object = o, .size_path = size_path, .spec = spec};
}

static void check_seat_hold(struct skr_lint *lint, const struct lint_object *o,
                            const struct skr_group_spec *spec)
{
    const skr_time most = lint->config->settings.seat_hold_max;
    char text[SKR_DURATION_TEXT_MAX];
    if (spec->seat_hold == SKR_TIME_NEVER || spec->seat_hold <= most) {
        return;
    }
    struct lint_place see = {0};
    if (lint->config_object) {
        see = lint_at(lint->config_object, "seatHoldMax");
    }
    skr_duration_write(most, text, sizeof text);
    lint_tell(lint, o, "SeatHoldTooLong", lint_at(o, "data.seat-hold"),
              lint->config_object ? &see : NULL,
              "seat-hold is more than seatHoldMax: seats are held for %s", text);
}

/* A map without data.name has that of its metadata. */
static bool name_group(struct skr_lint *lint, const struct lint_object *o,
                       const struct skr_labels *data, struct skr_group_spec *spec)
{
    struct skr_error error;
    const char *name = skr_group_map_name(data, o->name, &error);
    if (!name) {
        lint_tell(lint, o, "InvalidName", lint_at(o, "metadata.name"), NULL, "%s", error.text);
        return false;
    }
    spec->name = skr_arena_strdup(spec->arena, name);
    return spec->name;
}

static void check_group(struct skr_lint *lint, const struct lint_object *o,
                        const struct skr_labels *data)
{
    struct lint_receiver receiver;
    struct skr_group_spec *spec = NULL;
    struct skr_error error;
    lint_receive(&receiver, lint, o, "data");
    const int rc = skr_group_spec_check(data, &receiver.defects, &spec, &error);
    check_keys(lint, o, data, group_keys, COUNT(group_keys));
    if (rc < 0) {
        return;
    }
    if (!name_group(lint, o, data, spec)) {
        skr_group_spec_destroy(spec);
        return;
    }
    check_seat_hold(lint, o, spec);
    const struct lint_group *other = lint_find_group(lint, o->namespace_, spec->name);
    if (other) {
        const struct lint_place see = lint_at(other->object, "data.name");
        lint_tell(lint, o, "DuplicateGroup", lint_at(o, "data.name"), &see,
                  "group \"%s\" twice in namespace %.64s: the older map defines it", spec->name,
                  o->namespace_);
        skr_group_spec_destroy(spec);
        return;
    }
    add_group(lint, o, "data.size", spec);
}

/* A map that looks like a topology or a group, without its label. */
static void check_unmarked(struct skr_lint *lint, const struct lint_object *o,
                           const struct skr_labels *labels, const struct skr_labels *data)
{
    const bool tree = skr_labels_get(data, "tree") && (skr_labels_get(data, "level-names") ||
                                                       skr_labels_get(data, "resource-names"));
    const bool group = skr_labels_get(data, "constraints") && skr_labels_get(data, "size");
    const char *off = tree ? SKR_TOPOLOGY_LABEL SKR_LINT_EXAMPLE : SKR_GROUP_LABEL SKR_LINT_EXAMPLE;
    if ((tree || group) && !skr_labels_get(labels, off)) {
        lint_tell(lint, o, "MissingLabel", lint_at(o, "metadata"), NULL,
                  "this looks like a %s map, but has no label %s: it is not read",
                  tree ? "topology" : "group", tree ? SKR_TOPOLOGY_LABEL : SKR_GROUP_LABEL);
    }
}

static void check_map(struct skr_lint *lint, const struct lint_object *o)
{
    struct skr_configmap *map = NULL;
    struct skr_error error;
    if (skr_configmap_decode(o->json, &map, &error) < 0) {
        return; /* reported by the check of fields */
    }
    const bool topology = skr_labels_get(&map->meta.labels, SKR_TOPOLOGY_LABEL);
    const bool group = skr_labels_get(&map->meta.labels, SKR_GROUP_LABEL);
    lint_labels(lint, o, "metadata.labels", false);
    if (topology && group) {
        lint_tell(lint, o, "TwoLabels", lint_at(o, "metadata.labels"), NULL,
                  "%s and %s: one map is one thing", SKR_TOPOLOGY_LABEL, SKR_GROUP_LABEL);
    } else if (topology) { /* not both: each would wonder at the other's keys */
        check_topology(lint, o, &map->data);
    } else if (group) {
        check_group(lint, o, &map->data);
    } else {
        check_unmarked(lint, o, &map->meta.labels, &map->data);
    }
    skr_configmap_destroy(map);
}

/* Natives have names of their own among groups, as in the engine. */
static void check_podgroup(struct skr_lint *lint, const struct lint_object *o, bool native)
{
    struct skr_podgroup *pg = NULL;
    struct skr_group_spec *spec = NULL;
    struct skr_error error;
    SKR_STRBUF(name);
    if ((native ? skr_podgroup_v1beta1_decode(o->json, &pg, &error)
                : skr_podgroup_decode(o->json, &pg, &error)) < 0) {
        return;
    }
    skr_strbuf_addf(&name, "%s%s", native ? SKR_NATIVE_PREFIX : "", pg->meta.name);
    if (pg->basic) { /* its pods are no group */
        skr_podgroup_destroy(pg);
        return;
    }
    if (skr_group_spec_from_podgroup(pg, 0, NULL, &spec, &error) < 0) {
        lint_tell_error(lint, o, "InvalidNumber", &error);
    } else if (lint_find_group(lint, o->namespace_, name.s)) {
        skr_group_spec_destroy(spec); /* a group map of that name goes before it */
    } else {
        spec->name = skr_arena_strdup(spec->arena, name.s);
        add_group(lint, o, native ? "spec.schedulingPolicy.gang.minCount" : "spec.minMember", spec);
    }
    skr_podgroup_destroy(pg);
}

/* Without a topology map: the option topology, or the rack labels of the files' nodes. */
static void check_nodes(struct skr_lint *lint)
{
    const struct skr_label_source source = {.levels = lint->config->settings.label_levels};
    struct skr_tree *tree =
        derive(lint, &source, source.levels ? lint->config_object : NULL, "topology");
    if (source.levels && lint->config_object && tree) {
        add_tree(lint, lint->config_object, tree);
    } else {
        skr_tree_unref(tree);
    }
}

void lint_maps(struct skr_lint *lint)
{
    bool has_topology = false;
    for (size_t i = 0; i < lint->n_objects; i++) {
        if (strcmp(lint->object[i]->kind, "ConfigMap") == 0) {
            has_topology =
                has_topology || skr_path_label(lint->object[i]->json, SKR_TOPOLOGY_LABEL);
            check_map(lint, lint->object[i]);
        } else if (strcmp(lint->object[i]->kind, "Node") == 0) {
            lint_labels(lint, lint->object[i], "metadata.labels", false);
        }
    }
    for (size_t i = 0; i < lint->n_objects; i++) {
        if (lint_is_kind(lint->object[i], "scheduling.x-k8s.io", "PodGroup")) {
            check_podgroup(lint, lint->object[i], false);
        } else if (lint_is_kind(lint->object[i], "scheduling.k8s.io", "PodGroup")) {
            check_podgroup(lint, lint->object[i], true);
        }
    }
    if (!has_topology) {
        check_nodes(lint);
    }
}

/* ---- levels ---- */

static bool is_level(const struct skr_lint *lint, const char *name)
{
    for (size_t i = 0; i < lint->n_trees; i++) {
        if (skr_tree_find_level(lint->tree[i].tree, name) > 0) {
            return true;
        }
    }
    return false;
}

/* The key whose value begins there, or that place. */
static struct skr_position position_of_key(const char *text, struct skr_position at)
{
    struct skr_position key, value;
    for (size_t n = 0; skr_json_find_key(text, n, &key, &value); n++) {
        if (value.line == at.line && value.column == at.column) {
            return key;
        }
    }
    return at;
}

static const char *suggest_level(const struct skr_tree *tree, const char *level)
{
    return skr_suggest(level, &tree->level_name[1], (size_t)tree->n_levels);
}

static const char *constraints_of(const struct lint_group *g)
{
    return skr_object_text(json_object_get(g->object->json, "data"), "constraints");
}

static const char *path_of_levels(const struct lint_object *o)
{
    const json_t *data = json_object_get(o->json, "data");
    return strcmp(o->kind, "ConfigMap") != 0      ? "topology"
           : json_object_get(data, "level-names") ? "data.level-names"
                                                  : "data.levels";
}

/* at_level: of the level's name, in the text of the constraints. */
static void tell_level(struct skr_lint *lint, const struct lint_group *g, const char *level,
                       struct skr_position at_level, bool hard)
{
    size_t t = 0;
    while (t < lint->n_trees && !suggest_level(lint->tree[t].tree, level)) {
        t++;
    }
    t = t < lint->n_trees ? t : 0;
    const struct skr_tree *tree = lint->tree[t].tree;
    const char *text = constraints_of(g);
    const char *near = suggest_level(tree, level);
    SKR_STRBUF(levels);
    const struct lint_place at = lint_inside(g->object, "data.constraints", text, at_level);
    const struct lint_place see =
        lint_at(lint->tree[t].object, path_of_levels(lint->tree[t].object));
    for (int32_t l = 1; l <= tree->n_levels; l++) {
        skr_strbuf_addf(&levels, "%s%s", l > 1 ? ", " : "", tree->level_name[l]);
    }
    lint_tell(lint, g->object, hard ? "UnknownHardLevel" : "UnknownLevel", at, &see,
              "constraints: no level \"%.64s\"%s%s%s; the tree has %.150s", level,
              near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "", levels.s);
}

/* Of a group map or of a PodGroup. */
static struct lint_place within_place(const struct lint_group *g)
{
    const bool map = strcmp(g->object->kind, "ConfigMap") == 0;
    return lint_at(g->object, map ? "data.within" : "metadata.annotations");
}

/* `within` against the trees of the files: a defect on all of them is one. */
static void check_within(struct skr_lint *lint, const struct lint_group *g)
{
    SKR_STRBUF(why);
    const bool known = is_level(lint, g->spec->within);
    bool fits = false;
    for (size_t t = 0; !fits && t < lint->n_trees; t++) {
        skr_strbuf_reset(&why);
        fits = (!known || skr_tree_find_level(lint->tree[t].tree, g->spec->within) > 0) &&
               !skr_group_misfit(g->spec, lint->tree[t].tree, &why);
    }
    if (!fits && why.s && strncmp(why.s, "within: ", strlen("within: ")) == 0) {
        lint_tell(lint, g->object, known ? "WithinConflict" : "UnknownHardLevel", within_place(g),
                  NULL, "%s", why.s);
    }
}

static void check_rules(struct skr_lint *lint, const struct lint_group *g,
                        const struct skr_level_rule *rule, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_level(lint, rule[i].level)) {
            tell_level(lint, g, rule[i].level, position_of_key(constraints_of(g), rule[i].at),
                       rule[i].rule.hard);
        }
    }
}

static void check_sets(struct skr_lint *lint, const struct lint_group *g)
{
    for (size_t k = 0; k < g->spec->n_sets; k++) {
        const struct skr_group_set *set = &g->spec->set[k];
        if (!is_level(lint, set->level)) {
            tell_level(lint, g, set->level, set->level_at, true);
        }
    }
}

/* A hard pack that says something else than without the levels above it, on every tree. */
static void check_split(struct skr_lint *lint, const struct lint_group *g)
{
    SKR_STRBUF(text);
    struct skr_position at = {1, 1};
    for (size_t t = 0; t < lint->n_trees; t++) {
        skr_strbuf_reset(&text);
        if (!skr_group_say_split(g->spec, lint->tree[t].tree, &text)) {
            return;
        }
    }
    const char *rest = text.s + strlen("constraints: ");
    if (sscanf(rest, "%zu:%zu: ", &at.line, &at.column) == 2) {
        rest = strchr(rest, ' ') + 1;
    }
    lint_tell(lint, g->object, "SplitRule",
              lint_inside(g->object, "data.constraints", constraints_of(g), at), NULL,
              "constraints: %s", rest);
}

void lint_levels(struct skr_lint *lint)
{
    for (size_t i = 0; lint->n_trees > 0 && i < lint->n_groups; i++) {
        const struct lint_group *g = &lint->group[i];
        check_rules(lint, g, g->spec->rule, g->spec->n_rules);
        for (size_t k = 0; k < g->spec->n_role_rules; k++) {
            check_rules(lint, g, g->spec->role_rules[k].rule, g->spec->role_rules[k].n_rules);
        }
        check_sets(lint, g);
        check_split(lint, g);
        if (g->spec->within) {
            check_within(lint, g);
        }
    }
}
