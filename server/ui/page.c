/* SPDX-License-Identifier: Apache-2.0 */
/* The page's bytes are linked in by `ld -r -b binary`; hashes are made of them when asked for. */
#include "server/ui/page.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdint.h>
#include <string.h>

#include "topology/base/arena.h"

enum { DIGEST = 32 };

extern const char skr_ui_page_begin[] __asm__("_binary_server_ui_page_html_start");
extern const char skr_ui_page_end[] __asm__("_binary_server_ui_page_html_end");

const char *skr_ui_page(size_t *ret_len)
{
    /* The linker puts them around one text, which the language cannot express. */
    *ret_len = (size_t)((uintptr_t)skr_ui_page_end - (uintptr_t)skr_ui_page_begin);
    return skr_ui_page_begin;
}

static void add_base64(struct skr_strbuf *out, const unsigned char *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const unsigned a = bytes[i];
        const unsigned b = i + 1 < n ? bytes[i + 1] : 0, c = i + 2 < n ? bytes[i + 2] : 0;
        skr_strbuf_addc(out, digit[a >> 2]);
        skr_strbuf_addc(out, digit[(a & 3) << 4 | b >> 4]);
        skr_strbuf_addc(out, i + 1 < n ? digit[(b & 15) << 2 | c >> 6] : '=');
        skr_strbuf_addc(out, i + 2 < n ? digit[c & 63] : '=');
    }
}

static void add_digest(struct skr_strbuf *out, const char *bytes, size_t n)
{
    unsigned char digest[DIGEST];
    skr_bug_on(gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, n, digest) != 0);
    add_base64(out, digest, sizeof digest);
}

static const char *find(const char *from, const char *end, const char *text)
{
    const char *at = memmem(from, (size_t)(end - from), text, strlen(text));
    skr_bug_on(!at);
    return at;
}

/* 'sha256-…' of what is between the two tags. */
static void add_source(struct skr_strbuf *out, const char *open, const char *close)
{
    size_t n;
    const char *page = skr_ui_page(&n);
    const char *begin = find(page, page + n, open) + strlen(open);
    skr_strbuf_add(out, "'sha256-");
    add_digest(out, begin, (size_t)(find(begin, page + n, close) - begin));
    skr_strbuf_add(out, "'");
}

void skr_ui_policy_write(bool header, struct skr_strbuf *out)
{
    skr_strbuf_add(out, "default-src 'none'; script-src ");
    add_source(out, "<script>", "</script>");
    skr_strbuf_add(out, "; style-src ");
    add_source(out, "<style>", "</style>");
    skr_strbuf_add(out, "; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
                        "form-action 'none'");
    skr_strbuf_add(out, header ? "; frame-ancestors 'none'" : "");
}

void skr_ui_tag_write(struct skr_strbuf *out)
{
    size_t n;
    const char *page = skr_ui_page(&n);
    skr_strbuf_addc(out, '"');
    add_digest(out, page, n);
    skr_strbuf_addc(out, '"');
}

void skr_ui_page_write(const char *picture, size_t n, struct skr_strbuf *out)
{
    static const char head[] = "<head>", script[] = "<script>";
    size_t len;
    const char *page = skr_ui_page(&len), *end = page + len;
    const char *meta = find(page, end, head) + strlen(head);
    const char *data = find(meta, end, script);
    skr_strbuf_addn(out, page, (size_t)(meta - page));
    skr_strbuf_add(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    skr_ui_policy_write(false, out);
    skr_strbuf_add(out, "\">");
    skr_strbuf_addn(out, meta, (size_t)(data - meta));
    skr_strbuf_add(out, "<script type=\"application/json\" id=\"saved\">");
    for (size_t i = 0; i < n; i++) {
        if (picture[i] == '<') {
            skr_strbuf_add(out, "\\u003c");
        } else {
            skr_strbuf_addc(out, picture[i]);
        }
    }
    skr_strbuf_add(out, "</script>");
    skr_strbuf_addn(out, data, (size_t)(end - data));
}
