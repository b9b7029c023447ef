/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SIMULATE_MIX_ADMISSION_H
#define SKR_SERVER_SIMULATE_MIX_ADMISSION_H
/*
 * The spot mix's webhook in the simulated cluster: every pod that a controller creates there is
 * reviewed by the daemon's own code, through an AdmissionReview, and the patch applied. Adoption,
 * evictions and costs of rollouts are the reconciler's, which is not simulated.
 */
#include "core/spotmix/settings.h"
#include "server/model/store.h"
#include "topology/base/strbuf.h"

struct skr_mix_admission;

/* Whether an object switches the mix on: a Deployment, ReplicaSet or StatefulSet with the label. */
bool skr_mix_admission_is_wanted(const struct skr_spotmix_settings *settings, const json_t *object);

/* Takes part in the store's creations until it is destroyed. Borrows settings and store. */
struct skr_mix_admission *skr_mix_admission_create(const struct skr_spotmix_settings *settings,
                                                   struct skr_store *store);
void skr_mix_admission_destroy(struct skr_mix_admission *admission); /* NULL allowed */
/* Takes in what has changed in the store; at least once at every point of virtual time. */
void skr_mix_admission_keep_up(struct skr_mix_admission *admission);

/* The label of pods that has their class; lives as long as admission. */
const char *skr_mix_admission_class_label(const struct skr_mix_admission *admission);

/* Who sits where: for each workload and class a bar, and its nodes. */
void skr_mix_admission_write(struct skr_mix_admission *admission, bool ascii,
                             struct skr_strbuf *out);

#endif
