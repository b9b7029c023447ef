/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_TABLE_H
#define SKR_TOPOLOGY_BASE_TABLE_H
/*
 * Tables of uthash whose keys users choose: names of pods and groups, namespaces, uids in owner
 * references. The hash of uthash has no secret, so anyone can compute names that share a bucket. A
 * few hundred of them also stop the table from growing, for all keys. Such tables are hashed with the
 * seed of the process (hash.h). Everything else of uthash is used as it is: HASH_DEL, HASH_ITER and
 * HASH_COUNT need no hash, and HASH_ITER follows the order of insertion whatever the seed.
 *
 * seed: const struct skr_hash_seed *, the same for all uses of a table.
 */
#include <string.h>
#include <uthash.h>

#include "topology/base/hash.h"

/* As HASH_FIND and HASH_ADD_KEYPTR. */
#define SKR_TABLE_FIND(seed, hh, head, key, n, out)                                  \
    do {                                                                             \
        const void *const skr_key_ = (key);                                          \
        const size_t skr_n_ = (n);                                                   \
        const unsigned skr_hash_ = (unsigned)skr_hash_keyed(seed, skr_key_, skr_n_); \
        HASH_FIND_BYHASHVALUE(hh, head, skr_key_, skr_n_, skr_hash_, out);           \
    } while (0)
#define SKR_TABLE_ADD(seed, hh, head, key, n, item)                               \
    do {                                                                          \
        const size_t skr_n_ = (n);                                                \
        const unsigned skr_hash_ = (unsigned)skr_hash_keyed(seed, (key), skr_n_); \
        HASH_ADD_KEYPTR_BYHASHVALUE(hh, head, key, skr_n_, skr_hash_, item);      \
    } while (0)
/* As HASH_FIND_STR. */
#define SKR_TABLE_FIND_STR(seed, head, key, out) \
    SKR_TABLE_FIND(seed, hh, head, key, strlen(key), out)

#endif
