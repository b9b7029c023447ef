/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_SCENARIO_H
#define SKR_SERVER_MANIFEST_SCENARIO_H
/*
 * Scenario documents: timed steps that change a simulated cluster.
 *
 *   apiVersion: sakkara/v1
 *   kind: Scenario
 *   percentageOfNodesToScore: 100        # optional, of the scheduler
 *   steps:
 *   - {at: 10s, create: {apiVersion: v1, kind: Pod, ...}}       # an object, a List, or a list
 *   - {at: 20s, delete: {kind: Node, name: n1}}                 # namespace: default
 *   - {at: 30s, patch: {kind: Node, name: n2, spec: {unschedulable: true}}}   # merge patch
 */
#include "server/manifest/manifest.h"
#include "topology/object.h"

enum { SKR_SCENARIO_STEPS_MAX = 100000 };

/* Whether the manifest is one. */
bool skr_scenario_is(const json_t *object);
/* check: for the objects that steps create. Error texts begin with the path of the field. */
int skr_scenario_check(const json_t *scenario, skr_manifest_check *check, void *context,
                       struct skr_error *error);

/* Parts of a step. path: of the step, for the error's text. */
int skr_scenario_read_time(const json_t *at, const char *path, skr_time *ret,
                           struct skr_error *error);
/* The objects of "create": an array, a List, or one. */
size_t skr_scenario_count_objects(const json_t *create);
const json_t *skr_scenario_object_at(const json_t *create, size_t i);
/* A word of the object that a step deletes or patches: its own, or of its metadata; "" without. */
const char *skr_scenario_target_text(const json_t *target, const char *key);

#endif
