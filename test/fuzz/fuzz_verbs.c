/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of the extender's verbs. The first byte chooses the verb, the second seeds the engine's
 * answers. What is understood is given every answer of its verb: each is JSON that kube-scheduler
 * takes, and says what the engine said. Answers that are not the verb's are refused.
 */
#include "core/gang/state/reason.h"
#include "server/http/answer_json.h"
#include "server/http/request_json.h"
#include "test/fuzz/fuzz.h"

static bool bit(const uint8_t *mask, size_t i)
{
    return (mask[i / 8] >> i % 8 & 1) != 0;
}

static json_t *write_answer(const struct skr_verb_args *args, const struct skr_answer *answer,
                            bool fits)
{
    SKR_STRBUF(out);
    json_t *json;
    fuzz_check(skr_answer_write(&out, answer, args) == fits);
    /* Maps of Go take a repeated node; an echoed Node is the caller's text. */
    json = json_loadb(out.s, out.len, JSON_DECODE_ANY, NULL);
    fuzz_check(json || args->nodes_form);
    return json;
}

static size_t passed(const json_t *json, bool nodes_form)
{
    const json_t *items = json_object_get(json_object_get(json, "Nodes"), "items");
    return json_array_size(nodes_form ? items : json_object_get(json, "NodeNames"));
}

static void check_filter(const struct skr_verb_args *args, const struct skr_answer *answer,
                         size_t want)
{
    json_auto_t *json = write_answer(args, answer, true);
    if (json) {
        const json_t *refused = json_object_get(json, "FailedAndUnresolvableNodes");
        fuzz_check(passed(json, args->nodes_form) == want);
        fuzz_check(json_object_size(json_object_get(json, "FailedNodes")) == 0);
        fuzz_check(json_object_size(refused) <= args->n_nodes - want);
        fuzz_check((json_object_size(refused) > 0) ==
                   (want < args->n_nodes && answer->kind != SKR_ANSWER_FILTER_ONE));
        fuzz_check(json_string_length(json_object_get(json, "Error")) == 0);
    }
}

static void answer_filter(const struct skr_verb_args *args, const uint8_t *mask)
{
    struct skr_answer answer = {.text = SKR_TEXT_PLANNING, .n = args->n_nodes, .mask = mask};
    size_t count = 0;
    for (size_t i = 0; i < args->n_nodes; i++) {
        count += bit(mask, i);
    }
    answer.kind = SKR_ANSWER_FILTER_ALL;
    check_filter(args, &answer, args->n_nodes);
    answer.kind = SKR_ANSWER_FILTER_NONE;
    check_filter(args, &answer, 0);
    answer.kind = SKR_ANSWER_FILTER_MASK;
    check_filter(args, &answer, count);
    answer.kind = SKR_ANSWER_FILTER_ONE;
    answer.index = args->n_nodes / 2;
    if (args->n_nodes > 0) {
        check_filter(args, &answer, 1);
    }
    answer.index = args->n_nodes;
    json_decref(write_answer(args, &answer, false));
}

static void answer_scores(const struct skr_verb_args *args, const uint8_t *mask)
{
    struct skr_answer answer = {.kind = SKR_ANSWER_SCORES, .text = "", .n = args->n_nodes};
    SKR_AUTO_FREE int8_t *score = skr_alloc_array(args->n_nodes + 1, sizeof *score);
    for (size_t i = 0; i < args->n_nodes; i++) {
        score[i] = bit(mask, i) ? 10 : 0;
    }
    answer.scores = score;
    json_t *json = write_answer(args, &answer, true);
    fuzz_check(json_array_size(json) == args->n_nodes);
    for (size_t i = 0; i < args->n_nodes; i++) {
        const json_t *entry = json_array_get(json, i);
        fuzz_check(strcmp(json_string_value(json_object_get(entry, "Host")), args->node[i]) == 0);
        fuzz_check(json_integer_value(json_object_get(entry, "Score")) == score[i]);
    }
    json_decref(json);
    answer.n++;
    json_decref(write_answer(args, &answer, false));
}

static void answer_preempt(const struct skr_verb_args *args, const uint8_t *mask)
{
    struct skr_answer answer = {
        .kind = SKR_ANSWER_PREEMPT_MASK, .text = "", .n = args->n_candidates, .mask = mask};
    json_auto_t *json = write_answer(args, &answer, true);
    const json_t *map = json_object_get(json, "NodeNameToMetaVictims");
    size_t kept = 0;
    for (size_t i = 0; i < args->n_candidates; i++) {
        const struct skr_preempt_node *c = &args->candidate[i];
        const json_t *victims = json_object_get(map, c->node);
        fuzz_check((!!victims) == bit(mask, i));
        kept += bit(mask, i);
        fuzz_check(!victims || json_array_size(json_object_get(victims, "Pods")) == c->n_uids);
        for (size_t k = 0; k < c->n_uids; k++) {
            fuzz_check(c->uid[k][0] != '\0');
        }
    }
    fuzz_check(json_object_size(map) == kept);
}

static void answer_bind(const struct skr_verb_args *args)
{
    const struct skr_answer bound = {.kind = SKR_ANSWER_BOUND, .text = ""};
    fuzz_check(args->namespace_[0] && args->name[0] && args->bind_node[0] && args->uid);
    json_auto_t *json = write_answer(args, &bound, true);
    fuzz_check(json_string_length(json_object_get(json, "Error")) == 0);
}

static void answer_error(const struct skr_verb_args *args)
{
    const struct skr_answer error = {.kind = SKR_ANSWER_ERROR, .text = SKR_TEXT_NOT_READY};
    json_auto_t *json = write_answer(args, &error, true);
    const char *text = json_string_value(json_object_get(json, "Error"));
    bool has = args->verb == SKR_VERB_FILTER || args->verb == SKR_VERB_BIND;
    fuzz_check(json && (!has || strcmp(text, SKR_TEXT_NOT_READY) == 0));
}

static void answer_all(const struct skr_verb_args *args, uint8_t seed)
{
    size_t n = args->n_nodes > args->n_candidates ? args->n_nodes : args->n_candidates;
    SKR_AUTO_FREE uint8_t *mask = skr_alloc(n / 8 + 1);
    fuzz_check(args->n_nodes <= SKR_VERB_NODES_MAX && args->n_candidates <= SKR_VERB_NODES_MAX);
    for (size_t i = 0; i < n / 8 + 1; i++) {
        mask[i] = (uint8_t)(seed + i * 37);
    }
    fuzz_check((args->verb == SKR_VERB_BIND) == (!args->pod));
    answer_error(args);
    if (args->verb == SKR_VERB_FILTER) {
        answer_filter(args, mask);
    } else if (args->verb == SKR_VERB_PRIORITIZE) {
        answer_scores(args, mask);
    } else if (args->verb == SKR_VERB_PREEMPT) {
        answer_preempt(args, mask);
    } else {
        answer_bind(args);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_verb_args args;
    struct skr_error error;
    if (size < 2) {
        return 0;
    }
    enum skr_verb verb = (enum skr_verb)(data[0] % SKR_VERB_COUNT);
    struct skr_pod_shapes *shapes = data[1] % 2 == 0 ? skr_pod_shapes_create() : NULL;
    int rc =
        skr_verb_args_parse(verb, fuzz_text(data + 2, size - 2), size - 2, shapes, &args, &error);
    skr_pod_shapes_destroy(shapes);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        answer_all(&args, data[1]);
    } else {
        fuzz_check(strpbrk(error.text, ":0123456789")); /* of which field, or where */
    }
    skr_verb_args_fini(&args);
    return 0;
}
