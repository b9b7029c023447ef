/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_DUMP_KINDS_H
#define SKR_SERVER_MANIFEST_DUMP_KINDS_H
/*
 * Which kinds of devices and volumes a dump has. A kind that is not in it was not asked for, or there are
 * no such objects; a dump does not say which. So what is not in it is not counted, and no claim of such a
 * kind is missing.
 *
 * A dump does not name the version of the API server either, which decides in what order kube-scheduler
 * takes devices. It is assumed to be that of the newest kubelet, or SKR_DUMP_MINOR.
 */
#include <jansson.h>

#include "core/gang/state/settings.h"
#include "topology/base/strbuf.h"

enum { SKR_DUMP_MINOR = 36 }; /* Kubernetes 1.36: the first with an order of devices */

/* All zero is empty. */
struct skr_dump_kinds {
    bool devices, slices;              /* objects of resource.k8s.io; those that name devices */
    bool volumes, classes;             /* PersistentVolumeClaims; StorageClasses */
    bool wants_devices, wants_volumes; /* pods, or templates of pods, have such claims */
    bool wants_ephemeral;              /* or volumes that such claims are made for */
    int32_t kubelet;                   /* minor version of the newest one; 0: no node names one */
};

/* An object of any kind; O(size). */
void skr_dump_kinds_add(struct skr_dump_kinds *kinds, const json_t *object);
/* What an engine that reads these objects takes for known. */
void skr_dump_kinds_apply(const struct skr_dump_kinds *kinds, struct skr_settings *settings);
/* One line about what pods want and the dump does not have; nothing otherwise. */
void skr_dump_kinds_note(const struct skr_dump_kinds *kinds, struct skr_strbuf *notes);

#endif
