/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generator of problems with roles. Sizes are bounded by the kind: the product of (members + 1) over
 * the roles, which is the number of vectors of a unit, and the leaves. Loads are tight: the room of
 * the leaves follows what the roles need.
 */
#include "test/property/roles_instance.h"

#include <inttypes.h>
#include <string.h>

struct shape {
    int32_t levels, leaves, fanout; /* at most */
    int32_t roles_least, roles_most;
    int32_t members; /* of one role, at most */
    int32_t states;  /* vectors of a unit, at most */
    int32_t rules;   /* percent of a rule to be there; 0: types alone */
};

static const struct shape shapes[ROLES_KIND_COUNT] = {
    [ROLES_SMALL] = {3, 6, 4, 1, 3, 4, 30, 16},    [ROLES_SOFT] = {3, 7, 4, 2, 3, 4, 40, 0},
    [ROLES_LARGER] = {3, 12, 5, 2, 3, 7, 120, 12}, [ROLES_WIDE] = {2, 16, 16, 2, 3, 24, 120, 8},
    [ROLES_MANY] = {2, 8, 4, 4, 5, 3, 128, 8},     [ROLES_SETS] = {3, 9, 4, 2, 4, 6, 128, 7},
    [ROLES_CAPS] = {3, 8, 4, 2, 3, 4, 64, 8},      [ROLES_CLAIMS] = {3, 9, 4, 2, 3, 5, 96, 6},
    [ROLES_MINIMUM] = {3, 8, 4, 2, 3, 4, 64, 10},  [ROLES_OWN] = {3, 8, 4, 3, 3, 4, 80, 8},
    [ROLES_BOUND] = {3, 8, 4, 2, 4, 5, 96, 2},     [ROLES_PRESENT] = {3, 8, 4, 2, 4, 4, 80, 8},
    [ROLES_TWINS] = {3, 8, 4, 2, 5, 4, 128, 8},
};

static int32_t between(struct random *random, int32_t lo, int32_t hi)
{
    return hi <= lo ? lo : lo + random_below(random, hi - lo + 1);
}

void roles_instance_link(struct roles_instance *ri)
{
    ri->roles.role = ri->role;
    ri->roles.kind = ri->kind;
    ri->roles.cap = ri->cap;
    ri->in.problem.n = 0;
    for (size_t r = 0; r < ri->roles.n_roles; r++) {
        struct skr_role *role = &ri->role[r];
        role->demand = ri->demand[r];
        role->eligible = ri->eligible[r];
        role->claimed = ri->claimed[r];
        role->rule = role->rule ? ri->own[r] : NULL;
        role->has_rule = role->rule ? ri->has_rule[r] : NULL;
        ri->in.problem.n += role->n;
    }
    for (size_t k = 0; k < ri->roles.n_kinds; k++) {
        ri->kind[k].alive = ri->kind[k].alive ? ri->alive[k] : NULL;
    }
    ri->in.problem.roles = &ri->roles;
}

void roles_instance_copy(struct roles_instance *ret, const struct roles_instance *from)
{
    memcpy(ret, from, sizeof *ret);
    instance_copy(&ret->in, &from->in);
    roles_instance_link(ret);
}

int32_t roles_instance_claims(const struct roles_instance *ri, int32_t role, int32_t unit)
{
    int32_t claims = 0;
    for (int32_t leaf = 0; leaf < ri->in.tree.n_leaves; leaf++) {
        int32_t u = ri->in.tree.first_leaf + leaf;
        while (u > unit) {
            u = ri->in.parent[u];
        }
        claims += u == unit ? ri->claimed[role][leaf] : 0;
    }
    return claims;
}

/* ---- parts of a problem ---- */

static void make_tree(struct roles_instance *ri, struct random *random, const struct shape *shape)
{
    const int32_t levels = between(random, 1, shape->levels);
    const int32_t least = shape->fanout > 8 ? 8 : 1; /* a wide tree has many leaves */
    int32_t width = 1, unit = 0;
    for (int32_t level = 1; level <= levels; level++) {
        int32_t next = 0;
        for (int32_t u = 0; u < width; u++) {
            const int32_t left = shape->leaves - next - (width - u - 1);
            int32_t n = level < levels ? between(random, 1, 3)
                                       : between(random, least / width + 1, shape->fanout);
            n = n < left ? n : left;
            ri->in.child_count[unit++] = n > 1 ? n : 1;
            next += n > 1 ? n : 1;
        }
        width = next;
    }
    instance_link(&ri->in, levels);
}

