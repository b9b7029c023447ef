/* SPDX-License-Identifier: Apache-2.0 */
/* PodDisruptionBudgets from the API. What the disruption controller says of an older spec (its
 * observedGeneration is behind) allows nothing: the eviction API refuses likewise. */
#include "core/pod/budget.h"

#include "core/pod/rules.h"
#include "topology/base/json_field.h"

static int decode(const json_t *json, struct skr_budget *budget, struct skr_error *error)
{
    const struct skr_field_path in_spec = {.key = "spec", .index = SKR_FIELD_NO_INDEX};
    const struct skr_field_path in_status = {.key = "status", .index = SKR_FIELD_NO_INDEX};
    json_t *spec = NULL;
    json_t *status = NULL;
    json_t *selector = NULL;
    int rc = skr_meta_decode(budget->arena, json, NULL, &budget->meta, error);
    if (rc == 0) {
        rc = skr_field_object(json, NULL, "spec", &spec, error);
    }
    if (rc == 0) {
        rc = skr_field_object(json, NULL, "status", &status, error);
    }
    if (rc == 0 && spec) {
        rc = skr_field_object(spec, &in_spec, "selector", &selector, error);
    }
    if (rc == 0) {
        rc = skr_pod_selector_decode(budget->arena, selector, budget->meta.namespace_,
                                     &budget->selector, error);
    }
    if (rc == 0 && status) {
        rc = skr_field_int32(status, &in_status, "disruptionsAllowed", 0, &budget->allowed, error);
    }
    json_int_t seen = json_integer_value(json_object_get(status, "observedGeneration"));
    json_int_t now =
        json_integer_value(json_object_get(json_object_get(json, "metadata"), "generation"));
    if (seen < now || budget->allowed < 0) {
        budget->allowed = 0;
    }
    return rc;
}

int skr_budget_decode(const json_t *json, struct skr_budget **ret, struct skr_error *error)
{
    if (!json_is_object(json)) {
        return skr_field_set_type_error(NULL, "poddisruptionbudget", "an object", json, error);
    }
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_budget *budget = arena ? skr_arena_alloc(arena, sizeof *budget) : NULL;
    if (!budget) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "poddisruptionbudget: out of memory");
    }
    budget->arena = arena;
    int rc = decode(json, budget, error);
    if (rc < 0) {
        skr_budget_destroy(budget);
        return rc;
    }
    *ret = budget;
    return 0;
}

void skr_budget_destroy(struct skr_budget *budget)
{
    if (budget) {
        skr_arena_destroy(budget->arena);
    }
}

bool skr_budget_covers(const struct skr_budget *budget, const struct skr_meta *pod)
{
    return skr_pod_rule_selects(&budget->selector, pod);
}
