/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room of a problem without some victims.
 *
 * Hundreds of sets that differ by a few victims are tested. So the sizes that fit are kept
 * (sizes.h), and only changed leaves are passed on. If sizes cannot be kept (claims, bounds, rules
 * over domains, rules that count many units), each test is a solve.
 *
 * Steps are counted in leaves, never in time: a problem ends at the same step on every machine.
 */
#include "core/solver/victims_room.h"

#include <string.h>

#include "core/solver/answer.h"
#include "core/solver/each_role.h"

enum { LEAVES_A_STEP = 8 }; /* leaves that change between two sets; for a solve, all leaves */

static int32_t n_leaves(const struct skr_victims_room *room)
{
    return room->problem.tree->n_leaves;
}

int32_t skr_victims_room_slots(const struct skr_victims_room *room, int32_t leaf)
{
    const struct skr_problem *p = &room->bound;
    int32_t slots = skr_leaf_eligible(p, leaf) ? skr_leaf_room(p, room->free, leaf) : 0;
    return slots < p->n ? slots : p->n;
}

/* The role with the fewest slots for its members, as many as have to fit, as equal ones. */
static struct skr_problem bound_of(const struct skr_problem *p)
{
    struct skr_problem ret = *p;
    int64_t most = INT64_MIN;
    for (size_t r = 0; r < skr_problem_n_roles(p); r++) {
        const struct skr_role role = skr_problem_role(p, r);
        const int32_t claims = skr_role_claims(&role, 0, p->tree->n_leaves);
        const int32_t n = role.minimum > claims ? role.minimum : claims;
        int64_t missing = (int64_t)n - claims;
        for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
            missing -= skr_role_room(p, &role, leaf, n);
        }
        if (missing > most) {
            most = missing;
            ret.demand = role.demand;
            ret.eligible = role.eligible;
            ret.claimed = role.claimed;
            ret.n = n;
        }
    }
    ret.roles = NULL;
    return ret;
}

void skr_victims_room_init(struct skr_victims_room *room, const struct skr_victims_problem *in)
{
    const struct skr_problem *p = in->problem;
    const struct skr_role first = skr_problem_role(p, 0);
    size_t leaves = (size_t)p->tree->n_leaves;
    size_t amounts = leaves * p->n_resources;
    *room = (struct skr_victims_room){.in = in, .problem = *p, .bound = bound_of(p)};
    room->free = skr_alloc_array(amounts + 1, sizeof *room->free);
    if (amounts > 0) {
        memcpy(room->free, p->free, amounts * sizeof *room->free);
    }
    room->problem.free = room->free;
    room->problem.explain = false;
    room->problem.explain_parts = 0;
    room->problem.step_budget = -1;
    room->gone = skr_alloc_array(in->n_victims + 1, sizeof *room->gone);
    room->wanted = skr_alloc_array(in->n_victims + 1, sizeof *room->wanted);
    room->gone_list = skr_alloc_array(in->n_victims + 1, sizeof *room->gone_list);
    room->marked = skr_alloc_array(leaves + 1, sizeof *room->marked);
    room->changed = skr_alloc_array(leaves + 1, sizeof *room->changed);
    room->slots = skr_alloc_array(leaves + 1, sizeof *room->slots);
    room->table = in->n_tables > 0 ? skr_alloc_array(leaves + 1, sizeof *room->table) : NULL;
    for (size_t t = in->n_tables; t > 0; t--) {
        room->table[in->table[t - 1].leaf] = t;
    }
    room->steps = in->step_budget < 0 ? SKR_VICTIMS_STEPS_MAX : in->step_budget;
    for (int32_t leaf = 0; leaf < p->tree->n_leaves; leaf++) {
        room->slots[leaf] = skr_victims_room_slots(room, leaf);
    }
    if (p->n >= 1 && !p->bounds && p->n_domain_rules == 0 && !p->roles &&
        skr_role_claims(&first, 0, p->tree->n_leaves) == 0 &&
        skr_sizes_can_keep(p->tree, p->rule, p->n)) {
        room->pool = skr_sizes_pool_create();
        room->sizes = skr_sizes_create(room->pool, p->tree, p->rule, p->n, room->slots);
    }
}

void skr_victims_room_fini(struct skr_victims_room *room)
{
    skr_sizes_destroy(room->sizes);
    skr_sizes_pool_destroy(room->pool);
    free(room->free);
    free(room->table);
    free(room->gone);
    free(room->wanted);
    free(room->gone_list);
    free(room->marked);
    free(room->changed);
    free(room->slots);
}

bool skr_victims_room_is_spent(const struct skr_victims_room *room)
{
    return room->steps <= 0;
}

/* ---- from set to set ---- */

static int64_t look_up(const struct skr_victim_table *table, const uint8_t *gone)
{
    return table->room[skr_victim_table_at(table, gone)];
}

