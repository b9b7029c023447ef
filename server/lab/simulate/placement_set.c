/* SPDX-License-Identifier: Apache-2.0 */
/* --set: changes one value of a Placement in its JSON before it is decoded. */
#include <stdlib.h>
#include <string.h>

#include "server/lab/simulate/placement.h"
#include "server/lab/simulate/set.h"
#include "server/object/path.h"
#include "topology/base/suggest.h"

enum { INDEX_MAX = 1024, STEPS_MAX = 16, KEY_MAX = 128 };

struct step {
    char key[KEY_MAX]; /* "": an entry of a list */
    size_t index;
};

struct change {
    struct skr_change of;
    struct step step[STEPS_MAX];
    size_t n_steps;
};

static bool add_step(struct change *c, const char *at, size_t n, bool bracketed)
{
    if (n == 0 || n >= KEY_MAX || c->n_steps == STEPS_MAX) {
        return false;
    }
    struct step *step = &c->step[c->n_steps++];
    memcpy(step->key, at, n);
    step->key[n] = '\0';
    if (bracketed && strspn(step->key, "0123456789") == n && n < 5) {
        step->index = (size_t)strtoul(step->key, NULL, 10);
        step->key[0] = '\0';
        return step->index <= INDEX_MAX;
    }
    return true;
}

/* "a.b[0].c[a.key.with.dots]" */
static bool split_path(struct change *c)
{
    for (const char *at = c->of.path; *at;) {
        if (*at == '[') {
            size_t n = strcspn(at + 1, "]");
            if (at[n + 1] != ']' || !add_step(c, at + 1, n, true)) {
                return false;
            }
            at += n + 2;
        } else {
            size_t n = strcspn(at, ".[");
            if (!add_step(c, at, n, false)) {
                return false;
            }
            at += n;
        }
        if (*at == '.' && !*++at) {
            return false;
        }
    }
    return c->n_steps > 0 && c->step[0].key[0];
}

static json_t *find(const struct skr_fleet_input *input, const struct change *c, size_t *ret_n)
{
    json_t *found = NULL, *in_default = NULL;
    *ret_n = 0;
    for (size_t i = 0; i < input->manifests.n; i++) {
        json_t *object = input->manifests.item[i].object;
        const char *own = skr_path_text(object, "metadata.namespace");
        own = own[0] ? own : "default";
        if (strcmp(skr_path_text(object, "kind"), "Placement") != 0 ||
            strcmp(skr_path_text(object, "metadata.name"), c->of.name) != 0 ||
            (c->of.namespace_ && strcmp(own, c->of.namespace_) != 0)) {
            continue;
        }
        ++*ret_n;
        found = object;
        in_default = strcmp(own, "default") == 0 ? object : in_default;
    }
    if (*ret_n > 1 && !c->of.namespace_ && in_default) {
        *ret_n = 1;
        return in_default;
    }
    return found;
}

/* ---- what a Placement has ---- */

static const char *const roots[] = {"metadata", "spec", "status"};
static const char *const words[] = {"addOn",
                                    "builtIn",
                                    "celExpressions",
                                    "celSelector",
                                    "claimSelector",
                                    "clusterSets",
                                    "clustersPerDecisionGroup",
                                    "configurations",
                                    "decisionGroups",
                                    "decisionStrategy",
                                    "effect",
                                    "groupClusterSelector",
                                    "groupName",
                                    "groupStrategy",
                                    "key",
                                    "labelSelector",
                                    "matchExpressions",
                                    "matchLabels",
                                    "maxSkew",
                                    "mode",
                                    "name",
                                    "numberOfClusters",
                                    "operator",
                                    "predicates",
                                    "prioritizerPolicy",
                                    "requiredClusterSelector",
                                    "resourceName",
                                    "scoreCoordinate",
                                    "scoreName",
                                    "sortBy",
                                    "spreadConstraints",
                                    "spreadPolicy",
                                    "tolerationSeconds",
                                    "tolerations",
                                    "topologyKey",
                                    "topologyKeyType",
                                    "type",
                                    "value",
                                    "values",
                                    "weight",
                                    "whenUnsatisfiable"};

/* The first word of the path that no Placement has, so that the change would have no effect. NULL:
 * none. */
