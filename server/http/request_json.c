/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request bodies. Filter and prioritize are the hot ones (5,000 names, 200 KB) and go through the
 * cursor of json_scan.h in one pass: names are pointers into the body, and so does their pod
 * (core/pod/reader.h) unless it is odd. The rare or small bodies of preempt and bind are decoded with
 * libjansson.
 */
#include "server/http/request_json.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* node and item grow together. */
static int add_node(struct skr_verb_args *args, size_t cap[2], const char *name,
                    const struct skr_json_span *item, struct skr_error *error)
{
    if (args->n_nodes == SKR_VERB_NODES_MAX) {
        return skr_error_set(error, SKR_LIMIT, "more than %d nodes", (int)SKR_VERB_NODES_MAX);
    }
    skr_grow(&args->node, &cap[0], args->n_nodes + 1, sizeof *args->node);
    args->node[args->n_nodes] = name;
    if (item) {
        skr_grow(&args->item, &cap[1], args->n_nodes + 1, sizeof *args->item);
        args->item[args->n_nodes] = *item;
    }
    args->n_nodes++;
    return 0;
}

static int parse_node_names(struct skr_json_scan *scan, struct skr_verb_args *args, size_t cap[2],
                            struct skr_error *error)
{
    bool first = true;
    char *name = NULL;
    int rc;
    args->n_nodes = 0;
    args->nodes_form = false;
    if (!skr_json_scan_enter(scan, '[')) {
        return skr_json_scan_error(scan, error);
    }
    while (skr_json_scan_element(scan, &first)) {
        static const char empty[] = "";
        const char *use = empty; /* null is the zero value */
        if (skr_json_scan_peek(scan) == 'n') {
            if (!skr_json_scan_null(scan)) {
                break;
            }
        } else if (skr_json_scan_string(scan, &name)) {
            use = name;
        } else {
            break;
        }
        rc = add_node(args, cap, use, NULL, error);
        if (rc != 0) {
            return rc;
        }
    }
    return !scan->what ? 0 : skr_json_scan_error(scan, error);
}

static bool raw_is(const struct skr_json_span *raw, const char *quoted)
{
    return raw->len == strlen(quoted) && memcmp(raw->s, quoted, raw->len) == 0;
}

/* The value of an object's member, its text left as it is; ret->s NULL when absent. */
static bool raw_member(const struct skr_json_span *object, const char *quoted,
                       struct skr_json_span *ret)
{
    struct skr_json_scan scan;
    struct skr_json_span key;
    struct skr_json_span value;
    bool first = true;
    *ret = (struct skr_json_span){0};
    skr_json_scan_init(&scan, object->s, object->len);
    if (!skr_json_scan_enter(&scan, '{')) {
        return false;
    }
    while (skr_json_scan_raw_member(&scan, &first, &key)) {
        if (!skr_json_scan_value(&scan, &value)) {
            return false;
        }
        if (raw_is(&key, quoted)) {
            *ret = value;
        }
    }
    return ret->s;
}

/* metadata.name of a Node, copied: the object itself is echoed byte by byte. */
static int node_name(struct skr_verb_args *args, const struct skr_json_span *item, const char **ret,
                     struct skr_error *error)
{
    struct skr_json_span metadata;
    struct skr_json_span raw;
    struct skr_json_scan scan;
    char *name = NULL;
    if (!raw_member(item, "\"metadata\"", &metadata) || !raw_member(&metadata, "\"name\"", &raw) ||
        raw.s[0] != '"') {
        return skr_error_set(error, SKR_INVALID, "Nodes.items[%zu]: no metadata.name",
                             args->n_nodes);
    }
    if (!args->arena) {
        args->arena = skr_arena_create(NODE_NAMES_BYTES_MAX, 0);
    }
    char *copy = args->arena ? skr_arena_strndup(args->arena, raw.s, raw.len) : NULL;
    if (!copy) {
        return skr_error_set(error, SKR_LIMIT, "Nodes.items[%zu]: names take more than %d bytes",
                             args->n_nodes, (int)NODE_NAMES_BYTES_MAX);
    }
    skr_json_scan_init(&scan, copy, raw.len);
    if (!skr_json_scan_string(&scan, &name)) {
        return skr_json_scan_error(&scan, error);
    }
    *ret = name;
    return 0;
}

static int parse_items(struct skr_json_scan *scan, struct skr_verb_args *args, size_t cap[2],
                       struct skr_error *error)
{
    struct skr_json_span item;
    const char *name = NULL;
    bool first = true;
    int rc;
    args->n_nodes = 0;
    if (skr_json_scan_peek(scan) == 'n') {
        return skr_json_scan_null(scan) ? 0 : skr_json_scan_error(scan, error);
    }
    if (!skr_json_scan_enter(scan, '[')) {
        return skr_json_scan_error(scan, error);
    }
    while (skr_json_scan_element(scan, &first)) {
        if (!skr_json_scan_value(scan, &item)) {
            break;
        }
        rc = node_name(args, &item, &name, error);
        if (rc == 0) {
            rc = add_node(args, cap, name, &item, error);
        }
        if (rc != 0) {
            return rc;
        }
    }
    return !scan->what ? 0 : skr_json_scan_error(scan, error);
}

