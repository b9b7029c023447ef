/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara demo placement`: the example of OCM's spread policy design, without a cluster. */
#include <string.h>

#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "server/lab/simulate/placement.h"

/* Enhancement 70, "Implementation Example": five clusters, region soft, zone hard. */
#define CLUSTER(name, region, zone, score)                                                   \
    "- {apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: " \
    "{name: " name ", labels: {region: " region ", zone: " zone "}, annotations: "           \
    "{sakkara.simulate/total-score: '" score "'}}}\n"
static const char hub[] = "apiVersion: v1\nkind: List\nitems:\n" CLUSTER(
    "c1", "us-east", "us-east-1a", "50") CLUSTER("c2", "us-east", "us-east-1a", "50")
    CLUSTER("c3", "us-east", "us-east-1b", "0") CLUSTER("c4", "us-west", "us-west-1a", "0") CLUSTER(
        "c5", "us-west", "us-west-1a",
        "50") "- apiVersion: cluster.open-cluster-management.io/v1beta1\n"
              "  kind: Placement\n"
              "  metadata:\n"
              "    name: web\n"
              "    namespace: shop\n"
              "    annotations:\n"
              "      cluster.open-cluster-management.io/experimental-scheduling-disable: 'true'\n"
              "      sakkara.placement.scheduler: sakkara\n"
              "  spec:\n"
              "    numberOfClusters: 2\n"
              "    spreadPolicy:\n"
              "      spreadConstraints:\n"
              "      - {topologyKey: region, topologyKeyType: Label}\n"
              "      - {topologyKey: zone, topologyKeyType: Label, whenUnsatisfiable: "
              "DoNotSchedule}\n";

static const struct {
    const char *story, *set;
} acts[] = {
    {"Two of five clusters, spread over regions first, then over zones by 1 at most.\n"
     "c1 comes first by name; c2 has the same score but shares its zone, so c5 is\n"
     "next.\n\n",
     "web:spec.numberOfClusters=2"},
    {"\nAll five: the zones of us-east stay within 1 of one another, so c2 may follow\n"
     "c3.\n\n",
     "web:spec.numberOfClusters=5"},
    {"\nWith a typo in the policy, nothing that runs is touched:\n\n",
     "web:spec.spreadPolicy.spreadConstraints[0].topologyKeyType=Lable"},
};

static const struct skr_flag flags[] = {SKR_HELP_FLAG, {0}};

static int play(const char *set, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct skr_simulate_placement_options options = {
        .placement = "shop/web", .scheduler = "sakkara", .now = "2026-01-01T00:00:00Z"};
    struct skr_fleet_input input;
    skr_fleet_input_init(&input, &skr_placement_rules);
    int rc = skr_fleet_input_parse(&input, "demo", hub, strlen(hub), messages);
    rc = rc < 0 ? rc : skr_placement_set(&input, set, messages);
    rc = rc < 0 ? rc : skr_fleet_input_finish(&input, messages);
    if (rc == 0) {
        (void)skr_simulate_placement_show(&input, &options, out, messages);
    }
    skr_fleet_input_fini(&input);
    return rc;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    (void)call;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        skr_strbuf_add(out, acts[i].story);
        if (play(acts[i].set, out, messages) < 0) {
            return SKR_EXIT_ERROR;
        }
    }
    return SKR_EXIT_OK;
}

const struct skr_command skr_command_demo_placement = {
    .name = "demo placement",
    .usage = "sakkara demo placement",
    .summary = "a spread policy of OCM, no cluster needed",
    .text = "The example of the design of OCM's spread policy: two of five clusters, then all of\n"
            "them, then a mistake in the policy.\n",
    .examples = "  sakkara demo placement\n"
                "  sakkara demo placement | less\n",
    .next = "sakkara help simulate placement",
    .group = {{flags, 0}},
    .run = run,
};
