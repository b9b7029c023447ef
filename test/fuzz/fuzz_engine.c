/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine in a small cluster, every byte a decision: what users do, which watch event, write,
 * solution or scheduling cycle comes next and how a write ends, how far the clock goes, who hangs
 * up, who dies. The world is that of the unit tests (test/unit/engine_rig.h): its watchdog checks
 * every step, so that no Binding is posted before the group's object carries state Binding, nobody
 * is nominated before his plan is persisted, no node is overfilled, and every call is answered in
 * time. In the end faults cease and the cluster runs on for a while.
 */
#include <utlist.h>

#include "test/fuzz/fuzz.h"
#include "test/unit/engine_rig.h"

enum { NODES = 6, GROUPS = 3, PODS_MAX = 24, STEPS_MAX = 1500, REST_S = 90 };

struct world {
    struct rig *rig;
    struct fuzz_bytes bytes;
    int pods; /* made so far */
    char veto[16];
};

static uint32_t pick(struct world *w, uint32_t n)
{
    return fuzz_pick(&w->bytes, n);
}

static bool in_tree(void *context, const struct skr_pod *pod, const char *node)
{
    const struct world *w = context;
    (void)pod;
    return strcmp(w->veto, node) != 0;
}

static const char *group_name(struct world *w)
{
    static const char *const name[GROUPS] = {"ga", "gb", "gc"};
    return name[pick(w, GROUPS)];
}

static struct rig_object *nth(struct world *w, enum rig_kind kind)
{
    struct rig_object *o;
    uint32_t n = 0;
    DL_FOREACH(w->rig->list, o)
    {
        n += o->kind == kind;
    }
    n = n > 0 ? pick(w, n < 256 ? n : 256) : 0;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == kind && n-- == 0) {
            return o;
        }
    }
    return NULL;
}

/* ---- what users do ---- */

static void add_pod(struct world *w)
{
    char name[32];
    uint32_t flags = pick(w, 64);
    const char *group = flags & 32 ? NULL : group_name(w);
    if (w->pods == PODS_MAX) {
        return;
    }
    snprintf(name, sizeof name, "p-%02d", w->pods++);
    rig_pod(w->rig, name, group,
            (flags & 1 ? RIG_GATED : 0) | ((flags & 6) == 6 ? RIG_BIG : 0) |
                ((flags & 24) == 8 ? RIG_POD_GROUP_LABEL : 0) |
                ((flags & 24) == 24 ? RIG_BARE : 0));
}

static void change_map(struct world *w)
{
    static const char *const constraints[] = {
        NULL, "{'rack':{'type':'spread'}}", "{'rack':{'type':'pack','hard':true}}",
        "{'node':{'max':1}}", "{'rack':{'partitions':2},'node':{'type':'spread'}}"};
    static const char *const patch[] = {
        "{'data':{'constraints':'{'}}",
        "{'data':{'constraints':null}}",
        "{'data':{'constraints':'{\\'rack\\':{\\'factor\\':2}}'}}",
        "{'metadata':{'annotations':null}}",
        "{'data':{'status':null,'placement':null,'rank':null,'conditions':null}}",
        "{'metadata':{'labels':{'sakkara.group':null}}}",
        "{'metadata':{'labels':{'sakkara.group':''}}}"};
    const char *name = group_name(w);
    uint32_t what = pick(w, 12);
    if (!rig_find(w->rig, RIG_MAP, name)) {
        rig_group(w->rig, name, 1 + (int)what % 5, (int)what % 3, constraints[what % 5]);
        return;
    }
    if (what < 7) {
        rig_edit(w->rig, RIG_MAP, name, "%s", patch[what]);
    } else if (what < 9) {
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'size':'%u'}}", 1 + pick(w, 5));
    } else if (what < 10) {
        rig_edit(w->rig, RIG_MAP, name, "{'data':{'priority':'%u'}}", pick(w, 3));
    } else {
        rig_delete(w->rig, RIG_MAP, name);
    }
}

