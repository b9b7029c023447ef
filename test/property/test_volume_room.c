/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the volume of a late claim can be made: the caches of core/gang/cache/csi.h against kube-scheduler's rule,
 * written down plainly (checkVolumeProvisions(), hasEnoughCapacity() and nodeHasAccess() of
 * pkg/scheduler/framework/plugins/volumebinding/binder.go, checkCSIDriverOnNode() of nodevolumelimits/csi.go). Objects
 * come, change and go at random. SEED, FIRST and N are those of trial.h.
 */
#include <string.h>

#include "core/gang/cache/csi.h"
#include "test/property/trial.h"
#include "test/test.h"
#include "test/unit/engine_rig.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

enum { NODES = 6, ROOMS = 5, KEYS = 3, VALUES = 3, OPERATORS = 4 };
static const char *const operators[OPERATORS] = {"In", "NotIn", "Exists", "DoesNotExist"};

/* value[key]: -1: any. */
struct rule {
    int32_t value[KEYS];
    int32_t op, key, operand; /* op -1: no expression */
};

struct room {
    bool there, accessible;
    int32_t class_, capacity, largest; /* MiB; 0: not set */
    struct rule rule;
};

struct world {
    struct random random;
    int32_t label[NODES][KEYS]; /* -1: none */
    bool runs[NODES];
    struct skr_node *node[NODES];
    struct room room[ROOMS];
    bool says_capacity, must_run;
    int32_t topology_key, topology_value; /* of the class; key -1: all */
    int32_t claim;                        /* MiB */
};

static void *decode(int (*fn)(const json_t *, void **, struct skr_error *), const char *text)
{
    struct skr_error error;
    void *object = NULL;
    json_auto_t *json = json_text_load(text);
    assert_int_equal(fn(json, &object, &error), 0);
    return object;
}
#define DECODER(name)                                                        \
    static int name(const json_t *json, void **ret, struct skr_error *error) \
    {                                                                        \
        struct skr_##name *object = NULL;                                    \
        const int rc = skr_##name##_decode(json, &object, error);            \
        *ret = object;                                                       \
        return rc;                                                           \
    }
DECODER(node)
DECODER(volume_claim)
DECODER(storage_class)
DECODER(csi_node)
DECODER(csi_driver)
DECODER(csi_capacity)

/* ---- objects ---- */

static void add_labels(struct skr_strbuf *b, const int32_t *value)
{
    const char *before = "";
    for (int i = 0; i < KEYS; i++) {
        if (value[i] >= 0) {
            skr_strbuf_addf(b, "%s'k%d':'%d'", before, i, (int)value[i]);
            before = ",";
        }
    }
}

static void put_node(struct skr_gang *e, struct world *w, int i)
{
    SKR_STRBUF(b);
    for (int k = 0; k < KEYS; k++) {
        w->label[i][k] = random_below(&w->random, VALUES + 1) - 1;
    }
    skr_strbuf_addf(&b, "{'metadata':{'name':'n%d','labels':{", i);
    add_labels(&b, w->label[i]);
    skr_strbuf_add(&b, "}}}");
    skr_node_destroy(w->node[i]);
    w->node[i] = decode(node, b.s);
    w->runs[i] = random_percent(&w->random, 60);
    char text[200];
    snprintf(text, sizeof text, "{'metadata':{'name':'n%d'},'spec':{'drivers':[{'name':'%s'%s}]}}",
             i, w->runs[i] ? "d" : "other",
             random_percent(&w->random, 50) ? ",'allocatable':{'count':3}" : "");
    struct skr_csi_node *csi = decode(csi_node, text);
    skr_csi_node_upsert(e, csi);
    skr_csi_node_destroy(csi);
}

static void put_room(struct skr_gang *e, struct world *w, int i)
{
    struct random *random = &w->random;
    struct room *r = &w->room[i];
    SKR_STRBUF(b);
    *r = (struct room){.there = true,
                       .accessible = random_percent(random, 85),
                       .class_ = random_percent(random, 75) ? 0 : 1,
                       .capacity = 500 * random_below(random, 4),
                       .largest = random_percent(random, 30) ? 500 * random_below(random, 4) : 0,
                       .rule.op = random_percent(random, 40) ? random_below(random, OPERATORS) : -1,
                       .rule.key = random_below(random, KEYS),
                       .rule.operand = random_below(random, VALUES)};
    for (int k = 0; k < KEYS; k++) {
        r->rule.value[k] = random_percent(random, 30) ? random_below(random, VALUES) : -1;
    }
    skr_strbuf_addf(&b, "{'metadata':{'namespace':'x','name':'r%d'},'storageClassName':'s%d'", i,
                    (int)r->class_);
    if (r->capacity > 0) {
        skr_strbuf_addf(&b, ",'capacity':'%dMi'", (int)r->capacity);
    }
    if (r->largest > 0) {
        skr_strbuf_addf(&b, ",'maximumVolumeSize':'%dMi'", (int)r->largest);
    }
    if (r->accessible) {
        skr_strbuf_add(&b, ",'nodeTopology':{'matchLabels':{");
        add_labels(&b, r->rule.value);
        skr_strbuf_add(&b, "}");
        if (r->rule.op >= 0) {
            skr_strbuf_addf(&b, ",'matchExpressions':[{'key':'k%d','operator':'%s'",
                            (int)r->rule.key, operators[r->rule.op]);
            if (r->rule.op < 2) {
                skr_strbuf_addf(&b, ",'values':['%d','9']", (int)r->rule.operand);
            }
            skr_strbuf_add(&b, "}]");
        }
        skr_strbuf_add(&b, "}");
    }
    skr_strbuf_add(&b, "}");
    struct skr_csi_capacity *capacity = decode(csi_capacity, b.s);
    skr_csi_capacity_upsert(e, capacity);
    skr_csi_capacity_destroy(capacity);
}

