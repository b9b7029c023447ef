/* SPDX-License-Identifier: Apache-2.0 */
#include "server/daemon/tokens.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const skr_token_place_key[] = {[SKR_TOKEN_CURRENT] = "token",
                                           [SKR_TOKEN_NEXT] = "token.next",
                                           [SKR_TOKEN_LAST] = "token.last"};
_Static_assert(sizeof skr_token_place_key / sizeof skr_token_place_key[0] == SKR_TOKEN_PLACE_COUNT,
               "a key each");
_Static_assert((int)SKR_TOKEN_PLACE_COUNT <= (int)SKR_CALLER_TOKENS_MAX, "all are accepted");

const char *const skr_tokens_step_name[] = {"kept", "made", "added", "switched", "dropped"};
_Static_assert(sizeof skr_tokens_step_name / sizeof skr_tokens_step_name[0] ==
                   SKR_TOKENS_STEP_COUNT,
               "a name each");

/* ---- texts ---- */

void skr_token_write(const struct skr_token *token, char ret[SKR_TOKEN_TEXT_MAX])
{
    (void)snprintf(ret, SKR_TOKEN_TEXT_MAX, "%s %" PRId64, token->text, token->made_s);
}

bool skr_token_parse(const char *text, struct skr_token *ret)
{
    char *end;
    *ret = (struct skr_token){0};
    if (strlen(text) < SKR_CALLER_TOKEN_LEN + 2 || text[SKR_CALLER_TOKEN_LEN] != ' ') {
        return false;
    }
    const long long made = strtoll(text + SKR_CALLER_TOKEN_LEN + 1, &end, 10);
    memcpy(ret->text, text, SKR_CALLER_TOKEN_LEN);
    ret->made_s = made;
    if (*end != '\0' || made < 0 || !skr_caller_token_is_one(ret->text)) {
        *ret = (struct skr_token){0};
        return false;
    }
    return true;
}

static bool is_there(const struct skr_tokens *tokens, enum skr_token_place place)
{
    return tokens->at[place].text[0] != '\0';
}

void skr_tokens_accepted(const struct skr_tokens *tokens, struct skr_caller_tokens *ret)
{
    *ret = (struct skr_caller_tokens){0};
    for (int i = 0; i < SKR_TOKEN_PLACE_COUNT; i++) {
        if (is_there(tokens, (enum skr_token_place)i)) {
            memcpy(ret->text[ret->n++], tokens->at[i].text, sizeof tokens->at[i].text);
        }
    }
}

/* ---- steps ---- */

static bool is_due(const struct skr_token *token, int64_t lifetime_s, int64_t now_s)
{
    const int64_t age = now_s - token->made_s;
    return age >= lifetime_s / 3 * 2 || age < -lifetime_s;
}

enum skr_tokens_step skr_tokens_next(const struct skr_tokens *tokens, int64_t lifetime_s,
                                     bool settled, int64_t now_s)
{
    if (!is_there(tokens, SKR_TOKEN_CURRENT)) {
        return SKR_TOKENS_MAKE;
    }
    if (is_there(tokens, SKR_TOKEN_NEXT)) {
        return settled ? SKR_TOKENS_SWITCH : SKR_TOKENS_KEEP;
    }
    if (is_there(tokens, SKR_TOKEN_LAST)) {
        return settled ? SKR_TOKENS_DROP : SKR_TOKENS_KEEP;
    }
    return is_due(&tokens->at[SKR_TOKEN_CURRENT], lifetime_s, now_s) ? SKR_TOKENS_ADD
                                                                     : SKR_TOKENS_KEEP;
}

int skr_tokens_take(struct skr_tokens *tokens, enum skr_tokens_step step, int64_t now_s,
                    struct skr_error *error)
{
    struct skr_token fresh = {.made_s = now_s};
    struct skr_token *at = tokens->at;
    const bool makes = step == SKR_TOKENS_MAKE || step == SKR_TOKENS_ADD;
    const int rc = makes ? skr_caller_token_make(fresh.text, error) : 0;
    if (rc < 0) {
        return rc;
    }
    switch (step) {
    case SKR_TOKENS_MAKE:
        *tokens = (struct skr_tokens){.at = {[SKR_TOKEN_CURRENT] = fresh}};
        break;
    case SKR_TOKENS_ADD:
        at[SKR_TOKEN_NEXT] = fresh;
        break;
    case SKR_TOKENS_SWITCH:
        at[SKR_TOKEN_LAST] = at[SKR_TOKEN_CURRENT];
        at[SKR_TOKEN_CURRENT] = at[SKR_TOKEN_NEXT];
        at[SKR_TOKEN_NEXT] = (struct skr_token){0};
        break;
    case SKR_TOKENS_DROP:
        at[SKR_TOKEN_LAST] = (struct skr_token){0};
        break;
    case SKR_TOKENS_KEEP:
    case SKR_TOKENS_STEP_COUNT:
        break;
    }
    return 0;
}
