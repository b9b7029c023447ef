/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/engine_world_tenants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/engine_rig_parts.h"

enum { OBJECTS_MAX = 60, SINGLES_MAX = 6, MEMBERS_MAX = 6, MINUTES_MAX = 2 };

/* Claims of the hostile namespace. The first three stay as they are. */
static const struct {
    const char *name;
    enum rig_claim state;
} claim[] = {{"never", RIG_CLAIM_MISSING},
             {"elsewhere", RIG_CLAIM_ELSEWHERE},
             {"unprovisioned", RIG_CLAIM_LATE},
             {"missing", RIG_CLAIM_MISSING}, /* is created at times, and deleted again */
             {"late", RIG_CLAIM_LATE}};      /* is provisioned at times */
enum { NEVER, ELSEWHERE, UNPROVISIONED, MISSING, LATE, CLAIMS, NO_CLAIM = CLAIMS };

static const char *const hostile_group[WORLD_HOSTILE_GROUPS] = {"ha", "hb"};

struct intruder {
    const char *group;   /* NULL: a single pod */
    const char *devices; /* the ResourceClaim that it names; NULL: none */
    uint32_t claim;
    bool gated, other_gate;
    bool stays;   /* has a finalizer */
    bool endless; /* its grace period */
    int cpu, priority;
};

static bool is_full(const struct world *w)
{
    return HASH_COUNT(w->rig->objects) >= OBJECTS_MAX;
}

static bool is_of(const struct rig_object *o, const char *namespace_)
{
    return o->kind != RIG_NODE && o->kind != RIG_CLASS &&
           strncmp(o->key, namespace_, strlen(namespace_)) == 0 &&
           o->key[strlen(namespace_)] == '/';
}

/* ---- hostile ---- */

static void add(struct world *w, struct intruder x)
{
    char name[64], group[64] = "", volumes[128] = "", gates[64] = "", more[128] = "";
    snprintf(name, sizeof name, "hostile/x-%02d", w->pods++);
    if (x.group) {
        snprintf(group, sizeof group, "'sakkara.group.name':'%s'", x.group);
    }
    if (x.claim < CLAIMS) {
        snprintf(volumes, sizeof volumes,
                 ",'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'%s'}}]",
                 claim[x.claim].name);
    }
    if (x.gated || x.other_gate) {
        snprintf(gates, sizeof gates, ",'schedulingGates':[{'name':'%s'}]",
                 x.other_gate ? "hostile.example.com/later" : "sakkara.gang");
    }
    if (x.devices) {
        snprintf(more, sizeof more, ",'resourceClaims':[{'name':'d','resourceClaimName':'%s'}]",
                 x.devices);
    } else if (x.endless) {
        snprintf(more, sizeof more, ",'terminationGracePeriodSeconds':9223372036854775807");
    }
    rig_create_json(
        w->rig, RIG_POD, name,
        "{'metadata':{'labels':{%s},'finalizers':[%s],'ownerReferences':[{'kind':'Job','name':"
        "'job','uid':'job','controller':true}]},'spec':{'schedulerName':'sakkara','priority':%d%s%s"
        "%s,'containers':[{'name':'main','resources':{'requests':{'cpu':'%d'}}}]},'status':{"
        "'phase':'Pending'}}",
        group, x.stays ? "'hostile.example.com/stay'" : "", x.priority, volumes, gates, more,
        x.cpu);
}

static void add_singles(struct world *w, struct intruder x)
{
    x.cpu = 1 + (int)world_pick(w, 2);
    for (uint32_t n = 1 + world_pick(w, SINGLES_MAX); n > 0 && !is_full(w); n--) {
        add(w, x);
    }
}

/* Pods of the hostile namespace: of the group, or all; some_left: but for the first one that runs. */
static void remove_pods(struct world *w, const char *group, bool one_is_left)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (o->kind != RIG_POD || !is_of(o, "hostile") ||
            (group && strcmp(world_group_of(w, o), group) != 0)) {
            continue;
        }
        if (one_is_left && *o->pod->node_name && skr_pod_is_live(o->pod)) {
            one_is_left = false;
            continue;
        }
        rig_remove(w->rig, o->key);
    }
}

