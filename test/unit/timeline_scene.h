/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_TIMELINE_SCENE_H
#define SKR_TEST_UNIT_TIMELINE_SCENE_H
/*
 * A cluster at 2026-01-01T12:00:00Z in short lines, and what `simulate timeline` says of it. Times
 * are seconds from then; grace periods are 0 unless they are given.
 */
#include "topology/base/strbuf.h"

struct scene {
    struct skr_strbuf items; /* of a List, as JSON */
    const char *config;      /* YAML below the head of a configuration; NULL: defaults */
    bool preempt, moves;     /* with --preempt, with --moves */
    struct skr_strbuf out, messages;
    int code;
};

struct scene_pod {
    const char *name, *node; /* node NULL: it waits */
    int cpu;                 /* 1 when 0 */
    int started;             /* <= 0 */
    int deadline, grace, priority;
    int deleted;       /* its deletionTimestamp; 0: none */
    const char *group; /* NULL: none */
    const char *owner; /* "Job/train"; NULL: none */
    const char *pool;  /* label of nodes that it selects */
    int created;
};

struct scene_group {
    const char *name;
    int size;  /* 1 when 0; waiting members NAME-0, NAME-1, ... of cpu each */
    int cpu;   /* 1 when 0 */
    int begin; /* creation of its members */
    int priority, deadline, grace;
    const char *limit, *estimate, *rules, *pool, *owner;
    const char *stored; /* annotation sakkara.reservation, with ' for " */
    const char *more;   /* of data: ,"schedEndTime":"..." */
    int running;        /* members are made by scene_add_pod() instead */
};

void scene_init(struct scene *scene);
void scene_fini(struct scene *scene);
void scene_add_node(struct scene *scene, const char *name, int cpu, const char *pool);
void scene_add_pod(struct scene *scene, const struct scene_pod *pod);
void scene_add_group(struct scene *scene, const struct scene_group *group);
void scene_add_job(struct scene *scene, const char *name, int started, int deadline);
/* Anything else: a JSON object with ' for ". */
void scene_add(struct scene *scene, const char *json);
/* Runs the command; text: its text form. */
void scene_run(struct scene *scene, bool text);
/* "reserved 100 node-0=1,node-1=1 because default/r0 moved NodeLost grows 1 evicts group-a,pod-b moves
 * node-0=1 m:node-1=1 f-1:node-2", what does not apply left out; "" without the group. In buffer. */
const char *scene_group_says(const struct scene *scene, const char *name, char buffer[512]);
/* "node-0,node-1" of a single pod. */
const char *scene_pod_says(const struct scene *scene, const char *name, char buffer[512]);

#endif
