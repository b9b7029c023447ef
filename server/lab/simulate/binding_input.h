/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_BINDING_INPUT_H
#define SKR_SERVER_LAB_SIMULATE_BINDING_INPUT_H
/* Clusters and bindings of Karmada from files, as `kubectl get -o yaml` writes them. */
#include "core/propagation/binding.h"
#include "server/manifest/manifest.h"

struct skr_binding_input {
    struct skr_manifests manifests;
    size_t n_clusters, cap_clusters; /* sorted by name once finished */
    struct skr_member_cluster **cluster;
    size_t n_bindings, cap_bindings; /* in the order they were read */
    struct skr_binding **binding;
};

void skr_binding_input_init(struct skr_binding_input *input);
void skr_binding_input_fini(struct skr_binding_input *input);
/* Reads a file, a folder or "-". Findings go to errors. Errors: those of skr_manifests_read(). */
int skr_binding_input_read(struct skr_binding_input *input, const char *path,
                           struct skr_strbuf *errors);
/* The same for a text. */
int skr_binding_input_parse(struct skr_binding_input *input, const char *name, const char *text,
                            size_t n, struct skr_strbuf *errors);
/* After the last file: decodes and sorts. Kinds that play no part are named once each in warnings.
 * Errors: SKR_INVALID, reported in errors (a cluster or binding twice). */
int skr_binding_input_finish(struct skr_binding_input *input, struct skr_strbuf *warnings,
                             struct skr_strbuf *errors);
/* The binding that "NS/NAME", or "NAME" without a namespace, names; NULL: none. A NAME alone also
 * finds the only binding of that name. */
const struct skr_binding *skr_binding_input_find(const struct skr_binding_input *input,
                                                 const char *name);

#endif
