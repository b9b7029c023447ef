/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_SCHEMA_H
#define SKR_SERVER_LAB_STORE_SCHEMA_H
/*
 * Fields and types of the served kinds, as kube-apiserver's typed decoder has them. A field of the
 * wrong type is an error. An unknown field is an error if strict, else it is ignored (the simulated
 * API server keeps it, kube-apiserver drops it).
 *
 * Complete are the parts about scheduling: pods and their templates, nodes, groups, budgets. Of
 * other parts (probes, volumes' sources, security contexts) only the outer type is checked.
 */
#include <jansson.h>
#include <stdbool.h>

#include "topology/base/error.h"

/* kind as in the store's resources. known: an object that was checked already; its values are
 * skipped where object has the same ones. NULL: none. Errors: SKR_INVALID in kube-apiserver's
 * words. O(size without known values). */
int skr_schema_check(const char *kind, const json_t *object, const json_t *known, bool strict,
                     struct skr_error *error);

#endif
