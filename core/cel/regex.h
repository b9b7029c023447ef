/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_REGEX_H
#define SKR_CORE_CEL_REGEX_H
/*
 * Regular expressions in RE2's syntax (https://github.com/google/re2/wiki/Syntax), matched in time
 * that is linear in pattern times text: threads of an automaton advance together, in order of
 * priority (K. Thompson, 1968; R. Pike). Of several matches that begin at one place, the one that
 * Perl would choose counts.
 *
 * Served: literals, classes, escapes, groups, alternatives, repetition, flags i m s U, ^ $ \A \z \b
 * \B. Refused with a message: Unicode classes (\p), other letters than ASCII under flag i, \C, and
 * what RE2 refuses (back references, look-around).
 */
#include "topology/base/arena.h"
#include "topology/base/error.h"

enum {
    SKR_CEL_REGEX_STEPS_MAX = 4096, /* instructions of one automaton */
    SKR_CEL_REGEX_REPEAT_MAX = 1000,
    SKR_CEL_REGEX_DEPTH_MAX = 100, /* nested groups */
};

struct skr_cel_regex;

/* SKR_INVALID "at N: WHAT", SKR_LIMIT, SKR_NO_MEMORY. */
int skr_cel_regex_compile(const char *pattern, size_t n, struct skr_arena *arena,
                          const struct skr_cel_regex **ret, struct skr_error *error);
/* What one code point of a text costs at most: steps, and ranges of their sets. */
size_t skr_cel_regex_weight(const struct skr_cel_regex *regex);

struct skr_cel_match {
    size_t begin, end;
};
/* The leftmost match at or after from. text is UTF-8. -SKR_NO_MEMORY: the arena is full; 1: found;
 * 0: there is none. O(weight * n). */
int skr_cel_regex_find(const struct skr_cel_regex *regex, const char *text, size_t n, size_t from,
                       struct skr_arena *arena, struct skr_cel_match *ret);

#endif
