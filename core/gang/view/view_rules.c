/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the rules of a group and how its members meet them. A rule applies to the children of
 * every used unit of the level above (docs/solver.md), so counts are examined parent by parent.
 */
#include "core/gang/cache/pods.h"
#include "core/gang/state/groups.h"
#include "core/gang/view/view.h"

#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 8 }; /* of "4 + 4 + ..." */

static bool count_is_allowed(const struct skr_rule *rule, int32_t count)
{
    if (rule->hard) {
        return rule->type != SKR_RULE_SPREAD || count == 1;
    }
    const bool range = rule->min <= 0 || rule->max <= 0 || rule->min <= rule->max;
    return !(range && rule->min > 0 && count < rule->min) &&
           !(range && rule->max > 0 && count > rule->max) &&
           !(rule->factor > 1 && count % rule->factor != 0);
}

static bool width_is_allowed(const struct skr_rule *rule, int32_t used)
{
    if (rule->hard) {
        return rule->type != SKR_RULE_PACK || used == 1;
    }
    return rule->partitions <= 0 || used == rule->partitions;
}

struct use {
    bool met;
    int32_t parents;     /* used units of the level above */
    int32_t widest;      /* most used children of one of them */
    int32_t least, most; /* members in one unit */
};

static struct use use_of(const struct skr_tree *t, const struct skr_rule *rule,
                         const struct run *run, size_t n)
{
    struct use u = {.met = true, .least = INT32_MAX};
    int32_t width = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t parent = t->parent[run[i].unit];
        u.met = u.met && count_is_allowed(rule, run[i].count);
        u.least = run[i].count < u.least ? run[i].count : u.least;
        u.most = run[i].count > u.most ? run[i].count : u.most;
        width++;
        if (i + 1 < n && t->parent[run[i + 1].unit] == parent) {
            continue;
        }
        u.met = u.met && width_is_allowed(rule, width);
        u.widest = width > u.widest ? width : u.widest;
        u.parents++;
        width = 0;
    }
    return u;
}

static void say_counts(const struct run *run, size_t n, const struct use *u, const char *level,
                       struct skr_strbuf *b)
{
    if (n > TERMS_MAX && u->least == u->most) {
        skr_strbuf_addf(b, "%zu x %d", n, u->most);
    } else if (n > TERMS_MAX) {
        skr_strbuf_addf(b, "%zu %ss, %d to %d each", n, level, u->least, u->most);
    }
    for (size_t i = 0; n <= TERMS_MAX && i < n; i++) {
        skr_strbuf_addf(b, "%s%d", i ? " + " : "", run[i].count);
    }
}

/* A hard pack below a level that uses several units: what it says, and what one unit in all takes. */
static void say_split(const struct skr_tree *t, const struct skr_rule *rules, int32_t level,
                      const struct use *u, struct skr_strbuf *b)
{
    const char *name = t->level_name[level];
    size_t n = 0;
    skr_strbuf_addf(b, "1 %s in each of %d %ss; make ", name, u->parents, t->level_name[level - 1]);
    for (int32_t l = 1; l < level; l++) {
        if (!rules[l - 1].hard || rules[l - 1].type != SKR_RULE_PACK) {
            skr_strbuf_addf(b, "%s%s", n++ > 0 ? " and " : "", t->level_name[l]);
        }
    }
    skr_strbuf_addf(b, " hard to mean one %s in all", name);
}

/* How members are distributed on the level: their numbers, or for plain pack the number of
 * units. */
static void say_use(const struct skr_tree *t, const struct skr_rule *rules, int32_t level,
                    const struct run *run, size_t n, const struct use *u, struct skr_strbuf *b)
{
    const struct skr_rule *rule = &rules[level - 1];
    const bool numbers =
        !rule->hard && (rule->partitions > 0 || rule->min > 0 || rule->max > 0 || rule->factor > 1);
    if (numbers || rule->type == SKR_RULE_SPREAD) {
        say_counts(run, n, u, t->level_name[level], b);
        return;
    }
    if (rule->hard && u->parents > 1) {
        say_split(t, rules, level, u, b);
        return;
    }
    skr_strbuf_addf(b, "%d %s%s", u->widest, t->level_name[level], u->widest == 1 ? "" : "s");
    if (level > 1 && !rules[level - 2].hard && rules[level - 2].partitions > 0) {
        skr_strbuf_add(b, " per partition");
    } else if (u->parents > 1) {
        skr_strbuf_addf(b, " per %s", t->level_name[level - 1]);
    }
}

