/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots, counted by hand: on random clusters a pod of a random size is put on a node again and
 * again until something is short, and the page of the tree must give the same number for every node
 * and every domain, and the metric the same largest domains. SEED and N as for the other
 * properties.
 */
#include "core/frame/engine.h"
#include "core/gang/scheduler.h"
#include "core/gang/state/pages.h"
#include "core/gang/state/types.h"
#include "server/kube/decode.h"
#include "test/test.h"
#include "topology/tree.h"

enum { NODES_MAX = 24, RESOURCES = 4, CLUSTERS = 200, EVER_MAX = 100000 };
enum { CPU, MEMORY, GPU, PODS };

static const char *const resource_name[RESOURCES] = {"cpu", "memory", "example.com/gpu", "pods"};

struct machine {
    bool exists, ready, cordoned;
    int64_t all[RESOURCES], used[RESOURCES];
    int zone, rack;
};

struct cluster {
    uint64_t state;
    size_t n;
    struct machine node[NODES_MAX];
    int64_t size[RESOURCES]; /* 0: not asked for */
    struct skr_engine *engine;
    struct skr_actions actions;
};

static uint32_t draw(struct cluster *c, uint32_t n)
{
    c->state ^= c->state << 13;
    c->state ^= c->state >> 7;
    c->state ^= c->state << 17;
    return (uint32_t)(c->state >> 33) % n;
}

/* ---- the cluster ---- */

static void draw_cluster(struct cluster *c)
{
    c->n = 1 + draw(c, NODES_MAX);
    for (size_t i = 0; i < c->n; i++) {
        struct machine *m = &c->node[i];
        *m = (struct machine){.exists = draw(c, 12) != 0,
                              .ready = draw(c, 6) != 0,
                              .cordoned = draw(c, 6) == 0,
                              .zone = (int)draw(c, 3),
                              .rack = (int)draw(c, 3)};
        m->all[CPU] = 100 * draw(c, 200);
        m->all[MEMORY] = (int64_t)draw(c, 64) << 28;
        m->all[GPU] = draw(c, 3) ? draw(c, 17) : 0;
        m->all[PODS] = draw(c, 4) ? draw(c, 12) : 0;
    }
    for (size_t r = 0; r < RESOURCES; r++) {
        c->size[r] = 0;
    }
    const uint32_t which = draw(c, 8);
    c->size[CPU] = which & 1 ? 50 + draw(c, 4000) : 0;
    c->size[MEMORY] = which & 2 ? 1 + ((int64_t)draw(c, 9) << 27) : 0;
    c->size[GPU] = which & 4 || which == 0 ? 1 + draw(c, 5) : 0;
    c->size[PODS] = 1;
}

static void feed(struct cluster *c, const struct skr_object_type *type, const char *text)
{
    struct skr_error error;
    struct skr_event event;
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    if (skr_kube_decode(type, json, &event, &error) < 0) {
        fail_msg("%s", error.text);
    }
    json_decref(json);
    skr_engine_handle(c->engine, &event, SKR_SECOND, &c->actions);
    skr_actions_reset(&c->actions);
}

static void feed_node(struct cluster *c, size_t i)
{
    const struct machine *m = &c->node[i];
    char text[1024];
    snprintf(text, sizeof text,
             "{\"metadata\":{\"name\":\"n%zu\"},\"spec\":{\"unschedulable\":%s},\"status\":{"
             "\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}],\"allocatable\":{\"cpu\":"
             "\"%lldm\",\"memory\":\"%lld\",\"example.com/gpu\":\"%lld\",\"pods\":\"%lld\"}}}",
             i, m->cordoned ? "true" : "false", m->ready ? "True" : "False", (long long)m->all[CPU],
             (long long)m->all[MEMORY], (long long)m->all[GPU], (long long)m->all[PODS]);
    feed(c, &skr_gang_node, text);
}

/* Pods that are there already, more than fit now and then. */
static void feed_pods(struct cluster *c, size_t i)
{
    struct machine *m = &c->node[i];
    for (uint32_t k = draw(c, 5); k > 0; k--) {
        const int64_t cpu = 10 * draw(c, 300), memory = (int64_t)draw(c, 16) << 26;
        const int64_t gpu = draw(c, 4);
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"metadata\":{\"name\":\"p-%zu-%u\",\"namespace\":\"d\",\"uid\":\"u-%zu-%u\"},"
                 "\"spec\":{\"nodeName\":\"n%zu\",\"containers\":[{\"name\":\"m\",\"resources\":{"
                 "\"requests\":{\"cpu\":\"%lldm\",\"memory\":\"%lld\",\"example.com/gpu\":\"%lld\""
                 "}}}]},\"status\":{\"phase\":\"Running\"}}",
                 i, k, i, k, i, (long long)cpu, (long long)memory, (long long)gpu);
        feed(c, &skr_gang_pod, text);
        m->used[CPU] += cpu;
        m->used[MEMORY] += memory;
        m->used[GPU] += gpu;
        m->used[PODS]++;
    }
}

