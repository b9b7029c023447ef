/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_PARTS_H
#define SKR_CORE_POD_PARTS_H
/* What the files of this folder share: reading, copying and naming of shapes and of what is in them
 * (core/pod/pod.h). */
#include "core/pod/pod.h"
#include "topology/base/json_field.h"

/* Sets SKR_LIMIT: the arena is full. */
static inline int skr_pod_no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_LIMIT, "pod: decoded, it is larger than %d bytes",
                         (int)SKR_OBJECT_BYTES_MAX);
}

/* A pod, all zero but for its arena, whose first block has so many bytes. NULL: no memory. */
struct skr_pod *skr_pod_create(size_t first);

struct skr_pod_fields;
/* Labels and owner, found by fields.h, and the bytes that they take of an arena at most. */
int skr_pod_labels_read(struct skr_arena *arena, const struct skr_pod_fields *fields,
                        struct skr_labels *ret, const char **ret_owner, const char **ret_controller,
                        struct skr_error *error);
size_t skr_pod_labels_size(const struct skr_pod_fields *fields);
/* The claims that a pod names; the bytes that they take of its arena. */
int skr_pod_claims_read(const struct skr_pod_fields *fields, struct skr_pod *pod,
                        struct skr_error *error);
size_t skr_pod_claims_size(const struct skr_pod_fields *fields);
/* meta: whose namespace and labels the rules about other pods name. spec NULL: an empty one; status NULL
 * allowed. Memory of *ret is in arena. Errors: SKR_INVALID with the path of the field, SKR_LIMIT. */
int skr_pod_shape_decode(struct skr_arena *arena, const struct skr_meta *meta, json_t *spec,
                         json_t *status, bool late_capacity, struct skr_pod_shape *ret,
                         struct skr_error *error);
/* Terms of labels alone (matchExpressions): what node affinity and label selectors share. Appends to
 * list[*n] up to SKR_POD_REQUIREMENTS_MAX in all; *parsable becomes false where one is not. */
int skr_pod_requirements_decode(struct skr_arena *arena, json_t *list,
                                const struct skr_field_path *up,
                                struct skr_selector_requirement *ret, size_t *n, bool *parsable,
                                struct skr_error *error);
/* A v1.NodeSelector at path as has_affinity, term and n_terms: of a pod, or of a volume. */
int skr_pod_node_selector_decode(struct skr_arena *arena, const json_t *selector,
                                 const struct skr_field_path *path, struct skr_pod_shape *ret,
                                 struct skr_error *error);
/* The part of it that is required node affinity: has_affinity, term, n_terms. */
int skr_pod_affinity_decode(struct skr_arena *arena, json_t *spec, struct skr_pod_shape *ret,
                            struct skr_error *error);

#endif
