/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates, configuration, prioritizers, spread and decisions: a row for every rule. */
#include "test/test.h"
#include "test/unit/placement_scene.h"

struct row {
    const char *title, *lines, *member, *expected;
};

#define P(spec)     "placement p " spec "\n"
#define EXACT(e)    "{\"prioritizerPolicy\":{\"mode\":\"Exact\",\"configurations\":[" e "]}}"
#define NAMED(n)    "{\"name\":\"" n "\"}"
#define FLAT(n, w)  "{\"name\":\"" n "\",\"weight\":" w "}"
#define COORD(n, w) "{\"scoreCoordinate\":{\"builtIn\":\"" n "\"},\"weight\":" w "}"
#define ADDON(r, s, w)                                                          \
    "{\"scoreCoordinate\":{\"type\":\"AddOn\",\"addOn\":{\"resourceName\":\"" r \
    "\",\"scoreName\":\"" s "\"}},\"weight\":" w "}"
#define SPREAD(n, c) "{\"numberOfClusters\":" n ",\"spreadPolicy\":{\"spreadConstraints\":[" c "]}}"
#define SOFT(k)      "{\"topologyKey\":\"" k "\",\"topologyKeyType\":\"Label\"}"
#define HARD(k)                                                 \
    "{\"topologyKey\":\"" k "\",\"topologyKeyType\":\"Label\"," \
    "\"whenUnsatisfiable\":\"DoNotSchedule\"}"
#define LABEL_IN(op) \
    "{\"requiredClusterSelector\":{\"labelSelector\":{\"matchExpressions\":[" op "]}}}"
#define CLUSTERSET "cluster.open-cluster-management.io/clusterset"

/* ---- candidates ---- */

