/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_ROUTE_H
#define SKR_SERVER_LAB_SANDBOX_ROUTE_H
/* Converts paths of the Kubernetes API to resources of the store. Pure. */
#include <stdbool.h>

#include "server/lab/store/store.h"

enum { SKR_ROUTE_NAME_MAX = 256 };

struct skr_route {
    const struct skr_store_resource *resource;
    char namespace_[SKR_ROUTE_NAME_MAX];  /* "": all namespaces, or a cluster-scoped resource */
    char name[SKR_ROUTE_NAME_MAX];        /* "": the collection */
    char subresource[SKR_ROUTE_NAME_MAX]; /* "": none */
};

/* /api/v1/namespaces/NS/pods/NAME/status, /apis/GROUP/VERSION/PLURAL, ... False: the path of no
 * served resource. */
bool skr_route_parse(const char *path, struct skr_route *ret);

#endif
