/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a dump into a spot mix and writes its pages. */
#include "server/client/spotmix_dump.h"

#include <string.h>

#include "core/spotmix/page.h"

static const char *const kinds[] = {[SKR_SPOTMIX_DEPLOYMENT] = "Deployment",
                                    [SKR_SPOTMIX_REPLICA_SET] = "ReplicaSet",
                                    [SKR_SPOTMIX_STATEFUL_SET] = "StatefulSet",
                                    [SKR_SPOTMIX_NODE] = "Node",
                                    [SKR_SPOTMIX_POD] = "Pod"};
_Static_assert(sizeof kinds / sizeof kinds[0] == SKR_SPOTMIX_KIND_COUNT, "a name each");

/* Owners before what they own, nodes before pods: the order of the kinds. */
static void fill(const struct skr_manifests *manifests, struct skr_spotmix *mix)
{
    for (int kind = 0; kind < SKR_SPOTMIX_KIND_COUNT; kind++) {
        for (size_t i = 0; i < manifests->n; i++) {
            const json_t *object = manifests->item[i].object;
            const char *of = json_string_value(json_object_get(object, "kind"));
            if (of && strcmp(of, kinds[kind]) == 0) {
                skr_spotmix_put(mix, (enum skr_spotmix_kind)kind, object);
            }
        }
    }
}

static int write_page(const struct skr_spotmix *mix, const char *namespace_, const char *name,
                      struct skr_strbuf *out, struct skr_error *error)
{
    if (!name) {
        skr_spotmix_page_write(mix, out);
    } else if (!skr_spotmix_page_write_one(mix, namespace_, name, out)) {
        return skr_error_set(error, SKR_NOT_FOUND,
                             "no workload or pod %.60s/%.120s, or its switch is off", namespace_,
                             name);
    }
    return 0;
}

int skr_spotmix_dump_page(const char *path, const struct skr_spotmix_settings *settings,
                          const char *namespace_, const char *name, json_t **ret,
                          struct skr_strbuf *messages, struct skr_error *error)
{
    struct skr_manifests manifests;
    struct skr_spotmix *mix = NULL;
    SKR_STRBUF(page);

    skr_manifests_init(&manifests);
    int rc = skr_manifests_read(&manifests, path, NULL, NULL, messages);
    if (rc < 0) {
        rc = skr_error_set(error, rc == -SKR_NOT_FOUND ? SKR_NOT_FOUND : SKR_INVALID,
                           "%.200s cannot be read as a dump", path);
    }
    rc = rc < 0 ? rc : skr_spotmix_create(settings, &mix, error);
    if (rc == 0) {
        fill(&manifests, mix);
        rc = write_page(mix, namespace_, name, &page, error);
    }
    if (rc == 0) {
        *ret = json_loads(page.s, 0, NULL);
    }
    skr_spotmix_destroy(mix);
    skr_manifests_fini(&manifests);
    return rc;
}

int skr_spotmix_dump_nodes(const struct skr_manifests *objects,
                           const struct skr_spotmix_settings *settings, json_t **ret,
                           struct skr_error *error)
{
    SKR_AUTO(skr_spotmix_destroy) struct skr_spotmix *mix = NULL;
    const int rc = skr_spotmix_create(settings, &mix, error);
    if (rc == 0) {
        SKR_STRBUF(page);
        fill(objects, mix);
        skr_spotmix_page_write_nodes(mix, &page);
        *ret = json_loads(page.s, 0, NULL);
    }
    return rc;
}
