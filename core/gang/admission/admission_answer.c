/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge patches of Workloads and AdmissionChecks. A merge patch replaces a list as a whole, so the patch
 * has the checks of other controllers as they were read; its resourceVersion refuses it if they changed.
 */
#include "core/gang/admission/admission_answer.h"

#include "core/frame/object_writer.h"
#include "core/gang/admission/admission.h"
#include "core/gang/state/output.h"

#include <jansson.h>

enum { TIME_BYTES = 40, DOUBLINGS_MAX = 10 };

const char *skr_admission_state_name(enum skr_admission_verdict verdict)
{
    static const char *const name[] = {[SKR_ADMISSION_READY] = "Ready",
                                       [SKR_ADMISSION_RETRY] = "Retry",
                                       [SKR_ADMISSION_REJECTED] = "Rejected",
                                       [SKR_ADMISSION_AGAIN] = "Pending"};
    return name[verdict];
}

int64_t skr_admission_retry_s(int32_t retries)
{
    const int shift = retries < 0 ? 0 : retries < DOUBLINGS_MAX ? retries : DOUBLINGS_MAX;
    const int64_t wait = (int64_t)SKR_ADMISSION_RETRY_S << shift;
    return wait < SKR_ADMISSION_RETRY_MAX_S ? wait : SKR_ADMISSION_RETRY_MAX_S;
}

/* In whole seconds, as metav1.Time. */
static void write_now(const struct skr_gang *e, char text[TIME_BYTES])
{
    skr_time_write(skr_frame_now(e->frame) / SKR_SECOND * SKR_SECOND, 0, text, TIME_BYTES);
}

static void answer_one(const struct skr_gang *e, const struct skr_kueue_check *check,
                       const struct skr_admission_answer *answer, json_t *into)
{
    char now[TIME_BYTES];
    SKR_STRBUF(text);
    write_now(e, now);
    skr_strbuf_addf(&text, "%.*s", SKR_MESSAGE_MAX, answer->text);
    json_object_del(into, "podSetUpdates");
    json_object_del(into, "requeueAfterSeconds");
    if (answer->verdict == SKR_ADMISSION_RETRY) {
        const int64_t wait = skr_admission_retry_s(check->retries);
        json_object_set_new(into, "requeueAfterSeconds", json_integer(wait));
        skr_strbuf_addf(&text, "; tried again in %lld s", (long long)wait);
    } else if (answer->verdict == SKR_ADMISSION_READY) {
        json_auto_t *updates = json_loads(answer->updates, JSON_ALLOW_NUL, NULL);
        if (json_array_size(updates) > 0) {
            json_object_set(into, "podSetUpdates", updates);
        }
    }
    json_object_set_new(into, "state", json_string(skr_admission_state_name(answer->verdict)));
    json_object_set_new(into, "message", json_string(text.s));
    json_object_set_new(into, "lastTransitionTime", json_string(now));
}

void skr_admission_write_answer(const struct skr_gang *e, const struct skr_kueue_workload *workload,
                                const struct skr_admission_answer *answer, struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    json_auto_t *checks = json_loads(workload->checks, JSON_ALLOW_NUL, NULL);
    bool first = true;
    for (size_t i = 0; i < workload->n_checks; i++) {
        const struct skr_kueue_check *check = &workload->check[i];
        if (check->state == SKR_KUEUE_PENDING && answer->is_ours(answer->context, check->name)) {
            struct skr_admission_answer one = *answer;
            one.updates =
                first ? answer->updates : "[]"; /* Kueue refuses one key from two checks */
            answer_one(e, check, &one, json_array_get(checks, i));
            first = false;
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

void skr_admission_write_active(const struct skr_gang *e, const struct skr_meta *meta,
                                struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    char now[TIME_BYTES];
    write_now(e, now);
    skr_object_open_patch(&w, meta);
    skr_json_close(&w, '}');
    skr_json_open(&w, "status", '{');
    skr_json_open(&w, "conditions", '[');
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "type", "Active");
    skr_json_string(&w, "status", "True");
    skr_json_string(&w, "reason", "Active");
    skr_json_string(&w, "message", "sakkara tries to place the pods of workloads");
    skr_json_string(&w, "lastTransitionTime", now);
    skr_json_close(&w, '}');
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
}
