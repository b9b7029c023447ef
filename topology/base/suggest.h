/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_SUGGEST_H
#define SKR_TOPOLOGY_BASE_SUGGEST_H
/*
 * "Did you mean": the candidate that is nearest to a mistyped word by edit distance (insertions,
 * deletions, substitutions, swapped neighbours), case ignored. Used for commands, flags,
 * configuration keys, and the words of rules.
 */
#include <stddef.h>

enum { SKR_SUGGEST_WORD_MAX = 64 }; /* longer words get no suggestion */

/* Borrowed from candidate, or NULL when nothing is near enough (more than a third of the word's
 * letters differ, at least one letter may). Ties: the first. O(n * length^2). */
const char *skr_suggest(const char *word, const char *const *candidate, size_t n);

/* The same where at most `most` letters differ. */
const char *skr_suggest_within(const char *word, const char *const *candidate, size_t n,
                               size_t most);

#endif
