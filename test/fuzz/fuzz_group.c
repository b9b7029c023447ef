/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users ask for: a group ConfigMap, or the labels of a pod. The first byte says which, and
 * which keys are there. A map has the parts name, size, priority, constraints, roles; labels are
 * parts
 * "KEY=VALUE" without the prefix sakkara.group. of their keys. What is taken is within its limits,
 * the same when written as a map and read again, and a problem the solver can answer.
 */
#include "core/group/group.h"
#include "test/fuzz/fuzz.h"
#include "topology/topology_map.h"

enum { FROM_LABELS = 128, KEYS = 5, LABELS_MAX = 80, SOLVED_MAX = 64 };

static const struct skr_tree *some_tree(void)
{
    struct skr_label item[] = {
        {"level-names", "[\"zone\",\"rack\",\"node\"]"},
        {"tree", "{\"z0\":{\"r0\":{\"n0\":{},\"n1\":{}},\"r1\":{\"n2\":{},\"n3\":{},\"n4\":{}}},"
                 "\"z1\":{\"r2\":{\"n5\":{},\"n6\":{}}}}"}};
    struct skr_labels data = {2, item};
    struct skr_tree *tree = NULL;
    struct skr_error error;
    fuzz_check(skr_topology_map_parse(&data, &tree, NULL, &error) == 0);
    return tree;
}

static void check_rule(const struct skr_rule *r)
{
    fuzz_check(r->type == SKR_RULE_PACK || r->type == SKR_RULE_SPREAD);
    fuzz_check(r->partitions >= 0 && r->min >= 0 && r->max >= 0 && r->factor >= 0);
    fuzz_check(r->min == 0 || r->max == 0 || r->min <= r->max);
}

static void check_roles(const struct skr_group_spec *spec)
{
    int64_t sum = 0;
    for (size_t r = 0; r < spec->n_roles; r++) {
        fuzz_check(spec->role[r].size >= 1 && spec->role[r].minimum >= 1);
        fuzz_check(spec->role[r].minimum <= spec->role[r].size);
        fuzz_check(skr_group_role_find(spec, spec->role[r].name) == r);
        sum += spec->role[r].size;
    }
    fuzz_check(spec->n_roles <= SKR_ROLES_MAX && spec->n_role_rules <= SKR_ROLES_MAX);
    fuzz_check(spec->n_roles == 0 || sum == spec->size);
    fuzz_check(spec->n_sets <= SKR_SET_KINDS_MAX);
    fuzz_check(spec->n_roles == 0 ||
               skr_group_roles_check(spec, spec->role, spec->n_roles, NULL) == 0);
    for (size_t i = 0; i < spec->n_role_rules; i++) {
        for (size_t k = 0; k < spec->role_rules[i].n_rules; k++) {
            check_rule(&spec->role_rules[i].rule[k].rule);
        }
    }
    for (size_t k = 0; k < spec->n_sets; k++) {
        fuzz_check(spec->set[k].n_parts >= 1 && spec->set[k].n_parts <= SKR_ROLES_MAX);
        for (size_t i = 0; i < spec->set[k].n_parts; i++) {
            fuzz_check(spec->set[k].part[i].each >= 1);
            fuzz_check(skr_group_set_of(spec, spec->set[k].part[i].role) == k);
        }
    }
}

static void check_spec(const struct skr_group_spec *spec)
{
    fuzz_check(spec->size >= 1 && spec->size <= SKR_GROUP_SIZE_MAX);
    fuzz_check(spec->n_rules <= SKR_GROUP_RULES_MAX && spec->n_warnings <= SKR_GROUP_LINT_MAX);
    for (size_t i = 0; i < spec->n_rules; i++) {
        check_rule(&spec->rule[i].rule);
        for (size_t k = 0; k < i; k++) {
            fuzz_check(strcmp(spec->rule[i].level, spec->rule[k].level) != 0);
        }
    }
    check_roles(spec);
    for (size_t i = 0; i < spec->n_warnings; i++) {
        size_t len = strlen(spec->warning[i]);
        fuzz_check(len > 0 && len < SKR_ERROR_TEXT_MAX);
        fuzz_check(strncmp(spec->warning[i], "label", 5) == 0 ||
                   strncmp(spec->warning[i], "more than", 9) == 0 ||
                   strncmp(spec->warning[i], "sakkara.group.", 14) == 0 ||
                   fuzz_has_position(spec->warning[i]));
    }
    fuzz_check(skr_group_spec_equal(spec, spec));
}

