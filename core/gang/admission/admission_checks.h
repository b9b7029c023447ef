/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_ADMISSION_ADMISSION_CHECKS_H
#define SKR_CORE_GANG_ADMISSION_ADMISSION_CHECKS_H
/* AdmissionChecks of this controller, which get condition Active, and ResourceFlavors: both by name. */
#include "core/gang/state/gang.h"
#include "core/group/kueue.h"

#define SKR_ADMISSION_CONTROLLER "sakkara/placement"

enum {
    SKR_ADMISSION_CHECKS_MAX = 64,    /* AdmissionChecks that are answered */
    SKR_ADMISSION_FLAVORS_MAX = 1000, /* ResourceFlavors that are cached */
    SKR_ADMISSION_AGAIN_S = 5,        /* pause after a failed request */
    SKR_ADMISSION_REFUSED_S = 60,     /* after one that is refused */
};

/* Objects of the watches; each is taken. */
void skr_admission_check_upsert(struct skr_gang *e, struct skr_admission_check *check);
void skr_admission_flavor_upsert(struct skr_gang *e, struct skr_kueue_flavor *flavor);
/* type: of one of both. */
void skr_admission_checks_delete(struct skr_gang *e, const struct skr_object_type *type,
                                 const char *name);
bool skr_admission_is_ours(const struct skr_gang *e, const char *check);
/* NULL: not known. Borrowed until the next event. */
const struct skr_kueue_flavor *skr_admission_flavor(const struct skr_gang *e, const char *name);
/* Writes condition Active where it is missing. */
void skr_admission_checks_activate(struct skr_gang *e);
void skr_admission_checks_written(struct skr_gang *e, const struct skr_pending_write *w,
                                  const struct skr_event *ev);
void skr_admission_checks_fini(struct skr_gang *e);

#endif