/* What stands of the group goes first. */
static void add_gang(struct world *w, struct intruder x)
{
    char map[64];
    int size = 1 + (int)world_pick(w, MEMBERS_MAX);
    x.group = hostile_group[world_pick(w, WORLD_HOSTILE_GROUPS)];
    x.gated = world_pick(w, 2);
    x.cpu = 1 + (int)world_pick(w, 2);
    snprintf(map, sizeof map, "hostile/%s", x.group);
    remove_pods(w, x.group, false);
    if (rig_find(w->rig, RIG_MAP, map)) {
        rig_delete(w->rig, RIG_MAP, map);
    }
    rig_group(w->rig, map, size, (int)world_pick(w, 4), NULL);
    if (world_pick(w, 2)) {
        rig_edit(w->rig, RIG_MAP, map, "{'data':{'seat-hold':'24h'}}");
    }
    for (int i = 0; i < size && !is_full(w); i++) {
        add(w, x);
    }
}

static void edit_pods(struct world *w, const char *patch)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (o->kind == RIG_POD && is_of(o, "hostile")) {
            rig_edit(w->rig, RIG_POD, o->key, "%s", patch);
        }
    }
}

static void open_gates(struct world *w)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (o->kind == RIG_POD && is_of(o, "hostile") && o->pod->foreign_gate) {
            rig_edit(w->rig, RIG_POD, o->key, "{'spec':{'schedulingGates':null}}");
        }
    }
}

static bool is_binding(const struct world *w)
{
    for (int i = 0; i < WORLD_HOSTILE_GROUPS; i++) {
        char key[64];
        snprintf(key, sizeof key, "hostile/%s", hostile_group[i]);
        if (strcmp(rig_state(w->rig, key), "Binding") == 0) {
            return true;
        }
    }
    return false;
}

/* Bindings are slow. Members go between the point of no return and their Binding. */
static void delete_while_binding(struct world *w)
{
    struct rig_write *one, *next;
    add_gang(w, (struct intruder){.claim = NO_CLAIM});
    w->rig->hold_kind = SKR_WRITE_BINDING;
    for (int i = 0; i < 400 && !is_binding(w) && rig_step(w->rig); i++) {
    }
    rig_advance(w->rig, w->rig->now + w->rig->settings.plan_delay);
    for (int i = 0; i < 400 && !is_binding(w) && rig_step(w->rig); i++) {
    }
    if (is_binding(w)) {
        struct rig_object *o, *tmp;
        uint32_t chance = 1 + world_pick(w, 3);
        DL_FOREACH_SAFE(w->rig->list, o, tmp)
        {
            if (o->kind == RIG_POD && is_of(o, "hostile") && !*o->pod->node_name &&
                world_pick(w, 3) < chance) {
                rig_remove(w->rig, o->key);
            }
        }
    }
    w->rig->hold_kind = SKR_WRITE_KIND_COUNT;
    DL_FOREACH_SAFE(w->rig->writes, one, next)
    {
        one->held = false;
    }
}

/* A claim that was missing or late is there, or goes again. */
static void change_claim(struct world *w)
{
    char key[64];
    uint32_t which = MISSING + world_pick(w, CLAIMS - MISSING);
    snprintf(key, sizeof key, "hostile/%s", claim[which].name);
    rig_claim(w->rig, key, world_pick(w, 2) ? RIG_CLAIM_BOUND : claim[which].state);
}

static void create_claims(struct world *w)
{
    for (size_t i = 0; i < CLAIMS && !w->has_claims; i++) {
        char key[64];
        snprintf(key, sizeof key, "hostile/%s", claim[i].name);
        rig_claim(w->rig, key, claim[i].state);
    }
    w->has_claims = true;
}

/* ---- costly objects ---- */

/* Each node has devices that differ, so that a selector that reads their uuid is evaluated about each. */
static void create_devices(struct world *w)
{
    struct rig_object *o, *next;
    if (rig_find(w->rig, RIG_CLASS, "gpu")) {
        return;
    }
    rig_create_json(w->rig, RIG_CLASS, "gpu",
                    "{'metadata':{},'spec':{'selectors':[{'cel':{'expression':"
                    "'device.driver == \\'gpu.example.com\\''}}]}}");
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (o->kind == RIG_NODE) {
            rig_create_json(w->rig, RIG_SLICE, o->key,
                            "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeName':'%s',"
                            "'pool':{'name':'%s','generation':1,'resourceSliceCount':1},'devices':"
                            "[{'name':'g','attributes':{'uuid':{'string':'%s'}}}]}}",
                            o->key, o->key, o->key);
        }
    }
}

