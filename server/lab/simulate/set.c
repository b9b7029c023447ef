/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the group's map as JSON, and parses it once as the engine does, so that a malformed value
 * is refused here. */
#include "server/lab/simulate/set.h"

#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/entry.h"
#include "core/group/change.h"
#include "core/group/group.h"
#include "core/group/workload.h"
#include "server/lab/simulate/topology.h"
#include "server/manifest/templates.h"
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

static char default_namespace[] = "default";

static bool change_parse(const char *text, struct skr_change *ret)
{
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

static bool is_native(const json_t *podgroup)
{
    return strncmp(skr_path_text(podgroup, "apiVersion"), "scheduling.k8s.io/", 18) == 0;
}

/* "podgroup/large" is a PodGroup of namespace default, "team/podgroup/large" one of team. */
static bool is_native_of(const json_t *object, const struct skr_change *c)
{
    const char *name = skr_path_text(object, "metadata.name");
    const size_t n = sizeof SKR_NATIVE_PREFIX - 1;
    const bool whole =
        strlen(c->namespace_) == n - 1 && strncmp(c->namespace_, SKR_NATIVE_PREFIX, n - 1) == 0;
    return (whole && in_namespace(object, default_namespace) && strcmp(name, c->name) == 0) ||
           (in_namespace(object, c->namespace_) && strncmp(c->name, SKR_NATIVE_PREFIX, n) == 0 &&
            strcmp(name, c->name + n) == 0);
}

static bool defines_group(const json_t *object, const struct skr_change *c)
{
    const char *kind = skr_path_text(object, "kind");
    if (strcmp(kind, "PodGroup") == 0 && is_native(object)) {
        return is_native_of(object, c);
    }
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
    json_t *spec = skr_path_own(object, "spec");
    if (is_native(object)) {
        json_object_set_new(skr_path_own(skr_path_own(spec, "schedulingPolicy"), "gang"),
                            "minCount", value);
    } else {
        json_object_set_new(spec, "minMember", value);
    }
    return true;
}

/* ---- groups of workloads ---- */

static bool is_pod_of(const json_t *object, const char *group)
{
    struct skr_pod *pod = NULL;
    struct skr_error error;
    struct skr_workload w;
    enum skr_workload_scope scope = SKR_SCOPE_AUTO;
    SKR_STRBUF(name);
    if (skr_pod_decode(object, &pod, &error) < 0) {
        return false;
    }
    const char *gang = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_GANG);
    (void)(gang && skr_workload_scope_find(gang, &scope));
    skr_workload_of(pod, &w);
    skr_workload_name_add(pod, &w, scope, &name);
    skr_pod_destroy(pod);
    return strcmp(name.s, group) == 0;
}

/* Whether the object makes the pods of the group "job/train", "lws/serve/0", or is one of them. */
static bool makes_group(const json_t *object, const struct skr_change *c)
{
    const char *kind = skr_path_text(object, "kind"), *name = c->name;
    SKR_STRBUF(of);
    if (!strchr(name, '/') || !in_namespace(object, c->namespace_)) {
        return false;
    }
    if (strcmp(kind, "Pod") == 0) {
        return is_pod_of(object, name);
    }
    for (const char *k = strcmp(kind, "LeaderWorkerSet") == 0 ? "lws" : kind; *k; k++) {
        skr_strbuf_addc(&of, *k >= 'A' && *k <= 'Z' ? (char)(*k - 'A' + 'a') : *k);
    }
    skr_strbuf_addf(&of, "/%s", skr_path_text(object, "metadata.name"));
    return strncmp(name, of.s, of.len) == 0 && (!name[of.len] || name[of.len] == '/');
}

static json_t *obtain(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_object(value)) {
        value = json_object();
        json_object_set_new(object, key, value);
    }
    return value;
}

/* One value of a group map, as annotation of a pod or of its template. why: what forbids it. */
static void set_annotation(const struct skr_simulate_input *input, json_t *template,
                           const struct skr_change *c, struct skr_strbuf *why)
{
    static const char *const keys[][2] = {{"size", SKR_LABEL_GROUP_SIZE},
                                          {"constraints", SKR_GROUP_CONSTRAINTS},
                                          {"within", SKR_GROUP_WITHIN}};
    const struct skr_change_levels levels = {has_level, input};
    if (strcmp(c->path, "priority") == 0 || strncmp(c->path, "roles.", 6) == 0) {
        skr_strbuf_add(why, "of a workload, size, within and constraints can be set");
        return;
    }
    json_t *annotations = obtain(obtain(template, "metadata"), "annotations");
    json_auto_t *data = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        json_t *value = json_object_get(annotations, keys[i][1]);
        if (value) {
            json_object_set(data, keys[i][0], value);
        }
    }
    if (!skr_group_change(data, c->path, c->value, &levels, why)) {
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        json_t *value = json_object_get(data, keys[i][0]);
        if (value) {
            json_object_set(annotations, keys[i][1], value);
        } else {
            json_object_del(annotations, keys[i][1]);
        }
    }
}

/* Whether the files have the workload. It could not be changed if why says something. */
static bool set_workload(struct skr_simulate_input *input, const struct skr_change *c,
                         struct skr_strbuf *why)
{
    SKR_AUTO_FREE struct skr_template *t = skr_alloc_array(SKR_TEMPLATES_MAX, sizeof *t);
    bool found = false;
    for (size_t i = 0; i < input->manifests.n && why->len == 0; i++) {
        json_t *object = input->manifests.item[i].object;
        const size_t n = makes_group(object, c) ? skr_templates_find(object, t) : 0;
        found = found || n > 0;
        for (size_t k = 0; k < n && why->len == 0; k++) {
            set_annotation(input, t[k].json, c, why);
        }
    }
    return found;
}

/* "job/train" is a group of namespace default, or group train of namespace job. */
static bool set_any_workload(struct skr_simulate_input *input, struct skr_change *c,
                             struct skr_strbuf *why)
{
    if (set_workload(input, c, why)) {
        return true;
    }
    if (c->namespace_ != c->text) { /* none was given */
        return false;
    }
    c->name[-1] = '/';
    const struct skr_change whole = {
        .namespace_ = default_namespace, .name = c->text, .path = c->path, .value = c->value};
    const bool found = set_workload(input, &whole, why);
    c->name[-1] = '\0';
    return found;
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
    SKR_STRBUF(why);
    if (!object && set_any_workload(input, c, &why)) {
        *ret_map = NULL;
        if (why.len > 0) {
            skr_strbuf_addf(errors, "--set %s: %s\n", text, why.s);
        }
        return why.len > 0 ? -SKR_INVALID : 0;
    }
    if (!object) {
        skr_strbuf_addf(errors, "--set %s: no group %s/%s in the files\n", text, c->namespace_,
                        c->name);
        return -SKR_NOT_FOUND;
    }
    bool is_map = strcmp(skr_path_text(object, "kind"), "ConfigMap") == 0;
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
