/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the solver's input: free room of each leaf, minus what single pods hold and the ledger does
 * not have (core/gang/cache/ordinary.h); the leaves eligible for every member's shape; the group's
 * present members and seats.
 *
 * Volumes that nodes attach are a resource for each driver (problem_attach.h). Numbers that refusals have
 * taught (core/gang/cache/vetoes.h), and those of devices (core/gang/cache/devices.h), are a resource more:
 * each member demands one, and a leaf has as many as it takes. With roles there is one such resource for
 * each role, and one for all together if their devices are the same.
 */
#include "core/gang/problem/problem.h"

#include "core/gang/cache/device_pools.h"
#include "core/gang/cache/device_shares.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/rules.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/cache/volumes.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/pins.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/group/window.h"
#include "core/gang/problem/fit.h"
#include "core/gang/problem/learned.h"
#include "core/gang/problem/paper.h"
#include "core/gang/problem/pod_rules.h"
#include "core/gang/problem/problem_attach.h"
#include "core/gang/problem/problem_devices.h"
#include "core/gang/problem/problem_roles.h"
#include "core/gang/problem/problem_volumes.h"

#include <string.h>
#include <utlist.h>

enum { PROBLEM_BYTES_MAX = 1 << 30 };

bool skr_problem_has_probes(struct skr_gang *e, const struct group *g,
                            struct pod_entry *const *newcomers, size_t n)
{
    struct shapes s = skr_shapes_of(newcomers, n);
    for (size_t i = 0; i < s.n; i++) {
        if (skr_vetoes_have_probed(skr_vetoes_find(g, s.item[i])) ||
            skr_vetoes_have_counted(e, g, s.item[i])) {
            return true;
        }
    }
    return skr_problem_attach_differ(e, newcomers, n);
}

bool skr_problem_is_of_room(const struct skr_gang *e, struct pod_entry *const *newcomers, size_t n)
{
    return !skr_pod_rules_matter(e, newcomers, n) && !skr_problem_volumes_matter(e, newcomers, n) &&
           !skr_device_shares_any(e, newcomers, n) && !skr_device_pools_may_matter(e, newcomers, n);
}

/* ---- demand: component-wise maximum over the distinct shapes ---- */

struct demand {
    size_t n;
    struct skr_problem_drivers drivers; /* those before the learned ones */
    size_t n_learned;                   /* the last ones */
    struct skr_amount *most;
    uint16_t *resource;
    const char **name;
    int64_t *amount;
};

/* No node lists it, so it is without a limit, unless limit_to_attached() or limit_to_learned() sets one. */
static void add_unlisted(struct demand *d, uint16_t resource, const char *name)
{
    d->most[d->n] = (struct skr_amount){.resource = resource, .amount = 1, .by_class = true};
    d->resource[d->n] = resource;
    d->amount[d->n] = 1;
    d->name[d->n++] = name;
}

static bool add_drivers(const struct skr_gang *e, struct skr_arena *arena, struct demand *d)
{
    bool room = true;
    for (size_t i = 0; i < d->drivers.n && room; i++) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b, "volumes/%s", skr_volumes_driver(e, d->drivers.driver[i]));
        const char *name = skr_arena_strdup(arena, b.s);
        room = name;
        add_unlisted(d, SKR_RESOURCE_ATTACHED, name);
    }
    return room;
}

static int demand_of(const struct skr_gang *e, struct skr_arena *arena, const struct shapes *shapes,
                     const struct skr_problem_drivers *drivers, size_t n_learned,
                     struct demand *ret)
{
    struct skr_amounts most;
    skr_shapes_demand(shapes, &most);
    const size_t room_for = most.n + drivers->n + n_learned + 1;
    ret->n = most.n;
    ret->drivers = *drivers;
    ret->n_learned = n_learned;
    ret->most = skr_arena_array(arena, room_for, sizeof *ret->most);
    ret->resource = skr_arena_array(arena, room_for, sizeof *ret->resource);
    ret->amount = skr_arena_array(arena, room_for, sizeof *ret->amount);
    ret->name = skr_arena_array(arena, room_for, sizeof *ret->name);
    bool room = ret->most && ret->resource && ret->amount && ret->name;
    for (size_t i = 0; i < most.n && room; i++) {
        const uint16_t id = most.item[i].resource;
        const struct skr_quantity_item absent = id == SKR_RESOURCE_ABSENT
                                                    ? skr_shapes_absent(e, shapes)
                                                    : (struct skr_quantity_item){NULL, 0};
        const char *name = absent.name ? absent.name : skr_resource_names_get(e->resources, id);
        skr_bug_on(!name);
        ret->most[i] = most.item[i];
        ret->resource[i] = id;
        ret->amount[i] = absent.name ? absent.amount : most.item[i].amount;
        ret->name[i] = skr_arena_strdup(arena, name);
        room = ret->name[i];
    }
    skr_amounts_fini(&most);
    room = room && add_drivers(e, arena, ret);
    for (size_t i = 0; i < n_learned && room; i++) {
        add_unlisted(ret, SKR_RESOURCE_LEARNED, "places");
    }
    return room ? 0 : -1;
}

