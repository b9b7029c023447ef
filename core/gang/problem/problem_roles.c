/* SPDX-License-Identifier: Apache-2.0 */
/* Adds roles and pinned members to a problem: see problem_roles.h. O(roles * (leaves + members)). */
#include "core/gang/problem/problem_roles.h"

#include "core/gang/cache/devices.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pod_walk.h"
#include "core/gang/cache/rules.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/pins.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/problem/node_open.h"
#include "core/gang/problem/pod_rules_gather.h"
#include "core/gang/problem/problem_attach.h"
#include "core/gang/problem/problem_caps.h"
#include "core/gang/problem/problem_devices.h"
#include "core/gang/problem/problem_volumes.h"
#include "topology/amount_text.h"

#include <string.h>
#include <utlist.h>

/* Whether a newcomer has a rule about pods, and a member has another shape. */
static bool selects_roles(const struct group *g, struct pod_entry *const *newcomers, size_t n)
{
    bool rules = false;
    for (size_t i = 0; i < n && !rules; i++) {
        const struct skr_pod_shape *spec = newcomers[i]->shape->spec;
        for (size_t r = 0; r < spec->n_rules && !skr_pins_is_pinned(spec); r++) {
            rules = rules || spec->rule[r].kind != SKR_POD_RULE_HOST_PORT;
        }
    }
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (rules && skr_pod_is_live(p->pod) && p->shape != newcomers[0]->shape) {
            return true;
        }
    }
    return false;
}

/* Roles may share different claims. */
static bool names_devices(const struct skr_pod *pod)
{
    size_t i = 0;
    while (i < pod->n_claims &&
           (pod->claim[i].kind != SKR_POD_CLAIM_DEVICES || pod->claim[i].made)) {
        i++;
    }
    return i < pod->n_claims;
}

bool skr_problem_by_roles(const struct group *g, struct pod_entry *const *newcomers, size_t n)
{
    const struct pod_entry *first = NULL;
    bool pins = skr_pins_count(newcomers, n);
    if (n == 0) {
        return false;
    }
    if (skr_roles_have_rules(g)) {
        return true;
    }
    for (size_t r = 0; r < g->roles.n; r++) {
        if (g->roles.item[r].minimum < g->roles.item[r].size) {
            return true;
        }
    }
    if (g->roles.n > 1 && selects_roles(g, newcomers, n)) {
        return true;
    }
    bool roles = false, shapes = false;
    for (size_t i = 0; i < n && g->roles.n > 1; i++) {
        shapes = shapes || names_devices(newcomers[i]->pod);
        if (pins && skr_pins_is_pinned(newcomers[i]->shape->spec)) {
            continue;
        }
        first = first ? first : newcomers[i];
        roles = roles || newcomers[i]->role != first->role;
        shapes = shapes || newcomers[i]->shape != first->shape;
    }
    return roles && shapes;
}

int64_t skr_problem_demand(const struct skr_gang *e, const struct shapes *shapes, uint16_t resource)
{
    int64_t most = 0;
    if (resource == SKR_RESOURCE_ABSENT) {
        return skr_shapes_absent(e, shapes).amount;
    }
    for (size_t i = 0; i < shapes->n; i++) {
        int64_t amount = skr_amounts_get(&shapes->item[i]->amounts, resource);
        most = amount > most ? amount : most;
    }
    return most;
}

/* ---- building ---- */

/* A role of the group while its part of the problem is made. */
struct part {
    struct pod_entry **member; /* of the caps: newcomers, then running and pinned members */
    size_t n_members;
    struct pod_entry **newcomer;
    size_t n_newcomers;
    int32_t *claimed; /* [leaf] */
    int32_t *missing; /* [leaf] of claimed: members of running sets that are missing */
    int32_t n;        /* members to end with */
    int32_t n_claimed;
};

struct build {
    struct skr_gang *e;
    const struct group *g;
    const struct skr_problem_members *in;
    struct skr_arena *arena;
    const struct skr_tree *tree;
    bool equal; /* the members are one role */
    size_t n_parts;
    struct part part[SKR_ROLES_MAX]; /* [role of the group] */
    int32_t *claimed;                /* [leaf] of all */
    int32_t outside;
    struct skr_request_roles *map;
    struct skr_cap_members member[SKR_ROLES_MAX]; /* [role of the problem] */
    struct skr_pod_rules_roles rule_roles;
    struct skr_problem rules; /* those over domains, of all roles so far */
    struct skr_error *error;
};

