/* SPDX-License-Identifier: Apache-2.0 */
/* Pods on several nodes. What a pod takes is allocated to a claim of the stock until the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/devices/answers.h"
#include "core/devices/pod_problem.h"
#include "core/devices/sequence.h"
#include "topology/base/arena.h"

enum { KEY_BYTES = 32 };

/* No claim of a cluster is called so. */
static const char *key_of(size_t pod, char key[KEY_BYTES])
{
    (void)snprintf(key, KEY_BYTES, "%zu", pod);
    return key;
}

/* A node where pods before have their devices, and the pod that comes next. */
struct board {
    struct skr_arena *arena;
    struct skr_node_rows rows;
    struct skr_devices_taken taken;
    struct skr_devices_problem p;
};

/* The reason why it is unmodelled; NULL: it is modelled. */
static const char *lay_out(const struct skr_devices_stock *stock, const char *node,
                           const struct skr_pod_claims *pod, struct board *ret)
{
    const char *why = NULL;
    skr_arena_destroy(ret->arena);
    *ret = (struct board){.arena = skr_arena_create(SKR_SEQUENCE_BYTES_MAX, 4096)};
    const bool room = ret->arena && skr_node_rows_make(stock, node, ret->arena, &ret->rows) &&
                      skr_node_rows_taken(stock, &ret->rows, ret->arena, &ret->taken) &&
                      skr_pod_problem_make(stock, &ret->rows, pod, ret->arena, &ret->p, &why);
    return room ? why : "the devices of a node take too much memory";
}

/* The devices of the pod are taken, for nodes that reach them as well. */
static void allocate(struct skr_devices_stock *stock, const struct board *b,
                     const struct skr_devices_result *result, size_t n, size_t pod)
{
    struct skr_claim_device device[SKR_DEVICES_A_POD];
    const char **name = skr_alloc_array(b->rows.node.n_capacities + 1, sizeof *name);
    char key[KEY_BYTES];
    size_t n_taken = 0;
    for (size_t i = 0; i < n; i++) {
        const struct skr_devices_row *row = &b->rows.node.row[result[i].row];
        const struct skr_devices_request *request = &b->p.request[result[i].request];
        const struct skr_device *of = skr_node_rows_device(&b->rows, result[i].row);
        const struct skr_device_slice *slice = b->rows.row[result[i].row].slice->slice;
        for (size_t k = 0; k < row->n_capacities; k++) {
            name[row->first_capacity + k] = of->kind->capacity[k].name;
        }
        if (!request->admin) {
            device[n_taken++] = (struct skr_claim_device){
                slice->driver,
                slice->pool,
                of->name,
                row->shared,
                row->n_capacities,
                &name[row->first_capacity],
                request->need ? &request->need[row->first_capacity] : NULL};
        }
    }
    skr_devices_stock_allocate(stock, key_of(pod, key), device, n_taken);
    free(name);
}

static struct skr_sequence serve(struct skr_devices_stock *stock, const char *const *node,
                                 const struct skr_pod_claims *pod, size_t n_pending, size_t n,
                                 struct board *b)
{
    struct skr_sequence ret = {.end = SKR_SEQUENCE_MOST, .why = ""};
    struct skr_devices_result result[SKR_DEVICES_A_POD];
    const uint64_t began = stock->work->steps;
    for (size_t i = 0; i < n; i++) {
        const bool again = i > 0 && strcmp(node[i - 1], node[i]) == 0 &&
                           skr_pod_claims_are_equal(&pod[i - 1], &pod[i]);
        const char *why = again ? NULL : lay_out(stock, node[i], &pod[i], b);
        size_t n_results = 0;
        const bool beyond = stock->work->steps - began > SKR_DEVICES_PODS_STEPS * stock->steps;
        const enum skr_search_outcome outcome =
            why || beyond ? SKR_SEARCH_BEYOND
                          : skr_devices_search(&b->p, &b->taken, result, &n_results);
        if (outcome == SKR_SEARCH_PLACED) {
            allocate(stock, b, result, n_results, i);
        } else if (outcome == SKR_SEARCH_BEYOND) {
            return (struct skr_sequence){INT32_MAX, SKR_SEQUENCE_UNMODELLED,
                                         why ? why : "the search takes too many steps",
                                         SKR_UNCOUNTED_FEATURE, false};
        } else if (i >= n_pending) {
            ret.end = outcome == SKR_SEARCH_ERROR ? SKR_SEQUENCE_ERROR : SKR_SEQUENCE_NONE;
            return ret;
        }
        ret.n += i >= n_pending;
    }
    return ret;
}

struct skr_sequence skr_sequence_serve_apart(struct skr_devices_stock *stock,
                                             const char *const *node,
                                             const struct skr_pod_claims *pod, size_t n_pending,
                                             size_t n)
{
    void (*const changed)(void *, const char *) = stock->changed;
    struct board b = {.arena = NULL};
    char key[KEY_BYTES];
    stock->changed = NULL;
    const struct skr_sequence ret = serve(stock, node, pod, n_pending, n, &b);
    for (size_t i = 0; i < n; i++) {
        skr_devices_stock_allocate(stock, key_of(i, key), NULL, 0);
    }
    stock->changed = changed;
    skr_arena_destroy(b.arena);
    return ret;
}
