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

static void fill_native(void *object, const struct skr_fields *json)
{
    struct skr_podgroup *pg = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields policy = skr_fields_object(&spec, "schedulingPolicy");
    const struct skr_fields gang = skr_fields_object(&policy, "gang");
    const struct skr_fields constraints = skr_fields_object(&spec, "schedulingConstraints");
    const struct skr_fields topology = skr_fields_list(&constraints, "topology", TOPOLOGY_MAX);
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

static int decode_native(const json_t *json, int32_t version, struct skr_podgroup **ret,
                         struct skr_error *error)
{
    void *object = NULL;
    const int rc = skr_object_decode(json, "podgroup", sizeof **ret, fill_native, &object, error);
    if (rc == 0) {
        *ret = object;
        (*ret)->native = version;
    }
    return rc;
}

int skr_podgroup_v1alpha2_decode(const json_t *json, struct skr_podgroup **ret,
                                 struct skr_error *error)
{
    return decode_native(json, 1, ret, error);
}

int skr_podgroup_v1alpha3_decode(const json_t *json, struct skr_podgroup **ret,
                                 struct skr_error *error)
{
    return decode_native(json, 2, ret, error);
}

int skr_podgroup_v1beta1_decode(const json_t *json, struct skr_podgroup **ret,
                                struct skr_error *error)
{
    return decode_native(json, 3, ret, error);
}

int skr_podgroup_decode(const json_t *json, struct skr_podgroup **ret, struct skr_error *error)
{
    void *object = NULL;
    const int rc = skr_object_decode(json, "podgroup", sizeof **ret, fill, &object, error);
    if (rc == 0) {
        *ret = object;
    }
    return rc;
}

void skr_podgroup_destroy(struct skr_podgroup *pg)
{
    skr_object_destroy(pg);
}
