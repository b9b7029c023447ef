/* SPDX-License-Identifier: Apache-2.0 */
/* Flags that give a command the settings of the spot mix. */
#include "server/cli/mix_flags.h"

#include "server/config/spotmix_settings.h"
#include "server/exit_code.h"

static const char *const presets[] = {"default", "karpenter", "eks", "gke", "aks", NULL};

const struct skr_flag skr_mix_flag_table[] = {
    SKR_FLAG(CHOICE, skr_mix_flags, preset, "--preset", NULL, "PRESET",
             "of a dump: how its nodes are labelled, as spotmix.preset of the daemon",
             .choice = presets),
    SKR_FLAG(TEXT, skr_mix_flags, key_prefix, "--key-prefix", NULL, "PREFIX",
             "of a dump: the label that switches the mix on, as spotmix.keyPrefix"),
    SKR_FLAG(TEXT, skr_mix_flags, config, "--config", NULL, "FILE",
             "of a dump: configuration of the daemon, for its spotmix section"),
    {0},
};

/* In tree, --preset is one of the topology. */
const struct skr_flag skr_mix_tree_flag_table[] = {
    SKR_FLAG(CHOICE, skr_mix_flags, preset, "--spotmix-preset", NULL, "PRESET",
             "of a dump: how its nodes are labelled, as spotmix.preset of the daemon",
             .choice = presets),
    SKR_FLAG(TEXT, skr_mix_flags, key_prefix, "--key-prefix", NULL, "PREFIX",
             "of a dump: the label that switches the mix on, as spotmix.keyPrefix"),
    SKR_FLAG(TEXT, skr_mix_flags, config, "--config", NULL, "FILE",
             "of a dump: configuration of the daemon, for its sections topology and spotmix"),
    {0},
};

int skr_mix_view_init(struct skr_mix_view *view, const struct skr_call *call,
                      const struct skr_mix_flags *flags, struct skr_strbuf *messages)
{
    *view = (struct skr_mix_view){0};
    if (flags->config && flags->preset > 0) {
        return skr_cli_refuse(call->command, "--config has a preset of its own, beside --preset",
                              presets[flags->preset], messages);
    }
    const int code = skr_cli_load_config(flags->config, NULL, &view->config, messages);
    if (code != SKR_EXIT_OK) {
        return code;
    }
    skr_config_spotmix_settings(view->config, &view->settings);
    if (!flags->config) {
        (void)skr_spotmix_settings_preset(&view->settings, presets[flags->preset]);
    }
    if (flags->key_prefix) {
        view->settings.key_prefix = flags->key_prefix;
    }
    return SKR_EXIT_OK;
}

void skr_mix_view_fini(struct skr_mix_view *view)
{
    skr_config_destroy(view->config);
}
