/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laws of placements whose members are not equal: problems that mean the same have one answer, and
 * more freedom never turns yes into no. The solver alone, without an oracle.
 */
#include <inttypes.h>

#include "test/property/roles_trial.h"
#include "test/test.h"

/* One problem of each kind in turn. */
static enum roles_kind make(struct roles_instance *ri, uint64_t index)
{
    const enum roles_kind kind = (enum roles_kind)(index % ROLES_KIND_COUNT);
    roles_instance_make(ri, trial.seed + 4000037, kind, index / ROLES_KIND_COUNT);
    return kind;
}

/* Whether a role need not be complete. */
static bool has_minimum(const struct roles_instance *ri)
{
    bool any = false;
    for (size_t r = 0; r < ri->roles.n_roles; r++) {
        any = any || ri->role[r].minimum < ri->role[r].n;
    }
    return any;
}

static void free_of_sets_and_caps(struct roles_instance *ri)
{
    ri->roles.n_kinds = 0;
    ri->roles.n_caps = 0;
}

static void free_of_own_rules(struct roles_instance *ri)
{
    for (size_t r = 0; r < ri->roles.n_roles; r++) {
        ri->role[r].rule = NULL;
    }
    roles_instance_link(ri);
}

/* Keys of the group alone; infeasible ones are equal. */
static bool keys_equal(const struct roles_instance *ri, const struct skr_solution *a,
                       const struct skr_solution *b)
{
    return a->status == b->status &&
           (a->status != SKR_SOLVE_PLACED || trial_keys_equal(&ri->in.tree, a->key, b->key));
}

TEST(one_role_is_a_problem_of_equal_members)
{
    for (uint64_t i = trial.first; i < trial.first + roles_share(4); i++) {
        struct roles_instance ri;
        const enum roles_kind kind = make(&ri, i);
        ri.roles.n_roles = 1;
        free_of_sets_and_caps(&ri);
        ri.role[0].n = ri.role[0].minimum = 1 + (int32_t)(i % 9) + ri.role[0].n;
        roles_instance_link(&ri);
        struct skr_problem plain = ri.in.problem;
        struct skr_rule rule[INSTANCE_LEVELS_MAX];
        for (int32_t level = 0; level < ri.in.tree.n_levels; level++) {
            const bool own = ri.role[0].rule && ri.has_rule[0][level];
            rule[level] = own ? ri.own[0][level] : ri.in.rule[level];
            ri.in.rule[level] = own ? (struct skr_rule){0} : ri.in.rule[level];
        }
        plain.rule = rule;
        plain.roles = NULL;
        plain.demand = ri.demand[0];
        plain.eligible = ri.eligible[0];
        plain.claimed = ri.claimed[0];
        SKR_AUTO(skr_solution_destroy) struct skr_solution *want = NULL;
        assert_int_equal(skr_solve(&plain, &want, NULL), 0);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = roles_solve(&ri);
        if (!keys_equal(&ri, want, got) ||
            (want->status == SKR_SOLVE_PLACED &&
             memcmp(want->count, got->count, (size_t)ri.in.tree.n_leaves * sizeof(int32_t)) != 0)) {
            roles_fail(&ri, kind, i, "one role is not a problem of equal members", NULL, NULL);
        }
    }
}

TEST(twins_are_one_role)
{
    for (uint64_t i = trial.first; i < trial.first + roles_share(8); i++) {
        struct roles_instance ri, merged;
        const enum roles_kind kind = make(&ri, i);
        if (ri.roles.n_roles < 2 || has_minimum(&ri)) {
            continue;
        }
        free_of_sets_and_caps(&ri);
        free_of_own_rules(&ri);
        ri.in.problem.tie_break = SKR_TIE_TREE;
        memcpy(ri.demand[1], ri.demand[0], sizeof ri.demand[0]);
        memcpy(ri.eligible[1], ri.eligible[0], sizeof ri.eligible[0]);
        roles_instance_copy(&merged, &ri);
        merged.role[0].n += merged.role[1].n;
        merged.role[0].minimum = merged.role[0].n;
        for (int32_t leaf = 0; leaf < ri.in.tree.n_leaves; leaf++) {
            merged.claimed[0][leaf] += merged.claimed[1][leaf];
        }
        const size_t last = --merged.roles.n_roles;
        merged.role[1] = merged.role[last];
        memcpy(merged.demand[1], merged.demand[last], sizeof merged.demand[1]);
        memcpy(merged.eligible[1], merged.eligible[last], sizeof merged.eligible[1]);
        memcpy(merged.claimed[1], merged.claimed[last], sizeof merged.claimed[1]);
        roles_instance_link(&merged);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *two = roles_solve(&ri);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *one = roles_solve(&merged);
        if (!keys_equal(&ri, two, one)) {
            roles_fail(&ri, kind, i, "merged twins have another key", NULL, NULL);
        }
    }
}

