/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_BENCH_START_OBJECTS_H
#define SKR_TEST_BENCH_START_OBJECTS_H
/*
 * The cluster of bench_start.c, object by object: pods that run, as the API server of 1.36 shows those
 * of Deployments (managed fields, conditions, statuses of containers, a volume of the account). The
 * first n_groups * group_size of them are members of groups, of Jobs, bound and as the daemon leaves
 * them; a group has a ConfigMap.
 */
#include "topology/base/strbuf.h"

struct start_objects {
    size_t n_nodes, n_pods, n_templates;
    size_t n_groups, group_size;
};

/* The i-th as JSON. */
void start_add_node(struct skr_strbuf *b, const struct start_objects *o, size_t i);
void start_add_pod(struct skr_strbuf *b, const struct start_objects *o, size_t i);
void start_add_group(struct skr_strbuf *b, const struct start_objects *o, size_t i);

#endif
