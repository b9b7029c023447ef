/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filter's answers about ordinary pods, and whether a group fits, on random clusters: nodes that list a
 * resource or do not, device classes that serve it or do not, pods that run, groups whose plans stand.
 *
 * An ordinary pod is refused on a node if and only if a plan has room there and the pod does not fit into
 * the rest of something that the node lists: never for what the node does not list, and never where no
 * group has room. Only devices that a planned member needs, too, may be a reason besides. A group of one has a place if and only if some node has room for it, and never fits if
 * and only if no node would when empty; a resource that a node does not list counts as unlimited where a
 * class serves it, else as missing. Everything is computed anew here from the objects of the API. SEED and
 * N as for the other properties.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/test.h"
#include "test/unit/engine_rig.h"
#include "test/unit/engine_rig_parts.h"

enum { NODES = 4, CLASSES = 3, STEPS = 40, CLUSTERS = 30 };
#define A_MOMENT (100 * SKR_MILLISECOND) /* for a plan; kube-scheduler is not waited for so soon */

/* What pods may ask for beside cpu; the last ones have names of classes in them. */
static const char *const resource[] = {"example.com/a", "example.com/b",
                                       "deviceclass.resource.kubernetes.io/class-0",
                                       "deviceclass.resource.kubernetes.io/class-1"};
enum { RESOURCES = sizeof resource / sizeof *resource };

struct cluster {
    struct rig *rig;
    uint64_t random;
    int pods, groups; /* made so far */
    size_t n_refused, n_passed, n_placed, n_never;
};

static uint32_t draw(struct cluster *c, uint32_t n)
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return (uint32_t)((c->random * 2685821657736338717u) >> 33) % n;
}

/* ---- the cluster ---- */

/* Lists some of the resources, of one of them maybe 0. */
static void set_node(struct cluster *c, int i)
{
    char name[16];
    SKR_STRBUF(list);
    snprintf(name, sizeof name, "node-%d", i);
    skr_strbuf_addf(&list, "'cpu':'%u','pods':'20'", 2 + draw(c, 6));
    for (size_t r = 0; r < RESOURCES; r++) {
        if (draw(c, 2)) {
            skr_strbuf_addf(&list, ",'%s':'%u'", resource[r], draw(c, 4));
        } else {
            skr_strbuf_addf(&list, ",'%s':null", resource[r]);
        }
    }
    if (!rig_find(c->rig, RIG_NODE, name)) {
        rig_create_json(c->rig, RIG_NODE, name, "{'metadata':{},'spec':{},'status':{}}");
    }
    rig_edit(c->rig, RIG_NODE, name, "{'status':{'allocatable':{%s}}}", list.s);
}

static void set_class(struct cluster *c, uint32_t i)
{
    char name[16];
    snprintf(name, sizeof name, "class-%u", i);
    if (!rig_find(c->rig, RIG_CLASS, name)) {
        rig_class(c->rig, name, resource[draw(c, 2)]);
    } else if (draw(c, 2)) {
        rig_delete(c->rig, RIG_CLASS, name);
    } else {
        rig_edit(c->rig, RIG_CLASS, name, "{'spec':{'extendedResourceName':null}}");
    }
}

/* group NULL: none; node NULL: it waits. */
static void add_pod(struct cluster *c, const char *name, const char *group, const char *node)
{
    SKR_STRBUF(list);
    char label[64] = "", place[64] = "";
    skr_strbuf_addf(&list, "'cpu':'%u'", 1 + draw(c, 2));
    for (size_t r = 0; r < RESOURCES; r++) {
        if (draw(c, 3) == 0) {
            skr_strbuf_addf(&list, ",'%s':'%u'", resource[r], draw(c, 3));
        }
    }
    if (group) {
        snprintf(label, sizeof label, "'labels':{'sakkara.group.name':'%s'}", group);
    }
    if (node) {
        snprintf(place, sizeof place, "'nodeName':'%s',", node);
    }
    rig_create_json(
        c->rig, RIG_POD, name,
        "{'metadata':{%s},'spec':{'schedulerName':'sakkara',%s'containers':[{'name':'c',"
        "'resources':{'requests':{%s}}}]},'status':{'phase':'Pending'}}",
        label, place, list.s);
}

static void add_running(struct cluster *c)
{
    char name[16], node[16];
    snprintf(name, sizeof name, "run-%d", c->pods++);
    snprintf(node, sizeof node, "node-%u", draw(c, NODES));
    add_pod(c, name, NULL, node);
}

