/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_SEMVER_H
#define SKR_CORE_CEL_SEMVER_H
/* Versions of semver.org 2.0, and their order (section 11 there). */
#include "core/cel/value.h"

enum { SKR_CEL_SEMVER_MAX = 256 }; /* bytes of a version */

/* -1, 0, 1. Build metadata does not count. */
int skr_cel_semver_compare(const struct skr_cel_semver *a, const struct skr_cel_semver *b);
/* lenient: a "v" in front, leading zeros and missing parts are allowed ("v1.30"). False: it is no
 * version, or longer than SKR_CEL_SEMVER_MAX. ret->pre is in the arena. */
bool skr_cel_semver_parse(const char *text, size_t n, bool lenient, struct skr_arena *arena,
                          struct skr_cel_semver *ret);

#endif
