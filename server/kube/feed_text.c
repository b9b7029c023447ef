/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and watch lines from their texts: the frame around the objects; feed.c takes them. */
#include "server/kube/feed_text.h"

#include <string.h>

static bool is_text(const struct skr_json_span *span, const char *quoted)
{
    return span->len == strlen(quoted) && memcmp(span->s, quoted, span->len) == 0;
}

/* Once, an object. */
static bool read_metadata(struct skr_json_scan *scan, json_t **ret)
{
    struct skr_json_span text;
    if (*ret || !skr_json_scan_value(scan, &text)) {
        return false;
    }
    *ret = json_loadb(text.s, text.len, 0, NULL);
    return *ret;
}

static bool read_items(struct skr_feed *feed, struct skr_json_scan *scan)
{
    bool first = true;
    uint64_t version;
    if (!skr_json_scan_enter(scan, '[')) {
        return false;
    }
    while (skr_json_scan_element(scan, &first)) {
        if (!skr_feed_upsert_text(feed, scan, &version)) {
            return false;
        }
    }
    return !scan->what;
}

static bool read_page(struct skr_feed *feed, struct skr_json_scan *scan, json_t **ret_metadata)
{
    struct skr_json_span key;
    bool first = true;
    bool has_items = false;
    if (!skr_json_scan_enter(scan, '{')) {
        return false;
    }
    while (skr_json_scan_raw_member(scan, &first, &key)) {
        bool ok;
        if (is_text(&key, "\"metadata\"")) {
            ok = read_metadata(scan, ret_metadata);
        } else if (is_text(&key, "\"items\"")) {
            ok = *ret_metadata && !has_items && read_items(feed, scan);
            has_items = true;
        } else {
            ok = !memchr(key.s, '\\', key.len) && skr_json_scan_value(scan, NULL);
        }
        if (!ok) {
            return false;
        }
    }
    return skr_json_scan_end(scan) && has_items;
}

bool skr_feed_text_page(struct skr_feed *feed, char *text, size_t n, json_t **ret_metadata)
{
    struct skr_json_scan scan;
    json_t *metadata = NULL;
    if (!skr_feed_reads_text(feed)) {
        return false;
    }
    skr_json_scan_init(&scan, text, n);
    if (!read_page(feed, &scan, &metadata)) {
        json_decref(metadata);
        return false;
    }
    *ret_metadata = metadata;
    return true;
}

bool skr_feed_text_line(struct skr_feed *feed, const char *text, size_t n, uint64_t *ret_version)
{
    struct skr_json_scan scan;
    struct skr_json_span key;
    struct skr_json_span type;
    bool first = true;
    if (!skr_feed_reads_text(feed)) {
        return false;
    }
    skr_json_scan_init(&scan, (char *)(uintptr_t)text, n); /* nothing is changed in it */
    if (!skr_json_scan_enter(&scan, '{') || !skr_json_scan_raw_member(&scan, &first, &key) ||
        !is_text(&key, "\"type\"") || !skr_json_scan_value(&scan, &type) ||
        !(is_text(&type, "\"ADDED\"") || is_text(&type, "\"MODIFIED\"")) ||
        !skr_json_scan_raw_member(&scan, &first, &key) || !is_text(&key, "\"object\"")) {
        return false;
    }
    /* What stands behind the object has to be right before it is taken. */
    struct skr_json_scan object = scan;
    return skr_json_scan_value(&scan, NULL) && !skr_json_scan_raw_member(&scan, &first, &key) &&
           skr_json_scan_end(&scan) && skr_feed_upsert_text(feed, &object, ret_version);
}
