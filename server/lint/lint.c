/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts to objects, objects to findings. Objects are kept, since many rules compare them; the
 * checks run in a fixed order, and the findings are sorted by file and position at the end.
 */
#include "server/lint/lint.h"

#include <stdlib.h>
#include <string.h>

#include "server/lint/parts.h"
#include "server/manifest/kinds.h"
#include "server/manifest/manifest.h"
#include "server/manifest/scenario.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

struct skr_lint *skr_lint_create(void)
{
    struct skr_lint *lint = skr_alloc(sizeof *lint);
    lint->config = skr_config_default();
    skr_bug_on(!lint->config);
    return lint;
}

static void drop_sources(struct skr_lint *lint)
{
    for (size_t i = 0; i < lint->n_groups; i++) {
        skr_group_spec_destroy(lint->group[i].spec);
        skr_pod_destroy(lint->group[i].pod);
    }
    for (size_t i = 0; i < lint->n_trees; i++) {
        skr_tree_unref(lint->tree[i].tree);
    }
    lint_forget_groups(lint);
    free(lint->group);
    free(lint->tree);
}

void skr_lint_destroy(struct skr_lint *lint)
{
    if (!lint) {
        return;
    }
    drop_sources(lint);
    for (size_t i = 0; i < lint->n_findings; i++) {
        free(lint->finding[i].text);
    }
    for (size_t i = 0; i < lint->n_objects; i++) {
        json_decref(lint->object[i]->json);
        free(lint->object[i]);
    }
    for (size_t i = 0; i < lint->n_texts; i++) {
        free(lint->text[i]->name);
        free(lint->text[i]->path);
        free(lint->text[i]->text);
        free(lint->text[i]);
    }
    free(lint->finding);
    free(lint->object);
    free(lint->text);
    skr_config_destroy(lint->config);
    free(lint);
}

/* ---- texts ---- */

struct adding {
    struct skr_lint *lint;
    struct lint_text *text;
};

static struct lint_text *add_text(struct skr_lint *lint, const char *name,
                                  const struct lint_object *parent, const char *path,
                                  const char *text, size_t n);
static void read_text(struct skr_lint *lint, struct lint_text *text);

/* Values of a ConfigMap that are configurations. */
static void add_nested(struct skr_lint *lint, const struct lint_object *object)
{
    const char *key;
    json_t *value;
    char path[512];
    json_object_foreach(json_object_get(object->json, "data"), key, value)
    {
        const char *text = json_string_value(value);
        if (!text || (!strstr(text, "SakkaraConfiguration") &&
                      !strstr(text, "KubeSchedulerConfiguration"))) {
            continue;
        }
        (void)snprintf(path, sizeof path, "data.%.300s", key);
        if (lint->n_nested == SKR_LINT_NESTED_MAX) {
            lint_tell(lint, object, "Limit", lint_at(object, path), NULL,
                      "more than %d configurations in ConfigMaps: no more are read",
                      (int)SKR_LINT_NESTED_MAX);
            return;
        }
        lint->n_nested++;
        read_text(lint, add_text(lint, NULL, object, path, text, strlen(text)));
    }
}

static void take_object(void *context, json_t *json, const struct skr_manifest_place *place,
                        struct skr_yaml_mark mark)
{
    const struct adding *adding = context;
    struct skr_lint *lint = adding->lint;
    const json_t *meta = json_object_get(json, "metadata");
    if (lint->n_objects == SKR_MANIFEST_OBJECTS_MAX) {
        const struct lint_place at = {adding->text, mark, place->is_json};
        lint_tell(lint, adding->text->parent, "Limit", at, NULL, "more than %d objects",
                  (int)SKR_MANIFEST_OBJECTS_MAX);
        json_decref(json);
        return;
    }
    struct lint_object *object = skr_alloc(sizeof *object);
    *object = (struct lint_object){.text = adding->text,
                                   .place = *place,
                                   .json = json,
                                   .mark = mark,
                                   .kind = skr_object_text(json, "kind"),
                                   .namespace_ = skr_object_text(meta, "namespace"),
                                   .name = skr_object_text(meta, "name")};
    if (!object->namespace_[0]) {
        object->namespace_ = "default";
    }
    adding->text->n_objects++;
    skr_grow(&lint->object, &lint->cap_objects, lint->n_objects + 1, sizeof(struct lint_object *));
    lint->object[lint->n_objects++] = object;
    lint->has_scenario = lint->has_scenario || skr_scenario_is(json);
    if (!adding->text->parent && strcmp(object->kind, "ConfigMap") == 0) {
        add_nested(lint, object);
    }
}

