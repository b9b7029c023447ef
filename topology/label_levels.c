/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the levels of labels. A member that has no meaning is an error, because a misspelt one would
 * make another tree. Every level is read by itself, so that lint hears of all defects at once.
 */
#include "topology/label_levels.h"

#include <stdio.h>
#include <string.h>

#include "topology/base/json_field.h"
#include "topology/base/json_position.h"
#include "topology/base/suggest.h"

enum { PATH_MAX_STEPS = 5, QUOTE_MAX = 64 };

struct reader {
    const char *key;
    const char *text;
    const struct skr_defects *defects; /* NULL: the first defect ends it */
    struct skr_arena *arena;
    bool in_object; /* the list is the member "levels" of an object */
};

/* ---- defects ---- */

static int report(const struct reader *r, const char *rule, int rc, const struct skr_error *error)
{
    if (r->defects) {
        skr_defect_add(r->defects, rule, false, error);
    }
    return rc;
}

/* Of a member of level i; NULL: of the level. */
static struct skr_subject at_level(const struct reader *r, size_t i, const char *member)
{
    char index[24];
    const char *path[PATH_MAX_STEPS] = {NULL};
    size_t n = 0;
    struct skr_subject about = {.key = r->key, .at = {1, 1}};
    snprintf(index, sizeof index, "%zu", i);
    if (r->in_object) {
        path[n++] = "levels";
    }
    path[n++] = index;
    path[n++] = member;
    (void)skr_json_find_path(r->text, path, &about.at);
    return about;
}

static struct skr_subject at_member(const struct reader *r, const char *member)
{
    const char *const path[] = {member, NULL};
    struct skr_subject about = {.key = r->key, .at = {1, 1}};
    (void)skr_json_find_path(r->text, path, &about.at);
    return about;
}

static int no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_NO_MEMORY, "levels: out of memory");
}

static int refuse_unknown(const struct reader *r, const struct skr_subject *about, const char *name,
                          const char *const *known, size_t n, struct skr_error *error)
{
    const char *near = skr_suggest(name, known, n);
    int rc = skr_error_set_at(error, SKR_INVALID, about, "unknown member \"%.*s\"%s%s%s", QUOTE_MAX,
                              name, near ? " (did you mean \"" : "", near ? near : "",
                              near ? "\"?)" : "");
    return report(r, "MisspeltRule", rc, error);
}

static int refuse_type(const struct reader *r, const struct skr_subject *about, const char *what,
                       const json_t *value, struct skr_error *error)
{
    int rc = skr_error_set_at(error, SKR_INVALID, about, "must be %s, got %s", what,
                              skr_object_type_name(value));
    return report(r, "WrongType", rc, error);
}

/* ---- one level ---- */

static int read_name(const struct reader *r, const struct skr_label_levels *levels, size_t i,
                     const json_t *object, struct skr_label_level *ret, struct skr_error *error)
{
    const json_t *value = json_object_get(object, "name");
    const struct skr_subject about = at_level(r, i, value ? "name" : NULL);
    const char *name = json_string_value(value);
    if (!name) {
        return value
                   ? refuse_type(r, &about, "a string", value, error)
                   : report(r, "MissingKey",
                            skr_error_set_at(error, SKR_INVALID, &about, "a level needs \"name\""),
                            error);
    }
    int rc = skr_tree_check_name("level", name, NULL);
    if (rc != 0) {
        rc = skr_error_set_at(error, SKR_INVALID, &about,
                              "the name of a level has 1 to %d bytes, not only blanks",
                              (int)SKR_UNIT_NAME_MAX);
        return report(r, "InvalidName", rc, error);
    }
    bool taken = strcmp(name, "node") == 0 || strcmp(name, "root") == 0;
    if (taken) {
        rc = skr_error_set_at(error, SKR_INVALID, &about,
                              "level \"%s\" is always there: leave it "
                              "out",
                              name);
        return report(r, "DuplicateName", rc, error);
    }
    if (skr_tree_level_is_reserved(name)) {
        rc = skr_error_set_at(error, SKR_INVALID, &about,
                              "level \"%s\" could have no rules: constraints reads this name "
                              "otherwise",
                              name);
        return report(r, "LevelNameReserved", rc, error);
    }
    for (size_t k = 0; k < levels->n; k++) {
        if (levels->level[k].name && strcmp(levels->level[k].name, name) == 0) {
            rc = skr_error_set_at(error, SKR_INVALID, &about, "level \"%.*s\" twice", QUOTE_MAX,
                                  name);
            return report(r, "DuplicateName", rc, error);
        }
    }
    ret->name = skr_arena_strdup(r->arena, name);
    return ret->name ? 0 : no_room(error);
}

