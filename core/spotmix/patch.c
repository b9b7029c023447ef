/* SPDX-License-Identifier: Apache-2.0 */
/* Operations in the order labels, annotations, affinity, toleration. */
#include "core/spotmix/patch.h"

#include <stdio.h>
#include <string.h>

#include "core/spotmix/json.h"
#include "core/spotmix/rule.h"
#include "topology/base/arena.h"
#include "topology/base/json_writer.h"

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"

enum {
    POINTER_MAX = 1024
}; /* bytes of a JSON pointer of ours; the longest is a key below labels */

static void add_operation(json_t *patch, const char *path, json_t *value)
{
    json_t *operation = json_object();
    json_object_set_new(operation, "op", json_string("add"));
    json_object_set_new(operation, "path", json_string(path));
    json_object_set_new(operation, "value", value);
    skr_bug_on(json_object_size(operation) != 3 || json_array_append_new(patch, operation) != 0);
}

/* A member's key below a pointer, escaped (RFC 6901). */
static void add_member(json_t *patch, const char *parent, const char *key, const char *value)
{
    char path[POINTER_MAX];
    size_t n = strlen(parent);
    memcpy(path, parent, n);
    for (path[n++] = '/'; *key != '\0'; key++) {
        skr_bug_on(n + 3 > sizeof path);
        if (*key == '~' || *key == '/') {
            path[n++] = '~';
            path[n++] = *key == '~' ? '0' : '1';
        } else {
            path[n++] = *key;
        }
    }
    path[n] = '\0';
    add_operation(patch, path, json_string(value));
}

/* Makes the parent when it is missing or null. */
static const json_t *parent_of(json_t *patch, const json_t *object, const char *key,
                               const char *path)
{
    const json_t *value = json_object_get(object, key);
    if (skr_object_is_absent(value)) {
        add_operation(patch, path, json_object());
    }
    return value;
}

/* value inside {key: ...}; takes value. */
static json_t *wrap(const char *key, json_t *value)
{
    json_t *object = json_object();
    skr_bug_on(json_object_set_new(object, key, value) != 0);
    return object;
}

static json_t *list_of(json_t *value)
{
    json_t *list = json_array();
    skr_bug_on(json_array_append(list, value) != 0);
    return list;
}

/* No required section yet: one term, with as much around it as is missing. */
static void add_section(json_t *patch, const json_t *affinity, json_t *expression)
{
    json_t *value = wrap("nodeSelectorTerms", json_array());
    json_array_append_new(json_object_get(value, "nodeSelectorTerms"),
                          wrap("matchExpressions", list_of(expression)));
    if (skr_object_is_absent(affinity)) {
        add_operation(patch, "/spec/affinity", wrap("nodeAffinity", wrap(REQUIRED, value)));
    } else if (skr_object_is_absent(json_object_get(affinity, "nodeAffinity"))) {
        add_operation(patch, "/spec/affinity/nodeAffinity", wrap(REQUIRED, value));
    } else {
        add_operation(patch, "/spec/affinity/nodeAffinity/" REQUIRED, value);
    }
}

/* Terms are alternatives, so the expression goes into every one that is not empty. */
static void add_affinity(json_t *patch, const json_t *spec, json_t *expression)
{
    const json_t *affinity = json_object_get(spec, "affinity");
    const json_t *required = json_object_get(json_object_get(affinity, "nodeAffinity"), REQUIRED);
    const json_t *terms = skr_spotmix_terms_of(spec);
    char path[POINTER_MAX];
    if (skr_object_is_absent(required)) {
        add_section(patch, affinity, expression);
        return;
    }
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *term = json_array_get(terms, i);
        if (skr_spotmix_term_is_empty(term) || skr_spotmix_term_has(term, expression)) {
            continue;
        }
        const bool list = !skr_object_is_absent(json_object_get(term, "matchExpressions"));
        snprintf(path, sizeof path,
                 "/spec/affinity/nodeAffinity/" REQUIRED
                 "/nodeSelectorTerms/%zu/matchExpressions%s",
                 i, list ? "/-" : "");
        add_operation(patch, path, list ? json_incref(expression) : list_of(expression));
    }
}

static void add_toleration(json_t *patch, const json_t *spec, json_t *toleration)
{
    if (skr_object_is_absent(json_object_get(spec, "tolerations"))) {
        add_operation(patch, "/spec/tolerations", list_of(toleration));
    } else {
        add_operation(patch, "/spec/tolerations/-", json_incref(toleration));
    }
}

