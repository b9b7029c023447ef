/* SPDX-License-Identifier: Apache-2.0 */
/* https://kubernetes.io/docs/reference/using-api/api-concepts/ */
#include "server/kube/target.h"

#include "server/kube/transfer.h"

#define JSON "application/json"

static const struct {
    const char *method;
    const char *content_type;
} wires[] = {
    [SKR_VERB_GET] = {"GET", NULL},
    [SKR_VERB_CREATE] = {"POST", JSON},
    [SKR_VERB_UPDATE] = {"PUT", JSON},
    [SKR_VERB_MERGE_PATCH] = {"PATCH", "application/merge-patch+json"},
    [SKR_VERB_STRATEGIC_PATCH] = {"PATCH", "application/strategic-merge-patch+json"},
    [SKR_VERB_JSON_PATCH] = {"PATCH", "application/json-patch+json"},
    [SKR_VERB_DELETE] = {"DELETE", JSON},
};
_Static_assert(sizeof wires / sizeof wires[0] == SKR_WRITE_VERB_COUNT, "a row a verb");

void skr_kube_collection(struct skr_strbuf *out, const struct skr_resource *resource,
                         const char *namespace_)
{
    if (*resource->group) {
        skr_strbuf_addf(out, "/apis/%s/%s", resource->group, resource->version);
    } else {
        skr_strbuf_addf(out, "/api/%s", resource->version);
    }
    if (*namespace_) {
        skr_strbuf_add(out, "/namespaces/");
        skr_kube_escape(out, namespace_);
    }
    skr_strbuf_addf(out, "/%s", resource->plural);
}

bool skr_kube_target(struct skr_strbuf *out, const struct skr_write *write)
{
    bool to_collection = write->verb == SKR_VERB_CREATE && !*write->subresource;
    bool has_namespace = *write->namespace_ != '\0';
    if (has_namespace != write->resource->namespaced || (!to_collection && !*write->name)) {
        return false;
    }
    skr_kube_collection(out, write->resource, write->namespace_);
    if (!to_collection) {
        skr_strbuf_addc(out, '/');
        skr_kube_escape(out, write->name);
    }
    if (*write->subresource) {
        skr_strbuf_addf(out, "/%s", write->subresource);
    }
    return true;
}

const char *skr_kube_method(enum skr_write_verb verb)
{
    return wires[verb].method;
}

const char *skr_kube_content_type(const struct skr_write *write)
{
    return wires[write->verb].content_type;
}

const char *skr_kube_accept(const struct skr_write *write)
{
    bool is_status = write->verb == SKR_VERB_CREATE && *write->subresource;
    return write->answer || is_status
               ? JSON
               : "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
}