static int no_room(const struct build *b)
{
    return skr_error_set(b->error, SKR_LIMIT, "group %s: the problem is too large", b->g->key);
}

static bool is_in(struct pod_entry *const *list, size_t n, const struct pod_entry *p)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == p) {
            return true;
        }
    }
    return false;
}

static int parts_create(struct build *b)
{
    size_t leaves = (size_t)b->tree->n_leaves;
    b->claimed = skr_arena_array(b->arena, leaves + 1, sizeof *b->claimed);
    for (size_t r = 0; r < b->n_parts; r++) {
        struct part *part = &b->part[r];
        size_t n = b->g->n_members + 1;
        part->member = skr_arena_array(b->arena, n, sizeof *part->member);
        part->newcomer = skr_arena_array(b->arena, n, sizeof *part->newcomer);
        part->claimed = skr_arena_array(b->arena, leaves + 1, sizeof *part->claimed);
        part->missing = skr_arena_array(b->arena, leaves + 1, sizeof *part->missing);
        if (!part->member || !part->newcomer || !part->claimed || !part->missing) {
            return no_room(b);
        }
    }
    return b->claimed ? 0 : no_room(b);
}

/* The node of a member that stays, or of a pinned newcomer; NULL: none. */
static const char *given_node(const struct build *b, const struct pod_entry *p)
{
    const struct skr_problem_members *in = b->in;
    return in->n < in->n_all && skr_pins_is_pinned(p->shape->spec) && is_in(in->all, in->n_all, p)
               ? skr_pins_node(b->e, p->shape->spec)
               : skr_membership_claim_node(b->g, p, in->all, in->n_all);
}

static void sort_members(struct build *b)
{
    struct pod_entry *p;
    for (size_t i = 0; i < b->in->n; i++) {
        struct part *part = &b->part[b->equal ? 0 : b->in->newcomers[i]->role];
        part->newcomer[part->n_newcomers++] = b->in->newcomers[i];
        part->member[part->n_members++] = b->in->newcomers[i];
        part->n++;
    }
    DL_FOREACH(b->g->members, p)
    {
        const char *node = given_node(b, p);
        const int32_t leaf = node ? skr_tree_find_leaf(b->tree, node) : -1;
        const size_t role = b->equal ? 0 : p->role;
        if (leaf < 0) {
            b->outside += !!node;
            continue;
        }
        b->claimed[leaf]++;
        if (role < b->n_parts) {
            struct part *part = &b->part[role];
            part->member[part->n_members++] = p;
            part->claimed[leaf]++;
            part->n_claimed++;
            part->n++;
        }
    }
}

/* ---- sets ---- */

/* One set of a kind, from its members. */
struct set {
    int32_t unit; /* where it runs; -1: it does not */
    int32_t leaf; /* of one of its running members */
    int32_t have[SKR_ROLES_MAX];
    bool used;
};

static int note_member(const struct build *b, struct set *set, const struct pod_entry *p,
                       int32_t leaf, int32_t level)
{
    set->used = true;
    set->have[p->role]++;
    if (leaf < 0) {
        return 0;
    }
    int32_t unit = skr_tree_unit_at(b->tree, leaf, level);
    if (set->unit >= 0 && set->unit != unit) {
        return skr_error_set(b->error, SKR_CONFLICT,
                             "group %s: set %d runs in %s and in %s, it must be in one %s",
                             b->g->name, (int)p->set, b->tree->unit_name[set->unit],
                             b->tree->unit_name[unit], b->tree->level_name[level]);
    }
    set->unit = unit;
    set->leaf = leaf;
    return 0;
}

/* Claims what a running set lacks without a newcomer, beside one of its members. */
static void claim_missing(struct build *b, const struct set *set, size_t kind)
{
    for (size_t r = 0; r < b->g->roles.n; r++) {
        const struct role *role = &b->g->roles.item[r];
        int32_t more = role->kind == (int32_t)kind ? role->each - set->have[r] : 0;
        if (more > 0 && set->unit >= 0) {
            b->part[r].claimed[set->leaf] += more;
            b->part[r].missing[set->leaf] += more;
            b->part[r].n_claimed += more;
            b->part[r].n += more;
        }
    }
}