static void make_roles(struct roles_instance *ri, struct random *random, const struct shape *shape,
                       enum roles_kind kind)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    int64_t states = 1;
    ri->roles.n_roles = (size_t)between(random, shape->roles_least, shape->roles_most);
    const int32_t big = kind == ROLES_WIDE ? random_below(random, (int32_t)ri->roles.n_roles) : -1;
    for (int32_t r = 0; r < (int32_t)ri->roles.n_roles; r++) {
        struct skr_role *role = &ri->role[r];
        const int32_t room = (int32_t)(shape->states / states) - 1;
        const int32_t later = (int32_t)ri->roles.n_roles - 1 - r;
        int32_t most = room >> later > 1 ? room >> later : 1;
        most = most < shape->members ? most : shape->members;
        const bool side = big >= 0 && r != big;
        role->name = names[r];
        role->n =
            r == big ? between(random, 4, 12) : between(random, 1, side && most > 2 ? 2 : most);
        role->minimum = role->n;
        states *= role->n + 1;
        ri->demand[r][0] = between(random, 1, 4);
        ri->demand[r][1] = random_percent(random, 50) ? 0 : between(random, 1, 2);
        ri->demand[r][2] = random_percent(random, 70) ? 0 : between(random, 1, 3);
    }
    for (size_t r = 1; r < ri->roles.n_roles; r++) {
        if (random_percent(random, kind == ROLES_TWINS ? 70 : r == 1 ? 15 : 0)) {
            memcpy(ri->demand[r], ri->demand[r - 1], sizeof ri->demand[r]);
        }
    }
}

static void make_eligible(struct roles_instance *ri, struct random *random, enum roles_kind kind)
{
    const int32_t odd = random_percent(random, 30) ? 25 : 0;
    const bool pools = kind == ROLES_WIDE && random_percent(random, 50);
    uint8_t pool[INSTANCE_LEAVES_MAX];
    for (int32_t leaf = 0; leaf < ri->in.tree.n_leaves; leaf++) {
        pool[leaf] = (uint8_t)random_below(random, 2);
    }
    for (size_t r = 0; r < ri->roles.n_roles; r++) {
        const bool in_pool = pools && random_percent(random, 50);
        for (int32_t leaf = 0; leaf < ri->in.tree.n_leaves; leaf++) {
            ri->eligible[r][leaf] = in_pool ? pool[leaf] : !random_percent(random, odd);
        }
    }
    if (ri->roles.n_roles > 1 && memcmp(ri->demand[0], ri->demand[1], sizeof ri->demand[0]) == 0) {
        memcpy(ri->eligible[1], ri->eligible[0], sizeof ri->eligible[0]); /* twins */
    }
}

/* Amounts of a node that has room for about the share-th part of all. */
static void make_node(const struct roles_instance *ri, struct random *random, int32_t share,
                      int64_t *free_)
{
    for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
        int64_t need = 0;
        for (size_t r = 0; r < ri->roles.n_roles; r++) {
            need += ri->demand[r][d] * ri->role[r].n;
        }
        const int32_t middle = (int32_t)(need / share) + 1;
        free_[d] = between(random, 0, 2 * middle + 2);
        if (random_percent(random, 4)) {
            free_[d] = -between(random, 1, 9);
        }
    }
}

static void make_loads(struct roles_instance *ri, struct random *random, enum roles_kind kind)
{
    const int32_t n = ri->in.tree.n_leaves;
    const int32_t share = between(random, n / 4 + 1, 3 * n / 4 + 1);
    const bool few = kind == ROLES_WIDE || random_percent(random, 20);
    int64_t node[4][INSTANCE_RESOURCES];
    for (int32_t i = 0; i < 4; i++) {
        make_node(ri, random, share, node[i]);
    }
    for (int32_t leaf = 0; leaf < n; leaf++) {
        int64_t *free_ = &ri->in.free[leaf * INSTANCE_RESOURCES];
        if (few) {
            memcpy(free_, node[random_below(random, 4)], sizeof node[0]);
        } else {
            make_node(ri, random, share, free_);
        }
    }
}