static void write_rule(struct skr_strbuf *b, const struct skr_level_rule *r, bool first)
{
    skr_strbuf_add(b, first ? "" : ",");
    skr_strbuf_add_json(b, r->level);
    skr_strbuf_addf(b, ":{\"type\":\"%s\",\"hard\":%s,\"partitions\":%d,\"min\":%d,\"max\":%d,",
                    r->rule.type == SKR_RULE_SPREAD ? "spread" : "pack",
                    r->rule.hard ? "true" : "false", (int)r->rule.partitions, (int)r->rule.min,
                    (int)r->rule.max);
    skr_strbuf_addf(b, "\"factor\":%d}", (int)r->rule.factor);
}

static void write_role_constraints(struct skr_strbuf *b, const struct skr_group_spec *spec)
{
    skr_strbuf_add(b, spec->n_rules > 0 ? ",\"roles\":{" : "\"roles\":{");
    for (size_t i = 0; i < spec->n_role_rules; i++) {
        skr_strbuf_add(b, i > 0 ? "," : "");
        skr_strbuf_add_json(b, spec->role_rules[i].role);
        skr_strbuf_add(b, ":{");
        for (size_t k = 0; k < spec->role_rules[i].n_rules; k++) {
            write_rule(b, &spec->role_rules[i].rule[k], k == 0);
        }
        skr_strbuf_addc(b, '}');
    }
    skr_strbuf_add(b, "},\"sets\":[");
    for (size_t k = 0; k < spec->n_sets; k++) {
        skr_strbuf_add(b, k > 0 ? ",{\"level\":" : "{\"level\":");
        skr_strbuf_add_json(b, spec->set[k].level);
        skr_strbuf_addf(b, ",\"exclusive\":%s,\"roles\":{",
                        spec->set[k].exclusive ? "true" : "false");
        for (size_t i = 0; i < spec->set[k].n_parts; i++) {
            skr_strbuf_add(b, i > 0 ? "," : "");
            skr_strbuf_add_json(b, spec->set[k].part[i].role);
            skr_strbuf_addf(b, ":%d", (int)spec->set[k].part[i].each);
        }
        skr_strbuf_add(b, "}}");
    }
    skr_strbuf_addc(b, ']');
}

static void write_roles(struct skr_strbuf *b, const struct skr_group_spec *spec)
{
    skr_strbuf_addc(b, '{');
    for (size_t r = 0; r < spec->n_roles; r++) {
        skr_strbuf_add(b, r > 0 ? "," : "");
        skr_strbuf_add_json(b, spec->role[r].name);
        skr_strbuf_addf(b, ":{\"size\":%d,\"minimum\":%d}", (int)spec->role[r].size,
                        (int)spec->role[r].minimum);
    }
    skr_strbuf_addc(b, '}');
}

static void check_again(const struct skr_group_spec *spec)
{
    char size[16], priority[16];
    SKR_STRBUF(b);
    SKR_STRBUF(roles);
    struct skr_group_spec *again = NULL;
    struct skr_error error;
    snprintf(size, sizeof size, "%d", (int)spec->size);
    snprintf(priority, sizeof priority, "%d", (int)spec->priority);
    skr_strbuf_addc(&b, '{');
    for (size_t i = 0; i < spec->n_rules; i++) {
        write_rule(&b, &spec->rule[i], i == 0);
    }
    if (spec->n_role_rules > 0 || spec->n_sets > 0) {
        write_role_constraints(&b, spec);
    }
    skr_strbuf_addc(&b, '}');
    write_roles(&roles, spec);
    struct skr_label item[KEYS] = {{"constraints", b.s}};
    struct skr_labels data = {1, item};
    if (spec->name[0]) { /* "": the map has its own */
        item[data.n++] = (struct skr_label){"name", spec->name};
    }
    item[data.n++] = (struct skr_label){"priority", priority};
    if (spec->n_roles > 0) {
        item[data.n++] = (struct skr_label){"roles", roles.s};
    }
    item[data.n++] = (struct skr_label){"size", size};
    int rc = skr_group_spec_parse(&data, &again, &error);
    if (b.len + roles.len <= SKR_GROUP_CONSTRAINTS_MAX) {
        fuzz_check(rc == 0 && skr_group_spec_equal(spec, again));
        check_spec(again);
    }
    skr_group_spec_destroy(rc == 0 ? again : NULL);
}

