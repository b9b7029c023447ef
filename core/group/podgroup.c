/* SPDX-License-Identifier: Apache-2.0 */
/* PodGroups from the API. A minMember below 1 is kept as it is: core/group/group.c refuses it. */
#include "core/group/podgroup.h"

#include "topology/fields.h"

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_podgroup *pg = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    pg->min_member = skr_fields_int32(&spec, "minMember", 1);
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
