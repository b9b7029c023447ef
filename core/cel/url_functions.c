/* SPDX-License-Identifier: Apache-2.0 */
/* URLs, as Kubernetes adds them (k8s.io/apiserver/pkg/cel/library/urls.go). */
#include <string.h>

#include "core/cel/function.h"
#include "core/cel/url.h"

static const char not_utf8[] = "a part of the URL is not UTF-8";

/* Memory of a URL is a few times its text, which was paid for. */
static struct skr_cel_value url(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_url *made = skr_cel_room(run, 1, sizeof *made);
    if (!made) {
        return skr_cel_over(run);
    }
    switch (skr_cel_url_parse(&arg[0], run->arena, made)) {
    case SKR_CEL_URL_GOOD:
        return (struct skr_cel_value){.kind = SKR_CEL_URL, .url = made};
    case SKR_CEL_URL_BAD:
        return skr_cel_is_no(run, &arg[0], "URL");
    case SKR_CEL_URL_NO_ROOM:
        break;
    }
    return skr_cel_over(run);
}

static struct skr_cel_value is_url(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const enum skr_cel_url_parsed rc = skr_cel_url_check(&arg[0], run->arena);
    return rc == SKR_CEL_URL_NO_ROOM ? skr_cel_over(run) : skr_cel_bool(rc == SKR_CEL_URL_GOOD);
}

enum { SCHEME, HOST, HOSTNAME, PORT, PATH };

/* way: which part. */
static struct skr_cel_value part(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_url *from = arg[0].url;
    struct skr_cel_value name, port;
    skr_cel_url_split_host(&from->host, &name, &port);
    const struct skr_cel_value parts[] = {from->scheme, from->host, name, port, from->path};
    const struct skr_cel_value *is = &parts[run->row->way];
    return skr_cel_is_utf8(is->text, is->n) ? *is : skr_cel_error(not_utf8);
}

/* ---- the query ---- */

/* The values of one key, in the order of the query. */
struct values {
    struct skr_cel_value key;
    struct skr_cel_value *item;
    size_t n;
};

/* "KEY=VALUE" at text. False: it does not count. */
static bool read_pair(struct skr_cel_run *run, const char *text, size_t n,
                      struct skr_cel_value *ret_key, struct skr_cel_value *ret_value)
{
    const char *equals = n > 0 ? memchr(text, '=', n) : NULL;
    const size_t length = equals ? (size_t)(equals - text) : n;
    const struct skr_cel_value key = skr_cel_string(text, length);
    const struct skr_cel_value value =
        equals ? skr_cel_string(equals + 1, n - length - 1) : skr_cel_string("", 0);
    *ret_key = *ret_value = skr_cel_string("", 0);
    const bool good = n > 0 && !memchr(text, ';', n) &&
                      skr_cel_url_query_read(&key, run->arena, ret_key) &&
                      skr_cel_url_query_read(&value, run->arena, ret_value);
    run->over = run->over || ret_key->kind == SKR_CEL_ERROR || ret_value->kind == SKR_CEL_ERROR;
    return good && !run->over;
}

static bool add(struct skr_cel_run *run, struct values *all, size_t *n,
                const struct skr_cel_value *key, const struct skr_cel_value *value)
{
    size_t i = 0;
    if (!skr_cel_charge(run, *n / 4 + 1)) {
        return false;
    }
    while (i < *n && !skr_cel_equal(&all[i].key, key)) {
        i++;
    }
    struct values *to = &all[i];
    if (i == *n) {
        all[(*n)++] = (struct values){.key = *key};
    }
    struct skr_cel_value *grown = skr_cel_grow(to->item, to->n, sizeof *grown, run->arena);
    run->over = run->over || !grown;
    if (grown) {
        grown[to->n++] = *value;
        to->item = grown;
    }
    return !!grown;
}

static struct skr_cel_value query(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_value text = arg[0].url->query;
    size_t pairs = 1, n = 0;
    for (size_t i = 0; i < text.n; i++) {
        pairs += text.text[i] == '&' ? 1 : 0;
    }
    struct values *all = skr_cel_room(run, pairs, sizeof *all);
    bool good = all && skr_cel_charge_text(run, text.n);
    for (size_t at = 0; good && at < text.n;) {
        const char *mark = memchr(text.text + at, '&', text.n - at);
        const size_t end = mark ? (size_t)(mark - text.text) : text.n;
        struct skr_cel_value key, value;
        good = !read_pair(run, text.text + at, end - at, &key, &value) ||
               add(run, all, &n, &key, &value);
        good = good && !run->over;
        at = end + 1;
    }
    for (size_t i = 0; good && i < n; i++) {
        bool utf8 = skr_cel_is_utf8(all[i].key.text, all[i].key.n);
        for (size_t k = 0; utf8 && k < all[i].n; k++) {
            utf8 = skr_cel_is_utf8(all[i].item[k].text, all[i].item[k].n);
        }
        if (!utf8) {
            return skr_cel_error(not_utf8);
        }
    }
    struct skr_cel_entry *entry = good ? skr_cel_room(run, n, sizeof *entry) : NULL;
    for (size_t i = 0; entry && i < n; i++) {
        entry[i].key = all[i].key;
        entry[i].value = (struct skr_cel_value){
            .kind = SKR_CEL_LIST, .n = (uint32_t)all[i].n, .item = all[i].item};
    }
    return entry ? (struct skr_cel_value){.kind = SKR_CEL_MAP, .n = (uint32_t)n, .entry = entry}
                 : skr_cel_over(run);
}

const struct skr_cel_function skr_cel_url_functions[] = {
    {"url", SKR_CEL_GLOBAL, "s:w", url, SKR_CEL_TEXT, 0},
    {"isURL", SKR_CEL_GLOBAL, "s:b", is_url, SKR_CEL_TEXT, 0},
    {"getScheme", SKR_CEL_MEMBER, "w:s", part, SKR_CEL_FREE, SCHEME},
    {"getHost", SKR_CEL_MEMBER, "w:s", part, SKR_CEL_FREE, HOST},
    {"getHostname", SKR_CEL_MEMBER, "w:s", part, SKR_CEL_FREE, HOSTNAME},
    {"getPort", SKR_CEL_MEMBER, "w:s", part, SKR_CEL_FREE, PORT},
    {"getEscapedPath", SKR_CEL_MEMBER, "w:s", part, SKR_CEL_FREE, PATH},
    {"getQuery", SKR_CEL_MEMBER, "w:MsLs", query, SKR_CEL_FREE, 0},
    {0},
};
