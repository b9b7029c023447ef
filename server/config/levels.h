/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CONFIG_LEVELS_H
#define SKR_SERVER_CONFIG_LEVELS_H
/* The option topology.levels: a list of mappings in YAML, which topology/label_levels.h reads. Only
 * config.c includes this. */
#include "server/findings.h"
#include "server/manifest/document.h"
#include "topology/label_levels.h"

/* node: any value. The texts of *ret are in the arena. False: findings were added, with the position
 * of the level that has the first defect. */
bool skr_config_read_levels(const struct skr_value *node, struct skr_arena *arena,
                            struct skr_label_levels *ret, struct skr_findings *findings);

#endif