static const struct row candidates[] = {
    {"without any set every cluster is a candidate", "cluster a\ncluster b\n" P("{}"), "decisions",
     "[\"a\",\"b\"]"},
    {"no binding", "cluster a\nset s\n" P("{}"), "satisfiedReason",
     "\"NoManagedClusterSetBindings\""},
    {"a binding of a set that is not there", "cluster a\nset s\nbind t\n" P("{}"),
     "satisfiedReason", "\"NoManagedClusterSetBindings\""},
    {"a binding where there is no set at all", "cluster a\nbind t\n" P("{}"), "satisfiedReason",
     "\"NoManagedClusterSetBindings\""},
    {"clusterSets and bound sets are disjoint",
     "cluster a\nset s\nbind s\n" P("{\"clusterSets\":[\"t\"]}"), "satisfiedReason",
     "\"NoIntersection\""},
    {"bound sets are empty", "cluster a\nset s\nbind s\n" P("{}"), "satisfiedReason",
     "\"AllManagedClusterSetsEmpty\""},
    {"the label names the set",
     "cluster a " CLUSTERSET "=s\ncluster b " CLUSTERSET "=t\nset s\nbind s\n" P("{}"), "decisions",
     "[\"a\"]"},
    {"an empty selector takes all",
     "cluster a\nset s {\"selectorType\":\"LabelSelector\",\"labelSelector\":{}}\nbind s\n" P("{}"),
     "decisions", "[\"a\"]"},
    {"an absent selector takes none",
     "cluster a\nset s {\"selectorType\":\"LabelSelector\"}\nbind s\n" P("{}"), "satisfiedReason",
     "\"AllManagedClusterSetsEmpty\""},
    {"a selector takes what it matches",
     "cluster a x=1\ncluster b\nset s "
     "{\"selectorType\":\"LabelSelector\",\"labelSelector\":{\"matchLabels\":{\"x\":\"1\"}}}\n"
     "bind s\n" P("{}"),
     "decisions", "[\"a\"]"},
    {"a cluster that is being deleted is none", "cluster a deleting\ncluster b\n" P("{}"),
     "decisions", "[\"b\"]"},
    {"a cluster in two sets counts once",
     "cluster a " CLUSTERSET "=s\nset s\nset t "
     "{\"selectorType\":\"LabelSelector\",\"labelSelector\":{}}\nbind s\nbind t\n" P("{}"),
     "decisions", "[\"a\"]"},
    {"predicates are ORed",
     "cluster a x=1\ncluster b x=2\ncluster c\n" P("{\"predicates\":[" LABEL_IN(
         "{\"key\":\"x\",\"operator\":\"In\",\"values\":[\"1\"]}") "," LABEL_IN("{\"key\":\"x\","
                                                                                "\"operator\":"
                                                                                "\"In\",\"values\":"
                                                                                "[\"2\"]}") "]}"),
     "decisions", "[\"a\",\"b\"]"},
    {"NotIn is true without the key",
     "cluster a x=1\ncluster b\n" P("{\"predicates\":[" LABEL_IN(
         "{\"key\":\"x\",\"operator\":\"NotIn\",\"values\":[\"1\"]}") "]}"),
     "decisions", "[\"b\"]"},
    {"Exists",
     "cluster a x=1\ncluster b\n" P(
         "{\"predicates\":[" LABEL_IN("{\"key\":\"x\",\"operator\":\"Exists\"}") "]}"),
     "decisions", "[\"a\"]"},
    {"DoesNotExist",
     "cluster a x=1\ncluster b\n" P(
         "{\"predicates\":[" LABEL_IN("{\"key\":\"x\",\"operator\":\"DoesNotExist\"}") "]}"),
     "decisions", "[\"b\"]"},
    {"labels and claims are ANDed",
     "cluster a x=1 claim:y=2\ncluster b x=1\n" P(
         "{\"predicates\":[{\"requiredClusterSelector\":{\"labelSelector\":{\"matchLabels\":{"
         "\"x\":\"1\"}},\"claimSelector\":{\"matchExpressions\":[{\"key\":\"y\",\"operator\":"
         "\"In\",\"values\":[\"2\"]}]}}}]}"),
     "decisions", "[\"a\"]"},
    {"a binding is that of the set of its name",
     "cluster a x=1\ncluster b x=2\nset s {\"selectorType\":\"LabelSelector\",\"labelSelector\":{"
     "\"matchLabels\":{\"x\":\"1\"}}}\nset t {\"selectorType\":\"LabelSelector\","
     "\"labelSelector\":{}}\nobject {'apiVersion':'cluster.open-cluster-management.io/v1beta2',"
     "'kind':'ManagedClusterSetBinding','metadata':{'name':'s','namespace':'default'},'spec':{"
     "'clusterSet':'t'}}\n" P("{}"),
     "decisions", "[\"a\"]"},
    {"of a claim that comes twice the last value counts",
     "cluster a claim:y=1 claim:x=9 claim:y=2\ncluster b claim:y=2 claim:y=1\n" P(
         "{\"predicates\":[{\"requiredClusterSelector\":{\"claimSelector\":{\"matchExpressions\":[{"
         "\"key\":\"y\",\"operator\":\"In\",\"values\":[\"2\"]}]}}}]}"),
     "decisions", "[\"a\"]"},
    {"NoSelect has to be tolerated", "cluster a taint:k=v:NoSelect\ncluster b\n" P("{}"),
     "filtered", "{\"a\":\"taint k=v:NoSelect is not tolerated\"}"},
    {"NoSelectIfNew too", "cluster a taint:k:NoSelectIfNew\ncluster b\n" P("{}"), "decisions",
     "[\"b\"]"},
    {"but for clusters that are decided",
     "cluster a taint:k:NoSelectIfNew\ncluster b\ndecided p 1 a\n" P("{}"), "decisions",
     "[\"a\",\"b\"]"},
    {"PreferNoSelect is tolerated", "cluster a taint:k:PreferNoSelect\n" P("{}"), "decisions",
     "[\"a\"]"},
    {"Equal is the default operator",
     "cluster a taint:k=v:NoSelect\ncluster b taint:k=w:NoSelect\n" P(
         "{\"tolerations\":[{\"key\":\"k\",\"value\":\"v\"}]}"),
     "decisions", "[\"a\"]"},
    {"Exists tolerates every value",
     "cluster a taint:k=v:NoSelect\n" P(
         "{\"tolerations\":[{\"key\":\"k\",\"operator\":\"Exists\"}]}"),
     "decisions", "[\"a\"]"},
    {"an empty key with Exists tolerates all",
     "cluster a taint:k=v:NoSelect\n" P("{\"tolerations\":[{\"operator\":\"Exists\"}]}"),
     "decisions", "[\"a\"]"},
    {"another effect is not tolerated",
     "cluster a taint:k:NoSelect\ncluster b\n" P("{\"tolerations\":[{\"key\":\"k\",\"operator\":"
                                                 "\"Exists\",\"effect\":\"NoSelectIfNew\"}]}"),
     "decisions", "[\"b\"]"},
    {"a toleration ends",
     "cluster a taint:k:NoSelect@2025-12-31T23:59:00Z\ncluster b\n" P(
         "{\"tolerations\":[{\"key\":\"k\",\"operator\":\"Exists\",\"tolerationSeconds\":60}]}"),
     "decisions", "[\"b\"]"},
    {"and is a time to come back at",
     "cluster a taint:k:NoSelect@2025-12-31T23:59:00Z\n" P(
         "{\"tolerations\":[{\"key\":\"k\",\"operator\":\"Exists\",\"tolerationSeconds\":61}]}"),
     "requeueAfterSeconds", "1"},
    {"without timeAdded tolerationSeconds tolerates nothing",
     "cluster a taint:k:NoSelect\ncluster b\n" P(
         "{\"tolerations\":[{\"key\":\"k\",\"operator\":\"Exists\",\"tolerationSeconds\":60}]}"),
     "decisions", "[\"b\"]"},
};
TEST_EACH(row, candidates, candidates_are_members_that_predicates_and_taints_let_through)
{
    placement_scene_expect(row->title, row->lines, row->member, row->expected);
}

