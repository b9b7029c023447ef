/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/stored.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/strbuf.h"
#include "topology/object.h"

/* The instant of a member; 0: there is none. */
static int64_t instant_of(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));
    skr_time t;
    return text && skr_time_parse(text, &t, NULL) == 0 && t > 0 ? skr_instant_up(t) : 0;
}

static int by_leaf(const void *a, const void *b)
{
    const struct skr_place_leaf *x = a, *y = b;
    return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

void skr_stored_reservation_sort(const struct skr_stored_reservation *s)
{
    if (s->n > 0) {
        qsort((void *)(uintptr_t)s->at, s->n, sizeof *s->at, by_leaf);
    }
}

/* False: a count is none. */
static bool read_nodes(const json_t *nodes, const struct skr_tree *tree, struct skr_arena *arena,
                       struct skr_stored_reservation *s)
{
    struct skr_place_leaf *at = skr_arena_array(arena, json_object_size(nodes) + 1, sizeof *at);
    const char *name;
    json_t *value;
    bool good = at;
    json_object_foreach((json_t *)(uintptr_t)nodes, name, value)
    {
        const json_int_t count = json_integer_value(value);
        const int32_t leaf = skr_tree_find_leaf(tree, name);
        good = good && count >= 1 && count <= SKR_SOLVER_MEMBERS_MAX;
        s->node_gone = s->node_gone || leaf < 0;
        if (good && leaf >= 0) {
            at[s->n++] = (struct skr_place_leaf){.leaf = leaf, .count = (int32_t)count};
        }
    }
    if (good) {
        s->at = at;
        skr_stored_reservation_sort(s);
    }
    return good;
}

struct skr_stored_reservation *skr_stored_reservation_read(const char *text,
                                                           const struct skr_tree *tree,
                                                           struct skr_arena *arena)
{
    if (strlen(text) > SKR_RESERVATION_TEXT_MAX) {
        return NULL;
    }
    json_auto_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *nodes = json_object_get(json, "nodes");
    const int64_t start = instant_of(json, "start");
    struct skr_stored_reservation *s = skr_arena_alloc(arena, sizeof *s);
    if (!s || start == 0 || json_integer_value(json_object_get(json, "v")) != 1 ||
        (nodes && !json_is_object(nodes))) {
        return NULL;
    }
    s->start = start;
    s->promised = instant_of(json, "promised");
    s->promised = s->promised == 0 ? start : s->promised;
    s->since = instant_of(json, "since");
    s->guess = json_is_true(json_object_get(json, "guess"));
    s->anywhere = !nodes;
    s->written = true;
    return s->anywhere || read_nodes(nodes, tree, arena, s) ? s : NULL;
}

/* ---- writing ---- */

enum { NODES_WRITTEN_MAX = 128 * 1024 };

void skr_reservation_write_nodes(const struct booking *b, struct skr_strbuf *ret)
{
    SKR_STRBUF(nodes);
    for (size_t i = 0; i < b->n; i++) {
        skr_strbuf_add(&nodes, i == 0 ? "{" : ",");
        skr_strbuf_add_json(&nodes, b->node[i].name);
        skr_strbuf_addf(&nodes, ":%d", (int)b->node[i].count);
    }
    skr_strbuf_add(&nodes, b->n == 0 ? "{}" : "}");
    if (nodes.len <= NODES_WRITTEN_MAX) {
        skr_strbuf_addn(ret, nodes.s, nodes.len);
    }
}

static void add_instant(struct skr_strbuf *b, const char *key, int64_t at)
{
    char text[48];
    skr_time_write(at * SKR_SECOND, 0, text, sizeof text);
    skr_strbuf_addf(b, ",\"%s\":\"%s\"", key, text);
}

void skr_reservation_write(const struct booking *b, struct skr_strbuf *ret)
{
    SKR_STRBUF(nodes);
    skr_strbuf_add(ret, "{\"v\":1");
    add_instant(ret, "start", b->start);
    add_instant(ret, "promised", b->promised);
    add_instant(ret, "since", b->since);
    skr_strbuf_addf(ret, ",\"guess\":%s", b->guess ? "true" : "false");
    skr_reservation_write_nodes(b, &nodes);
    if (nodes.len > 0) {
        skr_strbuf_addf(ret, ",\"nodes\":%s", nodes.s);
    }
    skr_strbuf_addc(ret, '}');
}
