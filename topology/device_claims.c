/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes ResourceClaims. */
#include "topology/device_claims.h"

#include <string.h>

#include "topology/fields.h"

enum { OWNERS_MAX = 4096 };

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_device_claim *claim = object;
    const struct skr_fields meta = skr_fields_object(json, "metadata");
    const struct skr_fields owners = skr_fields_list(&meta, "ownerReferences", OWNERS_MAX);
    const struct skr_fields status = skr_fields_object(json, "status");
    claim->pod_uid = "";
    for (size_t i = 0; skr_fields_more(&owners, i); i++) {
        const struct skr_fields owner = skr_fields_entry(&owners, i);
        if (skr_fields_bool(&owner, "controller") &&
            strcmp(skr_fields_word(&owner, "kind"), "Pod") == 0) {
            claim->pod_uid = skr_fields_text(&owner, "uid");
        }
    }
    claim->allocated = skr_fields_has(&status, "allocation");
    claim->n_reserved = skr_fields_list(&status, "reservedFor", SKR_CLAIM_RESERVED_MAX).n;
}

int skr_device_claim_decode(const json_t *json, struct skr_device_claim **ret,
                            struct skr_error *error)
{
    void *object = NULL;
    const int rc = skr_object_decode(json, "resourceclaim", sizeof **ret, fill, &object, error);
    if (rc == 0) {
        *ret = object;
    }
    return rc;
}

void skr_device_claim_destroy(struct skr_device_claim *claim)
{
    skr_object_destroy(claim);
}
