/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_STOCK_H
#define SKR_CORE_DEVICES_STOCK_H
/*
 * The devices of a cluster: slices by pool and by node, the classes, what allocations take, and the
 * specs of claims, each distinct one once. sequence.h counts with it.
 *
 * Devices are of one node (nodeName), of all nodes (allNodes), or of a *region*: the nodes that match a node
 * selector. The owner says which nodes match (struct skr_stock_selecting). Without it, or if a selector cannot be
 * read, a claim that devices of a region may serve is unmodelled.
 *
 * What devices have alike is held once (kinds.h), and so is what selectors say about them (answers.h). A spec is its
 * text alone until a pod needs it. Then it is read; it stays so while pods need it, and as long as there is room.
 * Memory: some 190 bytes a device of a node with 8 GPUs, 90 of one with all MIG profiles
 * (test/bench/bench_devices.c), 48 for each device that is taken, and some 45 for each pod that has any. Owned by one
 * thread. Tables are hashed with the seed of the process.
 */
#include "core/devices/stock_state.h"

struct skr_devices_stock *skr_devices_stock_create(const struct skr_hash_seed *seed,
                                                   void (*changed)(void *, const char *),
                                                   void *context);
void skr_devices_stock_destroy(struct skr_devices_stock *stock); /* NULL allowed */

/* slice: destroyed. An older resourceVersion never replaces a newer one. */
void skr_devices_stock_put_slice(struct skr_devices_stock *stock, struct skr_device_slice *slice);
void skr_devices_stock_remove_slice(struct skr_devices_stock *stock, const char *name);
void skr_devices_stock_put_class(struct skr_devices_stock *stock,
                                 const struct skr_device_class *class);
void skr_devices_stock_remove_class(struct skr_devices_stock *stock, const char *name);
/* rule: taken. An older resourceVersion never replaces a newer one. */
void skr_devices_stock_put_rule(struct skr_devices_stock *stock,
                                struct skr_device_taint_rule *rule);
void skr_devices_stock_remove_rule(struct skr_devices_stock *stock, const char *name);
/* The claim takes these devices, instead of those before; n 0: none any more. O(n). */
void skr_devices_stock_allocate(struct skr_devices_stock *stock, const char *key,
                                const struct skr_claim_device *device, size_t n);
/* If the claim takes devices: it does so for these pods, and frees them when all are gone. Uids are copied. */
void skr_devices_stock_use(struct skr_devices_stock *stock, const char *key,
                           const char *const *pod_uid, size_t n);

/* Whether what the claim takes counts as taken; it does until this is called. Call it again afterwards: it is for one
 * question, and the callback is not called. O(1). */
void skr_devices_stock_leave_out(struct skr_devices_stock *stock, const char *key, bool out);
/* Whether the node is of the region, or has its name: a place that has devices of the region, and of all nodes, alone. */
bool skr_stock_region_has(const struct skr_devices_stock *stock,
                          const struct skr_stock_region *region, const char *node);
const struct skr_stock_region *skr_devices_stock_region(const struct skr_devices_stock *stock,
                                                        const char *name);
/* Whether a device of the slice is for the node. O(devices) if they say so by themselves. */
bool skr_stock_reaches(const struct skr_devices_stock *stock, const struct skr_stock_slice *s,
                       const char *node);
bool skr_stock_reaches_device(const struct skr_devices_stock *stock,
                              const struct skr_stock_slice *s, size_t device, const char *node);

/* Iterates over claims that take devices for pods: *at begins as NULL. Their keys; NULL: there are no more. */
const char *skr_devices_stock_next_used(const struct skr_devices_stock *stock,
                                        const struct skr_stock_claim **at,
                                        const char *const **ret_pod_uid, size_t *ret_n);

/* The node of a device that the claim takes, if the given node has none of that name in its pool; NULL: there is
 * none, or several nodes may reach it. O(devices of its pools). */
const char *skr_devices_stock_elsewhere(const struct skr_devices_stock *stock, const char *key,
                                        const char *node);

/* A reference to a spec that a pod needs, which is read; NULL: text is "" or SKR_CLAIM_NOT_KEPT, or pods need
 * SKR_STOCK_SPECS_MAX others. O(size) the first time. */
const struct skr_claim_spec *skr_devices_stock_spec(struct skr_devices_stock *stock,
                                                    const char *text);
/* How much a spec asks for: requests, alternatives among them, and their selectors; of SKR_CLAIM_NOT_KEPT more than any
 * limit. O(size) the first time. */
void skr_devices_stock_size(struct skr_devices_stock *stock, const char *text, size_t *ret_requests,
                            size_t *ret_selectors);
/* What it costs kube-scheduler to evaluate its selectors for one device, at most, and those of its classes: steps as in
 * answers.h. O(requests), O(size) the first time. */
uint64_t skr_devices_stock_steps(struct skr_devices_stock *stock,
                                 const struct skr_claim_spec *spec);
/* A reference to a spec that may not be read, of an object that no pod may need; NULL: text is "". Beyond
 * SKR_SHARE_TEXT_BYTES_MAX of the namespace: that of SKR_CLAIM_NOT_KEPT. O(bytes of text) */
const struct skr_claim_spec *skr_devices_stock_keep(struct skr_devices_stock *stock,
                                                    const char *namespace_, const char *text);
void skr_devices_stock_unkeep(struct skr_devices_stock *stock,
                              const struct skr_claim_spec *spec); /* NULL allowed */
/* The same of the claim that kube-scheduler makes for an extended resource that the class serves. */
const struct skr_claim_spec *skr_devices_stock_extended(struct skr_devices_stock *stock,
                                                        const char *class_, int64_t count);
void skr_devices_stock_forget_spec(struct skr_devices_stock *stock,
                                   const struct skr_claim_spec *spec); /* NULL allowed */

const struct skr_stock_class *skr_devices_stock_class(const struct skr_devices_stock *stock,
                                                      const char *name);
const struct skr_stock_node *skr_devices_stock_node(const struct skr_devices_stock *stock,
                                                    const char *name);
/* Whether it counts: skr_devices_stock_leave_out(). */
bool skr_devices_stock_counts(const struct skr_stock_taking *taking);
/* What allocations take of the device; NULL: nothing. */
const struct skr_stock_taking *skr_devices_stock_takings(const struct skr_devices_stock *stock,
                                                         const struct skr_stock_pool *pool,
                                                         const char *device);
#endif