static void feed_tree(struct cluster *c)
{
    SKR_STRBUF(b);
    const char *zone_comma = "";
    skr_strbuf_add(&b, "{\"metadata\":{\"name\":\"t\",\"namespace\":\"default\",\"labels\":{"
                       "\"sakkara.topology\":\"\"}},\"data\":{\"level-names\":"
                       "\"[\\\"zone\\\",\\\"rack\\\",\\\"node\\\"]\",\"resource-names\":"
                       "\"[\\\"cpu\\\",\\\"memory\\\",\\\"example.com/gpu\\\"]\",\"tree\":\"{");
    for (int z = 0; z < 3; z++) {
        size_t in_zone = 0;
        for (int r = 0; r < 3; r++) {
            size_t in_rack = 0;
            for (size_t i = 0; i < c->n; i++) {
                if (c->node[i].zone != z || c->node[i].rack != r) {
                    continue;
                }
                if (in_zone == 0) {
                    skr_strbuf_addf(&b, "%s\\\"z%d\\\":{", zone_comma, z);
                }
                if (in_rack == 0) {
                    skr_strbuf_addf(&b, "%s\\\"r%d\\\":{", in_zone ? "," : "", r);
                }
                skr_strbuf_addf(&b, "%s\\\"n%zu\\\":{}", in_rack ? "," : "", i);
                in_zone++;
                in_rack++;
            }
            skr_strbuf_add(&b, in_rack ? "}" : "");
        }
        skr_strbuf_add(&b, in_zone ? "}" : "");
        zone_comma = in_zone ? "," : zone_comma;
    }
    skr_strbuf_add(&b, "}\"}}");
    feed(c, &skr_gang_configmap, b.s);
}

static void begin(struct cluster *c)
{
    struct skr_settings settings;
    struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    skr_settings_default(&settings);
    c->engine = skr_engine_create(&skr_gang_scheduler, &settings, NULL);
    skr_actions_init(&c->actions);
    draw_cluster(c);
    feed_tree(c);
    for (size_t i = 0; i < c->n; i++) {
        if (c->node[i].exists) {
            feed_node(c, i);
        }
        feed_pods(c, i);
    }
    skr_engine_handle(c->engine, &synced, SKR_SECOND, &c->actions);
}

static void end(struct cluster *c)
{
    skr_actions_fini(&c->actions);
    skr_engine_destroy(c->engine);
}

/* ---- by hand ---- */

static int64_t fill(const struct machine *m, const int64_t *size)
{
    int64_t used[RESOURCES], n = 0;
    if (!m->exists || !m->ready || m->cordoned) {
        return 0;
    }
    memcpy(used, m->used, sizeof used);
    for (; n < EVER_MAX; n++) {
        for (size_t r = 0; r < RESOURCES; r++) {
            used[r] += size[r];
            if (size[r] > 0 && used[r] > m->all[r]) {
                return n;
            }
        }
    }
    return n;
}

/* ---- the page ---- */

static json_t *page_of(struct cluster *c, const int64_t *size)
{
    SKR_STRBUF(slot);
    SKR_STRBUF(out);
    skr_strbuf_add(&slot, "");
    for (size_t r = 0; r < PODS; r++) {
        if (size[r] > 0) {
            skr_strbuf_addf(&slot, "%s%s=%lld%s", slot.len ? "," : "",
                            r == GPU && c->state & 1 ? "gpu" : resource_name[r], (long long)size[r],
                            r == CPU ? "m" : "");
        }
    }
    const struct skr_view_query query = {.path = "/v1/tree",
                                         .argument = {[SKR_VIEW_SLOT] = slot.s}};
    const int code = skr_gang_view(skr_engine_self(c->engine), &query, SKR_SECOND, &out);
    if (code != 200) {
        fail_msg("slot=%s: %d %s", slot.s, code, out.s);
    }
    json_t *page = json_loads(out.s, 0, NULL);
    assert_non_null(page);
    return page;
}

