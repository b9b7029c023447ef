/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_CSI_H
#define SKR_CORE_GANG_CACHE_CSI_H
/*
 * What CSI drivers say: on which nodes they run and how many volumes those attach (CSINode), where
 * they have room for new volumes (CSIDriver, CSIStorageCapacity), and what is attached
 * (VolumeAttachment). Judged as kube-scheduler's plugins do it (hasEnoughCapacity() of
 * pkg/scheduler/framework/plugins/volumebinding/binder.go, nodevolumelimits/csi.go). What is not
 * known limits nothing.
 *
 * Drivers are numbers of volumes.h, whose limits and memory hold here too.
 */
#include "core/gang/cache/volumes.h"

/* What changed wakes groups with claims. Objects stay the caller's. */
void skr_csi_node_upsert(struct skr_gang *e, const struct skr_csi_node *node);
void skr_csi_node_delete(struct skr_gang *e, const char *name);
void skr_csi_driver_upsert(struct skr_gang *e, const struct skr_csi_driver *driver);
void skr_csi_driver_delete(struct skr_gang *e, const char *name);
void skr_csi_capacity_upsert(struct skr_gang *e, const struct skr_csi_capacity *capacity);
void skr_csi_capacity_delete(struct skr_gang *e, const char *namespace_, const char *name);
void skr_csi_attachment_upsert(struct skr_gang *e, const struct skr_volume_attachment *attachment);
void skr_csi_attachment_delete(struct skr_gang *e, const char *name);
/* Whether CSINodes, or CSIStorageCapacities, may not be read. */
void skr_csi_forbidden(struct skr_gang *e, const struct skr_object_type *type, bool is);
void skr_csi_fini(struct skr_gang *e);             /* for volumes.c */
void skr_csi_mark_names(const struct skr_gang *e); /* for names_sweep.c */

/* Volumes of the driver that the node attaches; INT32_MAX: no limit. */
int32_t skr_csi_limit(const struct skr_gang *e, const char *node, uint16_t driver);
/* Whether any node has a limit for it, or it is a pool. O(1). */
bool skr_csi_has_limit(const struct skr_gang *e, uint16_t driver);
/* Whether the driver of this claim runs on the node, if it has to. */
bool skr_csi_runs_on(const struct skr_gang *e, const struct volume_facts *facts, const char *node);
/* Whether nodes differ for this claim beyond facts->rule and its host. */
bool skr_csi_matters(const struct skr_gang *e, const struct volume_facts *facts);
/* Whether the driver has room for the volume of this claim. Each claim is compared by itself: the room is not
 * summed. O(1), and O(capacities) of those that name nodes by other means than up to 8 labels. */
bool skr_csi_has_room(const struct skr_gang *e, const struct volume_facts *facts,
                      const struct skr_node *node);
/* Iterates over attached volumes, used or not: *at begins as 0. *ret_volume is as in struct volume_facts. */
bool skr_csi_next_attached(const struct skr_gang *e, size_t *at, uint16_t *ret_driver,
                           const char **ret_node, uint64_t *ret_volume);

#endif
