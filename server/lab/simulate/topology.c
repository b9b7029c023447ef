/* SPDX-License-Identifier: Apache-2.0 */
/* Parses maps as the engine does. Looks for a level in every map of any namespace, as lint does. */
#include "server/lab/simulate/topology.h"

#include <stdlib.h>
#include <string.h>

#include "server/manifest/scenario.h"
#include "server/object/path.h"
#include "server/object/slices.h"
#include "topology/base/arena.h"
#include "topology/base/suggest.h"
#include "topology/topology_map.h"

static bool is_map(const json_t *object)
{
    return strcmp(skr_path_text(object, "kind"), "ConfigMap") == 0 &&
           skr_path_label(object, SKR_TOPOLOGY_LABEL);
}

static const char *namespace_of(const json_t *object)
{
    const char *own = skr_path_text(object, "metadata.namespace");
    return own[0] ? own : "default";
}

/* *ret_levels: of a map with the key levels; else NULL. skr_map_levels_destroy() it. */
static int parse_map(const json_t *object, struct skr_tree **ret,
                     struct skr_map_levels **ret_levels, struct skr_error *error)
{
    struct skr_configmap *map = NULL;
    *ret = NULL;
    *ret_levels = NULL;
    int rc = skr_configmap_decode(object, &map, error);
    rc = rc < 0 ? rc : skr_topology_map_parse(&map->data, ret, NULL, error);
    rc = rc < 0 ? rc : skr_map_levels_parse(&map->data, ret_levels, error);
    skr_configmap_destroy(map);
    return rc;
}

/* ---- the derived tree ---- */

static bool is_node(const json_t *object)
{
    return strcmp(skr_path_text(object, "kind"), "Node") == 0;
}

/* The tree of the initial nodes and of those that steps create; NULL: too large. levels: of a map;
 * NULL: the option's. findings: NULL allowed. */
static struct skr_tree *derive(const struct skr_simulate_input *input,
                               const struct skr_map_levels *levels,
                               struct skr_label_findings *findings)
{
    const struct skr_label_source option = {.levels = input->label_levels};
    const size_t most = input->manifests.n + input->n_steps;
    SKR_AUTO_FREE struct skr_node **node = skr_alloc_array(most + 1, sizeof *node);
    struct skr_slices slices = {0};
    struct skr_tree *tree = NULL;
    size_t n = 0;
    for (size_t i = 0; i < most; i++) {
        const struct skr_simulate_step *step =
            i < input->manifests.n ? NULL : &input->step[i - input->manifests.n];
        const json_t *object = step ? step->body : input->manifests.item[i].object;
        if (step && step->kind != SKR_SIMULATE_CREATE) {
            continue;
        }
        if (is_node(object) && skr_node_decode(object, &node[n], NULL) == 0) {
            n++;
        }
        skr_slices_add(&slices, object);
    }
    const struct skr_label_source source =
        skr_slices_source(&slices, levels ? &levels->source : &option);
    (void)skr_topology_derive((const struct skr_node *const *)node, n, &source, &tree, findings,
                              NULL);
    skr_slices_fini(&slices);
    while (n > 0) {
        skr_node_destroy(node[--n]);
    }
    return tree;
}

static bool is_called(const json_t *object, const char *name)
{
    return is_node(object) && strcmp(skr_path_text(object, "metadata.name"), name) == 0;
}

/* The document with the node. */
static const struct skr_manifest *find_node(const struct skr_simulate_input *input,
                                            const char *name)
{
    for (size_t i = 0; i < input->manifests.n; i++) {
        if (is_called(input->manifests.item[i].object, name)) {
            return &input->manifests.item[i];
        }
    }
    for (size_t i = 0; i < input->n_steps; i++) {
        if (is_called(input->step[i].body, name)) {
            return input->step[i].where;
        }
    }
    return NULL;
}

struct notes {
    const struct skr_simulate_input *input;
    const struct skr_label_findings *findings;
    const struct skr_manifest *where; /* the map; NULL: the node that a warning is about */
    size_t level;                     /* of the last LabelMissing */
    struct skr_strbuf *out;
};

static void note_finding(void *context, const char *type, const char *text)
{
    struct notes *notes = context;
    const struct skr_manifest *m = notes->where;
    if (!m && strcmp(type, SKR_TOPOLOGY_LABEL_MISSING) == 0) {
        while (notes->findings->n_missing[notes->level] == 0) {
            notes->level++;
        }
        m = find_node(notes->input, notes->findings->first_missing[notes->level++]);
    }
    if (m) {
        skr_strbuf_addf(notes->out, "%s:%zu:%zu: ", m->file, m->line, m->column);
    }
    skr_strbuf_addf(notes->out, "warning: %s\n", text);
}

/* What is odd about the tree of labels. */
static void warn_of_nodes(const struct skr_simulate_input *input,
                          const struct skr_map_levels *levels, const struct skr_manifest *where,
                          struct skr_strbuf *out)
{
    SKR_AUTO_FREE struct skr_label_findings *findings = skr_alloc(sizeof *findings);
    struct notes notes = {.input = input, .findings = findings, .where = where, .out = out};
    skr_tree_unref(derive(input, levels, findings));
    skr_label_findings_each(findings, note_finding, &notes);
}