static void put_driver_and_class(struct skr_gang *e, struct world *w)
{
    char text[400], topology[200] = "";
    w->says_capacity = random_percent(&w->random, 80);
    w->must_run = random_percent(&w->random, 30);
    if (random_percent(&w->random, 20)) {
        skr_csi_driver_delete(e, "d");
        w->says_capacity = w->must_run = false;
    } else {
        snprintf(text, sizeof text,
                 "{'metadata':{'name':'d'},'spec':{'storageCapacity':%s,'"
                 "preventPodSchedulingIfMissing':%s}}",
                 w->says_capacity ? "true" : "false", w->must_run ? "true" : "false");
        struct skr_csi_driver *driver = decode(csi_driver, text);
        skr_csi_driver_upsert(e, driver);
        skr_csi_driver_destroy(driver);
    }
    w->topology_key = random_below(&w->random, KEYS + 2) - 2;
    w->topology_value = random_below(&w->random, VALUES);
    if (w->topology_key >= 0) {
        snprintf(topology, sizeof topology,
                 ",'allowedTopologies':[{'matchLabelExpressions':[{'key':'k%d','values':['%d']}]}]",
                 (int)w->topology_key, (int)w->topology_value);
    }
    snprintf(
        text, sizeof text,
        "{'metadata':{'name':'s0'},'provisioner':'d','volumeBindingMode':'WaitForFirstConsumer'%s}",
        topology);
    struct skr_storage_class *class = decode(storage_class, text);
    skr_volumes_class_upsert(e, class);
    skr_storage_class_destroy(class);
    w->claim = 250 * (1 + random_below(&w->random, 6));
    snprintf(text, sizeof text,
             "{'metadata':{'namespace':'x','name':'c'},'spec':{'storageClassName':'s0','resources':"
             "{'requests':{"
             "'storage':'%dMi'}}}}",
             (int)w->claim);
    struct skr_volume_claim *claim = decode(volume_claim, text);
    skr_volumes_claim_upsert(e, claim);
    skr_volume_claim_destroy(claim);
}

static void change(struct skr_gang *e, struct world *w)
{
    const int i = random_below(&w->random, ROOMS);
    put_node(e, w, random_below(&w->random, NODES));
    put_driver_and_class(e, w);
    if (random_percent(&w->random, 25)) {
        char name[8];
        snprintf(name, sizeof name, "r%d", i);
        skr_csi_capacity_delete(e, "x", name);
        w->room[i].there = false;
    } else {
        put_room(e, w, i);
    }
}

/* ---- kube-scheduler's rule ---- */

static bool selects(const struct rule *rule, const int32_t *label)
{
    bool is = true;
    for (int k = 0; k < KEYS; k++) {
        is = is && (rule->value[k] < 0 || rule->value[k] == label[k]);
    }
    const int32_t own = label[rule->key];
    switch (rule->op) {
    case 0:
        return is && own == rule->operand;
    case 1:
        return is && own != rule->operand;
    case 2:
        return is && own >= 0;
    case 3:
        return is && own < 0;
    default:
        return is;
    }
}

static bool may_go(const struct world *w, int node)
{
    bool has = !w->says_capacity;
    for (int i = 0; i < ROOMS; i++) {
        const struct room *r = &w->room[i];
        const int32_t most = r->largest > 0 ? r->largest : r->capacity;
        has = has || (r->there && r->class_ == 0 && most > 0 && most >= w->claim && r->accessible &&
                      selects(&r->rule, w->label[node]));
    }
    return has && (!w->must_run || w->runs[node]) &&
           (w->topology_key < 0 || w->label[node][w->topology_key] == w->topology_value);
}

TEST(a_volume_is_made_where_kube_scheduler_would_have_it)
{
    trial_begin("volume room");
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    struct skr_gang *e = rig->gang;
    struct world w = {.random = {trial.seed * 15485863 + trial.first}};
    uint64_t yes = 0, no = 0;
    for (int i = 0; i < NODES; i++) {
        put_node(e, &w, i);
    }
    for (uint64_t index = 0; index < trial.n; index++) {
        change(e, &w);
        const struct volume_facts facts = skr_volumes_facts(e, skr_volumes_id(e, "x", "c"));
        for (int i = 0; i < NODES; i++) {
            const bool can =
                (!facts.rule || skr_volume_reaches(facts.rule, w.node[i])) &&
                (!skr_csi_matters(e, &facts) || (skr_csi_runs_on(e, &facts, w.node[i]->meta.name) &&
                                                 skr_csi_has_room(e, &facts, w.node[i])));
            if (can != may_go(&w, i)) {
                fail_msg("change %llu, node %d: %d, expected %d", (unsigned long long)index, i, can,
                         !can);
            }
            yes += can;
            no += !can;
        }
    }
    for (int i = 0; i < NODES; i++) {
        skr_node_destroy(w.node[i]);
    }
    printf("volume room: %llu nodes may be used, %llu may not\n", (unsigned long long)yes,
           (unsigned long long)no);
    assert_true(yes > 0 && no > 0);
}