static void end_running(struct cluster *c)
{
    struct rig_object *o, *chosen = NULL;
    uint32_t n = 0;
    DL_FOREACH(c->rig->list, o)
    {
        bool runs = o->kind == RIG_POD && strncmp(o->key, "default/run-", 12) == 0;
        chosen = runs && draw(c, ++n) == 0 ? o : chosen;
    }
    if (chosen) {
        rig_delete(c->rig, RIG_POD, chosen->key);
    }
}

/* ---- what holds ---- */

static int64_t amount(const struct skr_quantities *q, const char *name)
{
    for (size_t i = 0; i < q->n; i++) {
        if (strcmp(q->item[i].name, name) == 0) {
            return q->item[i].amount;
        }
    }
    return 0;
}

static bool is_served(const struct rig *rig, const char *name)
{
    static const char prefix[] = "deviceclass.resource.kubernetes.io/";
    const struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        bool own = strncmp(name, prefix, sizeof prefix - 1) == 0 &&
                   strcmp(name + sizeof prefix - 1, o->key) == 0;
        if (o->kind == RIG_CLASS &&
            (own || strcmp(rig_text(o->json, "spec.extendedResourceName"), name) == 0)) {
            return true;
        }
    }
    return false;
}

/* The node to which a stored plan gives room for the pod; "" none. */
static const char *planned_on(const struct rig *rig, const struct rig_object *pod)
{
    const struct rig_object *o, *node;
    char found[64] = "";
    DL_FOREACH(rig->list, o)
    {
        json_auto_t *plan = o->kind == RIG_MAP ? rig_stored_plan(o->json) : NULL;
        const json_t *at = json_object_get(json_object_get(plan, "members"), pod->pod->meta.uid);
        if (at) {
            snprintf(found, sizeof found, "%s", json_string_value(at));
        }
    }
    node = found[0] ? rig_find(rig, RIG_NODE, found) : NULL;
    return node ? node->key : "";
}

static int64_t used(const struct rig *rig, const char *node, const char *name, bool by_plans)
{
    const struct rig_object *o;
    int64_t sum = 0;
    DL_FOREACH(rig->list, o)
    {
        const char *on = o->kind != RIG_POD          ? ""
                         : *o->pod->node_name        ? o->pod->node_name
                         : *rig_group_label(o->json) ? planned_on(rig, o)
                                                     : "";
        bool planned = o->kind == RIG_POD && !*o->pod->node_name;
        if (*on && strcmp(on, node) == 0 && (!by_plans || planned)) {
            sum += amount(&o->pod->shape->requests, name);
        }
    }
    return sum;
}

/* Of the pod's requests one that the node does not meet. listed: among those that it lists. */
static bool lacks(const struct rig *rig, const struct rig_object *node, const struct skr_pod *pod,
                  bool empty, bool listed)
{
    const struct skr_quantities *want = &pod->shape->requests;
    for (size_t i = 0; i < want->n; i++) {
        const char *name = want->item[i].name;
        int64_t has = amount(&node->node->allocatable, name);
        int64_t left = has - (empty ? 0 : used(rig, node->key, name, false));
        if (want->item[i].amount == 0) {
            continue;
        }
        if (has > 0 ? want->item[i].amount > left : !listed && !is_served(rig, name)) {
            return true;
        }
    }
    return false;
}

/* Whether the pod needs devices of the node: a class serves a name that the node does not list. */
static bool needs_devices(const struct rig *rig, const struct rig_object *node,
                          const struct skr_pod *pod)
{
    const struct skr_quantities *want = &pod->shape->requests;
    size_t i = 0;
    while (i < want->n &&
           (want->item[i].amount == 0 || amount(&node->node->allocatable, want->item[i].name) > 0 ||
            !is_served(rig, want->item[i].name))) {
        i++;
    }
    return i < want->n;
}

/* Whether a planned member needs devices of the node, too. There are no slices, so that they are not counted. */
static bool may_contest(const struct rig *rig, const struct rig_object *node,
                        const struct skr_pod *pod)
{
    const struct rig_object *o;
    bool found = false;
    DL_FOREACH(rig->list, o)
    {
        found = found ||
                (o->kind == RIG_POD && !*o->pod->node_name && *rig_group_label(o->json) &&
                 strcmp(planned_on(rig, o), node->key) == 0 && needs_devices(rig, node, o->pod));
    }
    return found && needs_devices(rig, node, pod);
}

