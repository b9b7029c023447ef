/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node that is kept: the struct, its lists, and what is its own (uid), one behind the other. A
 * label whose value is the node's name, as kubernetes.io/hostname mostly is, borrows the name.
 */
#include "topology/node_keep.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of lists are multiples of those of their items, so each begins aligned when the one before
 * it has items of no less alignment; the text comes last. */
struct kept {
    struct skr_node node;
    _Alignas(struct skr_label) unsigned char more[];
};

_Static_assert(_Alignof(struct skr_label) >= _Alignof(struct skr_taint), "lists in a row");

/* What nodes offer that are alike; names are texts that are shared. */
struct offer {
    uint32_t refs, number, hash;
    size_t n;
    struct skr_quantity_item item[];
};

static struct offer *offer_at(const struct skr_node_shared *shared, uint32_t number)
{
    return *(struct offer **)skr_slab_at(&shared->offers, number);
}

static struct offer *offer_find(const struct skr_node_shared *shared,
                                const struct skr_quantities *amounts, uint32_t hash)
{
    uint32_t number;
    for (size_t at = 0; skr_hash_index_next(&shared->offers_index, hash, &at, &number);) {
        struct offer *offer = offer_at(shared, number);
        if (skr_quantities_equal(&(struct skr_quantities){offer->n, offer->item}, amounts)) {
            return offer;
        }
    }
    return NULL;
}

static struct skr_quantities share_offer(struct skr_node_shared *shared,
                                         const struct skr_quantities *amounts)
{
    uint64_t hash = amounts->n;
    for (size_t i = 0; i < amounts->n; i++) {
        hash = skr_hash_pair(hash, skr_hash_string(amounts->item[i].name));
        hash = skr_hash_pair(hash, (uint64_t)amounts->item[i].amount);
    }
    struct offer *offer = offer_find(shared, amounts, (uint32_t)hash);
    if (!offer) {
        offer = skr_alloc(sizeof *offer + amounts->n * sizeof offer->item[0]);
        offer->n = amounts->n;
        offer->hash = (uint32_t)hash;
        for (size_t i = 0; i < amounts->n; i++) {
            offer->item[i] = (struct skr_quantity_item){
                .name = skr_texts_share(&shared->texts, amounts->item[i].name),
                .amount = amounts->item[i].amount};
        }
        shared->offers.size = sizeof(struct offer *);
        offer->number = skr_slab_add(&shared->offers);
        *(struct offer **)skr_slab_at(&shared->offers, offer->number) = offer;
        skr_hash_index_add(&shared->offers_index, offer->hash, offer->number);
    }
    offer->refs++;
    return (struct skr_quantities){.n = offer->n, .item = offer->item};
}

static void release_offer(struct skr_node_shared *shared, const struct skr_quantities *amounts)
{
    struct offer *offer = (struct offer *)((uintptr_t)amounts->item - offsetof(struct offer, item));
    if (--offer->refs > 0) {
        return;
    }
    for (size_t i = 0; i < offer->n; i++) {
        skr_texts_release(&shared->texts, offer->item[i].name);
    }
    skr_hash_index_remove(&shared->offers_index, offer->hash, offer->number);
    skr_slab_remove(&shared->offers, offer->number);
    free(offer);
}

void skr_node_shared_fini(struct skr_node_shared *shared)
{
    skr_slab_fini(&shared->offers);
    skr_hash_index_fini(&shared->offers_index);
    skr_texts_fini(&shared->texts);
}

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

struct skr_node *skr_node_keep(struct skr_node_shared *shared, const struct skr_node *node,
                               const char *name)
{
    const size_t uid_size = strlen(node->meta.uid) + 1;
    const size_t n_labels = node->meta.labels.n + node->meta.annotations.n;
    struct skr_texts *texts = &shared->texts;
    struct kept *kept = skr_alloc(sizeof *kept + n_labels * sizeof(struct skr_label) +
                                  node->n_taints * sizeof(struct skr_taint) + uid_size);
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
    copy->allocatable = share_offer(shared, &node->allocatable);
    copy->meta.uid = memcpy(take(&at, uid_size), node->meta.uid, uid_size);
    return copy;
}

void skr_node_forget(struct skr_node_shared *shared, struct skr_node *node)
{
    if (!node) {
        return;
    }
    struct skr_texts *texts = &shared->texts;
    forget_labels(texts, &node->meta.labels, node->meta.name);
    forget_labels(texts, &node->meta.annotations, node->meta.name);
    for (size_t i = 0; i < node->n_taints; i++) {
        skr_texts_release(texts, node->taints[i].key);
        skr_texts_release(texts, node->taints[i].value);
    }
    release_offer(shared, &node->allocatable);
    free(node);
}
