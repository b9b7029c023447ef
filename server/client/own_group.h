/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_OWN_GROUP_H
#define SKR_SERVER_CLIENT_OWN_GROUP_H
/*
 * A group as the objects of its namespace show it: its ConfigMap, the ConfigMap that shows a derived
 * group, a PodGroup of scheduling.x-k8s.io or of scheduling.k8s.io. Everything is borrowed from the
 * JSON of the objects.
 */
#include <jansson.h>
#include <stdbool.h>

#define SKR_OWN_GROUP_NATIVE "scheduling.k8s.io"

enum { SKR_OWN_GROUP_NAME_MAX = 254 }; /* bytes, with the NUL */

struct skr_own_group {
    const json_t *object, *meta, *pods, *events;
    bool is_pod_group, is_native; /* of scheduling.x-k8s.io, of scheduling.k8s.io */
    bool is_derived;              /* its map only shows it */
    char name[SKR_OWN_GROUP_NAME_MAX];
};

/* False: the object shows no group. pods, events: lists; events may be NULL. */
bool skr_own_group_read(const json_t *object, const json_t *pods, const json_t *events,
                        struct skr_own_group *ret);
/* What the daemon or the user wrote under this key; "": nothing. */
const char *skr_own_group_value(const struct skr_own_group *g, const char *key);
/* Members that must be there; 0: not known. */
json_int_t skr_own_group_size(const struct skr_own_group *g);
/* Whether the pod is a member. Of a derived group those whose workload has its name, in any scope. */
bool skr_own_group_has(const struct skr_own_group *g, const json_t *pod);
/* Whether a user means the group: by its name, by that of its object, by "pod/" and a member. */
bool skr_own_group_is_meant(const struct skr_own_group *g, const char *name);

#endif
