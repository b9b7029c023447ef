/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/cluster_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "test/unit/failure_log.h"

static const char *node_for(const json_t *pod)
{
    const json_t *terms = skr_path_get(pod, "spec.affinity.nodeAffinity."
                                            "requiredDuringSchedulingIgnoredDuringExecution."
                                            "nodeSelectorTerms");
    const json_t *field =
        json_array_get(json_object_get(json_array_get(terms, 0), "matchFields"), 0);
    const char *node = json_string_value(json_array_get(json_object_get(field, "values"), 0));

    return node ? node : "n1";
}

/* Returns how many changes there were. */
static size_t bind_all(struct cluster_rig *rig)
{
    struct skr_store_change change;
    bool gone;
    size_t n = 0;
    char line[300], target[300];

    while (skr_store_next_change(rig->store, rig->seen, &change, &gone)) {
        rig->seen = change.revision;
        n++;
        if (!rig->binding || strcmp(change.resource->kind, "Pod") != 0 ||
            change.kind == SKR_STORE_DELETED || *skr_path_text(change.object, "spec.nodeName")) {
            continue;
        }
        snprintf(line, sizeof line, "POST /api/v1/namespaces/%s/pods/%s/binding",
                 skr_path_text(change.object, "metadata.namespace"),
                 skr_path_text(change.object, "metadata.name"));
        snprintf(target, sizeof target, "{'target':{'name':'%s'}}", node_for(change.object));
        (void)sandbox_request(rig->store, rig->now, line, target, NULL);
    }
    return n;
}

static void print_pods(void *context)
{
    fprintf(stderr, "pods: %s\n", cluster_rig_pods(context));
}

struct cluster_rig *cluster_rig_create(bool ordinal_names)
{
    struct cluster_rig *rig = skr_alloc(sizeof *rig);
    struct skr_cluster_options options;

    skr_cluster_options_default(&options);
    options.ordinal_names = ordinal_names;
    rig->now = RIG_NOW;
    rig->cluster = skr_cluster_create(&options, rig->now);
    rig->store = skr_cluster_store(rig->cluster);
    rig->binding = true;
    failure_log_add(print_pods, rig);
    sandbox_ok(rig->store, 201, "POST /api/v1/nodes", "{'metadata':{'name':'n1'}}");
    return rig;
}

void cluster_rig_destroy(struct cluster_rig *rig)
{
    failure_log_drop(rig);
    skr_cluster_destroy(rig->cluster);
    free(rig);
}

/* What is due now, and what the scheduler does about it. */
static void step(struct cluster_rig *rig)
{
    do {
        skr_cluster_step(rig->cluster, rig->now);
    } while (bind_all(rig) > 0);
}

void cluster_rig_run(struct cluster_rig *rig, skr_time duration)
{
    const skr_time end = rig->now + duration;

    for (skr_time next; (next = skr_cluster_next(rig->cluster)) <= end;) {
        rig->now = next > rig->now ? next : rig->now;
        step(rig);
    }
    rig->now = end;
    step(rig);
}

const char *cluster_rig_pods(const struct cluster_rig *rig)
{
    static char text[4000];
    json_t *list = sandbox_expect(rig->store, 200, "GET " PODS, NULL);
    size_t n = 0;

    *text = '\0';
    for (size_t i = 0; i < json_array_size(json_object_get(list, "items")); i++) {
        const json_t *pod = json_array_get(json_object_get(list, "items"), i);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s:%s%s", i ? " " : "",
                              skr_path_text(pod, "metadata.name"),
                              skr_path_text(pod, "status.phase"),
                              skr_path_get(pod, "metadata.deletionTimestamp") ? "-" : "");
    }
    json_decref(list);
    return text;
}