/* Sets that run nowhere in the tree come as wholes. One of which some members are on nodes outside
 * the tree lacks these, so the counts of the roles do not say how many sets there are. */
static int check_whole(const struct build *b, const struct set *set, int32_t number, size_t kind)
{
    for (size_t r = 0; r < b->g->roles.n && set->used && set->unit < 0; r++) {
        const struct role *role = &b->g->roles.item[r];
        if (role->kind == (int32_t)kind && b->part[r].n > 0 && set->have[r] < role->each) {
            return skr_error_set(
                b->error, SKR_CONFLICT,
                "group %s: set %d has %d of %d members of role %s to place, and no "
                "node of the set is in the tree; add its nodes, or delete its pods",
                b->g->name, (int)number, (int)set->have[r], (int)role->each, role->name);
        }
    }
    return 0;
}

static int add_kind(struct build *b, size_t kind, const struct skr_resolved_set *resolved,
                    struct skr_set_kind *ret, bool *ret_used)
{
    int32_t sets = resolved->count, level = resolved->level;
    struct set *set = skr_arena_array(b->arena, (size_t)sets + 1, sizeof *set);
    int32_t *alive = skr_arena_array(b->arena, (size_t)b->tree->n_units + 1, sizeof *alive);
    int rc = set && alive ? 0 : no_room(b);
    for (int32_t s = 0; rc == 0 && s < sets; s++) {
        set[s].unit = -1;
    }
    for (size_t r = 0; rc == 0 && r < b->g->roles.n; r++) {
        for (size_t i = 0; rc == 0 && i < b->part[r].n_members; i++) {
            struct pod_entry *p = b->part[r].member[i];
            if (b->g->roles.item[r].kind == (int32_t)kind && p->set >= 0 && p->set < sets) {
                const char *node = i < b->part[r].n_newcomers ? NULL : given_node(b, p);
                rc = note_member(b, &set[p->set], p, node ? skr_tree_find_leaf(b->tree, node) : -1,
                                 level);
            }
        }
    }
    *ret = (struct skr_set_kind){.level = level, .exclusive = resolved->exclusive, .alive = alive};
    *ret_used = false;
    for (int32_t s = 0; rc == 0 && s < sets; s++) {
        *ret_used = *ret_used || set[s].used;
        if (set[s].unit >= 0) {
            alive[set[s].unit]++;
            claim_missing(b, &set[s], kind);
        }
    }
    for (int32_t s = 0; rc == 0 && s < sets; s++) {
        rc = check_whole(b, &set[s], s, kind);
    }
    return rc;
}

/* Each of a kind by role of the problem. */
static int add_sets(struct build *b, struct skr_roles *roles)
{
    const struct skr_group_spec *spec = b->g->spec;
    struct skr_group_role role[SKR_ROLES_MAX];
    struct skr_resolved_set resolved[SKR_SET_KINDS_MAX];
    struct skr_set_kind *kind = skr_arena_array(b->arena, SKR_SET_KINDS_MAX, sizeof *kind);
    if (!kind) {
        return no_room(b);
    }
    roles->kind = kind;
    if (spec->n_sets == 0) {
        return 0;
    }
    for (size_t r = 0; r < b->g->roles.n; r++) {
        const struct role *have = &b->g->roles.item[r];
        role[r] = (struct skr_group_role){have->name, have->size, have->minimum};
    }
    skr_group_resolve_sets(spec, role, b->g->roles.n, b->tree, resolved);
    for (size_t k = 0; k < spec->n_sets; k++) {
        bool used;
        if (resolved[k].level <= 0) {
            continue; /* the group is malformed: it is not planned */
        }
        int rc = add_kind(b, k, &resolved[k], &kind[roles->n_kinds], &used);
        if (rc < 0) {
            return rc;
        }
        if (used) {
            b->map->kind[roles->n_kinds++] = (uint8_t)k;
        }
    }
    return 0;
}

/* ---- one role ---- */

