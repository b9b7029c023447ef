/* SPDX-License-Identifier: Apache-2.0 */
/* Finds pod templates; the depth of the walk is bounded. */
#include "server/manifest/templates.h"

#include <stdio.h>

struct search {
    struct skr_template *item;
    size_t n;
};

static void find(struct search *s, json_t *json, const char *path, int depth)
{
    char below[SKR_TEMPLATE_PATH_MAX];
    const char *key;
    json_t *value;
    size_t i;
    if (s->n == SKR_TEMPLATES_MAX || depth > SKR_TEMPLATE_DEPTH_MAX) {
        return;
    }
    if (json_is_array(json_object_get(json_object_get(json, "spec"), "containers"))) {
        struct skr_template *t = &s->item[s->n++];
        t->json = json;
        (void)snprintf(t->path, sizeof t->path, "%.480s%s", path, *path ? "." : "");
        return;
    }
    json_object_foreach(json, key, value)
    {
        (void)snprintf(below, sizeof below, "%.400s%s%.100s", path, *path ? "." : "", key);
        find(s, value, below, depth + 1);
    }
    json_array_foreach(json, i, value)
    {
        (void)snprintf(below, sizeof below, "%.480s[%zu]", path, i);
        find(s, value, below, depth + 1);
    }
}

size_t skr_templates_find(json_t *object, struct skr_template ret[SKR_TEMPLATES_MAX])
{
    struct search s = {.item = ret};
    find(&s, object, "", 0);
    return s.n;
}
