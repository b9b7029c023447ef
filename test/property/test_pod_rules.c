/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of pods about each other, on random clusters (pod_rules_world.h): what the planner places,
 * kube-scheduler's plugins (pod_rules_plugins.c) admit member by member in some order, and what it
 * refuses they admit in none. FIRST and N: which and how many.
 */
#include <jansson.h>

#include "server/exit_code.h"
#include "server/lab/simulate/simulate.h"
#include "server/object/path.h"
#include "test/property/pod_rules_world.h"
#include "test/test.h"
#include "test/unit/text_file.h"
#include "topology/base/arena.h"

#ifdef SKR_DEBUG
enum { CLUSTERS = 60 }; /* the sanitizers' builds */
#else
enum { CLUSTERS = 600 };
#endif

/* ---- what the planner does ---- */

static int plan(const struct world *w, int *count, struct skr_strbuf *why)
{
    SKR_STRBUF(text);
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    pod_rules_write(w, &text);
    struct text_file file = text_file_make(text.s, text.len);
    const char *path = file.path;
    const struct skr_simulate_options options = {
        .file = &path, .n_files = 1, .until = SKR_TIME_NEVER, .json = true};
    const int code = skr_simulate_run(&options, &out, &messages);
    if (code != SKR_EXIT_OK && code != SKR_EXIT_NOT_PLACED) {
        fail_msg("exit code %d: %s\n%s", code, messages.s, text.s);
    }
    json_auto_t *result = json_loads(out.s, 0, NULL);
    const json_t *pods = json_object_get(result, "pods");
    int placed = 0;
    for (size_t i = 0; i < json_array_size(pods); i++) {
        const json_t *pod = json_array_get(pods, i);
        const char *node = skr_path_text(pod, "node");
        if (*skr_path_text(pod, "group") && *node) {
            count[node[1] - '0']++;
            placed++;
        }
    }
    skr_strbuf_add(why,
                   skr_path_text(json_array_get(json_object_get(result, "groups"), 0), "message"));
    text_file_close(&file);
    return placed;
}

static const char *text_of(const struct world *w, const int *count)
{
    static char text[64];
    size_t n = 0;
    for (int i = 0; i < w->nodes; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%d ", count[i]);
    }
    return text;
}

static void check(struct world *w, const char *what)
{
    int count[NODES_MAX] = {0}, none[NODES_MAX] = {0}, example[NODES_MAX] = {0};
    SKR_STRBUF(why);
    skr_strbuf_add(&why, "");
    const bool possible = pod_rules_walk(w, none, 0, example);
    const int placed = plan(w, count, &why);
    if (placed > 0 && placed < w->size) {
        fail_msg("%s: %d of %d placed", what, placed, w->size);
    } else if (placed > 0 && !w->seen[pod_rules_number_of(w, count)]) {
        fail_msg("%s: kube-scheduler does not admit %s", what, text_of(w, count));
    } else if (placed == 0 && possible) {
        fail_msg("%s: %s; kube-scheduler admits %s", what, why.s, text_of(w, example));
    } else if (placed == 0 && why.len == 0) {
        fail_msg("%s: not placed, and no reason", what);
    }
}

TEST(what_is_placed_kube_scheduler_admits_and_what_is_not_it_refuses)
{
    const uint64_t first = test_number("FIRST", 1), n = test_number("N", CLUSTERS);
    SKR_AUTO_FREE struct world *w = skr_alloc(sizeof *w);
    for (uint64_t seed = first; seed < first + n; seed++) {
        char what[40];
        snprintf(what, sizeof what, "FIRST=%llu", (unsigned long long)seed);
        pod_rules_make(w, seed);
        check(w, what);
    }
}

/* Nodes of two cpus, each a zone of its own. */
static struct world *plain(int nodes, int size)
{
    struct world *w = skr_alloc(sizeof *w);
    *w = (struct world){.nodes = nodes, .size = size};
    for (int i = 0; i < nodes; i++) {
        w->node[i] = (struct node){.value = {i, i, -1}, .cpu = 2, .worker = true};
    }
    return w;
}

TEST(pods_on_nodes_that_a_spread_does_not_count_do_not_count)
{
    for (int by_taint = 0; by_taint < 2; by_taint++) {
        SKR_AUTO_FREE struct world *w = plain(3, 2);
        w->node[0].cpu = 0; /* an empty zone without room, ... */
        w->node[2].value[ZONE] = 0;
        w->node[2].tainted = by_taint;
        w->node[2].worker = by_taint;
        w->workers = !by_taint;
        w->spread[w->spreads++] =
            (struct spread){.key = ZONE, .selector = APP, .skew = 1, .honors_taints = true};
        w->other[w->others++] =
            (struct other){.node = 2, .anti = -1, .app = true}; /* this one out */
        check(w, "the pod does not count: the second member would be one too many");
        assert_int_equal(w->seen[pod_rules_number_of(w, (const int[NODES_MAX]){0, 2, 0})], 0);
    }
}

TEST(a_node_that_neither_selector_nor_taints_admit_is_no_domain_of_a_spread)
{
    SKR_AUTO_FREE struct world *w = plain(2, 2);
    w->node[1].tainted = true;
    w->node[1].worker = false;
    w->workers = true;
    w->spread[w->spreads++] = (struct spread){.key = HOST, .selector = APP, .skew = 1};
    check(w, "both go to the one node there is");
    assert_int_equal(w->seen[pod_rules_number_of(w, (const int[NODES_MAX]){2, 0})], 1);
}

TEST(of_several_affinities_one_pod_has_to_meet_all)
{
    for (int both = 0; both < 2; both++) {
        SKR_AUTO_FREE struct world *w = plain(2, 2);
        w->affinity[w->affinities++] = (struct term){.key = ZONE, .selector = APP};
        w->affinity[w->affinities++] = (struct term){.key = ZONE, .selector = DB};
        w->other[w->others++] = (struct other){.node = 1, .anti = -1, .app = true, .db = both};
        w->other[w->others++] = (struct other){.node = 1, .anti = -1, .db = true};
        check(w, both ? "where it is" : "there is none");
        assert_int_equal(w->seen[pod_rules_number_of(w, (const int[NODES_MAX]){0, 2})], both);
    }
}
