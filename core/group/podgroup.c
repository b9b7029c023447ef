/* SPDX-License-Identifier: Apache-2.0 */
/* PodGroups from the API. A minMember below 1 is kept as it is: core/group/group.c refuses it. */
#include "core/group/podgroup.h"

#include <string.h>

#include "topology/fields.h"

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_podgroup *pg = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    pg->min_member = skr_fields_int32(&spec, "minMember", 1);
    pg->topology_key = pg->composite = "";
}

enum {
    TOPOLOGY_MAX = 16,   /* entries of schedulingConstraints.topology; the API allows one */
    CONDITIONS_MAX = 256 /* of all writers */
};

static void fill_conditions(struct skr_podgroup *pg, const struct skr_fields *json)
{
    const struct skr_fields status = skr_fields_object(json, "status");
    const struct skr_fields list = skr_fields_list(&status, "conditions", CONDITIONS_MAX);
    pg->condition = skr_fields_room(json, SKR_PODGROUP_CONDITIONS_MAX, sizeof *pg->condition);
    for (size_t i = 0; pg->condition && skr_fields_more(&list, i); i++) {
        const struct skr_fields one = skr_fields_entry(&list, i);
        const char *type = skr_fields_word(&one, "type");
        if (strncmp(type, SKR_CONDITION_PREFIX, sizeof SKR_CONDITION_PREFIX - 1) == 0 &&
            pg->n_conditions < SKR_PODGROUP_CONDITIONS_MAX) {
            pg->condition[pg->n_conditions++] =
                (struct skr_podgroup_condition){.type = skr_fields_text(&one, "type"),
                                                .status = skr_fields_text(&one, "status"),
                                                .reason = skr_fields_text(&one, "reason"),
                                                .message = skr_fields_text(&one, "message")};
        }
    }
}

static void fill_native(struct skr_podgroup *pg, const struct skr_fields *json, int32_t version)
{
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields policy = skr_fields_object(&spec, "schedulingPolicy");
    const struct skr_fields gang = skr_fields_object(&policy, "gang");
    const struct skr_fields constraints = skr_fields_object(&spec, "schedulingConstraints");
    const struct skr_fields topology = skr_fields_list(&constraints, "topology", TOPOLOGY_MAX);
    pg->native = version;
    pg->basic = !skr_fields_has(&policy, "gang");
    pg->min_member = skr_fields_int32(&gang, "minCount", 1);
    pg->topology_key = "";
    pg->composite = skr_fields_text(&spec, "parentCompositePodGroupName");
    if (skr_fields_more(&topology, 0)) {
        const struct skr_fields first = skr_fields_entry(&topology, 0);
        pg->topology_key = skr_fields_text(&first, "key");
    }
    fill_conditions(pg, json);
}

#define NATIVE(version, number)                                             \
    static void fill_##version(void *object, const struct skr_fields *json) \
    {                                                                       \
        fill_native(object, json, number);                                  \
    }                                                                       \
    SKR_OBJECT_DECODER(skr_podgroup_##version##_decode, skr_podgroup, "podgroup", fill_##version)
NATIVE(v1alpha2, SKR_PODGROUP_V1ALPHA2)
NATIVE(v1alpha3, SKR_PODGROUP_V1ALPHA3)
NATIVE(v1beta1, SKR_PODGROUP_V1BETA1)

SKR_OBJECT_KIND(podgroup, "podgroup", fill)
