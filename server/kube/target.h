/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_TARGET_H
#define SKR_SERVER_KUBE_TARGET_H
/*
 * Where requests go, by the one rule of the Kubernetes API:
 *
 *   /api/VERSION or /apis/GROUP/VERSION [/namespaces/NAMESPACE] /PLURAL [/NAME [/SUBRESOURCE]]
 *
 * Pure; any thread.
 */
#include "core/frame/write.h"
#include "topology/base/strbuf.h"

/* Appends the path of a collection; namespace_ "": of all namespaces, or cluster-scoped. */
void skr_kube_collection(struct skr_strbuf *out, const struct skr_resource *resource,
                         const char *namespace_);
/* Appends the target of a write; false, and a part of it, when namespace or name is missing. */
bool skr_kube_target(struct skr_strbuf *out, const struct skr_write *write);
/* "GET", "POST", "PUT", "PATCH", "DELETE". */
const char *skr_kube_method(enum skr_write_verb verb);
/* Media type of the body; NULL: there is none. */
const char *skr_kube_content_type(const struct skr_write *write);
/* Media types of the answer. If the write does not want the object, its metadata is enough. */
const char *skr_kube_accept(const struct skr_write *write);

#endif
