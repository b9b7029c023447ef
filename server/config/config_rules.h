/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CONFIG_CONFIG_RULES_H
#define SKR_SERVER_CONFIG_CONFIG_RULES_H
/* The rules that concern several options of one configuration: listeners, TLS, the spot mix, the topology,
 * timeouts. Only config.c includes this. */
#include "server/config/config.h"
#include "server/manifest/document.h"

/* Adds what is wrong, and makes the levels of topology.preset the configuration's. at[i]: where the value of
 * skr_options[i] is in the file; line 0: it is not there. */
void skr_config_check_rules(struct skr_config *config, const struct skr_yaml_mark at[],
                            struct skr_findings *findings);

#endif
