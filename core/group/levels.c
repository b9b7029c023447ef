/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels that a group names and the tree does not have: those of rules of the group, of rules of a
 * role, and of sets. A hard rule or a set kind refuses the group, any other rule is ignored.
 */
#include "core/group/group.h"
#include "core/group/lint.h"
#include "topology/base/suggest.h"

struct levels_walk {
    const struct skr_tree *tree;
    bool hard; /* wanted: of hard rules and sets; else of other rules */
    void (*each)(void *context, const struct skr_named_level *level);
    void *context;
    size_t n;
};

static void meet(struct levels_walk *walk, const char *name, struct skr_position at, bool hard)
{
    if (hard == walk->hard && skr_tree_find_level(walk->tree, name) <= 0) {
        walk->n++;
        walk->each(walk->context, &(const struct skr_named_level){name, at});
    }
}

static void meet_rules(struct levels_walk *walk, const struct skr_level_rule *rule, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        meet(walk, rule[i].level, rule[i].at, rule[i].rule.hard);
    }
}

static void walk_levels(const struct skr_group_spec *spec, struct levels_walk *walk)
{
    meet_rules(walk, spec->rule, spec->n_rules);
    for (size_t i = 0; i < spec->n_role_rules; i++) {
        meet_rules(walk, spec->role_rules[i].rule, spec->role_rules[i].n_rules);
    }
    for (size_t i = 0; i < spec->n_sets; i++) {
        meet(walk, spec->set[i].level, spec->set[i].level_at, true);
    }
}

static void keep_first(void *context, const struct skr_named_level *level)
{
    struct skr_named_level *first = context;
    if (!first->name) {
        *first = *level;
    }
}

bool skr_group_hard_unknown(const struct skr_group_spec *spec, const struct skr_tree *tree,
                            struct skr_named_level *ret)
{
    struct skr_named_level first = {.name = NULL};
    struct levels_walk walk = {.tree = tree, .hard = true, .each = keep_first, .context = &first};
    walk_levels(spec, &walk);
    if (walk.n > 0) {
        *ret = first;
    }
    return walk.n > 0;
}

void skr_group_each_unknown(const struct skr_group_spec *spec, const struct skr_tree *tree,
                            void (*each)(void *context, const struct skr_named_level *level),
                            void *context)
{
    struct levels_walk walk = {.tree = tree, .hard = false, .each = each, .context = context};
    walk_levels(spec, &walk);
}

void skr_group_say_no_level(const char *level, const struct skr_tree *tree, struct skr_strbuf *b)
{
    char quoted[SKR_QUOTE_MAX];
    const char *near =
        skr_suggest(level, (const char *const *)&tree->level_name[1], (size_t)tree->n_levels);
    skr_group_quote(level, quoted);
    skr_strbuf_addf(b, "no level \"%s\"", quoted);
    if (near) {
        skr_strbuf_addf(b, " (did you mean \"%s\"?)", near);
    }
    skr_strbuf_add(b, "; the tree has");
    for (int32_t l = 1; l <= tree->n_levels; l++) {
        skr_strbuf_addf(b, "%s %s", l > 1 ? "," : "", tree->level_name[l]);
    }
}

void skr_group_say_unknown(const struct skr_group_spec *spec, const struct skr_named_level *level,
                           const struct skr_tree *tree, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "%s: ", spec->constraints_key);
    if (level->at.line > 0) {
        skr_strbuf_addf(b, "%zu:%zu: ", level->at.line, level->at.column);
    }
    skr_group_say_no_level(level->name, tree, b);
}
