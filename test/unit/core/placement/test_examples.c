/* SPDX-License-Identifier: Apache-2.0 */
/* The worked examples: whole reports, byte for byte, and their numbers by hand. */
#include "server/lab/simulate/placement.h"
#include "test/golden.h"
#include "test/test.h"
#include "test/unit/placement_scene.h"

struct example {
    const char *title;
};
static const struct example examples[] = {
    {"1-design"}, {"2-weighted"},     {"2-lexicographic"}, {"3-exhausted"}, {"3-exhausted-skew-2"},
    {"4-joint"},  {"5-missing-soft"}, {"5-missing-hard"},  {"6-resources"}, {"7-balance"},
};
TEST_EACH(example, examples, an_example_is_reported_byte_for_byte)
{
    char path[128], golden[128];
    snprintf(path, sizeof path, "test/placement/%s.yaml", example->title);
    snprintf(golden, sizeof golden, "test/placement/%s.golden", example->title);
    const char *file[] = {path};
    const struct skr_simulate_placement_options options = {.file = file,
                                                           .n_files = 1,
                                                           .scheduler = "sakkara",
                                                           .now = "2026-01-01T00:00:00Z",
                                                           .json = true};
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    (void)skr_simulate_placement_run(&options, &out, &messages);
    golden_check(golden, out.s);
    assert_true(messages.len == 0);
}

#define ZONES(spec)                                                                 \
    "\"spreadPolicy\":{\"spreadConstraints\":[{\"topologyKey\":\"region\","         \
    "\"topologyKeyType\":\"Label\"},{\"topologyKey\":\"zone\",\"topologyKeyType\":" \
    "\"Label\"" spec "}]}"
static const char design[] = "cluster c1 region=us-east zone=us-east-1a total=50\n"
                             "cluster c2 region=us-east zone=us-east-1a total=50\n"
                             "cluster c3 region=us-east zone=us-east-1b total=0\n"
                             "cluster c4 region=us-west zone=us-west-1a total=0\n"
                             "cluster c5 region=us-west zone=us-west-1a total=50\n"
                             "placement p {\"numberOfClusters\":2," ZONES(
                                 ",\"maxSkew\":1,\"whenUnsatisfiable\":\"DoNotSchedule\"") "}\n";
TEST(the_example_of_the_design_step_by_step)
{
    placement_scene_expect("step 1", design, "trace.0.final",
                           "{\"c1\":\"50\",\"c2\":\"50\",\"c3\":\"0\",\"c4\":\"0\",\"c5\":\"50\"}");
    placement_scene_expect("step 2", design, "trace.1.excluded", "[\"c2\"]");
    placement_scene_expect("step 2", design, "trace.1.packed",
                           "{\"c3\":63,\"c4\":4032,\"c5\":4032}");
    placement_scene_expect("step 2", design, "trace.1.levelScores.c3", "[0,63]");
    placement_scene_expect("step 2", design, "trace.1.normalized",
                           "{\"c3\":\"-100\",\"c4\":\"100\",\"c5\":\"100\"}");
    placement_scene_expect("step 2", design, "trace.1.final",
                           "{\"c3\":\"-200\",\"c4\":\"200\",\"c5\":\"250\"}");
    placement_scene_expect("answer", design, "selectionOrder", "[\"c1\",\"c5\"]");
}

#define TWO(mode)                                 \
    "cluster a1 region=r1 zone=za total=60\n"     \
    "cluster a3 region=r1 zone=zb total=50\n"     \
    "cluster b1 region=r2 zone=zc total=40\n"     \
    "cluster b2 region=r2 zone=zc total=20\n"     \
    "cluster b3 region=r2 zone=zd total=0\n" mode \
    "placement p {\"numberOfClusters\":4," ZONES("") "}\n"
TEST(weights_let_small_gaps_override_lower_levels)
{
    static const char all[] = TWO("cluster a2 region=r1 zone=za total=0\n");
    placement_scene_expect("with a2", all, "selectionOrder", "[\"a1\",\"b1\",\"a3\",\"b2\"]");
    placement_scene_expect("with a2", all, "trace.3.packed", "{\"a2\":0,\"b2\":4032,\"b3\":4095}");
    placement_scene_expect("875,700 / 4,095", all, "trace.3.final.b2", "\"2780/13\"");
    placement_scene_expect("without a2", TWO(""), "selectionOrder",
                           "[\"a1\",\"b1\",\"a3\",\"b3\"]");
}

TEST(newcomers_fill_free_places_and_who_stays_does_not_move)
{
    char lines[16384];
    int n = 0;
    for (int i = 1; i <= 207; i++) {
        n += i == 7 ? 0 : snprintf(lines + n, sizeof lines - (size_t)n, "cluster c%03d\n", i);
    }
    for (int slice = 1; slice <= 3; slice++) {
        n += snprintf(lines + n, sizeof lines - (size_t)n, "decided p %d", slice);
        for (int i = slice * 100 - 99; i <= slice * 100 && i <= 205; i++) {
            n += snprintf(lines + n, sizeof lines - (size_t)n, " c%03d", i);
        }
        n += snprintf(lines + n, sizeof lines - (size_t)n, "\n");
    }
    snprintf(lines + n, sizeof lines - (size_t)n, "placement p {}\n");
    placement_scene_expect("c007 left", lines, "placementDecisions.0.decisions.6", "\"c008\"");
    placement_scene_expect("99 stay", lines, "placementDecisions.0.decisions.98", "\"c100\"");
    placement_scene_expect("100 stay", lines, "placementDecisions.1.decisions.0", "\"c101\"");
    placement_scene_expect("100 stay", lines, "placementDecisions.1.decisions.99", "\"c200\"");
    placement_scene_expect("7 are there", lines, "placementDecisions.2.decisions",
                           "[\"c201\",\"c202\",\"c203\",\"c204\",\"c205\",\"c206\","
                           "\"c207\"]");
}
