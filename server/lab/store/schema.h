/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_SCHEMA_H
#define SKR_SERVER_LAB_STORE_SCHEMA_H
/*
 * Fields and their types for the kinds that are served, as a typed decoder of kube-apiserver knows
 * them. A field of the wrong type is an error; an unknown one is an error when strict, and else
 * left alone (the simulated API server keeps it, kube-apiserver drops it).
 *
 * Deep is what scheduling is about: pods and their templates, nodes, groups, budgets. Of other
 * parts (probes, volumes' sources, security contexts) only the outer type is known.
 */
#include <jansson.h>
#include <stdbool.h>

#include "topology/base/error.h"

/* kind as in the store's resources. known: an object that was checked as this one is now, whose values
 * are not looked at again where object has the same; NULL: none. Errors: SKR_INVALID in
 * kube-apiserver's words. O(size of what is not known). */
int skr_schema_check(const char *kind, const json_t *object, const json_t *known, bool strict,
                     struct skr_error *error);

#endif
