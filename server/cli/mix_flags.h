/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_MIX_FLAGS_H
#define SKR_SERVER_CLI_MIX_FLAGS_H
/* Flags that give the settings of the spot mix to commands that read a dump. A daemon has settings of
 * its own, so with a daemon these flags have no effect. */
#include "core/spotmix/settings.h"
#include "server/cli/cli.h"

struct skr_mix_flags {
    int preset;
    const char *key_prefix; /* NULL: as configured */
    const char *config;     /* NULL: defaults */
};
extern const struct skr_flag skr_mix_flag_table[];
extern const struct skr_flag skr_mix_tree_flag_table[]; /* the same for the command tree */

struct skr_mix_view {
    struct skr_spotmix_settings settings;
    struct skr_config *config; /* what settings borrow from; NULL: nothing */
};
/* messages: findings in the configuration. Returns an exit code; skr_mix_view_fini() with any. */
int skr_mix_view_init(struct skr_mix_view *view, const struct skr_call *call,
                      const struct skr_mix_flags *flags, struct skr_strbuf *messages);
void skr_mix_view_fini(struct skr_mix_view *view);

#endif