static const char *find_unknown(const struct change *c, const char **ret_meant)
{
    const size_t n_roots = sizeof roots / sizeof *roots, n_words = sizeof words / sizeof *words;
    *ret_meant = NULL;
    if (!skr_names_include(roots, n_roots, c->step[0].key)) {
        *ret_meant = skr_suggest(c->step[0].key, roots, n_roots);
        *ret_meant = *ret_meant                                          ? *ret_meant
                     : skr_names_include(words, n_words, c->step[0].key) ? "spec"
                                                                         : NULL;
        return c->step[0].key;
    }
    for (size_t i = 1; strcmp(c->step[0].key, "spec") == 0 && i < c->n_steps; i++) {
        const char *key = c->step[i].key;
        if (key[0] && !skr_names_include(words, n_words, key)) {
            *ret_meant = skr_suggest(key, words, n_words);
            return key;
        }
        if (strcmp(key, "matchLabels") == 0) {
            break; /* the user's labels */
        }
    }
    return NULL;
}

/* JSON, or a text. NULL: not UTF-8. */
static json_t *value_of(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    return value ? value : json_string(text);
}

static json_t *child_of(json_t *parent, const struct step *step)
{
    return step->key[0] ? json_object_get(parent, step->key) : json_array_get(parent, step->index);
}

/* value: taken. An entry after the end is appended; null removes. */
static bool put(json_t *parent, const struct step *step, json_t *value)
{
    const bool removes = json_is_null(value);
    bool done = false;
    if (step->key[0] && json_is_object(parent)) {
        done = removes || json_object_set(parent, step->key, value) == 0;
        if (removes) {
            json_object_del(parent, step->key);
        }
    } else if (!step->key[0] && json_is_array(parent) && step->index < json_array_size(parent)) {
        done = (removes ? json_array_remove(parent, step->index)
                        : json_array_set(parent, step->index, value)) == 0;
    } else if (!step->key[0] && json_is_array(parent) && step->index == json_array_size(parent)) {
        done = removes || json_array_append(parent, value) == 0;
    }
    json_decref(value);
    return done;
}

static bool apply(json_t *object, const struct change *c, json_t *value)
{
    json_t *parent = object;
    for (size_t i = 0; i + 1 < c->n_steps; i++) {
        json_t *child = child_of(parent, &c->step[i]);
        if (!child || json_is_null(child)) {
            json_t *made = c->step[i + 1].key[0] ? json_object() : json_array();
            if (!put(parent, &c->step[i], made)) {
                json_decref(value);
                return false;
            }
            child = child_of(parent, &c->step[i]);
        }
        parent = child;
    }
    return put(parent, &c->step[c->n_steps - 1], value);
}

int skr_placement_set(struct skr_fleet_input *input, const char *change, struct skr_strbuf *errors)
{
    struct change c = {.n_steps = 0};
    size_t n = 0;
    int rc = 0;
    const bool read = skr_change_parse(change, &c.of) && split_path(&c);
    json_t *value = read ? value_of(c.of.value) : NULL;
    json_t *object = value ? find(input, &c, &n) : NULL;
    const char *meant = NULL, *unknown = read ? find_unknown(&c, &meant) : NULL;
    if (unknown) {
        skr_strbuf_addf(errors, "--set %.200s: a Placement has no \"%s\"%s%s%s\n", change, unknown,
                        meant ? " (did you mean \"" : "", meant ? meant : "", meant ? "\"?)" : "");
        json_decref(value);
        rc = -SKR_INVALID;
    } else if (!value) {
        skr_strbuf_addf(errors, "--set %.200s: it is [NAMESPACE/]PLACEMENT:PATH=VALUE\n", change);
        rc = -SKR_INVALID;
    } else if (n != 1) {
        skr_strbuf_addf(errors, "--set %.200s: %s %s in the files\n", change,
                        n == 0 ? "no Placement" : "several Placements", c.of.name);
        json_decref(value);
        rc = n == 0 ? -SKR_NOT_FOUND : -SKR_INVALID;
    } else if (!apply(object, &c, value)) {
        skr_strbuf_addf(errors, "--set %.200s: the Placement has no place at %s\n", change,
                        c.of.path);
        rc = -SKR_INVALID;
    }
    free(c.of.text);
    return rc;
}
