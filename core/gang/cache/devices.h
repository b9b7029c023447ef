/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DEVICES_H
#define SKR_CORE_GANG_CACHE_DEVICES_H
/*
 * Devices of Dynamic Resource Allocation in plans: how many members a node serves with the devices that
 * are left (core/devices/sequence.h). That number limits the slots of its leaf.
 *
 * What a pod needs are the specs of its claims, and its extended resources that a device class serves
 * and the node does not list. Needs are unmodelled, and limit nothing, in these cases; kube-scheduler
 * decides, and its refusals teach numbers (vetoes.h):
 *
 * - slices may not be read, or there are none in a dump, which may lack the kind; devices.mode is off
 * - a claim that was made for a pod has devices already, or is not known yet
 * - a selector, or something else of a claim, is not modelled
 * - the pod asks for two extended resources of classes
 * - Kubernetes is older than 1.36: it has no order of devices
 *
 * *Pending claimers* of a node come first: planned members there, and ordinary pods that filter accepted
 * (ordinary.h), whose claims have no devices yet. Those that filter accepted are before the others, which
 * are in the order of their plans.
 */
#include "core/devices/census.h"
#include "core/devices/sequence.h"
#include "core/gang/state/groups.h"
#include "core/pod/pod.h"

enum {
    SKR_NEEDS_SHAPES_MAX = 16, /* distinct ones of a group that are counted */
    SKR_NEEDS_PODS_MAX = 512,  /* members on one node that are counted */
    SKR_DEVICES_FROM = 36,     /* 1.36: devices are chosen in an order */
};

/* What one member needs. */
struct device_shape {
    size_t n;
    const struct skr_claim_spec **spec; /* references */
    char *
        resource; /* the last one is for it, on nodes that do not list it; NULL: it is for a claim */
    uint64_t shared; /* bit i: the claim of spec[i] is for all members; the first one pays for it */
};

/* What a node has for one shape. */
struct device_room {
    int32_t most;
    int32_t
        other; /* the same if devices that fewer requests match, or that use fewer counters, came first; 0: it is not known */
    const char *why; /* it is not counted there, a clause; NULL */
    struct skr_sequence_stand claim[SKR_STAND_CLAIMS][SKR_STAND_REQUESTS];
};

/* What members of a group need, by reference count. */
struct device_needs {
    size_t refs;
    bool some_without; /* some member needs none */
    size_t n;
    struct device_shape shape[SKR_NEEDS_SHAPES_MAX];
    enum skr_uncounted uncounted; /* on some node that was looked at last: skr_devices_most() */
    /* For these pods themselves and not for others that come first: on some node that was looked at since all were
     * counted; of these, a search for one pod is too long. */
    bool own, long_;
    /* device_counts.c */
    bool entered;               /* the others are set */
    struct device_count *count; /* by number of the node */
    size_t n_counts, cap_counts;
    uint64_t seen, complete[2];
    const struct skr_tree *complete_tree[2];
    struct device_needs *prev, *next; /* in the list of all needs */
};

void skr_devices_init(struct skr_gang *e);
/* The next node whose devices, or pending claimers, are others; NULL: of all nodes. False: none is left. */
bool skr_devices_take_touched(struct skr_gang *e, const char **ret);

void skr_devices_slice_upsert(struct skr_gang *e, struct skr_device_slice *slice); /* taken */
void skr_devices_slice_delete(struct skr_gang *e, const char *name);
/* Call after slices were forbidden or permitted, or settings.server_minor has changed. */
void skr_devices_judge(struct skr_gang *e);

/* A reference; NULL: the pods need no devices, or their needs are unmodelled. O(claims). */
struct device_needs *skr_devices_needs(struct skr_gang *e, struct pod_entry *const *newcomers,
                                       size_t n);
/* The same for explanations. NULL with *ret_why: they need devices, and that is why none are counted; a
 * clause. */
struct device_needs *skr_devices_explain(struct skr_gang *e, struct pod_entry *const *newcomers,
                                         size_t n, const char **ret_why);
/* What kind of reason that is; NULL: SKR_COUNTED. */
enum skr_uncounted skr_devices_uncounted(const char *why);
bool skr_devices_has_claims(const struct skr_pod *pod); /* ResourceClaims, or templates */
/* The limit of one pod that its claims are beyond, a clause; NULL: none. No selector is compiled. O(claims). */
const char *skr_devices_beyond(const struct skr_gang *e, const struct skr_pod *pod);
struct device_needs *skr_devices_needs_ref(struct device_needs *needs); /* NULL allowed */
void skr_devices_needs_unref(struct skr_gang *e, struct device_needs *needs);
bool skr_devices_needs_equal(const struct device_needs *a, const struct device_needs *b);

