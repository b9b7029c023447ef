/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of the API server. The first byte says how large the pieces are in which the rest
 * arrives: the lines must not depend on it. Every line is read as a list's object and as a watch
 * line, as every kind; leaving managedFields out must change nothing else.
 */
#include "core/gang/state/types.h"
#include "server/kube/decode.h"
#include "server/kube/lines.h"
#include "server/kube/page.h"
#include "test/fuzz/fuzz.h"
#include "topology/base/json_position.h"
#include "topology/base/json_tree.h"

enum { SHORT_LINE = 24, DEPTH_COMPARED = 200 };

/* ---- lines ---- */

struct collected {
    struct skr_strbuf text; /* every line, "\n" behind it */
    size_t longest;
};

static bool collect(void *context, const char *text, size_t n)
{
    struct collected *c = context;
    fuzz_check(n > 0 && !memchr(text, '\n', n));
    skr_strbuf_addn(&c->text, text, n);
    skr_strbuf_addc(&c->text, '\n');
    c->longest = n > c->longest ? n : c->longest;
    return true;
}

static int feed(const uint8_t *data, size_t size, size_t piece, size_t max, struct collected *ret)
{
    struct skr_lines lines;
    int rc = 0;
    *ret = (struct collected){0};
    skr_strbuf_init(&ret->text);
    skr_lines_init(&lines, max);
    for (size_t at = 0; at < size && rc == 0; at += piece) {
        /* A copy of its own size, so that reading beyond it is seen. */
        size_t n = size - at < piece ? size - at : piece;
        SKR_AUTO_FREE char *copy = fuzz_text(data + at, n);
        rc = skr_lines_feed(&lines, copy, n, collect, ret);
    }
    fuzz_check(ret->longest <= max && (rc == 0 || rc == -SKR_LIMIT));
    skr_lines_fini(&lines);
    return rc;
}

static void check_lines(const uint8_t *data, size_t size, size_t piece)
{
    struct collected whole, pieces;
    for (size_t max = SHORT_LINE; max <= SKR_KUBE_LINE_MAX; max *= SKR_KUBE_LINE_MAX / SHORT_LINE) {
        int rc = feed(data, size, size > 0 ? size : 1, max, &whole);
        fuzz_check(feed(data, size, piece, max, &pieces) == rc);
        fuzz_check(whole.text.len == pieces.text.len &&
                   (whole.text.len == 0 || !memcmp(whole.text.s, pieces.text.s, whole.text.len)));
        skr_strbuf_fini(&whole.text);
        skr_strbuf_fini(&pieces.text);
    }
}

/* ---- managedFields ---- */

static void empty_managed_fields(json_t *json)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_array(json)) {
        json_array_foreach(json, i, value)
        {
            empty_managed_fields(value);
        }
        return;
    }
    json_object_foreach(json, key, value)
    {
        if (strcmp(key, "managedFields") == 0 && json_is_array(value)) {
            json_array_clear(value);
        } else {
            empty_managed_fields(value);
        }
    }
}

static void check_pruned(const char *text, size_t n, json_t *pruned)
{
    struct skr_position at;
    SKR_AUTO_FREE char *copy = fuzz_text((const uint8_t *)text, n);
    json_t *whole = skr_json_deeper_than(copy, DEPTH_COMPARED, &at)
                        ? NULL
                        : json_loadb(text, n, 0, NULL); /* NUL is replaced, not cut out */
    if (whole) {
        fuzz_check(pruned);
        json_auto_t *rest = json_deep_copy(pruned);
        empty_managed_fields(whole);
        empty_managed_fields(rest);
        fuzz_check(json_equal(whole, rest));
    }
    json_decref(whole);
}

/* ---- objects ---- */

static void decode_as_every_kind(const json_t *object)
{
    struct skr_error error;
    for (int i = 0; i < SKR_GANG_WATCHES; i++) {
        struct skr_event event;
        int rc = skr_kube_decode(skr_gang_watch[i].type, object, &event, &error);
        fuzz_check_rc(rc, &error);
        if (rc == 0) {
            skr_event_fini(&event);
        }
    }
}

static void check_object(const json_t *object)
{
    SKR_JSON_READER(reader);
    const struct skr_json *json;
    struct skr_kube_identity id;
    struct skr_kube_status status;
    struct skr_error error;
    SKR_STRBUF(names);
    if (skr_json_of_tree(&reader, object, &json, &error) == 0) {
        int rc = skr_kube_identity_read(json, &names, &id, &error);
        fuzz_check_rc(rc, &error);
        fuzz_check(rc < 0 || id.name[0]);
        fuzz_check(id.version == skr_kube_version_parse(id.version_text));
    }
    if (skr_kube_status_parse(object, &status)) {
        fuzz_check(status.code >= 0 && status.code < 1000 && status.reason && status.message);
    }
    decode_as_every_kind(object);
}

/* As a line of a watch and as a page of a list, without any that takes the objects. */
static void check_frames(const char *text, size_t n)
{
    struct skr_kube_counters counters = {0};
    const struct skr_kube_options options = {0};
    struct skr_kube_session session = {.counters = &counters, .options = &options};
    struct skr_feed feed;
    struct skr_error error;
    struct skr_kube_line line = {.type = SKR_KUBE_LINE_TYPE_COUNT};
    struct skr_kube_page page;
    skr_feed_init(&feed, &session, "pods", 0);
    skr_strbuf_init(&page.version);
    skr_strbuf_init(&page.next);
    int rc = skr_kube_line_take(&feed, text, n, &line, &error);
    fuzz_check_rc(rc, &error);
    fuzz_check(rc < 0 || (line.type < SKR_KUBE_LINE_TYPE_COUNT && line.version));
    fuzz_check_rc(skr_kube_page_take(&feed, text, n, &page, &error), &error);
    skr_strbuf_fini(&page.version);
    skr_strbuf_fini(&page.next);
    skr_feed_fini(&feed);
}

static void check_line(const char *text, size_t n)
{
    struct skr_error error;
    json_t *root = NULL;
    check_frames(text, n);
    int rc = skr_kube_json_parse(text, n, &root, &error);
    fuzz_check_rc(rc, &error);
    fuzz_check(rc == 0 || fuzz_has_position(error.text));
    check_pruned(text, n, root);
    if (rc == 0) {
        const json_t *object = json_object_get(root, "object");
        check_object(object ? object : root);
        json_decref(root);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct collected lines;
    if (size == 0) {
        return 0;
    }
    check_lines(data + 1, size - 1, 1 + (size_t)data[0] % 64);
    (void)feed(data + 1, size - 1, size, SKR_KUBE_LINE_MAX, &lines);
    for (const char *at = lines.text.s; at && *at != '\0';) {
        const char *end = strchr(at, '\n');
        if (!end) {
            break; /* behind a zero byte */
        }
        check_line(at, (size_t)(end - at));
        at = end + 1;
    }
    check_line((const char *)data + 1, size - 1); /* the answer to a list */
    skr_strbuf_fini(&lines.text);
    return 0;
}
