/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/base/unshown.h"

#include <stdbool.h>

struct range {
    uint32_t first, last;
};

static const struct range ranges[] = {
    {0x01, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},   {0x200B, 0x200F},
    {0x2028, 0x202E}, {0x2060, 0x2069}, {0xFEFF, 0xFEFF},
};

static bool continues(unsigned char c)
{
    return (c & 0xC0U) == 0x80U;
}

/* Two and three bytes are enough for all of them. */
static size_t decode(const unsigned char *s, uint32_t *ret)
{
    if (s[0] < 0x80) {
        *ret = s[0];
        return 1;
    }
    if (s[0] >= 0xC2 && s[0] < 0xE0 && continues(s[1])) {
        *ret = (s[0] & 0x1FU) << 6 | (s[1] & 0x3FU);
        return 2;
    }
    if (s[0] >= 0xE0 && s[0] < 0xF0 && continues(s[1]) && continues(s[2])) {
        *ret = (s[0] & 0x0FU) << 12 | (s[1] & 0x3FU) << 6 | (s[2] & 0x3FU);
        return 3;
    }
    return 0;
}

size_t skr_unshown(const char *s, uint32_t *ret)
{
    uint32_t code = 0;
    size_t n = decode((const unsigned char *)s, &code);
    for (size_t i = 0; n > 0 && i < sizeof ranges / sizeof *ranges; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            if (ret) {
                *ret = code;
            }
            return n;
        }
    }
    return 0;
}

void skr_unshown_replace(char *s)
{
    char *to = s;
    while (*s != '\0') {
        size_t n = skr_unshown(s, NULL);
        *to++ = n > 0 ? '?' : *s;
        s += n > 0 ? n : 1;
    }
    *to = '\0';
}
