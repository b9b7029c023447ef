/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Victims of random preemptions: the search chooses the set that an enumeration of all subsets of
 * the candidates chooses, criterion by criterion. The enumerator of placements judges each subset. Some
 * leaves have a table for one resource. Some members go by steps, and some groups have rules on counts.
 */
#include "core/solver/victims.h"
#include "test/property/trial.h"
#include "test/test.h"

enum { GIVERS = 3, VICTIMS = 8, SHARES = 3, BUDGETS = 2, CHARGES = 2 };

struct world {
    struct instance in;
    struct skr_victims_problem problem;
    struct skr_victim victim[VICTIMS];
    struct skr_victim_share share[VICTIMS][SHARES];
    int64_t amount[VICTIMS][SHARES][INSTANCE_RESOURCES];
    struct skr_victim_charge charge[VICTIMS][CHARGES];
    int32_t budget[BUDGETS];
    struct skr_victim_table table[INSTANCE_LEAVES_MAX];
    size_t of_table[INSTANCE_LEAVES_MAX][VICTIMS];
    int64_t room[INSTANCE_LEAVES_MAX][1 << VICTIMS];
    char name[VICTIMS][16];
    int32_t giver_priority[GIVERS], step[GIVERS], beyond[GIVERS];
    bool ruled[GIVERS];
    struct skr_victim_scope scope[2 * GIVERS];
    struct skr_rule rule[2 * GIVERS][SKR_LEVELS_MAX];
    int32_t count[2 * GIVERS][INSTANCE_LEAVES_MAX];
};

static const struct instance_shape small = {.leaves = 6, .slots = 4, .n = 7};

/* ---- random preemptions ---- */

static void make_shares(struct world *w, struct random *random, int32_t i)
{
    struct skr_victim *v = &w->victim[i];
    int32_t leaf = random_below(random, w->in.tree.n_leaves);
    int32_t n = 1 + random_below(random, SHARES);
    for (int32_t s = 0; s < n && s < w->in.tree.n_leaves; s++) {
        int32_t at = (leaf + s) % w->in.tree.n_leaves;
        int32_t members = 1 + random_below(random, 2);
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            int64_t demand = w->in.demand[0][r];
            /* Half a slot, a slot, and more than one. */
            int64_t each = (demand + 1) / 2 * (1 + random_below(random, 3));
            w->amount[i][s][r] = random_percent(random, 15) ? 0 : each * members;
        }
        w->share[i][s] = (struct skr_victim_share){.leaf = at, .amount = w->amount[i][s]};
        v->members += members;
        v->n_shares++;
    }
}

/* Takes what victims use out of free. */
static void take_room(struct world *w, const struct skr_victim *v)
{
    for (size_t s = 0; s < v->n_shares; s++) {
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            w->in.free[v->share[s].leaf * INSTANCE_RESOURCES + r] -= v->share[s].amount[r];
        }
    }
}

/* A member of a group that may not be chosen itself. */
static void make_follower(struct world *w, struct random *random, int32_t i)
{
    struct skr_victim *v = &w->victim[i];
    v->giver = random_below(random, GIVERS - 1);
    make_shares(w, random, i);
    v->n_shares = w->ruled[v->giver] ? 1 : v->n_shares;
    take_room(w, v);
    v->kind = SKR_VICTIM_SURPLUS;
    v->members = 1;
    v->ruled = w->ruled[v->giver];
    v->role = random_below(random, 2);
    v->rank = random_below(random, 3);
    v->priority = w->giver_priority[v->giver];
    v->step = w->step[v->giver];
    w->beyond[v->giver]++;
}

