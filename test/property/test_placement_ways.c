/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `simulate placement` says would change a Placement that lacks clusters, taken from the text as
 * a user would take it: each line is a change, and with it more clusters are selected.
 */
#include "server/lab/simulate/placement.h"
#include "test/random.h"
#include "test/test.h"

enum { LINE_BYTES = 200 };

#define GROUP "cluster.open-cluster-management.io/"

static const char heading[] = "\n  Would change it (each was tried):\n";

/* ---- objects ---- */

static bool one_in(uint64_t *seed, uint64_t n)
{
    return random_of(seed) % n == 0;
}

/* labelled: the number of the cluster that has label, too; -1: none. */
static void write_clusters(uint64_t *seed, size_t n, int labelled, const char *label,
                           struct skr_strbuf *out)
{
    static const char *const values[] = {"a", "b", "c"};
    for (size_t i = 0; i < n; i++) {
        const char *region = values[random_of(seed) % 3];
        const char *zone = values[random_of(seed) % 3];
        const bool has_region = !one_in(seed, 6);
        const bool has_zone = !one_in(seed, 6);
        const bool is_tainted = one_in(seed, 4);
        const char *set = one_in(seed, 2) ? "s0" : "s1";
        skr_strbuf_addf(out,
                        "apiVersion: " GROUP "v1\nkind: ManagedCluster\nmetadata:\n  name: m%zu\n"
                        "  labels:\n    " GROUP "clusterset: %s\n",
                        i, (int)i == labelled ? label : set);
        skr_strbuf_addf(out, "%s%s%s%s%s%s", has_region ? "    region: " : "",
                        has_region ? region : "", has_region ? "\n" : "",
                        has_zone ? "    zone: " : "", has_zone ? zone : "", has_zone ? "\n" : "");
        skr_strbuf_add(out, is_tainted ? "spec: {taints: [{key: k, value: v, effect: NoSelect}]}\n"
                                       : "");
        skr_strbuf_add(out, "---\n");
    }
}

static void write_sets(uint64_t *seed, const char *more, struct skr_strbuf *out)
{
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%d", i);
        const bool bound = one_in(seed, 2) || strcmp(name, more) == 0;
        skr_strbuf_addf(out,
                        "apiVersion: " GROUP "v1beta2\nkind: ManagedClusterSet\nmetadata: {name: "
                        "%s}\n---\n",
                        name);
        if (bound) {
            skr_strbuf_addf(out,
                            "apiVersion: " GROUP "v1beta2\nkind: ManagedClusterSetBinding\n"
                            "metadata: {name: %s, namespace: shop}\nspec: {clusterSet: %s}\n---\n",
                            name, name);
        }
    }
}

static void write_constraints(uint64_t *seed, bool soft, struct skr_strbuf *out)
{
    static const char *const key[] = {"region", "zone"};
    skr_strbuf_add(out, "  spreadPolicy:\n    spreadConstraints:\n");
    for (size_t i = 0; i < 2; i++) {
        const bool hard = !one_in(seed, 4);
        skr_strbuf_addf(out,
                        "    - {topologyKey: %s, topologyKeyType: Label, maxSkew: 1, "
                        "whenUnsatisfiable: %s}\n",
                        key[i], hard && !soft ? "DoNotSchedule" : "ScheduleAnyway");
    }
}

/* What a line that is no --set asks for. */
struct change {
    int labelled;
    char set[8];  /* of that label */
    char more[8]; /* a set that is bound besides */
    bool soft;
};

static void write_objects(size_t run, const struct change *change, struct skr_strbuf *out)
{
    uint64_t seed = run;
    const size_t n = random_of(&seed) % 8;
    const bool has_sets = !one_in(&seed, 3);
    write_clusters(&seed, n, change->labelled, change->set, out);
    if (has_sets) {
        write_sets(&seed, change->more, out);
    }
    skr_strbuf_addf(out,
                    "apiVersion: " GROUP "v1beta1\nkind: Placement\nmetadata: {name: web, "
                    "namespace: shop}\nspec:\n  numberOfClusters: %d\n",
                    (int)(random_of(&seed) % 9));
    skr_strbuf_add(out, one_in(&seed, 4) ? "  clusterSets: [s1]\n" : "");
    skr_strbuf_add(out, one_in(&seed, 3) ? "  predicates: [{requiredClusterSelector: "
                                           "{labelSelector: {matchLabels: {region: a}}}}]\n"
                                         : "");
    if (one_in(&seed, 2)) {
        write_constraints(&seed, change->soft, out);
    }
}

