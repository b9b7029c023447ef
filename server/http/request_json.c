/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request bodies. Filter and prioritize are the hot ones (5,000 names, 200 KB): they are read in one pass,
 * one value at a time, and names stay in the body. The rare or small bodies of preempt and bind become
 * trees.
 */
#include "server/http/request_json.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology/base/json_tree.h"

enum {
    NODE_NAMES_BYTES_MAX = 32 * 1024 * 1024, /* names copied out of Node objects */
};

const char *skr_verb_name(enum skr_verb verb)
{
    static const char *const name[] = {"filter", "prioritize", "preempt", "bind"};
    _Static_assert(sizeof name / sizeof name[0] == SKR_VERB_COUNT, "one name a verb");

    return (size_t)verb < SKR_VERB_COUNT ? name[verb] : "?";
}

/* ---- filter and prioritize ---- */

/* A body that is being read. */
struct parse {
    struct skr_json_reader *reader;
    struct skr_verb_args *args;
    size_t cap[2]; /* of node and item, which grow together */
    struct skr_error *error;
};

/* The key of a Go struct without tags. */
static bool is_key(const struct skr_json *key, const char *name)
{
    return key->n == strlen(name) && strncasecmp(key->text, name, key->n) == 0;
}

static int fail(struct parse *p)
{
    return skr_json_error(p->reader, p->error);
}

static int add_node(struct parse *p, const char *name, const struct skr_body_part *item)
{
    struct skr_verb_args *args = p->args;
    if (args->n_nodes == SKR_VERB_NODES_MAX) {
        return skr_error_set(p->error, SKR_LIMIT, "more than %d nodes", (int)SKR_VERB_NODES_MAX);
    }
    if (args->n_nodes == p->cap[0]) {
        skr_grow(&args->node, &p->cap[0], args->n_nodes + 1, sizeof *args->node);
    }
    args->node[args->n_nodes] = name;
    if (item) {
        skr_grow(&args->item, &p->cap[1], args->n_nodes + 1, sizeof *args->item);
        args->item[args->n_nodes] = *item;
    }
    args->n_nodes++;
    return 0;
}

/* NULL: there is no room. */
static const char *copy_name(struct skr_verb_args *args, const struct skr_json *name)
{
    if (!args->arena) {
        args->arena = skr_arena_create(NODE_NAMES_BYTES_MAX, 0);
    }
    return args->arena ? skr_arena_strndup(args->arena, name->text, name->n) : NULL;
}

/* A name that the reader has passed stays in the body, with an end in place of its closing quote; one with
 * escapes is copied. */
static const char *keep_name(struct parse *p, const struct skr_json *name)
{
    char *const body = p->args->body;
    const size_t at = (size_t)((uintptr_t)name->text - (uintptr_t)body);
    if (at >= p->reader->pos) {
        return copy_name(p->args, name);
    }
    body[at + name->n] = '\0';
    return body + at;
}

static int parse_node_names(struct parse *p)
{
    const struct skr_json *name;
    bool first = true;
    p->args->n_nodes = 0;
    p->args->nodes_form = false;
    if (!skr_json_enter(p->reader, '[')) {
        return fail(p);
    }
    while (skr_json_element(p->reader, &first)) {
        const char *use = ""; /* null is the zero value */
        if (!skr_json_read(p->reader, &name)) {
            break;
        }
        if (name->type == SKR_JSON_STRING) {
            use = keep_name(p, name);
        } else if (name->type != SKR_JSON_NULL) {
            return skr_error_set(p->error, SKR_INVALID, "byte %zu: a string is expected",
                                 p->reader->pos);
        }
        const int rc = use ? add_node(p, use, NULL)
                           : skr_error_set(p->error, SKR_LIMIT, "names take more than %d bytes",
                                           (int)NODE_NAMES_BYTES_MAX);
        if (rc != 0) {
            return rc;
        }
    }
    return !p->reader->what ? 0 : fail(p);
}

