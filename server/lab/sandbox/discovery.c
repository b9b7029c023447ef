/* SPDX-License-Identifier: Apache-2.0 */
/* Serves discovery in its older form, one document per group and version, which every client
 * understands. */
#include "server/lab/sandbox/discovery.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "server/lab/store/store.h"

#define VERSION "v1.36.3"

enum { SINGULAR_MAX = 64 };

/* ---- lists of resources ---- */

static json_t *verbs_of_objects(void)
{
    return json_pack("[s, s, s, s, s, s, s, s]", "create", "delete", "deletecollection", "get",
                     "list", "patch", "update", "watch");
}

static json_t *main_entry(const struct skr_store_resource *r)
{
    char singular[SINGULAR_MAX] = "";
    for (size_t i = 0; r->kind[i] && i + 1 < sizeof singular; i++) {
        singular[i] = (char)tolower((unsigned char)r->kind[i]);
    }
    json_t *entry = json_pack("{s:s, s:s, s:b, s:s, s:o, s:s}", "name", r->plural, "singularName",
                              singular, "namespaced", (int)r->namespaced, "kind", r->kind, "verbs",
                              verbs_of_objects(), "storageVersionHash", r->plural);
    if (r->short_name) {
        json_object_set_new(entry, "shortNames", json_pack("[s]", r->short_name));
    }
    if (r->in_all) {
        json_object_set_new(entry, "categories", json_pack("[s]", "all"));
    }
    return entry;
}

static json_t *sub_entry(const struct skr_store_resource *r, const char *sub)
{
    json_t *name = json_sprintf("%s/%s", r->plural, sub);
    if (strcmp(sub, "binding") == 0) {
        return json_pack("{s:o, s:s, s:b, s:s, s:[s]}", "name", name, "singularName", "",
                         "namespaced", (int)r->namespaced, "kind", "Binding", "verbs", "create");
    }
    if (strcmp(sub, "eviction") == 0) {
        return json_pack("{s:o, s:s, s:b, s:s, s:s, s:s, s:[s]}", "name", name, "singularName", "",
                         "namespaced", (int)r->namespaced, "group", "policy", "version", "v1",
                         "kind", "Eviction", "verbs", "create");
    }
    if (strcmp(sub, "scale") == 0) {
        return json_pack("{s:o, s:s, s:b, s:s, s:s, s:s, s:[s, s, s]}", "name", name,
                         "singularName", "", "namespaced", (int)r->namespaced, "group",
                         "autoscaling", "version", "v1", "kind", "Scale", "verbs", "get", "patch",
                         "update");
    }
    if (strcmp(sub, "finalize") == 0) {
        return json_pack("{s:o, s:s, s:b, s:s, s:[s]}", "name", name, "singularName", "",
                         "namespaced", (int)r->namespaced, "kind", r->kind, "verbs", "update");
    }
    return json_pack("{s:o, s:s, s:b, s:s, s:[s, s, s]}", "name", name, "singularName", "",
                     "namespaced", (int)r->namespaced, "kind", r->kind, "verbs", "get", "patch",
                     "update");
}

static json_t *resource_list(const char *group, const char *version)
{
    json_t *list = json_array();
    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        const struct skr_store_resource *r = skr_store_resource_get(i);
        if (strcmp(r->group, group) != 0 || strcmp(r->version, version) != 0) {
            continue;
        }
        json_array_append_new(list, main_entry(r));
        for (size_t s = 0; r->subresources[s]; s++) {
            json_array_append_new(list, sub_entry(r, r->subresources[s]));
        }
    }
    if (json_array_size(list) == 0) {
        json_decref(list);
        return NULL;
    }
    return json_pack(
        "{s:s, s:s, s:o, s:o}", "kind", "APIResourceList", "apiVersion", "v1", "groupVersion",
        json_sprintf("%s%s%s", group, *group != '\0' ? "/" : "", version), "resources", list);
}

/* ---- groups ---- */

/* Rows of a group are adjacent, and in them those of a version. */
static bool begins_group(size_t i)
{
    const char *group = skr_store_resource_get(i)->group;
    return *group != '\0' && (i == 0 || strcmp(skr_store_resource_get(i - 1)->group, group) != 0);
}

/* The last version is the preferred one. */
static json_t *group_entry(size_t first)
{
    const char *group = skr_store_resource_get(first)->group, *before = "";
    json_t *versions = json_array(), *version = NULL;
    for (size_t i = first; i < skr_store_resource_count() && (i == first || !begins_group(i));
         i++) {
        const struct skr_store_resource *r = skr_store_resource_get(i);
        if (strcmp(r->version, before) != 0) {
            version = json_pack("{s:o, s:s}", "groupVersion",
                                json_sprintf("%s/%s", r->group, r->version), "version", r->version);
            json_array_append_new(versions, version);
        }
        before = r->version;
    }
    return json_pack("{s:s, s:o, s:O}", "name", group, "versions", versions, "preferredVersion",
                     version);
}

