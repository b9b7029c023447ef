/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that a later version removes, with the names that replace them. An old name is served for two
 * more minor versions. The table below and docs/upgrade.md list it for as long.
 *
 * Metrics are looked up in the expressions of PrometheusRules.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "server/lint/parts.h"

enum { PATH_BYTES = 96 };

struct superseded {
    const char *name, *instead, *until;
};

static const struct superseded metrics[] = {
    {"sakkara_api_write_seconds_total", "sakkara_api_write_duration_seconds_sum", "0.3"},
    {"sakkara_bindings_total", "sakkara_pod_bindings_total", "0.3"},
};

static bool continues_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == ':';
}

/* Whether the expression has the name as a whole word. */
static bool has_word(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        if ((at == text || !continues_name(at[-1])) && !continues_name(at[n])) {
            return true;
        }
    }
    return false;
}

static void check_rule(struct skr_lint *lint, const struct lint_object *object, const json_t *rule,
                       const char *path)
{
    const char *expression = skr_object_text(rule, "expr");
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct superseded *m = &metrics[i];
        if (has_word(expression, m->name)) {
            lint_tell(lint, object, "Superseded", lint_at(object, path), NULL,
                      "metric %s goes with %s: use %s", m->name, m->until, m->instead);
        }
    }
}

static void check_rules(struct skr_lint *lint, const struct lint_object *object)
{
    const json_t *groups = json_object_get(json_object_get(object->json, "spec"), "groups");
    const json_t *group, *rule;
    char path[PATH_BYTES];
    size_t i, j;
    json_array_foreach(groups, i, group)
    {
        json_array_foreach(json_object_get(group, "rules"), j, rule)
        {
            (void)snprintf(path, sizeof path, "spec.groups[%zu].rules[%zu].expr", i, j);
            check_rule(lint, object, rule, path);
        }
    }
}

void lint_superseded(struct skr_lint *lint)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        if (strcmp(lint->object[i]->kind, "PrometheusRule") == 0) {
            check_rules(lint, lint->object[i]);
        }
    }
}
