/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the keys of a group map as JSON. Values that the parser of groups would ignore are found by
 * that parser, which reports them to lint. */
#include "core/group/change.h"

#include <string.h>

#include "core/group/constraints.h"
#include "topology/base/arena.h"
#include "topology/base/suggest.h"

static const char constraints[] = "constraints.";

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
    json_t *all = json_pack("{s:{s:o}}", level, key, skr_change_value(value));
    char *text = json_dumps(all, 0);
    struct skr_label item = {"constraints", text};
    (void)skr_group_spec_check(&(const struct skr_labels){1, &item}, &defects, &spec, &error);
    skr_group_spec_destroy(spec);
    free(text);
    json_decref(all);
}

static bool names_level(const json_t *data, const char *level)
{
    const char *text = json_string_value(json_object_get(data, "constraints"));
    json_t *all = text ? json_loads(text, 0, NULL) : NULL;
    const bool named = json_object_get(all, level);
    json_decref(all);
    return named;
}

/* False: why has the reason. A key of a level that is in no tree can be removed. */
static bool check_constraint(const json_t *data, const char *path, const char *value,
                             const struct skr_change_levels *levels, struct skr_strbuf *why)
{
    const char *dot = strrchr(path, '.');
    const size_t before = why->len;
    if (!dot || dot == path || !dot[1]) {
        return true; /* reported when it is set */
    }
    SKR_AUTO_FREE char *level = skr_strdup(path);
    level[dot - path] = '\0';
    const bool removes = strcmp(value, "null") == 0 && names_level(data, level);
    if (removes || levels->has(levels->context, level, why)) {
        find_ignored(level, dot + 1, value, why);
    }
    return why->len == before;
}

/* path: "LEVEL.KEY"; a level may have dots in its name. */
static bool set_constraint(json_t *data, const char *path_, const char *value)
{
    SKR_AUTO_FREE char *path = skr_strdup(path_);
    char *key = strrchr(path, '.');
    const char *text = json_string_value(json_object_get(data, "constraints"));
    json_t *all = text ? json_loads(text, 0, NULL) : NULL;
    if (!key || key == path || !key[1]) {
        json_decref(all);
        return false;
    }
    *key++ = '\0';
    if (!json_is_object(all)) {
        json_decref(all);
        all = json_object();
    }
    json_t *rule = json_object_get(all, path);
    if (!json_is_object(rule)) {
        rule = json_object();
        json_object_set_new(all, path, rule);
    }
    remove_key(rule, key);
    json_object_set_new(rule, key, skr_change_value(value));
    char *dumped = json_dumps(all, 0);
    json_object_set_new(data, "constraints", json_string(dumped));
    free(dumped);
    json_decref(all);
    return true;
}

static bool set_key(json_t *data, const char *path, const char *value)
{
    if (strcmp(path, "within") == 0 && strcmp(value, "null") == 0) {
        json_object_del(data, path);
        return true;
    }
    if (strcmp(path, "size") != 0 && strcmp(path, "priority") != 0 && strcmp(path, "within") != 0) {
        return false;
    }
    json_object_set_new(data, path, json_string(value));
    return true;
}

bool skr_group_change(json_t *data, const char *path, const char *value,
                      const struct skr_change_levels *levels, struct skr_strbuf *why)
{
    const size_t n = strlen(constraints);
    const bool of_level = strncmp(path, constraints, n) == 0;
    if (of_level && !check_constraint(data, path + n, value, levels, why)) {
        return false;
    }
    if (of_level ? set_constraint(data, path + n, value) : set_key(data, path, value)) {
        return true;
    }
    skr_strbuf_add(why, "the path is size, priority, within, or constraints.LEVEL.KEY");
    return false;
}
