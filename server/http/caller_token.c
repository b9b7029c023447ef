/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/caller_token.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

bool skr_caller_token_is_one(const char *text)
{
    return strlen(text) == SKR_CALLER_TOKEN_LEN && strspn(text, digits) == SKR_CALLER_TOKEN_LEN;
}

int skr_caller_token_make(char ret[SKR_CALLER_TOKEN_LEN + 1], struct skr_error *error)
{
    unsigned char random[SKR_CALLER_TOKEN_LEN / 2];
    const int rc = gnutls_rnd(GNUTLS_RND_KEY, random, sizeof random);
    if (rc < 0) {
        return skr_error_set(error, SKR_RETRY, "no random numbers: %s", gnutls_strerror(rc));
    }
    for (size_t i = 0; i < sizeof random; i++) {
        ret[2 * i] = digits[random[i] >> 4];
        ret[2 * i + 1] = digits[random[i] & 15];
    }
    ret[SKR_CALLER_TOKEN_LEN] = '\0';
    explicit_bzero(random, sizeof random);
    return 0;
}

bool skr_caller_tokens_accept(const struct skr_caller_tokens *tokens, const char *presented)
{
    bool accepted = false;
    if (strlen(presented) != SKR_CALLER_TOKEN_LEN) {
        return false;
    }
    for (size_t i = 0; i < tokens->n; i++) {
        accepted |= gnutls_memcmp(tokens->text[i], presented, SKR_CALLER_TOKEN_LEN) == 0;
    }
    return accepted;
}
