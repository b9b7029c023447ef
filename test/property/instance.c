/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/instance.h"

#include <inttypes.h>
#include <string.h>

#include "test/random.h"

uint64_t random_next(struct random *random)
{
    return random_of(&random->state);
}

int32_t random_below(struct random *random, int32_t n)
{
    return (int32_t)(random_next(random) % (uint64_t)n);
}

bool random_percent(struct random *random, int32_t percent)
{
    return random_below(random, 100) < percent;
}

/* ---- arrays and pointers ---- */

void instance_grow(struct instance *instance, int32_t n_levels)
{
    struct skr_tree *tree = &instance->tree;
    tree->n_levels = n_levels;
    instance->parent[0] = -1;
    tree->level_first[0] = 0;
    tree->level_first[1] = 1;
    int32_t next = 1;
    for (int32_t level = 0; level < n_levels; level++) {
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            instance->child_first[u] = next;
            for (int32_t c = 0; c < instance->child_count[u]; c++) {
                instance->parent[next++] = u;
            }
        }
        tree->level_first[level + 2] = next;
    }
    tree->n_units = next;
    tree->first_leaf = tree->level_first[n_levels];
    tree->n_leaves = next - tree->first_leaf;
    for (int32_t u = tree->first_leaf; u < next; u++) {
        instance->child_count[u] = 0;
    }
}

static void link_tree(struct instance *instance)
{
    static const char *unit_name[INSTANCE_UNITS_MAX];
    struct skr_tree *tree = &instance->tree;
    for (int32_t u = 0; u < INSTANCE_UNITS_MAX; u++) {
        unit_name[u] = "unit";
    }
    for (int32_t level = 0; level <= tree->n_levels; level++) {
        tree->level_name[level] = "level";
    }
    tree->parent = instance->parent;
    tree->child_first = instance->child_first;
    tree->child_count = instance->child_count;
    tree->unit_name = unit_name;
    tree->name = "random";
}

void instance_link(struct instance *instance)
{
    struct skr_problem *problem = &instance->problem;
    link_tree(instance);
    problem->tree = &instance->tree;
    problem->rule = instance->rule;
    problem->n_resources = INSTANCE_RESOURCES;
    problem->demand = instance->demand[0];
    problem->free = instance->free;
    problem->capacity = problem->capacity ? instance->capacity : NULL;
    problem->eligible = instance->eligible[0];
    problem->claimed = instance->claimed[0];
    problem->bounds = problem->bounds ? instance->bounds : NULL;
    problem->step_budget = -1;
    if (!problem->roles) {
        instance->roles.n_roles = 1;
        return;
    }
    problem->roles = &instance->roles;
    problem->n = 0;
    instance->roles.role = instance->role;
    instance->roles.kind = instance->kind;
    instance->roles.cap = instance->cap;
    for (size_t r = 0; r < instance->roles.n_roles; r++) {
        struct skr_role *role = &instance->role[r];
        role->demand = instance->demand[r];
        role->eligible = instance->eligible[r];
        role->claimed = instance->claimed[r];
        role->rule = role->rule ? instance->own[r] : NULL;
        role->has_rule = role->rule ? instance->has_rule[r] : NULL;
        problem->n += role->n;
    }
    for (size_t k = 0; k < instance->roles.n_kinds; k++) {
        instance->kind[k].alive = instance->kind[k].alive ? instance->alive[k] : NULL;
    }
}

void instance_copy(struct instance *ret, const struct instance *from)
{
    memcpy(ret, from, sizeof *ret);
    instance_link(ret);
    ret->problem.step_budget = from->problem.step_budget;
}

void instance_bound(struct instance *instance, struct random *random)
{
    const struct skr_tree *tree = &instance->tree;
    int32_t n = instance->problem.n;
    for (int32_t u = 0; u < tree->n_units; u++) {
        instance->bounds[u] = (struct skr_unit_bounds){0, random_percent(random, 50) ? n : n + 7};
        if (random_percent(random, 40)) {
            instance->bounds[u].most = 1 + random_below(random, n > 0 ? n : 1);
        }
        if (random_percent(random, 10)) {
            instance->bounds[u].least = random_below(random, 3);
        }
    }
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        instance->rule[level - 1].silent = random_percent(random, 25);
    }
    instance->problem.bounds = instance->bounds;
}

void instance_empty(struct instance *ret, const struct instance *from)
{
    instance_copy(ret, from);
    for (int32_t at = 0; at < from->tree.n_leaves * INSTANCE_RESOURCES; at++) {
        ret->free[at] = from->capacity[at] - from->claimed[0][at / INSTANCE_RESOURCES] *
                                                 from->demand[0][at % INSTANCE_RESOURCES];
    }
}

/* ---- what a problem says ---- */

int32_t instance_unit(const struct instance *in, int32_t leaf, int32_t level)
{
    int32_t unit = in->tree.first_leaf + leaf;
    while (unit >= in->tree.level_first[level + 1]) {
        unit = in->parent[unit];
    }
    return unit;
}

