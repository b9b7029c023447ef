/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of the extender's verbs; the first byte chooses the verb. What is understood is answered,
 * and the answer must be JSON. */
#include <jansson.h>
#include <stdlib.h>

#include "core/reason.h"
#include "server/http/answer_json.h"
#include "server/http/request_json.h"
#include "test/fuzz/fuzz.h"

static void answer(const struct skr_verb_args *args)
{
    struct skr_strbuf out;
    struct skr_answer answer = {.kind = SKR_ANSWER_ERROR, .text = SKR_TEXT_NOT_READY};
    if (args->verb == SKR_VERB_FILTER) {
        answer.kind = SKR_ANSWER_FILTER_NONE;
        answer.text = SKR_TEXT_PLANNING;
    } else if (args->verb == SKR_VERB_BIND) {
        answer.kind = SKR_ANSWER_BOUND;
        answer.text = "";
    }
    skr_strbuf_init(&out);
    skr_answer_write(&out, &answer, args);
    json_t *json = json_loadb(out.s, out.len, JSON_DECODE_ANY, NULL);
    skr_bug_on(json == NULL);
    json_decref(json);
    skr_strbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_verb_args args;
    struct skr_error error;
    if (size == 0) {
        return 0;
    }
    enum skr_verb verb = (enum skr_verb)(data[0] % SKR_VERB_COUNT);
    char *body = skr_fuzz_text(data + 1, size - 1);
    if (skr_verb_args_parse(verb, body, size - 1, &args, &error) == 0) {
        answer(&args);
        skr_verb_args_fini(&args);
    }
    return 0;
}
