/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SIMULATE_SCENARIO_H
#define SKR_SERVER_SIMULATE_SCENARIO_H
/* Scenario documents (simulate_input.h): their check while positions are known, their steps, and
 * what a step does to the store. */
#include "server/simulate/input.h"

/* Whether the manifest is one. */
bool skr_scenario_is(const json_t *object);
/* check: for the objects that steps create. Error texts begin with the path of the field. */
int skr_scenario_check(const json_t *scenario, skr_manifest_check *check, void *context,
                       struct skr_error *error);
/* Appends the steps; the scenario was checked. */
void skr_scenario_add_steps(struct skr_simulate_input *input, const struct skr_manifest *where);

/* ---- simulate_input.c ---- */

/* Creates an object as in the file: defaults for namespace and name. */
int skr_simulate_create(const json_t *object, struct skr_store *store, skr_time now,
                        struct skr_error *error);
/* The resource of a kind that simulate knows, or NULL. */
const struct skr_store_resource *skr_simulate_resource(const char *kind);

#endif
