/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/engine_world_roles.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/json_fast.h"

/* Ranks of the group with the key: leader 0, workers 1 and 2. Those of the sets: leader 0, worker 1,
 * leader 2, worker 3. */
enum { LEADER, WORKER, STRANGER, ROLES };
static const char *const role_name[ROLES] = {"leader", "worker", "stranger"};

struct keyed {
    int size[STRANGER], ranks;
    int role[4], set[4]; /* [rank] */
    const char *roles, *rules;
};
static const struct keyed plain = {
    .size = {1, 2},
    .ranks = 3,
    .role = {LEADER, WORKER, WORKER},
    .set = {-1, -1, -1},
    .roles = "{\\'leader\\':{\\'size\\':1},\\'worker\\':{\\'size\\':2}}",
};
static const struct keyed in_sets = {
    .size = {2, 2},
    .ranks = 4,
    .role = {LEADER, WORKER, LEADER, WORKER},
    .set = {0, 0, 1, 1},
    .roles = "{\\'leader\\':{\\'size\\':2},\\'worker\\':{\\'size\\':2}}",
    .rules = "{\\'sets\\':[{\\'level\\':\\'rack\\',\\'roles\\':{\\'leader\\':1,\\'worker\\':1}}]}",
};

static const struct keyed *keyed_of(const struct world *w, const char *group)
{
    return !w->roles                                      ? NULL
           : strcmp(group, world_group[ROLES_KEYED]) == 0 ? &plain
           : strcmp(group, world_group[ROLES_SETS]) == 0  ? &in_sets
                                                          : NULL;
}

bool world_roles_are_keyed(const struct world *w, const char *group)
{
    return keyed_of(w, group);
}

const char *world_roles_rules(const struct world *w, const char *group)
{
    const struct keyed *k = keyed_of(w, group);
    return k ? k->rules : NULL;
}

void world_roles_make_map(struct world *w, const char *group, int size, int priority,
                          const char *constraints)
{
    const struct keyed *k = keyed_of(w, group);
    SKR_STRBUF(rules);
    if (!k) {
        rig_group(w->rig, group, size, priority, constraints);
        return;
    }
    for (const char *c = constraints ? constraints : "{}"; *c; c++) {
        skr_strbuf_addf(&rules, "%s%c", *c == '\'' ? "\\" : "", *c);
    }
    rig_create_json(w->rig, RIG_MAP, group,
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'%s','size':'%d',"
                    "'priority':'%d','roles':'%s','constraints':'%s'}}",
                    group, k->ranks, priority, k->roles, k->rules ? k->rules : rules.s);
}

void world_roles_of_map(struct world *w, const char *map, const char *group)
{
    const struct keyed *k = keyed_of(w, group);
    if (!k || !rig_find(w->rig, RIG_MAP, map)) {
        return;
    }
    rig_edit(w->rig, RIG_MAP, map, "{'data':{'name':'%s','size':'%d','roles':'%s'%s%s%s}}", group,
             k->ranks, k->roles, k->rules ? ",'constraints':'" : "", k->rules ? k->rules : "",
             k->rules ? "'" : "");
}

void world_roles_of_pod(struct world *w, const char *pod, const char *group)
{
    const struct keyed *k = keyed_of(w, group);
    bool named = w->roles && strcmp(group, world_group[ROLES_NAMED]) == 0;
    uint32_t x = k || named ? world_pick(w, 24) : 0;
    if (k) {
        bool leader = x * (uint32_t)k->ranks < 23 * (uint32_t)k->size[LEADER];
        rig_edit(w->rig, RIG_POD, pod, "{'metadata':{'annotations':{'sakkara.group.role':'%s'}}}",
                 role_name[x == 23  ? STRANGER
                           : leader ? LEADER
                                    : WORKER]);
    } else if (named && x < 16) {
        rig_edit(w->rig, RIG_POD, pod, "{'metadata':{'annotations':{'sakkara.group.role':'%s'}}}",
                 role_name[x < 6 ? LEADER : WORKER]);
    }
}

void world_roles_begin(struct world *w)
{
    w->roles = true;
    for (int i = ROLES_KEYED; i <= ROLES_SETS; i += ROLES_SETS - ROLES_KEYED) {
        world_roles_make_map(w, world_group[i], 1, 0, NULL);
    }
}

/* ---- laws ---- */

static int role_of(const struct world *w, const struct rig_object *pod)
{
    const char *name = rig_annotation(w->rig, RIG_POD, pod->key, "sakkara.group.role");
    return strcmp(name, role_name[LEADER]) == 0   ? LEADER
           : strcmp(name, role_name[WORKER]) == 0 ? WORKER
                                                  : STRANGER;
}

