/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine under random events: pods, maps, nodes created, changed and deleted; watches late and
 * reordered between kinds; writes that fail in every way; calls that hang up; restarts of the
 * daemon and of kube-scheduler. The rig's watchdog checks every step (engine_rig.h). In the end the
 * world is mended, and everything that can be bound is bound, with no traces left.
 *
 * SKR_SEED=n plays one seed, SKR_STEPS=n its length, SKR_SEEDS=n how many, SKR_ONLY=,3,17, these
 * steps alone; SKR_RIG_TRACE=1 prints. test/explore.sh plays many and shortens one that fails.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/test.h"
#include "test/unit/engine_rig.h"

enum { GROUPS = 7, NODES = 9, STEPS = 1500, SEEDS = 12, PODS_MAX = 60 };

struct world {
    struct rig *rig;
    uint64_t random;
    int pods;      /* made so far */
    bool faults;   /* writes may fail */
    char veto[32]; /* node that in-tree filters refuse; "" none */
    bool mended;   /* shy pods are shy no more */
    bool shy;      /* there are some */
    bool no_tree;  /* the topology map is malformed */
};

/* xorshift64* */
static uint32_t pick(struct world *w, uint32_t n)
{
    w->random ^= w->random >> 12;
    w->random ^= w->random << 25;
    w->random ^= w->random >> 27;
    return (uint32_t)((w->random * 2685821657736338717u) >> 33) % n;
}

/* A rule that the planner does not know: a shy pod runs beside no other shy one. */
static bool may_join(const struct world *w, const struct skr_pod *pod, const char *node)
{
    const struct rig_object *o;
    if (w->mended || !skr_labels_get(&pod->meta.labels, "shy")) {
        return true;
    }
    DL_FOREACH(w->rig->list, o)
    {
        bool other = o->kind == RIG_POD && o->pod != pod && skr_pod_is_live(o->pod) &&
                     skr_labels_get(&o->pod->meta.labels, "shy");
        if (other && (strcmp(o->pod->node_name, node) == 0 ||
                      (o->place == RIG_ASSUMED && strcmp(o->assumed_node, node) == 0))) {
            return false;
        }
    }
    return true;
}

static bool in_tree(void *context, const struct skr_pod *pod, const char *node)
{
    const struct world *w = context;
    return strcmp(w->veto, node) != 0 && may_join(w, pod, node);
}

/* The first five are defined by maps, then one by a PodGroup, one by labels. */
static const char *const group_names[] = {"ga", "gb", "gc", "gd", "ge", "podgroup", "labels"};
enum { SHY = 3, MAPS = 5, PODGROUP = 5, LABELS = 6 };

static const char *map_name(struct world *w)
{
    return group_names[pick(w, MAPS)];
}

/* ---- what users do ---- */

static const char *constraints(struct world *w)
{
    static const char *const text[] = {NULL,
                                       "{}",
                                       "{'rack':{'type':'pack','hard':true}}",
                                       "{'rack':{'type':'spread'}}",
                                       "{'rack':{'type':'pack'},'node':{'type':'spread'}}",
                                       "{'node':{'max':1}}"};
    return text[pick(w, 6)];
}

static void change_map(struct world *w)
{
    const char *name = map_name(w);
    const struct rig_object *map = rig_find(w->rig, RIG_MAP, name);
    if (map && strcmp(rig_key(w->rig, name, "constraints"), "{") == 0) {
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'constraints':null}}"); /* sees his mistake */
        return;
    }
    if (!map) {
        rig_group(w->rig, name, 1 + (int)pick(w, 6), (int)pick(w, 3), constraints(w));
        return;
    }
    switch (pick(w, 9)) {
    case 0:
        rig_delete(w->rig, RIG_MAP, name);
        break;
    case 1:
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'size':'%u'}}", 1 + pick(w, 6));
        break;
    case 2:
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'constraints':'{'}}");
        break;
    case 3:
    case 4:
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'constraints':null}}");
        break;
    case 5:
        rig_edit(w->rig, RIG_MAP, name, "{'metadata':{'annotations':null}}");
        break;
    case 6:
        rig_edit(w->rig, RIG_MAP, name,
                 "{'data':{'status':null,'placement':null,'rank':null,'conditions':null}}");
        break;
    default:
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'priority':'%u'}}", pick(w, 4));
        break;
    }
}

