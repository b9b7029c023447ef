/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_DIVIDE_H
#define SKR_CORE_PROPAGATION_DIVIDE_H
/*
 * Division of replicas by weights: Webster's method (Sainte-Lague), one replica at a time to the
 * largest weight / (2 * given + 1); a tie goes to the cluster that has been given less, then by
 * name, ascending or descending. The same as karmada pkg/util/helper/webstermethod.go, exact where
 * that compares floating point numbers, and without its cost per replica.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct skr_share {
    const char *name; /* unique */
    int64_t weight;   /* 0 or more */
    int64_t given;    /* result */
};

/* Divides n among the shares; all get 0 when no weight is above 0. The order of the array does not
 * matter and is kept. O(shares log shares). */
void skr_divide(struct skr_share *share, size_t n_shares, int64_t n, bool name_descending);

/* 32-bit FNV-1a of a text. */
uint32_t skr_fnv1a(const char *text);
/* Whether ties between the clusters of the object with this uid go to the larger name: where its
 * hash is odd. Without a uid they go to the smaller name. */
bool skr_divide_descends(const char *uid);

#endif
