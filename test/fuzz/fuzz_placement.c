/* SPDX-License-Identifier: Apache-2.0 */
/* A hub of Open Cluster Management: reasons with positions, or a report about its Placement that is
 * JSON, the same twice, and consistent in itself. */
#include "server/lab/simulate/placement.h"
#include "test/fuzz/fuzz.h"

static char *report(const char *text, size_t size, int *ret_code)
{
    const struct skr_simulate_placement_options options = {
        .scheduler = "sakkara", .now = "2026-01-01T00:00:00Z", .json = true};
    struct skr_fleet_input input;
    struct skr_strbuf out, messages;
    skr_strbuf_init(&out);
    skr_strbuf_init(&messages);
    skr_fleet_input_init(&input, &skr_placement_rules);
    *ret_code = -1;
    if (skr_fleet_input_parse(&input, "hub", text, size, &messages) == 0 &&
        skr_fleet_input_finish(&input, &messages) == 0) {
        *ret_code = skr_simulate_placement_show(&input, &options, &out, &messages);
    }
    skr_fleet_input_fini(&input);
    skr_strbuf_fini(&messages);
    return skr_strbuf_take(&out, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int first, second;
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    SKR_AUTO_FREE char *one = report(text, size, &first), *again = report(text, size, &second);
    fuzz_check(first == second && strcmp(one ? one : "", again ? again : "") == 0);
    if (one && one[0]) {
        json_auto_t *all = json_loads(one, JSON_REJECT_DUPLICATES, NULL);
        fuzz_check(all);
        fuzz_check(json_is_true(json_object_get(all, "valid")) ==
                   !json_string_length(json_object_get(all, "misconfigured")));
        const size_t n = json_array_size(json_object_get(all, "selectionOrder"));
        fuzz_check(!json_is_true(json_object_get(all, "valid")) || first == 1 ||
                   n <= json_array_size(json_object_get(all, "decisions")));
    }
    return 0;
}
