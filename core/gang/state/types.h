/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_TYPES_H
#define SKR_CORE_GANG_STATE_TYPES_H
/* The kinds of objects that the gang scheduler reads and writes, and what it watches of them. */
#include "core/frame/resource.h"

extern const struct skr_object_type skr_gang_node;      /* struct skr_node */
extern const struct skr_object_type skr_gang_pod;       /* struct skr_pod */
extern const struct skr_object_type skr_gang_configmap; /* struct skr_configmap */
extern const struct skr_object_type skr_gang_podgroup;  /* struct skr_podgroup */
extern const struct skr_object_type skr_gang_budget;    /* struct skr_budget */
extern const struct skr_object_type skr_gang_class;     /* struct skr_device_class */

/* The type of this kind and "group/version" (NULL: any); NULL if there is none. */
const struct skr_object_type *skr_gang_type_of(const char *api_version, const char *kind);

enum { SKR_GANG_WATCHES = 7 };
extern const struct skr_watch skr_gang_watch[SKR_GANG_WATCHES];

#endif
