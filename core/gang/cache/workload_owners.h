/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_WORKLOAD_OWNERS_H
#define SKR_CORE_GANG_CACHE_WORKLOAD_OWNERS_H
/*
 * Objects that say how large derived groups are (core/group/owner.h), and the groups that read each.
 * An entry exists while the API server has the object or a group reads it. Look-ups stay in the
 * namespace of the pod: an owner of another namespace is not found, whatever its uid.
 *
 * A kind is listed and watched from the first pod on that needs it. What is not found is missing once the
 * kind is listed, and unknown before. Nothing is derived from what is unknown: the group waits, and
 * pods of an unknown JobSet enter anew once it is listed, because it decides what their group is.
 */
#include <uthash.h>

#include "core/frame/resource.h"
#include "core/gang/state/groups.h"
#include "core/group/owner.h"

enum {
    SKR_OWNERS_MAX = 100000,     /* cached; further ones are left out */
    SKR_OWNERS_NAMESPACE = 1000, /* of a namespace, from half of SKR_OWNERS_MAX on */
};

struct owner_entry {
    UT_hash_handle hh; /* by "Kind/namespace/name" */
    char *key;
    struct skr_owner *owner; /* NULL: it does not exist, or is not known; its start as first seen */
    skr_time claimed;        /* the start that the object has */
    struct group *groups;    /* that read it */
    bool counted; /* a Job: other groups have read what has succeeded since its last change */
};

/* The kind, which is "" or none of owners' too, is watched from now on. */
void skr_workload_owners_ask(struct skr_gang *e, const char *kind);
/* The first list of the kind was asked for, and is not complete. */
bool skr_workload_owners_are_coming(const struct skr_gang *e, const char *kind);
void skr_workload_owners_listed(struct skr_gang *e, const struct skr_object_type *type);

/* Nothing is known of the object yet: the first list of its kind is not complete. */
bool skr_workload_owners_may_be(const struct skr_gang *e, const struct owner_entry *entry);

/* NULL: none. name: of the object. */
struct owner_entry *skr_workload_owners_find(const struct skr_gang *e, const char *kind,
                                             const char *namespace_, const char *name);
/* What the object of the pod says; NULL: it is not known, or has another uid. */
const struct skr_owner *skr_workload_owners_of(const struct skr_gang *e, const struct skr_pod *pod,
                                               const struct skr_workload *workload);
/* The name of the Job that controls the pod; "": none. Borrowed from the pod. */
const char *skr_workload_owners_job_name(const struct skr_pod *pod);
/* The Job that controls the pod, marked as counted; NULL: it is not known, or is no Job. */
const struct skr_owner *skr_workload_owners_job(const struct skr_gang *e,
                                                const struct skr_pod *pod);
/* Uid of what controls the Job or StatefulSet that controls the pod; "" if that is not known. */
const char *skr_workload_owners_above(const struct skr_gang *e, const struct skr_pod *pod);
/* Takes owner. Returns its entry if what it says has changed; NULL else. An object beyond the limits is
 * left out, unless a group reads it; owners.left_out says so. */
struct owner_entry *skr_workload_owners_put(struct skr_gang *e, struct skr_owner *owner);
/* Returns the entry if groups read it. */
struct owner_entry *skr_workload_owners_delete(struct skr_gang *e, const char *kind,
                                               const char *namespace_, const char *name);
/* The group reads the object of this pod's workload from now on; NULL: none. The Deployment of a pod that is of no
 * workload: it says whether pods are made again, and nothing of sizes. Returns its kind; "": none. */
const char *skr_workload_owners_link(struct skr_gang *e, struct group *g,
                                     const struct skr_pod *pod);
/* What says the size of a derived group; NULL: nothing is known, or only its pods say it. */
const struct skr_owner *skr_workload_owners_of_group(const struct group *g);
/* Whether both derived groups are of ReplicaSets of one Deployment. */
bool skr_workload_owners_roll_out(const struct group *g, const struct group *h);
void skr_workload_owners_fini(struct skr_gang *e);

#endif
