/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/roles_load.h"

#include <stdlib.h>
#include <string.h>

static const int64_t leader[ROLES_LOAD_RESOURCES] = {8000, 0, 16};
static const int64_t worker[ROLES_LOAD_RESOURCES] = {4000, 1, 32};

static int64_t *make_free(struct cluster *c)
{
    int64_t *free_ = calloc((size_t)c->tree.n_leaves * ROLES_LOAD_RESOURCES, sizeof *free_);
    for (int32_t i = 0; free_ && i < c->tree.n_leaves; i++) {
        int64_t *row = free_ + (size_t)i * ROLES_LOAD_RESOURCES;
        row[0] = 1000 * (16 + (int64_t)(cluster_random(c) % 49));
        row[1] = cluster_random(c) % 10 == 0 ? 0 : (int64_t)(cluster_random(c) % 9);
        row[2] = 128 + (int64_t)(cluster_random(c) % 385);
    }
    return free_;
}

static void add_role(struct roles_load *load, const char *name, int32_t n, const int64_t *demand)
{
    load->role[load->roles.n_roles++] =
        (struct skr_role){.name = name, .n = n, .minimum = n, .demand = demand};
    load->problem.n += n;
}

void roles_load_init(struct roles_load *load, const struct roles_load_case *of, uint64_t seed)
{
    *load = (struct roles_load){.kind = {.level = 1, .each = {1, 7}}};
    cluster_init(&load->cluster, (const int32_t[]){of->racks, of->per_rack}, 2, 1);
    load->cluster.random = seed;
    load->free = make_free(&load->cluster);
    if (!load->free) {
        abort();
    }
    load->roles = (struct skr_roles){
        .role = load->role, .kind = &load->kind, .n_kinds = of->sets > 0 ? 1 : 0};
    load->problem = (struct skr_problem){.tree = &load->cluster.tree,
                                         .rule = load->rule,
                                         .n_resources = ROLES_LOAD_RESOURCES,
                                         .free = load->free,
                                         .roles = &load->roles,
                                         .step_budget = -1};
    for (int32_t level = 0; level < 2 && (of->how & ROLES_SPREAD) != 0; level++) {
        load->rule[level].type = SKR_RULE_SPREAD;
    }
    load->rule[0].partitions = (of->how & ROLES_PARTED) != 0 ? 4 : 0;
    for (size_t i = 0; of->side[i] > 0; i++) {
        memcpy(load->demand[i], leader, sizeof leader);
        load->demand[i][0] += (of->how & ROLES_UNLIKE) != 0 ? 500 * (int64_t)i : 0;
        add_role(load, "leader", of->side[i], load->demand[i]);
    }
    add_role(load, "worker", of->workers, worker);
}

void roles_load_fini(struct roles_load *load)
{
    free(load->free);
    cluster_fini(&load->cluster);
}
