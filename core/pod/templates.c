/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a spec that core/pod/shape.c reads, by address. A pod is read as any other when more
 * than these decide about its shape: rules about other pods (they name its namespace and labels), a
 * resize under way (its status), or anything that may be refused.
 */
#include "core/pod/templates.h"

#include <string.h>
#include <uthash.h>

#include "core/pod/parts.h"
#include "core/pod/share.h"
#include "core/pod/tree.h"
#include "topology/base/hash.h"

struct skr_pod_template {
    UT_hash_handle hh;
    json_t *part[SKR_POD_SPEC_PARTS]; /* NULL: absent */
    struct skr_pod_share *share;
};

/* Read by one of two. */
struct skr_pod_handover {
    json_t *json; /* NULL: nothing */
    struct skr_pod *pod;
};

static void drop_all(struct skr_pod_templates *templates)
{
    struct skr_pod_template *t, *tmp;
    HASH_ITER(hh, templates->list, t, tmp)
    {
        HASH_DEL(templates->list, t);
        for (size_t i = 0; i < SKR_POD_SPEC_PARTS; i++) {
            json_decref(t->part[i]);
        }
        skr_pod_share_unref(t->share);
        free(t);
    }
}

void skr_pod_templates_fini(struct skr_pod_templates *templates)
{
    drop_all(templates);
    for (size_t i = 0; templates->handover && i < SKR_POD_HANDOVER_MAX; i++) {
        json_decref(templates->handover[i].json);
        skr_pod_destroy(templates->handover[i].pod);
    }
    free(templates->handover);
    templates->handover = NULL;
}

static bool is_text(const json_t *value)
{
    return !value || json_is_string(value);
}

/* Whether the entries say nothing of resources, and nothing that is refused. */
static bool statuses_are_plain(const json_t *list)
{
    if (list && (!json_is_array(list) || json_array_size(list) > SKR_POD_CONTAINERS_MAX)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (!json_is_object(entry) || !is_text(json_object_get(entry, "name")) ||
            json_object_get(entry, "resources") || json_object_get(entry, "allocatedResources")) {
            return false;
        }
    }
    return true;
}

static bool conditions_are_plain(const json_t *list)
{
    if (list && (!json_is_array(list) || json_array_size(list) > SKR_POD_LISTS_MAX)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const json_t *type = json_object_get(entry, "type");
        if (!json_is_object(entry) || !is_text(type) ||
            !is_text(json_object_get(entry, "reason")) ||
            (type && strcmp(json_string_value(type), "PodResizePending") == 0)) {
            return false;
        }
    }
    return true;
}

static bool is_plain(const struct skr_pod_tree *tree)
{
    json_t *const *spec = tree->of_spec, *const *status = tree->of_status;
    return json_is_object(tree->spec) && (!tree->status || json_is_object(tree->status)) &&
           !spec[SKR_POD_SPEC_AFFINITY] && !spec[SKR_POD_SPEC_SPREAD] &&
           !status[SKR_POD_STATUS_RESOURCES] && !status[SKR_POD_STATUS_ALLOCATED] &&
           statuses_are_plain(status[SKR_POD_STATUS_CONTAINERS]) &&
           statuses_are_plain(status[SKR_POD_STATUS_INIT_CONTAINERS]) &&
           conditions_are_plain(status[SKR_POD_STATUS_CONDITIONS]);
}

/* Names are read beside statuses only; the shape is to be that of pods with and without them. */
static bool are_named(const json_t *containers)
{
    bool named = true;
    for (size_t i = 0; named && i < json_array_size(containers); i++) {
        named = is_text(json_object_get(json_array_get(containers, i), "name"));
    }
    return named;
}

/* A reference; NULL: refused. */
static struct skr_pod_share *read_share(const struct skr_pod_tree *tree)
{
    static const struct skr_meta nobody = {.namespace_ = "", .name = "", .uid = ""};
    struct skr_error error;
    if (!are_named(tree->of_spec[SKR_POD_SPEC_CONTAINERS]) ||
        !are_named(tree->of_spec[SKR_POD_SPEC_INIT_CONTAINERS])) {
        return NULL;
    }
    struct skr_pod_share *share = skr_pod_share_create_shape();
    if (share &&
        skr_pod_shape_decode(share->arena, &nobody, tree->spec, NULL, share->shape, &error) < 0) {
        skr_pod_share_unref(share);
        share = NULL;
    }
    return share;
}

/* A reference; NULL: the shape is not one to be shared. */
static struct skr_pod_share *share_of(struct skr_pod_templates *templates,
                                      const struct skr_pod_tree *tree)
{
    json_t *part[SKR_POD_SPEC_PARTS];
    struct skr_pod_template *t;
    if (!is_plain(tree)) {
        return NULL;
    }
    memcpy(part, tree->of_spec, sizeof part);
    HASH_FIND(hh, templates->list, part, sizeof part, t);
    if (t) {
        return skr_pod_share_ref(t->share);
    }
    struct skr_pod_share *share = read_share(tree);
    if (!share) {
        return NULL;
    }
    if (HASH_COUNT(templates->list) >= SKR_POD_TEMPLATES_MAX) {
        drop_all(templates);
    }
    t = skr_alloc(sizeof *t);
    for (size_t i = 0; i < SKR_POD_SPEC_PARTS; i++) {
        t->part[i] = json_incref(part[i]);
    }
    t->share = skr_pod_share_ref(share);
    HASH_ADD(hh, templates->list, part, sizeof part, t);
    return share;
}

/* Where a tree would be. */
static struct skr_pod_handover *handover_of(struct skr_pod_templates *templates, const json_t *json)
{
    if (!templates->handover) {
        templates->handover = skr_alloc_array(SKR_POD_HANDOVER_MAX, sizeof *templates->handover);
    }
    return &templates->handover[skr_hash_pair((uintptr_t)json, 0) % SKR_POD_HANDOVER_MAX];
}

int skr_pod_templates_decode(struct skr_pod_templates *templates, const json_t *json,
                             struct skr_pod **ret, struct skr_error *error)
{
    struct skr_pod_handover *at = templates->two_readers ? handover_of(templates, json) : NULL;
    if (at && at->json == json) {
        *ret = at->pod;
        json_decref(at->json);
        *at = (struct skr_pod_handover){NULL, NULL};
        return 0;
    }
    if (!json_is_object(json)) {
        return skr_pod_not_object(json, error);
    }
    struct skr_pod_tree tree;
    skr_pod_tree_read(json, &tree);
    int rc = skr_pod_decode_with(&tree, share_of(templates, &tree), ret, error);
    if (rc == 0 && at) {
        json_decref(at->json);
        skr_pod_destroy(at->pod);
        *at = (struct skr_pod_handover){json_incref(skr_object_unconst(json)), skr_pod_ref(*ret)};
    }
    return rc;
}