/* A key that the API server would accept for a label, roughly: others are on no node. */
static bool is_key(const char *text)
{
    size_t n = strlen(text);
    return n > 0 && n <= SKR_LABEL_KEY_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == n;
}

static int add_label(const struct reader *r, const struct skr_subject *about, const json_t *value,
                     struct skr_label_level *ret, struct skr_error *error)
{
    const char *text = json_string_value(value);
    int rc = 0;
    if (!text) {
        return refuse_type(r, about, "a string", value, error);
    }
    if (!is_key(text)) {
        rc = skr_error_set_at(error, SKR_INVALID, about, "\"%.*s\" is no key of a label", QUOTE_MAX,
                              text);
        return report(r, "InvalidName", rc, error);
    }
    if (ret->n_labels == SKR_LEVEL_LABELS_MAX) {
        rc = skr_error_set_at(error, SKR_LIMIT, about, "a level has at most %d labels",
                              (int)SKR_LEVEL_LABELS_MAX);
        return report(r, "Limit", rc, error);
    }
    ret->label[ret->n_labels] = skr_arena_strdup(r->arena, text);
    return ret->label[ret->n_labels++] ? 0 : no_room(error);
}

/* The label of such a level: a colon is in no key of a label. */
#define DEVICE_LABEL "device:"

static int read_attribute(const struct reader *r, size_t i, const json_t *value,
                          struct skr_label_level *ret, struct skr_error *error)
{
    const struct skr_subject about = at_level(r, i, "attribute");
    const char *text = json_string_value(value), *slash = text ? strchr(text, '/') : NULL;
    if (!text) {
        return refuse_type(r, &about, "a string", value, error);
    }
    if (!is_key(text) || !slash || slash == text || !slash[1] || strchr(slash + 1, '/')) {
        int rc =
            skr_error_set_at(error, SKR_INVALID, &about,
                             "\"%.*s\" is no attribute: it is DOMAIN/NAME, the domain is often "
                             "the driver",
                             QUOTE_MAX, text);
        return report(r, "InvalidName", rc, error);
    }
    char label[sizeof DEVICE_LABEL + SKR_LABEL_KEY_MAX];
    snprintf(label, sizeof label, "%s%s", DEVICE_LABEL, text);
    ret->label[0] = skr_arena_strdup(r->arena, label);
    ret->attribute = ret->label[0] ? ret->label[0] + strlen(DEVICE_LABEL) : NULL;
    ret->n_labels = 1;
    return ret->attribute ? 0 : no_room(error);
}

static int read_labels(const struct reader *r, size_t i, const json_t *object,
                       struct skr_label_level *ret, struct skr_error *error)
{
    const json_t *one = json_object_get(object, "label"), *list = json_object_get(object, "labels");
    const json_t *attribute = json_object_get(object, "attribute");
    struct skr_subject about = at_level(r, i, list ? "labels" : one ? "label" : NULL);
    int rc = 0;
    if (attribute && !one && !list) {
        return read_attribute(r, i, attribute, ret, error);
    }
    if (attribute || !one == !list || (list && json_is_array(list) && json_array_size(list) == 0)) {
        rc = skr_error_set_at(error, SKR_INVALID, &about,
                              "a level needs either \"label\", \"labels\" or \"attribute\"");
        return report(r, "MissingKey", rc, error);
    }
    if (one) {
        return add_label(r, &about, one, ret, error);
    }
    if (!json_is_array(list)) {
        return refuse_type(r, &about, "a list of strings", list, error);
    }
    for (size_t k = 0; rc == 0 && k < json_array_size(list); k++) {
        rc = add_label(r, &about, json_array_get(list, k), ret, error);
    }
    return rc;
}

static int read_until(const struct reader *r, size_t i, const json_t *object,
                      struct skr_label_level *ret, struct skr_error *error)
{
    const json_t *value = json_object_get(object, "until");
    const struct skr_subject about = at_level(r, i, "until");
    const char *text = json_string_value(value);
    if (!value) {
        return 0;
    }
    if (!text) {
        return refuse_type(r, &about, "a string", value, error);
    }
    if (!*text || strlen(text) > SKR_LABEL_UNTIL_MAX) {
        int rc = skr_error_set_at(error, SKR_INVALID, &about, "must have 1 to %d bytes, got %zu",
                                  (int)SKR_LABEL_UNTIL_MAX, strlen(text));
        return report(r, "InvalidValue", rc, error);
    }
    ret->until = skr_arena_strdup(r->arena, text);
    return ret->until ? 0 : no_room(error);
}