/* One member of an earlier group, as a victim of its own. */
static bool make_surplus(struct world *w, struct random *random, int32_t i)
{
    if (i == 0) {
        return false;
    }
    int32_t of = random_below(random, i);
    struct skr_victim *v = &w->victim[i];
    for (int32_t other = 0; other < i; other++) { /* together they would free more than it has */
        if (w->victim[other].surplus_of == of) {
            return false;
        }
    }
    if (w->victim[of].kind != SKR_VICTIM_GROUP || w->victim[of].members < 2) {
        return false;
    }
    v->kind = SKR_VICTIM_SURPLUS;
    v->priority = w->victim[of].priority;
    v->members = 1;
    v->giver = GIVERS - 1;
    v->surplus_of = of;
    for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
        w->amount[i][0][r] = (w->amount[of][0][r] + 1) / 2;
    }
    w->share[i][0] = (struct skr_victim_share){w->share[of][0].leaf, w->amount[i][0]};
    v->n_shares = 1;
    return true;
}

/* Rules of a group for all members, or of its role 0. Some members of it may not go. */
static void make_scope(struct world *w, struct random *random, int32_t giver, int32_t role)
{
    const size_t at = w->problem.n_scopes++;
    const struct skr_tree *tree = &w->in.tree;
    struct skr_victim_scope *scope = &w->scope[at];
    *scope =
        (struct skr_victim_scope){.giver = giver,
                                  .role = role,
                                  .problem = {.tree = tree, .rule = w->rule[at], .step_budget = -1},
                                  .count = w->count[at]};
    for (int32_t level = 0; level < tree->n_levels; level++) {
        w->rule[at][level] = (struct skr_rule){.partitions = random_below(random, 3),
                                               .min = 1 + random_percent(random, 30),
                                               .max = INT32_MAX,
                                               .factor = 1 + random_percent(random, 30)};
        w->rule[at][level].partitions -= w->rule[at][level].partitions == 0;
    }
    for (int32_t i = 0; i < VICTIMS; i++) {
        const struct skr_victim *v = &w->victim[i];
        if (v->ruled && v->giver == giver && (role < 0 || v->role == role)) {
            scope->count[v->share[0].leaf]++;
            scope->problem.n++;
        }
    }
    for (int32_t i = random_below(random, 3); i > 0; i--) {
        scope->count[random_below(random, tree->n_leaves)]++;
        scope->problem.n++;
    }
}

/* The amount of the resource that the victim frees on the leaf; NULL: it is not there. */
static int64_t *amount_on(struct world *w, int32_t victim, int32_t leaf, size_t resource)
{
    const struct skr_victim *v = &w->victim[victim];
    for (size_t s = 0; s < v->n_shares; s++) {
        if (v->share[s].leaf == leaf) {
            return &w->amount[victim][s][resource];
        }
    }
    return NULL;
}

/* Room of a resource of the leaf that is no sum: the first two victims together free more than each. */
static void make_table(struct world *w, struct random *random, int32_t leaf)
{
    const size_t resource = (size_t)random_below(random, INSTANCE_RESOURCES);
    struct skr_victim_table *table = &w->table[w->problem.n_tables];
    size_t *victim = w->of_table[w->problem.n_tables];
    int64_t *room = w->room[w->problem.n_tables];
    int64_t adds[VICTIMS], demand = w->in.demand[0][resource];
    *table = (struct skr_victim_table){
        .leaf = leaf, .resource = resource, .victim = victim, .room = room};
    for (int32_t i = 0; i < (int32_t)w->problem.n_victims; i++) {
        if (amount_on(w, i, leaf, resource)) {
            if (w->victim[i].surplus_of >= 0) {
                return; /* its group frees at least as much */
            }
            adds[table->n] = (demand + 1) / 2 * random_below(random, 4);
            victim[table->n++] = (size_t)i;
        }
    }
    if (table->n == 0) {
        return;
    }
    const bool all_sets = table->n <= SKR_VICTIM_TABLE_SETS;
    const int64_t bonus = all_sets && table->n > 1 ? demand * random_below(random, 2) : 0;
    const size_t n_sets = all_sets ? (size_t)1 << table->n : table->n + 1;
    for (size_t set = 0; set < n_sets; set++) {
        room[set] = w->in.free[leaf * INSTANCE_RESOURCES + (int32_t)resource];
        for (size_t i = 0; i < table->n; i++) {
            room[set] += (all_sets ? set >> i & 1 : i < set) ? adds[i] : 0;
        }
        room[set] += all_sets && (set & 3) == 3 ? bonus : 0;
    }
    for (size_t i = 0; i < table->n; i++) {
        *amount_on(w, (int32_t)victim[i], leaf, resource) =
            all_sets ? adds[i] + (i < 2 ? bonus : 0) : room[table->n] - room[i];
    }
    w->problem.table = w->table;
    w->problem.n_tables++;
}

