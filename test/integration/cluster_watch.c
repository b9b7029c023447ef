/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of objects: a history in order of versions, and what of it each watch is told. */
#include <stdlib.h>
#include <string.h>

#include "test/integration/cluster.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

bool cluster_selects(const char *target, const json_t *labels)
{
    const char *found = strstr(target, "labelSelector=");
    char key[128];
    if (!found) {
        return true;
    }
    found += strlen("labelSelector=");
    size_t n = strcspn(found, "&");
    if (n >= sizeof key) {
        return false;
    }
    memcpy(key, found, n);
    key[n] = '\0';
    return json_object_get(labels, key);
}

/* The line of a watch about a change, or NULL when it does not concern the watch. Heap. */
static char *line_of(const struct change *change, const char *target)
{
    const json_t *labels = json_object_get(json_object_get(change->object, "metadata"), "labels");
    bool had = change->labels && cluster_selects(target, change->labels);
    bool has = !change->deleted && cluster_selects(target, labels);
    struct skr_strbuf out;
    size_t length;
    if (!had && !has) {
        return NULL;
    }
    const char *type = !had ? "ADDED" : has ? "MODIFIED" : "DELETED";
    char *object = json_dumps(change->object, JSON_COMPACT);
    skr_strbuf_init(&out);
    skr_strbuf_addf(&out, "{\"type\":\"%s\",\"object\":", type);
    skr_strbuf_add(&out, object);
    skr_strbuf_add(&out, "}\n");
    free(object);
    return skr_strbuf_take(&out, &length);
}

static const char *const path_of_kind[] = {"/api/v1/nodes?", "/api/v1/pods?", "/api/v1/configmaps?",
                                           "/apis/scheduling.x-k8s.io/v1alpha1/podgroups?"};
_Static_assert(sizeof path_of_kind / sizeof path_of_kind[0] == SKR_DEMO_KIND_COUNT, "one a kind");

static char *choose(void *context, const char *line)
{
    const struct change *change = context;
    return strstr(line, path_of_kind[change->kind]) ? line_of(change, line) : NULL;
}

void cluster_tell(struct cluster *c, enum skr_demo_kind kind, const char *namespace_,
                  const char *name, json_t *labels_before)
{
    json_t *object = skr_demo_objects_get(c->objects, kind, namespace_, name);
    skr_grow(&c->history, &c->cap_history, c->n_history + 1, sizeof *c->history);
    struct change *change = &c->history[c->n_history++];
    c->version = strtoull(skr_demo_text(object, "metadata.resourceVersion"), NULL, 10);
    *change = (struct change){.version = c->version,
                              .kind = kind,
                              .object = json_deep_copy(object),
                              .labels = labels_before};
    fake_api_push(c->api, choose, change);
}

void cluster_delete_locked(struct cluster *c, enum skr_demo_kind kind, const char *namespace_,
                           const char *name)
{
    json_t *object = skr_demo_objects_get(c->objects, kind, namespace_, name);
    json_t *nothing = json_object();
    if (!object) {
        cluster_fail(c, "there is no %s/%s to delete", namespace_, name);
    }
    json_t *labels = cluster_labels_of(object);
    /* A deletion has a version of its own. */
    (void)skr_demo_objects_patch(c->objects, kind, namespace_, name, nothing);
    json_decref(nothing);
    object = skr_demo_objects_get(c->objects, kind, namespace_, name);
    skr_grow(&c->history, &c->cap_history, c->n_history + 1, sizeof *c->history);
    struct change *change = &c->history[c->n_history++];
    c->version = strtoull(skr_demo_text(object, "metadata.resourceVersion"), NULL, 10);
    *change = (struct change){.version = c->version,
                              .kind = kind,
                              .object = json_deep_copy(object),
                              .labels = labels,
                              .deleted = true};
    (void)skr_demo_objects_remove(c->objects, kind, namespace_, name);
    fake_api_push(c->api, choose, change);
}

void cluster_compact_locked(struct cluster *c)
{
    for (size_t i = 0; i < c->n_history; i++) {
        json_decref(c->history[i].object);
        json_decref(c->history[i].labels);
    }
    c->n_history = 0;
    c->compacted = c->version;
}

struct fake_reply cluster_watch(struct cluster *c, const char *target, enum skr_demo_kind kind)
{
    const char *found = strstr(target, "resourceVersion=");
    uint64_t from = found ? strtoull(found + strlen("resourceVersion="), NULL, 10) : 0;
    if (from < c->compacted) {
        return (struct fake_reply){
            .stream = true,
            .end = true,
            .body = skr_strdup("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":"
                               "\"Failure\",\"message\":\"too old resource version\",\"reason\":"
                               "\"Expired\",\"code\":410}}\n")};
    }
    struct skr_strbuf out;
    size_t length;
    skr_strbuf_init(&out);
    for (size_t i = 0; i < c->n_history; i++) {
        const struct change *change = &c->history[i];
        char *line =
            change->kind == kind && change->version > from ? line_of(change, target) : NULL;
        skr_strbuf_add(&out, line ? line : "");
        free(line);
    }
    return (struct fake_reply){.stream = true, .body = skr_strbuf_take(&out, &length)};
}
