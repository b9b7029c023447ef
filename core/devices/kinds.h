/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_KINDS_H
#define SKR_CORE_DEVICES_KINDS_H
/*
 * Slices as the stock holds them: in one block of the right size, with kinds that all slices share. Devices are of
 * one kind if they differ in values of attributes, in their name and in the name of their only set of counters
 * alone, and in few of these. Kinds that differ in too many of them form a family. Which kind a device has depends on
 * the slices before it; what it is does not.
 */
#include "topology/base/hash.h"
#include "topology/device_slices.h"

/* All zero but the seed is empty. */
struct skr_device_kinds {
    struct skr_hash_seed seed;
    struct skr_kind_family *families;
    size_t n_bytes; /* of all kinds; slices are not in it */
    uint64_t last_id;
};

/* A copy that skr_device_kinds_unpack() frees; its meta has a name and a version alone. *ret_counters: whose its
 * counters are; NULL: it has none. O(devices * (what they have + kinds of a family)). */
struct skr_device_slice *skr_device_kinds_pack(struct skr_device_kinds *kinds,
                                               const struct skr_device_slice *from,
                                               const struct skr_device_kind **ret_counters);
void skr_device_kinds_unpack(struct skr_device_kinds *kinds, struct skr_device_slice *slice,
                             const struct skr_device_kind *counters);

#endif