/* Roles in reverse order. */
static void reverse(struct roles_instance *ret, const struct roles_instance *from)
{
    roles_instance_copy(ret, from);
    const size_t n = from->roles.n_roles;
    for (size_t r = 0; r < n; r++) {
        const size_t other = n - 1 - r;
        ret->role[r] = from->role[other];
        memcpy(ret->demand[r], from->demand[other], sizeof ret->demand[r]);
        memcpy(ret->eligible[r], from->eligible[other], sizeof ret->eligible[r]);
        memcpy(ret->claimed[r], from->claimed[other], sizeof ret->claimed[r]);
        for (size_t k = 0; k < from->roles.n_kinds; k++) {
            ret->kind[k].each[r] = from->kind[k].each[other];
        }
    }
    for (size_t i = 0; i < from->roles.n_caps; i++) {
        ret->cap[i].roles = ret->cap[i].against = 0;
        for (size_t r = 0; r < n; r++) {
            ret->cap[i].roles |= (from->cap[i].roles >> (n - 1 - r) & 1U) << r;
            ret->cap[i].against |= (from->cap[i].against >> (n - 1 - r) & 1U) << r;
        }
    }
    roles_instance_link(ret);
}

TEST(the_order_of_roles_without_own_rules_changes_no_key)
{
    for (uint64_t i = trial.first; i < trial.first + roles_share(8); i++) {
        struct roles_instance ri, reversed;
        const enum roles_kind kind = make(&ri, i);
        if (has_minimum(&ri)) {
            continue; /* its sizes follow the order */
        }
        free_of_own_rules(&ri);
        ri.in.problem.tie_break = SKR_TIE_TREE;
        reverse(&reversed, &ri);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *a = roles_solve(&ri);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *b = roles_solve(&reversed);
        if (!keys_equal(&ri, a, b)) {
            roles_fail(&ri, kind, i, "another order of roles has another key", NULL, NULL);
        }
    }
}

TEST(scaling_demands_and_room_changes_nothing)
{
    for (uint64_t i = trial.first; i < trial.first + roles_share(8); i++) {
        struct roles_instance ri, scaled;
        struct roles_answer want, got;
        const enum roles_kind kind = make(&ri, i);
        roles_instance_copy(&scaled, &ri);
        for (size_t r = 0; r < ri.roles.n_roles; r++) {
            for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
                scaled.demand[r][d] *= INT64_C(1) << 40;
            }
        }
        for (int32_t at = 0; at < ri.in.tree.n_leaves * INSTANCE_RESOURCES; at++) {
            scaled.in.free[at] *= INT64_C(1) << 40;
        }
        roles_solve_answer(&ri, &want);
        roles_solve_answer(&scaled, &got);
        if (memcmp(&want, &got, sizeof want) != 0) {
            roles_fail(&ri, kind, i, "scaling changes the answer", &want, &got);
        }
    }
}

/* Hard pack on a level and on those above it puts all members into one unit, as one set does. */
TEST(one_set_of_all_roles_is_a_hard_pack_down_to_its_level)
{
    for (uint64_t i = trial.first; i < trial.first + roles_share(8); i++) {
        struct roles_instance ri, packed;
        const enum roles_kind kind = make(&ri, i);
        if (has_minimum(&ri)) {
            continue;
        }
        const int32_t level = 1 + (int32_t)(i / ROLES_KIND_COUNT % (uint64_t)ri.in.tree.n_levels);
        free_of_sets_and_caps(&ri);
        free_of_own_rules(&ri);
        for (int32_t l = 0; l < level; l++) {
            ri.in.rule[l] = (struct skr_rule){0};
        }
        roles_instance_copy(&packed, &ri);
        ri.roles.n_kinds = 1;
        ri.kind[0] = (struct skr_set_kind){.level = level};
        for (size_t r = 0; r < ri.roles.n_roles; r++) {
            ri.kind[0].each[r] = ri.role[r].n;
        }
        for (int32_t l = 0; l < level; l++) {
            packed.in.rule[l].hard = true;
        }
        struct roles_answer want, got;
        roles_solve_answer(&packed, &want);
        roles_solve_answer(&ri, &got);
        if (memcmp(&want, &got, sizeof want) != 0) {
            roles_fail(&ri, kind, i, "a set of all is no hard pack", &want, &got);
        }
    }
}

