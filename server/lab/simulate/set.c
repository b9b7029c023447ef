/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the group's map as JSON, and parses it once as the engine does, so that a malformed value
 * is refused here. */
#include "server/lab/simulate/set.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/group/group.h"
#include "server/lab/simulate/topology.h"
#include "server/object/path.h"
#include "topology/base/arena.h"
#include "topology/base/suggest.h"

static const char constraints[] = "constraints.";

/* ---- reading ---- */

/* Cuts s at the first c: returns the text after it, or NULL. */
static char *cut_at(char *s, char c)
{
    char *at = s ? strchr(s, c) : NULL;
    if (!at) {
        return NULL;
    }
    *at = '\0';
    return at + 1;
}

bool skr_change_parse(const char *text, struct skr_change *ret)
{
    *ret = (struct skr_change){.text = skr_strdup(text)};
    ret->name = ret->text;
    ret->path = cut_at(ret->name, ':');
    ret->value = cut_at(ret->path, '=');
    char *behind = cut_at(ret->name, '/');
    if (behind) {
        ret->namespace_ = ret->name;
        ret->name = behind;
    }
    return ret->value && ret->name[0] && ret->path[0];
}

static bool change_parse(const char *text, struct skr_change *ret)
{
    static char default_namespace[] = "default";
    const bool good = skr_change_parse(text, ret);
    ret->namespace_ = ret->namespace_ ? ret->namespace_ : default_namespace;
    return good && ret->namespace_[0];
}

/* ---- finding ---- */

static bool in_namespace(const json_t *object, const char *namespace_)
{
    const char *own = skr_path_text(object, "metadata.namespace");
    return strcmp(own[0] ? own : "default", namespace_) == 0;
}

static bool defines_group(const json_t *object, const struct skr_change *c)
{
    const char *kind = skr_path_text(object, "kind");
    if (!in_namespace(object, c->namespace_)) {
        return false;
    }
    if (strcmp(kind, "PodGroup") == 0) {
        return strcmp(skr_path_text(object, "metadata.name"), c->name) == 0;
    }
    if (strcmp(kind, "ConfigMap") != 0 || !skr_path_label(object, SKR_GROUP_LABEL)) {
        return false;
    }
    const json_t *name = json_object_get(json_object_get(object, "data"), "name");
    return strcmp(name ? json_string_value(name) : skr_path_text(object, "metadata.name"),
                  c->name) == 0;
}

/* A map takes precedence over a PodGroup of the same name, as in the engine. */
static json_t *find_group(const struct skr_simulate_input *input, const struct skr_change *c)
{
    json_t *found = NULL;
    for (size_t i = 0; i < input->manifests.n; i++) {
        json_t *object = input->manifests.item[i].object;
        if (defines_group(object, c) &&
            (!found || strcmp(skr_path_text(found, "kind"), "PodGroup") == 0)) {
            found = object;
        }
    }
    return found;
}

/* ---- changing ---- */

/* A number, true, false, null; else a text. */
static json_t *value_of(const char *text)
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
        if (strcasecmp(name, key) == 0) {
            json_object_del(rule, name);
        }
    }
}

/* ---- values that would be ignored ---- */

struct ignored {
    const struct skr_change *change;
    const char *key;
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
        skr_strbuf_addf(i->why, "type \"%s\" is neither pack nor spread", i->change->value);
        tell_near(i->change->value, types, 2, i->why);
    } else if (strcmp(defect->code, "NegativeNumber") == 0) {
        skr_strbuf_add(i->why, defect->text);
    }
}

/* Reads the change alone with the parser of groups, which reports to lint what it ignores. */
static void find_ignored(const struct skr_change *c, const char *level, const char *key,
                         struct skr_strbuf *why)
{
    struct ignored ignored = {c, key, why};
    const struct skr_defects defects = {tell_ignored, &ignored};
    struct skr_group_spec *spec = NULL;
    struct skr_error error = {0};
    json_t *all = json_pack("{s:{s:o}}", level, key, value_of(c->value));
    char *text = json_dumps(all, 0);
    struct skr_label item = {"constraints", text};
    (void)skr_group_spec_check(&(const struct skr_labels){1, &item}, &defects, &spec, &error);
    skr_group_spec_destroy(spec);
    free(text);
    json_decref(all);
}

static bool names_level(const json_t *object, const char *level)
{
    const json_t *data = json_object_get(object, "data");
    const char *text = json_string_value(json_object_get(data, "constraints"));
    json_t *all = text ? json_loads(text, 0, NULL) : NULL;
    const bool named = json_object_get(all, level);
    json_decref(all);
    return named;
}

