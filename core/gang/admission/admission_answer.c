/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge patches of Workloads. A merge patch replaces a list as a whole, so it has the checks of other
 * controllers as they were read; its resourceVersion refuses it if they changed.
 */
#include "core/gang/admission/admission_answer.h"

#include "core/frame/object_writer.h"
#include "core/gang/admission/admission_checks.h"
#include "core/gang/state/output.h"

#include <jansson.h>

enum { TIME_BYTES = 40, DOUBLINGS_MAX = 10 };

int64_t skr_admission_retry_s(int64_t start, int64_t now, int32_t retries)
{
    const int shift = retries < 0 ? 0 : retries < DOUBLINGS_MAX ? retries : DOUBLINGS_MAX;
    const int64_t wait =
        start != SKR_INSTANT_NEVER ? start - now : (int64_t)SKR_ADMISSION_RETRY_S << shift;
    return wait < SKR_ADMISSION_RETRY_S       ? SKR_ADMISSION_RETRY_S
           : wait < SKR_ADMISSION_RETRY_MAX_S ? wait
                                              : SKR_ADMISSION_RETRY_MAX_S;
}

static void answer_one(const struct skr_gang *e, const struct skr_kueue_check *check,
                       const struct skr_admission_answer *answer, json_t *into)
{
    char now[TIME_BYTES];
    SKR_STRBUF(text);
    skr_time_write(skr_frame_now(e->frame) / SKR_SECOND * SKR_SECOND, 0, now, sizeof now);
    skr_strbuf_addf(&text, "%.*s", SKR_MESSAGE_MAX, answer->text);
    json_object_del(into, "podSetUpdates");
    json_object_del(into, "requeueAfterSeconds");
    if (answer->verdict == SKR_KUEUE_RETRY) {
        const int64_t wait = skr_admission_retry_s(
            answer->start, skr_instant_up(skr_frame_now(e->frame)), check->retries);
        json_object_set_new(into, "requeueAfterSeconds", json_integer(wait));
        skr_strbuf_addf(&text, "; tried again in %lld s", (long long)wait);
    } else if (answer->verdict == SKR_KUEUE_READY && json_array_size(answer->updates) > 0) {
        json_object_set(into, "podSetUpdates", answer->updates);
    }
    json_object_set_new(into, "state", json_string(skr_kueue_state_name[answer->verdict]));
    json_object_set_new(into, "message", json_string(text.s));
    json_object_set_new(into, "lastTransitionTime", json_string(now));
}

void skr_admission_write_answer(const struct skr_gang *e, const struct skr_kueue_workload *workload,
                                const struct skr_admission_answer *answer, struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    json_auto_t *checks = json_loads(workload->checks, JSON_ALLOW_NUL, NULL);
    struct skr_admission_answer one = *answer;
    for (size_t i = 0; i < workload->n_checks; i++) {
        const struct skr_kueue_check *check = &workload->check[i];
        if (check->state == SKR_KUEUE_PENDING && skr_admission_is_ours(e, check->name)) {
            answer_one(e, check, &one, json_array_get(checks, i));
            one.updates = NULL; /* Kueue refuses one key from two checks */
        }
    }
    SKR_AUTO_FREE char *text = json_dumps(checks, JSON_COMPACT);
    skr_object_open_patch(&w, &workload->meta);
    skr_json_close(&w, '}');
    skr_json_open(&w, "status", '{');
    skr_json_raw(&w, "admissionChecks", text);
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
}