/* ---- volumes that nodes attach ---- */

/* Resources of nodes; what no node lists comes after them. */
static size_t n_listed(const struct demand *d)
{
    return d->n - d->drivers.n - d->n_learned;
}

static void limit_to_attached(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                              const struct demand *d, bool most, int64_t *free_, int64_t *capacity)
{
    for (size_t i = 0; i < d->drivers.n; i++) {
        const size_t r = n_listed(d) + i;
        const uint16_t driver = d->drivers.driver[i];
        d->amount[r] = skr_problem_attach_demand(e, driver, newcomers, n, newcomers, n, most);
    }
    const size_t first = n_listed(d);
    skr_problem_attach_room(e, &d->drivers, newcomers, n, most, d->n, &free_[first],
                            &capacity[first]);
}

/* ---- what refusals have taught, and devices ---- */

static void limit_to_learned(struct skr_gang *e, struct group *g,
                             struct pod_entry *const *newcomers, size_t n, const struct demand *d,
                             bool guess, int64_t *free_, int64_t *capacity)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(e);
    struct skr_learned learned;
    skr_learned_open(e, g, newcomers, n, d->n_learned, &learned);
    for (size_t i = 0; i < (size_t)e->topology.tree->n_leaves && learned.n > 0; i++) {
        for (size_t k = 0; leaf[i] && k < learned.n; k++) {
            const size_t at = i * d->n + d->n - d->n_learned + k;
            if (learned.of[k].n > 0) {
                free_[at] = skr_learned_of(e, g, &learned.of[k], leaf[i], guess);
                capacity[at] = skr_learned_ever(e, &learned.of[k], leaf[i], free_[at]);
            }
        }
    }
    if (learned.n > 0 && learned.of[learned.n - 1].devices) {
        d->name[d->n - 1] = "devices";
    }
    skr_learned_note(g, &learned);
    skr_learned_close(e, &learned);
}

/* ---- own places ---- */

/* The room that a plan holds for newcomers which it places already. */
static void add_own_places(const struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                           const struct demand *d, int64_t *free_)
{
    for (size_t i = 0; i < n; i++) {
        const struct pod_entry *p = newcomers[i];
        int32_t leaf = p->plan && !skr_pods_is_bound(p)
                           ? skr_tree_find_leaf(e->topology.tree, p->place.node)
                           : -1;
        for (size_t r = 0; leaf >= 0 && r < d->n; r++) {
            int64_t *room = &free_[(size_t)leaf * d->n + r];
            *room = skr_room_plus(*room, skr_amounts_get(&p->shape->amounts, d->resource[r]));
        }
    }
}

/* ---- the whole ---- */

static void fill_leaves(struct skr_gang *e, const struct demand *d, int64_t *free_,
                        int64_t *capacity)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(e);
    for (size_t i = 0; i < (size_t)e->topology.tree->n_leaves; i++) {
        if (!leaf[i]) {
            continue;
        }
        const struct skr_ledger_node *room = skr_ledger_get(e->ledger, leaf[i]->name);
        for (size_t r = 0; r < d->n; r++) {
            free_[i * d->n + r] = skr_ledger_node_room(room, &d->most[r]);
            capacity[i * d->n + r] = skr_ledger_node_empty_room(room, &d->most[r]);
        }
    }
}

