/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_VOLUME_USES_H
#define SKR_CORE_GANG_CACHE_VOLUME_USES_H
/*
 * Which pods on nodes use which claims of volumes. Memory: 24 bytes a use, and two places in indexes. Beyond
 * SKR_VOLUME_USES_MAX further uses are left out; the log says so once.
 */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"

enum { SKR_VOLUME_USES_MAX = 1000000 };

/* A version of a pod: its claims are in use while it is on a node and has not ended. O(its claims). */
void skr_volume_uses_note(struct skr_gang *e, const struct skr_pod *pod);
void skr_volume_uses_forget(struct skr_gang *e, const char *uid);
/* Iterates: *at begins as 0. *ret_claim is that of skr_volumes_id(). */
bool skr_volume_uses_next(const struct skr_gang *e, size_t *at, uint64_t *ret_claim,
                          const char **ret_node);
/* The node of a pod, other than uid, that uses the claim; NULL: none. */
const char *skr_volume_uses_find(const struct skr_gang *e, uint64_t claim, const char *uid);
void skr_volume_uses_mark_names(const struct skr_gang *e); /* for names_sweep.c */
void skr_volume_uses_fini(struct skr_gang *e);

#endif
