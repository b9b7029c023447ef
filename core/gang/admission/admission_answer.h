/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_ADMISSION_ADMISSION_ANSWER_H
#define SKR_CORE_GANG_ADMISSION_ADMISSION_ANSWER_H
/* Texts of the patches that answer admission checks. */
#include "core/gang/state/gang.h"
#include "core/group/kueue.h"
#include "core/time/end.h"

enum {
    SKR_ADMISSION_RETRY_S = 30, /* at least, after an answer Retry */
    SKR_ADMISSION_RETRY_MAX_S = 600,
};

struct skr_admission_answer {
    enum skr_kueue_state verdict; /* not PENDING */
    const char *text;
    json_t *updates; /* READY: list of podSetUpdates; borrowed */
    int64_t start;   /* RETRY: the forecast; SKR_INSTANT_NEVER: not known */
};

/* Seconds from now until Kueue tries again: at the forecast, else doubled after each answer Retry. */
int64_t skr_admission_retry_s(int64_t start, int64_t now, int32_t retries);
/* A patch of /status with all checks of the Workload; those of ours that are Pending have the answer, the
 * others are as they are. */
void skr_admission_write_answer(const struct skr_gang *e, const struct skr_kueue_workload *workload,
                                const struct skr_admission_answer *answer, struct skr_strbuf *b);

#endif
