/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_DEVICE_LEVELS_H
#define SKR_TOPOLOGY_DEVICE_LEVELS_H
/*
 * Levels of a tree by attributes of devices (label_levels.h). A node gets the value of such a level as a
 * label that no user can set: the level's own, whose key has a colon.
 *
 * The devices of a node are those of slices with its nodeName, of the newest generation of their pool. A
 * device without the attribute says nothing. Devices that say different values: the label is "", which
 * is the value of no unit.
 */
#include "topology/base/arena.h"
#include "topology/device_slices.h"
#include "topology/label_levels.h"

/*
 * The labels of the nodes, and these, by node: ret[n]. Names of nodes and all labels are borrowed, the rest is
 * in the arena. NULL: without memory. O(devices * attributes + (nodes + slices) log).
 */
const struct skr_labels *skr_device_levels_apply(const struct skr_label_levels *levels,
                                                 const struct skr_device_slice *const *slice,
                                                 size_t n_slices,
                                                 const struct skr_node *const *node, size_t n,
                                                 struct skr_arena *arena);

#endif
