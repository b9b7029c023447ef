/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_PINS_H
#define SKR_CORE_GANG_GROUP_PINS_H
/* Members whose node is given: by nodeSelector kubernetes.io/hostname, or by required node affinity
 * on metadata.name. Other members are placed around them. */
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"

bool skr_pins_is_pinned(const struct skr_pod_shape *shape);
/* Whether pins of these newcomers count as given nodes. If all newcomers have one shape, its pin is
 * instead a rule about where all of them may go. */
bool skr_pins_count(struct pod_entry *const *newcomers, size_t n);
/* What the pod names: a host name or the name of a node; NULL: the shape is not pinned. */
const char *skr_pins_said(const struct skr_pod_shape *shape);
/* The name of that node; NULL: no node has this host name, or the shape is not pinned. O(1), O(nodes)
 * if the node's name is not its host name. */
const char *skr_pins_node(const struct skr_gang *e, const struct skr_pod_shape *shape);
/* Whether this is the node's host name. */
bool skr_pins_is_called(const struct skr_node *node, const char *host);

#endif