static bool is_of(const struct world *w, const struct rig_object *o, const char *group)
{
    return o->kind == RIG_POD && strcmp(world_group_of(w, o), group) == 0 &&
           skr_pod_is_live(o->pod);
}

static int rack_of(const json_t *tree, const char *node)
{
    const char *rack;
    json_t *nodes;
    int at = 0;
    json_object_foreach((json_t *)(uintptr_t)tree, rack, nodes)
    {
        if (json_object_get(nodes, node)) {
            return at;
        }
        at++;
    }
    return -1;
}

static void check_member(struct world *w, const struct keyed *k, const struct rig_object *o,
                         const struct rig_object **holder)
{
    const char *text = rig_label(w->rig, o->key, "sakkara.member.rank");
    const int role = role_of(w, o), rank = *text ? atoi(text) : -1;
    if (role == STRANGER) {
        rig_fail(w->rig, "%s has no role of its group and is bound", o->key);
    }
    if (rank < 0) { /* the label is on its way */
        return;
    }
    if (rank >= k->ranks || k->role[rank] != role) {
        rig_fail(w->rig, "%s, a %s, has rank %d", o->key, role_name[role], rank);
    } else if (holder[rank]) {
        rig_fail(w->rig, "%s and %s have rank %d", o->key, holder[rank]->key, rank);
    } else {
        holder[rank] = o;
    }
}

static void check_sets(struct world *w, const struct keyed *k, const struct rig_object **holder)
{
    const char *text = rig_key(w->rig, "topology", "tree");
    json_auto_t *tree = w->tree_changed ? NULL : json_fast_read(text, strlen(text), NULL);
    for (int i = 0; tree && i < k->ranks; i++) {
        for (int j = 0; j < i; j++) {
            if (k->set[i] < 0 || k->set[i] != k->set[j] || !holder[i] || !holder[j]) {
                continue;
            }
            int a = rack_of(tree, holder[i]->pod->node_name),
                b = rack_of(tree, holder[j]->pod->node_name);
            if (a >= 0 && b >= 0 && a != b) {
                rig_fail(w->rig, "set %d runs in two racks: %s on %s, %s on %s", k->set[i],
                         holder[i]->key, holder[i]->pod->node_name, holder[j]->key,
                         holder[j]->pod->node_name);
            }
        }
    }
}

static void check_group(struct world *w, const char *group, const struct keyed *k)
{
    const struct rig_object *holder[4] = {0}, *o;
    int bound[ROLES] = {0};
    DL_FOREACH(w->rig->list, o)
    {
        if (is_of(w, o, group) && *o->pod->node_name) {
            bound[role_of(w, o)]++;
            check_member(w, k, o, holder);
        }
    }
    for (int r = 0; r < STRANGER; r++) {
        if (bound[r] > k->size[r]) {
            rig_fail(w->rig, "group %s: %d of %d %ss are bound", group, bound[r], k->size[r],
                     role_name[r]);
        }
    }
    check_sets(w, k, holder);
}

void world_roles_check(struct world *w)
{
    if (w->roles) {
        check_group(w, world_group[ROLES_KEYED], &plain);
        check_group(w, world_group[ROLES_SETS], &in_sets);
    }
}

void world_roles_check_mended(struct world *w, const char *group)
{
    const struct keyed *k = keyed_of(w, group);
    const struct rig_object *o;
    int live[ROLES] = {0}, bound[ROLES] = {0}, jobs = 0;
    bool whole = true;
    DL_FOREACH(w->rig->list, o)
    {
        if (is_of(w, o, group)) {
            live[role_of(w, o)]++;
            bound[role_of(w, o)] += *o->pod->node_name != '\0';
            jobs |= *o->pod->controller_uid ? 1 : 2;
        }
    }
    for (int r = 0; r < STRANGER; r++) {
        whole = whole && live[r] >= k->size[r];
    }
    for (int r = 0; r < STRANGER && whole && jobs != 3;
         r++) { /* else: perhaps another generation */
        if (bound[r] < k->size[r]) {
            rig_fail(w->rig, "group %s: %d of %d live %ss are bound, size %d", group, bound[r],
                     live[r], role_name[r], k->size[r]);
        }
    }
    if (bound[LEADER] + bound[WORKER] > 0 &&
        strcmp(rig_key(w->rig, group, "status"), "Bound") != 0) {
        rig_fail(w->rig, "group %s: %d members are bound, status %s", group,
                 bound[LEADER] + bound[WORKER], rig_key(w->rig, group, "status"));
    }
}
