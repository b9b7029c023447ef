/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of answers, and text that is safe to print. */
#include "server/render/page.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/json_field.h"
#include "topology/base/unshown.h"
#include "topology/duration.h"

int64_t skr_page_int(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

bool skr_page_bool(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

const json_t *skr_page_list(const json_t *object, const char *key)
{
    const json_t *list = json_object_get(object, key);
    return json_is_array(list) ? list : NULL;
}

skr_time skr_page_time(const json_t *object, const char *key)
{
    const char *text = skr_object_text(object, key);
    skr_time t = 0;
    return *text && skr_time_parse(text, &t, NULL) == 0 ? t : 0;
}

void skr_page_add_clean(struct skr_strbuf *out, const char *s, bool word)
{
    while (*s) {
        const size_t unshown = skr_unshown(s, NULL);
        if (unshown > 0) {
            skr_strbuf_addc(out, '?');
        } else {
            skr_strbuf_addc(out, word && *s == ' ' ? '_' : *s);
        }
        s += unshown > 0 ? unshown : 1;
    }
}

char *skr_page_word(const char *s)
{
    SKR_STRBUF(b);
    skr_page_add_clean(&b, *s ? s : "<none>", true);
    return skr_strbuf_take(&b, NULL);
}

size_t skr_page_width(const char *s)
{
    size_t n = 0;
    for (; *s; s++) {
        n += ((unsigned char)*s & 0xc0) != 0x80;
    }
    return n;
}

void skr_page_pad(struct skr_strbuf *out, size_t n)
{
    while (n-- > 0) {
        skr_strbuf_addc(out, ' ');
    }
}

void skr_page_add_words(struct skr_strbuf *out, size_t at, size_t hang, const char *s)
{
    SKR_STRBUF(clean);
    char *save = NULL;
    bool begun = false;
    skr_page_add_clean(&clean, s, false);
    for (char *word = strtok_r(clean.s, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        const size_t width = skr_page_width(word);
        if (begun && at + 1 + width > SKR_PAGE_WIDTH) {
            skr_strbuf_addc(out, '\n');
            skr_page_pad(out, hang);
            at = hang;
        } else if (begun) {
            skr_strbuf_addc(out, ' ');
            at++;
        }
        skr_strbuf_add(out, word);
        at += width;
        begun = true;
    }
}

void skr_page_end_line(struct skr_strbuf *out)
{
    while (out->len > 0 && out->s[out->len - 1] == ' ') {
        out->s[--out->len] = '\0';
    }
    skr_strbuf_addc(out, '\n');
}

void skr_page_age(skr_time now, skr_time then, char text[32])
{
    if (then <= 0 || now <= 0) {
        memcpy(text, "<unknown>", sizeof "<unknown>");
        return;
    }
    skr_duration_write_age(now > then ? now - then : 0, text);
}

void skr_page_write_json(const json_t *json, struct skr_strbuf *out)
{
    SKR_AUTO_FREE char *text = json_dumps(json, JSON_INDENT(2));
    skr_strbuf_add(out, text ? text : "null");
    skr_strbuf_addc(out, '\n');
}
