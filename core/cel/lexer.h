/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_LEXER_H
#define SKR_CORE_CEL_LEXER_H
/* Tokens of an expression. */
#include "core/cel/node.h"

enum skr_cel_token_kind {
    SKR_CEL_TOKEN_END,
    SKR_CEL_TOKEN_NAME,   /* text, n: identifiers and reserved words */
    SKR_CEL_TOKEN_VALUE,  /* a number, a string, bytes */
    SKR_CEL_TOKEN_SYMBOL, /* text, n: "&&", "(" */
};

struct skr_cel_token {
    enum skr_cel_token_kind kind;
    size_t at;
    const char *text;
    size_t n;
    struct skr_cel_value value;
};

struct skr_cel_lexer {
    const char *text;
    size_t pos; /* behind the token */
    struct skr_arena *arena;
    struct skr_error *error;
    char *room; /* for the strings to come, which are never longer than their text */
    struct skr_cel_token token;
};

/* Reads the next token. Errors as skr_cel_compile(). An INT of 2^63, which only a minus in front makes
 * valid, is INT64_MIN. */
int skr_cel_next(struct skr_cel_lexer *lexer);
bool skr_cel_is(const struct skr_cel_lexer *lexer, const char *symbol);

#endif
