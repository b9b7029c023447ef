/* SPDX-License-Identifier: Apache-2.0 */
/* AdmissionReviews. An answer is JSON. */
#include <jansson.h>

#include "server/http/gate.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct skr_gate_options options = {.n_scheduler_names = 1, .scheduler_name = {"sakkara"}};
    struct skr_strbuf out;
    struct skr_error error;
    skr_strbuf_init(&out);
    if (skr_gate_review(&options, (const char *)data, size, &out, &error) == 0) {
        json_t *json = json_loadb(out.s, out.len, 0, NULL);
        skr_bug_on(json == NULL);
        json_decref(json);
    }
    skr_strbuf_fini(&out);
    return 0;
}
