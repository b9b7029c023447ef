/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_NODE_H
#define SKR_CORE_CEL_NODE_H
/* The tree of an expression, between the parser, the checker and the evaluation. */
#include "core/cel/cel.h"
#include "core/cel/regex.h"

enum skr_cel_node_kind {
    SKR_CEL_NODE_CONST,
    SKR_CEL_NODE_IDENT,  /* name; the checker makes it CONST, ROOT or LOCAL */
    SKR_CEL_NODE_ROOT,   /* slot */
    SKR_CEL_NODE_LOCAL,  /* slot */
    SKR_CEL_NODE_SELECT, /* child 0 . name */
    SKR_CEL_NODE_HAS,    /* has(child 0 . name) */
    SKR_CEL_NODE_CALL,   /* name(children); a member's first child is its receiver */
    SKR_CEL_NODE_LIST,
    SKR_CEL_NODE_MAP, /* key, value, key, value ... */
    SKR_CEL_NODE_AND,
    SKR_CEL_NODE_OR,
    SKR_CEL_NODE_CONDITION, /* child 0 ? child 1 : child 2 */
    SKR_CEL_NODE_FOLD,      /* a macro over child 0 with variable name */
};

enum skr_cel_fold {
    SKR_CEL_FOLD_ALL,
    SKR_CEL_FOLD_EXISTS,
    SKR_CEL_FOLD_EXISTS_ONE,
    SKR_CEL_FOLD_FILTER,
    SKR_CEL_FOLD_MAP,  /* child 1 maps; child 2, if it is there, filters before */
    SKR_CEL_FOLD_BIND, /* cel.bind(name, child 0, child 1): child 0 need be no list */
};

struct skr_cel_node {
    enum skr_cel_node_kind kind;
    uint32_t at; /* byte of the expression that messages point to */
    uint32_t depth;
    uint32_t slot; /* ROOT: number of the root; LOCAL, FOLD: number of the variable */
    size_t n;
    struct skr_cel_node **child;
    const char *name;
    const char *type; /* the checker's */
    enum skr_cel_form form;
    enum skr_cel_fold fold;
    struct skr_cel_value value;          /* CONST */
    size_t n_rows;                       /* CALL: rows whose types may fit */
    const struct skr_cel_function **row; /* in the order of their tables */
    const struct skr_cel_regex *regex;   /* CALL: of a constant pattern; NULL: none */
};

struct skr_cel_program {
    const struct skr_cel_dialect *dialect;
    const char *text;
    struct skr_cel_node *root;
    size_t n_locals; /* nested at most */
};

/* Errors as skr_cel_compile(). text: in the arena. */
int skr_cel_parse(const char *text, struct skr_arena *arena, struct skr_cel_node **ret,
                  struct skr_error *error);
/* Resolves names, sets types, rows and slots. */
int skr_cel_check(struct skr_cel_program *program, struct skr_arena *arena,
                  struct skr_error *error);
/* An error at a byte of the expression. Returns -code. */
int skr_cel_fail(struct skr_error *error, enum skr_error_code code, const char *text, size_t at,
                 const char *format, ...) SKR_PRINTF(5, 6);
struct skr_position skr_cel_position_of(const char *text, size_t at);

#endif