/* Another map of a group that has one. */
static void change_double(struct world *w)
{
    if (rig_find(w->rig, RIG_MAP, "double")) {
        rig_delete(w->rig, RIG_MAP, "double");
    } else {
        rig_group(w->rig, "double", 2, 1, NULL);
    }
    if (rig_find(w->rig, RIG_MAP, "double")) {
        rig_edit(w->rig, RIG_MAP, "double", "{'data':{'name':'%s'}}", map_name(w));
    }
}

static void change_topology(struct world *w)
{
    static const char *const tree[] = {
        "{",
        "{\\'a\\':{\\'node-0\\':{},\\'node-4\\':{},\\'node-8\\':{}},\\'b\\':{\\'node-1\\':{}}}",
        "{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{},\\'node-2\\':{},\\'node-3\\':{}},"
        "\\'rack-1\\':{\\'node-4\\':{},\\'node-5\\':{},\\'node-6\\':{},\\'node-7\\':{},"
        "\\'node-8\\':{}}}"};
    uint32_t which = pick(w, 3);
    w->no_tree = which == 0;
    rig_edit(w->rig, RIG_MAP, "topology", "{'data':{'tree':'%s'}}", tree[which]);
}

static struct rig_object *some_pod(struct world *w)
{
    struct rig_object *o, *chosen = NULL;
    uint32_t n = 0;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_POD && pick(w, ++n) == 0) {
            chosen = o;
        }
    }
    return chosen;
}

static void add_pod(struct world *w)
{
    char name[32];
    snprintf(name, sizeof name, "p-%02d", w->pods++);
    uint32_t group = pick(w, GROUPS + 2);
    int flags = (pick(w, 2) ? RIG_GATED : 0) | (pick(w, 12) ? 0 : RIG_BIG) |
                (pick(w, 9) ? 0 : RIG_BARE) | (group == PODGROUP ? RIG_POD_GROUP_LABEL : 0);
    rig_pod(w->rig, name, group < GROUPS ? group_names[group] : NULL, flags);
    if (pick(w, 15) == 0) {
        rig_edit(w->rig, RIG_POD, name, "{'spec':{'schedulingGates':[{'name':'quota'}]}}");
    }
    if (pick(w, 15) == 0) { /* bound late */
        rig_edit(w->rig, RIG_POD, name,
                 "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
    }
    if (group == LABELS) {
        rig_edit(w->rig, RIG_POD, name, "{'metadata':{'labels':{'sakkara.group.size':'3'}}}");
    }
    if (group == SHY) {
        w->shy = true;
        rig_edit(w->rig, RIG_POD, name, "{'metadata':{'labels':{'shy':'yes'}}}");
    }
}

/* Every plan that puts two of them on one node is refused. */
static void add_shy_gang(struct world *w, bool gated)
{
    w->shy = true;
    rig_group(w->rig, group_names[SHY], 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "shy-%d", i);
        rig_pod(w->rig, name, group_names[SHY], gated ? RIG_GATED : 0);
        rig_edit(w->rig, RIG_POD, name, "{'metadata':{'labels':{'shy':'yes'}}}");
    }
}

static void change_podgroup(struct world *w)
{
    if (!rig_find(w->rig, RIG_PODGROUP, "podgroup")) {
        rig_podgroup(w->rig, "podgroup", 3);
    } else if (pick(w, 3) == 0) {
        rig_delete(w->rig, RIG_PODGROUP, "podgroup");
    } else {
        rig_edit(w->rig, RIG_PODGROUP, "podgroup", "{'spec':{'minMember':%u}}", 1 + pick(w, 4));
    }
}