/* ---- weights ---- */

static const struct row weights[] = {
    {"Additive", "cluster a\n" P("{}"), "weights", "{\"Balance\":1,\"Spread\":0,\"Steady\":1}"},
    {"Spread weighs 2 with constraints", "cluster a\n" P(SPREAD("1", SOFT("z"))), "weights",
     "{\"Balance\":1,\"Spread\":2,\"Steady\":1}"},
    {"an entry overrides itself alone",
     "cluster a\n" P("{\"prioritizerPolicy\":{\"configurations\":[" FLAT("Steady", "3") "]}}"),
     "weights", "{\"Balance\":1,\"Spread\":0,\"Steady\":3}"},
    {"Exact starts from nothing", "cluster a\n" P(EXACT(NAMED("Steady"))), "weights",
     "{\"Balance\":0,\"Spread\":0,\"Steady\":1}"},
    {"an empty Exact list scores nothing", "cluster a\n" P(EXACT("")), "totals", "{\"a\":0}"},
    {"an explicit 0 is kept",
     "cluster a\n" P("{\"prioritizerPolicy\":{\"configurations\":[" FLAT("Balance", "0") "]}}"),
     "totals", "{\"a\":0}"},
    {"a negative weight", "cluster a\n" P(EXACT(COORD("Balance", "-10"))), "totals",
     "{\"a\":-1000}"},
    {"the last of equal coordinates wins",
     "cluster a\nscore a r s=7\n" P(EXACT(ADDON("r", "s", "2") "," ADDON("r", "s", "3"))), "totals",
     "{\"a\":21}"},
    {"any resource can be asked for",
     "cluster a has:nvidia.com/gpu=1/2\ncluster b has:nvidia.com/gpu=2/2\n" P(
         EXACT(NAMED("ResourceAllocatablenvidia.com/gpu"))),
     "totals", "{\"a\":-100,\"b\":100}"},
};
TEST_EACH(row, weights, weights_come_from_mode_defaults_and_entries)
{
    placement_scene_expect(row->title, row->lines, row->member, row->expected);
}

/* ---- misconfiguration ---- */

