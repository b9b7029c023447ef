/* SPDX-License-Identifier: Apache-2.0 */
/* PodGroups from the API. A minMember below 1 is kept as it is: core/group/group.c refuses it. */
#include "core/group/podgroup.h"

#include "topology/base/json_field.h"

static int decode(const json_t *json, struct skr_podgroup *pg, struct skr_error *error)
{
    const struct skr_field_path path = {.up = NULL, .key = "spec", .index = SKR_FIELD_NO_INDEX};
    json_t *spec;
    int rc = skr_meta_decode(pg->arena, json, NULL, &pg->meta, error);
    if (rc == 0) {
        rc = skr_field_object(json, NULL, "spec", &spec, error);
    }
    if (rc < 0) {
        return rc;
    }
    pg->min_member = 1;
    return spec ? skr_field_int32(spec, &path, "minMember", 1, &pg->min_member, error) : 0;
}

int skr_podgroup_decode(const json_t *json, struct skr_podgroup **ret, struct skr_error *error)
{
    if (!json_is_object(json)) {
        return skr_field_set_type_error(NULL, "podgroup", "an object", json, error);
    }
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_podgroup *pg = arena ? skr_arena_alloc(arena, sizeof *pg) : NULL;
    if (!pg) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "podgroup: out of memory");
    }
    pg->arena = arena;
    int rc = decode(json, pg, error);
    if (rc < 0) {
        skr_podgroup_destroy(pg);
        return rc;
    }
    *ret = pg;
    return 0;
}

void skr_podgroup_destroy(struct skr_podgroup *pg)
{
    if (pg) {
        skr_arena_destroy(pg->arena);
    }
}