static struct skr_rule make_rule(struct random *random, int32_t likely, int32_t n)
{
    struct skr_rule rule = {.type = random_percent(random, 50) ? SKR_RULE_PACK : SKR_RULE_SPREAD};
    rule.hard = random_percent(random, likely / 2);
    if (random_percent(random, likely)) {
        rule.partitions = between(random, -1, 3);
    }
    if (random_percent(random, likely)) {
        rule.min = between(random, -1, 3);
    }
    if (random_percent(random, likely)) {
        rule.max = between(random, 0, n < 2 ? 2 : n);
    }
    if (random_percent(random, likely)) {
        rule.factor = between(random, 0, 3);
    }
    return rule;
}

static void make_rules(struct roles_instance *ri, struct random *random, const struct shape *shape,
                       enum roles_kind kind)
{
    int32_t n = 0;
    const int32_t own = random_percent(random, 50) ? 40 : 0; /* percent of own rules */
    const int32_t first = random_below(random, ri->in.tree.n_levels);
    for (size_t r = 0; r < ri->roles.n_roles; r++) {
        n += ri->role[r].n;
    }
    for (int32_t level = 0; level < ri->in.tree.n_levels; level++) {
        ri->in.rule[level] = make_rule(random, shape->rules, n);
        for (size_t r = 0; r < ri->roles.n_roles; r++) {
            const bool turn = (first + (int32_t)r) % ri->in.tree.n_levels == level;
            if (kind == ROLES_OWN ? turn : random_percent(random, own)) {
                ri->own[r][level] = make_rule(random, shape->rules, ri->role[r].n);
                ri->has_rule[r][level] = 1;
                ri->role[r].rule = ri->own[r];
            }
        }
    }
}

static void make_sets(struct roles_instance *ri, struct random *random, const struct shape *shape)
{
    const int32_t n = (int32_t)ri->roles.n_roles;
    const int32_t kinds = n > 2 && random_percent(random, 30) ? 2 : 1;
    int32_t next = 0;
    for (int32_t k = 0; k < kinds; k++) {
        struct skr_set_kind *kind = &ri->kind[k];
        const int32_t last = kinds == 1 && random_percent(random, 60)
                                 ? n
                                 : between(random, next + 1, n - (kinds - 1 - k));
        const int32_t sets = between(random, 1, 3);
        *kind = (struct skr_set_kind){.level = between(random, 1, ri->in.tree.n_levels),
                                      .exclusive = random_percent(random, 30)};
        for (; next < last; next++) {
            kind->each[next] = between(random, 1, 2);
            ri->role[next].n = kind->each[next] * sets;
            ri->role[next].minimum = ri->role[next].n;
        }
        ri->roles.n_kinds++;
    }
    int64_t states = 1;
    for (int32_t r = 0; r < n; r++) {
        states *= ri->role[r].n + 1;
    }
    if (states > 4 * shape->states) { /* one set of everything is small enough */
        ri->roles.n_kinds = 1;
        ri->kind[0].level = 1;
        for (int32_t r = 0; r < n; r++) {
            ri->kind[0].each[r] = ri->role[r].n = ri->role[r].minimum = 1 + r % 2;
        }
    }
}

static void make_caps(struct roles_instance *ri, struct random *random, enum roles_kind kind)
{
    ri->roles.n_caps = (size_t)between(random, 1, kind == ROLES_BOUND ? 1 : 3);
    for (size_t i = 0; i < ri->roles.n_caps; i++) {
        ri->cap[i] = (struct skr_role_cap){
            .roles = (uint32_t)between(random, 1, (1 << ri->roles.n_roles) - 1),
            .level = between(random, 1, ri->in.tree.n_levels),
            .most =
                between(random, random_percent(random, 10) ? 0 : 1, kind == ROLES_BOUND ? 7 : 4)};
        if (random_percent(random, 40)) {
            ri->cap[i].against =
                (uint32_t)random_below(random, 1 << ri->roles.n_roles) & ~ri->cap[i].roles;
        }
    }
}

