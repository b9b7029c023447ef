/* SPDX-License-Identifier: Apache-2.0 */
/* Members by their names down a table; values as they stand. A copy is never longer than what it is
 * a copy of: what is kept keeps its bytes but for blanks. */
#include "server/http/review_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/json.h"

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
    struct skr_json_reader reader;
    char *out;
    size_t n;
};

static void add(struct copying *c, const char *s, size_t n)
{
    memcpy(c->out + c->n, s, n);
    c->n += n;
}

/* NULL: it is not kept. */
static const struct member *find(const struct member *table, const struct skr_json *key)
{
    while (table->name && !skr_json_is(key, table->name)) {
        table++;
    }
    return table->name ? table : NULL;
}

/* The value at the cursor, of objects the members that are in the table; NULL: as it is. As deep as tables
 * are. */
static bool copy(struct copying *c, const struct member *table)
{
    struct skr_json_reader *reader = &c->reader;
    const struct skr_json *value;
    struct skr_json key;
    bool first = true, any = false;
    if (!table || skr_json_peek(reader) != '{') {
        (void)skr_json_peek(reader);
        const size_t from = reader->pos;
        if (!skr_json_read(reader, &value)) {
            return false;
        }
        add(c, reader->text + from, reader->pos - from);
        return true;
    }
    (void)skr_json_enter(reader, '{');
    add(c, "{", 1);
    while (skr_json_member(reader, &first, &key)) {
        const struct member *member = find(table, &key);
        if (!member && !skr_json_read(reader, &value)) {
            return false;
        }
        if (!member) {
            continue;
        }
        add(c, ",\"", any ? 2 : 0);
        add(c, "\"", any ? 0 : 1);
        any = true;
        add(c, member->name, strlen(member->name));
        add(c, "\":", 2);
        if (!copy(c, member->inside)) {
            return false;
        }
    }
    add(c, "}", 1);
    return !reader->what;
}

char *skr_review_text_shorten(const char *text, size_t len, size_t *len_ret)
{
    struct copying c = {.reader = {.refuse_nul = true}, .out = skr_alloc(len + 1)};
    skr_json_begin(&c.reader, text, len);
    const bool done = copy(&c, review) && skr_json_finish(&c.reader);
    skr_json_reader_fini(&c.reader);
    if (!done) {
        free(c.out);
        return NULL;
    }
    *len_ret = c.n;
    return c.out;
}
