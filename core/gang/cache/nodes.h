/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_NODES_H
#define SKR_CORE_GANG_CACHE_NODES_H
/* The nodes there are, and names that only nominations know. */
#include "core/gang/state/gang.h"

struct node_entry {
    const char *name;      /* of its own: outlives versions of the node */
    struct skr_node *node; /* NULL: only nominations name it; node_changes.c */
    skr_time changed_at;   /* skr_nodes_touch(): the scheduler may not have seen it yet */
    uint32_t number;       /* in gang->nodes */
    bool refused;          /* the table of names has no room for its: it has none for anybody */
    bool awaited;          /* a planned member waits until an older nomination here is cleared */
    bool named;            /* skr_nodes_name(); not for longer than one look at all of them */
    struct pod_entry *nominated; /* unbound pods of ours whose status nominates it; pod_changes.c */
};

/* One entry after another: *at begins as 0; NULL at the end. The entry that was returned last may be
 * forgotten meanwhile. */
struct node_entry *skr_nodes_next(const struct skr_gang *e, size_t *at);
/* NULL: no such node exists. */
struct node_entry *skr_nodes_find(const struct skr_gang *e, const char *name);
struct node_entry *skr_nodes_get(struct skr_gang *e, const char *name); /* made when absent */
/* The scheduler's own picture of the node may be older than ours; nothing when there is none. */
void skr_nodes_touch(struct skr_gang *e, const char *name);
/* Marks a node for a look at all of them, which takes the marks away; nothing when there is none. */
void skr_nodes_name(struct skr_gang *e, const char *name);
bool skr_nodes_take_name(struct node_entry *n); /* whether it was */
void skr_nodes_set_awaited(struct node_entry *n, bool awaited);
/* No such node exists, and nobody nominates it: the entry goes; then true. */
bool skr_nodes_forget_if_unused(struct skr_gang *e, struct node_entry *n);

#endif