static void solve(const struct skr_tree *tree, const struct skr_rule *rule, int32_t n)
{
    int64_t free_[16];
    const int64_t demand = 1;
    SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = NULL;
    struct skr_error error;
    for (int32_t i = 0; i < tree->n_leaves; i++) {
        free_[i] = 3 + i * 4;
    }
    struct skr_problem problem = {.tree = tree,
                                  .n = n,
                                  .rule = rule,
                                  .n_resources = 1,
                                  .demand = &demand,
                                  .free = free_,
                                  .explain = true,
                                  .step_budget = -1};
    fuzz_check(skr_solve(&problem, &solution, &error) == 0);
    if (solution->status == SKR_SOLVE_PLACED) {
        fuzz_check(skr_solution_check(&problem, solution->count, &error) == 0);
    } else {
        fuzz_check(solution->status == SKR_SOLVE_INFEASIBLE && solution->explanation.class);
    }
}

static void check_rules(const struct skr_group_spec *spec)
{
    struct skr_rule rule[SKR_LEVELS_MAX];
    SKR_STRBUF(unknown);
    const struct skr_tree *tree = some_tree();
    size_t known = 0;
    size_t n_unknown = skr_group_rules(spec, NULL, tree, rule, NULL, &unknown);
    for (size_t i = 0; i < spec->n_rules; i++) {
        known += skr_tree_find_level(tree, spec->rule[i].level) > 0;
    }
    fuzz_check(n_unknown + known == spec->n_rules);
    fuzz_check(n_unknown < 2 || unknown.len > 0);
    for (int32_t l = 0; l < tree->n_levels; l++) {
        check_rule(&rule[l]);
    }
    if (spec->size <= SOLVED_MAX) {
        solve(tree, rule, spec->size);
    }
    skr_tree_unref(tree);
}

static int by_key(const void *a, const void *b)
{
    const struct skr_label *x = a, *y = b;
    return strcmp(x->key, y->key);
}

/* Sorted, each key once, as the decoders make them. */
static size_t make_labels(char **part, size_t n, struct skr_label *item)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        char *value = strchr(part[i], '=');
        if (!value) {
            continue;
        }
        *value++ = '\0';
        size_t len = strlen(part[i]) + sizeof "sakkara.group.";
        char *key = malloc(len);
        fuzz_check(key);
        snprintf(key, len, "sakkara.group.%s", part[i]);
        item[count++] = (struct skr_label){key, value};
    }
    if (count > 1) {
        qsort(item, count, sizeof *item, by_key);
    }
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && strcmp(item[kept - 1].key, item[i].key) == 0) {
            free((char *)(uintptr_t)item[i].key);
        } else {
            item[kept++] = item[i];
        }
    }
    return kept;
}

static int parse_labels(char **part, size_t n, struct skr_group_spec **ret, struct skr_error *error)
{
    struct skr_label item[LABELS_MAX];
    struct skr_labels labels = {make_labels(part, n, item), item};
    int rc = skr_group_spec_from_labels("group", &labels, 7, ret, error);
    for (size_t i = 0; i < labels.n; i++) {
        free((char *)(uintptr_t)item[i].key);
    }
    return rc;
}

static int parse_map(uint8_t which, char **part, size_t n, struct skr_group_spec **ret,
                     struct skr_error *error)
{
    static const struct {
        const char *key;
        size_t part;
    } sorted[KEYS] = {{"constraints", 3}, {"name", 0}, {"priority", 2}, {"roles", 4}, {"size", 1}};
    struct skr_label item[KEYS];
    struct skr_labels data = {0, item};
    for (size_t i = 0; i < KEYS; i++) {
        if (sorted[i].part < n && (which >> sorted[i].part & 1)) {
            item[data.n++] = (struct skr_label){sorted[i].key, part[sorted[i].part]};
        }
    }
    int rc = skr_group_spec_parse(&data, ret, error);
    fuzz_check(rc < 0 || (*ret)->name[0] == '\0' ||
               strcmp((*ret)->name, skr_group_map_name(&data, "map", NULL)) == 0);
    fuzz_check(rc == 0 || fuzz_has_position(error->text) || error->code == SKR_LIMIT);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *part[LABELS_MAX];
    struct skr_group_spec *spec = NULL;
    struct skr_error error;
    if (size == 0 || !fuzz_is_utf8((const char *)data + 1, size - 1)) {
        return 0; /* values come out of JSON */
    }
    SKR_AUTO_FREE char *text = fuzz_text(data + 1, size - 1);
    bool labels = (data[0] & FROM_LABELS) != 0;
    size_t n = fuzz_split(text, part, labels ? LABELS_MAX : KEYS);
    int rc =
        labels ? parse_labels(part, n, &spec, &error) : parse_map(data[0], part, n, &spec, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        check_spec(spec);
        check_again(spec);
        check_rules(spec);
        skr_group_spec_destroy(spec);
    } else {
        fuzz_check(!spec);
    }
    return 0;
}
