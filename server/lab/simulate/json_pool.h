/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_JSON_POOL_H
#define SKR_SERVER_LAB_SIMULATE_JSON_POOL_H
/*
 * Memory for libjansson in a program that holds some million values and has one thread: values of
 * one size lie side by side, without a header each, and one that is given back is the next that is
 * handed out. What is larger than SKR_JSON_POOL_LARGEST, and all of it when there is no address
 * space for the pool, comes from malloc().
 *
 * What libjansson hands out as text must then not be freed by free(): use skr_json_text().
 */
#include <stddef.h>

enum { SKR_JSON_POOL_LARGEST = 512 };

/* libjansson takes its memory from the pool from now on; what it has already stays valid. For the one
 * thread of a program, to its end. Builds for sanitizers stay with malloc(). */
void skr_json_pool_use(void);

/* As malloc() and free(), aligned to 8 bytes; NULL: no memory. Any pointer of malloc() may be freed. */
void *skr_json_pool_alloc(size_t size);
void skr_json_pool_free(void *memory); /* NULL allowed */

#endif
