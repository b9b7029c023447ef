/* SPDX-License-Identifier: Apache-2.0 */
/* Converts bodies. Nodes are found by name through a hash; the rest is a walk. */
#include "server/lab/sandbox/extender_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uthash.h>

#include "server/object/path.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

/* For a sum of weighted scores: times 10 it fits into 32 bits. */
enum { SCORE_LIMIT = 100000000 };

/* ---- requests ---- */

/* The object without managedFields, as in kube-scheduler's informer. New reference. */
static json_t *without_managed_fields(const json_t *object)
{
    return skr_path_get(object, "metadata.managedFields")
               ? skr_path_with(object, "metadata.managedFields", NULL)
               : skr_path_ref(object);
}

static json_t *node_list(const json_t *nodes)
{
    json_t *items = json_array();
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        json_array_append_new(items, without_managed_fields(json_array_get(nodes, i)));
    }
    return json_pack("{s:{}, s:o}", "metadata", "items", items);
}

json_t *skr_extender_args(const json_t *pod, const json_t *nodes, const char *const *name, size_t n)
{
    json_t *names = nodes ? json_null() : json_array();
    for (size_t i = 0; !nodes && i < n; i++) {
        json_array_append_new(names, json_string(name[i]));
    }
    return json_pack("{s:o, s:o, s:o}", "Pod", without_managed_fields(pod), "Nodes",
                     nodes ? node_list(nodes) : json_null(), "NodeNames", names);
}

json_t *skr_extender_binding(const char *namespace_, const char *name, const char *uid,
                             const char *node)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "PodName", name, "PodNamespace", namespace_, "PodUID",
                     uid, "Node", node);
}

/* ---- one value ---- */

int skr_extender_decode(const char *body, size_t n, json_t **ret, struct skr_error *error)
{
    json_error_t at;
    const size_t blank = strspn(body, " \t\r\n");
    if (blank >= n) {
        return skr_error_set(error, SKR_INVALID, "EOF");
    }
    *ret = json_loadb(body, n, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &at);
    if (*ret) {
        return 0;
    }
    if (json_error_code(&at) == json_error_premature_end_of_input) {
        return skr_error_set(error, SKR_INVALID, "unexpected EOF");
    }
    if (!strchr("{[\"-0123456789tfn", body[blank])) {
        return skr_error_set(error, SKR_INVALID,
                             "invalid character '%c' looking for beginning of value", body[blank]);
    }
    return skr_error_set(error, SKR_INVALID, "invalid JSON at byte %d: %s", at.position, at.text);
}

/* A member as encoding/json finds it: by exact name, else in any case. NULL: absent or null. */
static const json_t *member(const json_t *object, const char *name)
{
    json_t *whole = skr_object_unconst(object);
    const json_t *found = json_object_get(object, name);
    void *i = json_object_iter(whole);
    for (; !found && i; i = json_object_iter_next(whole, i)) {
        if (strcasecmp(json_object_iter_key(i), name) == 0) {
            found = json_object_iter_value(i);
        }
    }
    return json_is_null(found) ? NULL : found;
}

static int wrong_type(const json_t *value, const char *field, const char *type,
                      struct skr_error *error)
{
    return skr_error_set(error, SKR_INVALID,
                         "json: cannot unmarshal %s into Go struct field %s of type %s",
                         skr_path_go_type(value), field, type);
}

/* NULL if absent; a member of another type is an error. */
static int get_typed(const json_t *object, const char *result, const char *name, json_type type,
                     const char *go, const json_t **ret, struct skr_error *error)
{
    char field[128];
    const json_t *value = member(object, name);
    if (value && json_typeof(value) != type) {
        (void)snprintf(field, sizeof field, "%s.%s", result, name);
        return wrong_type(value, field, go, error);
    }
    *ret = value;
    return 0;
}

/* A result is an object; null counts as an empty one. */
static int check_result(const json_t *answer, const char *result, struct skr_error *error)
{
    return json_is_object(answer) || json_is_null(answer)
               ? 0
               : skr_error_set(error, SKR_INVALID,
                               "json: cannot unmarshal %s into Go value of type v1.%s",
                               skr_path_go_type(answer), result);
}

static int read_error(const json_t *answer, const char *result, struct skr_error *error)
{
    const json_t *text = NULL;
    int rc = get_typed(answer, result, "Error", JSON_STRING, "string", &text, error);
    if (rc == 0 && text && *json_string_value(text) != '\0') {
        rc = skr_error_set(error, SKR_RETRY, "%s", json_string_value(text));
    }
    return rc;
}

int skr_extender_read_binding(const json_t *answer, struct skr_error *error)
{
    const int rc = check_result(answer, "ExtenderBindingResult", error);
    return rc < 0 ? rc : read_error(answer, "ExtenderBindingResult", error);
}

/* ---- nodes by name ---- */

struct entry {
    const char *name;
    size_t i;
    UT_hash_handle hh;
};

struct index {
    struct entry *entry; /* all entries */
    struct entry *table;
};

static void index_init(struct index *index, const char *const *node, size_t n)
{
    index->table = NULL;
    index->entry = skr_alloc_array(n + 1, sizeof *index->entry);
    for (size_t i = 0; i < n; i++) {
        struct entry *entry = &index->entry[i];
        entry->name = node[i];
        entry->i = i;
        HASH_ADD_KEYPTR(hh, index->table, entry->name, strlen(entry->name), entry);
    }
}