/* max: 1 at the leaves leaves the key of the role nothing to decide. */
TEST(a_cap_of_one_on_nodes_is_max_one)
{
    for (uint64_t i = trial.first; i < trial.first + roles_share(8); i++) {
        struct roles_instance ri, ruled;
        const enum roles_kind kind = make(&ri, i);
        const int32_t leaves = ri.in.tree.n_levels - 1;
        const size_t r = (size_t)(i / ROLES_KIND_COUNT) % ri.roles.n_roles;
        free_of_sets_and_caps(&ri);
        free_of_own_rules(&ri);
        memset(ri.claimed, 0, sizeof ri.claimed);
        ri.in.problem.tie_break = SKR_TIE_TREE;
        roles_instance_copy(&ruled, &ri);
        ri.roles.n_caps = 1;
        ri.cap[0] = (struct skr_role_cap){.roles = 1U << r, .level = leaves + 1, .most = 1};
        memset(ruled.has_rule, 0, sizeof ruled.has_rule);
        ruled.own[r][leaves] = (struct skr_rule){.max = 1};
        ruled.has_rule[r][leaves] = 1;
        ruled.role[r].rule = ruled.own[r];
        roles_instance_link(&ruled);
        struct roles_answer want, got;
        if (ri.roles.n_roles == 1) {
            continue; /* its own type would stand for that of the group */
        }
        roles_solve_answer(&ruled, &want);
        roles_solve_answer(&ri, &got);
        if (memcmp(&want, &got, sizeof want) != 0) {
            roles_fail(&ri, kind, i, "a cap of one is not max 1", &want, &got);
        }
    }
}

/* ---- more freedom ---- */

static bool only_max_binds(const struct roles_instance *ri)
{
    bool only = ri->roles.n_kinds == 0;
    for (int32_t level = 0; level < ri->in.tree.n_levels; level++) {
        const struct skr_rule *rule = &ri->in.rule[level];
        only = only && !rule->hard && rule->partitions <= 0 && rule->min <= 0 && rule->factor <= 1;
        for (size_t r = 0; r < ri->roles.n_roles; r++) {
            rule = &ri->own[r][level];
            only = only &&
                   (!ri->role[r].rule || !ri->has_rule[r][level] ||
                    (!rule->hard && rule->partitions <= 0 && rule->min <= 0 && rule->factor <= 1));
        }
    }
    return only;
}

/* One change that gives more freedom; false: it does not apply. */
static bool relax(struct roles_instance *ri, struct random *random)
{
    const int32_t leaf = random_below(random, ri->in.tree.n_leaves);
    const size_t r = (size_t)random_below(random, (int32_t)ri->roles.n_roles);
    const int32_t level = random_below(random, ri->in.tree.n_levels);
    switch (random_below(random, 7)) {
    case 0:
        for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
            int64_t *amount = &ri->in.free[leaf * INSTANCE_RESOURCES + d];
            *amount = (*amount > 0 ? *amount : 0) + random_below(random, 6);
        }
        return true;
    case 1:
        ri->eligible[r][leaf] = 1;
        return true;
    case 2:
        ri->in.rule[level] = (struct skr_rule){.type = ri->in.rule[level].type};
        return true;
    case 3:
        ri->has_rule[r][level] = 0;
        return ri->role[r].rule;
    case 4:
        return ri->roles.n_caps > 0 && ri->roles.n_caps-- > 0;
    case 5:
        return ri->roles.n_kinds > 0 && ri->roles.n_kinds-- > 0;
    default:
        if (ri->role[r].n == 1 || !only_max_binds(ri) ||
            roles_instance_claims(ri, (int32_t)r, 0) == ri->role[r].n) {
            return false;
        }
        ri->role[r].n--;
        ri->role[r].minimum -= ri->role[r].minimum > ri->role[r].n;
        return true;
    }
}

TEST(more_freedom_never_turns_yes_into_no)
{
    uint64_t tried = 0;
    for (uint64_t i = trial.first; i < trial.first + roles_share(4); i++) {
        struct roles_instance ri, relaxed;
        struct roles_answer before, after;
        struct random random = {.state = trial.seed * 31 + i};
        const enum roles_kind kind = make(&ri, i);
        roles_solve_answer(&ri, &before);
        roles_instance_copy(&relaxed, &ri);
        if (!before.feasible || !relax(&relaxed, &random)) {
            continue;
        }
        roles_instance_link(&relaxed);
        roles_solve_answer(&relaxed, &after);
        if (!after.feasible) {
            roles_instance_print(&relaxed, stdout);
            roles_fail(&ri, kind, i, "more freedom makes it infeasible", &before, &after);
        }
        tried++;
    }
    assert_true(trial.n < 1000 || tried > roles_share(20));
}