static void change_podgroup(struct world *w)
{
    const char *name = group_name(w);
    uint32_t size = 1 + pick(w, 4);
    if (!rig_find(w->rig, RIG_PODGROUP, name)) {
        rig_podgroup(w->rig, name, (int)size);
    } else if (size == 1) {
        rig_delete(w->rig, RIG_PODGROUP, name);
    } else {
        rig_edit(w->rig, RIG_PODGROUP, name, "{'spec':{'minMember':%u}}", size);
    }
}

static void change_pod(struct world *w)
{
    const struct rig_object *pod = nth(w, RIG_POD);
    char key[64];
    if (!pod) {
        return;
    }
    snprintf(key, sizeof key, "%s", pod->key);
    switch (pick(w, 8)) {
    case 0:
    case 1:
        rig_delete(w->rig, RIG_POD, key);
        break;
    case 2:
        rig_terminate(w->rig, key);
        break;
    case 3:
        if (*pod->pod->node_name) {
            rig_phase(w->rig, key, pick(w, 2) ? "Failed" : "Succeeded");
        }
        break;
    case 4:
        rig_edit(w->rig, RIG_POD, key, "{'status':{'nominatedNodeName':null}}");
        break;
    case 5:
        rig_edit(w->rig, RIG_POD, key, "{'metadata':{'labels':{'sakkara.group.size':'2'}}}");
        break;
    case 6:
        if (*pod->pod->node_name) {
            rig_phase(w->rig, key, "Running");
        }
        break;
    default:
        rig_edit(w->rig, RIG_POD, key, "{'metadata':{'labels':{'note':'%u'}}}", pick(w, 9));
        break;
    }
}

static void change_node(struct world *w)
{
    char name[16];
    uint32_t n = pick(w, NODES), what = pick(w, 6);
    snprintf(name, sizeof name, "node-%u", n);
    if (!rig_find(w->rig, RIG_NODE, name)) {
        rig_node(w->rig, name, 2);
    } else if (what == 0) {
        rig_delete(w->rig, RIG_NODE, name);
    } else if (what == 1) {
        rig_edit(w->rig, RIG_NODE, name, "{'spec':{'unschedulable':true}}");
    } else if (what == 2) {
        rig_edit(w->rig, RIG_NODE, name,
                 "{'spec':{'taints':[{'key':'bad','effect':'NoSchedule'}]}}");
    } else if (what == 3) {
        snprintf(w->veto, sizeof w->veto, "%s", pick(w, 2) ? name : "");
    } else {
        rig_edit(w->rig, RIG_NODE, name, "{'spec':{'unschedulable':null,'taints':null}}");
    }
}

static void change_topology(struct world *w)
{
    static const char *const tree[] = {
        "{\\'r\\':{\\'node-0\\':{},\\'node-1\\':{},\\'node-2\\':{}},\\'s\\':{\\'node-3\\':{}}}",
        "{\\'r\\':{\\'node-5\\':{},\\'node-9\\':{}},\\'s\\':{\\'node-0\\':{},\\'node-1\\':{}}}",
        "{"};
    uint32_t what = pick(w, 4);
    bool there = rig_find(w->rig, RIG_MAP, "topology");
    if (there && what == 3) {
        rig_delete(w->rig, RIG_MAP, "topology");
    } else if (there) {
        rig_edit(w->rig, RIG_MAP, "topology", "{'data':{'tree':'%s'}}", tree[what]);
    } else {
        rig_create_json(w->rig, RIG_MAP, "topology",
                        "{'metadata':{'labels':{'sakkara.topology':''}},'data':{'tree':'%s'}}",
                        tree[what % 3]);
    }
}

/* ---- what happens by itself ---- */

static void answer_write(struct world *w)
{
    static const enum rig_outcome outcome[] = {
        RIG_OK,  RIG_OK,  RIG_OK,  RIG_OK,  RIG_OK,           RIG_OK,  RIG_OK,           RIG_OK,
        RIG_409, RIG_422, RIG_429, RIG_403, RIG_LOST_APPLIED, RIG_404, RIG_LOST_APPLIED, RIG_LOST};
    struct rig_write *one;
    uint32_t n = 0;
    DL_FOREACH(w->rig->writes, one)
    {
        n++;
    }
    if (n == 0) {
        return;
    }
    n = pick(w, n < 256 ? n : 256);
    enum rig_outcome how = outcome[pick(w, sizeof outcome / sizeof *outcome)];
    DL_FOREACH(w->rig->writes, one)
    {
        if (n-- == 0) {
            rig_answer_write(w->rig, one, how);
            return;
        }
    }
}