/* A part without newcomers takes none. */
static int open_leaves(struct build *b, const struct part *part, struct skr_role *role)
{
    size_t leaves = (size_t)b->tree->n_leaves;
    uint8_t *eligible = skr_arena_alloc(b->arena, leaves + 1);
    struct node_entry *const *leaf = skr_topology_leaf_nodes(b->e);
    struct skr_pod_rules_roles *roles = b->equal ? NULL : &b->rule_roles;
    const uint32_t self = b->equal ? 0 : UINT32_C(1) << b->rule_roles.self;
    const size_t n = part->n_newcomers;
    struct shapes shapes = skr_shapes_of(part->newcomer, n);
    if (!eligible) {
        return no_room(b);
    }
    for (size_t i = 0; i < leaves && (n > 0 || b->equal); i++) {
        eligible[i] = skr_node_open(b->e, b->g, &shapes, leaf[i], b->in->probed_only);
    }
    b->rules.emptied = NULL;
    if (n > 0 &&
        (!skr_pod_rules_apply(b->e, part->newcomer, n, roles, b->arena, eligible, &b->rules) ||
         !skr_problem_volumes_reach(b->e, part->newcomer, n, self, b->arena, eligible,
                                    &b->rules))) {
        return no_room(b);
    }
    role->eligible = eligible;
    role->emptied = b->rules.emptied;
    return 0;
}

/* Of those that all roles want, which is a resource of its own: places if their devices are the same, else devices. */
static int64_t joint_demand(const struct build *b, const struct part *part)
{
    struct device_needs *all = skr_devices_needs(b->e, b->in->newcomers, b->in->n);
    struct device_needs *needs = skr_devices_needs(b->e, part->newcomer, part->n_newcomers);
    const int64_t ret = !needs ? 0 : all && all->n > 1 ? skr_devices_least(needs) : 1;
    skr_devices_needs_unref(b->e, all);
    skr_devices_needs_unref(b->e, needs);
    return ret;
}

/* What the role needs, and its own rules. */
static int describe_role(struct build *b, size_t r, const struct skr_solve_request *request,
                         struct skr_role *ret)
{
    const struct part *part = &b->part[r];
    const struct role *role = &b->g->roles.item[r];
    size_t levels = (size_t)b->tree->n_levels, n = request->problem.n_resources;
    int64_t *demand = skr_arena_array(b->arena, n + 1, sizeof *demand);
    struct skr_rule *rule = skr_arena_array(b->arena, levels + 1, sizeof *rule);
    uint8_t *has_rule = skr_arena_array(b->arena, levels + 1, sizeof *has_rule);
    struct shapes shapes = skr_shapes_of(part->newcomer, part->n_newcomers);
    if (!demand || !rule || !has_rule) {
        return no_room(b);
    }
    for (size_t i = 0; i < n && part->n_newcomers > 0; i++) {
        const size_t first =
            n - request->n_learned; /* of those, one for each role and one for all */
        const size_t attached = first - request->drivers.n;
        demand[i] = i < attached ? skr_problem_demand(b->e, &shapes, request->resource[i])
                    : i < first
                        ? skr_problem_attach_demand(b->e, request->drivers.driver[i - attached],
                                                    part->newcomer, part->n_newcomers, b->in->all,
                                                    b->in->n_all, b->in->probed_only)
                    : request->n_learned > 1
                        ? (i - first == b->g->roles.n ? joint_demand(b, part) : i - first == r)
                        : 1;
    }
    skr_rules_of(b->g, role->name, b->tree, rule, has_rule);
    const bool own = role->named && memchr(has_rule, 1, levels);
    int32_t least = role->minimum < role->size ? role->minimum : part->n;
    least = least < part->n_claimed ? part->n_claimed : least;
    least = least > part->n ? part->n : least;
    *ret = (struct skr_role){.name = skr_arena_strdup(b->arena, role->name),
                             .n = part->n,
                             .minimum = least > 0 ? least : 1,
                             .demand = demand,
                             .claimed = part->claimed,
                             .rule = own ? rule : NULL,
                             .has_rule = own ? has_rule : NULL};
    return ret->name ? 0 : no_room(b);
}

static int add_caps(struct build *b, struct skr_roles *roles)
{
    struct skr_role_cap *cap = skr_arena_array(b->arena, SKR_ROLE_CAPS_MAX, sizeof *cap);
    if (!cap) {
        return no_room(b);
    }
    roles->cap = cap;
    roles->n_caps = skr_problem_caps(b->e, b->member, roles->n_roles, cap);
    return 0;
}

