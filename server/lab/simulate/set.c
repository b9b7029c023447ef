/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the group's map as JSON, and parses it once as the engine does, so that a malformed value
 * is refused here. */
#include "server/lab/simulate/set.h"

#include <stdlib.h>
#include <string.h>

#include "core/group/change.h"
#include "core/group/group.h"
#include "server/lab/simulate/topology.h"
#include "server/object/path.h"
#include "topology/base/arena.h"

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

static bool has_level(const void *context, const char *level, struct skr_strbuf *why)
{
    return skr_simulate_topology_has_level(context, level, why);
}

static bool set_map(const struct skr_simulate_input *input, json_t *object,
                    const struct skr_change *c, struct skr_strbuf *why)
{
    const struct skr_change_levels levels = {has_level, input};
    json_t *data = json_object_get(object, "data");
    if (!data) {
        data = json_object();
        json_object_set_new(object, "data", data);
    }
    return skr_group_change(data, c->path, c->value, &levels, why);
}

static bool set_podgroup(json_t *object, const struct skr_change *c, struct skr_strbuf *why)
{
    json_t *value = skr_change_value(c->value);
    if (strcmp(c->path, "size") != 0 || !json_is_integer(value) || json_integer_value(value) < 1) {
        json_decref(value);
        skr_strbuf_add(why, "of a PodGroup, size alone can be set, to a number");
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

/* *ret_map: the changed map, borrowed; NULL: it is no map. */
static int apply(struct skr_simulate_input *input, const char *text, struct skr_change *c,
                 json_t **ret_map, struct skr_strbuf *errors)
{
    json_t *object = find_group(input, c);
    if (!object) {
        skr_strbuf_addf(errors, "--set %s: no group %s/%s in the files\n", text, c->namespace_,
                        c->name);
        return -SKR_NOT_FOUND;
    }
    bool is_map = strcmp(skr_path_text(object, "kind"), "ConfigMap") == 0;
    SKR_STRBUF(why);
    if (!(is_map ? set_map(input, object, c, &why) : set_podgroup(object, c, &why))) {
        skr_strbuf_addf(errors, "--set %s: %s\n", text, why.s);
        return -SKR_INVALID;
    }
    *ret_map = is_map ? object : NULL;
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

static int set_one(struct skr_simulate_input *input, const char *text, json_t **ret_map,
                   struct skr_strbuf *errors)
{
    struct skr_change c;
    if (!skr_simulate_set_is_read(text, errors)) {
        return -SKR_INVALID;
    }
    (void)change_parse(text, &c);
    int rc = apply(input, text, &c, ret_map, errors);
    free(c.text);
    return rc;
}

int skr_simulate_set(struct skr_simulate_input *input, const char *const *text, size_t n,
                     struct skr_strbuf *errors)
{
    SKR_AUTO_FREE json_t **map = skr_alloc_array(n + 1, sizeof *map);
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = set_one(input, text[i], &map[i], errors);
    }
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct skr_error error = {0};
        bool last = map[i];
        for (size_t j = i + 1; j < n; j++) {
            last = last && map[j] != map[i];
        }
        if (last && check_map(map[i], &error) < 0) {
            skr_strbuf_addf(errors, "--set %s: %s\n", text[i], error.text);
            rc = -SKR_INVALID;
        }
    }
    return rc;
}
