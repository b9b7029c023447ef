/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of a solve file. A node has the values of "default" unless it has its own. Free is given,
 * or is capacity less used, or all of the capacity. The capacity of a node without one is what is
 * free and claimed.
 */
#include <stdio.h>
#include <string.h>

#include "server/solve/reader.h"
#include "server/solve/roles.h"
#include "topology/base/arena.h"

/* The values of one node, or the defaults. */
struct node {
    bool has_free, has_used, has_capacity;
    int64_t free[SKR_SOLVE_RESOURCES_MAX];
    int64_t used[SKR_SOLVE_RESOURCES_MAX];
    int64_t capacity[SKR_SOLVE_RESOURCES_MAX];
    uint8_t eligible[SKR_ROLES_MAX];
};

/* path[n] is free for the name of a resource. */
static int read_amounts(const struct skr_solve_reader *r, const char **path, size_t n,
                        const json_t *value, bool *ret_has, int64_t *ret)
{
    if (!value) {
        return 0;
    }
    *ret_has = true;
    if (r->by_slots) {
        path[n] = NULL;
        if (!json_is_integer(value)) {
            return skr_solve_refuse_type(r, path, "a number of slots (there is no member)", value);
        }
        return skr_solve_read_amount(r, path, "slots", value, &ret[0]);
    }
    if (!json_is_object(value)) {
        path[n] = NULL;
        return skr_solve_refuse_type(r, path, "an object", value);
    }
    for (size_t i = 0; i < r->n_resources; i++) {
        const json_t *amount = json_object_get(value, r->resource[i]);
        path[n] = r->resource[i];
        ret[i] = 0;
        int rc = !amount ? 0 : skr_solve_read_amount(r, path, r->resource[i], amount, &ret[i]);
        if (rc != 0) {
            return rc;
        }
    }
    return 0;
}

static const char *const node_keys[] = {"free", "used", "capacity", "eligible", "claimed", NULL};

/* eligible and claimed; leaf -1: the defaults, which have no claims. */
static int read_roles(struct skr_solve_reader *r, const char **path, size_t n, const json_t *object,
                      int32_t leaf, struct node *ret)
{
    const json_t *eligible = json_object_get(object, "eligible");
    json_t *claimed = json_object_get(object, "claimed");
    int rc = !eligible ? 0 : skr_solve_roles_read_eligible(r, path, n, eligible, ret->eligible);
    return rc < 0 || !claimed || leaf < 0 ? rc
                                          : skr_solve_roles_read_claimed(r, path, n, claimed, leaf);
}

/* path[0 .. n - 1] names the object; it has room for two more and the end. */
static int read_node(struct skr_solve_reader *r, const char **path, size_t n, const json_t *object,
                     int32_t leaf, struct node *ret)
{
    path[n] = NULL;
    if (!json_is_object(object)) {
        return skr_solve_refuse_type(r, path, "an object", object);
    }
    int rc = skr_solve_check_keys(r, object, path, n, node_keys);
    if (rc != 0) {
        return rc;
    }
    struct {
        bool *has;
        int64_t *amount;
    } amounts[] = {{&ret->has_free, ret->free},
                   {&ret->has_used, ret->used},
                   {&ret->has_capacity, ret->capacity}};
    path[n + 2] = NULL;
    for (size_t i = 0; i < 3; i++) {
        path[n] = node_keys[i];
        rc = read_amounts(r, path, n + 1, json_object_get(object, node_keys[i]), amounts[i].has,
                          amounts[i].amount);
        if (rc != 0) {
            return rc;
        }
    }
    r->has_capacity = r->has_capacity || ret->has_capacity;
    return read_roles(r, path, n, object, leaf, ret);
}

struct node_arrays {
    int64_t *free, *capacity;
};

/* What the claimed members of the node use of a resource, saturated. */
static int64_t claimed_use(const struct skr_solve_reader *r, int32_t leaf, size_t resource)
{
    int64_t use = 0;
    for (size_t i = 0; i < r->roles->roles.n_roles; i++) {
        const int64_t count = r->roles->claimed[i][leaf], demand = r->roles->demand[i][resource];
        const bool fits = count == 0 || demand <= (INT64_MAX - use) / count;
        use = fits ? use + demand * count : INT64_MAX;
    }
    return use;
}

static void set_node(const struct skr_solve_reader *r, const struct node *node, int32_t leaf,
                     const struct node_arrays *to)
{
    for (size_t i = 0; i < r->roles->roles.n_roles; i++) {
        r->roles->eligible[i][leaf] = node->eligible[i];
    }
    for (size_t i = 0; i < r->n_resources; i++) {
        int64_t free = node->has_free ? node->free[i] : node->has_capacity ? node->capacity[i] : 0;
        size_t at = (size_t)leaf * r->n_resources + i;
        free -= node->has_used && !node->has_free ? node->used[i] : 0;
        int64_t capacity = node->capacity[i];
        if (!node->has_capacity) {
            int64_t own = free > 0 ? free : 0;
            const int64_t use = claimed_use(r, leaf, i);
            capacity = use <= INT64_MAX - own ? own + use : INT64_MAX;
        }
        to->free[at] = free;
        to->capacity[at] = capacity;
    }
}

static int read_default(struct skr_solve_reader *r, struct node *ret)
{
    const char *path[4] = {"default"};
    *ret = (struct node){.has_free = false};
    memset(ret->eligible, 1, sizeof ret->eligible);
    const json_t *object = json_object_get(r->root, "default");
    if (!object) {
        return 0;
    }
    path[1] = "claimed";
    if (json_object_get(object, "claimed")) {
        return skr_solve_refuse(r, path, "is of single nodes");
    }
    return read_node(r, path, 1, object, -1, ret);
}

int skr_solve_read_nodes(struct skr_solve_reader *r)
{
    struct skr_solve_file *file = r->file;
    struct skr_arena *arena = file->arena;
    size_t leaves = (size_t)file->tree->n_leaves;
    struct node_arrays arrays = {
        .free = skr_arena_array(arena, leaves * r->n_resources, sizeof(int64_t)),
        .capacity = skr_arena_array(arena, leaves * r->n_resources, sizeof(int64_t)),
    };
    if (!arrays.free || !arrays.capacity) {
        return skr_solve_no_memory(r);
    }
    struct node common;
    const char *path[6] = {"default", NULL};
    int rc = read_default(r, &common);
    for (int32_t leaf = 0; leaf < file->tree->n_leaves && rc == 0; leaf++) {
        set_node(r, &common, leaf, &arrays);
    }
    json_t *nodes = json_object_get(r->root, "nodes");
    path[0] = "nodes";
    path[1] = NULL;
    if (rc == 0 && nodes && !json_is_object(nodes)) {
        return skr_solve_refuse_type(r, path, "an object", nodes);
    }
    const char *name;
    json_t *object;
    json_object_foreach(nodes, name, object)
    {
        int32_t leaf = skr_tree_find_leaf(file->tree, name);
        struct node node = common;
        path[1] = name;
        path[2] = NULL;
        if (rc == 0 && leaf < 0) {
            rc = skr_solve_refuse(r, path, "is not in the tree");
        }
        rc = rc == 0 ? read_node(r, path, 2, object, leaf, &node) : rc;
        if (rc == 0) {
            set_node(r, &node, leaf, &arrays);
        }
    }
    file->problem.n_resources = r->n_resources;
    file->problem.free = arrays.free;
    file->problem.capacity = r->has_capacity ? arrays.capacity : NULL;
    return rc;
}
