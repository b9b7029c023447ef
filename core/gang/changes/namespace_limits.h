/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_NAMESPACE_LIMITS_H
#define SKR_CORE_GANG_CHANGES_NAMESPACE_LIMITS_H
/*
 * A limit per namespace, set by an administrator: "team-a=100, team-b=5, *=0". The first entry with
 * the namespace applies, else "*". Without either there is no limit.
 */
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/error.h"

/* SKR_INVALID with the part that is malformed or outside min .. max. "" is valid: no limits. */
int skr_namespace_limits_check(const char *text, int64_t min, int64_t max, struct skr_error *error);
/* text must be checked. False: no limit. O(length of text). */
bool skr_namespace_limit(const char *text, const char *namespace_, int64_t *ret);

/* Namespaces, "team-a, team-b"; "*": all; "": none. SKR_INVALID with the part that is no namespace. */
int skr_namespaces_check(const char *text, struct skr_error *error);
/* text must be checked. O(length of text). */
bool skr_namespace_is_listed(const char *text, const char *namespace_);

#endif