/* Newcomers whose nodes are given are not placed. */
static bool choose_placed(struct skr_arena *arena, struct skr_problem_members *members)
{
    const bool pins = skr_pins_count(members->all, members->n_all);
    members->newcomers = skr_arena_array(arena, members->n_all + 1, sizeof *members->newcomers);
    for (size_t i = 0; members->newcomers && i < members->n_all; i++) {
        if (!pins || !skr_pins_is_pinned(members->all[i]->shape->spec)) {
            members->newcomers[members->n++] = members->all[i];
        }
    }
    return members->newcomers;
}

/* The demand of the newcomers to be placed, for the resources that any newcomer requests. */
static void demand_of_placed(const struct skr_gang *e, const struct shapes *placed,
                             const struct demand *d)
{
    for (size_t r = 0; r < n_listed(d); r++) {
        d->amount[r] = skr_problem_demand(e, placed, d->resource[r]);
    }
}

struct skr_solve_request *skr_problem_build(struct skr_gang *e, struct group *g,
                                            struct pod_entry *const *newcomers, size_t n,
                                            bool probed_only, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(PROBLEM_BYTES_MAX, 0);
    struct skr_problem_members members = {.all = newcomers, .n_all = n, .probed_only = probed_only};
    const struct shapes all = skr_shapes_of(newcomers, n);
    const struct skr_problem_drivers drivers = skr_problem_attach_drivers(e, newcomers, n);
    struct demand d = {0};
    const bool room =
        arena && choose_placed(arena, &members) &&
        demand_of(e, arena, &all, &drivers, skr_learned_count(e, g, newcomers, n), &d) == 0;
    const size_t size = (size_t)e->topology.tree->n_leaves * d.n + 1;
    int64_t *free_ = room ? skr_arena_array(arena, size, sizeof *free_) : NULL;
    int64_t *capacity = free_ ? skr_arena_array(arena, size, sizeof *capacity) : NULL;
    struct skr_rule *rule = capacity ? skr_arena_array(arena, SKR_LEVELS_MAX, sizeof *rule) : NULL;
    if (!rule) {
        skr_arena_destroy(arena);
        skr_error_set(error, SKR_LIMIT, "group %s: the problem is larger than %d bytes", g->key,
                      PROBLEM_BYTES_MAX);
        return NULL;
    }
    if (members.n < n) {
        const struct shapes placed = skr_shapes_of(members.newcomers, members.n);
        demand_of_placed(e, &placed, &d);
    }
    fill_leaves(e, &d, free_, capacity);
    skr_paper_charge(e, g, d.resource, d.n, free_);
    skr_window_take_off(e, g, newcomers, n, d.resource, d.n, free_);
    add_own_places(e, newcomers, n, &d, free_);
    if (!g->plan) { /* its replacements may use the held seats */
        skr_seat_holds_add_room(e, g, newcomers, n, d.resource, d.n, free_);
    }
    limit_to_attached(e, newcomers, n, &d, probed_only, free_, capacity);
    limit_to_learned(e, g, members.newcomers, members.n, &d, probed_only, free_, capacity);
    skr_rules_of(g, NULL, e->topology.tree, rule, NULL);
    struct skr_solve_request *request = skr_solve_request_create();
    request->arena = arena;
    request->resource = d.resource;
    request->resource_name = d.name;
    request->drivers = d.drivers;
    request->n_learned = d.n_learned;
    request->pinned = members.n < n;
    request->tree = skr_tree_ref(e->topology.tree);
    request->problem = (struct skr_problem){.tree = request->tree,
                                            .rule = rule,
                                            .n_resources = d.n,
                                            .demand = d.amount,
                                            .free = free_,
                                            .capacity = capacity,
                                            .tie_break = e->settings.tie_break,
                                            .explain = true,
                                            .step_budget = -1,
                                            .cancel = &request->work.cancel};
    if (skr_problem_add_members(e, g, &members, free_, request, error) < 0) {
        skr_solve_request_destroy(request);
        return NULL;
    }
    return request;
}

/* ---- the whole group anew ---- */

static bool has_shape(const struct shapes *shapes, const struct shape *shape)
{
    for (size_t i = 0; i < shapes->n; i++) {
        if (shapes->item[i] == shape) {
            return true;
        }
    }
    return false;
}