static void check_ordinary(struct cluster *c)
{
    struct rig_object *node, *pod;
    add_pod(c, "asked", NULL, NULL);
    rig_settle(c->rig);
    pod = rig_find(c->rig, RIG_POD, "asked");
    DL_FOREACH(c->rig->list, node)
    {
        if (node->kind != RIG_NODE) {
            continue;
        }
        bool reserved = used(c->rig, node->key, "pods", true) > 0;
        bool refused = reserved && lacks(c->rig, node, pod->pod, false, true);
        bool passed = rig_filter(c->rig, "asked", node->key).n_passed > 0;
        if (passed == refused && (passed || !may_contest(c->rig, node, pod->pod))) {
            rig_fail(c->rig, "an ordinary pod is %s on %s, where room of groups is %s",
                     passed ? "taken" : "refused", node->key, reserved ? "kept" : "not kept");
        }
        c->n_refused += refused;
        c->n_passed += passed;
    }
    rig_delete(c->rig, RIG_POD, "asked");
    rig_settle(c->rig);
}

/* Most of them stay planned: kube-scheduler does not come to them. */
static void check_group(struct cluster *c)
{
    char group[16], name[24];
    const struct rig_object *node, *pod;
    bool fits = false, never = true;
    snprintf(group, sizeof group, "g%d", c->groups++);
    snprintf(name, sizeof name, "%s-0", group);
    add_pod(c, name, group, NULL);
    pod = rig_find(c->rig, RIG_POD, name);
    DL_FOREACH(c->rig->list, node)
    {
        if (node->kind == RIG_NODE) {
            fits = fits || !lacks(c->rig, node, pod->pod, false, false);
            never = never && lacks(c->rig, node, pod->pod, true, false);
        }
    }
    rig_group(c->rig, group, 1, 0, NULL);
    rig_run(c->rig, A_MOMENT);
    bool planned = *planned_on(c->rig, pod);
    bool told_never = strcmp(rig_text(rig_explain(c->rig, group), "reason"), "NeverFits") == 0;
    if (planned != fits || told_never != never) {
        rig_fail(c->rig, "%s is %splanned and %s, but it %s and %s", name, planned ? "" : "not ",
                 told_never ? "never fits" : "may fit", fits ? "fits" : "does not fit",
                 never ? "never would" : "would");
    }
    c->n_placed += planned;
    c->n_never += never;
    if (!planned || draw(c, 3) == 0) {
        rig_delete(c->rig, RIG_MAP, group);
        rig_delete(c->rig, RIG_POD, name);
        rig_run(c->rig, A_MOMENT);
    }
}

static void change(struct cluster *c)
{
    switch (draw(c, 5)) {
    case 0:
        set_node(c, (int)draw(c, NODES));
        break;
    case 1:
        set_class(c, draw(c, CLASSES));
        break;
    case 2:
        end_running(c);
        break;
    default:
        add_running(c);
        break;
    }
    rig_run(c->rig, A_MOMENT);
}

static void play(struct cluster *c, uint64_t seed)
{
    c->random = seed * 0x9e3779b97f4a7c15u + 1;
    c->rig = rig_create();
    c->rig->hold_scheduler = true;
    for (int i = 0; i < NODES; i++) {
        set_node(c, i);
    }
    rig_sync(c->rig);
    for (int step = 0; step < STEPS; step++) {
        change(c);
        check_group(c);
        check_ordinary(c);
    }
    rig_destroy(c->rig);
}

TEST(an_ordinary_pod_is_refused_on_room_of_groups_alone_and_for_what_the_node_lists)
{
    const uint64_t first = test_number("SEED", 1), n = test_number("N", CLUSTERS);
    struct cluster c = {.rig = NULL};
    for (uint64_t i = 0; i < n; i++) {
        fprintf(stderr, "seed %llu\n", (unsigned long long)(first + i));
        play(&c, first + i);
    }
    fprintf(stderr, "%zu refused, %zu passed, %zu groups placed, %zu never fit\n", c.n_refused,
            c.n_passed, c.n_placed, c.n_never);
    assert_true(c.n_refused > 0 && c.n_passed > 0 && c.n_placed > 0 && c.n_never > 0);
}