/* An object of the hostile namespace instead of the one of that name. spec: JSON of its own. */
static void replace(struct world *w, enum rig_kind kind, const char *key, const char *spec)
{
    if (rig_find(w->rig, kind, key)) {
        rig_delete(w->rig, kind, key);
    }
    rig_create_json(w->rig, kind, key, "{'metadata':{},'spec':%s}", spec);
}

/* Distinct claims and templates of many selectors; pods name some of them. */
static void add_costly(struct world *w, struct intruder x)
{
    static const char *const name[] = {"costly-0", "costly-1", "costly-2"};
    const char *which = name[world_pick(w, 3)];
    const bool full = world_pick(w, 4) == 0; /* as many as the API server admits by cost */
    const int requests = full ? 8 : 4, selectors = full ? 32 : 16;
    char key[64];
    SKR_STRBUF(devices);
    SKR_STRBUF(template);
    skr_strbuf_add(&devices, "{'devices':{'requests':[");
    for (int r = 0; r < requests; r++) {
        skr_strbuf_addf(&devices,
                        "%s{'name':'r%d','exactly':{'deviceClassName':'gpu','selectors':[",
                        r > 0 ? "," : "", r);
        for (int i = 0; i < selectors; i++) {
            skr_strbuf_addf(&devices,
                            "%s{'cel':{'expression':'device.attributes[\\'gpu.example.com\\'].uuid"
                            " != \\'%d-%d-%d\\''}}",
                            i > 0 ? "," : "", w->pods, r, i);
        }
        skr_strbuf_add(&devices, "]}}");
    }
    skr_strbuf_add(&devices, "]}}");
    skr_strbuf_addf(&template, "{'spec':%s}", devices.s);
    snprintf(key, sizeof key, "hostile/%s", which);
    create_devices(w);
    replace(w, RIG_DEVICE_CLAIM, key, devices.s);
    replace(w, RIG_CLAIM_TEMPLATE, key, template.s);
    if (world_pick(w, 2)) {
        x.devices = which;
        add_gang(w, x);
    }
}

static void come(struct world *w)
{
    struct intruder x = {.claim = NO_CLAIM};
    switch (world_pick(w, 9)) {
    case 8:
        add_costly(w, x);
        break;
    case 0: /* the daemon knows the pod when its gate goes: open_gates() */
        x.claim = world_pick(w, 2) ? UNPROVISIONED : LATE;
        x.other_gate = world_pick(w, 2);
        add_singles(w, x);
        break;
    case 1:
        x.claim = world_pick(w, 3) ? NEVER : MISSING;
        x.priority = (int)world_pick(w, 3) * 1000;
        add_singles(w, x);
        break;
    case 2:
        x.claim = ELSEWHERE;
        add_gang(w, x);
        break;
    case 3:
        x.claim = world_pick(w, 2) ? NEVER : MISSING;
        add_gang(w, x);
        break;
    case 4:
        x.claim = world_pick(w, 2) ? UNPROVISIONED : LATE;
        add_gang(w, x);
        break;
    case 5:
        x.stays = world_pick(w, 2);
        x.endless = !x.stays || world_pick(w, 2);
        add_gang(w, x);
        break;
    case 6:
        x.priority = (int)world_pick(w, 2) * 1000;
        add_singles(w, x);
        break;
    default:
        add_gang(w, x);
        break;
    }
}

/* The number takes the place of %d. */
static void write_edit(char *text, size_t size, const char *edit, int number)
{
    const size_t at = (size_t)(strchr(edit, '%') - edit);
    snprintf(text, size, "%.*s%d%s", (int)at, edit, number, edit + at + 2);
}

/* Again and again: what the daemon writes into its maps, and on its members. It costs
 * no other tenant more than the law says. */
static void overwrite(struct world *w)
{
    enum { EDITS = 20, EDIT_MS = 50 };
    char key[64];
    snprintf(key, sizeof key, "hostile/%s", hostile_group[world_pick(w, WORLD_HOSTILE_GROUPS)]);
    static const char *const what[] = {"{'metadata':{'annotations':{'sakkara.plan':'mine %d'}}}",
                                       "{'data':{'status':'mine %d'}}",
                                       "{'metadata':{'annotations':{'sakkara.seats':'%d'}}}",
                                       "{'metadata':{'annotations':{'sakkara.reservation':'%d'}}}",
                                       "{'metadata':{'annotations':{'sakkara.pauses':'%d'}}}",
                                       "{'data':{'conditions':'%d','plannedStart':'never'}}"};
    const char *edit = what[world_pick(w, sizeof what / sizeof *what)];
    for (int i = 0; i < EDITS; i++) {
        if (!rig_find(w->rig, RIG_MAP, key)) {
            return;
        }
        char text[120];
        write_edit(text, sizeof text, edit, i);
        rig_edit(w->rig, RIG_MAP, key, "%s", text);
        edit_pods(w, "{'metadata':{'labels':{'sakkara.member.status':'mine'}}}");
        world_run(w, EDIT_MS * SKR_MILLISECOND);
    }
}