/* Roles without a member are not in the problem. */
static void number_roles(struct build *b, struct skr_roles *roles)
{
    for (size_t r = 0; r < b->n_parts; r++) {
        const struct part *part = &b->part[r];
        if (part->n > 0 || b->equal) {
            b->member[roles->n_roles] = (struct skr_cap_members){part->member, part->n_members};
            b->map->missing[roles->n_roles] = part->missing;
            b->map->role[roles->n_roles++] = (uint8_t)r;
        }
    }
    b->rule_roles = (struct skr_pod_rules_roles){
        .member = b->member, .n = roles->n_roles, .all = b->in->all, .n_all = b->in->n_all};
}

/* ---- pinned newcomers ---- */

/* The held seat without which the pod would fit, or the pod that uses most of the resource there. */
static void say_holder(const struct skr_gang *e, const char *node, uint16_t resource,
                       int64_t missing, struct skr_strbuf *b)
{
    struct pod_walk p = {0};
    struct pod_ref holder = {0};
    int64_t most = 0;
    while (skr_pod_walk_next(e, &p)) {
        const char *at = *p.node ? p.node : p.entry && p.entry->plan ? p.entry->place.node : "";
        int64_t amount = skr_amounts_get(&p.shape->amounts, resource);
        if (amount > most && strcmp(at, node) == 0) {
            most = amount;
            holder = skr_pod_walk_ref(&p);
        }
    }
    const struct group *by;
    const struct seat_hold *seat = skr_seat_holds_most(e, node, resource, &by);
    if (seat && skr_amounts_get(&seat->shape->amounts, resource) >= missing) {
        skr_strbuf_addf(b, "; a seat is held there for a replacement in group %s", by->key);
    } else if (most > 0) {
        skr_strbuf_add(b, "; pod ");
        skr_pod_ref_add_key(e, holder, b);
        skr_strbuf_add(b, " uses most of it");
    }
}

static int full(const struct skr_gang *e, const struct group *g, const struct pod_entry *p,
                const char *node, const struct skr_solve_request *request, size_t r, int64_t room,
                struct skr_error *error)
{
    SKR_STRBUF(b);
    const char *resource = request->resource_name[r];
    skr_strbuf_addf(&b, "group %s: pod %s must run on node %s, which has ", g->name,
                    p->pod->meta.name, node);
    skr_amount_add(&b, resource, room > 0 ? room : 0);
    skr_strbuf_add(&b, " free, it needs ");
    int64_t want = skr_amounts_get(&p->shape->amounts, request->resource[r]);
    skr_amount_add(&b, resource, want);
    say_holder(e, node, request->resource[r], want - room, &b);
    return skr_error_set(error, SKR_GONE, "%s", b.s);
}

static int pin(struct skr_gang *e, const struct group *g, const struct pod_entry *p,
               const struct skr_solve_request *request, int64_t *free_, struct skr_error *error)
{
    struct pod_entry *one[] = {(struct pod_entry *)(uintptr_t)p};
    const struct shapes shapes = skr_shapes_of(one, 1);
    const char *node = skr_pins_node(e, p->shape->spec);
    int32_t leaf = node ? skr_tree_find_leaf(request->tree, node) : -1;
    if (leaf < 0) {
        return skr_error_set(error, SKR_GONE, "group %s: pod %s must run on node %s, which %s",
                             g->name, p->pod->meta.name,
                             node ? node : skr_pins_said(p->shape->spec),
                             node ? "is not in the tree" : "does not exist");
    }
    const struct node_entry *entry = skr_nodes_find(e, node);
    if (!skr_node_open(e, g, &shapes, entry, false)) {
        SKR_STRBUF(why);
        skr_pod_shape_say_ineligible(p->shape->spec, entry->node, &why);
        return skr_error_set(error, SKR_GONE,
                             "group %s: pod %s must run on node %s, which is closed to it%s%s%s",
                             g->name, p->pod->meta.name, node, why.len ? " (" : "",
                             why.len ? why.s : "", why.len ? ")" : "");
    }
    size_t n = request->problem.n_resources;
    for (size_t r = 0; r < n - request->n_learned; r++) {
        int64_t *room = &free_[(size_t)leaf * n + r];
        int64_t want = skr_problem_demand(e, &shapes, request->resource[r]);
        if (want > 0 && *room < want) {
            return full(e, g, p, node, request, r, *room, error);
        }
        *room = skr_room_plus(*room, -want);
    }
    return 0;
}

