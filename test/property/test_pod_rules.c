/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of pods about each other, on random clusters of up to six nodes with zones, slabs beside
 * them, taints and other pods: what the planner places, kube-scheduler's plugins admit member by
 * member in some order, and what it refuses they admit in none. The plugins are written down here
 * once more, as Kubernetes has them (pkg/scheduler/framework/plugins: nodeports, interpodaffinity,
 * podtopologyspread), and every order is looked at. FIRST and N: which and how many.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/exit_code.h"
#include "server/object/path.h"
#include "server/simulate/simulate.h"
#include "test/test.h"
#include "test/unit/text_file.h"
#include "topology/base/arena.h"

#ifdef SKR_DEBUG
enum { CLUSTERS = 60 }; /* the sanitizers' builds */
#else
enum { CLUSTERS = 600 };
#endif

enum { NODES_MAX = 6, OTHERS_MAX = 4, SIZE_MAX_ = 4, TERMS_MAX = 2, STATES_MAX = 15625 };
enum key { ZONE, HOST, SLAB, KEYS };
enum selector { APP, DB };
enum spaces { OWN, OTHER, BOTH, ALL }; /* of which a term selects pods */

static const char *const key_name[KEYS] = {"zone", "kubernetes.io/hostname", "slab"};

struct node {
    int value[KEYS]; /* -1: without the label */
    int cpu, rack;
    bool tainted, worker;
};

struct other {
    int node, anti; /* key of its anti-affinity against app, or -1 */
    bool elsewhere; /* in another namespace */
    bool app, db, port;
};

struct term {
    enum key key;
    enum selector selector;
    enum spaces spaces;
};

struct spread {
    enum key key;
    enum selector selector;
    int skew, min_domains; /* 0: unset */
    bool ignores_affinity, honors_taints;
};

struct world {
    uint64_t state;
    int nodes, others, size, antis, affinities, spreads;
    struct node node[NODES_MAX];
    struct other other[OTHERS_MAX];
    struct term anti[TERMS_MAX], affinity[TERMS_MAX];
    struct spread spread[TERMS_MAX];
    bool port, hard, workers;
    uint8_t seen[STATES_MAX]; /* counts that can be reached, one a digit */
};

/* ---- chance ---- */

static int below(struct world *w, int n)
{
    w->state ^= w->state << 13;
    w->state ^= w->state >> 7;
    w->state ^= w->state << 17;
    return (int)((w->state >> 11) % (uint64_t)n);
}

static bool chance(struct world *w, int percent)
{
    return below(w, 100) < percent;
}

static struct term random_term(struct world *w)
{
    return (struct term){.key = (enum key)below(w, KEYS),
                         .selector = chance(w, 65) ? APP : DB,
                         .spaces = chance(w, 65) ? OWN : (enum spaces)below(w, 4)};
}

static void make_spreads(struct world *w)
{
    for (int i = chance(w, 50) ? 0 : 1 + below(w, TERMS_MAX); i > 0; i--) {
        const enum key key = (enum key)below(w, KEYS);
        if (w->spreads > 0 && w->spread[0].key == key) {
            continue; /* one a key */
        }
        w->spread[w->spreads++] =
            (struct spread){.key = key,
                            .selector = chance(w, 75) ? APP : DB,
                            .skew = 1 + below(w, 2),
                            .min_domains = chance(w, 30) ? 1 + below(w, 4) : 0,
                            .ignores_affinity = chance(w, 20),
                            .honors_taints = chance(w, 30)};
    }
}

static void make(struct world *w, uint64_t seed)
{
    *w = (struct world){.state = seed * 0x9E3779B97F4A7C15U + 1};
    w->nodes = 3 + below(w, 4);
    const int racks = 1 + below(w, 3);
    for (int i = 0; i < w->nodes; i++) {
        w->node[i] = (struct node){.cpu = 1 + below(w, 4),
                                   .rack = i % racks,
                                   .tainted = chance(w, 20),
                                   .worker = chance(w, 60)};
        w->node[i].value[ZONE] = chance(w, 90) ? below(w, 3) : -1;
        w->node[i].value[HOST] = i;
        w->node[i].value[SLAB] = chance(w, 60) ? below(w, 3) : -1;
    }
    w->others = below(w, OTHERS_MAX + 1);
    for (int i = 0; i < w->others; i++) {
        w->other[i] = (struct other){.node = below(w, w->nodes),
                                     .anti = chance(w, 15) ? below(w, KEYS) : -1,
                                     .elsewhere = chance(w, 30),
                                     .app = chance(w, 60),
                                     .db = chance(w, 40),
                                     .port = chance(w, 20)};
    }
    w->size = 2 + below(w, SIZE_MAX_ - 1);
    w->port = chance(w, 20);
    w->hard = chance(w, 35);
    w->workers = chance(w, 30);
    for (int i = chance(w, 50) ? 0 : 1 + below(w, TERMS_MAX); i > 0; i--) {
        w->anti[w->antis++] = random_term(w);
    }
    for (int i = chance(w, 70) ? 0 : 1 + below(w, TERMS_MAX); i > 0; i--) {
        w->affinity[w->affinities++] = random_term(w);
    }
    make_spreads(w);
}