/* A part of a set that is alive: up to its members on leaves below one unit. */
static void claim_set(struct roles_instance *ri, struct random *random, int32_t k)
{
    const struct skr_tree *tree = &ri->in.tree;
    const int32_t level = ri->kind[k].level;
    const int32_t width = tree->level_first[level + 1] - tree->level_first[level];
    /* Often the first one, which then has several sets. */
    const int32_t unit =
        tree->level_first[level] + (random_percent(random, 50) ? 0 : random_below(random, width));
    bool any = false;
    for (int32_t r = 0; r < (int32_t)ri->roles.n_roles; r++) {
        for (int32_t i = 0; i < ri->kind[k].each[r]; i++) {
            int32_t u = unit;
            while (u < tree->first_leaf) {
                u = tree->child_first[u] + random_below(random, tree->child_count[u]);
            }
            if (random_percent(random, 50)) {
                ri->claimed[r][u - tree->first_leaf]++;
                any = true;
            }
        }
    }
    ri->alive[k][unit] += any;
    ri->kind[k].alive = ri->alive[k];
}

static void make_claims(struct roles_instance *ri, struct random *random)
{
    bool in_set[SKR_ROLES_MAX] = {false};
    for (int32_t k = 0; k < (int32_t)ri->roles.n_kinds; k++) {
        int32_t sets = 0;
        for (size_t r = 0; r < ri->roles.n_roles; r++) {
            in_set[r] = in_set[r] || ri->kind[k].each[r] > 0;
            sets = ri->kind[k].each[r] > 0 ? ri->role[r].n / ri->kind[k].each[r] : sets;
        }
        for (int32_t i = 0; i < sets; i++) {
            if (random_percent(random, 35)) {
                claim_set(ri, random, k);
            }
        }
    }
    for (size_t r = 0; r < ri->roles.n_roles; r++) {
        for (int32_t i = 0; !in_set[r] && i < ri->role[r].n; i++) {
            if (random_percent(random, 30)) {
                ri->claimed[r][random_below(random, ri->in.tree.n_leaves)]++;
            }
        }
    }
}

static void make_minimum(struct roles_instance *ri, struct random *random)
{
    for (size_t r = 0; r < ri->roles.n_roles; r++) {
        int32_t claims = 0;
        for (int32_t leaf = 0; leaf < ri->in.tree.n_leaves; leaf++) {
            claims += ri->claimed[r][leaf];
        }
        if (random_percent(random, 60)) {
            ri->role[r].minimum = between(random, claims > 1 ? claims : 1, ri->role[r].n);
        }
    }
}

void roles_instance_make(struct roles_instance *ret, uint64_t seed, enum roles_kind kind,
                         uint64_t index)
{
    const struct shape *shape = &shapes[kind];
    struct random random = {.state = seed * UINT64_C(0x2545f4914f6cdd1d) +
                                     index * ROLES_KIND_COUNT + (uint64_t)kind};
    random_next(&random);
    memset(ret, 0, sizeof *ret);
    make_tree(ret, &random, shape);
    make_roles(ret, &random, shape, kind);
    if (kind == ROLES_SETS || kind == ROLES_BOUND ||
        (kind == ROLES_CLAIMS && random_percent(&random, 70))) {
        make_sets(ret, &random, shape);
    }
    make_loads(ret, &random, kind);
    make_eligible(ret, &random, kind);
    for (size_t r = 1; r < ret->roles.n_roles && kind == ROLES_TWINS; r++) {
        if (random_percent(&random, 80)) {
            memcpy(ret->eligible[r], ret->eligible[r - 1], sizeof ret->eligible[r]);
        }
    }
    make_rules(ret, &random, shape, kind);
    const int32_t caps = kind == ROLES_SOFT ? 0 : kind == ROLES_CLAIMS ? 30 : 8;
    if (kind == ROLES_CAPS || kind == ROLES_BOUND || random_percent(&random, caps)) {
        make_caps(ret, &random, kind);
    }
    if (kind == ROLES_CLAIMS || kind == ROLES_PRESENT ||
        (kind == ROLES_BOUND && random_percent(&random, 40)) ||
        (kind != ROLES_SOFT && random_percent(&random, 8))) {
        make_claims(ret, &random);
    }
    const bool minimum = kind == ROLES_MINIMUM || kind == ROLES_PRESENT;
    if (minimum) {
        make_minimum(ret, &random);
    }
    struct skr_problem *problem = &ret->in.problem;
    problem->n_resources = INSTANCE_RESOURCES;
    problem->free = ret->in.free;
    problem->rule = ret->in.rule;
    problem->step_budget = -1;
    const bool tight = !minimum && random_percent(&random, 20);
    problem->tie_break = tight ? SKR_TIE_TIGHT : SKR_TIE_TREE;
    roles_instance_link(ret);
}