/* Copies metadata.name of a Node: the object itself is echoed byte by byte. */
static int add_item(struct parse *p, const struct skr_json *node, const struct skr_body_part *item)
{
    const struct skr_json *name = skr_json_get(skr_json_get(node, "metadata"), "name");
    if (!name || name->type != SKR_JSON_STRING) {
        return skr_error_set(p->error, SKR_INVALID, "Nodes.items[%zu]: no metadata.name",
                             p->args->n_nodes);
    }
    const char *copy = copy_name(p->args, name);
    if (!copy) {
        return skr_error_set(p->error, SKR_LIMIT, "Nodes.items[%zu]: names take more than %d bytes",
                             p->args->n_nodes, (int)NODE_NAMES_BYTES_MAX);
    }
    return add_node(p, copy, item);
}

/* Reads over a value that does not count. */
static bool pass_over(struct parse *p)
{
    const struct skr_json *value;
    return skr_json_read(p->reader, &value);
}

static int parse_items(struct parse *p)
{
    const struct skr_json *node;
    bool first = true;
    p->args->n_nodes = 0;
    if (skr_json_peek(p->reader) == 'n') {
        return pass_over(p) ? 0 : fail(p);
    }
    if (!skr_json_enter(p->reader, '[')) {
        return fail(p);
    }
    while (skr_json_element(p->reader, &first)) {
        (void)skr_json_peek(p->reader);
        struct skr_body_part item = {.s = p->args->body + p->reader->pos};
        if (!skr_json_read(p->reader, &node)) {
            break;
        }
        item.len = (size_t)(p->args->body + p->reader->pos - item.s);
        const int rc = add_item(p, node, &item);
        if (rc != 0) {
            return rc;
        }
    }
    return !p->reader->what ? 0 : fail(p);
}

static int parse_node_list(struct parse *p)
{
    struct skr_json key;
    bool first = true;
    int rc = 0;
    p->args->n_nodes = 0;
    p->args->nodes_form = true;
    if (!skr_json_enter(p->reader, '{')) {
        return fail(p);
    }
    while (rc == 0 && skr_json_member(p->reader, &first, &key)) {
        if (is_key(&key, "items")) {
            rc = parse_items(p);
        } else if (!pass_over(p)) {
            break;
        }
    }
    return rc != 0 || !p->reader->what ? rc : fail(p);
}

/* What is wrong with the pod counts only if the body is JSON. */
static int read_pod(struct parse *p, struct skr_pod_shapes *shapes, struct skr_error *error)
{
    const struct skr_json *pod;
    if (!skr_json_read(p->reader, &pod)) {
        return 0;
    }
    skr_pod_destroy(p->args->pod);
    p->args->pod = NULL;
    return pod->type == SKR_JSON_OBJECT ? skr_pod_read(shapes, pod, &p->args->pod, error)
                                        : skr_error_set(error, SKR_INVALID, "must be an object");
}

/* NodeNames, when it is there, is what is asked; else Nodes. Whatever comes second in the text
 * must not overwrite what counts: Nodes is therefore only read when no NodeNames was seen. */
static int parse_filter(struct skr_verb_args *args, size_t len, struct skr_pod_shapes *shapes,
                        struct skr_error *error)
{
    SKR_JSON_READER(reader);
    struct parse p = {.reader = &reader, .args = args, .error = error};
    struct skr_error of_pod;
    struct skr_json key;
    int rc = 0, pod_rc = skr_error_set(&of_pod, SKR_INVALID, "missing");
    bool named = false, first = true;
    reader.refuse_nul = true;
    skr_json_begin(&reader, args->body, len);
    if (!skr_json_enter(&reader, '{')) {
        return fail(&p);
    }
    while (rc == 0 && skr_json_member(&reader, &first, &key)) {
        const bool is_null = skr_json_peek(&reader) == 'n';
        if (is_key(&key, "Pod")) {
            pod_rc = read_pod(&p, shapes, &of_pod);
        } else if (is_key(&key, "NodeNames") && !is_null) {
            named = true;
            rc = parse_node_names(&p);
            rc = rc != 0 ? skr_error_prefix(error, "NodeNames") : 0;
        } else if (is_key(&key, "Nodes") && !named && !is_null) {
            rc = parse_node_list(&p);
            rc = rc != 0 ? skr_error_prefix(error, "Nodes") : 0;
        } else if (!pass_over(&p)) {
            break;
        }
    }
    if (rc != 0) {
        return rc;
    }
    if (!skr_json_finish(&reader)) {
        return fail(&p);
    }
    if (pod_rc != 0) {
        *error = of_pod;
        return skr_error_prefix(error, "Pod");
    }
    return 0;
}

