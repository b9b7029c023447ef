/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_STEPS_H
#define SKR_SERVER_LAB_SIMULATE_STEPS_H
/* The steps of Scenario documents (server/manifest/scenario.h), and their effect on the store. */
#include "server/lab/simulate/input.h"

/* Appends the steps of a checked scenario. */
void skr_simulate_steps_add(struct skr_simulate_input *input, const struct skr_manifest *where);

/* ---- server/lab/simulate/input.c ---- */

/* Creates an object as in the file, with defaults for namespace and name. */
int skr_simulate_create(const json_t *object, struct skr_store *store, skr_time now,
                        struct skr_error *error);
/* The resource of an object's kind that simulate has, or NULL: of its apiVersion, or the first of the
 * kind if there is none of that. */
const struct skr_store_resource *skr_simulate_resource(const json_t *object);

#endif
