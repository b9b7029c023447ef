/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of a regular expression becomes an automaton. The tree is there because a counted
 * repetition copies its operand.
 */
#include "core/cel/regex.h"

#include "core/cel/regex_tree.h"
#include "core/cel/value.h"

struct writer {
    struct skr_cel_regex *regex;
    struct skr_arena *arena;
    struct skr_error *error;
    size_t visits; /* of trees: copies of what is empty make no steps */
};

static int no_memory(const struct writer *writer)
{
    return skr_error_set(writer->error, SKR_NO_MEMORY, "out of memory");
}

static int too_large(const struct writer *writer)
{
    return skr_error_set(writer->error, SKR_LIMIT, "its automaton has more than %d steps",
                         (int)SKR_CEL_REGEX_STEPS_MAX);
}

static int add_step(struct writer *writer, struct skr_cel_step step, uint32_t *ret)
{
    struct skr_cel_regex *regex = writer->regex;
    if (regex->n == SKR_CEL_REGEX_STEPS_MAX) {
        return too_large(writer);
    }
    struct skr_cel_step *grown = skr_cel_grow(regex->step, regex->n, sizeof *grown, writer->arena);
    if (!grown) {
        return no_memory(writer);
    }
    regex->step = grown;
    *ret = (uint32_t)regex->n;
    regex->step[regex->n++] = step;
    regex->weight += 1 + step.set.n;
    return 0;
}

static int write_tree(struct writer *writer, const struct skr_cel_tree *tree);

/* Steps whose target is the end, which is not known yet, are a list through their targets. */
static void end_here(struct writer *writer, uint32_t last)
{
    while (last != UINT32_MAX) {
        struct skr_cel_step *step = &writer->regex->step[last];
        uint32_t *target = step->kind == SKR_CEL_STEP_JUMP ? &step->next : &step->other;
        last = *target;
        *target = (uint32_t)writer->regex->n;
    }
}

/* A fork whose first way is what follows it; the other is set later. */
static int add_fork(struct writer *writer, bool lazy, uint32_t *ret)
{
    *ret = 0;
    int rc = add_step(writer, (struct skr_cel_step){.kind = SKR_CEL_STEP_FORK, .lazy = lazy}, ret);
    if (rc == 0) {
        writer->regex->step[*ret].next = *ret + 1;
    }
    return rc;
}

static int write_alternatives(struct writer *writer, const struct skr_cel_tree *tree)
{
    uint32_t fork, last = UINT32_MAX;
    for (const struct skr_cel_tree *child = tree->first; child; child = child->next) {
        int rc = child->next ? add_fork(writer, false, &fork) : 0;
        if (rc < 0 || (rc = write_tree(writer, child)) < 0) {
            return rc;
        }
        if (child->next) {
            rc = add_step(writer, (struct skr_cel_step){.kind = SKR_CEL_STEP_JUMP, .next = last},
                          &last);
            if (rc < 0) {
                return rc;
            }
            writer->regex->step[fork].other = (uint32_t)writer->regex->n;
        }
    }
    end_here(writer, last);
    return 0;
}

/* x{n,} is n copies, of which the last one repeats; x* is (x+)?, so that an empty x ends the loop as
 * in RE2. */
static int write_loop(struct writer *writer, const struct skr_cel_tree *tree)
{
    uint32_t skip = UINT32_MAX, again;
    int rc = tree->min == 0 ? add_fork(writer, tree->lazy, &skip) : 0;
    for (uint32_t i = 1; rc == 0 && i < tree->min; i++) {
        rc = write_tree(writer, tree->first);
    }
    const uint32_t begin = (uint32_t)writer->regex->n;
    if (rc < 0 || (rc = write_tree(writer, tree->first)) < 0 ||
        (rc = add_fork(writer, tree->lazy, &again)) < 0) {
        return rc;
    }
    writer->regex->step[again].next = begin;
    writer->regex->step[again].other = (uint32_t)writer->regex->n;
    if (skip != UINT32_MAX) {
        writer->regex->step[skip].other = (uint32_t)writer->regex->n;
    }
    return 0;
}

/* min copies, then copies that may be left out. */
static int write_repeat(struct writer *writer, const struct skr_cel_tree *tree)
{
    uint32_t fork, last = UINT32_MAX;
    int rc = 0;
    if (tree->max == SKR_CEL_FOREVER) {
        return write_loop(writer, tree);
    }
    for (uint32_t i = 0; rc == 0 && i < tree->max; i++) {
        if (i >= tree->min && (rc = add_fork(writer, tree->lazy, &fork)) == 0) {
            writer->regex->step[fork].other = last;
            last = fork;
        }
        rc = rc < 0 ? rc : write_tree(writer, tree->first);
    }
    if (rc == 0) {
        end_here(writer, last);
    }
    return rc;
}

static int write_tree(struct writer *writer, const struct skr_cel_tree *tree)
{
    uint32_t step;
    int rc = 0;
    if (++writer->visits > 4 * SKR_CEL_REGEX_STEPS_MAX) {
        return too_large(writer);
    }
    switch (tree->kind) {
    case SKR_CEL_TREE_EMPTY:
        break;
    case SKR_CEL_TREE_SET:
        return add_step(writer, (struct skr_cel_step){.kind = SKR_CEL_STEP_SET, .set = tree->set},
                        &step);
    case SKR_CEL_TREE_ASSERT:
        return add_step(
            writer,
            (struct skr_cel_step){.kind = SKR_CEL_STEP_ASSERT, .assertion = tree->assertion},
            &step);
    case SKR_CEL_TREE_SEQUENCE:
        for (const struct skr_cel_tree *child = tree->first; rc == 0 && child;
             child = child->next) {
            rc = write_tree(writer, child);
        }
        break;
    case SKR_CEL_TREE_ALTERNATIVES:
        return write_alternatives(writer, tree);
    case SKR_CEL_TREE_REPEAT:
        return write_repeat(writer, tree);
    }
    return rc;
}

int skr_cel_regex_compile(const char *pattern, size_t n, struct skr_arena *arena,
                          const struct skr_cel_regex **ret, struct skr_error *error)
{
    struct skr_cel_regex *regex = skr_arena_alloc(arena, sizeof *regex);
    struct writer writer = {.regex = regex, .arena = arena, .error = error};
    struct skr_cel_tree *tree;
    uint32_t match;
    int rc = regex ? skr_cel_regex_read(pattern, n, arena, &tree, error) : no_memory(&writer);
    if (rc < 0 || (rc = write_tree(&writer, tree)) < 0 ||
        (rc = add_step(&writer, (struct skr_cel_step){.kind = SKR_CEL_STEP_MATCH}, &match)) < 0) {
        return rc;
    }
    *ret = regex;
    return 0;
}
