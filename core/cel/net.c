/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as texts (RFC 4291, RFC 5952), as Go's net/netip reads and writes them. */
#include "core/cel/net.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Four decimal numbers without leading zeros. */
static bool read_ip4(const char *text, size_t n, uint8_t to[4])
{
    size_t at = 0;
    for (size_t i = 0; i < 4; i++) {
        unsigned value = 0;
        const size_t begin = at;
        for (; at < n && is_digit(text[at]) && at - begin < 3; at++) {
            value = value * 10 + (unsigned)(text[at] - '0');
        }
        const bool bad = at == begin || value > 255 || (at - begin > 1 && text[begin] == '0');
        if (bad || (i < 3 ? at == n || text[at++] != '.' : at != n)) {
            return false;
        }
        to[i] = (uint8_t)value;
    }
    return true;
}

/* Moves what is behind "::" to the end. */
static bool expand(uint8_t byte[16], size_t length, size_t gap)
{
    if (length == 16) { /* "::" stands for a field at least */
        return gap == SIZE_MAX;
    }
    if (gap == SIZE_MAX) {
        return false;
    }
    memmove(byte + 16 - (length - gap), byte + gap, length - gap);
    memset(byte + gap, 0, 16 - length);
    return true;
}

/* Without a zone. */
static bool read_ip6(const char *text, size_t n, uint8_t byte[16])
{
    size_t at = 0, length = 0, gap = SIZE_MAX;
    memset(byte, 0, 16);
    if (n >= 2 && text[0] == ':' && text[1] == ':') {
        gap = 0;
        at = 2;
    }
    while (length < 16 && at < n) {
        skr_int128 value;
        const size_t digits = skr_cel_digits(text + at, n - at, 16, &value);
        if (at + digits < n && text[at + digits] == '.') { /* IPv4 inside: the last four bytes */
            const bool fits = gap == SIZE_MAX ? length == 12 : length + 4 <= 16;
            return fits && read_ip4(text + at, n - at, byte + length) &&
                   expand(byte, length + 4, gap);
        }
        if (digits == 0 || digits > 4) {
            return false;
        }
        byte[length++] = (uint8_t)(value >> 8);
        byte[length++] = (uint8_t)value;
        at += digits;
        if (at == n) {
            break;
        }
        if (text[at++] != ':' || at == n) {
            return false;
        }
        if (text[at] == ':') {
            if (gap != SIZE_MAX) {
                return false;
            }
            gap = length;
            at++;
        }
    }
    return at == n && expand(byte, length, gap);
}

/* What comes first of these decides. */
static char family_mark(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '.' || text[i] == ':' || text[i] == '%') {
            return text[i];
        }
    }
    return '\0';
}

bool skr_cel_ip_parse(const char *text, size_t n, struct skr_cel_net *ret)
{
    static const uint8_t ip4_inside[12] = {[10] = 0xff, [11] = 0xff};
    *ret = (struct skr_cel_net){.size = 4};
    switch (family_mark(text, n)) {
    case '.':
        return read_ip4(text, n, ret->byte);
    case ':':
        ret->size = 16;
        return read_ip6(text, n, ret->byte) && memcmp(ret->byte, ip4_inside, 12) != 0;
    default:
        return false;
    }
}

bool skr_cel_is_ip6(const char *text, size_t n)
{
    uint8_t byte[16];
    const char *zone = memchr(text, '%', n);
    const size_t before = zone ? (size_t)(zone - text) : n;
    return family_mark(text, n) == ':' && before + 1 != n && read_ip6(text, before, byte);
}

bool skr_cel_cidr_parse(const char *text, size_t n, struct skr_cel_net *ret)
{
    const char *slash = memrchr(text, '/', n);
    const size_t before = slash ? (size_t)(slash - text) : 0;
    skr_int128 bits = 0;
    if (!slash || !skr_cel_ip_parse(text, before, ret)) {
        return false;
    }
    const char *number = slash + 1;
    const size_t digits = n - before - 1;
    if (digits == 0 || skr_cel_digits(number, digits, 10, &bits) != digits ||
        (digits > 1 && number[0] == '0') || bits > 8 * ret->size) {
        return false;
    }
    ret->bits = (uint8_t)bits;
    return true;
}

/* ---- writing ---- */

/* Where the longest run of zero fields begins, of two at least; 8: there is none. */
static unsigned longest_run(const unsigned field[8], unsigned *ret_length)
{
    unsigned best = 8;
    *ret_length = 1;
    for (unsigned i = 0; i < 8; i++) {
        unsigned end = i;
        while (end < 8 && field[end] == 0) {
            end++;
        }
        if (end - i > *ret_length) {
            best = i;
            *ret_length = end - i;
        }
    }
    return best;
}

static size_t write_ip6(const uint8_t byte[16], char to[SKR_CEL_NET_TEXT])
{
    unsigned field[8], length;
    size_t at = 0;
    for (size_t i = 0; i < 8; i++) {
        field[i] = (unsigned)byte[2 * i] << 8 | byte[2 * i + 1];
    }
    const unsigned run = longest_run(field, &length);
    for (unsigned i = 0; i < 8; i++) {
        if (i == run) {
            to[at++] = ':';
            to[at++] = ':';
            i += length - 1;
        } else {
            const bool first = i == 0 || (run < 8 && i == run + length);
            at += (size_t)snprintf(to + at, SKR_CEL_NET_TEXT - at, first ? "%x" : ":%x", field[i]);
        }
    }
    return at;
}

size_t skr_cel_ip_write(const struct skr_cel_net *net, char to[SKR_CEL_NET_TEXT])
{
    const uint8_t *byte = net->byte;
    return net->size == 16 ? write_ip6(byte, to)
                           : (size_t)snprintf(to, SKR_CEL_NET_TEXT, "%u.%u.%u.%u", byte[0], byte[1],
                                              byte[2], byte[3]);
}

size_t skr_cel_cidr_write(const struct skr_cel_net *net, char to[SKR_CEL_NET_TEXT])
{
    const size_t at = skr_cel_ip_write(net, to);
    return at + (size_t)snprintf(to + at, SKR_CEL_NET_TEXT - at, "/%u", net->bits);
}

/* ---- prefixes ---- */

static uint8_t mask(uint8_t bits, unsigned byte)
{
    const unsigned left = bits > 8 * byte ? bits - 8 * byte : 0;
    return (uint8_t)(left >= 8 ? 0xffU : 0xff00U >> left);
}

bool skr_cel_net_shares(const struct skr_cel_net *a, const struct skr_cel_net *b, uint8_t bits)
{
    bool shares = a->size == b->size;
    for (unsigned i = 0; shares && i < a->size; i++) {
        shares = ((a->byte[i] ^ b->byte[i]) & mask(bits, i)) == 0;
    }
    return shares;
}

struct skr_cel_net skr_cel_net_masked(const struct skr_cel_net *net)
{
    struct skr_cel_net masked = *net;
    for (unsigned i = 0; i < net->size; i++) {
        masked.byte[i] &= mask(net->bits, i);
    }
    return masked;
}