static const struct {
    const char *spec, *part;
} wrong[] = {
    {"{\"prioritizerPolicy\":{\"mode\":\"exact\"}}", "Prioritizer:unknown mode"},
    {EXACT(NAMED("Stedy")), "unknown built-in"},
    {EXACT(NAMED("ResourceAllocatable")), "unknown built-in"},
    {EXACT(NAMED("ResourceAllocatable/x")), "unknown built-in"},
    {EXACT(NAMED("ResourceRationvidia.com/gpu")), "unknown built-in"},
    {EXACT("{\"scoreCoordinate\":{\"type\":\"Other\"}}"), "unknown type"},
    {EXACT("{\"weight\":1}"), "neither"},
    {EXACT("{\"scoreCoordinate\":{}}"), "without builtIn"},
    {EXACT("{\"scoreCoordinate\":{\"type\":\"AddOn\"}}"), "without addOn"},
    {EXACT(ADDON("", "s", "1")), "resourceName"},
    {EXACT(ADDON("r", "", "1")), "scoreName"},
    {EXACT(FLAT("Steady", "-1")), "0..10"},
    {EXACT(FLAT("Steady", "11")), "0..10"},
    {EXACT(COORD("Steady", "-11")), "-10..10"},
    {EXACT(COORD("Steady", "11")), "-10..10"},
    {"{\"numberOfClusters\":-1}", "NumberOfClusters:"},
    {"{\"numberOfClusters\":\"4\"}", "must be an integer"},
    {"{\"tolerations\":[{\"value\":\"v\"}]}", "empty key"},
    {"{\"tolerations\":[{\"key\":\"k\",\"operator\":\"Exists\",\"value\":\"v\"}]}", "Exists"},
    {"{\"predicates\":[" LABEL_IN("{\"key\":\"x\",\"operator\":\"Gt\"}") "]}",
     "unknown selector operator"},
    {"{\"predicates\":[{},{\"requiredClusterSelector\":{\"celSelector\":{\"celExpressions\":["
     "\"true\",\"managedCluster.spec\\n && no\"]}}}]}",
     "Predicate:predicates[1].celExpressions[1]: 2:5: there is no variable \\\"no\\\""},
    {"{\"predicates\":[{\"requiredClusterSelector\":{\"celSelector\":{\"celExpressions\":\"true\""
     "}}}]}",
     "celExpressions"},
    {SPREAD("1", SOFT("a") "," SOFT("b") "," SOFT("c") "," SOFT("d") "," SOFT("e") "," SOFT(
                     "f") "," SOFT("g") "," SOFT("h") "," SOFT("i")),
     "at most 8"},
    {SPREAD("1", SOFT("")), "topologyKey"},
    {SPREAD("1", SOFT("-a")), "topologyKey"},
    {SPREAD("1", SOFT("A/b")), "topologyKey"},
    {SPREAD("1", "{\"topologyKey\":\"a\"}"), "topologyKeyType"},
    {SPREAD("1", "{\"topologyKey\":\"a\",\"topologyKeyType\":\"Label\",\"maxSkew\":0}"), "maxSkew"},
    {SPREAD("1", "{\"topologyKey\":\"a\",\"topologyKeyType\":\"Label\",\"maxSkew\":2147483648}"),
     "maxSkew is 1..2147483647, not 2147483648"},
    {SPREAD("1",
            "{\"topologyKey\":\"a\",\"topologyKeyType\":\"Label\",\"whenUnsatisfiable\":\"No\"}"),
     "whenUnsatisfiable"},
    {"{\"decisionStrategy\":{\"groupStrategy\":{\"clustersPerDecisionGroup\":\"0%\"}}}",
     "DecisionGroup:"},
    {"{\"decisionStrategy\":{\"groupStrategy\":{\"clustersPerDecisionGroup\":\"101%\"}}}",
     "DecisionGroup:"},
    {"{\"decisionStrategy\":{\"groupStrategy\":{\"clustersPerDecisionGroup\":\"0\"}}}",
     "DecisionGroup:"},
    {"{\"decisionStrategy\":{\"groupStrategy\":{\"clustersPerDecisionGroup\":\"\"}}}",
     "DecisionGroup:"},
    {"{\"decisionStrategy\":{\"groupStrategy\":{\"clustersPerDecisionGroup\":\"07\"}}}",
     "DecisionGroup:"},
    {"{} sakkara.placement.spread-mode=strict", "weighted or lexicographic"},
};
TEST(what_is_written_wrongly_keeps_the_decisions)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char lines[4096];
        snprintf(lines, sizeof lines, "cluster a\ncluster b\ndecided p 1 gone b\nplacement p %s\n",
                 wrong[i].spec);
        char *why = placement_scene_ask(lines, "misconfigured");
        if (!strstr(why, wrong[i].part)) {
            fail_msg("%s: %s lacks \"%s\"", wrong[i].spec, why, wrong[i].part);
        }
        free(why);
        placement_scene_expect(wrong[i].spec, lines, "decisions", "[\"b\",\"gone\"]");
        placement_scene_expect(wrong[i].spec, lines, "unscheduled", "0");
        placement_scene_expect(wrong[i].spec, lines, "valid", "false");
        placement_scene_expect(wrong[i].spec, lines, "satisfiedReason",
                               "\"AllDecisionsScheduled\"");
        /* Whether or not anything is left to choose from. */
        snprintf(lines, sizeof lines, "placement p %s\n", wrong[i].spec);
        placement_scene_expect(wrong[i].spec, lines, "valid", "false");
        placement_scene_expect(wrong[i].spec, lines, "satisfiedReason",
                               "\"NoManagedClusterMatched\"");
    }
}