static void world_make(struct world *w, uint64_t index)
{
    struct random random = {.state = index * 77 + trial.seed};
    memset(w, 0, sizeof *w);
    instance_make(&w->in, trial.seed + 90, index, &small);
    if (w->in.problem.n > 0 && random_percent(&random, 10)) {
        instance_bound(&w->in, &random);
    }
    int32_t n = 2 + random_below(&random, VICTIMS - 1);
    bool budgets = random_percent(&random, 25);
    w->budget[0] = random_below(&random, 6);
    w->budget[1] = random_below(&random, 6);
    const int32_t followers = random_percent(&random, 50) ? 60 : 0;
    for (int32_t g = 0; g < GIVERS; g++) {
        w->giver_priority[g] = random_below(&random, 5) - 1;
        w->step[g] = random_below(&random, 4);
        w->beyond[g] = random_percent(&random, 25); /* one that may not go */
        w->ruled[g] = random_percent(&random, 40);
    }
    for (int32_t i = 0; i < n; i++) {
        struct skr_victim *v = &w->victim[i];
        /* The order of names differs from that of the numbers. */
        snprintf(w->name[i], sizeof w->name[i], "ns/v%d", (int)((i * 5 + 3) % 16));
        *v = (struct skr_victim){.name = w->name[i],
                                 .kind = SKR_VICTIM_GROUP,
                                 .priority = random_below(&random, 5) - 1,
                                 .surplus_of = -1,
                                 .share = w->share[i],
                                 .charge = w->charge[i]};
        if (random_percent(&random, followers)) {
            make_follower(w, &random, i);
        } else if (!random_percent(&random, 15) || !make_surplus(w, &random, i)) {
            v->kind = random_percent(&random, 20) ? SKR_VICTIM_POD : SKR_VICTIM_GROUP;
            make_shares(w, &random, i);
            take_room(w, v);
            v->members = random_percent(&random, 10) ? 0 : v->members;
        }
        if (budgets && random_percent(&random, 50)) {
            w->charge[i][v->n_charges++] =
                (struct skr_victim_charge){random_below(&random, BUDGETS), v->members};
        }
    }
    for (int32_t i = 0; i < n; i++) {
        w->victim[i].beyond = w->beyond[w->victim[i].giver];
    }
    w->problem = (struct skr_victims_problem){
        .n_givers = GIVERS,
        .problem = &w->in.problem,
        .priority = random_percent(&random, 80) ? 4 : random_below(&random, 6) - 1,
        .n_victims = (size_t)n,
        .victim = w->victim,
        .n_budgets = BUDGETS,
        .budget = w->budget,
        .step_budget = 1 << 24};
    w->in.problem.step_budget = -1;
    w->problem.scope = w->scope;
    for (int32_t g = 0; g < GIVERS - 1; g++) {
        for (int32_t role = -1; w->ruled[g] && role < random_below(&random, 2); role++) {
            make_scope(w, &random, g, role);
        }
    }
    const int32_t tables = random_percent(&random, 30) ? 50 : 0;
    for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
        if (random_percent(&random, tables)) {
            make_table(w, &random, leaf);
        }
    }
}