/* ---- as files ---- */

static void write_term(const struct term *t, struct skr_strbuf *b)
{
    static const char *const spaces[] = {"", ",\"namespaces\":[\"other\"]",
                                         ",\"namespaces\":[\"other\",\"default\"]",
                                         ",\"namespaceSelector\":{}"};
    skr_strbuf_addf(b,
                    "{\"topologyKey\":\"%s\",\"labelSelector\":{\"matchLabels\":{\"%s\":\"x\"}}%s}",
                    key_name[t->key], t->selector == APP ? "app" : "db", spaces[t->spaces]);
}

static void write_terms(const char *kind, const struct term *term, int n, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "\"%s\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[", kind);
    for (int i = 0; i < n; i++) {
        skr_strbuf_add(b, i > 0 ? "," : "");
        write_term(&term[i], b);
    }
    skr_strbuf_add(b, "]}");
}

static void write_node(const struct world *w, int i, struct skr_strbuf *b)
{
    const struct node *n = &w->node[i];
    skr_strbuf_addf(b,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%d\","
                    "\"labels\":{\"rank\":\"%d\"",
                    i, i);
    for (int k = 0; k < KEYS; k++) {
        if (n->value[k] >= 0) {
            skr_strbuf_addf(b, ",\"%s\":\"v%d\"", key_name[k], n->value[k]);
        }
    }
    skr_strbuf_addf(b,
                    "%s}},\"spec\":{\"taints\":[%s]},\"status\":{\"allocatable\":{\"cpu\":\"%d\",",
                    n->worker ? ",\"worker\":\"yes\"" : "",
                    n->tainted ? "{\"key\":\"t\",\"effect\":\"NoSchedule\"}" : "", n->cpu);
    skr_strbuf_add(b, "\"memory\":\"8Gi\",\"pods\":\"110\"}}}\n");
}

static void write_other(const struct world *w, int i, struct skr_strbuf *b)
{
    const struct other *o = &w->other[i];
    skr_strbuf_addf(
        b,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"o%d\","
        "\"namespace\":\"%s\",\"labels\":{\"is\":\"other\"%s%s}},\"spec\":{\"nodeName\":"
        "\"n%d\",",
        i, o->elsewhere ? "other" : "default", o->app ? ",\"app\":\"x\"" : "",
        o->db ? ",\"db\":\"x\"" : "", o->node);
    if (o->anti >= 0) {
        const struct term against = {.key = (enum key)o->anti, .selector = APP, .spaces = BOTH};
        skr_strbuf_add(b, "\"affinity\":{");
        write_terms("podAntiAffinity", &against, 1, b);
        skr_strbuf_add(b, "},");
    }
    skr_strbuf_addf(b,
                    "\"containers\":[{\"name\":\"c\",\"image\":\"x\",\"ports\":[%s]}]},"
                    "\"status\":{\"phase\":\"Running\"}}\n",
                    o->port ? "{\"containerPort\":80,\"hostPort\":80}" : "");
}

