/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_CLUSTER_CHILDREN_H
#define SKR_SERVER_LAB_CLUSTER_CHILDREN_H
/*
 * What operators create for their objects: other workloads, and pods of given names. Each exists
 * once.
 */
#include "server/lab/cluster/cluster_parts.h"

enum { SKR_CHILDREN_MAX = 100000 }; /* of one object */

/* Between 0 and SKR_CHILDREN_MAX. */
int64_t skr_children_bounded(int64_t n);
bool skr_children_is_deleted(const json_t *object);
/* A number as a label has it. */
json_t *skr_children_text_of(int64_t number);
/* Adds to labels or annotations of an object's metadata. more: taken; NULL: nothing. */
void skr_children_add(json_t *object, const char *member, json_t *more);
/* A copy of a template, never NULL. */
json_t *skr_children_template(const json_t *template);
/* The object that the owner controls, created if it does not exist. body: labels, annotations and
 * spec, taken. False: it did not exist; a refusal is reported as that of a pod. */
bool skr_children_have(struct skr_cluster *c, const json_t *owner, const char *kind,
                       const char *name, json_t *body);
/* The same, and the fields of its spec follow those of the body. field: ends with NULL. */
bool skr_children_follow(struct skr_cluster *c, const json_t *owner, const char *kind,
                         const char *name, json_t *body, const char *const *field);
/* The same of a pod, which stays as it is. labels: taken. */
void skr_children_have_pod(struct skr_cluster *c, const json_t *owner, const json_t *template,
                           const char *name, json_t *labels);
/* Deletes the pods that the owner controls. */
void skr_children_drop_pods(struct skr_cluster *c, const json_t *owner);
/* Whether as many pods that the object controls are ready. */
bool skr_children_are_ready(struct skr_cluster *c, const json_t *owner, int64_t wanted);

#endif