static void complain(void *context, struct skr_yaml_mark mark, enum skr_manifest_fault fault,
                     enum skr_error_code code, const char *text)
{
    static const char *const codes[] = {[SKR_MANIFEST_SYNTAX] = "Syntax",
                                        [SKR_MANIFEST_TWICE] = "DuplicateKey",
                                        [SKR_MANIFEST_FIELD] = "InvalidField",
                                        [SKR_MANIFEST_LIMIT] = "Limit"};
    const struct adding *adding = context;
    const struct lint_place at = {adding->text, mark, skr_manifest_is_json(adding->text->text)};
    (void)code;
    lint_tell(adding->lint, adding->text->parent, codes[fault], at, NULL, "%s", text);
}

static struct lint_text *add_text(struct skr_lint *lint, const char *name,
                                  const struct lint_object *parent, const char *path,
                                  const char *text, size_t n)
{
    struct lint_text *one = skr_alloc(sizeof *one);
    one->name = name ? skr_strdup(name) : NULL;
    one->path = path ? skr_strdup(path) : NULL;
    one->parent = parent;
    one->n = n;
    one->text = skr_alloc(n + 1);
    if (n > 0) {
        memcpy(one->text, text, n);
    }
    skr_grow(&lint->text, &lint->cap_texts, lint->n_texts + 1, sizeof(struct lint_text *));
    one->number = lint->n_texts;
    lint->text[lint->n_texts++] = one;
    return one;
}

static void read_text(struct skr_lint *lint, struct lint_text *text)
{
    struct adding adding = {lint, text};
    const struct skr_manifest_visitor visitor = {&adding, take_object, complain};
    skr_manifest_text_read(text->text, text->n, &visitor);
}

/* A file that is named twice, or that is in a folder beside it, has no duplicates. */
static bool is_read(const struct skr_lint *lint, const char *name, const char *text, size_t n)
{
    for (size_t i = 0; i < lint->n_texts; i++) {
        const struct lint_text *one = lint->text[i];
        if (one->name && !one->is_context && strcmp(one->name, name) == 0 && one->n == n &&
            memcmp(one->text, text, n) == 0) {
            return true;
        }
    }
    return false;
}

void skr_lint_add(struct skr_lint *lint, const char *name, const char *text, size_t n)
{
    if (is_read(lint, name, text, n)) {
        return;
    }
    read_text(lint, add_text(lint, name, NULL, NULL, text, n));
}

void skr_lint_add_context(struct skr_lint *lint, const char *name, const char *text, size_t n)
{
    struct lint_text *one = add_text(lint, name, NULL, NULL, text, n);
    one->is_context = true;
    read_text(lint, one);
}

void skr_lint_select(struct skr_lint *lint, const char *namespace_, const char *name)
{
    lint->selects = true;
    lint->select_namespace = namespace_;
    lint->select_name = name;
}

/* ---- checks ---- */

static bool is_selected(const struct skr_lint *lint, const struct lint_object *o)
{
    return !lint->selects ||
           (strcmp(o->kind, "ConfigMap") == 0 && strcmp(o->name, lint->select_name) == 0 &&
            (!lint->select_namespace[0] || strcmp(o->namespace_, lint->select_namespace) == 0));
}

/* What the decoders of engine, scheduler and simulation refuse. */
static void check_fields(struct skr_lint *lint)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        const struct lint_object *o = lint->object[i];
        struct skr_error error = {.code = SKR_OK};
        if (skr_manifest_check_object(NULL, o->json, &error) < 0) {
            lint_tell_error(lint, o, error.code == SKR_LIMIT ? "Limit" : "InvalidField", &error);
        }
    }
}

static int by_position(const void *one, const void *other)
{
    const struct lint_finding *a = one, *b = other;
    const size_t x[] = {a->file->number, a->at.line, a->at.column, a->order};
    const size_t y[] = {b->file->number, b->at.line, b->at.column, b->order};
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

size_t skr_lint_finish(struct skr_lint *lint)
{
    size_t n = 0;
    for (size_t i = 0; i < lint->n_objects; i++) {
        n += is_selected(lint, lint->object[i]) ? 1 : 0;
    }
    check_fields(lint);
    lint_configurations(lint);
    lint_maps(lint);
    lint_levels(lint);
    lint_workloads(lint);
    lint_devices(lint);
    lint_annotations(lint);
    lint_spotmix(lint);
    lint_fleet(lint);
    lint_schedulers(lint);
    lint_superseded(lint);
    if (lint->n_findings > 0) {
        qsort(lint->finding, lint->n_findings, sizeof *lint->finding, by_position);
    }
    return n;
}

size_t skr_lint_count(const struct skr_lint *lint)
{
    return lint->n_errors + lint->n_warnings;
}
