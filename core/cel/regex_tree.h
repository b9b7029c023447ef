/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_REGEX_TREE_H
#define SKR_CORE_CEL_REGEX_TREE_H
/* The tree of a regular expression, between regex_read.c that makes it and regex.c. */
#include "core/cel/regex_steps.h"
#include "topology/base/arena.h"
#include "topology/base/error.h"

#define SKR_CEL_FOREVER UINT32_MAX /* repetitions */

enum skr_cel_tree_kind {
    SKR_CEL_TREE_EMPTY,
    SKR_CEL_TREE_SET,
    SKR_CEL_TREE_ASSERT,
    SKR_CEL_TREE_SEQUENCE,
    SKR_CEL_TREE_ALTERNATIVES,
    SKR_CEL_TREE_REPEAT, /* of its one child */
};

struct skr_cel_tree {
    enum skr_cel_tree_kind kind;
    struct skr_cel_set set; /* SET */
    enum skr_cel_assertion assertion;
    uint32_t min, max; /* REPEAT; max SKR_CEL_FOREVER */
    bool lazy;
    struct skr_cel_tree *first, *last; /* children */
    struct skr_cel_tree *next;         /* sibling */
};

/* Errors as skr_cel_regex_compile(). At most SKR_CEL_REGEX_DEPTH_MAX groups deep. */
int skr_cel_regex_read(const char *pattern, size_t n, struct skr_arena *arena,
                       struct skr_cel_tree **ret, struct skr_error *error);

#endif
