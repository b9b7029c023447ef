/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_LEDGER_H
#define SKR_TOPOLOGY_LEDGER_H
/*
 * The capacity ledger: what is free on every node.
 *
 *   free = allocatable - charges
 *
 * A charge is one pod (by UID) on one node: bound, being bound, or reserved by a committed plan. A
 * UID has at most one charge; charging it again moves it. Charges may stand on nodes that do
 * not exist (yet): they count as soon as the node appears. Free may be negative (overcommitted
 * nodes) and is never clamped here. Single owner, the engine.
 *
 * A resource limits a request only on nodes that list it, that is, with more than 0 allocatable.
 * Elsewhere a request that is by_class (resources.h) has room without a limit, any other has none.
 */
#include <stdbool.h>

#include "topology/base/uuid.h"
#include "topology/object.h"
#include "topology/resources.h"
#include "topology/room.h"

enum skr_charge_kind {
    SKR_CHARGE_BOUND,    /* the API server says the pod is on the node */
    SKR_CHARGE_BINDING,  /* an ordinary pod whose Binding is in flight */
    SKR_CHARGE_RESERVED, /* a member of a committed (or being committed) plan */
    SKR_CHARGE_KIND_COUNT
};

struct skr_ledger;
struct skr_ledger *skr_ledger_create(struct skr_resource_names *names); /* names borrowed */
void skr_ledger_destroy(struct skr_ledger *ledger);

/* allocatable is copied. O(resources). */
void skr_ledger_set_node(struct skr_ledger *ledger, const char *node,
                         const struct skr_amounts *allocatable);
void skr_ledger_remove_node(struct skr_ledger *ledger,
                            const char *node); /* charges stay on the name */

/* amounts is borrowed and must outlive the charge (shapes are interned); one "pods" per pod must be
 * in it. Replaces an older charge of the UID, whatever its node or kind. Returns the number of the
 * charge, which stands for it until it is released. */
uint32_t skr_ledger_charge(struct skr_ledger *ledger, const char *uid, const char *node,
                           const struct skr_amounts *amounts, enum skr_charge_kind kind);
/* Of the charge with that number: the UID, in buffer or the ledger's own text, and the node. So who
 * keeps a million charged pods need not keep these twice. O(1). */
const char *skr_ledger_charge_uid(const struct skr_ledger *ledger, uint32_t number,
                                  char buffer[SKR_UUID_TEXT]);
const char *skr_ledger_charge_node(const struct skr_ledger *ledger, uint32_t number);
/* change may change what amounts of charges hold, and must not touch the ledger. For amounts whose
 * ids another table of names gave (topology/resources.h). O(charges). */
void skr_ledger_revalue(struct skr_ledger *ledger, void (*change)(void *context), void *context);
/* No charge: nothing happens, returns false. */
bool skr_ledger_release(struct skr_ledger *ledger, const char *uid);
/* Node the UID is charged on or NULL; kind may be NULL. */
const char *skr_ledger_find(const struct skr_ledger *ledger, const char *uid,
                            enum skr_charge_kind *ret_kind);

/* What the UID is charged, and on which node; NULL: it has no charge. Borrowed. */
const struct skr_amounts *skr_ledger_amounts(const struct skr_ledger *ledger, const char *uid,
                                             const char **ret_node);

bool skr_ledger_has_node(const struct skr_ledger *ledger, const char *node);
/* allocatable - charges; 0 for a node or resource that does not exist. */
int64_t skr_ledger_free(const struct skr_ledger *ledger, const char *node, uint16_t resource);
/* The same for n resources with one look-up. */
void skr_ledger_free_each(const struct skr_ledger *ledger, const char *node,
                          const uint16_t *resource, size_t n, int64_t *ret);
int64_t skr_ledger_allocatable(const struct skr_ledger *ledger, const char *node,
                               uint16_t resource);
/* Whether amounts fit into what is free on the node, the charge of UID except (may be NULL) not
 * counted. A resource with request 0 never limits. A node that does not exist fits nothing. */
bool skr_ledger_fits(const struct skr_ledger *ledger, const char *node,
                     const struct skr_amounts *amounts, const char *except);
/* A node of the ledger, for several questions with one look-up; NULL when there is none. Until the
 * ledger changes. */
struct skr_ledger_node;
const struct skr_ledger_node *skr_ledger_get(const struct skr_ledger *ledger, const char *node);
/* Small, and its own as long as it is in the ledger, and as long as the epoch is the same. O(1). */
uint32_t skr_ledger_node_number(const struct skr_ledger_node *node);
uint64_t skr_ledger_numbers_epoch(const struct skr_ledger *ledger);
/* Whether the node is kept for groups against a pod of these amounts: charges of kind
 * SKR_CHARGE_RESERVED stand on it, and too little is free of a resource that it lists. What it does
 * not list is kube-scheduler's own to judge. except: as skr_ledger_fits(). NULL allowed. */
bool skr_ledger_is_kept(const struct skr_ledger *ledger, const struct skr_ledger_node *node,
                        const struct skr_amounts *amounts, const char *except);
/* As skr_ledger_free() and skr_ledger_allocatable(). NULL allowed. */
int64_t skr_ledger_node_free(const struct skr_ledger_node *node, uint16_t resource);
int64_t skr_ledger_node_allocatable(const struct skr_ledger_node *node, uint16_t resource);
/* The largest part of a resource that is charged, of those that the node has; 0 of 1 for NULL. */
struct skr_part {
    int64_t used, all;
};
struct skr_part skr_ledger_node_use(const struct skr_ledger_node *node);
/* Below 0: a is less than b; above 0: more. */
int skr_part_compare(const struct skr_part *a, const struct skr_part *b);
/* Room for what is asked for: free as above; SKR_ROOM_UNLIMITED where the node does not list it and
 * the request is by_class. The same on the empty node. NULL allowed. */
int64_t skr_ledger_node_room(const struct skr_ledger_node *node, const struct skr_amount *request);
int64_t skr_ledger_node_empty_room(const struct skr_ledger_node *node,
                                   const struct skr_amount *request);
/* How many pods of these amounts what is free on the node holds: the least over amounts > 0 of
 * skr_room_holds(), INT32_MAX when nothing limits or beyond; 0 for NULL and a node that does
 * not exist. */
int32_t skr_ledger_slots(const struct skr_ledger_node *node, const struct skr_amounts *amounts);
/* Calls see for every node, each once, of which something may have changed since the last call of
 * this function: allocatable, charges, whether it exists. see must not change the ledger. Call it
 * now and then: until then names of nodes that are gone are kept. O(changed nodes). */
void skr_ledger_see_changed(struct skr_ledger *ledger, void (*see)(void *context, const char *node),
                            void *context);
/* Grows by one at every change that frees or adds capacity anywhere; wake-up of waiting groups. */
uint64_t skr_ledger_freed_epoch(const struct skr_ledger *ledger);
/* That its charges hold; O(1). */
size_t skr_ledger_charge_bytes(const struct skr_ledger *ledger);
/* Recomputes every sum from the charges; SKR_BUG with the first difference. O(nodes + charges). */
int skr_ledger_check(const struct skr_ledger *ledger, struct skr_error *error);

#endif
