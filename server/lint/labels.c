/* SPDX-License-Identifier: Apache-2.0 */
/* Labels sakkara.* without an effect: misspelt, of another kind, or written by the daemon. */
#include <stdio.h>
#include <string.h>

#include "core/group/workload.h"
#include "server/lint/parts.h"
#include "topology/base/suggest.h"
#include "topology/topology_map.h"

#define PREFIX "sakkara."

static const char *const of_maps[] = {SKR_TOPOLOGY_LABEL, SKR_GROUP_LABEL};
static const char *const of_nodes[] = {SKR_RACK_LABEL};
static const char *const of_pods[] = {SKR_LABEL_GROUP,  SKR_LABEL_GROUP_SIZE, SKR_LABEL_PREEMPTIBLE,
                                      SKR_LABEL_STATUS, SKR_LABEL_RETRIES,    SKR_LABEL_RANK,
                                      SKR_LABEL_PLAN,   SKR_LABEL_ROLE};
static const char *const of_daemon[] = {SKR_LABEL_STATUS, SKR_LABEL_RETRIES, SKR_LABEL_RANK,
                                        SKR_LABEL_PLAN, SKR_LABEL_ROLE};
static const char *const never_read[] = {"sakkara.group.priority", "sakkara.group.status"};
#define COUNT(array) (sizeof array / sizeof *(array))

/* "sakkara.topology.example": a marker that was switched off on purpose. */
static bool is_example(const char *key)
{
    const size_t n = strlen(key), m = strlen(SKR_LINT_EXAMPLE);
    return n > m && strcmp(key + n - m, SKR_LINT_EXAMPLE) == 0;
}

static bool is_one_of(const char *key, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(key, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void tell_unknown(struct skr_lint *lint, const struct lint_object *o, const char *path,
                         const char *key, const char *const *known, size_t n)
{
    const char *near = skr_suggest(key, known, n);
    /* A map's label on a pod. */
    if (!near && known == of_pods && strcmp(key, SKR_GROUP_LABEL) == 0) {
        near = SKR_LABEL_GROUP;
    }
    if (known == of_pods && strcmp(key, SKR_ANNOTATION_GANG) == 0) {
        lint_tell(lint, o, "UnknownLabel", lint_at(o, path), NULL,
                  "label %s means nothing here: it is an annotation of pods", key);
        return;
    }
    lint_tell(lint, o, "UnknownLabel", lint_at(o, path), NULL,
              "label %.100s means nothing here%s%s%s", key, near ? " (did you mean " : "",
              near ? near : "", near ? "?)" : "");
}

void lint_labels(struct skr_lint *lint, const struct lint_object *object, const char *base,
                 bool is_template)
{
    const bool is_map = strcmp(object->kind, "ConfigMap") == 0;
    const bool is_node = strcmp(object->kind, "Node") == 0;
    const char *const *known = is_map ? of_maps : is_node ? of_nodes : of_pods;
    const size_t n = is_map ? COUNT(of_maps) : is_node ? COUNT(of_nodes) : COUNT(of_pods);
    const json_t *owner = is_template
                              ? json_object_get(json_object_get(object->json, "spec"), "template")
                              : object->json;
    char path[512];
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(json_object_get(owner, "metadata"), "labels"), key, value)
    {
        const bool rule = !is_map && !is_node &&
                          strncmp(key, SKR_LABEL_CONSTRAINT, strlen(SKR_LABEL_CONSTRAINT)) == 0;
        (void)value;
        if (strncmp(key, PREFIX, strlen(PREFIX)) != 0 || rule || is_example(key)) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s.%.300s", base, key);
        if (is_one_of(key, never_read, COUNT(never_read))) {
            lint_tell(lint, object, "ReservedLabel", lint_at(object, path), NULL,
                      "label %s is never read", key);
        } else if (!is_one_of(key, known, n)) {
            tell_unknown(lint, object, path, key, known, n);
        } else if (is_template && is_one_of(key, of_daemon, COUNT(of_daemon))) {
            lint_tell(lint, object, "ReservedLabel", lint_at(object, path), NULL,
                      "label %s is written by the daemon", key);
        }
    }
}
