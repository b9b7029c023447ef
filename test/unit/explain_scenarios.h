/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_EXPLAIN_SCENARIOS_H
#define SKR_TEST_UNIT_EXPLAIN_SCENARIOS_H
/*
 * Groups that are stuck, each for a bottleneck that is written down by hand. A scenario is a tree,
 * loads on its nodes and one group "g" of equal pods p-0, p-1, ..., or of pods leader-0, worker-0, ...
 * Nodes have 8 GPU, 64 CPU, 256 GiB and room for 110 pods unless "nodes" says otherwise.
 */
#include <jansson.h>
#include <stddef.h>

struct explain_scenario {
    const char *name;
    const char *tree;  /* levels are named by its depth */
    const char *nodes; /* {'n8':{'spec':...}}: merged into the node; null: it is not there */
    const char *loads; /* "n0=5:b-1 n1=8:w": GPU of a pod there; b-*: of a group, w: a pod */
    int size;
    const char *roles; /* NULL: equal members */
    const char *each;  /* requests of a member, or of one of each role */
    const char *constraints;
    const char *bound; /* "n0 n1": nodes of members that run already */
    /* what is expected */
    const char *reason, *resource, *level; /* the latter two NULL: not compared */
    const char *domain;   /* the one that is nearest to fitting; NULL: none is listed */
    int fits, needs;      /* needs 0: not told */
    const char *blocker;  /* named in that domain; NULL: nobody */
    const char *helps;    /* among what would help; NULL: nothing does */
    const char *sentence; /* NULL: not compared */
    const char *row;      /* of the table of all domains; NULL: not compared */
    size_t n_ways;        /* what would help, helps first; 0: not counted */
};

extern const struct explain_scenario explain_scenarios[];
extern const size_t n_explain_scenarios;

/* A List of all objects, for simulate and as a dump; json_decref() it. */
json_t *explain_scenario_files(const struct explain_scenario *scenario);

#endif