static void change_pod(struct world *w)
{
    struct rig_object *p = some_pod(w);
    char key[64];
    if (!p) {
        return;
    }
    snprintf(key, sizeof key, "%s", p->key);
    switch (pick(w, 6)) {
    case 0:
    case 1:
        rig_delete(w->rig, RIG_POD, key);
        break;
    case 2:
        rig_terminate(w->rig, key);
        break;
    case 3:
        if (*p->pod->node_name) {
            rig_phase(w->rig, key, pick(w, 2) ? "Failed" : "Succeeded");
        }
        break;
    case 4:
        if (p->pod->foreign_gate) {
            rig_edit(w->rig, RIG_POD, key, "{'spec':{'schedulingGates':null}}");
        } else {
            rig_edit(w->rig, RIG_POD, key, "{'status':{'nominatedNodeName':null}}");
        }
        break;
    default:
        rig_edit(w->rig, RIG_POD, key, "{'metadata':{'labels':{'note':'%u'}}}", pick(w, 1000));
        break;
    }
}

static void change_node(struct world *w)
{
    char name[32];
    snprintf(name, sizeof name, "node-%u", pick(w, NODES));
    if (!rig_find(w->rig, RIG_NODE, name)) {
        rig_node(w->rig, name, 2);
        return;
    }
    switch (pick(w, 5)) {
    case 0:
        rig_delete(w->rig, RIG_NODE, name);
        break;
    case 1:
        rig_edit(w->rig, RIG_NODE, name, "{'spec':{'unschedulable':true}}");
        break;
    case 2:
        rig_edit(w->rig, RIG_NODE, name,
                 "{'spec':{'taints':[{'key':'bad','effect':'NoSchedule'}]}}");
        break;
    case 3:
        snprintf(w->veto, sizeof w->veto, "%s", pick(w, 2) ? name : "");
        break;
    default:
        rig_edit(w->rig, RIG_NODE, name, "{'spec':{'unschedulable':null,'taints':null}}");
        break;
    }
}

/* ---- what happens by itself ---- */

static void answer_some_write(struct world *w)
{
    static const enum rig_outcome bad[] = {RIG_409, RIG_429,          RIG_LOST,
                                           RIG_403, RIG_LOST_APPLIED, RIG_LOST_APPLIED};
    struct rig_write *one, *chosen = NULL;
    uint32_t n = 0;
    DL_FOREACH(w->rig->writes, one)
    {
        if (pick(w, ++n) == 0) {
            chosen = one;
        }
    }
    if (!chosen) {
        return;
    }
    bool fails = w->faults && pick(w, 6) == 0;
    enum rig_outcome outcome = fails ? bad[pick(w, 6)] : RIG_OK;
    if (outcome == RIG_403 && chosen->kind == SKR_WRITE_PATCH_POD_STATUS) {
        outcome = RIG_LOST; /* that is remembered for good */
    }
    w->rig->disturbances += outcome == RIG_403; /* as who may do what was changed */
    rig_answer_write(w->rig, chosen, outcome);
}

static void some_call_hangs_up(struct world *w)
{
    const struct rig_call *call;
    DL_FOREACH(w->rig->calls, call)
    {
        if (call->state == RIG_OPEN && pick(w, 3) == 0) {
            rig_hang_up(w->rig, call);
            return;
        }
    }
}

static void disaster(struct world *w)
{
    switch (pick(w, 8)) {
    case 0:
        rig_restart_scheduler(w->rig);
        break;
    case 1:
        w->rig->reverse_lists = pick(w, 2);
        w->rig->list_rotation = (int)pick(w, 4);
        rig_restart(w->rig);
        break;
    case 2:
        rig_event(w->rig, SKR_EVENT_LEADER_LOST);
        rig_settle(w->rig);
        rig_event(w->rig, SKR_EVENT_LEADER_WON);
        break;
    case 3:
        w->rig->bindings_carry_labels = !w->rig->bindings_carry_labels;
        break;
    default:
        some_call_hangs_up(w);
        break;
    }
}

