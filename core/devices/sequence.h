/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_SEQUENCE_H
#define SKR_CORE_DEVICES_SEQUENCE_H
/*
 * How many equal pods a node serves with devices, if kube-scheduler places them one after the other.
 *
 * A *shape* is what one pod asks for: the specs of its claims, in the order of the pod. A *sequence*
 * begins with what allocations take, then places pending claimers, then pods of the shape, until one
 * does not fit. The number is prefix-closed: the first k always fit. It is no monotone function of the
 * devices: with one device more, fewer pods may fit.
 *
 * Nodes whose numbers are equal have equal answers. A memo keeps them by these numbers, without names
 * and uuids of devices. A memo is for one stock, with whose seed it is hashed.
 */
#include "core/devices/node_rows.h"

enum {
    SKR_SEQUENCE_BYTES_MAX = 64 * 1024 * 1024, /* for one node */
    SKR_MEMO_ENTRIES_MAX = 4096,
    SKR_MEMO_KEY_MAX = 64 * 1024, /* bytes; larger ones are not kept */
};

struct skr_pod_claims {
    size_t n;
    const struct skr_claim_spec *const *spec;
};

/* Of one stock, whose specs are distinct. */
bool skr_pod_claims_are_equal(const struct skr_pod_claims *a, const struct skr_pod_claims *b);

enum skr_sequence_end {
    SKR_SEQUENCE_MOST,       /* as many as were asked for */
    SKR_SEQUENCE_NONE,       /* the next one does not fit */
    SKR_SEQUENCE_ERROR,      /* kube-scheduler ends with an error for the next one */
    SKR_SEQUENCE_UNMODELLED, /* n is INT32_MAX: kube-scheduler decides */
};

struct skr_sequence {
    int32_t n;
    enum skr_sequence_end end;
    const char *why;              /* UNMODELLED: a sentence; else "" */
    enum skr_uncounted uncounted; /* the kind of that reason */
    bool of_others;               /* it is about pods that come first */
};

/* The reason that the search for one pod is beyond the steps of a stock, a clause; compare the pointer. */
extern const char skr_sequence_too_long[];

/* It ends before a pod that is not served. */
static inline bool skr_sequence_fails(const struct skr_sequence *sequence)
{
    return sequence->end == SKR_SEQUENCE_NONE || sequence->end == SKR_SEQUENCE_ERROR;
}

struct skr_sequence_memo;
struct skr_sequence_memo *skr_sequence_memo_create(void);
void skr_sequence_memo_destroy(struct skr_sequence_memo *memo); /* NULL allowed */

size_t skr_sequence_memo_size(const struct skr_sequence_memo *memo); /* distinct nodes and shapes */

/* pending: pods that come first, n_pending of them; one that does not fit is left out. first: the first of the
 * pods, which pays for what they share; NULL: they are equal. most: >= 0. memo: NULL allowed. O(devices * requests
 * + steps of the search). */
struct skr_sequence skr_sequence_count(const struct skr_devices_stock *stock, const char *node,
                                       const struct skr_pod_claims *pending, size_t n_pending,
                                       const struct skr_pod_claims *first,
                                       const struct skr_pod_claims *pod, int32_t most,
                                       struct skr_sequence_memo *memo);

/* The same if no allocation took anything. */
struct skr_sequence skr_sequence_ever(const struct skr_devices_stock *stock, const char *node,
                                      const struct skr_pod_claims *first,
                                      const struct skr_pod_claims *pod, int32_t most,
                                      struct skr_sequence_memo *memo);

/* Pods that need not be equal, one after the other; none is left out. n: those before the first one that does
 * not fit. O(the same, for each pod that differs from the one before it). */
struct skr_sequence skr_sequence_serve(const struct skr_devices_stock *stock, const char *node,
                                       const struct skr_pod_claims *pod, size_t n,
                                       struct skr_sequence_memo *memo);

/* The same of pods on several nodes, whose devices may be the same. The first n_pending ones are left out if they do
 * not fit, and do not count. Devices are allocated in the stock meanwhile; its callback is not called. O(devices of
 * the node, for each pod that differs in node or claims from the one before it). */
struct skr_sequence skr_sequence_serve_apart(struct skr_devices_stock *stock,
                                             const char *const *node,
                                             const struct skr_pod_claims *pod, size_t n_pending,
                                             size_t n);

/* Whether the order of two pods may decide which devices they have: a device, or a pool with shared counters,
 * may serve both. False if one of them is unmodelled. O(devices * requests). */
bool skr_sequence_interferes(const struct skr_devices_stock *stock, const char *node,
                             const struct skr_pod_claims *a, const struct skr_pod_claims *b);

enum { SKR_STAND_CLAIMS = 4, SKR_STAND_REQUESTS = 4 };

/* Devices that match a request: without tainted ones, free ones of these, tainted ones. fails: a selector has a
 * runtime error about so many others. */
struct skr_sequence_stand {
    size_t all, free, tainted, fails;
};

/* For explanations: the first requests, or alternatives, of the first claims on the node, after the pending
 * pods. Zeros: there is no such request, or the pod is unmodelled. O(devices * requests + steps). */
void skr_sequence_free(const struct skr_devices_stock *stock, const char *node,
                       const struct skr_pod_claims *pending, size_t n_pending,
                       const struct skr_pod_claims *pod,
                       struct skr_sequence_stand ret[SKR_STAND_CLAIMS][SKR_STAND_REQUESTS]);

/* Devices that may serve some request of these pods, whose claims are joined, and that the pending pods leave free;
 * ever: taken ones, too. No order of the pods uses more. *ret_later: it is later (answers.h). INT32_MAX: it is not known, or several claims may share one of
 * them. O(the same). */
int32_t skr_sequence_devices(const struct skr_devices_stock *stock, const char *node,
                             const struct skr_pod_claims *pending, size_t n_pending,
                             const struct skr_pod_claims *pods, bool ever, bool *ret_later);

/* For explanations: how many pods the node would serve, after the pending ones, if devices that fewer requests of the
 * pod match came first, and of these those that use fewer counters. kube-scheduler's own number counts (skr_sequence_count); 0: it is not known. O(devices^2 +
 * devices * requests + steps). */
int32_t skr_sequence_scarce_last(const struct skr_devices_stock *stock, const char *node,
                                 const struct skr_pod_claims *pending, size_t n_pending,
                                 const struct skr_pod_claims *pod, int32_t most);

/* The devices of each pod in turn, for models of kube-scheduler. Requests of the problem are those of the
 * claims, one after the other. */
typedef void skr_sequence_see(void *context, const struct skr_node_rows *rows,
                              const struct skr_devices_problem *problem,
                              const struct skr_devices_result *result, size_t n);
struct skr_sequence skr_sequence_play(const struct skr_devices_stock *stock, const char *node,
                                      const struct skr_pod_claims *pod, int32_t most,
                                      skr_sequence_see *see, void *context);

#endif
