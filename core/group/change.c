/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the keys of a group map as JSON. Values that the parser of groups would ignore are found by
 * that parser, which reports them to lint. */
#include "core/group/change.h"

#include <stdlib.h>
#include <string.h>

#include "core/group/constraints.h"
#include "topology/base/arena.h"
#include "topology/base/suggest.h"

static const char constraints[] = "constraints.", of_sets[] = "constraints.sets.";
static const char of_roles[] = "roles.";
static const char the_paths[] = "the path is size, minimum, step, priority, within, "
                                "constraints.LEVEL.KEY, or of roles: roles.ROLE.size, "
                                "constraints.roles.ROLE.LEVEL.KEY, constraints.sets.N";

json_t *skr_change_value(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    if (value && !json_is_array(value) && !json_is_object(value)) {
        return value;
    }
    json_decref(value);
    return json_string(text);
}

/* Members match in any case: removes all spellings. */
static void remove_key(json_t *rule, const char *key)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(rule, next, name, value)
    {
        if (skr_rules_same_key(name, key)) {
            json_object_del(rule, name);
        }
    }
}

/* ---- values that would be ignored ---- */

struct ignored {
    const char *key, *value;
    struct skr_strbuf *why;
};

static void tell_near(const char *word, const char *const *known, size_t n, struct skr_strbuf *why)
{
    const char *near = skr_suggest(word, known, n);
    if (near) {
        skr_strbuf_addf(why, " (did you mean \"%s\"?)", near);
    }
}

static void tell_ignored(void *context, const struct skr_defect *defect)
{
    static const char *const types[] = {"pack", "spread"};
    const struct ignored *i = context;
    if (strcmp(defect->code, "UnknownMember") == 0) {
        size_t n;
        const char *const *known = skr_group_member_names(&n);
        skr_strbuf_addf(i->why, "no key \"%s\"", i->key);
        tell_near(i->key, known, n, i->why);
        for (size_t k = 0; k < n; k++) {
            skr_strbuf_addf(i->why, "%s%s", k > 0 ? ", " : "; a level has ", known[k]);
        }
    } else if (strcmp(defect->code, "UnknownType") == 0) {
        skr_strbuf_addf(i->why, "type \"%s\" is neither pack nor spread", i->value);
        tell_near(i->value, types, 2, i->why);
    } else if (strcmp(defect->code, "NegativeNumber") == 0) {
        skr_strbuf_add(i->why, defect->text);
    }
}

/* Reads the change alone with the parser of groups, which reports to lint what it ignores. */
static void find_ignored(const char *level, const char *key, const char *value,
                         struct skr_strbuf *why)
{
    struct ignored ignored = {key, value, why};
    const struct skr_defects defects = {tell_ignored, &ignored};
    struct skr_group_spec *spec = NULL;
    struct skr_error error = {0};
    json_auto_t *all = json_pack("{s:{s:o}}", level, key, skr_change_value(value));
    SKR_AUTO_FREE char *text = json_dumps(all, 0);
    struct skr_label item = {"constraints", text};
    (void)skr_group_spec_check(&(const struct skr_labels){1, &item}, &defects, &spec, &error);
    skr_group_spec_destroy(spec);
}

/* ---- paths ---- */

/* A path that is split into names: those of roles and levels may have dots. */
struct path {
    const char *role; /* constraints.roles.ROLE.; NULL: of the group */
    const char *level, *key;
    char *text; /* owns the names */
};

static json_t *parsed(const json_t *data, const char *key)
{
    const char *text = json_string_value(json_object_get(data, key));
    json_t *all = text ? json_loads(text, 0, NULL) : NULL;
    if (!json_is_object(all)) {
        json_decref(all);
        all = json_object();
    }
    return all;
}

static void store(json_t *data, const char *key, json_t *all)
{
    SKR_AUTO_FREE char *dumped = json_dumps(all, 0);
    json_object_set_new(data, key, json_string(dumped));
    json_decref(all);
}

/* Cuts the first name off: the longest that is a key of one of the objects, else all up to a dot.
 * NULL: nothing is behind it. */
static char *cut_name(char *text, const json_t *known, const json_t *known_too)
{
    char *end = NULL;
    for (char *dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
        *dot = '\0';
        if (!end || json_object_get(known, text) || json_object_get(known_too, text)) {
            end = dot;
        }
        *dot = '.';
    }
    if (end) {
        *end++ = '\0';
    }
    return end;
}

/* "LEVEL.KEY" or "roles.ROLE.LEVEL.KEY"; false: it is neither. */
static bool split(const json_t *data, const char *from, struct path *ret)
{
    *ret = (struct path){.text = skr_strdup(from)};
    char *level = ret->text;
    if (strncmp(level, of_roles, strlen(of_roles)) == 0) {
        json_auto_t *roles = parsed(data, "roles");
        json_auto_t *rules = parsed(data, "constraints");
        ret->role = level + strlen(of_roles);
        level = cut_name(level + strlen(of_roles), roles, json_object_get(rules, "roles"));
    }
    char *dot = level ? strrchr(level, '.') : NULL;
    if (!dot || dot == level || !dot[1] || (ret->role && !*ret->role)) {
        free(ret->text);
        return false;
    }
    *dot = '\0';
    ret->level = level;
    ret->key = dot + 1;
    return true;
}

