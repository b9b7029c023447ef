/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/device_taint_rules.h"

#include "topology/fields.h"

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_device_taint_rule *rule = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields selector = skr_fields_object(&spec, "deviceSelector");
    const struct skr_fields taint = skr_fields_object(&spec, "taint");
    rule->selects = skr_fields_has(&spec, "deviceSelector");
    rule->driver = skr_fields_text(&selector, "driver");
    rule->pool = skr_fields_text(&selector, "pool");
    rule->device = skr_fields_text(&selector, "device");
    rule->taint = (struct skr_device_taint){.key = skr_fields_text(&taint, "key"),
                                            .value = skr_fields_text(&taint, "value"),
                                            .effect = skr_fields_text(&taint, "effect")};
}

SKR_OBJECT_KIND(device_taint_rule, "devicetaintrule", fill)
