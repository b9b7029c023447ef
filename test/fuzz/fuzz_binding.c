/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters and bindings of Karmada from any JSON: decoded, and decided under every profile. */
#include "core/propagation/decision_json.h"
#include "server/lab/simulate/binding.h"
#include "server/lab/simulate/binding_text.h"
#include "test/fuzz/fuzz.h"

static void decide(const struct skr_fleet_input *input, const struct skr_binding *binding,
                   enum skr_propagation_profile profile)
{
    struct skr_propagation_options options;
    struct skr_binding_decision *decision = NULL;
    struct skr_strbuf out;
    struct skr_json_writer w = {.out = &out};
    int64_t sum = 0;
    skr_strbuf_init(&out);
    skr_propagation_options_init(&options, profile);
    options.component_sets = profile == SKR_PROFILE_DESIGN;
    if (skr_binding_decide_here(input, binding, &options, &decision, NULL) == 0) {
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
    struct skr_fleet_input input;
    SKR_STRBUF(said);
    skr_fleet_input_init(&input, &skr_binding_rules);
    SKR_AUTO_FREE char *text = malloc(size + 1);
    if (text) {
        memcpy(text, data, size);
        text[size] = '\0';
        if (skr_fleet_input_parse(&input, "fuzz", text, size, &said) == 0 &&
            skr_fleet_input_finish(&input, &said) == 0) {
            SKR_AUTO_FREE const struct skr_binding **all = NULL;
            const size_t n = skr_binding_all(&input, &all);
            for (size_t i = 0; i < n; i++) {
                for (int profile = 0; profile < SKR_PROFILE_COUNT; profile++) {
                    decide(&input, all[i], (enum skr_propagation_profile)profile);
                }
            }
        }
    }
    skr_fleet_input_fini(&input);
    return 0;
}
