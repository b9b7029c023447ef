/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of OCM and Karmada: what their decoders refuse, and what of a binding is ignored. */

#include "core/placement/placement.h"
#include "core/placement/scheduler.h"
#include "core/placement/types.h"
#include "core/propagation/decision.h"
#include "core/propagation/scheduler.h"
#include "core/propagation/types.h"
#include "server/lint/parts.h"

static const struct skr_scheduler *const schedulers[] = {&skr_placement_scheduler,
                                                         &skr_propagation_scheduler};

/* The type of the object, in any version of its group; NULL: another kind. */
static const struct skr_object_type *type_of(const struct lint_object *o)
{
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        for (size_t k = 0; k < schedulers[i]->n_watches; k++) {
            const struct skr_object_type *type = schedulers[i]->watch[k].type;
            if (lint_is_kind(o, type->resource->group, type->resource->kind)) {
                return type;
            }
        }
    }
    return NULL;
}

/* What is ignored, as the daemon says it in the condition of the binding. */
static void check_binding(struct skr_lint *lint, const struct lint_object *o,
                          const struct skr_binding *binding)
{
    struct skr_propagation_options options;
    skr_propagation_options_init(&options, SKR_PROFILE_DEFAULT);
    const uint32_t omissions = skr_binding_omissions(binding, &options);
    if (binding->refusal) {
        lint_tell(lint, o, "Limit", lint_at(o, "spec"), NULL, "%s", binding->refusal);
    }
    for (int i = 0; i < SKR_WARNING_COUNT; i++) {
        if (omissions >> i & 1) {
            SKR_STRBUF(text);
            skr_propagation_warning_write((enum skr_propagation_warning)i, &text);
            lint_tell(lint, o, "IgnoredField", lint_at(o, "spec"), NULL, "%s", text.s);
        }
    }
}

/* What makes a Placement or a ManagedClusterSet misconfigured; "": nothing. */
static const char *misconfigured(const struct skr_object_type *type, const void *object)
{
    if (type == &skr_ocm_types[SKR_OCM_PLACEMENT]) {
        return ((const struct skr_placement *)object)->misconfigured;
    }
    return type == &skr_ocm_types[SKR_OCM_SET]
               ? ((const struct skr_cluster_set *)object)->misconfigured
               : "";
}

void lint_fleet(struct skr_lint *lint)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        const struct lint_object *o = lint->object[i];
        const struct skr_object_type *type = type_of(o);
        struct skr_error error = {.code = SKR_OK};
        void *object = NULL;
        if (!type) {
            continue;
        }
        if (type->decode(o->json, &object, &error) < 0) {
            lint_tell_error(lint, o, error.code == SKR_LIMIT ? "Limit" : "InvalidField", &error);
        } else {
            if (type == &skr_binding_type || type == &skr_cluster_binding_type) {
                check_binding(lint, o, object);
            }
            const char *why = misconfigured(type, object);
            if (why[0]) {
                lint_tell(lint, o, "InvalidField", lint_at(o, "spec"), NULL, "%s", why);
            }
            type->destroy(object);
        }
    }
}