static void index_fini(struct index *index)
{
    HASH_CLEAR(hh, index->table);
    free(index->entry);
}

static const struct entry *index_find(const struct index *index, const char *name)
{
    struct entry *entry;
    HASH_FIND_STR(index->table, name, entry);
    return entry;
}

/* ---- filter ---- */

struct filter_result {
    const json_t *names, *nodes, *failed, *unresolvable; /* NULL: absent */
};

static int get_filter_result(const json_t *answer, struct filter_result *ret,
                             struct skr_error *error)
{
    static const char result[] = "ExtenderFilterResult";
    static const char map[] = "v1.FailedNodesMap";
    int rc = check_result(answer, result, error);
    rc = rc < 0
             ? rc
             : get_typed(answer, result, "NodeNames", JSON_ARRAY, "[]string", &ret->names, error);
    rc = rc < 0
             ? rc
             : get_typed(answer, result, "Nodes", JSON_OBJECT, "v1.NodeList", &ret->nodes, error);
    rc = rc < 0 ? rc
                : get_typed(answer, result, "FailedNodes", JSON_OBJECT, map, &ret->failed, error);
    rc = rc < 0 ? rc
                : get_typed(answer, result, "FailedAndUnresolvableNodes", JSON_OBJECT, map,
                            &ret->unresolvable, error);
    return rc < 0 ? rc : read_error(answer, result, error);
}

static int pass_names(const json_t *names, const char *url, const struct index *index,
                      uint8_t *passes, struct skr_error *error)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const json_t *name = json_array_get(names, i);
        if (!json_is_string(name) && !json_is_null(name)) {
            return wrong_type(name, "ExtenderFilterResult.NodeNames", "string", error);
        }
        const char *text = json_is_string(name) ? json_string_value(name) : "";
        const struct entry *entry = index_find(index, text);
        if (!entry) {
            return skr_error_set(error, SKR_INVALID,
                                 "extender \"%s\" claims a filtered node \"%s\" which is not "
                                 "found in the input node list",
                                 url, text);
        }
        passes[entry->i] = 1;
    }
    return 0;
}

static int pass_nodes(const json_t *nodes, const char *url, const struct index *index,
                      uint8_t *passes, struct skr_error *error)
{
    const json_t *items = member(nodes, "items");
    json_auto_t *names = json_array();
    for (size_t i = 0; i < json_array_size(items); i++) {
        json_array_append_new(
            names, json_string(skr_path_text(json_array_get(items, i), "metadata.name")));
    }
    return pass_names(names, url, index, passes, error);
}

/* Ignores names that were not in the call. */
static void take_reasons(const json_t *map, const struct index *index, const char **why)
{
    json_t *whole = skr_object_unconst(map);
    for (void *i = json_object_iter(whole); i; i = json_object_iter_next(whole, i)) {
        const struct entry *entry = index_find(index, json_object_iter_key(i));
        if (entry && json_is_string(json_object_iter_value(i))) {
            why[entry->i] = json_string_value(json_object_iter_value(i));
        }
    }
}

int skr_extender_read_filter(const json_t *answer, const char *url, bool names,
                             const char *const *node, size_t n, uint8_t *passes, const char **why,
                             struct skr_error *error)
{
    struct filter_result result = {NULL, NULL, NULL, NULL};
    struct index index;
    int rc = get_filter_result(answer, &result, error);
    if (rc < 0) {
        return rc;
    }
    index_init(&index, node, n);
    memset(passes, 0, n);
    if (names && result.names) {
        rc = pass_names(result.names, url, &index, passes, error);
    } else if (result.nodes) {
        rc = pass_nodes(result.nodes, url, &index, passes, error);
    }
    take_reasons(result.failed, &index, why);
    take_reasons(result.unresolvable, &index, why); /* it has precedence */
    index_fini(&index);
    return rc;
}

/* ---- prioritize ---- */

static int32_t add_score(int32_t sum, json_int_t score, int32_t weight)
{
    const json_int_t bound = SCORE_LIMIT;
    const json_int_t cut = score > bound ? bound : score < -bound ? -bound : score;
    const json_int_t total = sum + cut * weight;
    return (int32_t)(total > bound ? bound : total < -bound ? -bound : total);
}

int skr_extender_read_scores(const json_t *answer, int32_t weight, const char *const *node,
                             size_t n, int32_t *score, struct skr_error *error)
{
    struct index index;
    if (!json_is_array(answer)) {
        return json_is_null(answer)
                   ? 0
                   : skr_error_set(error, SKR_INVALID,
                                   "json: cannot unmarshal %s into Go value of type "
                                   "v1.HostPriorityList",
                                   skr_path_go_type(answer));
    }
    index_init(&index, node, n);
    for (size_t i = 0; i < json_array_size(answer); i++) {
        const json_t *item = json_array_get(answer, i);
        const json_t *host = member(item, "Host"), *value = member(item, "Score");
        const struct entry *entry =
            json_is_string(host) ? index_find(&index, json_string_value(host)) : NULL;
        if (entry && json_is_integer(value)) {
            score[entry->i] = add_score(score[entry->i], json_integer_value(value), weight);
        }
    }
    index_fini(&index);
    return 0;
}