void tenants_attack(struct world *w)
{
    create_claims(w);
    switch (is_full(w) ? 4 : world_pick(w, 16)) {
    case 0:
        open_gates(w);
        break;
    case 1:
    case 2: /* seats are held for the others */
        remove_pods(w, hostile_group[world_pick(w, WORLD_HOSTILE_GROUPS)], true);
        break;
    case 3:
        remove_pods(w, hostile_group[world_pick(w, WORLD_HOSTILE_GROUPS)], false);
        break;
    case 4:
        remove_pods(w, NULL, false);
        if (is_full(w) || world_pick(w, 2)) {
            edit_pods(w, "{'metadata':{'finalizers':null}}");
        }
        break;
    case 5:
        delete_while_binding(w);
        break;
    case 6:
        change_claim(w);
        break;
    case 7:
        overwrite(w);
        break;
    case 8:
    case 9:
        words_give(w);
        break;
    case 10:
        words_break(w);
        break;
    default:
        come(w);
        break;
    }
}

void tenants_end(struct world *w)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (is_of(o, "hostile")) {
            rig_delete(w->rig, o->kind, o->key);
        }
    }
    w->tenants = w->siege = false;
}

/* ---- honest ---- */

void tenants_clear(struct world *w)
{
    struct rig_object *o, *next;
    world_calm_down(w);
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        bool is_tree = o->kind == RIG_MAP && strcmp(o->key, "default/topology") == 0;
        if (is_of(o, "default") && !is_tree) {
            rig_delete(w->rig, o->kind, o->key);
        }
    }
    world_repair(w);
    if (!w->rig->settings.sampling_nodes_min) { /* as kube-scheduler does with so few nodes */
        w->rig->sample = 0;
    }
}

static void remove_honest(struct world *w, const char *group)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (o->kind == RIG_POD && is_of(o, "default") && strcmp(world_group_of(w, o), group) == 0) {
            rig_delete(w->rig, RIG_POD, o->key);
        }
    }
    if (rig_find(w->rig, RIG_MAP, group)) {
        rig_delete(w->rig, RIG_MAP, group);
    }
}

/* A gang of the honest tenant goes, or comes as a whole. */
static void change_honest(struct world *w)
{
    static const char *const rules[] = {NULL, "{'rack':{'type':'pack','hard':true}}",
                                        "{'node':{'max':1}}"};
    uint32_t which = world_pick(w, WORLD_HONEST_GROUPS);
    const char *group = world_group[which];
    const bool there = rig_find(w->rig, RIG_MAP, group);
    const int size = 1 + (int)world_pick(w, MEMBERS_MAX);
    w->fits_since[which] = 0;
    remove_honest(w, group);
    if (there && world_pick(w, 3)) {
        return;
    }
    rig_group(w->rig, group, size, (int)world_pick(w, 4), rules[world_pick(w, 3)]);
    const int flags = (world_pick(w, 2) ? RIG_GATED : 0) | (world_pick(w, 3) ? 0 : RIG_BIG);
    for (int i = 0; i < size; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%02d", w->pods++);
        rig_pod(w->rig, name, group, flags);
    }
}

static void begin_siege(struct world *w)
{
    tenants_clear(w);
    w->siege = true;
    w->overruns = w->rig->promises.overruns;
    words_run(w, SKR_SECOND);
}

void tenants_step(struct world *w)
{
    if (!w->siege) {
        begin_siege(w);
    }
    uint32_t x = world_pick(w, 10);
    if (x < 5) {
        tenants_attack(w);
    } else if (x < 8) {
        change_honest(w);
    }
    if (world_pick(w, 24) == 0) {
        siege_silence(w, (10 + world_pick(w, 50)) * SKR_SECOND);
    }
    const bool long_ = world_pick(w, 16) == 0;
    words_run(w, long_ ? (1 + world_pick(w, MINUTES_MAX)) * 60 * SKR_SECOND
                       : world_pick(w, 8) * SKR_SECOND);
}