/* Sets what tables of the leaf say. */
static void use_tables(const struct skr_victims_room *room, int32_t leaf)
{
    const struct skr_victims_problem *in = room->in;
    for (size_t t = room->table[leaf]; t > 0 && t <= in->n_tables; t++) {
        const struct skr_victim_table *table = &in->table[t - 1];
        if (table->leaf != leaf) {
            return;
        }
        room->free[(size_t)leaf * room->problem.n_resources + table->resource] =
            look_up(table, room->gone);
    }
}

void skr_victims_add_room(const struct skr_victims_problem *in, const size_t *victim, size_t n,
                          int64_t *free_)
{
    const size_t resources = in->problem->n_resources;
    SKR_AUTO_FREE uint8_t *gone = skr_alloc_array(in->n_victims + 1, sizeof *gone);
    for (size_t i = 0; i < n; i++) {
        const struct skr_victim *v = &in->victim[victim[i]];
        gone[victim[i]] = 1;
        for (size_t s = 0; s < v->n_shares; s++) {
            for (size_t r = 0; r < resources; r++) {
                free_[(size_t)v->share[s].leaf * resources + r] += v->share[s].amount[r];
            }
        }
    }
    for (size_t t = 0; t < in->n_tables; t++) {
        const struct skr_victim_table *table = &in->table[t];
        free_[(size_t)table->leaf * resources + table->resource] = look_up(table, gone);
    }
}

static void move(struct skr_victims_room *room, size_t victim, bool away)
{
    const struct skr_victim *v = &room->in->victim[victim];
    size_t n = room->problem.n_resources;
    for (size_t s = 0; s < v->n_shares; s++) {
        const struct skr_victim_share *share = &v->share[s];
        int64_t *have = room->free + (size_t)share->leaf * n;
        for (size_t r = 0; r < n; r++) {
            have[r] += away ? share->amount[r] : -share->amount[r];
        }
        if (!room->marked[share->leaf]) {
            room->marked[share->leaf] = 1;
            room->changed[room->n_changed++] = share->leaf;
        }
    }
    room->gone[victim] = away;
    for (size_t s = 0; s < v->n_shares && room->table; s++) {
        use_tables(room, v->share[s].leaf);
    }
}

void skr_victims_room_set(struct skr_victims_room *room, const size_t *victim, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        room->wanted[victim[i]] = 1;
    }
    for (size_t i = 0; i < room->n_gone; i++) {
        if (!room->wanted[room->gone_list[i]]) {
            move(room, room->gone_list[i], false);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!room->gone[victim[i]]) {
            move(room, victim[i], true);
        }
        room->wanted[victim[i]] = 0;
        room->gone_list[i] = victim[i];
    }
    room->n_gone = n;
}

/* Leaves room->changed with those whose slots have changed, ascending, and unmarks all. */
static size_t take_changes(struct skr_victims_room *room)
{
    size_t n = 0;
    room->leaves += room->n_changed;
    for (int32_t i = 0; i < room->n_changed; i++) {
        int32_t leaf = room->changed[i];
        int32_t slots = skr_victims_room_slots(room, leaf);
        room->marked[leaf] = 0;
        if (slots != room->slots[leaf]) {
            room->slots[leaf] = slots;
            room->changed[n++] = leaf;
        }
    }
    room->n_changed = 0;
    if (n > 1) {
        qsort(room->changed, n, sizeof *room->changed, skr_least_first_32);
    }
    return n;
}

/* ---- questions ---- */

static int cancelled(struct skr_error *error)
{
    return skr_error_set(error, SKR_RETRY, "the search for victims was cancelled");
}

int skr_victims_room_solve(struct skr_victims_room *room, const size_t *victim, size_t n,
                           enum skr_tie_break tie_break, struct skr_solution **ret,
                           struct skr_error *error)
{
    struct skr_problem problem = room->problem;
    skr_victims_room_set(room, victim, n);
    room->solves++;
    room->steps -= 1 + n_leaves(room) / LEAVES_A_STEP;
    problem.tie_break = tie_break;
    int rc = skr_solve(&problem, ret, error);
    if (rc == 0 && (*ret)->status == SKR_SOLVE_TIMEOUT) {
        skr_solution_destroy(*ret);
        *ret = NULL;
        return cancelled(error);
    }
    return rc;
}

int skr_victims_room_fits(struct skr_victims_room *room, const size_t *victim, size_t n, bool *ret,
                          struct skr_error *error)
{
    room->tests++;
    if (!room->sizes) {
        bool decided = false;
        skr_victims_room_set(room, victim, n);
        room->steps -= 1 + n_leaves(room) / LEAVES_A_STEP;
        int rc = skr_roles_fit(&room->problem, ret, &decided, error);
        return rc == 0 && !decided ? cancelled(error) : rc;
    }
    if (room->problem.cancel && atomic_load(room->problem.cancel)) {
        return cancelled(error);
    }
    skr_victims_room_set(room, victim, n);
    size_t changes = take_changes(room);
    room->steps -= 1 + (int64_t)changes / LEAVES_A_STEP;
    skr_sizes_change(room->sizes, room->slots, room->changed, changes);
    *ret = skr_sizes_has(room->sizes, room->problem.n);
    return 0;
}