TEST(a_set_that_is_written_wrongly_misconfigures_placements_bound_to_it)
{
    static const char lines[] = "cluster a\nset s {\"selectorType\":\"Other\"}\nbind s\n";
    char all[1024];
    snprintf(all, sizeof all, "%splacement p {}\n", lines);
    placement_scene_expect("bound", all, "valid", "false");
    snprintf(all, sizeof all, "%sset t\nbind t\nplacement p {\"clusterSets\":[\"t\"]}\n", lines);
    placement_scene_expect("not asked for", all, "valid", "true");
}

/* ---- scores ---- */

static const struct row scores[] = {
    {"Steady", "cluster a\ncluster b\ndecided p 1 a\n" P("{}"), "scores.Steady",
     "{\"a\":100,\"b\":0}"},
    {"Balance counts other Placements once each",
     "cluster a\ncluster b\ndecided o 1 a\ndecided o 2 a\ndecided p 1 a b\ndecided q 1 b\n"
     "decided r 1 b\n" P("{}"),
     "scores.Balance", "{\"a\":0,\"b\":-100}"},
    {"Balance truncates toward zero",
     "cluster a\ncluster b\ncluster z deleting\ndecided o 1 a z\ndecided q 1 a z\ndecided r 1 "
     "z\n" P("{}"),
     "scores.Balance", "{\"a\":-33,\"b\":100}"},
    {"a cluster that is not on the hub counts for the greatest load, as upstream",
     "cluster a\ndecided o 1 a gone\ndecided q 1 gone\n" P("{}"), "scores.Balance", "{\"a\":0}"},
    {"but not what the Placement itself has there",
     "cluster a\ndecided o 1 a gone\ndecided p 1 gone\n" P("{}"), "scores.Balance", "{\"a\":-100}"},
    {"ratio 15/18", "cluster a has:cpu=15/18\n" P(EXACT(NAMED("ResourceRatioCPU"))),
     "scores.ResourceRatioCPU", "{\"a\":66}"},
    {"ratio 63194Mi/69938Mi",
     "cluster a has:memory=63194Mi/69938Mi\n" P(EXACT(NAMED("ResourceRatioMemory"))),
     "scores.ResourceRatioMemory", "{\"a\":80}"},
    {"ratio is clamped", "cluster a has:cpu=9/1\n" P(EXACT(NAMED("ResourceRatioCPU"))),
     "scores.ResourceRatioCPU", "{\"a\":100}"},
    {"what does not fit into 64 bits is the most that does",
     "cluster a has:cpu=100E/8Ei\ncluster b has:cpu=1e9999999999/1e40\ncluster c "
     "has:cpu=-10E/1\n" P(EXACT(NAMED("ResourceRatioCPU") "," NAMED("ResourceAllocatableCPU"))),
     "scores",
     "{\"ResourceAllocatableCPU\":{\"a\":100,\"b\":100,\"c\":-100},"
     "\"ResourceRatioCPU\":{\"a\":100,\"b\":100,\"c\":-100}}"},
    {"no data, no score",
     "cluster a has:cpu=1/0\ncluster b has:cpu=1/\ncluster c has:cpu=/1\ncluster d\n" P(
         EXACT(NAMED("ResourceRatioCPU"))),
     "scores.ResourceRatioCPU", "{}"},
    {"no data scores 0 in the total", "cluster d\n" P(EXACT(NAMED("ResourceRatioCPU"))), "totals",
     "{\"d\":0}"},
    {"allocatable needs the capacity key too",
     "cluster a has:cpu=1/9\ncluster b has:cpu=100/\ncluster c has:cpu=3/9\n" P(
         EXACT(NAMED("ResourceAllocatableCPU"))),
     "scores.ResourceAllocatableCPU", "{\"a\":-100,\"c\":100}"},
    {"equal amounts score 100",
     "cluster a has:cpu=1/9\ncluster b has:cpu=1000m/9\n" P(EXACT(NAMED("ResourceAllocatableCPU"))),
     "scores.ResourceAllocatableCPU", "{\"a\":100,\"b\":100}"},
    {"30 of 50 is 20",
     "cluster a has:cpu=0/9\ncluster b has:cpu=30/9\ncluster c has:cpu=50/9\n" P(
         EXACT(NAMED("ResourceAllocatableCPU"))),
     "scores.ResourceAllocatableCPU.b", "20"},
    {"forms of quantities are exact",
     "cluster a has:cpu=0/1\ncluster b has:cpu=1e3/1\ncluster c has:cpu=2Ki/1\n" P(
         EXACT(NAMED("ResourceAllocatableCPU"))),
     "scores.ResourceAllocatableCPU.b", "-2"},
    {"an add-on's score",
     "cluster a\ncluster b\nscore a r s=-7\nscore b r t=5\n" P(EXACT(ADDON("r", "s", "1"))),
     "scores", "{\"AddOn/r/s\":{\"a\":-7,\"b\":0}}"},
    {"an expired score is 0",
     "cluster a\nscore a r s=7 until 2025-12-31T23:59:59Z\n" P(EXACT(ADDON("r", "s", "1"))),
     "totals", "{\"a\":0}"},
    {"at its last moment it counts",
     "cluster a\nscore a r s=7 until 2026-01-01T00:00:00Z\n" P(EXACT(ADDON("r", "s", "1"))),
     "totals", "{\"a\":7}"},
    {"its end is a time to come back at",
     "cluster a\nscore a r s=7 until 2026-01-01T00:10:00Z\n" P(EXACT(ADDON("r", "s", "1"))),
     "requeueAfterSeconds", "600"},
    {"the what-if total replaces all", "cluster a total=-5\n" P("{}"), "totals", "{\"a\":-5}"},
};
TEST_EACH(row, scores, scores_are_exact_integers)
{
    placement_scene_expect(row->title, row->lines, row->member, row->expected);
}

