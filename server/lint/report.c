/* SPDX-License-Identifier: Apache-2.0 */
/* Findings and their places. A place in a string of a ConfigMap becomes one in the file. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "server/lint/parts.h"
#include "topology/base/arena.h"

enum { PATH_BYTES = 512 };

bool lint_is_kind(const struct lint_object *object, const char *group, const char *kind)
{
    const char *version = skr_object_text(object->json, "apiVersion");
    const size_t n = strlen(group);
    return strcmp(object->kind, kind) == 0 && strncmp(version, group, n) == 0 && version[n] == '/';
}

/* ---- places ---- */

struct lint_place lint_at(const struct lint_object *object, const char *path)
{
    return (struct lint_place){object->text, skr_manifest_find(&object->place, path),
                               object->place.is_json};
}

/* Offset of a position whose columns count bytes, lines end with LF. */
struct lint_place lint_inside(const struct lint_object *object, const char *path, const char *value,
                              struct skr_position at)
{
    const struct skr_yaml_mark inside = {at.line, at.column};
    const size_t offset = skr_text_offset(value, strlen(value), inside, true);
    return (struct lint_place){object->text,
                               skr_manifest_find_inside(&object->place, path, value, offset),
                               object->place.is_json};
}

/* The place in the file that holds it. Strings are nested once: ConfigMaps hold no ConfigMaps. */
static struct lint_place in_file(struct lint_place place)
{
    while (place.text->parent) {
        const struct lint_text *text = place.text;
        const struct lint_object *parent = text->parent;
        const size_t offset = place.mark.line > 0
                                  ? skr_text_offset(text->text, text->n, place.mark, place.in_bytes)
                                  : 0;
        place = (struct lint_place){
            parent->text, skr_manifest_find_inside(&parent->place, text->path, text->text, offset),
            parent->place.is_json};
    }
    return place;
}

/* Columns of findings count characters. */
static struct lint_place in_characters(struct lint_place place)
{
    if (!place.in_bytes || place.mark.line == 0) {
        return place;
    }
    const char *text = place.text->text;
    const bool marked = place.text->n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    for (size_t line = 1; line < place.mark.line; line++) {
        const char *end = strchr(text, '\n');
        if (!end) {
            return place;
        }
        text = end + 1;
    }
    text += marked && place.mark.line == 1 ? 3 : 0;
    size_t column = 1;
    for (size_t i = 1; i < place.mark.column && *text; i++, text++) {
        column += ((unsigned char)text[1] & 0xC0) != 0x80 ? 1 : 0;
    }
    place.mark.column = column;
    place.in_bytes = false;
    return place;
}

/* ---- findings ---- */

static const struct lint_text *file_of(const struct lint_text *text)
{
    while (text->parent) {
        text = text->parent->text;
    }
    return text;
}

/* Of an object that was not selected. */
static bool is_silent(const struct skr_lint *lint, const struct lint_object *about)
{
    if (!lint->selects) {
        return false;
    }
    while (about && about->text->parent) {
        about = about->text->parent;
    }
    return !about || strcmp(about->kind, "ConfigMap") != 0 ||
           strcmp(about->name, lint->select_name) != 0 ||
           (lint->select_namespace[0] && strcmp(about->namespace_, lint->select_namespace) != 0);
}

/* Whether it is to be reported; counted in any case. */
static bool count(struct skr_lint *lint, const struct lint_text *text, size_t rule)
{
    /* Texts are the lint's own. */
    struct lint_text *file = (struct lint_text *)(uintptr_t)file_of(text);
    lint->n_warnings += skr_lint_rules[rule].is_warning ? 1 : 0;
    lint->n_errors += skr_lint_rules[rule].is_warning ? 0 : 1;
    return file->n_findings++ < SKR_LINT_FINDINGS_MAX;
}

void lint_tell(struct skr_lint *lint, const struct lint_object *about, const char *code,
               struct lint_place at, const struct lint_place *see, const char *format, ...)
{
    const size_t rule = skr_lint_rule_find(code);
    skr_bug_on(rule == skr_lint_rule_count);
    if (file_of(at.text)->is_context || is_silent(lint, about) || !count(lint, at.text, rule)) {
        return;
    }
    char text[SKR_FINDING_TEXT_MAX];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const struct lint_place place = in_characters(in_file(at));
    struct lint_finding finding = {.order = lint->n_findings,
                                   .rule = rule,
                                   .file = place.text,
                                   .at = place.mark,
                                   .text = skr_strdup(text)};
    if (see) {
        const struct lint_place other = in_characters(in_file(*see));
        finding.see_file = other.text;
        finding.see = other.mark;
    }
    skr_grow(&lint->finding, &lint->cap_findings, lint->n_findings + 1, sizeof *lint->finding);
    lint->finding[lint->n_findings++] = finding;
}

void lint_tell_error(struct skr_lint *lint, const struct lint_object *object, const char *code,
                     const struct skr_error *error)
{
    char path[SKR_ERROR_KEY_MAX];
    skr_error_key(error, path);
    lint_tell(lint, object, code, lint_at(object, path), NULL, "%s", error->text);
}

void lint_tell_findings(struct skr_lint *lint, const struct lint_object *object,
                        const struct skr_findings *findings)
{
    for (size_t i = 0; i < findings->n; i++) {
        const struct skr_finding *f = &findings->item[i];
        const struct lint_place at = {object->text, {f->line, f->column}, false};
        if (f->code && strcmp(f->code, "NotModelled") != 0) {
            lint_tell(lint, object, f->code, at, NULL, "%s", f->text);
        }
    }
}

/* ---- defects ---- */

static struct lint_place place_of(const struct lint_receiver *r, const struct skr_defect *defect,
                                  const json_t *strings, struct skr_position at)
{
    char path[PATH_BYTES];
    const char *value = json_string_value(json_object_get(strings, defect->key));
    if (!value) {
        return lint_at(r->object, r->base);
    }
    (void)snprintf(path, sizeof path, "%s.%.300s", r->base, defect->key);
    return at.line > 0 ? lint_inside(r->object, path, value, at) : lint_at(r->object, path);
}

static const json_t *strings_at(const json_t *json, const char *base)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s", base);
    for (char *at = path, *key; json && (key = strsep(&at, "."));) {
        json = json_object_get(json, key);
    }
    return json;
}

/* Whether a text needs its key to be understood. Inside a document the position shows the place. */
static bool needs_key(const struct skr_defect *defect)
{
    static const char *const documents[] = {"tree", "constraints"};
    const char *text = defect->text;
    bool is_document = false;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        is_document = is_document || strcmp(defect->key, documents[i]) == 0;
    }
    return defect->key[0] && (!is_document || defect->at.line == 0 ||
                              strncmp(text, "must ", 5) == 0 || strncmp(text, "is ", 3) == 0);
}

static void receive(void *context, const struct skr_defect *defect)
{
    const struct lint_receiver *r = context;
    const json_t *strings = strings_at(r->object->json, r->base);
    const struct lint_place at = place_of(r, defect, strings, defect->at);
    struct lint_place see = at;
    if (defect->see.line > 0) {
        see = place_of(r, defect, strings, defect->see);
    }
    const bool key = needs_key(defect);
    lint_tell(r->lint, r->object, defect->code, at, defect->see.line > 0 ? &see : NULL, "%s%s%s",
              key ? defect->key : "", key ? ": " : "", defect->text);
}

void lint_receive(struct lint_receiver *receiver, struct skr_lint *lint,
                  const struct lint_object *object, const char *base)
{
    *receiver = (struct lint_receiver){lint, object, base, {receive, receiver}};
}
