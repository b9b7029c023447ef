/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_FUZZ_OBJECTS_H
#define SKR_TEST_FUZZ_OBJECTS_H
/*
 * A small vocabulary of API objects, chosen by bytes: four nodes, six pods in a few lives, two
 * groups, one topology. Nothing about them has to fit together: a pod may be bound to a node that
 * never was, carry the plan of another group, or be older than what was seen before.
 */
#include "core/group/podgroup.h"
#include "core/pod/pod.h"
#include "test/fuzz/fuzz.h"

enum { FUZZ_NODES = 4, FUZZ_PODS = 6, FUZZ_GROUPS = 2, FUZZ_PLANS = 8 };

struct fuzz_objects {
    struct fuzz_bytes bytes;
    uint64_t version;       /* of the newest object */
    char *plan[FUZZ_PLANS]; /* annotation texts that the engine wrote last; NULL: none yet */
    size_t next_plan;
};

uint32_t fuzz_choose(struct fuzz_objects *o, uint32_t n);
const char *fuzz_node_name(uint32_t i);  /* i up to FUZZ_NODES: the last does not exist */
const char *fuzz_group_name(uint32_t i); /* "ga", "gb" */
/* Remembers a text for pods and maps made later. */
void fuzz_objects_note_plan(struct fuzz_objects *o, const char *text);
void fuzz_objects_fini(struct fuzz_objects *o);

/* Names of pods and their uids: "p0" to "p5", "p0-0" to "p0-3". buffer of 16 bytes. */
const char *fuzz_pod_name(uint32_t i, char *buffer);
const char *fuzz_pod_uid(uint32_t i, uint32_t life, char *buffer);

/* Owned by the caller (the engine takes them). i < FUZZ_PODS. */
struct skr_pod *fuzz_make_pod(struct fuzz_objects *o, uint32_t i);
struct skr_node *fuzz_make_node(struct fuzz_objects *o);
struct skr_podgroup *fuzz_make_podgroup(struct fuzz_objects *o, uint32_t group);
/* name: of the object, one of "ga", "gb", "gc" (a second map of a group) and "topology". */
struct skr_configmap *fuzz_make_map(struct fuzz_objects *o, const char *name);

#endif