/* ---- selection ---- */

static const struct row selections[] = {
    {"without constraints by score, then name",
     "cluster a total=1\ncluster b total=2\ncluster c total=2\n" P("{\"numberOfClusters\":2}"),
     "selectionOrder", "[\"b\",\"c\"]"},
    {"0 clusters", "cluster a\n" P("{\"numberOfClusters\":0}"), "satisfiedReason",
     "\"NoManagedClusterMatched\""},
    {"0 clusters leave nothing unscheduled", "cluster a\n" P("{\"numberOfClusters\":0}"),
     "unscheduled", "0"},
    {"more than there are", "cluster a\n" P("{\"numberOfClusters\":3}"), "unscheduled", "2"},
    {"unset with a hard level is satisfied",
     "cluster a z=1\ncluster b\n" P("{\"spreadPolicy\":{\"spreadConstraints\":[" HARD("z") "]}}"),
     "satisfiedReason", "\"AllDecisionsScheduled\""},
    {"a single topology never blocks",
     "cluster a z=1\ncluster b z=1\ncluster c z=1\n" P(SPREAD("3", HARD("z"))), "selectionOrder",
     "[\"a\",\"b\",\"c\"]"},
    {"hard levels hold with weight 0",
     "cluster a z=1 total=9\ncluster b z=1 total=8\ncluster c z=2 total=1\n" P(
         "{\"numberOfClusters\":2,\"prioritizerPolicy\":{\"mode\":\"Exact\"},\"spreadPolicy\":{"
         "\"spreadConstraints\":[" HARD("z") "]}}"),
     "selectionOrder", "[\"a\",\"c\"]"},
    {"one value under two parents is two domains",
     "cluster a r=1 z=x\ncluster b r=2 z=x\n" P(SPREAD("2", SOFT("r") "," HARD("z"))),
     "topologyCounts", "{\"1\":1,\"1/x\":1,\"2\":1,\"2/x\":1}"},
    {"an empty value is a value", "cluster a z=\ncluster b z=1\n" P(SPREAD("2", HARD("z"))),
     "topologyCounts", "{\"\":1,\"1\":1}"},
    {"a missing upper key hides the lower ones",
     "cluster a z=x\ncluster b r=1 z=x\n" P(SPREAD("2", SOFT("r") "," HARD("z"))), "decisions",
     "[\"b\"]"},
    {"claims are topology too",
     "cluster a claim:z=1\ncluster b claim:z=2\n" P(
         SPREAD("2", "{\"topologyKey\":\"z\",\"topologyKeyType\":\"Claim\"}")),
     "topologyCounts", "{\"1\":1,\"2\":1}"},
    {"eight levels work",
     "cluster a a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1\ncluster b a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1\n"
     "cluster c a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=2\n" P(
         SPREAD("2", SOFT("a") "," SOFT("b") "," SOFT("c") "," SOFT("d") "," SOFT("e") "," SOFT(
                         "f") "," SOFT("g") "," SOFT("h"))),
     "selectionOrder", "[\"a\",\"c\"]"},
    {"a negative weight gathers",
     "cluster a z=1\ncluster b z=2\ncluster c z=1\n" P(
         "{\"numberOfClusters\":2,\"prioritizerPolicy\":{\"configurations\":[" COORD(
             "Spread", "-2") "]},\"spreadPolicy\":{\"spreadConstraints\":[" SOFT("z") "]}}"),
     "selectionOrder", "[\"a\",\"c\"]"},
    {"and so does a lexicographic one",
     "cluster a z=1\ncluster b z=2\ncluster c z=1\n" P(
         "{\"numberOfClusters\":2,\"prioritizerPolicy\":{\"configurations\":[" COORD(
             "Spread",
             "-2") "]},\"spreadPolicy\":{\"spreadConstraints\":[" SOFT("z") "]}} "
                                                                            "sakkara.placement."
                                                                            "spread-mode="
                                                                            "lexicographic"),
     "selectionOrder", "[\"a\",\"c\"]"},
    {"by default spread moves a decision to repair an imbalance",
     "cluster a z=1\ncluster b z=1\ncluster c z=2\ndecided p 1 a b\n" P(SPREAD("2", SOFT("z"))),
     "decisions", "[\"a\",\"c\"]"},
    {"Steady at 10 pins it",
     "cluster a z=1\ncluster b z=1\ncluster c z=2\ndecided p 1 a b\n" P(
         "{\"numberOfClusters\":2,\"prioritizerPolicy\":{\"configurations\":[" FLAT(
             "Steady", "10") "]},\"spreadPolicy\":{\"spreadConstraints\":[" SOFT("z") "]}}"),
     "decisions", "[\"a\",\"b\"]"},
};
TEST_EACH(row, selections, selection_follows_levels_and_scores)
{
    placement_scene_expect(row->title, row->lines, row->member, row->expected);
}

