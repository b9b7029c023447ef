/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node that is kept: the struct, its lists, and what is its own (uid), one behind the other. A
 * label whose value is the node's name, as kubernetes.io/hostname mostly is, borrows the name.
 */
#include "topology/node_keep.h"

#include <string.h>

/* Sizes of lists are multiples of those of their items, so each begins aligned when the one before
 * it has items of no less alignment; the text comes last. */
struct kept {
    struct skr_node node;
    _Alignas(struct skr_label) unsigned char more[];
};

_Static_assert(_Alignof(struct skr_label) >= _Alignof(struct skr_taint), "lists in a row");
_Static_assert(_Alignof(struct skr_label) >= _Alignof(struct skr_quantity_item), "lists in a row");

static void *take(unsigned char **at, size_t size)
{
    void *p = *at;
    *at += size;
    return p;
}

static void keep_labels(struct skr_texts *texts, const struct skr_labels *from, const char *name,
                        unsigned char **at, struct skr_labels *ret)
{
    ret->n = from->n;
    ret->item = take(at, from->n * sizeof ret->item[0]);
    for (size_t i = 0; i < from->n; i++) {
        const char *value = from->item[i].value;
        ret->item[i].key = skr_texts_share(texts, from->item[i].key);
        ret->item[i].value = strcmp(value, name) == 0 ? name : skr_texts_share(texts, value);
    }
}

static void forget_labels(struct skr_texts *texts, const struct skr_labels *labels,
                          const char *name)
{
    for (size_t i = 0; i < labels->n; i++) {
        skr_texts_release(texts, labels->item[i].key);
        if (labels->item[i].value != name) {
            skr_texts_release(texts, labels->item[i].value);
        }
    }
}

struct skr_node *skr_node_keep(struct skr_texts *texts, const struct skr_node *node,
                               const char *name)
{
    const size_t uid_size = strlen(node->meta.uid) + 1;
    const size_t n_labels = node->meta.labels.n + node->meta.annotations.n;
    struct kept *kept =
        skr_alloc(sizeof *kept + n_labels * sizeof(struct skr_label) +
                  node->n_taints * sizeof(struct skr_taint) +
                  node->allocatable.n * sizeof(struct skr_quantity_item) + uid_size);
    struct skr_node *copy = &kept->node;
    unsigned char *at = kept->more;
    *copy = *node;
    copy->arena = NULL;
    copy->meta.namespace_ = "";
    copy->meta.name = name;
    keep_labels(texts, &node->meta.labels, name, &at, &copy->meta.labels);
    keep_labels(texts, &node->meta.annotations, name, &at, &copy->meta.annotations);
    copy->taints = take(&at, node->n_taints * sizeof copy->taints[0]);
    for (size_t i = 0; i < node->n_taints; i++) {
        copy->taints[i] = (struct skr_taint){.key = skr_texts_share(texts, node->taints[i].key),
                                             .value = skr_texts_share(texts, node->taints[i].value),
                                             .effect = node->taints[i].effect};
    }
    copy->allocatable.item = take(&at, node->allocatable.n * sizeof copy->allocatable.item[0]);
    for (size_t i = 0; i < node->allocatable.n; i++) {
        copy->allocatable.item[i] = (struct skr_quantity_item){
            .name = skr_texts_share(texts, node->allocatable.item[i].name),
            .amount = node->allocatable.item[i].amount};
    }
    copy->meta.uid = memcpy(take(&at, uid_size), node->meta.uid, uid_size);
    return copy;
}

void skr_node_forget(struct skr_texts *texts, struct skr_node *node)
{
    if (!node) {
        return;
    }
    forget_labels(texts, &node->meta.labels, node->meta.name);
    forget_labels(texts, &node->meta.annotations, node->meta.name);
    for (size_t i = 0; i < node->n_taints; i++) {
        skr_texts_release(texts, node->taints[i].key);
        skr_texts_release(texts, node->taints[i].value);
    }
    for (size_t i = 0; i < node->allocatable.n; i++) {
        skr_texts_release(texts, node->allocatable.item[i].name);
    }
    free(node);
}