const struct skr_rule *instance_rule(const struct instance *in, int32_t scope, int32_t level)
{
    if (scope == instance_n_roles(in)) {
        return &in->rule[level - 1];
    }
    return in->role[scope].rule && in->has_rule[scope][level - 1] ? &in->own[scope][level - 1]
                                                                  : NULL;
}

int32_t instance_claims(const struct instance *in, int32_t role, int32_t unit)
{
    int32_t claims = 0;
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        int32_t u = in->tree.first_leaf + leaf;
        while (u > unit) {
            u = in->parent[u];
        }
        claims += u == unit ? in->claimed[role][leaf] : 0;
    }
    return claims;
}

int64_t instance_room(const struct instance *in, int32_t role, int32_t leaf)
{
    int64_t room = INT32_MAX;
    for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
        const int64_t amount = in->free[leaf * INSTANCE_RESOURCES + r];
        if (in->demand[role][r] > 0) {
            const int64_t slots = amount > 0 ? amount / in->demand[role][r] : 0;
            room = slots < room ? slots : room;
        }
    }
    return in->eligible[role][leaf] ? room : 0;
}

int64_t instance_tight_room(const struct instance *in, int32_t leaf)
{
    int32_t big = 0;
    for (int32_t r = 1; r < instance_n_roles(in); r++) {
        big = instance_n(in, r) > instance_n(in, big) ? r : big;
    }
    return instance_room(in, big, leaf);
}

int32_t instance_fit(const struct instance *in, int32_t leaf)
{
    int64_t fit = in->claimed[0][leaf] + instance_room(in, 0, leaf);
    return fit < in->problem.n ? (int32_t)fit : in->problem.n;
}

/* ---- in words ---- */

static void print_rule(const struct skr_rule *rule, int32_t level)
{
    const int32_t number[] = {rule->partitions, rule->min, rule->max, rule->factor};
    static const char *const name[] = {"partitions", "min", "max", "factor"};
    printf(" L%" PRId32 "(%s%s%s", level, rule->silent ? "silent " : "", rule->hard ? "hard " : "",
           rule->type == SKR_RULE_PACK ? "pack" : "spread");
    for (int32_t i = 0; i < 4; i++) {
        if (number[i] != 0) {
            printf(" %s %" PRId32, name[i], number[i]);
        }
    }
    printf(")");
}

static void print_role(const struct instance *in, int32_t r)
{
    printf("  role %s n=%" PRId32 " minimum=%" PRId32 " demand",
           in->problem.roles ? in->role[r].name : "of equal members", instance_n(in, r),
           instance_minimum(in, r));
    for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
        printf(" %" PRId64, in->demand[r][d]);
    }
    printf(" room");
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        printf(" %" PRId64 "%s", instance_room(in, r, leaf), in->eligible[r][leaf] ? "" : "!");
        if (in->claimed[r][leaf] > 0) {
            printf("[%" PRId32 "]", in->claimed[r][leaf]);
        }
    }
    for (int32_t level = 1; level <= in->tree.n_levels; level++) {
        const struct skr_rule *rule = instance_rule(in, r, level);
        if (rule) {
            print_rule(rule, level);
        }
    }
    printf("\n");
}

static void print_sets_and_caps(const struct instance *in)
{
    for (size_t k = 0; k < in->roles.n_kinds; k++) {
        printf("  sets at L%" PRId32 "%s of", in->kind[k].level,
               in->kind[k].exclusive ? " exclusive" : "");
        for (size_t r = 0; r < in->roles.n_roles; r++) {
            printf(" %" PRId32, in->kind[k].each[r]);
        }
        for (int32_t u = 0; in->kind[k].alive && u < in->tree.n_units; u++) {
            if (in->alive[k][u] > 0) {
                printf(" alive@unit%" PRId32 "=%" PRId32, u, in->alive[k][u]);
            }
        }
        printf("\n");
    }
    for (size_t i = 0; i < in->roles.n_caps; i++) {
        printf("  cap roles 0x%" PRIx32 " against 0x%" PRIx32 " L%" PRId32 " most %" PRId32 "\n",
               in->cap[i].roles, in->cap[i].against, in->cap[i].level, in->cap[i].most);
    }
}

void instance_print(const struct instance *in)
{
    const struct skr_tree *tree = &in->tree;
    printf("  n=%" PRId32 " tie=%s children", in->problem.n,
           in->problem.tie_break == SKR_TIE_TIGHT ? "tight" : "tree");
    for (int32_t u = 0; u < tree->first_leaf; u++) {
        printf(" %" PRId32, in->child_count[u]);
    }
    printf(" free");
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const int64_t *amount = &in->free[leaf * INSTANCE_RESOURCES];
        printf(" %" PRId64 "/%" PRId64 "/%" PRId64, amount[0], amount[1], amount[2]);
    }
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        print_rule(&in->rule[level - 1], level);
    }
    for (int32_t u = 1; u < tree->n_units && in->problem.bounds; u++) {
        printf("%s%" PRId32 "-%" PRId32, u == 1 ? " bounds " : " ", in->bounds[u].least,
               in->bounds[u].most);
    }
    printf("\n");
    for (int32_t r = 0; r < instance_n_roles(in); r++) {
        print_role(in, r);
    }
    print_sets_and_caps(in);
}