/* ---- all subsets ---- */

struct subset {
    uint32_t set;
    int32_t rank; /* highest priority, groups above members, above all pods; INT32_MIN: empty */
    int32_t groups, members;
    int32_t follower; /* highest priority of single members; INT32_MIN: none */
};

static bool has(uint32_t set, int32_t i)
{
    return set >> i & 1;
}

static int32_t rank_of(const struct skr_victim *v)
{
    return v->kind == SKR_VICTIM_POD       ? v->priority - 1000
           : v->kind == SKR_VICTIM_SURPLUS ? -500
                                           : v->priority;
}

static bool is_allowed(const struct world *w, uint32_t set)
{
    int64_t used[BUDGETS] = {0};
    int32_t given[GIVERS] = {0};
    for (int32_t i = 0; i < (int32_t)w->problem.n_victims; i++) {
        const struct skr_victim *v = &w->victim[i];
        if (!has(set, i)) {
            continue;
        }
        if (w->problem.priority <= 0 ||
            (v->kind != SKR_VICTIM_POD && v->priority >= w->problem.priority) ||
            (v->kind == SKR_VICTIM_SURPLUS && v->surplus_of >= 0 && has(set, v->surplus_of))) {
            return false;
        }
        given[v->giver] += v->kind == SKR_VICTIM_SURPLUS;
        for (size_t c = 0; c < v->n_charges; c++) {
            used[v->charge[c].budget] += v->charge[c].members;
        }
    }
    bool whole = true;
    for (int32_t g = 0; g < GIVERS - 1; g++) {
        const int32_t left = w->beyond[g] - given[g];
        whole = whole && (given[g] == 0 || w->step[g] < 2 || left % w->step[g] == 0);
    }
    for (size_t s = 0; whole && s < w->problem.n_scopes; s++) {
        const struct skr_victim_scope *scope = &w->scope[s];
        struct skr_problem left = scope->problem;
        int32_t count[INSTANCE_LEAVES_MAX];
        memcpy(count, scope->count, sizeof count);
        for (int32_t i = 0; i < (int32_t)w->problem.n_victims; i++) {
            const struct skr_victim *v = &w->victim[i];
            if (has(set, i) && v->ruled && v->giver == scope->giver &&
                (scope->role < 0 || v->role == scope->role)) {
                count[v->share[0].leaf]--;
                left.n--;
            }
        }
        whole = given[scope->giver] == 0 || left.n == 0 || !skr_solution_check(&left, count, NULL);
    }
    return whole && used[0] <= w->budget[0] && used[1] <= w->budget[1];
}

static void solve_without(const struct world *w, uint32_t set, struct oracle_answer *ret)
{
    struct instance in;
    instance_copy(&in, &w->in);
    for (int32_t i = 0; i < (int32_t)w->problem.n_victims; i++) {
        const struct skr_victim *v = &w->victim[i];
        for (size_t s = 0; s < v->n_shares && has(set, i); s++) {
            for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
                in.free[v->share[s].leaf * INSTANCE_RESOURCES + r] += v->share[s].amount[r];
            }
        }
    }
    for (size_t t = 0; t < w->problem.n_tables; t++) {
        const struct skr_victim_table *table = &w->table[t];
        size_t at = 0, first = 0;
        for (size_t i = 0; i < table->n; i++) {
            at += has(set, (int32_t)table->victim[i]) ? (size_t)1 << i : 0;
            first += first == i && has(set, (int32_t)table->victim[i]);
        }
        in.free[table->leaf * INSTANCE_RESOURCES + (int32_t)table->resource] =
            table->room[table->n <= SKR_VICTIM_TABLE_SETS ? at : first];
    }
    in.problem.tie_break = SKR_TIE_TREE;
    enumerator_solve(&in, ret);
}

