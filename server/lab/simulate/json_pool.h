/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_JSON_POOL_H
#define SKR_SERVER_LAB_SIMULATE_JSON_POOL_H
/*
 * Memory for libjansson in a program with one thread and some million values. Values of one size
 * are adjacent, without headers, and a freed one is reused next. Values larger than
 * SKR_JSON_POOL_LARGEST use malloc(); so do all if there is no address space for the pool.
 *
 * Text from libjansson must then not be freed by free(): use skr_json_text().
 */
#include <stddef.h>

enum { SKR_JSON_POOL_LARGEST = 512 };

/* From now on libjansson uses the pool; its earlier memory stays valid. For the only thread of a
 * program, until its end. Builds for sanitizers use malloc(). */
void skr_json_pool_use(void);

/* Like malloc() and free(), aligned to 8 bytes; NULL: no memory. Any pointer from malloc() may be
 * freed. */
void *skr_json_pool_alloc(size_t size);
void skr_json_pool_free(void *memory); /* NULL allowed */

#endif