static void hang_up(struct world *w)
{
    const struct rig_call *call;
    uint32_t n = pick(w, 4);
    DL_FOREACH(w->rig->calls, call)
    {
        if (call->state == RIG_OPEN && n-- == 0) {
            rig_hang_up(w->rig, call);
            return;
        }
    }
}

static void ask_by_hand(struct world *w)
{
    const struct rig_object *pod = nth(w, RIG_POD), *node = nth(w, RIG_NODE);
    char candidates[64];
    if (!pod || !node) {
        return;
    }
    switch (pick(w, 4)) {
    case 0:
        (void)rig_filter(w->rig, pod->key, pick(w, 2) ? node->key : NULL);
        break;
    case 1:
        (void)rig_prioritize(w->rig, pod->key, NULL);
        break;
    case 2:
        snprintf(candidates, sizeof candidates, "%s:", node->key);
        (void)rig_preempt(w->rig, pod->key, candidates);
        break;
    default:
        hang_up(w);
        break;
    }
}

static void disaster(struct world *w)
{
    switch (pick(w, 5)) {
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
        break;
    case 3:
        rig_event(w->rig, SKR_EVENT_LEADER_WON);
        break;
    default:
        w->rig->bindings_carry_labels = !w->rig->bindings_carry_labels;
        break;
    }
}

static void step(struct world *w)
{
    uint32_t x = pick(w, 64);
    if (x < 14) {
        rig_step_watch(w->rig, pick(w, 3));
    } else if (x < 28) {
        answer_write(w);
    } else if (x < 32) {
        rig_step_solve(w->rig);
    } else if (x < 38) {
        rig_step_scheduler(w->rig);
    } else if (x < 42) {
        rig_advance(w->rig, w->rig->now + (skr_time)(1 + pick(w, 64)) * 50 * SKR_MILLISECOND);
    } else if (x < 44) {
        rig_run(w->rig, (skr_time)pick(w, 20) * SKR_SECOND);
    } else if (x < 50) {
        add_pod(w);
    } else if (x < 53) {
        change_map(w);
    } else if (x < 54) {
        change_podgroup(w);
    } else if (x < 57) {
        change_pod(w);
    } else if (x < 59) {
        change_node(w);
    } else if (x < 60) {
        change_topology(w);
    } else if (x < 62) {
        ask_by_hand(w);
    } else {
        disaster(w);
    }
}

static struct rig *make_rig(uint32_t how)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.label_fallback = how & 1;
    settings.heterogeneous_refuse = how & 2;
    settings.rollback_partial = how & 4;
    settings.tie_break = how & 8 ? SKR_TIE_TIGHT : SKR_TIE_TREE;
    settings.plan_timeout = how & 16 ? 20 * SKR_SECOND : settings.plan_timeout;
    struct rig *rig = rig_create_with(&settings);
    rig->users_meddle = true;
    rig->sample = how & 32 ? 2 : 0;
    return rig;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world w = {.bytes = {data, size, 0}};
    uint32_t how = pick(&w, 256);
    w.rig = make_rig(how);
    w.rig->in_tree = in_tree;
    w.rig->context = &w;
    if (how & 64) {
        rig_racks(w.rig, 2, NODES / 2, 2);
    }
    if (how & 128) {
        rig_group(w.rig, "ga", 3, 0, NULL);
    }
    rig_sync(w.rig);
    for (int i = 0; i < STEPS_MAX && fuzz_bytes_left(&w.bytes); i++) {
        step(&w);
    }
    w.veto[0] = '\0';
    rig_run(w.rig, (skr_time)REST_S * SKR_SECOND);
    rig_destroy(w.rig);
    return 0;
}
