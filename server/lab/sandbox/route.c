/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a path: a list of at most eight parts between slashes. */
#include "server/lab/sandbox/route.h"

#include <string.h>

enum { PARTS_MAX = 8 };

struct parts {
    size_t n;
    char text[PARTS_MAX][SKR_ROUTE_NAME_MAX];
};

static bool split(const char *path, struct parts *ret)
{
    ret->n = 0;
    while (*path == '/') {
        const size_t n = strcspn(++path, "/");
        if (ret->n == PARTS_MAX || n == 0 || n >= SKR_ROUTE_NAME_MAX) {
            return n == 0 && *path == '\0' && ret->n > 0; /* a slash at the end */
        }
        memcpy(ret->text[ret->n], path, n);
        ret->text[ret->n++][n] = '\0';
        path += n;
    }
    return *path == '\0';
}

static void set(char to[SKR_ROUTE_NAME_MAX], const char *from)
{
    memcpy(to, from, strlen(from) + 1); /* parts are at most as long as the fields */
}

bool skr_route_parse(const char *path, struct skr_route *ret)
{
    struct parts p;
    size_t at;
    const char *group = "";
    if (!split(path, &p) || p.n < 3) {
        return false;
    }
    *ret = (struct skr_route){.resource = NULL};
    if (strcmp(p.text[0], "api") == 0) {
        at = 1;
    } else if (strcmp(p.text[0], "apis") == 0) {
        group = p.text[1];
        at = 2;
    } else {
        return false;
    }
    const char *version = p.text[at++];
    /* /namespaces/NS/PLURAL, but /namespaces/NAME/status is of the namespace. */
    if (p.n > at + 2 && strcmp(p.text[at], "namespaces") == 0 &&
        skr_store_resource_find(group, version, p.text[at + 2])) {
        set(ret->namespace_, p.text[at + 1]);
        at += 2;
    }
    if (at >= p.n) {
        return false;
    }
    ret->resource = skr_store_resource_find(group, version, p.text[at++]);
    if (!ret->resource || (*ret->namespace_ != '\0' && !ret->resource->namespaced)) {
        return false;
    }
    if (at < p.n) {
        set(ret->name, p.text[at++]);
    }
    if (at < p.n) {
        set(ret->subresource, p.text[at++]);
    }
    /* The path after a namespace's name is a resource that is not served. */
    if (strcmp(ret->resource->kind, "Namespace") == 0 && *ret->subresource != '\0' &&
        strcmp(ret->subresource, "status") != 0 && strcmp(ret->subresource, "finalize") != 0) {
        return false;
    }
    return ret->resource->namespaced == (*ret->namespace_ != '\0') || *ret->name == '\0';
}
