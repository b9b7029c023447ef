/* SPDX-License-Identifier: Apache-2.0 */
/* PodTemplates and ProvisioningRequests as JSON. Both belong to the object that defines the group. */
#include "core/gang/changes/provisioning_text.h"

#include "core/gang/cache/workload_owners.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/output.h"
#include "core/gang/state/types.h"
#include "core/group/owner.h"
#include "core/group/provisioning.h"
#include "topology/base/json_writer.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_CHARS = 40 };

int skr_pod_set_compare(const void *a, const void *b)
{
    return strcmp(((const struct skr_pod_set *)a)->pod, ((const struct skr_pod_set *)b)->pod);
}

/* The object that defines the group. NULL: none, as of a group of labels. */
static const struct skr_meta *object_of(const struct group *g, const struct skr_resource **ret)
{
    if (g->source.map) {
        *ret = skr_gang_configmap.resource;
        return &g->source.map->map->meta;
    }
    if (g->source.podgroup) {
        *ret = skr_gang_podgroup_type(g->source.podgroup->pg->native)->resource;
        return &g->source.podgroup->pg->meta;
    }
    const struct skr_owner *owner = skr_workload_owners_of_group(g);
    if (owner) {
        *ret = skr_gang_type_of(owner->api_version, owner->kind)->resource;
        return &owner->meta;
    }
    return NULL;
}

void skr_provisioning_name(const struct group *g, struct skr_strbuf *b)
{
    const struct skr_resource *resource;
    const struct skr_meta *object = object_of(g, &resource);
    const char *uid = object ? object->uid : "";
    uint64_t hash = skr_hash_bytes(SKR_HASH_BEGIN, uid, strlen(uid));
    hash = skr_hash_bytes(hash, g->name, strlen(g->name));
    skr_strbuf_add(b, "sakkara-");
    for (size_t i = 0; i < NAME_CHARS && g->name[i]; i++) {
        const char c = g->name[i];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        skr_strbuf_addc(b, plain ? c : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : '-');
    }
    skr_strbuf_addf(b, "-%08x", (unsigned)(hash ^ hash >> 32));
}

void skr_provisioning_template_name(const char *request, size_t set, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "%s-%zu", request, set);
}

/* Leaves the metadata open. */
static void open_object(struct skr_json_writer *w, const struct group *g, const char *version,
                        const char *kind, const char *name)
{
    const struct skr_resource *resource;
    const struct skr_meta *object = object_of(g, &resource);
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "apiVersion", version);
    skr_json_string(w, "kind", kind);
    skr_json_open(w, "metadata", '{');
    skr_json_string(w, "namespace", g->namespace_);
    skr_json_string(w, "name", name);
    if (object) {
        skr_out_owner(w, resource, object);
    }
}

void skr_provisioning_write_template(const struct group *g, const char *name, const char *template,
                                     struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    open_object(&w, g, "v1", "PodTemplate", name);
    skr_json_close(&w, '}');
    skr_json_raw(&w, "template", template);
    skr_json_close(&w, '}');
}

void skr_provisioning_write_request(const struct group *g, const char *name, const char *class_,
                                    uint64_t asked, const struct skr_pod_set *set, size_t n,
                                    struct skr_strbuf *b)
{
    struct skr_json_writer w = {.out = b};
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, asked);
    open_object(&w, g, "autoscaling.x-k8s.io/v1", "ProvisioningRequest", name);
    skr_json_open(&w, "annotations", '{');
    skr_json_string(&w, SKR_PROVISIONING_ASKED, text);
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    skr_json_open(&w, "spec", '{');
    skr_json_string(&w, "provisioningClassName", class_);
    skr_json_open(&w, "podSets", '[');
    for (size_t i = 0; i < n; i++) {
        SKR_STRBUF(template);
        skr_provisioning_template_name(name, i, &template);
        skr_json_open(&w, NULL, '{');
        skr_json_open(&w, "podTemplateRef", '{');
        skr_json_string(&w, "name", template.s);
        skr_json_close(&w, '}');
        skr_json_int(&w, "count", set[i].count);
        skr_json_close(&w, '}');
    }
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
}
