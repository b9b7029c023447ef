/* SPDX-License-Identifier: Apache-2.0 */
/* A list of promises, each with its nodes and amounts: see admission_promises.h. Names are copied: trees,
 * nodes and ids of resources may change meanwhile. */
#include "core/gang/admission/admission_promises.h"

#include "core/gang/group/group_table.h"
#include "core/gang/report/explain_held.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct promise {
    char *workload, *group; /* keys */
    skr_time until;
    size_t n_resources, n_nodes;
    char **resource, **node;
    int64_t *amount; /* [node * n_resources + r] */
    struct promise *prev, *next;
};

static void destroy(struct skr_gang *e, struct promise *p)
{
    DL_DELETE(e->promises.list, p);
    e->promises.n--;
    for (size_t r = 0; r < p->n_resources; r++) {
        free(p->resource[r]);
    }
    for (size_t i = 0; i < p->n_nodes; i++) {
        free(p->node[i]);
    }
    free(p->resource);
    free(p->node);
    free(p->amount);
    free(p->workload);
    free(p->group);
    free(p);
}

/* Amount of resource r that the placement takes of the leaf. */
static int64_t taken(const struct skr_solve_request *request, int32_t leaf, size_t r)
{
    const struct skr_solution *s = request->solution;
    const struct skr_problem *p = &request->problem;
    int64_t sum = 0;
    for (size_t k = 0; k < skr_problem_n_roles(p); k++) {
        sum += skr_solution_of_role(s, p->tree, k)[leaf] * skr_problem_role(p, k).demand[r];
    }
    return sum;
}

static void add_node(struct promise *p, const struct skr_solve_request *request, int32_t leaf)
{
    const struct skr_tree *tree = request->tree;
    for (size_t r = 0; r < p->n_resources; r++) {
        p->amount[p->n_nodes * p->n_resources + r] = taken(request, leaf, r);
    }
    p->node[p->n_nodes++] = skr_strdup(tree->unit_name[tree->first_leaf + leaf]);
}

void skr_admission_promises_add(struct skr_gang *e, const struct skr_kueue_workload *workload,
                                const char *group_key, const struct skr_solve_request *request)
{
    const int32_t leaves = request->tree->n_leaves;
    const size_t n = request->problem.n_resources;
    size_t nodes = 0;
    if (e->promises.n >= SKR_PROMISES_MAX) {
        return;
    }
    for (int32_t leaf = 0; leaf < leaves; leaf++) {
        nodes += skr_solution_more(&request->problem, request->solution, leaf) > 0;
    }
    struct promise *p = skr_alloc(sizeof *p);
    p->workload = skr_object_key(workload->meta.namespace_, workload->meta.name);
    p->group = skr_strdup(group_key);
    p->until = skr_frame_now(e->frame) + SKR_PROMISE_S * SKR_SECOND;
    p->resource = skr_alloc_array(n + 1, sizeof *p->resource);
    p->node = skr_alloc_array(nodes + 1, sizeof *p->node);
    p->amount = skr_alloc_array(nodes * n + 1, sizeof *p->amount);
    for (; p->n_resources < n; p->n_resources++) {
        p->resource[p->n_resources] = skr_strdup(request->resource_name[p->n_resources]);
    }
    for (int32_t leaf = 0; leaf < leaves; leaf++) {
        if (skr_solution_more(&request->problem, request->solution, leaf) > 0) {
            add_node(p, request, leaf);
        }
    }
    DL_APPEND(e->promises.list, p);
    e->promises.n++;
}

void skr_admission_promises_end(struct skr_gang *e, const char *workload_key)
{
    struct promise *p, *next;
    DL_FOREACH_SAFE(e->promises.list, p, next)
    {
        if (strcmp(p->workload, workload_key) == 0) {
            destroy(e, p);
        }
    }
}

static bool is_over(const struct skr_gang *e, const struct promise *p)
{
    const struct group *g = skr_groups_find(e, p->group);
    return skr_frame_now(e->frame) >= p->until || (g && (g->plan || g->seats.n_bound > 0));
}

static void charge(const struct promise *p, const struct skr_solve_request *request)
{
    const struct skr_problem *problem = &request->problem;
    int64_t *room = (int64_t *)(uintptr_t)problem->free; /* in the arena of the request */
    for (size_t i = 0; i < p->n_nodes; i++) {
        const int32_t leaf = skr_tree_find_leaf(request->tree, p->node[i]);
        for (size_t r = 0; leaf >= 0 && r < problem->n_resources; r++) {
            for (size_t k = 0; k < p->n_resources; k++) {
                if (strcmp(p->resource[k], request->resource_name[r]) == 0) {
                    int64_t *at = &room[(size_t)leaf * problem->n_resources + r];
                    *at = skr_room_plus(*at, -p->amount[i * p->n_resources + k]);
                }
            }
        }
    }
}

void skr_admission_promises_charge(struct skr_gang *e, const struct skr_solve_request *request)
{
    struct promise *p, *next;
    DL_FOREACH_SAFE(e->promises.list, p, next)
    {
        if (is_over(e, p)) {
            destroy(e, p);
        } else {
            charge(p, request);
        }
    }
}

void skr_admission_promises_fini(struct skr_gang *e)
{
    while (e->promises.list) {
        destroy(e, e->promises.list);
    }
}
