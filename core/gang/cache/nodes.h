/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_NODES_H
#define SKR_CORE_GANG_CACHE_NODES_H
/* The existing nodes, and names that only nominations mention. */
#include "core/gang/state/gang.h"

struct node_entry {
    const char *name;      /* own copy: outlives versions of the node */
    struct skr_node *node; /* NULL: only nominations name it; node_changes.c */
    skr_time changed_at;   /* skr_nodes_touch(): kube-scheduler may not have seen the change yet */
    uint64_t stamp;        /* skr_nodes_stamp(): stamp of its last change; 0: none */
    struct node_entry *sprev, *snext; /* in gang->nodes.stamped, while stamp > 0 */
    uint32_t number;                  /* in gang->nodes */
    bool spare;                       /* kept for replacements; spare.c */
    bool refused;         /* the table of names has no room for its name: no pod may use it */
    bool awaited;         /* a planned member waits until an older nomination here is cleared */
    bool named;           /* skr_nodes_name(); until the next skr_nodes_take_name() */
    struct end_row *ends; /* pods here whose end may be known; ends.c */
    struct pod_entry *nominated; /* unbound pods of ours whose status nominates it; pod_changes.c */
};

/* Iterates over entries: *at begins as 0; NULL at the end. The entry returned last may be removed
 * meanwhile. */
struct node_entry *skr_nodes_next(const struct skr_gang *e, size_t *at);
/* NULL: no such node exists. */
struct node_entry *skr_nodes_find(const struct skr_gang *e, const char *name);
struct node_entry *skr_nodes_get(struct skr_gang *e, const char *name); /* created if absent */
/* Whether no pod will run there any more: it is deleted, has the taint out-of-service, or has not been
 * Ready for time.failAfter. */
bool skr_nodes_is_lost(const struct skr_gang *e, const char *name, skr_time now);
/* The node changed: kube-scheduler's view of it may be older. No effect on an unknown node. */
void skr_nodes_touch(struct skr_gang *e, const char *name);
/* Its room or state changed. No effect on an unknown node. */
void skr_nodes_stamp(struct skr_gang *e, const char *name);
/* The first entry with a later stamp, NULL: none; further ones by snext. O(those). */
const struct node_entry *skr_nodes_stamped_since(const struct skr_gang *e, uint64_t stamp);
/* Marks a node for a walk over all nodes, which clears the marks. No effect on an unknown node. */
void skr_nodes_name(struct skr_gang *e, const char *name);
bool skr_nodes_take_name(struct node_entry *n); /* whether it was marked */
void skr_nodes_set_awaited(struct node_entry *n, bool awaited);
/* Removes the entry if no such node exists and no pod nominates it; then true. */
bool skr_nodes_forget_if_unused(struct skr_gang *e, struct node_entry *n);

#endif