/* ---- groups and slices ---- */

#define GROUPS(s) "{\"decisionStrategy\":{\"groupStrategy\":{" s "}}}"
#define CANARY                                                                                   \
    "\"decisionGroups\":[{\"groupName\":\"canary\",\"groupClusterSelector\":{\"labelSelector\":" \
    "{\"matchLabels\":{\"canary\":\"1\"}}}}]"
#define SLICE(n, i, g, c)                                                             \
    "{\"decisionGroupIndex\":" i ",\"decisionGroupName\":\"" g "\",\"decisions\":[" c \
    "],\"name\":"                                                                     \
    "\"p-decision-" n "\"}"

static const struct row slices[] = {
    {"nothing selected is one empty object", P("{}"), "placementDecisions",
     "[" SLICE("1", "0", "", "") "]"},
    {"nothing selected keeps the first object", "decided p 2/3/x gone\ndecided p 7 gone\n" P("{}"),
     "placementDecisions", "[" SLICE("2", "0", "", "") "]"},
    {"named groups go first", "cluster a\ncluster b canary=1\n" P(GROUPS(CANARY)),
     "placementDecisions",
     "[" SLICE("1", "0", "canary", "\"b\"") "," SLICE("2", "1", "", "\"a\"") "]"},
    {"parts run on across groups",
     "cluster a\ncluster b canary=1\ncluster c\ncluster d\n" P(
         GROUPS(CANARY ",\"clustersPerDecisionGroup\":2")),
     "placementDecisions",
     "[" SLICE("1", "0", "canary", "\"b\"") "," SLICE("2", "1", "", "\"a\",\"c\"") "," SLICE(
         "3", "2", "", "\"d\"") "]"},
    {"a percentage rounds up",
     "cluster a\ncluster b\ncluster c\n" P(GROUPS("\"clustersPerDecisionGroup\":\"34%\"")),
     "placementDecisions",
     "[" SLICE("1", "0", "", "\"a\",\"b\"") "," SLICE("2", "1", "", "\"c\"") "]"},
    {"more than all is all",
     "cluster a\ncluster b\n" P(GROUPS("\"clustersPerDecisionGroup\":\"99999999999999999999\"")),
     "placementDecisions", "[" SLICE("1", "0", "", "\"a\",\"b\"") "]"},
    {"who stays keeps part and object, newcomers fill the lowest",
     "cluster a\ncluster c\ncluster d\ndecided p 1 b c\ndecided p 2/1 d\n" P(
         GROUPS("\"clustersPerDecisionGroup\":2")),
     "placementDecisions",
     "[" SLICE("1", "0", "", "\"a\",\"c\"") "," SLICE("2", "1", "", "\"d\"") "]"},
    {"a part that is empty goes before one that is not",
     "cluster c\ncluster d\ndecided p 1 a b\ndecided p 2/1 c d\n" P(
         GROUPS("\"clustersPerDecisionGroup\":2")),
     "placementDecisions", "[" SLICE("2", "0", "", "\"c\",\"d\"") "]"},
    {"a new number is one that no object has",
     "cluster a\ncluster b\ncluster c\ndecided p 1 a\ndecided p 3/1 b\n" P(
         GROUPS("\"clustersPerDecisionGroup\":1")),
     "placementDecisions",
     "[" SLICE("1", "0", "", "\"a\"") "," SLICE("3", "1", "", "\"b\"") "," SLICE("2", "2", "",
                                                                                 "\"c\"") "]"},
    {"a smaller part gives up its last clusters",
     "cluster a\ncluster b\ncluster c\ndecided p 1 a b c\n" P(
         GROUPS("\"clustersPerDecisionGroup\":2")),
     "placementDecisions",
     "[" SLICE("1", "0", "", "\"a\",\"b\"") "," SLICE("2", "1", "", "\"c\"") "]"},
    {"the status names objects by group", "cluster a\ncluster b canary=1\n" P(GROUPS(CANARY)),
     "decisionGroups",
     "[{\"clusterCount\":1,\"decisionGroupIndex\":0,\"decisionGroupName\":\"canary\",\"decisions\":"
     "[\"p-decision-1\"]},{\"clusterCount\":1,\"decisionGroupIndex\":1,\"decisionGroupName\":\"\","
     "\"decisions\":[\"p-decision-2\"]}]"},
};
TEST_EACH(row, slices, decisions_are_stable_slices_of_groups)
{
    placement_scene_expect(row->title, row->lines, row->member, row->expected);
}

TEST(seven_percent_of_a_hundred_is_seven)
{
    char lines[8192];
    int n = 0;
    for (int i = 0; i < 100; i++) {
        n += snprintf(lines + n, sizeof lines - (size_t)n, "cluster c%02d\n", i);
    }
    snprintf(lines + n, sizeof lines - (size_t)n, "%s",
             P(GROUPS("\"clustersPerDecisionGroup\":\"7%\"")));
    placement_scene_expect("7%", lines, "decisionGroups.0.clusterCount", "7");
    placement_scene_expect("7%", lines, "decisionGroups.14.clusterCount", "2");
}