static void write_rule(struct skr_json_writer *w, const struct skr_level_rule *r)
{
    skr_json_string(w, "level", r->level);
    skr_json_string(w, "type", r->rule.type == SKR_RULE_SPREAD ? "spread" : "pack");
    skr_json_bool(w, "hard", r->rule.hard);
    skr_json_int(w, "partitions", r->rule.partitions);
    skr_json_int(w, "min", r->rule.min);
    skr_json_int(w, "max", r->rule.max);
    skr_json_int(w, "factor", r->rule.factor);
}

static void write_use(struct view *v, const struct skr_rule *rules, int32_t level,
                      const struct seats *s)
{
    const struct skr_tree *t = v->e->topology.tree;
    size_t n = 0;
    SKR_AUTO_FREE struct run *run = skr_view_runs(t, s, level, &n);
    const struct use u = use_of(t, &rules[level - 1], run, n);
    SKR_STRBUF(b);
    say_use(t, rules, level, run, n, &u, &b);
    skr_json_bool(&v->w, "met", u.met);
    skr_json_string(&v->w, "use", b.s ? b.s : "");
}

/* role: NULL: of the group. */
static void write_constraint(struct view *v, const char *role, const struct skr_level_rule *r,
                             const struct skr_rule *rules, const struct seats *s, bool whole)
{
    const int32_t level =
        v->e->topology.tree ? skr_tree_find_level(v->e->topology.tree, r->level) : -1;
    skr_json_open(&v->w, NULL, '{');
    if (role) {
        skr_json_string(&v->w, "role", role);
    }
    write_rule(&v->w, r);
    skr_json_bool(&v->w, "known", level > 0);
    if (whole && level > 0 && s->n_inside > 0) {
        write_use(v, rules, level, s);
    } else if (whole) {
        skr_json_raw(&v->w, "met", NULL);
        skr_json_string(&v->w, "use", NULL);
    }
    skr_json_close(&v->w, '}');
}

/* First rules of the tree's levels from the top, then those of levels that it lacks. */
void skr_view_constraints(struct view *v, const struct group *g, const struct seats *s, bool whole)
{
    const struct skr_tree *t = v->e->topology.tree;
    const struct skr_group_spec *spec = g->spec;
    struct skr_rule rules[SKR_LEVELS_MAX];
    skr_json_open(&v->w, "constraints", '[');
    if (spec && t) {
        skr_group_rules(spec, NULL, t, rules, NULL, NULL);
    }
    const int32_t within = spec && t && spec->within ? skr_tree_find_level(t, spec->within) : 0;
    for (int32_t l = 1; spec && t && l <= t->n_levels; l++) {
        const struct skr_level_rule *own =
            skr_level_rule_find(spec->rule, spec->n_rules, t->level_name[l]);
        const struct skr_level_rule given = {.level = t->level_name[l], .rule = rules[l - 1]};
        if (l <= within) {
            write_constraint(v, NULL, &given, rules, s, whole);
        } else if (own) {
            write_constraint(v, NULL, own, rules, s, whole);
        }
    }
    for (size_t i = 0; spec && i < spec->n_rules; i++) {
        if (!t || skr_tree_find_level(t, spec->rule[i].level) <= 0) {
            write_constraint(v, NULL, &spec->rule[i], rules, s, whole);
        }
    }
    skr_json_close(&v->w, ']');
}

/* The seats of members of one role; the caller frees item. */
static struct seats seats_of(const struct group *g, const char *role, const struct seats *s)
{
    struct seats of = {.item = skr_alloc_array(s->n + 1, sizeof *of.item)};
    for (size_t i = 0; i < s->n; i++) {
        const uint8_t r = s->item[i].pod->role;
        if (r < g->roles.n && g->roles.item && strcmp(g->roles.item[r].name, role) == 0) {
            of.item[of.n++] = s->item[i];
            of.n_inside += i < s->n_inside;
        }
    }
    return of;
}

void skr_view_role_constraints(struct view *v, const struct group *g, const struct seats *s,
                               bool whole)
{
    const struct skr_tree *t = v->e->topology.tree;
    const struct skr_group_spec *spec = g->spec;
    struct skr_rule rules[SKR_LEVELS_MAX];
    if (!spec || spec->n_role_rules == 0) {
        return;
    }
    skr_json_open(&v->w, "roleConstraints", '[');
    for (size_t i = 0; i < spec->n_role_rules; i++) {
        const struct skr_role_rules *own = &spec->role_rules[i];
        struct seats of = seats_of(g, own->role, s);
        if (t) {
            skr_group_rules(spec, own->role, t, rules, NULL, NULL);
        }
        for (size_t k = 0; k < own->n_rules; k++) {
            write_constraint(v, own->role, &own->rule[k], rules, &of, whole);
        }
        free(of.item);
    }
    skr_json_close(&v->w, ']');
}
