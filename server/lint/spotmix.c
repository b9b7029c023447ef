/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of the spot mix that do nothing where they stand, or not what they seem to. */
#include <stdio.h>
#include <string.h>

#include "core/spotmix/rule.h"
#include "server/lint/parts.h"
#include "server/object/path.h"

#define SWITCH SKR_SPOTMIX_KEY_PREFIX
#define MAX    SKR_SPOTMIX_KEY_PREFIX "-max-on-demand-count"
#define OWN    "metadata.labels."

static const char *const mixed[] = {"Deployment", "ReplicaSet", "StatefulSet"};

static bool can_be_mixed(const char *kind)
{
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++) {
        if (strcmp(kind, mixed[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The value of one of both labels; NULL: it is not there. */
static const char *value_of(const json_t *object, const char *labels, const char *key)
{
    return json_string_value(json_object_get(skr_path_get(object, labels), key));
}

static void check_template(struct skr_lint *lint, const struct lint_object *o)
{
    static const char *const keys[] = {SWITCH, MAX};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (value_of(o->json, "spec.template.metadata.labels", keys[i])) {
            char path[160];
            (void)snprintf(path, sizeof path, "spec.template.metadata.labels.%s", keys[i]);
            lint_tell(lint, o, "SpotMixLabel", lint_at(o, path), NULL,
                      "label %s does nothing on a pod template: it is one of the %s itself",
                      keys[i], o->kind);
        }
    }
}

static void check_own(struct skr_lint *lint, const struct lint_object *o)
{
    const char *on = value_of(o->json, "metadata.labels", SWITCH);
    const char *max = value_of(o->json, "metadata.labels", MAX);
    struct skr_spotmix_rule rule;
    skr_spotmix_rule_parse(on, max, &rule);
    if (on && !rule.on && strcmp(on, "false") != 0) {
        lint_tell(lint, o, "SpotMixLabel", lint_at(o, OWN SWITCH), NULL,
                  "label %s is \"%.63s\", not \"true\": the spot mix is off", SWITCH, on);
    }
    if (max && !on) {
        lint_tell(lint, o, "SpotMixLabel", lint_at(o, OWN MAX), NULL,
                  "label %s does nothing without %s: \"true\"", MAX, SWITCH);
    } else if (rule.invalid) {
        lint_tell(lint, o, "SpotMixLabel", lint_at(o, OWN MAX), NULL,
                  "label %s is \"%.63s\", no whole number: every pod is on-demand", MAX, max);
    }
}

void lint_spotmix(struct skr_lint *lint)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        if (can_be_mixed(lint->object[i]->kind)) {
            check_own(lint, lint->object[i]);
            check_template(lint, lint->object[i]);
        }
    }
}