static int parse_node_list(struct skr_json_scan *scan, struct skr_verb_args *args, size_t cap[2],
                           struct skr_error *error)
{
    bool first = true;
    char *key;
    int rc = 0;
    args->n_nodes = 0;
    args->nodes_form = true;
    if (!skr_json_scan_enter(scan, '{')) {
        return skr_json_scan_error(scan, error);
    }
    while (rc == 0 && skr_json_scan_member(scan, &first, &key)) {
        if (strcasecmp(key, "items") == 0) {
            rc = parse_items(scan, args, cap, error);
        } else if (!skr_json_scan_value(scan, NULL)) {
            break;
        }
    }
    if (rc != 0) {
        return rc;
    }
    return !scan->what ? 0 : skr_json_scan_error(scan, error);
}

static bool read_pod(struct skr_pod_reader *reader, const struct skr_json_span *text,
                     struct skr_pod **ret)
{
    struct skr_json_scan scan;
    skr_json_scan_init(&scan, text->s, text->len);
    return reader && skr_pod_reader_read(reader, &scan, ret);
}

static int decode_pod(struct skr_pod_reader *reader, const struct skr_json_span *text,
                      struct skr_pod **ret, struct skr_error *error)
{
    json_error_t where;
    json_t *json;
    if (!text->s) {
        return skr_error_set_key(error, SKR_INVALID, "Pod", "missing");
    }
    if (read_pod(reader, text, ret)) {
        return 0;
    }
    json = json_loadb(text->s, text->len, JSON_DECODE_ANY, &where);
    if (!json) {
        return skr_error_set_key(error, SKR_INVALID, "Pod", "byte %d: %s", where.position,
                                 where.text);
    }
    int rc = json_is_object(json) ? skr_pod_decode(json, ret, error)
                                  : skr_error_set(error, SKR_INVALID, "must be an object");
    json_decref(json);
    return rc == 0 ? 0 : skr_error_prefix(error, "Pod");
}

/* NodeNames, when it is there, is what is asked; else Nodes. Whatever comes second in the text
 * must not overwrite what counts: Nodes is therefore only read when no NodeNames was seen. */
static int parse_filter(struct skr_verb_args *args, size_t len, struct skr_pod_reader *reader,
                        struct skr_error *error)
{
    struct skr_json_scan scan;
    struct skr_json_span pod = {0};
    size_t cap[2] = {0, 0};
    bool named = false;
    bool first = true;
    char *key;
    int rc = 0;
    skr_json_scan_init(&scan, args->body, len);
    if (!skr_json_scan_enter(&scan, '{')) {
        return skr_json_scan_error(&scan, error);
    }
    while (rc == 0 && skr_json_scan_member(&scan, &first, &key)) {
        if (strcasecmp(key, "Pod") == 0) {
            if (!skr_json_scan_value(&scan, &pod)) {
                break;
            }
        } else if (strcasecmp(key, "NodeNames") == 0 && skr_json_scan_peek(&scan) != 'n') {
            named = true;
            rc = parse_node_names(&scan, args, cap, error);
            if (rc != 0) {
                skr_error_prefix(error, "NodeNames");
            }
        } else if (strcasecmp(key, "Nodes") == 0 && !named && skr_json_scan_peek(&scan) != 'n') {
            rc = parse_node_list(&scan, args, cap, error);
            if (rc != 0) {
                skr_error_prefix(error, "Nodes");
            }
        } else if (!skr_json_scan_value(&scan, NULL)) {
            break;
        }
    }
    if (rc != 0) {
        return rc;
    }
    if (!skr_json_scan_end(&scan)) {
        return skr_json_scan_error(&scan, error);
    }
    return decode_pod(reader, &pod, &args->pod, error);
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
    json_error_t where;
    args->json = json_loadb(args->body, len, JSON_DECODE_ANY, &where);
    if (!args->json) {
        return skr_error_set(error, SKR_INVALID, "byte %d: %s", where.position, where.text);
    }
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

int skr_verb_args_parse(enum skr_verb verb, char *body, size_t len, struct skr_pod_reader *reader,
                        struct skr_verb_args *ret, struct skr_error *error)
{
    int rc;
    *ret = (struct skr_verb_args){.verb = verb, .body = body};
    switch (verb) {
    case SKR_VERB_FILTER:
    case SKR_VERB_PRIORITIZE:
        rc = parse_filter(ret, len, reader, error);
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
        free(ret->body); /* libjansson has copied everything */
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