/* ---- preempt and bind ---- */

/* Member of a Go struct: any case, the last one counts, null is absent. */
static json_t *member(json_t *object, const char *name)
{
    json_t *found = NULL;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (strcasecmp(key, name) == 0) {
            found = value;
        }
    }
    return json_is_null(found) ? NULL : found;
}

static int load(struct skr_verb_args *args, size_t len, struct skr_error *error)
{
    SKR_JSON_READER(reader);
    const struct skr_json *body;
    reader.refuse_nul = true;
    const int rc = skr_json_read_text(&reader, args->body, len, &body, error);
    if (rc != 0) {
        return rc;
    }
    args->json = skr_json_tree(body);
    if (!json_is_object(args->json)) {
        return skr_error_set(error, SKR_INVALID, "byte 0: an object is expected");
    }
    return 0;
}

static int victim_uid(json_t *victim, bool meta, const char **ret)
{
    if (!json_is_object(victim)) {
        return -SKR_INVALID;
    }
    if (meta) {
        *ret = json_string_value(member(victim, "UID"));
    } else {
        json_t *metadata = json_object_get(victim, "metadata");
        *ret = json_string_value(json_object_get(metadata, "uid"));
    }
    return *ret && **ret != 0 ? 0 : -SKR_INVALID;
}

static int parse_candidate(struct skr_verb_args *args, const char *node, json_t *victims, bool meta,
                           struct skr_error *error)
{
    struct skr_preempt_node *c = &args->candidate[args->n_candidates];
    c->node = node;
    if (json_is_null(victims)) {
        args->n_candidates++;
        return 0;
    }
    if (!json_is_object(victims)) {
        return skr_error_set(error, SKR_INVALID, "victims of node %s: must be an object", node);
    }
    json_t *violations = member(victims, "NumPDBViolations");
    if (violations && !json_is_integer(violations)) {
        return skr_error_set(error, SKR_INVALID,
                             "victims of node %s: NumPDBViolations must be an integer", node);
    }
    args->pdb_violations[args->n_candidates] = json_integer_value(violations);
    json_t *pods = member(victims, "Pods");
    if (pods && !json_is_array(pods)) {
        return skr_error_set(error, SKR_INVALID, "victims of node %s: Pods must be an array", node);
    }
    c->n_uids = json_array_size(pods);
    c->uid = skr_arena_array(args->arena, c->n_uids, sizeof *c->uid);
    if (!c->uid) {
        return skr_error_set(error, SKR_LIMIT, "victims take more than %d bytes",
                             (int)NODE_NAMES_BYTES_MAX);
    }
    for (size_t i = 0; i < c->n_uids; i++) {
        if (victim_uid(json_array_get(pods, i), meta, &c->uid[i]) != 0) {
            return skr_error_set(error, SKR_INVALID, "victims of node %s: Pods[%zu] has no UID",
                                 node, i);
        }
    }
    args->n_candidates++;
    return 0;
}

