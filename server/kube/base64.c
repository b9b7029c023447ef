/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 decoding. Four digits are gathered into 24 bits; '=' may only end the text, and the bits
 * it leaves over must be zero, so that every value has one spelling. */
#include "server/kube/base64.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct group {
    uint32_t bits;
    int digits;  /* seen in this group, 0..4 */
    int padding; /* '=' seen, 0..2 */
};

static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    if (c == '+') {
        return 62;
    }
    return c == '/' ? 63 : -1;
}

/* Appends the digits - 1 bytes of a full or padded group; false when unused bits are not zero. */
static bool group_finish(struct group *g, char *out, size_t *len)
{
    uint32_t bits = g->bits << (6 * (4 - g->digits));
    int bytes = g->digits - 1;
    if ((bits & ((1u << (8 * (3 - bytes))) - 1)) != 0) {
        return false;
    }
    for (int i = 0; i < bytes; i++) {
        out[(*len)++] = (char)(unsigned char)(bits >> (16 - 8 * i) & 0xff);
    }
    if (g->padding == 0) {
        *g = (struct group){0};
    }
    return true;
}

/* One character that is not blank; false when it cannot stand here. */
static bool group_take(struct group *g, char c, char *out, size_t *len)
{
    if (c == '=') {
        if (g->digits < 2 || g->digits + g->padding >= 4) {
            return false;
        }
        g->padding++;
        return g->digits + g->padding < 4 || group_finish(g, out, len);
    }
    int value = digit_value(c);
    if (value < 0 || g->padding > 0) {
        return false;
    }
    g->bits = g->bits << 6 | (uint32_t)value;
    return ++g->digits < 4 || group_finish(g, out, len);
}

int skr_base64_decode(const char *text, size_t n, char **ret, size_t *ret_len,
                      struct skr_error *error)
{
    char *out = malloc(n / 4 * 3 + 4);
    if (!out) {
        return skr_error_set(error, SKR_NO_MEMORY, "no memory for %zu bytes of base64", n);
    }
    struct group g = {0};
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            continue;
        }
        if (!group_take(&g, c, out, &len)) {
            free(out);
            return skr_error_set(error, SKR_INVALID, "not base64: byte %zu cannot stand there",
                                 i + 1);
        }
    }
    if (g.digits != 0 && g.digits + g.padding < 4) {
        free(out);
        return skr_error_set(error, SKR_INVALID, "not base64: the end is missing after byte %zu",
                             n);
    }
    out[len] = '\0';
    *ret = out;
    *ret_len = len;
    return 0;
}