json_t *skr_spotmix_patch_build(const struct skr_spotmix_keys *keys,
                                const struct skr_spotmix_classes *classes, const json_t *pod,
                                const struct skr_spotmix_slot *slot, bool *ret_cost_kept)
{
    json_t *patch = json_array();
    char number[16];
    const json_t *meta = parent_of(patch, pod, "metadata", "/metadata");
    (void)parent_of(patch, meta, "labels", "/metadata/labels");
    add_member(patch, "/metadata/labels", keys->class_, skr_spotmix_class_name(slot->class_));
    if (slot->index >= 0) {
        snprintf(number, sizeof number, "%ld", (long)slot->index);
        add_member(patch, "/metadata/labels", keys->index, number);
    }
    const json_t *annotations = parent_of(patch, meta, "annotations", "/metadata/annotations");
    add_member(patch, "/metadata/annotations", keys->token, slot->token);
    *ret_cost_kept = !skr_object_is_absent(json_object_get(annotations, SKR_SPOTMIX_COST_KEY));
    if (!*ret_cost_kept) {
        add_member(patch, "/metadata/annotations", SKR_SPOTMIX_COST_KEY,
                   skr_spotmix_class_cost(slot->class_));
    }
    const json_t *spec = parent_of(patch, pod, "spec", "/spec");
    add_affinity(patch, spec, classes->expression[slot->class_]);
    if (!skr_spotmix_is_tolerated(classes, spec, slot->class_)) {
        add_toleration(patch, spec, classes->toleration[slot->class_]);
    }
    return patch;
}

/* ---- as text ---- */

/* As deep as what patches are built of: seven levels, of which the input chooses none. */
static void write_value(struct skr_json_writer *w, const char *key, json_t *value)
{
    const char *name;
    json_t *member;
    size_t i;
    if (json_is_object(value)) {
        skr_json_open(w, key, '{');
        json_object_foreach(value, name, member)
        {
            write_value(w, name, member);
        }
        skr_json_close(w, '}');
    } else if (json_is_array(value)) {
        skr_json_open(w, key, '[');
        json_array_foreach(value, i, member)
        {
            write_value(w, NULL, member);
        }
        skr_json_close(w, ']');
    } else {
        skr_json_string(w, key, json_string_value(value));
    }
}

void skr_spotmix_patch_write(const json_t *patch, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '[');
    for (size_t i = 0; i < json_array_size(patch); i++) {
        write_value(&w, NULL, json_array_get(patch, i));
    }
    skr_json_close(&w, ']');
}

/* ---- applying ---- */

/* The next token with its escapes resolved; at: behind the slash. false: too long. */
static bool take_token(const char **at, char token[POINTER_MAX])
{
    size_t n = 0;
    for (; **at != '\0' && **at != '/'; ++*at) {
        if (n + 1 >= POINTER_MAX) {
            return false;
        }
        if (**at == '~') {
            ++*at;
            token[n++] = **at == '0' ? '~' : '/';
        } else {
            token[n++] = **at;
        }
    }
    token[n] = '\0';
    *at += **at == '/';
    return true;
}

static json_t *child_of(json_t *parent, const char *token)
{
    size_t i = 0;
    if (json_is_object(parent)) {
        return json_object_get(parent, token);
    }
    for (const char *at = token; *at != '\0'; at++) {
        i = i * 10 + (size_t)(*at - '0');
    }
    return json_array_get(parent, i);
}

static bool apply(json_t *pod, const char *path, const json_t *value)
{
    char token[POINTER_MAX];
    const char *at = path + 1;
    for (;;) {
        const bool last = !strchr(at, '/');
        if (!take_token(&at, token)) {
            return false;
        }
        if (last) {
            break;
        }
        pod = child_of(pod, token);
    }
    const bool append = strcmp(token, "-") == 0; /* no key of ours is that */
    if (json_is_object(pod)) {
        return !append && json_object_set_new(pod, token, json_deep_copy(value)) == 0;
    }
    return json_is_array(pod) && append && json_array_append_new(pod, json_deep_copy(value)) == 0;
}

bool skr_spotmix_patch_apply(json_t *pod, const json_t *patch)
{
    for (size_t i = 0; i < json_array_size(patch); i++) {
        const json_t *operation = json_array_get(patch, i);
        if (!apply(pod, skr_spotmix_text(operation, "path"), json_object_get(operation, "value"))) {
            return false;
        }
    }
    return true;
}

bool skr_spotmix_patch_is_done(const struct skr_spotmix_keys *keys,
                               const struct skr_spotmix_classes *classes, const json_t *pod,
                               enum skr_spotmix_class class_, int32_t index)
{
    const json_t *meta = json_object_get(pod, "metadata"), *spec = json_object_get(pod, "spec");
    const json_t *labels = json_object_get(meta, "labels");
    const json_t *annotations = json_object_get(meta, "annotations");
    const json_t *affinity = json_object_get(spec, "affinity");
    const json_t *terms = skr_spotmix_terms_of(spec);
    if (skr_spotmix_class_parse(skr_spotmix_text(labels, keys->class_)) != class_ ||
        (index >= 0 &&
         skr_spotmix_index_parse(skr_spotmix_text_or_null(labels, keys->index)) != index) ||
        *skr_spotmix_text(annotations, keys->token) == '\0' ||
        skr_object_is_absent(json_object_get(annotations, SKR_SPOTMIX_COST_KEY)) ||
        skr_object_is_absent(
            json_object_get(json_object_get(affinity, "nodeAffinity"), REQUIRED)) ||
        !skr_spotmix_is_tolerated(classes, spec, class_)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *term = json_array_get(terms, i);
        if (!skr_spotmix_term_is_empty(term) &&
            !skr_spotmix_term_has(term, classes->expression[class_])) {
            return false;
        }
    }
    return true;
}