static int parse_candidates(struct skr_verb_args *args, json_t *map, bool meta,
                            struct skr_error *error)
{
    const char *node;
    json_t *victims;
    const size_t n = json_object_size(map);
    if (!json_is_object(map)) {
        return skr_error_set_key(error, SKR_INVALID, "candidates", "must be an object");
    }
    if (n > SKR_VERB_NODES_MAX) {
        return skr_error_set(error, SKR_LIMIT, "more than %d nodes", (int)SKR_VERB_NODES_MAX);
    }
    args->arena = skr_arena_create(NODE_NAMES_BYTES_MAX, 0);
    if (!args->arena) {
        return skr_error_set(error, SKR_NO_MEMORY, "out of memory");
    }
    args->candidate = skr_alloc_array(n, sizeof *args->candidate);
    args->pdb_violations = skr_alloc_array(n, sizeof *args->pdb_violations);
    json_object_foreach(map, node, victims)
    {
        const int rc = parse_candidate(args, node, victims, meta, error);
        if (rc != 0) {
            return rc;
        }
    }
    return 0;
}

static int parse_preempt(struct skr_verb_args *args, size_t len, struct skr_error *error)
{
    int rc = load(args, len, error);
    if (rc != 0) {
        return rc;
    }
    json_t *pod = member(args->json, "Pod");
    if (!json_is_object(pod)) {
        return skr_error_set_key(error, SKR_INVALID, "Pod", "must be an object");
    }
    rc = skr_pod_decode(pod, &args->pod, error);
    if (rc != 0) {
        return skr_error_prefix(error, "Pod");
    }
    json_t *meta = member(args->json, "NodeNameToMetaVictims");
    json_t *full = member(args->json, "NodeNameToVictims");
    if (!meta && !full) {
        return 0;
    }
    return parse_candidates(args, meta ? meta : full, meta, error);
}

static int bind_string(struct skr_verb_args *args, const char *key, bool required, const char **ret,
                       struct skr_error *error)
{
    json_t *value = member(args->json, key);
    if (value && !json_is_string(value)) {
        return skr_error_set_key(error, SKR_INVALID, key, "must be a string");
    }
    *ret = value ? json_string_value(value) : "";
    if (required && **ret == 0) {
        return skr_error_set_key(error, SKR_INVALID, key, "missing");
    }
    return 0;
}

static int parse_bind(struct skr_verb_args *args, size_t len, struct skr_error *error)
{
    int rc = load(args, len, error);
    if (rc == 0) {
        rc = bind_string(args, "PodNamespace", true, &args->namespace_, error);
    }
    if (rc == 0) {
        rc = bind_string(args, "PodName", true, &args->name, error);
    }
    if (rc == 0) {
        rc = bind_string(args, "PodUID", false, &args->uid, error);
    }
    if (rc == 0) {
        rc = bind_string(args, "Node", true, &args->bind_node, error);
    }
    return rc;
}

/* ---- all ---- */

int skr_verb_args_parse(enum skr_verb verb, char *body, size_t len, struct skr_pod_shapes *shapes,
                        struct skr_verb_args *ret, struct skr_error *error)
{
    int rc;
    *ret = (struct skr_verb_args){.verb = verb, .body = body};
    switch (verb) {
    case SKR_VERB_FILTER:
    case SKR_VERB_PRIORITIZE:
        rc = parse_filter(ret, len, shapes, error);
        break;
    case SKR_VERB_PREEMPT:
        rc = parse_preempt(ret, len, error);
        break;
    case SKR_VERB_BIND:
        rc = parse_bind(ret, len, error);
        break;
    case SKR_VERB_COUNT:
    default:
        rc = skr_error_set(error, SKR_BUG, "verb %d is unknown", (int)verb);
        break;
    }
    if (rc != 0) {
        skr_verb_args_fini(ret);
    } else if (verb == SKR_VERB_PREEMPT || verb == SKR_VERB_BIND) {
        free(ret->body); /* the tree has copied everything */
        ret->body = NULL;
    }
    return rc;
}

void skr_verb_args_fini(struct skr_verb_args *args)
{
    skr_pod_destroy(args->pod);
    free(args->node);
    free(args->item);
    free(args->candidate);
    free(args->pdb_violations);
    free(args->body);
    json_decref(args->json);
    skr_arena_destroy(args->arena);
    *args = (struct skr_verb_args){.verb = args->verb};
}
