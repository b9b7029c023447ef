/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shorthand `within`: all members in one unit of a level. A rule of a level applies inside each
 * used unit of the level above, so the shorthand is a hard pack on the level and on all above it.
 * Here are also the reasons for which a tree refuses a group.
 *
 * The own rules of such a level are not dropped: either one unit with all members meets them, or the
 * group is malformed. Levels below are free.
 */
#include "core/group/group.h"
#include "core/group/lint.h"

/* Whether one unit with all members breaks the rule; *ret_what: the part that it breaks. */
static bool excludes_one_unit(const struct skr_rule *rule, int32_t size, const char **ret_what)
{
    if (rule->hard) {
        *ret_what = "hard spread";
        return rule->type == SKR_RULE_SPREAD && size > 1;
    }
    const struct {
        bool broken;
        const char *what;
    } parts[] = {{rule->partitions > 1, "partitions"},
                 {rule->min > size, "min"},
                 {rule->max > 0 && rule->max < size, "max"},
                 {rule->factor > 1 && size % rule->factor != 0, "factor"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].broken) {
            *ret_what = parts[i].what;
            return true;
        }
    }
    return false;
}

int skr_group_spec_set_within(struct skr_group_spec *spec, struct skr_subject about,
                              const char *level, struct skr_error *error)
{
    char quoted[SKR_QUOTE_MAX];
    const char *what;
    about.at = (struct skr_position){1, 1};
    skr_group_quote(level, quoted);
    if (skr_tree_check_name("level", level, NULL) < 0) {
        int rc = skr_error_set_at(error, SKR_INVALID, &about,
                                  "must be the name of a level, got \"%s\"", quoted);
        return skr_group_defect(spec, "InvalidName", rc, error);
    }
    spec->within = skr_arena_strdup(spec->arena, level);
    if (!spec->within) {
        return skr_group_no_room(error);
    }
    const struct skr_level_rule *own = skr_level_rule_find(spec->rule, spec->n_rules, level);
    if (own && excludes_one_unit(&own->rule, spec->size, &what)) {
        int rc = skr_error_set_at(error, SKR_INVALID, &about,
                                  "one %s for all %d members contradicts %s of level \"%s\" in "
                                  "constraints",
                                  quoted, (int)spec->size, what, quoted);
        return skr_group_defect(spec, "WithinConflict", rc, error);
    }
    if (own && !own->rule.hard && own->rule.type == SKR_RULE_SPREAD) {
        skr_group_warn(spec, "WithinVoidsSpread", about,
                       "one %s for all members voids spread of level \"%s\"", quoted, quoted);
    }
    return 0;
}

/* ---- against a tree ---- */

/* The first rule above `within` that excludes it. */
static bool say_excluded(const struct skr_group_spec *spec, const struct skr_tree *tree,
                         int32_t within, struct skr_strbuf *why)
{
    const char *what;
    for (size_t i = 0; i < spec->n_rules; i++) {
        const struct skr_level_rule *rule = &spec->rule[i];
        const int32_t level = skr_tree_find_level(tree, rule->level);
        if (level > 0 && level < within && excludes_one_unit(&rule->rule, spec->size, &what)) {
            skr_strbuf_addf(why,
                            "within: one %s for all %d members contradicts %s of level \"%s\", "
                            "which is above it",
                            tree->level_name[within], (int)spec->size, what,
                            tree->level_name[level]);
            return true;
        }
    }
    return false;
}

bool skr_group_misfit(const struct skr_group_spec *spec, const struct skr_tree *tree,
                      struct skr_strbuf *why)
{
    struct skr_named_level unknown;
    if (skr_group_hard_unknown(spec, tree, &unknown)) {
        skr_group_say_unknown(spec, &unknown, tree, why);
        return true;
    }
    if (!spec->within) {
        return false;
    }
    const int32_t within = skr_tree_find_level(tree, spec->within);
    if (within > 0) {
        return say_excluded(spec, tree, within, why);
    }
    skr_strbuf_add(why, "within: ");
    skr_group_say_no_level(spec->within, tree, why);
    return true;
}

/* ---- levels above a hard pack ---- */

/* The lowest level above that has several units and no rule; 0: none. */
static int32_t free_level_above(const struct skr_group_spec *spec, const struct skr_tree *tree,
                                int32_t level)
{
    for (int32_t l = level - 1; l > 0; l--) {
        if (!skr_level_rule_find(spec->rule, spec->n_rules, tree->level_name[l]) &&
            tree->level_first[l + 1] - tree->level_first[l] > 1) {
            return l;
        }
    }
    return 0;
}

bool skr_group_say_split(const struct skr_group_spec *spec, const struct skr_tree *tree,
                         struct skr_strbuf *b)
{
    const int32_t within = spec->within ? skr_tree_find_level(tree, spec->within) : 0;
    for (int32_t l = 2; l <= tree->n_levels; l++) {
        const char *name = tree->level_name[l];
        const struct skr_level_rule *rule = skr_level_rule_find(spec->rule, spec->n_rules, name);
        const int32_t above = free_level_above(spec, tree, l);
        if (!rule || !rule->rule.hard || rule->rule.type != SKR_RULE_PACK || above <= within) {
            continue;
        }
        skr_strbuf_add(b, "constraints: ");
        if (rule->at.line > 0) {
            skr_strbuf_addf(b, "%zu:%zu: ", rule->at.line, rule->at.column);
        }
        skr_strbuf_addf(
            b,
            "hard pack of level \"%.63s\" is one %.63s in each %.63s that is used; write "
            "within: %.63s for one in all, or a rule for %.63s, {} if this is meant",
            name, name, tree->level_name[above], name, tree->level_name[above]);
        return true;
    }
    return false;
}