/* False: why has the reason. A key of a level that is in no tree can be removed. */
static bool check_constraint(const struct skr_simulate_input *input, const json_t *object,
                             const struct skr_change *c, const char *path, struct skr_strbuf *why)
{
    const char *dot = strrchr(path, '.');
    if (!dot || dot == path || !dot[1]) {
        return true; /* reported when it is set */
    }
    char *level = skr_strdup(path);
    level[dot - path] = '\0';
    const bool removes = strcmp(c->value, "null") == 0 && names_level(object, level);
    if (removes || skr_simulate_topology_has_level(input, level, why)) {
        find_ignored(c, level, dot + 1, why);
    }
    free(level);
    return why->len == 0;
}

/* path: "LEVEL.KEY"; a level may have dots in its name. */
static bool set_constraint(json_t *data, char *path, const char *value)
{
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
    json_object_set_new(rule, key, value_of(value));
    char *dumped = json_dumps(all, 0);
    json_object_set_new(data, "constraints", json_string(dumped));
    free(dumped);
    json_decref(all);
    return true;
}

static bool set_map(json_t *object, struct skr_change *c)
{
    json_t *data = json_object_get(object, "data");
    if (!data) {
        data = json_object();
        json_object_set_new(object, "data", data);
    }
    if (strncmp(c->path, constraints, sizeof constraints - 1) == 0) {
        return set_constraint(data, c->path + sizeof constraints - 1, c->value);
    }
    if (strcmp(c->path, "within") == 0 && strcmp(c->value, "null") == 0) {
        json_object_del(data, c->path);
        return true;
    }
    if (strcmp(c->path, "size") != 0 && strcmp(c->path, "priority") != 0 &&
        strcmp(c->path, "within") != 0) {
        return false;
    }
    json_object_set_new(data, c->path, json_string(c->value));
    return true;
}

static bool set_podgroup(json_t *object, const struct skr_change *c)
{
    json_t *value = value_of(c->value);
    if (strcmp(c->path, "size") != 0 || !json_is_integer(value) || json_integer_value(value) < 1) {
        json_decref(value);
        return false;
    }
    json_t *spec = json_object_get(object, "spec");
    if (!spec) {
        spec = json_object();
        json_object_set_new(object, "spec", spec);
    }
    json_object_set_new(spec, "minMember", value);
    return true;
}

static int check_map(const json_t *object, struct skr_error *error)
{
    struct skr_configmap *map = NULL;
    struct skr_group_spec *spec = NULL;
    int rc = skr_configmap_decode(object, &map, error);
    rc = rc < 0 ? rc : skr_group_spec_parse(&map->data, &spec, error);
    skr_group_spec_destroy(spec);
    skr_configmap_destroy(map);
    return rc;
}

static int apply(struct skr_simulate_input *input, const char *text, struct skr_change *c,
                 struct skr_strbuf *errors)
{
    struct skr_error error = {0};
    json_t *object = find_group(input, c);
    if (!object) {
        skr_strbuf_addf(errors, "--set %s: no group %s/%s in the files\n", text, c->namespace_,
                        c->name);
        return -SKR_NOT_FOUND;
    }
    bool is_map = strcmp(skr_path_text(object, "kind"), "ConfigMap") == 0;
    if (is_map && strncmp(c->path, constraints, strlen(constraints)) == 0) {
        struct skr_strbuf why;
        skr_strbuf_init(&why);
        const bool good = check_constraint(input, object, c, c->path + strlen(constraints), &why);
        if (!good) {
            skr_strbuf_addf(errors, "--set %s: %s\n", text, why.s);
        }
        skr_strbuf_fini(&why);
        if (!good) {
            return -SKR_INVALID;
        }
    }
    if (!(is_map ? set_map(object, c) : set_podgroup(object, c))) {
        skr_strbuf_addf(errors, "--set %s: %s\n", text,
                        is_map ? "the path is size, priority, within, or constraints.LEVEL.KEY"
                               : "of a PodGroup, size alone can be set, to a number");
        return -SKR_INVALID;
    }
    if (is_map && check_map(object, &error) < 0) {
        skr_strbuf_addf(errors, "--set %s: %s\n", text, error.text);
        return -SKR_INVALID;
    }
    return 0;
}

bool skr_simulate_set_is_read(const char *text, struct skr_strbuf *errors)
{
    struct skr_change c;
    json_t *utf8 = json_string(text);
    const bool good = change_parse(text, &c) && utf8;
    if (!utf8) {
        skr_strbuf_add(errors, "--set: the text is not UTF-8\n");
    } else if (!good) {
        skr_strbuf_addf(errors, "--set %s: it is [NAMESPACE/]GROUP:PATH=VALUE\n", text);
    }
    json_decref(utf8);
    free(c.text);
    return good;
}

int skr_simulate_set(struct skr_simulate_input *input, const char *text, struct skr_strbuf *errors)
{
    struct skr_change c;
    if (!skr_simulate_set_is_read(text, errors)) {
        return -SKR_INVALID;
    }
    (void)change_parse(text, &c);
    int rc = apply(input, text, &c, errors);
    free(c.text);
    return rc;
}