/* ---- maps in force ---- */

void skr_simulate_topology_warn(const struct skr_simulate_input *input, const char *namespace_,
                                struct skr_strbuf *notes)
{
    bool any = false;
    for (size_t i = 0; i < input->manifests.n; i++) {
        const struct skr_manifest *m = &input->manifests.item[i];
        struct skr_error error = {0};
        struct skr_tree *tree;
        struct skr_map_levels *levels;
        if (!is_map(m->object) || strcmp(namespace_of(m->object), namespace_) != 0) {
            continue;
        }
        any = true;
        if (parse_map(m->object, &tree, &levels, &error) < 0) {
            skr_strbuf_addf(notes, "%s:%zu:%zu: warning: topology map %s/%s is malformed: %s\n",
                            m->file, m->line, m->column, namespace_,
                            skr_path_text(m->object, "metadata.name"), error.text);
        } else if (levels) {
            warn_of_nodes(input, levels, m, notes);
        }
        skr_tree_unref(tree);
        skr_map_levels_destroy(levels);
    }
    if (!any) {
        warn_of_nodes(input, NULL, NULL, notes);
    }
}

const char *skr_simulate_topology_namespace(const struct skr_simulate_input *input,
                                            const char *usual, struct skr_strbuf *notes)
{
    const char *other = NULL;
    bool is_usual = false;
    for (size_t i = 0; i < input->manifests.n; i++) {
        const json_t *object = input->manifests.item[i].object;
        if (is_map(object)) {
            const char *namespace_ = skr_path_text(object, "metadata.namespace");
            is_usual = is_usual || !namespace_[0] || strcmp(namespace_, usual) == 0;
            other = !other || strcmp(namespace_, other) < 0 ? namespace_ : other;
        }
    }
    if (is_usual || !other) {
        other = usual;
    } else {
        skr_strbuf_addf(notes,
                        "note: the topology map is in namespace %s; a daemon reads it there with "
                        "topologyConfigMapNameSpace: %s\n",
                        other, other);
    }
    skr_simulate_topology_warn(input, other, notes);
    return other;
}

/* ---- levels ---- */

struct levels {
    const char *level;
    bool found;
    bool unknowable;
    size_t n_maps;
    struct skr_strbuf names; /* of the first tree */
    char near[SKR_SUGGEST_WORD_MAX + 1];
};

static void look_in(struct levels *l, const struct skr_tree *tree)
{
    const bool first = l->names.len == 0;
    l->found = l->found || skr_tree_find_level(tree, l->level) > 0;
    for (int32_t i = 1; first && i <= tree->n_levels; i++) {
        skr_strbuf_addf(&l->names, "%s%s", i > 1 ? ", " : "", tree->level_name[i]);
    }
    const char *near = skr_suggest(l->level, &tree->level_name[1], (size_t)tree->n_levels);
    if (near && !l->near[0] && strlen(near) < sizeof l->near) {
        memcpy(l->near, near, strlen(near) + 1);
    }
}

static void look_in_map(struct levels *l, const struct skr_simulate_input *input,
                        const json_t *object)
{
    struct skr_error error = {0};
    struct skr_tree *tree;
    SKR_AUTO(skr_map_levels_destroy) struct skr_map_levels *levels = NULL;
    l->n_maps++;
    if (parse_map(object, &tree, &levels, &error) == 0 && levels) {
        tree = derive(input, levels, NULL);
    }
    if (!tree) {
        l->unknowable = true;
        return;
    }
    look_in(l, tree);
    skr_tree_unref(tree);
}

static void look_in_scenario(struct levels *l, const json_t *object)
{
    SKR_AUTO_FREE char *text = json_dumps(object, 0);
    l->unknowable = l->unknowable || strstr(text, SKR_TOPOLOGY_LABEL) || strstr(text, "ConfigMap");
}

static void look_in_nodes(struct levels *l, const struct skr_simulate_input *input)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = derive(input, NULL, NULL);
    if (tree) {
        look_in(l, tree);
    } else {
        l->unknowable = true;
    }
}

bool skr_simulate_topology_has_level(const struct skr_simulate_input *input, const char *level,
                                     struct skr_strbuf *why)
{
    struct levels l = {.level = level};
    skr_strbuf_init(&l.names);
    for (size_t i = 0; i < input->manifests.n; i++) {
        const json_t *object = input->manifests.item[i].object;
        if (skr_scenario_is(object)) {
            look_in_scenario(&l, object);
        } else if (is_map(object)) {
            look_in_map(&l, input, object);
        }
    }
    if (l.n_maps == 0 && !l.unknowable) {
        look_in_nodes(&l, input);
    }
    const bool good = l.found || l.unknowable;
    if (!good) {
        skr_strbuf_addf(why, "no level \"%s\"%s%s%s; the tree has %s", level,
                        l.near[0] ? " (did you mean \"" : "", l.near, l.near[0] ? "\"?)" : "",
                        l.names.s ? l.names.s : "none");
    }
    skr_strbuf_fini(&l.names);
    return good;
}
