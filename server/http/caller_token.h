/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_CALLER_TOKEN_H
#define SKR_SERVER_HTTP_CALLER_TOKEN_H
/*
 * What proves that a call comes from an API server: the last part of its path. Only readers of the
 * webhook configuration can learn it. Stock API servers present neither a certificate nor a bearer
 * token to webhooks: both need --admission-control-config-file, which managed clusters do not offer.
 * A path is what every API server sends.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/error.h"

enum {
    SKR_CALLER_TOKEN_LEN = 64, /* hexadecimal digits of 256 random bits */
    SKR_CALLER_TOKENS_MAX = 3, /* accepted at a time, during a rotation */
};

struct skr_caller_tokens {
    size_t n;
    char text[SKR_CALLER_TOKENS_MAX][SKR_CALLER_TOKEN_LEN + 1];
};

/* SKR_CALLER_TOKEN_LEN lower-case hexadecimal digits and nothing else. */
bool skr_caller_token_is_one(const char *text);
/* Errors: SKR_RETRY, there are no random numbers. */
int skr_caller_token_make(char ret[SKR_CALLER_TOKEN_LEN + 1], struct skr_error *error);
/* Whether one of the tokens is presented. The time does not depend on how much of one is right. */
bool skr_caller_tokens_accept(const struct skr_caller_tokens *tokens, const char *presented);

#endif