/* What ends plans whatever the engine does: kube-scheduler refuses nodes for reasons of its own, there is no
 * tree, plans time out soon. */
static bool is_odd(const struct world *w)
{
    return w->veto[0] || w->shy || w->no_tree || w->rig->settings.plan_timeout < 300 * SKR_SECOND;
}

static void step(struct world *w)
{
    uint32_t x = pick(w, 1000);
    w->rig->users_act = x >= 910 && x < 990;
    w->rig->disturbances += w->rig->users_act;
    if (x < 300) {
        rig_step_watch(w->rig, pick(w, 3));
    } else if (x < 600) {
        answer_some_write(w);
    } else if (x < 680) {
        rig_step_solve(w->rig);
    } else if (x < 800) {
        rig_step_scheduler(w->rig);
    } else if (x < 900) {
        rig_advance(w->rig, w->rig->now + (1 + pick(w, 40)) * 50 * SKR_MILLISECOND);
    } else if (x < 910) {
        rig_run(w->rig, pick(w, 20) * SKR_SECOND);
    } else if (x < 940 && HASH_COUNT(w->rig->objects) < PODS_MAX) {
        add_pod(w);
    } else if (x < 955) {
        change_map(w);
    } else if (x < 957) {
        change_podgroup(w);
    } else if (x < 958) {
        change_double(w);
    } else if (x < 960) {
        change_topology(w);
    } else if (x < 980) {
        change_pod(w);
    } else if (x < 990) {
        change_node(w);
    } else {
        disaster(w);
    }
}

/* ---- the end ---- */

static const char whole_tree[] =
    "{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{},\\'node-2\\':{},\\'node-3\\':{},"
    "\\'node-4\\':{},\\'node-5\\':{},\\'node-6\\':{},\\'node-7\\':{},\\'node-8\\':{}}}";

static void mend(struct world *w)
{
    char name[32];
    w->rig->disturbances++;
    w->faults = false;
    w->mended = true;
    w->no_tree = false;
    w->veto[0] = '\0';
    if (rig_find(w->rig, RIG_MAP, "double")) {
        rig_delete(w->rig, RIG_MAP, "double");
    }
    if (rig_find(w->rig, RIG_BUDGET, "budget")) {
        rig_delete(w->rig, RIG_BUDGET, "budget");
    }
    rig_edit(w->rig, RIG_MAP, "topology", "{'data':{'tree':'%s'}}", whole_tree);
    struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_POD && o->pod->foreign_gate) {
            rig_edit(w->rig, RIG_POD, o->key, "{'spec':{'schedulingGates':null}}");
        }
    }
    for (int i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        if (rig_find(w->rig, RIG_NODE, name)) {
            rig_edit(w->rig, RIG_NODE, name, "{'spec':{'unschedulable':null,'taints':null}}");
        } else {
            rig_node(w->rig, name, 2);
        }
        rig_edit(w->rig, RIG_NODE, name, "{'status':{'allocatable':{'cpu':'100'}}}");
    }
    for (int i = 0; i < MAPS; i++) {
        if (rig_find(w->rig, RIG_MAP, group_names[i])) {
            rig_edit(w->rig, RIG_MAP, group_names[i], "{'data':{'constraints':null}}");
        } else {
            rig_group(w->rig, group_names[i], 2, 0, NULL);
        }
    }
    if (!rig_find(w->rig, RIG_PODGROUP, "podgroup")) {
        rig_podgroup(w->rig, "podgroup", 2);
    }
}

static const char *group_of(const struct world *w, const struct rig_object *pod)
{
    const char *name = rig_label(w->rig, pod->key, "sakkara.group.name");
    return *name ? name : rig_label(w->rig, pod->key, "scheduling.x-k8s.io/pod-group");
}