/* Takes the room of pinned newcomers from free_. SKR_GONE: the node is full, closed or unknown; the text says so. */
static int pin_all(const struct build *b, const struct skr_solve_request *request, int64_t *free_)
{
    int rc = 0;
    for (size_t i = 0; b->in->n < b->in->n_all && i < b->in->n_all && rc == 0; i++) {
        const struct pod_entry *p = b->in->all[i];
        rc = skr_pins_is_pinned(p->shape->spec) ? pin(b->e, b->g, p, request, free_, b->error) : 0;
    }
    return rc;
}

/* ---- the whole ---- */

/* The leaves that are open to any role. */
static const uint8_t *unite(const struct build *b, const struct skr_roles *roles)
{
    uint8_t *eligible = skr_arena_alloc(b->arena, (size_t)b->tree->n_leaves + 1);
    for (int32_t i = 0; i < b->tree->n_leaves && eligible; i++) {
        for (size_t r = 0; r < roles->n_roles; r++) {
            eligible[i] = eligible[i] || roles->role[r].eligible[i];
        }
    }
    return eligible;
}

int skr_problem_add_members(struct skr_gang *e, const struct group *g,
                            const struct skr_problem_members *in, int64_t *free_,
                            struct skr_solve_request *request, struct skr_error *error)
{
    struct skr_problem *problem = &request->problem;
    const bool equal = !skr_problem_by_roles(g, in->all, in->n_all);
    struct build b = {.e = e,
                      .g = g,
                      .in = in,
                      .arena = request->arena,
                      .tree = request->tree,
                      .equal = equal,
                      .n_parts = equal ? 1 : g->roles.n,
                      .rules = {.tree = request->tree},
                      .map = skr_arena_array(request->arena, 1, sizeof *b.map),
                      .error = error};
    struct skr_roles *roles = skr_arena_array(b.arena, 1, sizeof *roles);
    struct skr_role *role = skr_arena_array(b.arena, SKR_ROLES_MAX, sizeof *role);
    if (!b.map || !roles || !role) {
        return no_room(&b);
    }
    int rc = pin_all(&b, request, free_);
    rc = rc == 0 ? parts_create(&b) : rc;
    if (rc < 0) {
        return rc;
    }
    sort_members(&b);
    rc = equal ? 0 : add_sets(&b, roles);
    number_roles(&b, roles);
    b.map->n = roles->n_roles;
    roles->role = role;
    problem->n = 0;
    for (size_t i = 0; i < roles->n_roles && rc == 0; i++) {
        const size_t r = b.map->role[i];
        problem->n += b.part[r].n;
        b.rule_roles.self = i;
        rc = equal ? 0 : describe_role(&b, r, request, &role[i]);
        rc = rc == 0 ? open_leaves(&b, &b.part[r], &role[i]) : rc;
        for (size_t k = 0; k < roles->n_kinds; k++) {
            ((struct skr_set_kind *)(uintptr_t)roles->kind)[k].each[i] =
                g->roles.item[r].kind == b.map->kind[k] ? g->roles.item[r].each : 0;
        }
    }
    problem->claimed = b.rules.claimed = b.claimed;
    const int32_t stay = problem->n - (int32_t)(equal ? in->n_all : in->n);
    if (rc == 0 && !skr_problem_devices_bind(e, g, in->newcomers, in->n, stay, equal ? NULL : b.map,
                                             b.arena, &b.rules)) {
        rc = no_room(&b);
    }
    rc = rc == 0 && !equal ? add_caps(&b, roles) : rc;
    problem->domain_rule = b.rules.domain_rule;
    problem->n_domain_rules = b.rules.n_domain_rules;
    problem->eligible = rc == 0 ? unite(&b, roles) : NULL;
    problem->emptied = role->emptied;
    problem->roles = equal ? NULL : roles;
    request->roles = equal ? request->roles : b.map;
    request->outside = b.outside;
    return rc < 0 || problem->eligible ? rc : no_room(&b);
}
