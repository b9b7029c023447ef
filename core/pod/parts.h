/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_PARTS_H
#define SKR_CORE_POD_PARTS_H
/* What the files of this folder share: reading, copying and naming of shapes and of what is in them
 * (core/pod/pod.h). */
#include "core/pod/pod.h"
#include "topology/base/json_field.h"
#include "topology/base/strbuf.h"

/* Sets SKR_LIMIT: the arena is full. */
static inline int skr_pod_no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_LIMIT, "pod: decoded, it is larger than %d bytes",
                         (int)SKR_OBJECT_BYTES_MAX);
}

enum skr_pod_phase skr_pod_phase_of(const char *text, size_t n);
/* Bytes of a condition's message that are kept: at most SKR_POD_MESSAGE_MAX, no UTF-8 character cut. */
size_t skr_pod_message_length(const char *s);

struct skr_pod_share;
struct skr_pod_tree;
/* As skr_pod_decode() of the tree's pod, an object, with the shape of share, a reference that is taken; NULL:
 * its own. */
int skr_pod_decode_with(const struct skr_pod_tree *tree, struct skr_pod_share *share,
                        struct skr_pod **ret, struct skr_error *error);
/* json is no object. */
int skr_pod_not_object(const json_t *json, struct skr_error *error);
/* meta: whose namespace and labels the rules about other pods name. spec NULL: an empty one; status NULL allowed. Memory of *ret is in arena. Errors: SKR_INVALID
 * with the path of the field, SKR_LIMIT. */
int skr_pod_shape_decode(struct skr_arena *arena, const struct skr_meta *meta, json_t *spec,
                         json_t *status, struct skr_pod_shape *ret, struct skr_error *error);
/* Terms of labels alone (matchExpressions): what node affinity and label selectors share. Appends to
 * list[*n] up to SKR_POD_REQUIREMENTS_MAX in all; *parsable becomes false where one is not. */
int skr_pod_requirements_decode(struct skr_arena *arena, json_t *list,
                                const struct skr_field_path *up,
                                struct skr_selector_requirement *ret, size_t *n, bool *parsable,
                                struct skr_error *error);
/* The part of it that is required node affinity: has_affinity, term, n_terms. */
int skr_pod_affinity_decode(struct skr_arena *arena, json_t *spec, struct skr_pod_shape *ret,
                            struct skr_error *error);
/* Deep copy into arena; false without room there. */
bool skr_pod_shape_copy(struct skr_arena *arena, const struct skr_pod_shape *shape,
                        struct skr_pod_shape *ret);

#endif
