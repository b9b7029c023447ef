/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters and bindings of Karmada from any JSON: decoded, and decided under every profile. */
#include "core/propagation/decision_json.h"
#include "server/lab/simulate/binding_input.h"
#include "server/lab/simulate/binding_text.h"
#include "test/fuzz/fuzz.h"

static void decide(const struct skr_binding_input *input, const struct skr_binding *binding,
                   enum skr_propagation_profile profile)
{
    struct skr_propagation_options options;
    struct skr_binding_decision *decision = NULL;
    struct skr_strbuf out;
    struct skr_json_writer w = {.out = &out};
    int64_t sum = 0;
    skr_strbuf_init(&out);
    skr_propagation_options_init(&options, profile);
    if (skr_binding_decide(binding, (const struct skr_member_cluster *const *)input->cluster,
                           input->n_clusters, &options, NULL, &decision, NULL) == 0) {
        for (size_t i = 0; i < decision->n_targets; i++) {
            sum += decision->target[i].replicas;
        }
        if (decision->code == SKR_PROPAGATION_PLACED && decision->need > 0 &&
            binding->n_components <= 1 && sum != binding->replicas) {
            abort();
        }
        skr_json_open(&w, NULL, '{');
        skr_binding_decision_write(decision, &w);
        skr_json_close(&w, '}');
        skr_binding_text_write(decision, false, &out);
    }
    skr_binding_decision_destroy(decision);
    skr_strbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_binding_input input;
    SKR_STRBUF(said);
    skr_binding_input_init(&input);
    SKR_AUTO_FREE char *text = malloc(size + 1);
    if (text) {
        memcpy(text, data, size);
        text[size] = '\0';
        if (skr_binding_input_parse(&input, "fuzz", text, size, &said) == 0 &&
            skr_binding_input_finish(&input, &said, &said) == 0) {
            for (size_t i = 0; i < input.n_bindings; i++) {
                for (int profile = 0; profile < SKR_PROFILE_COUNT; profile++) {
                    decide(&input, input.binding[i], (enum skr_propagation_profile)profile);
                }
            }
        }
    }
    skr_binding_input_fini(&input);
    return 0;
}
