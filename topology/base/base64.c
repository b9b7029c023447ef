/* SPDX-License-Identifier: Apache-2.0 */
/* Three bytes become four digits; the last group is padded with "=". */
#include "topology/base/base64.h"

void skr_strbuf_add_base64(struct skr_strbuf *out, const void *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *s = bytes;
    for (size_t i = 0; i < n; i += 3) {
        const unsigned a = s[i];
        const unsigned b = i + 1 < n ? s[i + 1] : 0;
        const unsigned c = i + 2 < n ? s[i + 2] : 0;
        const char group[4] = {digit[a >> 2], digit[(a & 3) << 4 | b >> 4],
                               i + 1 < n ? digit[(b & 15) << 2 | c >> 6] : '=',
                               i + 2 < n ? digit[c & 63] : '='};
        skr_strbuf_addn(out, group, sizeof group);
    }
}