static int by_cost(const void *a, const void *b)
{
    const struct subset *x = a;
    const struct subset *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    if (x->groups != y->groups) {
        return x->groups - y->groups;
    }
    if (x->members != y->members) {
        return x->members - y->members;
    }
    return (x->follower > y->follower) - (x->follower < y->follower);
}

static int compare_victims(const void *a, const void *b)
{
    const struct skr_victim *x = *(const struct skr_victim *const *)a;
    const struct skr_victim *y = *(const struct skr_victim *const *)b;
    return x->rank != y->rank ? y->rank - x->rank : strcmp(x->name, y->name);
}

static size_t victims_of(const struct world *w, uint32_t set, const struct skr_victim **ret)
{
    size_t n = 0;
    for (int32_t i = 0; i < (int32_t)w->problem.n_victims; i++) {
        if (has(set, i)) {
            ret[n++] = &w->victim[i];
        }
    }
    qsort(ret, n, sizeof *ret, compare_victims);
    return n;
}

static int compare_names(const struct world *w, uint32_t a, uint32_t b)
{
    const struct skr_victim *of_a[VICTIMS], *of_b[VICTIMS];
    size_t n_a = victims_of(w, a, of_a), n_b = victims_of(w, b, of_b);
    for (size_t i = 0; i < n_a && i < n_b; i++) {
        int order = compare_victims(&of_a[i], &of_b[i]);
        if (order != 0) {
            return order;
        }
    }
    return n_a < n_b ? -1 : n_a > n_b;
}

static struct subset subset_of(const struct world *w, uint32_t set)
{
    struct subset s = {.set = set, .rank = INT32_MIN, .follower = INT32_MIN};
    for (int32_t i = 0; i < (int32_t)w->problem.n_victims; i++) {
        if (has(set, i)) {
            s.rank = rank_of(&w->victim[i]) > s.rank ? rank_of(&w->victim[i]) : s.rank;
            s.groups += w->victim[i].kind != SKR_VICTIM_SURPLUS;
            s.members += w->victim[i].members;
            if (w->victim[i].kind == SKR_VICTIM_SURPLUS && w->victim[i].priority > s.follower) {
                s.follower = w->victim[i].priority;
            }
        }
    }
    return s;
}

/* false: no allowed subset suffices. */
static bool best_subset(const struct world *w, struct subset *ret)
{
    struct subset all[1 << VICTIMS];
    struct oracle_answer best, answer;
    size_t n = 0;
    bool found = false;
    for (uint32_t set = 0; set < UINT32_C(1) << w->problem.n_victims; set++) {
        if (is_allowed(w, set)) {
            all[n++] = subset_of(w, set);
        }
    }
    qsort(all, n, sizeof *all, by_cost);
    for (size_t i = 0; i < n && (!found || by_cost(&all[i], ret) == 0); i++) {
        solve_without(w, all[i].set, &answer);
        if (!answer.feasible) {
            continue;
        }
        int order = found ? enumerator_compare(&w->in, &answer, &best) : -1;
        if (order < 0 || (order == 0 && compare_names(w, all[i].set, ret->set) < 0)) {
            best = answer;
            *ret = all[i];
        }
        found = true;
    }
    return found;
}

static void print_set(const struct world *w, const char *what, uint32_t set)
{
    struct subset s = subset_of(w, set);
    printf("  %s: rank %d, %d groups, %d members:", what, (int)s.rank, (int)s.groups,
           (int)s.members);
    for (int32_t i = 0; i < (int32_t)w->problem.n_victims; i++) {
        if (has(set, i)) {
            printf(" %s", w->name[i]);
        }
    }
    for (int32_t i = 0; i < (int32_t)w->problem.n_victims; i++) {
        const struct skr_victim *v = &w->victim[i];
        printf("\n    %s kind %d priority %d rank %d giver %d of %d step %d beyond %d members %d",
               v->name, (int)v->kind, (int)v->priority, (int)v->rank, (int)v->giver,
               (int)v->surplus_of, (int)v->step, (int)v->beyond, (int)v->members);
    }
    printf("\n");
}

