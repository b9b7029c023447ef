/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_ADMISSION_ADMISSION_PODS_H
#define SKR_CORE_GANG_ADMISSION_ADMISSION_PODS_H
/*
 * The pods that a Workload will have, one for each pod set: its template, with what Kueue will add when
 * it admits the Workload: labels and tolerations of the assigned flavors, and updates of other checks.
 * Also which of them are tried as a gang, and which gang each is in.
 */
#include "core/gang/admission/admission_trial.h"

struct skr_admission_set {
    const struct skr_kueue_pod_set *from;
    struct skr_pod *pod; /* owned; has the role of the pod set */
    int32_t count;
    size_t part;  /* the gang */
    char *group;  /* its name; owned */
    json_t *adds; /* annotations that the template lacks: an update of the pod set; owned */
};

struct skr_admission_pods {
    size_t n; /* sets that are tried */
    struct skr_admission_set set[SKR_KUEUE_POD_SETS_MAX];
    size_t n_parts;
    const char *why; /* nothing is tried; constant */
};

/* Errors: SKR_NOT_FOUND, a flavor is not known yet; SKR_INVALID and SKR_LIMIT, a template is malformed or
 * a gang too large. *ret is to be released in every case. O(bytes). */
int skr_admission_pods_make(const struct skr_gang *e, const struct skr_kueue_workload *workload,
                            struct skr_admission_pods *ret, struct skr_error *error);
/* The kind of owners that decides which gangs there are; "": none is read. */
const char *skr_admission_pods_reads(const struct skr_kueue_workload *workload);
void skr_admission_pods_fini(struct skr_admission_pods *pods);
/* The list of podSetUpdates, a new reference. */
json_t *skr_admission_pods_updates(const struct skr_admission_pods *pods);

#endif
