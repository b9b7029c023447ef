/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/stored.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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
        qsort(at, s->n, sizeof *at, by_leaf);
        s->at = at;
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
    return s->anywhere || read_nodes(nodes, tree, arena, s) ? s : NULL;
}
