/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The topology ConfigMap. The first byte says which keys are there (bits: tree, level-names,
 * resource-names, name), the parts that follow are their values. A map that is taken gives a tree
 * that is sound, and the same tree when that is written and read again.
 */
#include "test/fuzz/fuzz.h"
#include "topology/base/strbuf.h"
#include "topology/topology_map.h"

enum { KEYS = 5 };

static void check_units(const struct skr_tree *t)
{
    for (int32_t u = 0; u < t->n_units; u++) {
        int32_t level = skr_tree_level_of(t, u);
        size_t len = strlen(t->unit_name[u]);
        fuzz_check(u >= t->level_first[level] && u < t->level_first[level + 1]);
        fuzz_check((u == 0) == (t->parent[u] == -1));
        fuzz_check(u == 0 || (len > 0 && len <= SKR_UNIT_NAME_MAX));
        if (u == 0) {
            continue;
        }
        int32_t p = t->parent[u];
        fuzz_check(p >= 0 && p < u && skr_tree_level_of(t, p) == level - 1);
        fuzz_check(u >= t->child_first[p] && u < t->child_first[p] + t->child_count[p]);
    }
    for (int32_t u = 0; u < t->first_leaf; u++) {
        fuzz_check(t->child_count[u] > 0);
    }
}

static void check_tree(const struct skr_tree *t)
{
    fuzz_check(t->n_levels >= 1 && t->n_levels <= SKR_LEVELS_MAX);
    fuzz_check(t->n_leaves >= 1 && t->n_leaves <= SKR_LEAVES_MAX && t->n_units <= SKR_UNITS_MAX);
    fuzz_check(t->first_leaf == t->n_units - t->n_leaves);
    fuzz_check(t->level_first[t->n_levels] == t->first_leaf);
    fuzz_check(t->level_first[t->n_levels + 1] == t->n_units);
    check_units(t);
    for (int32_t l = 1; l <= t->n_levels; l++) {
        fuzz_check(skr_tree_find_level(t, t->level_name[l]) == l);
    }
    for (int32_t i = 0; i < t->n_leaves; i++) {
        fuzz_check(skr_tree_find_leaf(t, t->unit_name[t->first_leaf + i]) == i);
        int32_t d = skr_tree_distance(t, 0, i);
        fuzz_check(d == skr_tree_distance(t, i, 0) && d >= (i ? 4 : 2) && d <= 2 * t->n_levels + 2);
    }
}

/* ---- written again ---- */

static void write_names(struct skr_strbuf *b, const char *const *name, size_t n)
{
    skr_strbuf_addc(b, '[');
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_add(b, i ? "," : "");
        skr_strbuf_add_json(b, name[i]);
    }
    skr_strbuf_addc(b, ']');
}

static void write_unit(struct skr_strbuf *b, const struct skr_tree *t, int32_t unit)
{
    skr_strbuf_addc(b, '{');
    int32_t n = unit >= t->first_leaf ? 0 : t->child_count[unit];
    for (int32_t i = 0; i < n; i++) {
        int32_t child = t->child_first[unit] + i;
        skr_strbuf_add(b, i ? "," : "");
        skr_strbuf_add_json(b, t->unit_name[child]);
        skr_strbuf_addc(b, ':');
        write_unit(b, t, child); /* as deep as the tree: SKR_LEVELS_MAX */
    }
    skr_strbuf_addc(b, '}');
}

static void check_again(const struct skr_tree *t)
{
    SKR_STRBUF(levels);
    SKR_STRBUF(resources);
    SKR_STRBUF(tree);
    SKR_AUTO(skr_tree_unref) struct skr_tree *again = NULL;
    struct skr_topology_warnings warnings;
    struct skr_error error;
    write_names(&levels, t->level_name + 1, (size_t)t->n_levels);
    write_names(&resources, t->resource_name, t->n_resource_names);
    write_unit(&tree, t, 0);
    struct skr_label item[] = {{"level-names", levels.s},
                               {"name", t->name},
                               {"resource-names", resources.s},
                               {"tree", tree.s}};
    struct skr_labels data = {sizeof item / sizeof *item, item};
    fuzz_check(skr_topology_map_parse(&data, &again, &warnings, &error) == 0);
    fuzz_check(warnings.n_uneven == 0 && skr_tree_equal(t, again) && skr_tree_equal(again, t));
}

/* Every refusal names its key; what is inside a value, also where. */
static void check_error(const char *text)
{
    static const char *const key[KEYS] = {
        "tree: ", "level-names: ", "resource-names: ", "name: ", "levels: "};
    bool named = false;
    for (size_t i = 0; i < KEYS; i++) {
        named = named || strncmp(text, key[i], strlen(key[i])) == 0;
    }
    fuzz_check(named);
    fuzz_check(fuzz_has_position(text) || strstr(text, "missing") || strstr(text, "is empty") ||
               strstr(text, "limit") || strstr(text, "beside levels"));
}

/* Levels that were read make a tree of any nodes. */
static void check_levels(const struct skr_labels *labels)
{
    SKR_AUTO(skr_map_levels_destroy) struct skr_map_levels *levels = NULL;
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL;
    struct skr_error error;
    struct skr_label_findings *findings = skr_alloc(sizeof *findings);
    fuzz_check(skr_map_levels_parse(labels, &levels, &error) == 0 && levels);
    struct skr_label item = {levels->levels.level[0].label[0], "x.y"};
    struct skr_node some = {.meta = {.name = "n1", .labels = {1, &item}}};
    struct skr_node bare = {.meta = {.name = "n2"}};
    const struct skr_node *const nodes[] = {&some, &bare};
    fuzz_check(skr_topology_derive(nodes, 2, &levels->source, &tree, findings, &error) == 0);
    fuzz_check((size_t)tree->n_leaves + findings->n_left_out == 2);
    free(findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        const char *key;
        size_t part;
    } sorted[KEYS] = {
        {"level-names", 1}, {"levels", 4}, {"name", 3}, {"resource-names", 2}, {"tree", 0}};
    struct skr_label item[KEYS];
    struct skr_labels labels = {0, item};
    char *part[KEYS];
    struct skr_tree *tree = NULL;
    struct skr_topology_warnings warnings;
    struct skr_error error;
    if (size == 0) {
        return 0;
    }
    SKR_AUTO_FREE char *text = fuzz_text(data + 1, size - 1);
    size_t n = fuzz_split(text, part, KEYS);
    for (size_t i = 0; i < KEYS; i++) {
        if (sorted[i].part < n && (data[0] >> sorted[i].part & 1)) {
            item[labels.n++] = (struct skr_label){sorted[i].key, part[sorted[i].part]};
        }
    }
    int rc = skr_topology_map_parse(&labels, &tree, &warnings, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0 && !tree) {
        check_levels(&labels);
    } else if (rc == 0) {
        fuzz_check((warnings.n_uneven == 0) == (warnings.first_uneven[0] == '\0'));
        check_tree(tree);
        check_again(tree);
        skr_tree_unref(tree);
    } else {
        fuzz_check(!tree);
        check_error(error.text);
    }
    return 0;
}