static int64_t number_of(const json_t *unit, const char *key)
{
    return json_integer_value(json_object_get(unit, key));
}

/* Slots of the unit by hand; every unit below is compared too. most[level]: the largest. */
static int64_t compare(const struct cluster *c, const json_t *unit, const int64_t *size, int level,
                       int64_t *most)
{
    const json_t *children = json_object_get(unit, "children"), *child;
    const char *name = json_string_value(json_object_get(unit, "name"));
    int64_t sum = 0;
    size_t i;
    if (!children) {
        sum = fill(&c->node[strtoul(name + 1, NULL, 10)], size);
    }
    json_array_foreach(children, i, child)
    {
        sum += compare(c, child, size, level + 1, most);
    }
    if (number_of(unit, "slots") != sum) {
        fail_msg("%s: %lld slots, %lld by hand", name, (long long)number_of(unit, "slots"),
                 (long long)sum);
    }
    most[level] = sum > most[level] ? sum : most[level];
    return sum;
}

static void slots_of_any_size_are_those_counted_by_hand(struct cluster *c)
{
    int64_t most[SKR_LEVELS_MAX + 1] = {0};
    json_auto_t *page = page_of(c, c->size);
    compare(c, json_object_get(page, "root"), c->size, 0, most);
}

/* The metric knows sizes of 1, 2, 4, 8 of one resource. */
static void the_metric_says_the_same(struct cluster *c)
{
    static const int64_t one[] = {1000, INT64_C(1) << 30, 1};
    struct skr_slot_count count = {0};
    struct skr_slots slots;
    while (!skr_gang_count_slots(skr_engine_self(c->engine), &count, 3, &slots)) {
        ;
    }
    for (size_t r = 0; r < PODS; r++) {
        for (size_t k = 0; k < SKR_SLOT_SIZES; k++) {
            int64_t size[RESOURCES] = {[PODS] = 1}, most[SKR_LEVELS_MAX + 1] = {0};
            size[r] = one[r] << k;
            json_t *page = page_of(c, size);
            compare(c, json_object_get(page, "root"), size, 0, most);
            json_decref(page);
            for (int l = 0; l <= slots.tree->n_levels; l++) {
                assert_int_equal(slots.most[l][r][k], most[l]);
            }
        }
    }
    skr_slots_fini(&slots);
}

/* What is allocatable and used, unit by unit, is the sum of the nodes. A resource counts on the nodes
 * that list it (topology/ledger.h). */
static void sums_are_those_of_the_nodes(struct cluster *c)
{
    json_auto_t *page = page_of(c, c->size);
    const json_t *root = json_object_get(page, "root");
    for (size_t r = 0; r < RESOURCES; r++) {
        int64_t all = 0, used = 0, unusable = 0;
        for (size_t i = 0; i < c->n; i++) {
            const struct machine *m = &c->node[i];
            const int64_t left = m->all[r] - m->used[r];
            all += m->exists ? m->all[r] : 0;
            used += m->exists && m->ready && m->all[r] > 0 ? m->used[r] : 0;
            if (m->exists && !m->ready) {
                unusable += m->all[r];
            } else if (m->exists && m->cordoned && left > 0) {
                unusable += left;
            }
        }
        assert_int_equal(number_of(json_object_get(root, "allocatable"), resource_name[r]), all);
        assert_int_equal(number_of(json_object_get(root, "charged"), resource_name[r]), used);
        assert_int_equal(number_of(json_object_get(root, "unusable"), resource_name[r]), unusable);
    }
}

static void play(void (*check)(struct cluster *c))
{
    const uint64_t seed = test_number("SEED", 1), n = test_number("N", CLUSTERS);
    for (uint64_t i = 0; i < n; i++) {
        struct cluster c = {.state = (seed * UINT64_C(0x9e3779b97f4a7c15)) ^
                                     ((i + 1) * UINT64_C(0xd1b54a32d192ed03))};
        for (int k = 0; k < 8; k++) {
            draw(&c, 2);
        }
        begin(&c);
        check(&c);
        end(&c);
    }
}

TEST(tree_slots_equal_a_count_by_hand)
{
    play(slots_of_any_size_are_those_counted_by_hand);
}

TEST(metric_equals_tree_and_hand)
{
    play(the_metric_says_the_same);
}

TEST(amounts_of_the_root_are_those_of_its_nodes)
{
    play(sums_are_those_of_the_nodes);
}
