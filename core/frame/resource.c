/* SPDX-License-Identifier: Apache-2.0 */
#include "core/frame/resource.h"

#include <stdio.h>
#include <string.h>

bool skr_resource_is(const struct skr_resource *a, const struct skr_resource *b)
{
    return a == b || (strcmp(a->plural, b->plural) == 0 && strcmp(a->group, b->group) == 0 &&
                      strcmp(a->version, b->version) == 0);
}

void skr_resource_api_version(const struct skr_resource *resource, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s%s", resource->group, *resource->group ? "/" : "",
             resource->version);
}
