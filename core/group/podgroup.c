/* SPDX-License-Identifier: Apache-2.0 */
/* PodGroups from the API. A minMember below 1 is kept as it is: core/group/group.c refuses it. */
#include "core/group/podgroup.h"

#include "topology/fields.h"

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_podgroup *pg = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    pg->min_member = skr_fields_int32(&spec, "minMember", 1);
    pg->topology_key = pg->composite = "";
}

enum { TOPOLOGY_MAX = 16 }; /* entries of schedulingConstraints.topology; the API allows one */

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