static json_t *group_list(void)
{
    json_t *groups = json_array();
    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        if (begins_group(i)) {
            json_array_append_new(groups, group_entry(i));
        }
    }
    return json_pack("{s:s, s:s, s:o}", "kind", "APIGroupList", "apiVersion", "v1", "groups",
                     groups);
}

static json_t *one_group(const char *name)
{
    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        if (begins_group(i) && strcmp(skr_store_resource_get(i)->group, name) == 0) {
            json_t *group = group_entry(i);
            json_object_set_new(group, "kind", json_string("APIGroup"));
            json_object_set_new(group, "apiVersion", json_string("v1"));
            return group;
        }
    }
    return NULL;
}

/* ---- OpenAPI ---- */

static json_t *openapi_root(void)
{
    json_t *paths = json_object();
    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        const struct skr_store_resource *r = skr_store_resource_get(i);
        char path[160];
        (void)snprintf(path, sizeof path, "%s%s%s/%s", *r->group != '\0' ? "apis" : "api",
                       *r->group != '\0' ? "/" : "", r->group, r->version);
        json_object_set_new(
            paths, path,
            json_pack("{s:o}", "serverRelativeURL", json_sprintf("/openapi/v3/%s?hash=1", path)));
    }
    return json_pack("{s:o}", "paths", paths);
}

/* A patch operation with fieldValidation shows kubectl that the server validates. It has no
 * strategic merge patch, because that needs a schema: kubectl uses its own. */
static json_t *openapi_path(const struct skr_store_resource *r)
{
    return json_pack(
        "{s:{s:s, s:[{s:s, s:s, s:{s:s}}], s:{s:{s:{}, s:{}}}, s:{}, s:{s:s, s:s, s:s}}}", "patch",
        "x-kubernetes-action", "patch", "parameters", "name", "fieldValidation", "in", "query",
        "schema", "type", "string", "requestBody", "content", "application/json-patch+json",
        "application/merge-patch+json", "responses", "x-kubernetes-group-version-kind", "group",
        r->group, "version", r->version, "kind", r->kind);
}

static json_t *openapi_of(const char *group, const char *version)
{
    json_t *paths = json_object();
    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        const struct skr_store_resource *r = skr_store_resource_get(i);
        char path[256];
        if (strcmp(r->group, group) != 0 || strcmp(r->version, version) != 0) {
            continue;
        }
        (void)snprintf(path, sizeof path, "/%s%s%s/%s/%s%s/{name}", *group != '\0' ? "apis" : "api",
                       *group != '\0' ? "/" : "", group, version,
                       r->namespaced ? "namespaces/{namespace}/" : "", r->plural);
        json_object_set_new(paths, path, openapi_path(r));
    }
    if (json_object_size(paths) == 0) {
        json_decref(paths);
        return NULL;
    }
    return json_pack("{s:s, s:{s:s, s:s}, s:o, s:{s:{}}}", "openapi", "3.0.0", "info", "title",
                     "Kubernetes", "version", VERSION, "paths", paths, "components", "schemas");
}

/* ---- paths ---- */

static json_t *version(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "major", "1", "minor", "36",
                     "gitVersion", VERSION, "gitCommit", "", "gitTreeState", "clean", "buildDate",
                     "1970-01-01T00:00:00Z", "goVersion", "none", "compiler", "none", "platform",
                     "sakkara/sandbox");
}

static json_t *api_versions(void)
{
    return json_pack("{s:s, s:[s], s:[]}", "kind", "APIVersions", "versions", "v1",
                     "serverAddressByClientCIDRs");
}

/* GROUP/VERSION below a prefix; group is "" for "api/v1". */
static bool group_version(const char *rest, char group[128], char name[32])
{
    const char *slash;
    if (strncmp(rest, "api/", 4) == 0) {
        group[0] = '\0';
        return snprintf(name, 32, "%s", rest + 4) < 32 && !strchr(name, '/');
    }
    if (strncmp(rest, "apis/", 5) != 0 || !(slash = strchr(rest + 5, '/')) ||
        slash - rest - 5 >= 128) {
        return false;
    }
    (void)snprintf(group, 128, "%.*s", (int)(slash - rest - 5), rest + 5);
    return snprintf(name, 32, "%s", slash + 1) < 32 && !strchr(name, '/');
}

json_t *skr_discovery_get(const char *path)
{
    static const char openapi[] = "/openapi/v3/";
    char group[128], name[32];
    if (strcmp(path, "/version") == 0) {
        return version();
    }
    if (strcmp(path, "/api") == 0) {
        return api_versions();
    }
    if (strcmp(path, "/apis") == 0) {
        return group_list();
    }
    if (strcmp(path, "/openapi/v3") == 0) {
        return openapi_root();
    }
    if (strncmp(path, openapi, sizeof openapi - 1) == 0) {
        return group_version(path + sizeof openapi - 1, group, name) ? openapi_of(group, name)
                                                                     : NULL;
    }
    if (strncmp(path, "/apis/", 6) == 0 && !strchr(path + 6, '/')) {
        return one_group(path + 6);
    }
    return *path == '/' && group_version(path + 1, group, name) ? resource_list(group, name) : NULL;
}
