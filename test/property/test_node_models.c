/* SPDX-License-Identifier: Apache-2.0 */
/* Room by resource models, by counts, against first fit on the nodes one by one. */
#include "core/propagation/node_models.h"
#include "test/property/propagation_world.h"
#include "test/test.h"

enum { GRADES = 4, NODES = 6, NAMES = 3 };

static const char *const name_of[NAMES] = {"cpu", "example.com/gpu", "memory"};

static size_t runs(size_t otherwise)
{
    const char *n = getenv("N");
    return n ? (size_t)strtoull(n, NULL, 10) : otherwise;
}

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

static void make_models(struct propagation_world *world, struct models *ret)
{
    ret->models = (struct skr_node_models){
        .count = true, .n = (size_t)world_random(world, GRADES + 1), .model = ret->model};
    for (size_t i = 0; i < ret->models.n; i++) {
        ret->model[i] =
            (struct skr_node_model){.grade = (int64_t)i, .nodes = world_random(world, NODES) + 1};
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

static size_t list_nodes(const struct skr_node_models *models, struct node node[GRADES * NODES])
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
    for (size_t run = 0; run < runs(20000); run++) {
        struct models models;
        struct node node[GRADES * NODES];
        struct skr_quantity_item item[NAMES];
        struct skr_quantities request;
        int64_t n = 0;
        make_models(&world, &models);
        make_amounts(&world, 12, item, &request);
        const size_t n_nodes = list_nodes(&models.models, node);
        while (put(node, n_nodes, &request)) {
            n++;
        }
        assert_int_equal(skr_node_models_room(&models.models, &request), n);
    }
}