/* ---- answers ---- */

/* free() */
static char *text_of(size_t run, const struct change *change, const char *set)
{
    const struct skr_simulate_placement_options options = {.placement = "shop/web",
                                                           .scheduler = "sakkara",
                                                           .now = "2026-01-01T00:00:00Z",
                                                           .verbose = true};
    struct skr_fleet_input input;
    SKR_STRBUF(objects);
    SKR_STRBUF(messages);
    SKR_STRBUF(out);
    write_objects(run, change, &objects);
    skr_fleet_input_init(&input, &skr_placement_rules);
    assert_int_equal(skr_fleet_input_parse(&input, "hub", objects.s, objects.len, &messages), 0);
    if (set && skr_placement_set(&input, set, &messages) < 0) {
        fail_msg("%s", messages.s);
    }
    assert_int_equal(skr_fleet_input_finish(&input, &messages), 0);
    (void)skr_simulate_placement_show(&input, &options, &out, &messages);
    skr_fleet_input_fini(&input);
    skr_strbuf_add(&out, "");
    return skr_strbuf_take(&out, NULL);
}

/* "Placement web (shop): REASON, 2 of 3 clusters selected." */
static int selected_in(const char *text)
{
    int n = -1;
    const char *comma = strstr(text, "): ");
    comma = comma ? strchr(comma, ',') : NULL;
    if (!comma || sscanf(comma, ", %d", &n) != 1) {
        fail_msg("no headline: %.80s", text);
    }
    return n;
}

enum kind { NUMBER, SETS, PREDICATES, TOLERATION, SKEW, SOFT, ALL_SOFT, BINDING, MEMBER, KINDS };

static enum kind kind_of(const char *line)
{
    static const char *const word[KINDS] = {
        [NUMBER] = "numberOfClusters=",
        [SETS] = "clusterSets=null",
        [PREDICATES] = "predicates=null",
        [TOLERATION] = "].operator=Exists",
        [SKEW] = "].maxSkew=",
        [SOFT] = "].whenUnsatisfiable=ScheduleAnyway",
        [ALL_SOFT] = "ScheduleAnyway in all spread constraints",
        [BINDING] = "a ManagedClusterSetBinding of set ",
        [MEMBER] = " with label " GROUP "clusterset=",
    };
    for (int i = 0; i < KINDS; i++) {
        if (strstr(line, word[i])) {
            return (enum kind)i;
        }
    }
    fail_msg("no change: %s", line);
    return KINDS;
}

static void expect_more(size_t run, const char *line, int than, size_t *made)
{
    struct change change = {.labelled = -1};
    const enum kind kind = kind_of(line);
    made[kind]++;
    change.soft = kind == ALL_SOFT;
    (void)sscanf(line, "a ManagedClusterSetBinding of set %7s", change.more);
    (void)sscanf(line, "cluster m%d with label " GROUP "clusterset=%7s", &change.labelled,
                 change.set);
    char *text = text_of(run, &change, strncmp(line, "--set ", 6) == 0 ? line + 6 : NULL);
    if (selected_in(text) <= than) {
        fail_msg("run %zu: \"%s\" does not help: %.60s", run, line, text);
    }
    free(text);
}

TEST(every_change_that_is_named_selects_more_clusters)
{
    const struct change none = {.labelled = -1};
    size_t made[KINDS] = {0};
    for (size_t run = 0; run < test_number("N", 3000); run++) {
        char line[LINE_BYTES];
        char *text = text_of(run, &none, NULL);
        const char *begin = strstr(text, heading);
        const char *at = begin ? begin + sizeof heading - 1 : "";
        for (; *at != '\0'; at += strcspn(at, "\n") + 1) {
            assert_int_equal(sscanf(at, "    %199[^\n]", line), 1);
            expect_more(run, line, selected_in(text), made);
        }
        free(text);
    }
    for (int kind = 0; kind < KINDS && test_number("N", 3000) >= 3000; kind++) {
        if (made[kind] == 0) {
            fail_msg("change %d was never named", kind);
        }
    }
}
