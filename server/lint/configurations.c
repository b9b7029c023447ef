/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's configuration; the other checks take its settings, or the defaults. */
#include <string.h>

#include "server/lint/parts.h"

static void check_configuration(struct skr_lint *lint, const struct lint_object *o)
{
    struct skr_findings findings;
    struct skr_config *config = NULL;
    if (o->text->n_objects > 1) {
        lint_tell(lint, o, "SecondDocument", lint_at(o, ""), NULL,
                  "the configuration must be a file of its own");
        return;
    }
    skr_findings_init(&findings);
    (void)skr_config_parse(o->text->text, o->text->n, &config, &findings);
    lint_tell_findings(lint, o, &findings);
    if (config && !lint->config_object) {
        skr_config_destroy(lint->config);
        lint->config = config;
        lint->config_object = o;
        return;
    }
    skr_config_destroy(config);
}

void lint_configurations(struct skr_lint *lint)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        if (strcmp(lint->object[i]->kind, "SakkaraConfiguration") == 0) {
            check_configuration(lint, lint->object[i]);
        }
    }
}

bool lint_is_ours(const struct skr_lint *lint, const char *scheduler_name)
{
    const struct skr_settings *s = &lint->config->settings;
    return skr_names_include(s->scheduler_name, s->n_scheduler_names, scheduler_name);
}