/* The object that has the rules; created if it is not there. */
static json_t *home_of(json_t *all, const struct path *path)
{
    const char *const names[] = {"roles", path->role};
    json_t *home = all;
    for (size_t i = 0; path->role && i < 2; i++) {
        json_t *next = json_object_get(home, names[i]);
        if (!json_is_object(next)) {
            next = json_object();
            json_object_set_new(home, names[i], next);
        }
        home = next;
    }
    return home;
}

/* ---- rules ---- */

/* False: why has the reason. A key of a level that is in no tree can be removed. */
static bool check_rule(const json_t *data, const struct path *path, const char *value,
                       const struct skr_change_levels *levels, struct skr_strbuf *why)
{
    json_auto_t *all = parsed(data, "constraints");
    const size_t before = why->len;
    const bool removes =
        strcmp(value, "null") == 0 && json_object_get(home_of(all, path), path->level);
    if (removes || levels->has(levels->context, path->level, why)) {
        find_ignored(path->level, path->key, value, why);
    }
    return why->len == before;
}

static bool set_rule(json_t *data, const char *from, const char *value,
                     const struct skr_change_levels *levels, struct skr_strbuf *why)
{
    struct path path;
    if (!split(data, from, &path)) {
        skr_strbuf_add(why, the_paths);
        return false;
    }
    const bool possible = check_rule(data, &path, value, levels, why);
    if (possible) {
        json_t *all = parsed(data, "constraints"), *home = home_of(all, &path);
        json_t *rule = json_object_get(home, path.level);
        if (!json_is_object(rule)) {
            rule = json_object();
            json_object_set_new(home, path.level, rule);
        }
        remove_key(rule, path.key);
        json_object_set_new(rule, path.key, skr_change_value(value));
        store(data, "constraints", all);
    }
    free(path.text);
    return possible;
}

/* from: "N", with value null, or "N.exclusive" */
static bool set_sets(json_t *data, const char *from, const char *value, struct skr_strbuf *why)
{
    json_t *all = parsed(data, "constraints"), *list = json_object_get(all, "sets");
    char *end;
    const unsigned long at = strtoul(from, &end, 10);
    const bool removes = *end == '\0' && strcmp(value, "null") == 0;
    if (end == from || (!removes && strcmp(end, ".exclusive") != 0)) {
        skr_strbuf_add(why, the_paths);
    } else if (at >= json_array_size(list)) {
        skr_strbuf_addf(why, "constraints has %zu sets, the first is 0", json_array_size(list));
    } else if (removes) {
        json_array_remove(list, at);
        store(data, "constraints", all);
        return true;
    } else {
        json_object_set_new(json_array_get(list, at), "exclusive", skr_change_value(value));
        store(data, "constraints", all);
        return true;
    }
    json_decref(all);
    return false;
}

/* from: "ROLE.size" or "ROLE.minimum". The size of the group is that of its roles. */
static bool set_role(json_t *data, const char *from, const char *value, struct skr_strbuf *why)
{
    SKR_AUTO_FREE char *name = skr_strdup(from);
    char *key = strrchr(name, '.');
    json_t *all = parsed(data, "roles");
    if (!key || (strcmp(key, ".size") != 0 && strcmp(key, ".minimum") != 0)) {
        skr_strbuf_add(why, the_paths);
        json_decref(all);
        return false;
    }
    *key++ = '\0';
    json_t *role = json_object_get(all, name);
    if (!json_is_object(role)) {
        skr_strbuf_addf(why, "key roles has no role \"%s\"", name);
        json_decref(all);
        return false;
    }
    if (strcmp(value, "null") == 0) {
        json_object_del(role, key);
    } else {
        json_object_set_new(role, key, skr_change_value(value));
    }
    store(data, "roles", all);
    json_object_del(data, "size");
    return true;
}

static bool set_key(json_t *data, const char *path, const char *value)
{
    static const char *const keys[] = {"within", "minimum", "step", "size", "priority"};
    enum { MAY_GO = 3 }; /* the first of them */
    size_t i = 0;
    while (i < sizeof keys / sizeof *keys && strcmp(path, keys[i]) != 0) {
        i++;
    }
    if (i < MAY_GO && strcmp(value, "null") == 0) {
        json_object_del(data, path);
        return true;
    }
    if (i == sizeof keys / sizeof *keys) {
        return false;
    }
    json_object_set_new(data, path, json_string(value));
    return true;
}

bool skr_group_change(json_t *data, const char *path, const char *value,
                      const struct skr_change_levels *levels, struct skr_strbuf *why)
{
    if (strncmp(path, of_sets, strlen(of_sets)) == 0) {
        return set_sets(data, path + strlen(of_sets), value, why);
    }
    if (strncmp(path, constraints, strlen(constraints)) == 0) {
        return set_rule(data, path + strlen(constraints), value, levels, why);
    }
    if (strncmp(path, of_roles, strlen(of_roles)) == 0) {
        return set_role(data, path + strlen(of_roles), value, why);
    }
    if (set_key(data, path, value)) {
        return true;
    }
    skr_strbuf_add(why, the_paths);
    return false;
}
