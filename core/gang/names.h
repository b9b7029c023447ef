/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_NAMES_H
#define SKR_CORE_GANG_NAMES_H
/* Names: of nodes, one copy each, for whoever outlives the node that it names; keys of objects. */
#include "core/gang/gang.h"

/* The one copy; lives as long as the engine. */
const char *names_intern(struct skr_gang *e, const char *node);
char *names_key(const char *namespace_, const char *name); /* "namespace/name", to free() */
void names_fini(struct skr_gang *e);

#endif
