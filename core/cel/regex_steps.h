/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_REGEX_STEPS_H
#define SKR_CORE_CEL_REGEX_STEPS_H
/* The automaton of a regular expression, between regex.c that makes it and regex_match.c. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum skr_cel_assertion {
    SKR_CEL_ASSERT_BEGIN,
    SKR_CEL_ASSERT_END,
    SKR_CEL_ASSERT_LINE_BEGIN,
    SKR_CEL_ASSERT_LINE_END,
    SKR_CEL_ASSERT_WORD, /* between a word character and another one, both of ASCII */
    SKR_CEL_ASSERT_NO_WORD,
};

struct skr_cel_range {
    uint32_t low, high;
};
struct skr_cel_set {
    bool negated;
    size_t n;
    struct skr_cel_range *range;
};

enum skr_cel_step_kind {
    SKR_CEL_STEP_SET,    /* a code point of the set, then the following step */
    SKR_CEL_STEP_ASSERT, /* nothing, if the assertion holds, then the following step */
    SKR_CEL_STEP_FORK,   /* next, or else other; lazy: other is preferred */
    SKR_CEL_STEP_JUMP,   /* next */
    SKR_CEL_STEP_MATCH,
};

struct skr_cel_step {
    enum skr_cel_step_kind kind;
    bool lazy;
    enum skr_cel_assertion assertion;
    uint32_t next, other;
    struct skr_cel_set set;
};

struct skr_cel_regex {
    size_t n;
    size_t weight; /* steps, and ranges of all their sets */
    struct skr_cel_step *step;
};

#endif
