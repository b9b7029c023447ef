/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_DRIVER_MIX_ADMISSION_H
#define SKR_SERVER_LAB_DRIVER_MIX_ADMISSION_H
/*
 * The spot mix's webhook in the simulated cluster: every pod that a controller creates there is
 * reviewed by the daemon's own code, through an AdmissionReview, and the patch applied. Adoption,
 * evictions and costs of rollouts are the reconciler's, which is not simulated.
 */
#include "core/spotmix/mix.h"
#include "server/lab/store/store.h"

struct skr_mix_admission;

/* Whether an object switches the mix on: a Deployment, ReplicaSet or StatefulSet with the label. */
bool skr_mix_admission_is_wanted(const struct skr_spotmix_settings *settings, const json_t *object);

/* Takes part in the store's creations until it is destroyed. Borrows settings and store. */
struct skr_mix_admission *skr_mix_admission_create(const struct skr_spotmix_settings *settings,
                                                   struct skr_store *store);
void skr_mix_admission_destroy(struct skr_mix_admission *admission); /* NULL allowed */
/* Takes in what has changed in the store; at least once at every point of virtual time. */
void skr_mix_admission_keep_up(struct skr_mix_admission *admission);
uint64_t skr_mix_admission_seen(
    const struct skr_mix_admission *admission); /* up to this revision */

/* The label of pods that has their class; lives as long as admission. */
const char *skr_mix_admission_class_label(const struct skr_mix_admission *admission);

/* The mix as it is now, borrowed until an object is created. */
const struct skr_spotmix *skr_mix_admission_mix(struct skr_mix_admission *admission);

#endif
