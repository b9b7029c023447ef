/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_TOKENS_H
#define SKR_SERVER_DAEMON_TOKENS_H
/*
 * The tokens of a webhook's callers (server/http/caller_token.h). All replicas read them from one
 * Secret and accept every token in it. The leader changes the Secret, and writes the current token
 * into the path of the webhook configuration, where API servers read it.
 *
 * One change at a time. Every replica therefore accepts what any API server sends, also when the
 * leader dies between two changes:
 *
 *   MAKE    there is no current token: a new one, and nothing else
 *   ADD     the current token is at two thirds of its lifetime: a next one
 *   SWITCH  once every replica accepts the next one: it is the current one, which is published
 *   DROP    once every API server sends that: the last one is not accepted any more
 *
 * No I/O and no clock. The caller passes the time, and whether things are settled, as for
 * certificates.h.
 */
#include <stdint.h>

#include "server/http/caller_token.h"

enum skr_token_place { SKR_TOKEN_CURRENT, SKR_TOKEN_NEXT, SKR_TOKEN_LAST, SKR_TOKEN_PLACE_COUNT };
/* The key in the Secret's data: "token.next". */
extern const char *const skr_token_place_key[];

struct skr_token {
    char text[SKR_CALLER_TOKEN_LEN + 1]; /* "": none */
    int64_t made_s;                      /* seconds since 1970 */
};

struct skr_tokens {
    struct skr_token at[SKR_TOKEN_PLACE_COUNT];
};

enum { SKR_TOKEN_TEXT_MAX = SKR_CALLER_TOKEN_LEN + 24 }; /* bytes of a token with its time */
/* "TOKEN SECONDS", as the Secret has it. */
void skr_token_write(const struct skr_token *token, char ret[SKR_TOKEN_TEXT_MAX]);
/* false: it is none; ret has no text. */
bool skr_token_parse(const char *text, struct skr_token *ret);
/* What a replica accepts. */
void skr_tokens_accepted(const struct skr_tokens *tokens, struct skr_caller_tokens *ret);

enum skr_tokens_step {
    SKR_TOKENS_KEEP,
    SKR_TOKENS_MAKE,
    SKR_TOKENS_ADD,
    SKR_TOKENS_SWITCH,
    SKR_TOKENS_DROP,
    SKR_TOKENS_STEP_COUNT
};
/* For the log: "switched". */
extern const char *const skr_tokens_step_name[];

/* What the leader does next. A token whose time is in the future by more than its lifetime is due:
 * the clock that wrote it was wrong. */
enum skr_tokens_step skr_tokens_next(const struct skr_tokens *tokens, int64_t lifetime_s,
                                     bool settled, int64_t now_s);
/* Does it. Errors: those of skr_caller_token_make(); tokens are unchanged. */
int skr_tokens_take(struct skr_tokens *tokens, enum skr_tokens_step step, int64_t now_s,
                    struct skr_error *error);

#endif
