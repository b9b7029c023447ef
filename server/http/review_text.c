/* SPDX-License-Identifier: Apache-2.0 */
/* Members by their names down a table; values as they stand. A copy is never longer than what it is
 * a copy of: what is kept keeps its bytes but for blanks. */
#include "server/http/review_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/json_scan.h"

/* What is kept of an object; inside NULL: the whole value. Ends with a name NULL. */
struct member {
    const char *name;
    const struct member *inside;
};

static const struct member meta[] = {{"name", NULL},
                                     {"labels", NULL},
                                     {"annotations", NULL},
                                     {"ownerReferences", NULL},
                                     {NULL, NULL}};
static const struct member spec[] = {
    {"schedulerName", NULL}, {"schedulingGates", NULL}, {"nodeName", NULL}, {"nodeSelector", NULL},
    {"affinity", NULL},      {"tolerations", NULL},     {NULL, NULL}};
static const struct member pod[] = {{"metadata", meta}, {"spec", spec}, {NULL, NULL}};
static const struct member request[] = {
    {"uid", NULL},         {"kind", NULL},      {"resource", NULL},
    {"subResource", NULL}, {"operation", NULL}, {"namespace", NULL},
    {"dryRun", NULL},      {"object", pod},     {NULL, NULL}};
static const struct member review[] = {
    {"apiVersion", NULL}, {"kind", NULL}, {"request", request}, {NULL, NULL}};

struct copying {
    struct skr_json_scan scan;
    char *out;
    size_t n;
};

static void add(struct copying *c, const char *s, size_t n)
{
    memcpy(c->out + c->n, s, n);
    c->n += n;
}

/* key: with its quotes. NULL: it is not kept. */
static const struct member *find(const struct member *table, const struct skr_json_span *key)
{
    for (; table->name; table++) {
        if (strlen(table->name) == key->len - 2 &&
            memcmp(table->name, key->s + 1, key->len - 2) == 0) {
            return table;
        }
    }
    return NULL;
}

/* One value, of an object those members that are in the table; NULL: as it is. As deep as tables
 * are. */
static bool copy(struct copying *c, const struct member *table)
{
    struct skr_json_span key, value;
    bool first = true, any = false;
    if (!table || skr_json_scan_peek(&c->scan) != '{') {
        if (!skr_json_scan_value(&c->scan, &value)) {
            return false;
        }
        add(c, value.s, value.len);
        return true;
    }
    (void)skr_json_scan_enter(&c->scan, '{');
    add(c, "{", 1);
    while (skr_json_scan_raw_member(&c->scan, &first, &key)) {
        const struct member *member = find(table, &key);
        if (memchr(key.s, '\\', key.len)) {
            return false;
        }
        if (!member) {
            if (!skr_json_scan_value(&c->scan, NULL)) {
                return false;
            }
            continue;
        }
        add(c, ",", any);
        any = true;
        add(c, key.s, key.len);
        add(c, ":", 1);
        if (!copy(c, member->inside)) {
            return false;
        }
    }
    add(c, "}", 1);
    return !c->scan.what;
}

char *skr_review_text_shorten(const char *text, size_t len, size_t *len_ret)
{
    struct copying c = {.out = skr_alloc(len + 1)};
    /* Values are passed over, not unescaped: the text stays as it is. */
    skr_json_scan_init(&c.scan, (char *)(uintptr_t)text, len);
    if (!copy(&c, review) || !skr_json_scan_end(&c.scan)) {
        free(c.out);
        return NULL;
    }
    *len_ret = c.n;
    return c.out;
}
