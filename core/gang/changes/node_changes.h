/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_NODE_CHANGES_H
#define SKR_CORE_GANG_CHANGES_NODE_CHANGES_H
/* Applies a change of a node. */
#include "core/gang/state/gang.h"

void skr_node_changes_upsert(struct skr_gang *e, struct skr_node *node); /* taken */
void skr_node_changes_delete(struct skr_gang *e, const char *name);
void skr_node_changes_fini(struct skr_gang *e);

#endif