static void write_spreads(const struct world *w, struct skr_strbuf *b)
{
    skr_strbuf_add(b, "\"topologySpreadConstraints\":[");
    for (int i = 0; i < w->spreads; i++) {
        const struct spread *s = &w->spread[i];
        skr_strbuf_addf(b,
                        "%s{\"topologyKey\":\"%s\",\"maxSkew\":%d,\"whenUnsatisfiable\":"
                        "\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":{\"%s\":\"x\"}},"
                        "\"nodeAffinityPolicy\":\"%s\",\"nodeTaintsPolicy\":\"%s\"",
                        i > 0 ? "," : "", key_name[s->key], s->skew,
                        s->selector == APP ? "app" : "db", s->ignores_affinity ? "Ignore" : "Honor",
                        s->honors_taints ? "Honor" : "Ignore");
        if (s->min_domains > 0) {
            skr_strbuf_addf(b, ",\"minDomains\":%d", s->min_domains);
        }
        skr_strbuf_add(b, "}");
    }
    skr_strbuf_add(b, "]");
}

static void write_member(const struct world *w, int i, struct skr_strbuf *b)
{
    skr_strbuf_addf(
        b,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"g-%d\","
        "\"namespace\":\"default\",\"labels\":{\"app\":\"x\",\"sakkara.group.name\":"
        "\"g\"}},\"spec\":{\"schedulerName\":\"sakkara\",\"schedulingGates\":[{\"name\":"
        "\"sakkara.gang\"}],\"nodeSelector\":{%s},\"affinity\":{",
        i, w->workers ? "\"worker\":\"yes\"" : "");
    write_terms("podAntiAffinity", w->anti, w->antis, b);
    skr_strbuf_add(b, ",");
    write_terms("podAffinity", w->affinity, w->affinities, b);
    skr_strbuf_add(b, "},");
    write_spreads(w, b);
    skr_strbuf_addf(b,
                    ",\"containers\":[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"requests\":{"
                    "\"cpu\":\"1\"}},\"ports\":[%s]}]}}\n",
                    w->port ? "{\"containerPort\":80,\"hostPort\":80}" : "");
}

static void write_maps(const struct world *w, struct skr_strbuf *b)
{
    skr_strbuf_add(b, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":"
                      "\"other\"}}\n{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                      "\"name\":\"t\",\"namespace\":\"default\",\"labels\":{\"sakkara.topology\":"
                      "\"\"}},\"data\":{\"level-names\":\"[\\\"rack\\\",\\\"node\\\"]\",\"tree\":"
                      "\"{");
    for (int rack = 0, racks = 0; rack < 3; rack++) {
        int n = 0;
        for (int i = 0; i < w->nodes; i++) {
            if (w->node[i].rack == rack && n++ == 0) {
                skr_strbuf_addf(b, "%s\\\"r%d\\\":{", racks++ > 0 ? "," : "", rack);
            }
            if (w->node[i].rack == rack) {
                skr_strbuf_addf(b, "%s\\\"n%d\\\":{}", n > 1 ? "," : "", i);
            }
        }
        skr_strbuf_add(b, n > 0 ? "}" : "");
    }
    skr_strbuf_addf(
        b,
        "}\"}}\n{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"g\","
        "\"namespace\":\"default\",\"labels\":{\"sakkara.group\":\"\"}},\"data\":{\"name\":"
        "\"g\",\"size\":\"%d\",\"constraints\":\"{%s}\"}}\n",
        w->size, w->hard ? "\\\"rack\\\":{\\\"hard\\\":true}" : "");
}

/* ---- the plugins ---- */

static bool is_eligible(const struct world *w, int i)
{
    return !w->node[i].tainted && (w->node[i].worker || !w->workers);
}

static bool in_spaces(enum spaces spaces, bool elsewhere)
{
    return spaces == BOTH || spaces == ALL || (spaces == OTHER) == elsewhere;
}

static bool selects_other(const struct term *t, const struct other *o)
{
    return in_spaces(t->spaces, o->elsewhere) && (t->selector == APP ? o->app : o->db);
}

static bool selects_member(const struct term *t)
{
    return t->selector == APP && in_spaces(t->spaces, false);
}

static bool together(const struct world *w, int a, int b, enum key key)
{
    return w->node[a].value[key] >= 0 && w->node[a].value[key] == w->node[b].value[key];
}

static bool resources_and_ports_admit(const struct world *w, const int *count, int at)
{
    if (count[at] == w->node[at].cpu) {
        return false;
    }
    for (int i = 0; i < w->nodes && w->hard; i++) {
        if (count[i] > 0 && w->node[i].rack != w->node[at].rack) {
            return false;
        }
    }
    bool taken = count[at] > 0;
    for (int i = 0; i < w->others; i++) {
        taken = taken || (w->other[i].node == at && w->other[i].port);
    }
    return !w->port || !taken;
}

static bool anti_affinity_admits(const struct world *w, const int *count, int at)
{
    for (int i = 0; i < w->others; i++) {
        const struct other *o = &w->other[i];
        if (o->anti >= 0 && together(w, at, o->node, (enum key)o->anti)) {
            return false;
        }
        for (int t = 0; t < w->antis; t++) {
            if (selects_other(&w->anti[t], o) && together(w, at, o->node, w->anti[t].key)) {
                return false;
            }
        }
    }
    for (int t = 0; t < w->antis; t++) {
        for (int i = 0; i < w->nodes && selects_member(&w->anti[t]); i++) {
            if (count[i] > 0 && together(w, at, i, w->anti[t].key)) {
                return false;
            }
        }
    }
    return true;
}

/* Pods count that all terms select: whether there are any where a term's key is, and whether each
 * term has one together with the node. */
static bool affinity_admits(const struct world *w, const int *count, int at)
{
    bool has[TERMS_MAX] = {false}, any = false, self = true, all = true;
    for (int t = 0; t < w->affinities; t++) {
        if (w->node[at].value[w->affinity[t].key] < 0) {
            return false;
        }
        self = self && selects_member(&w->affinity[t]);
    }
    for (int i = 0; i < w->others + w->nodes; i++) {
        const bool member = i >= w->others;
        const int there = member ? i - w->others : w->other[i].node;
        bool counts = !member || (self && count[there] > 0);
        for (int t = 0; t < w->affinities && !member; t++) {
            counts = counts && selects_other(&w->affinity[t], &w->other[i]);
        }
        for (int t = 0; t < w->affinities && counts; t++) {
            any = any || w->node[there].value[w->affinity[t].key] >= 0;
            has[t] = has[t] || together(w, at, there, w->affinity[t].key);
        }
    }
    for (int t = 0; t < w->affinities; t++) {
        all = all && has[t];
    }
    return all || (self && !any);
}

static bool counts_for(const struct world *w, const struct spread *s, int i)
{
    for (int k = 0; k < w->spreads; k++) {
        if (w->node[i].value[w->spread[k].key] < 0) {
            return false;
        }
    }
    return (s->ignores_affinity || !w->workers || w->node[i].worker) &&
           (!s->honors_taints || !w->node[i].tainted);
}

static bool spread_admits(const struct world *w, const struct spread *s, const int *count, int at)
{
    int in[NODES_MAX], domains = 0, least = INT32_MAX;
    const int own = s->selector == APP ? 1 : 0;
    for (int v = 0; v < NODES_MAX; v++) {
        in[v] = -1;
    }
    for (int i = 0; i < w->nodes; i++) {
        const int v = w->node[i].value[s->key];
        if (!counts_for(w, s, i)) {
            continue;
        }
        domains += in[v] < 0 ? 1 : 0;
        in[v] = (in[v] < 0 ? 0 : in[v]) + own * count[i];
        for (int o = 0; o < w->others; o++) {
            const struct other *other = &w->other[o];
            in[v] += other->node == i && !other->elsewhere &&
                             (s->selector == APP ? other->app : other->db)
                         ? 1
                         : 0;
        }
    }
    for (int v = 0; v < NODES_MAX; v++) {
        least = in[v] >= 0 && in[v] < least ? in[v] : least;
    }
    least = domains == 0 || domains < s->min_domains ? 0 : least;
    const int here = w->node[at].value[s->key];
    return here >= 0 && (in[here] > 0 ? in[here] : 0) + own - least <= s->skew;
}

static bool admits(const struct world *w, const int *count, int at)
{
    bool good = is_eligible(w, at) && resources_and_ports_admit(w, count, at) &&
                anti_affinity_admits(w, count, at) && affinity_admits(w, count, at);
    for (int k = 0; k < w->spreads && good; k++) {
        good = w->node[at].value[w->spread[k].key] >= 0;
    }
    for (int k = 0; k < w->spreads && good; k++) {
        good = spread_admits(w, &w->spread[k], count, at);
    }
    return good;
}

/* ---- every order ---- */

static int number_of(const struct world *w, const int *count)
{
    int n = 0;
    for (int i = 0; i < w->nodes; i++) {
        n = n * (SIZE_MAX_ + 1) + count[i];
    }
    return n;
}

/* Marks all counts that can be reached; one of `size` members goes to found. */
static bool walk(struct world *w, int *count, int placed, int *found)
{
    bool any = placed == w->size;
    uint8_t *seen = &w->seen[number_of(w, count)];
    if (*seen) {
        return false;
    }
    *seen = 1;
    if (any) {
        memcpy(found, count, NODES_MAX * sizeof *found);
        return true;
    }
    for (int i = 0; i < w->nodes; i++) {
        if (admits(w, count, i)) {
            count[i]++;
            any = walk(w, count, placed + 1, found) || any;
            count[i]--;
        }
    }
    return any;
}

/* ---- what the planner does ---- */

static int plan(const struct world *w, int *count, struct skr_strbuf *why)
{
    struct skr_strbuf text, out, messages;
    skr_strbuf_init(&text);
    skr_strbuf_init(&out);
    skr_strbuf_init(&messages);
    write_maps(w, &text);
    for (int i = 0; i < w->nodes; i++) {
        write_node(w, i, &text);
    }
    for (int i = 0; i < w->others; i++) {
        write_other(w, i, &text);
    }
    for (int i = 0; i < w->size; i++) {
        write_member(w, i, &text);
    }
    struct text_file file = text_file_make(text.s, text.len);
    const char *path = file.path;
    const struct skr_simulate_options options = {
        .file = &path, .n_files = 1, .until = SKR_TIME_NEVER, .json = true};
    const int code = skr_simulate_run(&options, &out, &messages);
    if (code != SKR_EXIT_OK && code != SKR_EXIT_NOT_PLACED) {
        fail_msg("exit code %d: %s\n%s", code, messages.s, text.s);
    }
    json_t *result = json_loads(out.s, 0, NULL);
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
    json_decref(result);
    text_file_close(&file);
    skr_strbuf_fini(&text);
    skr_strbuf_fini(&out);
    skr_strbuf_fini(&messages);
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
    struct skr_strbuf why;
    skr_strbuf_init(&why);
    skr_strbuf_add(&why, "");
    const bool possible = walk(w, none, 0, example);
    const int placed = plan(w, count, &why);
    if (placed > 0 && placed < w->size) {
        fail_msg("%s: %d of %d placed", what, placed, w->size);
    } else if (placed > 0 && !w->seen[number_of(w, count)]) {
        fail_msg("%s: kube-scheduler does not admit %s", what, text_of(w, count));
    } else if (placed == 0 && possible) {
        fail_msg("%s: %s; kube-scheduler admits %s", what, why.s, text_of(w, example));
    } else if (placed == 0 && why.len == 0) {
        fail_msg("%s: not placed, and no reason", what);
    }
    skr_strbuf_fini(&why);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

TEST(what_is_placed_kube_scheduler_admits_and_what_is_not_it_refuses)
{
    const uint64_t first = number("FIRST", 1), n = number("N", CLUSTERS);
    struct world *w = skr_alloc(sizeof *w);
    for (uint64_t seed = first; seed < first + n; seed++) {
        char what[40];
        snprintf(what, sizeof what, "FIRST=%llu", (unsigned long long)seed);
        make(w, seed);
        check(w, what);
    }
    free(w);
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
        struct world *w = plain(3, 2);
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
        assert_int_equal(w->seen[number_of(w, (const int[NODES_MAX]){0, 2, 0})], 0);
        free(w);
    }
}

TEST(a_node_that_neither_selector_nor_taints_admit_is_no_domain_of_a_spread)
{
    struct world *w = plain(2, 2);
    w->node[1].tainted = true;
    w->node[1].worker = false;
    w->workers = true;
    w->spread[w->spreads++] = (struct spread){.key = HOST, .selector = APP, .skew = 1};
    check(w, "both go to the one node there is");
    assert_int_equal(w->seen[number_of(w, (const int[NODES_MAX]){2, 0})], 1);
    free(w);
}

TEST(of_several_affinities_one_pod_has_to_meet_all)
{
    for (int both = 0; both < 2; both++) {
        struct world *w = plain(2, 2);
        w->affinity[w->affinities++] = (struct term){.key = ZONE, .selector = APP};
        w->affinity[w->affinities++] = (struct term){.key = ZONE, .selector = DB};
        w->other[w->others++] = (struct other){.node = 1, .anti = -1, .app = true, .db = both};
        w->other[w->others++] = (struct other){.node = 1, .anti = -1, .db = true};
        check(w, both ? "where it is" : "there is none");
        assert_int_equal(w->seen[number_of(w, (const int[NODES_MAX]){0, 2})], both);
        free(w);
    }
}