/* How many members the node serves, the least of the shapes; INT32_MAX: as many as there are, or it is
 * not known. without: pending claimers of this group do not count; NULL: all do. */
int32_t skr_devices_most(struct skr_gang *e, const struct group *without,
                         struct device_needs *needs, const char *node);

/* Whether that number, of all pending claimers, is known without counting. */
bool skr_devices_knows_most(struct skr_gang *e, struct device_needs *needs, const char *node,
                            int32_t *ret);
/* Whether that of skr_devices_count_ahead() is known. */
bool skr_devices_are_counted(struct skr_gang *e, struct device_needs *needs, bool differ,
                             const char *node);
/* Counts what is not known of the node; differ: what skr_devices_free() counts. False: evaluation is at its
 * present bound (core/devices/answers.h), and goes on with the next call. */
bool skr_devices_count_ahead(struct skr_gang *e, struct device_needs *needs, bool differ,
                             const char *node);

/* The same if all devices were free: no allocations, no pending claimers. */
int32_t skr_devices_most_ever(struct skr_gang *e, struct device_needs *needs, const char *node);

/* Of members that differ: the fewest devices that one takes; and free devices of the node that may serve some of them,
 * or all of those (ever). INT32_MAX: there is no such bound. without: as above. */
int64_t skr_devices_least(const struct device_needs *needs);
int32_t skr_devices_free(struct skr_gang *e, const struct group *without,
                         struct device_needs *needs, const char *node, bool ever);

/* The number of members of one shape, for explanations. False: the node lists what it asks for, so that devices do not
 * count there. */
bool skr_devices_room(struct skr_gang *e, const struct group *without,
                      const struct device_shape *of, const char *node, struct device_room *ret);

/* Clears the bits of nodes that do not serve an ordinary pod first, which reserves its devices in this cycle
 * of kube-scheduler, and then all pending claimers. If its needs or theirs are not modelled: of nodes with a
 * pending claimer of one of its classes. Whether there are such nodes. p: the pod in the cache; NULL: it is
 * not there. */
bool skr_devices_filter(struct skr_gang *e, const struct skr_pod *pod, const struct pod_entry *p,
                        const char *const *node, size_t n, uint8_t *mask);

/* Whether a planned member is to be nominated later: a pending claimer that comes before it on its node needs
 * other devices, and its choice decides which are left. The pod is marked when that is over. O(claimers of
 * the node) if they differ. */
bool skr_devices_wait_for_turn(struct skr_gang *e, const struct pod_entry *p);
/* The first of these pods that the node does not serve, one after the other, after all pending claimers; n: it
 * serves all, or they are not modelled. */
size_t skr_devices_serve(struct skr_gang *e, struct pod_entry *const *pod, size_t n,
                         const char *node);

/* Whether the nodes of the plan serve all pending claimers there, its members among them, or they are not modelled.
 * It does not while victims, or their claims, hold the devices. */
bool skr_devices_plan_is_served(struct skr_gang *e, const struct plan *plan);

/* The pod is, or is no more, a pending claimer of the node, if it needs devices. */
void skr_devices_await(struct skr_gang *e, struct pod_entry *p, const char *node);
void skr_devices_let_go(struct skr_gang *e, struct pod_entry *p);
/* kube-scheduler asks to bind it: it has its devices, though no watch may have shown that yet. */
void skr_devices_voted(struct skr_gang *e, const struct pod_entry *p);
/* The claims of this pod are others, or have devices. */
void skr_devices_pod_changed(struct skr_gang *e, struct pod_entry *p);
/* A ResourceClaim, or a template, came or changed. differs: in what it asks for, or whether it has devices. */
void skr_devices_claim_upsert(struct skr_gang *e, const struct skr_device_claim *claim,
                              bool is_template, bool differs);
void skr_devices_claim_delete(struct skr_gang *e, const char *namespace_, const char *name);
void skr_devices_fini(struct skr_gang *e);

/* For metrics. O(classes * devices). */
void skr_devices_count(const struct skr_gang *e, struct skr_devices_census *ret);

#endif