/* ---- in words ---- */

static void print_rule(const struct skr_rule *rule, FILE *to)
{
    fprintf(to, "%s%s", rule->hard ? "hard " : "", rule->type == SKR_RULE_PACK ? "pack" : "spread");
    const int32_t number[] = {rule->partitions, rule->min, rule->max, rule->factor};
    static const char *const name[] = {"partitions", "min", "max", "factor"};
    for (int32_t i = 0; i < 4; i++) {
        if (number[i] != 0) {
            fprintf(to, " %s %" PRId32, name[i], number[i]);
        }
    }
}

static void print_role(const struct roles_instance *ri, int32_t r, FILE *to)
{
    const struct skr_role *role = &ri->role[r];
    fprintf(to, "  role %s n=%" PRId32 " minimum=%" PRId32 " demand", role->name, role->n,
            role->minimum);
    for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
        fprintf(to, " %" PRId64, role->demand[d]);
    }
    for (int32_t leaf = 0; leaf < ri->in.tree.n_leaves; leaf++) {
        if (!ri->eligible[r][leaf]) {
            fprintf(to, " closed@%" PRId32, leaf);
        }
        if (ri->claimed[r][leaf] > 0) {
            fprintf(to, " claimed@%" PRId32 "=%" PRId32, leaf, ri->claimed[r][leaf]);
        }
    }
    for (int32_t level = 1; role->rule && level <= ri->in.tree.n_levels; level++) {
        if (role->has_rule[level - 1]) {
            fprintf(to, " L%" PRId32 "(", level);
            print_rule(&role->rule[level - 1], to);
            fprintf(to, ")");
        }
    }
    fprintf(to, "\n");
}

void roles_instance_print(const struct roles_instance *ri, FILE *to)
{
    const struct skr_tree *tree = &ri->in.tree;
    fprintf(to, "  children");
    for (int32_t u = 0; u < tree->first_leaf; u++) {
        fprintf(to, " %" PRId32, ri->in.child_count[u]);
    }
    fprintf(to, " free");
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const int64_t *f = &ri->in.free[leaf * INSTANCE_RESOURCES];
        fprintf(to, " %" PRId64 "/%" PRId64 "/%" PRId64, f[0], f[1], f[2]);
    }
    fprintf(to, " tie %s", ri->in.problem.tie_break == SKR_TIE_TIGHT ? "tight" : "tree");
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        fprintf(to, " L%" PRId32 "(", level);
        print_rule(&ri->in.rule[level - 1], to);
        fprintf(to, ")");
    }
    fprintf(to, "\n");
    for (size_t r = 0; r < ri->roles.n_roles; r++) {
        print_role(ri, (int32_t)r, to);
    }
    for (size_t k = 0; k < ri->roles.n_kinds; k++) {
        fprintf(to, "  sets at L%" PRId32 "%s of", ri->kind[k].level,
                ri->kind[k].exclusive ? " exclusive" : "");
        for (size_t r = 0; r < ri->roles.n_roles; r++) {
            fprintf(to, " %" PRId32, ri->kind[k].each[r]);
        }
        for (int32_t u = 0; ri->kind[k].alive && u < tree->n_units; u++) {
            if (ri->alive[k][u] > 0) {
                fprintf(to, " alive@unit%" PRId32 "=%" PRId32, u, ri->alive[k][u]);
            }
        }
        fprintf(to, "\n");
    }
    for (size_t i = 0; i < ri->roles.n_caps; i++) {
        fprintf(to,
                "  cap roles 0x%" PRIx32 " against 0x%" PRIx32 " L%" PRId32 " most %" PRId32 "\n",
                ri->cap[i].roles, ri->cap[i].against, ri->cap[i].level, ri->cap[i].most);
    }
}