/* Frees what members use on their nodes. False: the problem is not right for one of them. */
static bool give_back(const struct skr_gang *e, const struct group *g, const struct shapes *shapes,
                      const struct skr_solve_request *request, int64_t *free_)
{
    const struct skr_problem *p = &request->problem;
    const struct pod_entry *m;
    DL_FOREACH(g->members, m)
    {
        if (!skr_pod_is_live(m->pod) || !skr_pods_is_bound(m)) {
            continue;
        }
        int32_t leaf = skr_tree_find_leaf(e->topology.tree, m->pod->node_name);
        if (skr_membership_is_without(g, m->pod->node_name)) {
            continue;
        }
        if (leaf < 0 || !has_shape(shapes, m->shape)) {
            return false;
        }
        for (size_t r = 0; r < p->n_resources; r++) {
            int64_t *room = &free_[(size_t)leaf * p->n_resources + r];
            *room = skr_room_plus(*room, skr_amounts_get(&m->shape->amounts, request->resource[r]));
        }
    }
    return true;
}

void skr_problem_add_anew(struct skr_gang *e, const struct group *g,
                          struct pod_entry *const *newcomers, size_t n,
                          struct skr_solve_request *request)
{
    const struct skr_problem *p = &request->problem;
    const struct shapes shapes = skr_shapes_of(newcomers, n);
    size_t size = (size_t)p->tree->n_leaves * p->n_resources;
    if (p->roles || request->pinned || g->plan || g->seats.n_bound == 0 || g->spec->open ||
        p->n != skr_membership_size(g) || skr_membership_done(g) > 0 || skr_paper_charges(e, g) ||
        !skr_problem_is_of_room(e, newcomers, n)) {
        return;
    }
    struct skr_problem *anew = skr_arena_array(request->arena, 1, sizeof *anew);
    int64_t *free_ = skr_arena_array(request->arena, size + 1, sizeof *free_);
    if (!anew || !free_) {
        return;
    }
    memcpy(free_, p->free, size * sizeof *free_);
    if (!give_back(e, g, &shapes, request, free_)) {
        return;
    }
    *anew = *p;
    anew->free = free_;
    anew->claimed = NULL;
    anew->explain = false;
    request->anew = anew;
}

bool skr_problem_make_whole(const struct skr_gang *e, const struct group *g,
                            struct pod_entry *const *members, size_t n,
                            struct skr_solve_request *request)
{
    struct skr_problem *p = &request->problem;
    const struct shapes shapes = skr_shapes_of(members, n);
    if (p->roles || request->pinned || request->outside > 0 ||
        !give_back(e, g, &shapes, request, (int64_t *)(uintptr_t)p->free)) {
        return false;
    }
    p->n = (int32_t)n;
    p->claimed = NULL;
    return true;
}

bool skr_problem_accepts(const struct skr_problem *problem, const struct skr_solution *s)
{
    struct skr_error error;
    if (!problem->roles != !s->roles) {
        return false;
    }
    return skr_roles_check(problem, s->roles ? s->roles->size : NULL,
                           skr_solution_of_role(s, problem->tree, 0), &error) == 0;
}

/* Checks everything: rules, room and eligibility of every leaf. */
static bool valid_in_full(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomers,
                          size_t n, const struct skr_solution *s)
{
    struct skr_error error;
    struct skr_solve_request *now = skr_problem_build(e, g, newcomers, n, false, &error);
    if (!now) {
        return false;
    }
    bool valid = skr_problem_accepts(&now->problem, s);
    skr_solve_request_destroy(now);
    return valid;
}

bool skr_problem_still_valid(struct skr_gang *e, struct group *g,
                             struct pod_entry *const *newcomers, size_t n,
                             const struct skr_solution *s)
{
    /* The rules are unchanged since the counts were made (input_epoch), and nothing is held. */
    bool simple =
        skr_fit_stands(e, g) && !skr_paper_charges(e, g) && skr_problem_is_of_room(e, newcomers, n);
    if (!simple || e->settings.plain_planning) {
        return valid_in_full(e, g, newcomers, n, s);
    }
    skr_fit_cache_refresh(e);
    skr_kind_catch_up(e, g->fit.kind);
    bool valid = skr_fit_holds(&g->fit, e->topology.tree, s->count);
    skr_debug_check(valid == valid_in_full(e, g, newcomers, n, s));
    return valid;
}
