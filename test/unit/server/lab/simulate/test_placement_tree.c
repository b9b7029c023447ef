/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of `tree --placements`. */
#include "server/lab/simulate/placement_tree.h"
#include "test/test.h"

#define GROUP "apiVersion: cluster.open-cluster-management.io/"

static const char hub[] = GROUP "v1\n"
                                "kind: ManagedCluster\n"
                                "metadata: {name: c1, labels: {region: east, zone: a}}\n"
                                "---\n" GROUP "v1\n"
                                "kind: ManagedCluster\n"
                                "metadata: {name: c2, labels: {region: east, zone: b}}\n"
                                "---\n" GROUP "v1\n"
                                "kind: ManagedCluster\n"
                                "metadata: {name: c3, labels: {region: west, zone: a}}\n"
                                "---\n" GROUP "v1\n"
                                "kind: ManagedCluster\n"
                                "metadata: {name: c4, labels: {zone: a}}\n"
                                "---\n" GROUP "v1\n"
                                "kind: ManagedCluster\n"
                                "metadata: {name: c5, labels: {region: east, zone: a}}\n"
                                "---\n" GROUP "v1beta1\n"
                                "kind: Placement\n"
                                "metadata: {name: web, namespace: shop}\n"
                                "spec:\n"
                                "  spreadPolicy:\n"
                                "    spreadConstraints:\n"
                                "    - {topologyKey: region, topologyKeyType: Label}\n"
                                "    - {topologyKey: zone, topologyKeyType: Label}\n"
                                "---\n" GROUP "v1beta1\n"
                                "kind: Placement\n"
                                "metadata: {name: all}\n"
                                "spec: {}\n"
                                "---\n" GROUP "v1beta1\n"
                                "kind: PlacementDecision\n"
                                "metadata:\n"
                                "  name: web-decision-1\n"
                                "  namespace: shop\n"
                                "  labels: {cluster.open-cluster-management.io/placement: web}\n"
                                "status:\n"
                                "  decisions:\n"
                                "  - {clusterName: c1}\n"
                                "  - {clusterName: c2}\n"
                                "  - {clusterName: c3}\n"
                                "---\n" GROUP "v1beta1\n"
                                "kind: PlacementDecision\n"
                                "metadata:\n"
                                "  name: web-decision-2\n"
                                "  namespace: shop\n"
                                "  labels: {cluster.open-cluster-management.io/placement: web}\n"
                                "status:\n"
                                "  decisions:\n"
                                "  - {clusterName: c4}\n"
                                "  - {clusterName: c5}\n"
                                "  - {clusterName: gone}\n";

static void expect(const char *namespace_, bool ascii, const char *expected)
{
    struct skr_fleet_input input;
    struct skr_strbuf out, messages;
    skr_strbuf_init(&out);
    skr_strbuf_init(&messages);
    skr_fleet_input_init(&input, &skr_placement_rules);
    assert_int_equal(skr_fleet_input_parse(&input, "hub", hub, sizeof hub - 1, &messages), 0);
    assert_int_equal(skr_fleet_input_finish(&input, &messages), 0);
    skr_placement_tree_write(&input, namespace_, ascii, &out);
    assert_string_equal(out.s, expected);
    skr_fleet_input_fini(&input);
    skr_strbuf_fini(&messages);
    skr_strbuf_fini(&out);
}

TEST(decisions_are_drawn_below_the_values_of_their_clusters)
{
    expect("shop", true,
           "shop/web                    6\n"
           "|-<none>                    2\n"
           "| \\-<none>                  2\n"
           "|   |-c4                    web-decision-2\n"
           "|   \\-gone                  web-decision-2  (no such cluster)\n"
           "|-east                      3\n"
           "| |-a                       2\n"
           "| | |-c1                    web-decision-1\n"
           "| | \\-c5                    web-decision-2\n"
           "| \\-b                       1\n"
           "|   \\-c2                    web-decision-1\n"
           "\\-west                      1\n"
           "  \\-a                       1\n"
           "    \\-c3                    web-decision-1\n");
}

TEST(a_placement_without_decisions_is_a_line)
{
    expect("default", false, "default/all                 0\n");
    expect("other", false, "");
}