static uint32_t set_of(const struct skr_victims *v)
{
    uint32_t set = 0;
    for (size_t i = 0; i < v->n; i++) {
        set |= UINT32_C(1) << v->victim[i];
    }
    return set;
}

/* Most groups fit, or never do. The number of trials leaves thousands with victims. */
static uint64_t played(void)
{
    return trial.n * 4;
}

TEST(victims_are_those_that_looking_at_every_subset_finds)
{
    uint64_t found = 0, none = 0, needless = 0;
    EACH_TRIAL(played())
    {
        struct world w;
        struct subset want = {0};
        struct skr_victims *got = NULL;
        world_make(&w, trial.at);
        bool any = best_subset(&w, &want);
        assert_int_equal(skr_victims_find(&w.problem, &got, NULL), 0);
        enum skr_victims_status status = !any            ? SKR_VICTIMS_INSUFFICIENT
                                         : want.set == 0 ? SKR_VICTIMS_NOT_NEEDED
                                                         : SKR_VICTIMS_FOUND;
        if (got->status != status || (any && set_of(got) != want.set) ||
            (status == SKR_VICTIMS_FOUND && (!got->cheapest || !got->optimal))) {
            printf("  status %d, not %d\n", (int)got->status, (int)status);
            print_set(&w, "want", want.set);
            print_set(&w, "got", set_of(got));
            trial_fail(&w.in, "other victims than those of all subsets");
        }
        if (status == SKR_VICTIMS_FOUND) {
            assert_int_equal(got->groups, want.groups);
            assert_int_equal(got->members, want.members);
            assert_int_equal(got->groups_proven, want.groups);
        }
        found += status == SKR_VICTIMS_FOUND;
        none += status == SKR_VICTIMS_INSUFFICIENT;
        needless += status == SKR_VICTIMS_NOT_NEEDED;
        skr_victims_destroy(got);
    }
    printf("  %" PRIu64 " with victims, %" PRIu64 " without need, %" PRIu64 " hopeless\n", found,
           needless, none);
    assert_true(played() < 1000 || found > played() / 10);
}

/* However early the steps run out, the chosen set suffices and every claimed proof holds. */
TEST(a_search_that_was_cut_short_chooses_a_set_that_suffices)
{
    uint64_t cut = 0;
    EACH_TRIAL(played() / 4)
    {
        struct world w;
        struct subset want = {0};
        struct skr_victims *got = NULL;
        world_make(&w, trial.at);
        bool any = best_subset(&w, &want);
        w.problem.step_budget = (int64_t)(trial.at % 24);
        assert_int_equal(skr_victims_find(&w.problem, &got, NULL), 0);
        if (got->status == SKR_VICTIMS_FOUND) {
            struct oracle_answer answer;
            struct subset s = subset_of(&w, set_of(got));
            solve_without(&w, s.set, &answer);
            bool sound = any && is_allowed(&w, s.set) && answer.feasible && s.rank == want.rank &&
                         got->groups_proven <= want.groups &&
                         (!got->cheapest || by_cost(&s, &want) == 0) &&
                         (!got->optimal || s.set == want.set);
            if (!sound) {
                print_set(&w, "want", want.set);
                print_set(&w, "got", s.set);
                trial_fail(&w.in, "a cut search claims what is not so");
            }
            cut += !got->optimal;
        } else if (got->status == SKR_VICTIMS_INSUFFICIENT && any) {
            print_set(&w, "want", want.set);
            trial_fail(&w.in, "a cut search says that there is nothing to find");
        } else if (got->status == SKR_VICTIMS_NOT_NEEDED) {
            assert_true(any && want.set == 0);
        }
        skr_victims_destroy(got);
    }
    assert_true(played() < 1000 || cut > 0);
}

BEFORE_ALL
{
    trial_begin("victims");
}
