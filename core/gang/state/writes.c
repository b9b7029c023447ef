/* SPDX-License-Identifier: Apache-2.0 */
/* One table row per kind of write. */
#include "core/gang/state/writes.h"

#include <string.h>

#include "core/frame/frame.h"
#include "core/gang/state/types.h"

static const struct row {
    const char *name;
    enum skr_write_verb verb;
    const struct skr_object_type *type; /* NULL: Events, which the frame writes */
    const char *subresource;
    bool answers; /* the object of the answer is wanted */
} rows[] = {
    [SKR_WRITE_BINDING] = {"binding", SKR_VERB_CREATE, &skr_gang_pod, "binding", false},
    [SKR_WRITE_PATCH_POD] = {"patch pod", SKR_VERB_MERGE_PATCH, &skr_gang_pod, "", false},
    [SKR_WRITE_UNGATE_POD] = {"ungate pod", SKR_VERB_STRATEGIC_PATCH, &skr_gang_pod, "", false},
    [SKR_WRITE_PATCH_POD_STATUS] = {"patch pod status", SKR_VERB_MERGE_PATCH, &skr_gang_pod,
                                    "status", false},
    [SKR_WRITE_MARK_POD] = {"mark pod", SKR_VERB_STRATEGIC_PATCH, &skr_gang_pod, "status", false},
    [SKR_WRITE_PATCH_CONFIGMAP] = {"patch configmap", SKR_VERB_MERGE_PATCH, &skr_gang_configmap, "",
                                   false},
    [SKR_WRITE_CREATE_CONFIGMAP] = {"create configmap", SKR_VERB_CREATE, &skr_gang_configmap, "",
                                    false},
    [SKR_WRITE_PATCH_PODGROUP] = {"patch podgroup", SKR_VERB_MERGE_PATCH, &skr_gang_podgroup, "",
                                  false},
    [SKR_WRITE_MARK_PODGROUP] = {"mark podgroup", SKR_VERB_STRATEGIC_PATCH, &skr_gang_podgroup,
                                 "status", true},
    [SKR_WRITE_CREATE_EVENT] = {"create event", SKR_VERB_CREATE, NULL, "", false},
    [SKR_WRITE_EVICT] = {"evict", SKR_VERB_CREATE, &skr_gang_pod, "eviction", false},
    [SKR_WRITE_DELETE_POD] = {"delete pod", SKR_VERB_DELETE, &skr_gang_pod, "", false},
    [SKR_WRITE_CREATE_TEMPLATE] = {"create podtemplate", SKR_VERB_CREATE, &skr_gang_template, "",
                                   false},
    [SKR_WRITE_DELETE_TEMPLATE] = {"delete podtemplate", SKR_VERB_DELETE, &skr_gang_template, "",
                                   false},
    [SKR_WRITE_CREATE_PROVISIONING] = {"create provisioningrequest", SKR_VERB_CREATE,
                                       &skr_gang_provisioning, "", false},
    [SKR_WRITE_DELETE_PROVISIONING] = {"delete provisioningrequest", SKR_VERB_DELETE,
                                       &skr_gang_provisioning, "", false},
    [SKR_WRITE_RELEASE_CLAIM] = {"release claim", SKR_VERB_MERGE_PATCH, &skr_gang_device_claim,
                                 "status", false},
    [SKR_WRITE_ANSWER_WORKLOAD] = {"answer workload", SKR_VERB_MERGE_PATCH,
                                   &skr_gang_kueue_workload, "status", false},
    [SKR_WRITE_ACTIVATE_CHECK] = {"activate admissioncheck", SKR_VERB_MERGE_PATCH,
                                  &skr_gang_admission_check, "status", false},
    [SKR_WRITE_GET_POD] = {"get pod", SKR_VERB_GET, &skr_gang_pod, "", true},
    [SKR_WRITE_GET_CONFIGMAP] = {"get configmap", SKR_VERB_GET, &skr_gang_configmap, "", true},
    [SKR_WRITE_GET_PODGROUP] = {"get podgroup", SKR_VERB_GET, &skr_gang_podgroup, "", true},
    [SKR_WRITE_READ_POD] = {"read pod", SKR_VERB_GET, &skr_gang_pod_template, "", true},
    [SKR_WRITE_GET_PROVISIONING] = {"get provisioningrequest", SKR_VERB_GET, &skr_gang_provisioning,
                                    "", true},
    [SKR_WRITE_GET_WORKLOAD] = {"get workload", SKR_VERB_GET, &skr_gang_kueue_workload, "", true},
};
_Static_assert(sizeof rows / sizeof rows[0] == SKR_WRITE_KIND_COUNT, "a row per kind of write");

struct skr_write skr_write_of_kind(enum skr_write_kind kind)
{
    const struct row *row = &rows[kind];
    return (struct skr_write){.verb = row->verb,
                              .resource = row->type ? row->type->resource : &skr_events,
                              .subresource = row->subresource,
                              .answer = row->answers ? row->type : NULL};
}

/* PodGroups of all API groups and versions are one kind of object. */
static bool is_for(const struct skr_resource *row, const struct skr_resource *resource)
{
    return skr_resource_is(row, resource) ||
           (row == skr_gang_podgroup.resource && strcmp(row->kind, resource->kind) == 0);
}

enum skr_write_kind skr_write_kind_of(const struct skr_write *write)
{
    for (int i = 0; i < SKR_WRITE_KIND_COUNT; i++) {
        const struct row *row = &rows[i];
        const struct skr_resource *resource = row->type ? row->type->resource : &skr_events;
        const bool read_so =
            (row->type == &skr_gang_pod_template) == (write->answer == &skr_gang_pod_template);
        if (is_for(resource, write->resource) && row->verb == write->verb && read_so &&
            strcmp(row->subresource, write->subresource) == 0) {
            return (enum skr_write_kind)i;
        }
    }
    return SKR_WRITE_KIND_COUNT;
}

const char *skr_write_kind_name(enum skr_write_kind kind)
{
    return (size_t)kind < SKR_WRITE_KIND_COUNT ? rows[kind].name : "";
}