static int read_level(const struct reader *r, struct skr_label_levels *levels, size_t i,
                      json_t *object, struct skr_error *error)
{
    static const char *const known[] = {"name", "label", "labels", "attribute", "until"};
    enum { KNOWN = sizeof known / sizeof known[0] };
    struct skr_label_level level = {.name = NULL};
    const char *member;
    json_t *value;
    const struct skr_subject about = at_level(r, i, NULL);
    if (!json_is_object(object)) {
        return refuse_type(r, &about, "an object", object, error);
    }
    int rc = read_name(r, levels, i, object, &level, error);
    json_object_foreach(object, member, value)
    {
        if (!skr_names_include(known, KNOWN, member) && (rc == 0 || r->defects)) {
            rc = refuse_unknown(r, &about, member, known, KNOWN, error);
        }
    }
    if (rc == 0 || r->defects) {
        int one = read_labels(r, i, object, &level, error);
        rc = rc < 0 ? rc : one;
    }
    if (rc == 0 || r->defects) {
        int one = read_until(r, i, object, &level, error);
        rc = rc < 0 ? rc : one;
    }
    levels->level[levels->n++] = level;
    return rc;
}

static int read_list(const struct reader *r, json_t *list, struct skr_label_levels *ret,
                     struct skr_error *error)
{
    const struct skr_subject about =
        r->in_object ? at_member(r, "levels") : (struct skr_subject){.key = r->key, .at = {1, 1}};
    int rc = 0;
    if (!json_is_array(list)) {
        return refuse_type(r, &about, "a list of levels", list, error);
    }
    const size_t n = json_array_size(list);
    if (n == 0) {
        rc = skr_error_set_at(error, SKR_INVALID, &about, "is empty");
        return report(r, "EmptyValue", rc, error);
    }
    if (n > SKR_LABEL_LEVELS_MAX) {
        rc = skr_error_set_at(error, SKR_LIMIT, &about,
                              "%zu levels, limit %d, and \"node\" below them", n,
                              (int)SKR_LABEL_LEVELS_MAX);
        return report(r, "Limit", rc, error);
    }
    for (size_t i = 0; i < n && (rc == 0 || r->defects); i++) {
        int one = read_level(r, ret, i, json_array_get(list, i), error);
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

/* ---- presets ---- */

bool skr_label_levels_set_missing(struct skr_label_levels *levels, const char *missing)
{
    const bool pad = strcmp(missing, "pad") == 0;
    if (!*missing) {
        return true;
    }
    levels->pad = pad;
    return pad || strcmp(missing, "exclude") == 0;
}

int skr_label_levels_choose(const char *preset, const char *missing, struct skr_label_levels *ret,
                            struct skr_error *error)
{
    const struct skr_label_levels *found = skr_label_levels_preset(preset);
    if (!found) {
        SKR_STRBUF(names);
        for (size_t i = 0; skr_label_levels_preset_name(i); i++) {
            skr_strbuf_addf(&names, "%s%s", i > 0 ? ", " : "", skr_label_levels_preset_name(i));
        }
        return skr_error_set(error, SKR_INVALID, "\"%.*s\" is no preset; there are %s", QUOTE_MAX,
                             preset, names.s);
    }
    *ret = *found;
    if (!skr_label_levels_set_missing(ret, missing)) {
        return skr_error_set(error, SKR_INVALID, "\"%.*s\" is neither exclude nor pad", QUOTE_MAX,
                             missing);
    }
    return 0;
}

/* ---- the whole text ---- */

static int read_missing(const struct reader *r, const json_t *object, struct skr_label_levels *ret,
                        struct skr_error *error)
{
    const json_t *value = json_object_get(object, "missing");
    const struct skr_subject about = at_member(r, "missing");
    const char *text = json_string_value(value);
    if (!value || (text && *text && skr_label_levels_set_missing(ret, text))) {
        return 0;
    }
    int rc = skr_error_set_at(error, SKR_INVALID, &about, "must be \"exclude\" or \"pad\"");
    return report(r, "InvalidValue", rc, error);
}

static int read_preset(const struct reader *r, const json_t *value, struct skr_label_levels *ret,
                       struct skr_error *error)
{
    const struct skr_subject about = at_member(r, "preset");
    struct skr_error inner;
    if (!json_is_string(value)) {
        return refuse_type(r, &about, "a string", value, error);
    }
    if (skr_label_levels_choose(json_string_value(value), "", ret, &inner) < 0) {
        int rc = skr_error_set_at(error, SKR_INVALID, &about, "%s", inner.text);
        return report(r, "InvalidValue", rc, error);
    }
    return 0;
}

static int read_object(struct reader *r, json_t *object, struct skr_label_levels *ret,
                       struct skr_error *error)
{
    static const char *const known[] = {"preset", "levels", "missing"};
    enum { KNOWN = sizeof known / sizeof known[0] };
    json_t *preset = json_object_get(object, "preset"), *list = json_object_get(object, "levels");
    const struct skr_subject whole = {.key = r->key, .at = {1, 1}};
    const char *member;
    json_t *value;
    int rc = 0;
    json_object_foreach(object, member, value)
    {
        if (!skr_names_include(known, KNOWN, member) && (rc == 0 || r->defects)) {
            const struct skr_subject about = at_member(r, member);
            rc = refuse_unknown(r, &about, member, known, KNOWN, error);
        }
    }
    if (!preset == !list) {
        int one =
            skr_error_set_at(error, SKR_INVALID, &whole, "needs either \"preset\" or \"levels\"");
        return report(r, "MissingKey", one, error);
    }
    if (rc == 0 || r->defects) {
        r->in_object = true;
        int one = list ? read_list(r, list, ret, error) : read_preset(r, preset, ret, error);
        rc = rc < 0 ? rc : one;
    }
    if (rc == 0 || r->defects) {
        int one = read_missing(r, object, ret, error);
        rc = rc < 0 ? rc : one;
    }
    return rc;
}

int skr_label_levels_parse(const char *key, const char *text, const struct skr_defects *defects,
                           struct skr_arena *arena, struct skr_label_levels *ret,
                           struct skr_error *error)
{
    struct reader r = {.key = key, .text = text, .defects = defects, .arena = arena};
    struct skr_label_levels levels = {.n = 0};
    const struct skr_subject whole = {.key = key, .at = {1, 1}};
    json_t *root = NULL;
    int rc = skr_json_text_parse(key, text, SKR_LABEL_LEVELS_TEXT_MAX, &root, error);
    if (rc < 0) {
        return report(&r, rc == -SKR_LIMIT ? "Limit" : "InvalidJSON", rc, error);
    }
    if (json_is_array(root)) {
        rc = read_list(&r, root, &levels, error);
    } else if (json_is_object(root)) {
        rc = read_object(&r, root, &levels, error);
    } else {
        rc = refuse_type(&r, &whole, "a list of levels, or an object with a preset", root, error);
    }
    json_decref(root);
    if (rc == 0) {
        *ret = levels;
    }
    return rc;
}

/* ---- values ---- */

const char *skr_label_level_value(const struct skr_label_level *level,
                                  const struct skr_labels *labels, size_t *ret_length)
{
    for (size_t i = 0; i < level->n_labels; i++) {
        const char *value = skr_labels_get(labels, level->label[i]);
        if (!value || skr_tree_check_name("unit", value, NULL) < 0) {
            continue;
        }
        const char *end = level->until ? strstr(value, level->until) : NULL;
        const size_t length = end ? (size_t)(end - value) : strlen(value);
        if (length > 0) {
            *ret_length = length;
            return value;
        }
    }
    return NULL;
}

bool skr_label_levels_agree(const struct skr_label_levels *levels, const struct skr_labels *a,
                            const struct skr_labels *b)
{
    for (size_t l = 0; l < levels->n; l++) {
        size_t n = 0, m = 0;
        const char *x = skr_label_level_value(&levels->level[l], a, &n);
        const char *y = skr_label_level_value(&levels->level[l], b, &m);
        if (!x != !y || n != m || (x && y && memcmp(x, y, n) != 0)) {
            return false;
        }
    }
    return true;
}

bool skr_label_levels_name_devices(const struct skr_label_levels *levels)
{
    size_t l = 0;
    while (l < levels->n && !levels->level[l].attribute) {
        l++;
    }
    return l < levels->n;
}

void skr_label_level_say_labels(const struct skr_label_level *level, struct skr_strbuf *b)
{
    if (level->attribute) {
        skr_strbuf_addf(b, "attribute %s", level->attribute);
        return;
    }
    skr_strbuf_add(b, "label ");
    for (size_t i = 0; i < level->n_labels; i++) {
        skr_strbuf_addf(b, "%s%s", i > 0 ? " or " : "", level->label[i]);
    }
}
