/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_ROUTE_H
#define SKR_SERVER_LAB_SANDBOX_ROUTE_H
/* Paths of the Kubernetes API to resources of the store. Pure. */
#include <stdbool.h>

#include "server/lab/store/store.h"

enum { SKR_ROUTE_NAME_MAX = 256 };

struct skr_route {
    const struct skr_store_resource *resource;
    char namespace_[SKR_ROUTE_NAME_MAX];  /* "": of all namespaces, or the resource has none */
    char name[SKR_ROUTE_NAME_MAX];        /* "": the collection */
    char subresource[SKR_ROUTE_NAME_MAX]; /* "": none */
};

/* /api/v1/namespaces/NS/pods/NAME/status, /apis/GROUP/VERSION/PLURAL, ... false: not a path of any
 * resource that is served. */
bool skr_route_parse(const char *path, struct skr_route *ret);

#endif
