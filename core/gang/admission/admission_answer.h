/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_ADMISSION_ADMISSION_ANSWER_H
#define SKR_CORE_GANG_ADMISSION_ADMISSION_ANSWER_H
/* Texts of the patches that answer admission checks. */
#include "core/gang/admission/admission_trial.h"

struct skr_admission_answer {
    enum skr_admission_verdict verdict; /* not AGAIN */
    const char *text;
    const char *updates; /* READY: JSON list of podSetUpdates */
    bool (*is_ours)(const void *context, const char *check);
    const void *context;
};

const char *skr_admission_state_name(enum skr_admission_verdict verdict); /* "Ready" */
/* Seconds until Kueue tries again, after so many answers Retry. */
int64_t skr_admission_retry_s(int32_t retries);
/* A patch of /status with all checks of the Workload; those of ours that are Pending have the answer, the
 * others are as they are. */
void skr_admission_write_answer(const struct skr_gang *e, const struct skr_kueue_workload *workload,
                                const struct skr_admission_answer *answer, struct skr_strbuf *b);
/* A patch of /status of an AdmissionCheck: condition Active. */
void skr_admission_write_active(const struct skr_gang *e, const struct skr_meta *meta,
                                struct skr_strbuf *b);

#endif
