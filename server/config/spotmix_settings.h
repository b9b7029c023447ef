/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CONFIG_SPOTMIX_SETTINGS_H
#define SKR_SERVER_CONFIG_SPOTMIX_SETTINGS_H
/* The spotmix section of a configuration as what the mix works with, for the daemon and for the
 * commands that look at files as a daemon would. */
#include "server/config/config.h"

/* own_namespace is "": only the daemon knows its own. Borrows the configuration. */
void skr_config_spotmix_settings(const struct skr_config *config, struct skr_spotmix_settings *ret);

#endif
