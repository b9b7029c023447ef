/* SPDX-License-Identifier: Apache-2.0 */
/* Room by resource models, by counts, against first fit on the nodes one by one. */
#include "core/propagation/component_sets.h"
#include "test/property/propagation_world.h"
#include "test/test.h"

enum { GRADES = 4, NODES = 6, NODES_MANY = 300, NAMES = 3, COMPONENTS = 4 };
#define WORK UINT64_C(100000000)

static const char *const name_of[NAMES] = {"cpu", "example.com/gpu", "memory"};

/* Some of the names, in order, with small amounts. */
static void make_amounts(struct propagation_world *world, int64_t below,
                         struct skr_quantity_item item[NAMES], struct skr_quantities *ret)
{
    *ret = (struct skr_quantities){.item = item};
    for (size_t i = 0; i < NAMES; i++) {
        if (world_random(world, 4) > 0) {
            item[ret->n++] = (struct skr_quantity_item){name_of[i], world_random(world, below)};
        }
    }
}

struct models {
    struct skr_node_models models;
    struct skr_node_model model[GRADES];
    struct skr_quantity_item item[GRADES][NAMES];
};

static void make_models(struct propagation_world *world, int64_t nodes, struct models *ret)
{
    ret->models = (struct skr_node_models){
        .count = true, .n = (size_t)world_random(world, GRADES + 1), .model = ret->model};
    for (size_t i = 0; i < ret->models.n; i++) {
        ret->model[i] =
            (struct skr_node_model){.grade = (int64_t)i, .nodes = world_random(world, nodes) + 1};
        make_amounts(world, 40, ret->item[i], &ret->model[i].has);
    }
}

/* A node of its own. */
struct node {
    int64_t has[NAMES];
    int64_t pods;
};

static int64_t amount(const struct skr_quantities *of, const char *name)
{
    for (size_t i = 0; i < of->n; i++) {
        if (strcmp(of->item[i].name, name) == 0) {
            return of->item[i].amount;
        }
    }
    return 0;
}

static size_t list_nodes(const struct skr_node_models *models, struct node *node)
{
    size_t n = 0;
    for (size_t i = 0; i < models->n; i++) {
        for (int64_t k = 0; k < models->model[i].nodes; k++, n++) {
            node[n].pods = SKR_MODEL_PODS;
            for (size_t r = 0; r < NAMES; r++) {
                node[n].has[r] = amount(&models->model[i].has, name_of[r]);
            }
        }
    }
    return n;
}

/* Puts one replica on the first node that has room. */
static bool put(struct node *node, size_t n, const struct skr_quantities *request)
{
    for (size_t i = 0; i < n; i++) {
        bool fits = node[i].pods > 0;
        for (size_t r = 0; r < NAMES; r++) {
            fits = fits && amount(request, name_of[r]) <= node[i].has[r];
        }
        if (fits) {
            node[i].pods--;
            for (size_t r = 0; r < NAMES; r++) {
                node[i].has[r] -= amount(request, name_of[r]);
            }
            return true;
        }
    }
    return false;
}

TEST(room_equals_first_fit_one_replica_after_the_other)
{
    struct propagation_world world = {.seed = 3};
    for (size_t run = 0; run < test_number("N", 20000); run++) {
        struct models models;
        struct node node[GRADES * NODES];
        struct skr_quantity_item item[NAMES];
        struct skr_quantities request;
        int64_t n = 0;
        make_models(&world, NODES, &models);
        make_amounts(&world, 12, item, &request);
        const size_t n_nodes = list_nodes(&models.models, node);
        while (put(node, n_nodes, &request)) {
            n++;
        }
        assert_int_equal(skr_node_models_room(&models.models, &request), n);
    }
}

/* ---- sets ---- */

struct workload {
    size_t n;
    struct skr_component component[COMPONENTS];
    struct skr_quantity_item item[COMPONENTS][NAMES];
    struct skr_arena *arena;
    struct skr_component_set set;
};

static void make_workload(struct propagation_world *world, struct workload *ret)
{
    ret->n = (size_t)world_random(world, COMPONENTS) + 1;
    ret->arena = skr_arena_create(1 << 20, 0);
    for (size_t i = 0; i < ret->n; i++) {
        ret->component[i] =
            (struct skr_component){.name = "c", .replicas = (int32_t)world_random(world, 5)};
        make_amounts(world, 12, ret->item[i], &ret->component[i].request);
    }
    assert_int_equal(skr_component_set_init(&ret->set, ret->arena, ret->component, ret->n, NULL),
                     0);
}

static bool put_set(struct node *node, size_t n, const struct workload *workload)
{
    for (size_t i = 0; i < workload->n; i++) {
        for (int32_t k = 0; k < workload->component[i].replicas; k++) {
            if (!put(node, n, &workload->component[i].request)) {
                return false;
            }
        }
    }
    return true;
}

static void check_sets(struct propagation_world *world, int64_t nodes, int64_t most)
{
    struct models models;
    struct workload workload;
    int64_t n = 0;
    make_models(world, nodes, &models);
    make_workload(world, &workload);
    struct node *node = calloc(GRADES * (size_t)nodes, sizeof *node);
    const size_t n_nodes = list_nodes(&models.models, node);
    while (n < most && put_set(node, n_nodes, &workload)) {
        n++;
    }
    uint64_t work = WORK;
    assert_int_equal(skr_component_sets_on_nodes(&workload.set, &models.models, most, &work), n);
    assert_true(work > 0);
    work = (uint64_t)world_random(world, 2000);
    const int64_t fewer = skr_component_sets_on_nodes(&workload.set, &models.models, most, &work);
    /* Too few only if no work is left. */
    assert_in_range(fewer, work > 0 ? n : 0, n);
    free(node);
    skr_arena_destroy(workload.arena);
}

TEST(sets_equal_first_fit_one_set_after_the_other)
{
    struct propagation_world world = {.seed = 5};
    for (size_t run = 0; run < test_number("N", 10000); run++) {
        check_sets(&world, NODES, world_random(&world, 400));
    }
}

TEST(sets_that_repeat_are_skipped_and_the_rest_is_the_same)
{
    struct propagation_world world = {.seed = 9};
    for (size_t run = 0; run < test_number("N", 200); run++) {
        check_sets(&world, NODES_MANY, world_random(&world, 5000));
    }
}

/* The figures of a node: 4 pods of the first, and 1 of the second beside 2 of them. */
TEST(billions_of_nodes_and_sets_cost_next_to_nothing)
{
    struct skr_quantity_item has = {"cpu", 4000};
    struct skr_node_model model = {.nodes = INT64_C(1) << 31, .has = {1, &has}};
    const struct skr_node_models models = {.count = true, .n = 1, .model = &model};
    struct skr_quantity_item wants[2] = {{"cpu", 1000}, {"cpu", 2000}};
    const struct skr_component component[2] = {{"a", 3, {1, &wants[0]}}, {"b", 1, {1, &wants[1]}}};
    struct skr_arena *arena = skr_arena_create(1 << 20, 0);
    struct skr_component_set set;
    assert_int_equal(skr_component_set_init(&set, arena, component, 2, NULL), 0);
    /* Five cpus a set: four sets on five nodes. */
    uint64_t work = 8000;
    const int64_t sets = skr_component_sets_on_nodes(&set, &models, INT64_C(1) << 40, &work);
    assert_in_range(sets, (INT64_C(1) << 31) / 5 * 4 - 2, (INT64_C(1) << 31) / 5 * 4 + 2);
    skr_arena_destroy(arena);
}