static size_t size_of(const struct world *w, int group)
{
    const struct rig_object *o = rig_find(w->rig, RIG_PODGROUP, "podgroup");
    if (group < MAPS) {
        return (size_t)atoi(rig_key(w->rig, group_names[group], "size"));
    }
    if (group == LABELS) {
        return w->rig->settings.label_fallback ? 3 : SIZE_MAX;
    }
    return (size_t)json_integer_value(
        json_object_get(json_object_get(o->json, "spec"), "minMember"));
}

static const char *status_of(const struct world *w, int group)
{
    if (group < MAPS) {
        return rig_key(w->rig, group_names[group], "status");
    }
    if (group == LABELS) {
        return "Bound";
    }
    return rig_annotation(w->rig, RIG_PODGROUP, "podgroup", "sakkara.status");
}

static void check_group(struct world *w, int group)
{
    const struct rig_object *o;
    const char *name = group_names[group];
    size_t live = 0, bound = 0, next = 0, size = size_of(w, group);
    int controllers = 0;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind != RIG_POD || strcmp(group_of(w, o), name) || !skr_pod_is_live(o->pod)) {
            continue;
        }
        live++;
        bound += *o->pod->node_name != '\0';
        controllers |= !*o->pod->node_name ? 0 : *o->pod->controller_uid ? 1 : 2;
    }
    DL_FOREACH(w->rig->list, o)
    {
        /* the others may be the next generation */
        {
            bool waits = o->kind == RIG_POD && strcmp(group_of(w, o), name) == 0 &&
                         skr_pod_is_live(o->pod) && !*o->pod->node_name;
            next += waits && !(controllers & (*o->pod->controller_uid ? 1 : 2));
        }
    }
    bool open = group == PODGROUP; /* minMember is the least */
    size_t want = live < size && bound == 0 ? 0 : live < size || open ? live : size;
    if (bound < want && (bound == 0 || bound + next < want)) {
        rig_fail(w->rig, "group %s: %zu of %zu live members are bound, size %zu", name, bound, live,
                 size);
    }
    if (bound > 0 && strcmp(status_of(w, group), "Bound") != 0) {
        rig_fail(w->rig, "group %s: %zu members are bound, status %s", name, bound,
                 status_of(w, group));
    }
}

/* Evictions of all schedules: exploring without any would show nothing of them. */
static size_t evictions;

/* With room for all, nobody waits for victims or names a preemptor; who gave way is Preempted only as
 * long as no pod of it has come again. */
static void check_no_victims(struct world *w)
{
    for (int i = 0; i < MAPS; i++) {
        const char *status = rig_key(w->rig, group_names[i], "status");
        if (*rig_key(w->rig, group_names[i], "preemptor") || strcmp(status, "Preempting") == 0) {
            rig_fail(w->rig, "group %s is still part of a preemption", group_names[i]);
        }
    }
}

static void check_end(struct world *w)
{
    const struct rig_object *o;
    for (int i = 0; i < GROUPS; i++) {
        check_group(w, i);
    }
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_POD && !*group_of(w, o) && skr_pod_is_live(o->pod) &&
            !*o->pod->node_name) {
            rig_fail(w->rig, "ordinary pod %s is not bound", o->key);
        }
    }
    check_no_victims(w);
    rig_assert_clean(w->rig);
    assert_int_equal(rig_open_calls(w->rig), 0);
    assert_null(w->rig->writes);
}

/* Whether SKR_ONLY, a list of numbers ",3,17,", names the step, or there is none. */
static bool is_played(int step)
{
    const char *only = getenv("SKR_ONLY");
    char number[16];
    snprintf(number, sizeof number, ",%d,", step);
    return !only || strstr(only, number);
}

