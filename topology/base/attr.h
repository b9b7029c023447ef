/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_ATTR_H
#define SKR_TOPOLOGY_BASE_ATTR_H
/*
 * Compiler attributes and bug checks. The only place where anything beyond C17 is spelled.
 *
 * skr_bug_on() stays on in release builds: a daemon whose state is wrong crashes and rebuilds
 * itself from the API server. skr_debug_check() is for checks whose cost grows with the cluster and
 * exists in debug builds (SKR_DEBUG) alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKR_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))
#define SKR_CLEANUP(fn)                  __attribute__((cleanup(fn)))
#define SKR_NORETURN                     __attribute__((noreturn))

/*
 * What a block lets go of at its end, whichever way it ends, the last one first:
 *     SKR_AUTO_FREE char *text = skr_strdup(name);           free(text)
 *     SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL; skr_tree_unref(tree)
 * beside json_auto_t of jansson and SKR_STRBUF(). Functions for SKR_AUTO() take NULL; a line
 * SKR_AUTO_DEFINE(struct skr_tree, skr_tree_unref) stands behind their prototypes.
 */
#define SKR_AUTO(destroy) SKR_CLEANUP(destroy##_at)
#define SKR_AUTO_FREE     SKR_CLEANUP(skr_free_at)
#define SKR_AUTO_DEFINE(type, destroy)            \
    static inline void destroy##_at(type **place) \
    {                                             \
        destroy(*place);                          \
    }

/* place: of a pointer to memory from malloc(), or to NULL. */
static inline void skr_free_at(void *place)
{
    void *memory;
    memcpy(&memory, place, sizeof memory);
    free(memory);
}

/* Place of the lowest and the highest bit of a word that is not 0. */
#define skr_lowest_bit(word)  __builtin_ctzll(word)
#define skr_highest_bit(word) (63 - __builtin_clzll(word))

#define skr_bug_on(condition)                                                    \
    do {                                                                         \
        if (condition) {                                                         \
            fprintf(stderr, "%s:%d: bug: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                             \
        }                                                                        \
    } while (0)

/* Products of two 64-bit numbers, for comparisons that must not round. */
__extension__ typedef __int128 skr_int128;

#ifdef SKR_DEBUG
#define skr_debug_check(condition) skr_bug_on(!(condition))
#else
#define skr_debug_check(condition) ((void)0)
#endif

#endif
