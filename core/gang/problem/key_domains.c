/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/problem/key_domains.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "core/gang/cache/nodes.h"

struct key_value {
    UT_hash_handle hh;
    const char *text;
    int32_t domain;
};

const char *skr_key_value_on(const struct node_entry *n, const char *key)
{
    return n && n->node ? skr_labels_get(&n->node->meta.labels, key) : NULL;
}

int32_t skr_key_domain_of(const struct key_domains *d, const char *text)
{
    const struct key_value *v = NULL;
    if (text) {
        HASH_FIND_STR(d->values, text, v);
    }
    return v ? v->domain : -1;
}

void skr_key_domains_init(const struct skr_gang *e, const char *key, struct key_domains *ret,
                          bool (*counts)(const struct node_entry *, const void *),
                          const void *context)
{
    *ret = (struct key_domains){0};
    struct node_entry *n;
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        const char *text = skr_key_value_on(n, key);
        if (text && skr_key_domain_of(ret, text) < 0 && (!counts || counts(n, context))) {
            struct key_value *v = skr_alloc(sizeof *v);
            v->text = text;
            v->domain = ret->n++;
            HASH_ADD_KEYPTR(hh, ret->values, v->text, strlen(v->text), v);
        }
    }
}

void skr_key_domains_fini(struct key_domains *d)
{
    struct key_value *v, *tmp;
    HASH_ITER(hh, d->values, v, tmp)
    {
        HASH_DEL(d->values, v);
        free(v);
    }
}
