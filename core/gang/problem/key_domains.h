/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_KEY_DOMAINS_H
#define SKR_CORE_GANG_PROBLEM_KEY_DOMAINS_H
/*
 * Domains of one topology key: its values over all nodes, including those outside the tree, numbered from 0.
 */
#include <stdbool.h>
#include <stdint.h>

struct skr_gang;
struct node_entry;
struct key_value;

struct key_domains {
    struct key_value *values;
    int32_t n;
};

/* counts: whether the value of a node makes a domain; NULL: every node does. Values are borrowed from the
 * nodes. O(nodes). Release with skr_key_domains_fini(). */
void skr_key_domains_init(const struct skr_gang *e, const char *key, struct key_domains *ret,
                          bool (*counts)(const struct node_entry *, const void *),
                          const void *context);
void skr_key_domains_fini(struct key_domains *d);
/* The node's value of the key, borrowed; NULL: it has none, or there is no node. */
const char *skr_key_value_on(const struct node_entry *n, const char *key);
/* -1: no domain has the value, or it is NULL. O(1). */
int32_t skr_key_domain_of(const struct key_domains *d, const char *text);

#endif
