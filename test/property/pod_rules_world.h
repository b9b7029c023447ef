/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_POD_RULES_WORLD_H
#define SKR_TEST_PROPERTY_POD_RULES_WORLD_H
/*
 * Random clusters of up to six nodes with zones, slabs beside them, taints and other pods, and a
 * gang whose pods have rules about each other.
 */
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/strbuf.h"

enum { NODES_MAX = 6, OTHERS_MAX = 4, SIZE_MAX_ = 4, TERMS_MAX = 2, STATES_MAX = 15625 };
enum key { ZONE, HOST, SLAB, KEYS };
enum selector { APP, DB };
enum spaces { OWN, OTHER, BOTH, ALL }; /* of which a term selects pods */

struct node {
    int value[KEYS]; /* -1: without the label */
    int cpu, rack;
    bool tainted, worker;
};

struct other {
    int node, anti; /* key of its anti-affinity against app, or -1 */
    bool elsewhere; /* in another namespace */
    bool app, db, port;
};

struct term {
    enum key key;
    enum selector selector;
    enum spaces spaces;
};

struct spread {
    enum key key;
    enum selector selector;
    int skew, min_domains; /* 0: unset */
    bool ignores_affinity, honors_taints;
};

struct world {
    uint64_t state;
    int nodes, others, size, antis, affinities, spreads;
    struct node node[NODES_MAX];
    struct other other[OTHERS_MAX];
    struct term anti[TERMS_MAX], affinity[TERMS_MAX];
    struct spread spread[TERMS_MAX];
    bool port, hard, workers;
    uint8_t seen[STATES_MAX]; /* counts that can be reached, one a digit */
};

/* Made from a number alone. */
void pod_rules_make(struct world *w, uint64_t seed);
/* As the file that simulate reads. */
void pod_rules_write(const struct world *w, struct skr_strbuf *b);

/* ---- kube-scheduler's plugins: pod_rules_plugins.c ---- */

/* The place in seen of members a node. */
int pod_rules_number_of(const struct world *w, const int *count);
/* Marks all counts that can be reached, in every order; one of `size` members goes to found. */
bool pod_rules_walk(struct world *w, int *count, int placed, int *found);

#endif
