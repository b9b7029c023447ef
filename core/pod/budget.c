/* SPDX-License-Identifier: Apache-2.0 */
/* PodDisruptionBudgets from the API. What the disruption controller says of an older spec (its
 * observedGeneration is behind) allows nothing: the eviction API refuses likewise. */
#include "core/pod/budget.h"

#include "core/pod/rules.h"
#include "topology/fields.h"

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_budget *budget = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields status = skr_fields_object(json, "status");
    const struct skr_fields selector = skr_fields_object(&spec, "selector");
    const json_t *metadata = json_object_get(json->json, "metadata");
    const json_int_t seen = json_integer_value(json_object_get(status.json, "observedGeneration"));
    if (json->decoding->rc == 0) {
        skr_fields_note(json, skr_pod_selector_decode(budget->arena, selector.json,
                                                      budget->meta.namespace_, &budget->selector,
                                                      json->decoding->error));
    }
    budget->allowed = skr_fields_int32(&status, "disruptionsAllowed", 0);
    budget->generation = json_integer_value(json_object_get(metadata, "generation"));
    if (seen < budget->generation || budget->allowed < 0) {
        budget->allowed = 0;
    }
}

SKR_OBJECT_KIND(budget, "poddisruptionbudget", fill)

bool skr_budget_covers(const struct skr_budget *budget, const struct skr_meta *pod)
{
    return skr_pod_rule_selects(&budget->selector, pod);
}