/* plain: with nothing kept between solves. */
static char *play(uint64_t seed, int steps, bool plain)
{
    struct world w = {.random = seed * 0x9e3779b97f4a7c15u + 1, .faults = true};
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.plain_planning = plain;
    settings.label_fallback = seed % 2;
    settings.rollback_partial = seed % 5 == 0;
    settings.filter_hold = seed % 3 == 0 ? 500 * SKR_MILLISECOND : 0;
    if (seed % 7 == 0) { /* calls expire, plans time out */
        settings.plan_timeout = 30 * SKR_SECOND;
        settings.bind_timeout = 20 * SKR_SECOND;
    }
    w.rig = rig_create_with(&settings);
    w.rig->sample = seed % 3 == 0 ? 4 : 0;
    w.rig->users_meddle = true;
    w.rig->in_tree = in_tree;
    w.rig->context = &w;
    bool short_of_room = seed % 4 == 1; /* who comes late has to push */
    rig_racks(w.rig, short_of_room ? 1 : 3, NODES / 3, 2);
    rig_group(w.rig, "ga", 3, 0, NULL);
    rig_group(w.rig, "gb", 4, 1, NULL);
    if (seed % 3 == 1) {
        add_shy_gang(&w, seed % 2 == 0);
    }
    w.rig->grace = short_of_room && seed % 8 == 1 ? 3 * SKR_SECOND : 0;
    if (seed % 5 < 2) {
        rig_budget(w.rig, "budget", "ga", (int)(seed % 4));
    }
    rig_sync(w.rig);
    if (short_of_room) { /* ga runs, and gb cannot beside it */
        rig_pods(w.rig, "first", 3, "ga", 0);
        rig_run(w.rig, SKR_SECOND);
        rig_pods(w.rig, "second", 4, "gb", 0);
    }
    for (int i = 0; i < steps; i++) {
        if (is_played(i)) {
            /* Each step draws from its own numbers: one left out changes no other. */
            w.random = (seed * 0x9e3779b97f4a7c15u + (uint64_t)i + 1) * 0xd1342543de82ef95u | 1;
            w.rig->is_calm = !is_odd(&w);
            step(&w);
            w.rig->users_act = false;
        }
    }
    w.rig->is_calm = !is_odd(&w);
    if (seed % 3 == 1) { /* a loop of refusals shows while the world is as it is */
        rig_run(w.rig, 50 * SKR_SECOND);
    }
    evictions += w.rig->n_writes[SKR_WRITE_EVICT];
    mend(&w);
    rig_run(w.rig, 1800 * SKR_SECOND);
    check_end(&w);
    char *log = skr_strbuf_take(&w.rig->log, NULL);
    rig_destroy(w.rig);
    return log;
}

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

TEST(everything_that_can_be_bound_is_bound_whatever_happened)
{
    int first = number("SKR_SEED", 1), n = number("SKR_SEEDS", getenv("SKR_SEED") ? 1 : SEEDS);
    for (int seed = first; seed < first + n; seed++) {
        fprintf(stderr, "seed %d\n", seed);
        free(play((uint64_t)seed, number("SKR_STEPS", STEPS), false));
    }
    fprintf(stderr, "%zu evictions\n", evictions);
    assert_true(getenv("SKR_SEED") || evictions > 0);
}

TEST(the_same_events_give_the_same_actions_byte_for_byte)
{
    for (uint64_t seed = 1000; seed < 1003 && !getenv("SKR_SEED"); seed++) {
        char *one = play(seed, 600, false), *two = play(seed, 600, false);
        assert_string_equal(one, two);
        free(one);
        free(two);
    }
}

/* Says where the two part. */
static void assert_same_lines(const char *a, const char *b)
{
    size_t line = 0, at = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++) {
        at = a[i] == '\n' ? i + 1 : at;
        line += a[i] == '\n';
    }
    if (strcmp(a, b) != 0) {
        fail_msg("action %zu:\n%.400s\nbut\n%.400s", line, a + at, b + at);
    }
}

TEST(what_is_kept_changes_no_action)
{
    int first = number("SKR_SEED", 2000), n = number("SKR_SEEDS", SEEDS / 2);
    for (int seed = first; seed < first + n; seed++) {
        int steps = number("SKR_STEPS", STEPS);
        fprintf(stderr, "seed %d\n", seed);
        char *kept = play((uint64_t)seed, steps, false);
        char *plain = play((uint64_t)seed, steps, true);
        assert_same_lines(kept, plain);
        free(kept);
        free(plain);
    }
}
