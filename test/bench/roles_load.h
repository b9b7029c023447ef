/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_BENCH_ROLES_LOAD_H
#define SKR_TEST_BENCH_ROLES_LOAD_H
/*
 * Gangs whose members are not equal, on racks of nodes that are all different: 16 to 64 cpu, 0 to 8
 * gpu, 128 to 512 GiB, one in ten without gpu. Side roles are leaders of 8 cpu and 16 GiB; workers need
 * 4 cpu, 1 gpu and 32 GiB. Pack on both levels,
 * unless the case says otherwise.
 */
#include "core/solver/roles.h"
#include "test/unit/solver_cluster.h"

enum { ROLES_LOAD_RESOURCES = 3 };
enum {
    ROLES_UNLIKE = 1, /* each side role needs half a cpu more than the one before; else twins */
    ROLES_SPREAD = 2, /* both levels */
    ROLES_PARTED = 4, /* four racks */
};

struct roles_load_case {
    int32_t racks, per_rack;
    int32_t side[SKR_ROLES_MAX]; /* members of each side role; 0: no more */
    int32_t workers;
    int32_t sets; /* > 0: of 1 leader and 7 workers in racks */
    uint32_t how; /* of the bits below */
};

struct roles_load {
    struct skr_problem problem; /* of the parts below */
    struct cluster cluster;
    int64_t *free;
    struct skr_role role[SKR_ROLES_MAX];
    int64_t demand[SKR_ROLES_MAX][ROLES_LOAD_RESOURCES]; /* of the side roles */
    struct skr_set_kind kind;
    struct skr_roles roles;
    struct skr_rule rule[2];
};

/* The load must not move afterwards. Ends the program without memory. */
void roles_load_init(struct roles_load *load, const struct roles_load_case *of, uint64_t seed);
void roles_load_fini(struct roles_load *load);

#endif