TEST(permuted_siblings_have_equal_keys)
{
    for (uint64_t i = trial.first; i < trial.first + roles_share(8); i++) {
        struct roles_instance ri, turned;
        const enum roles_kind kind = make(&ri, i);
        const struct skr_tree *tree = &ri.in.tree;
        bool alive = false; /* live sets are bound to their units */
        for (size_t k = 0; k < ri.roles.n_kinds; k++) {
            alive = alive || ri.kind[k].alive;
        }
        if (alive) {
            continue;
        }
        roles_instance_copy(&turned, &ri);
        /* The leaves of each unit of the level above them, in reverse order. */
        for (int32_t u = tree->level_first[tree->n_levels - 1]; u < tree->first_leaf; u++) {
            for (int32_t c = 0; c < tree->child_count[u]; c++) {
                const int32_t from = tree->child_first[u] + c - tree->first_leaf;
                const int32_t to =
                    tree->child_first[u] + tree->child_count[u] - 1 - c - tree->first_leaf;
                memcpy(&turned.in.free[to * INSTANCE_RESOURCES],
                       &ri.in.free[from * INSTANCE_RESOURCES], sizeof(int64_t[INSTANCE_RESOURCES]));
                for (size_t r = 0; r < ri.roles.n_roles; r++) {
                    turned.eligible[r][to] = ri.eligible[r][from];
                    turned.claimed[r][to] = ri.claimed[r][from];
                }
            }
        }
        SKR_AUTO(skr_solution_destroy) struct skr_solution *a = roles_solve(&ri);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *b = roles_solve(&turned);
        if (!keys_equal(&ri, a, b)) {
            roles_fail(&ri, kind, i, "permuted siblings have another key", NULL, NULL);
        }
    }
}

/* ---- beyond the exact range ---- */

/* An undecided problem: whether it has the best placement of a part. That part fits by itself. */
static bool is_true_of_a_part(const struct roles_instance *ri, enum roles_kind kind, uint64_t index,
                              const struct skr_solution *rough)
{
    struct roles_instance part;
    bool any = false, whole = true;
    roles_instance_copy(&part, ri);
    part.roles.row_limit = 0;
    for (size_t r = 0; r < part.roles.n_roles; r++) {
        const int32_t left = rough->roles->left_out[r];
        part.role[r].n -= left;
        part.role[r].minimum = part.role[r].n;
        whole = whole && left >= 0 && left < ri->role[r].n;
        any = any || left > 0;
    }
    roles_instance_link(&part);
    if (rough->status != SKR_SOLVE_TIMEOUT || !any || !whole) {
        return any;
    }
    SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = roles_solve(&part);
    if (solution->status != SKR_SOLVE_PLACED) {
        roles_fail(ri, kind, index, "the part does not fit", NULL, NULL);
    }
    return true;
}

/* With room for 8 keys in a span most problems are beyond it. */
TEST(beyond_the_exact_range_there_is_no_wrong_answer)
{
    uint64_t feasible = 0, undecided = 0, parts = 0;
    for (uint64_t i = trial.first; i < trial.first + roles_share(4); i++) {
        struct roles_instance ri;
        struct roles_answer want, got;
        const enum roles_kind kind = make(&ri, i);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *exact = roles_solve(&ri);
        roles_to_answer(&ri, exact, &want);
        ri.roles.row_limit = 8;
        SKR_AUTO(skr_solution_destroy) struct skr_solution *rough = roles_solve(&ri);
        roles_to_answer(&ri, rough, &got);
        feasible += want.feasible;
        undecided += want.feasible && rough->status == SKR_SOLVE_TIMEOUT;
        if (rough->status == SKR_SOLVE_INFEASIBLE && want.feasible) {
            roles_fail(&ri, kind, i, "refused beyond the range", &want, &got);
        }
        if (!got.feasible) {
            parts += is_true_of_a_part(&ri, kind, i, rough);
            continue;
        }
        if (!want.feasible || !roles_is_valid(&ri, &got, got.size)) {
            roles_fail(&ri, kind, i, "not valid beyond the range", &want, &got);
        }
        const bool same = memcmp(want.size, got.size, sizeof want.size) == 0;
        if (rough->optimal && (!same || roles_compare_keys(&ri, &want, &got) != 0)) {
            roles_fail(&ri, kind, i, "called optimal beyond the range, and is not", &want, &got);
        }
        for (int32_t level = 0; same && !rough->optimal && level < ri.in.tree.n_levels; level++) {
            if (rough->roles->least_used &&
                rough->roles->least_used[level] > exact->key[level].used) {
                roles_fail(&ri, kind, i, "the bound is beyond the optimum", &want, &got);
            }
        }
    }
    printf("  %" PRIu64 " of %" PRIu64 " feasible ones undecided; %" PRIu64
           " problems with a part\n",
           undecided, feasible, parts);
    assert_true(feasible < 1000 || undecided <= feasible / 100);
}

BEFORE_ALL
{
    trial_begin("laws of roles");
}
