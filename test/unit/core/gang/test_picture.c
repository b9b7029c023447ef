/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of gangs: the document, its changes, and both against the pages of the API. */
#include <stdlib.h>
#include <string.h>

#include "core/frame/picture.h"
#include "core/gang/state/pages.h"
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "test/unit/picture_scene.h"
#include "test/unit/picture_text.h"
#include "topology/base/arena.h"

struct look {
    struct rig *rig;
    struct skr_picture *picture;
    json_t *page; /* as a browser has it: the last document with all changes since */
    size_t changes, anew;
};

static json_t *load(const struct skr_strbuf *text)
{
    json_t *json = json_loadb(text->s, text->len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    return json;
}

/* ---- what a browser does with a change ---- */

static void apply_nodes(json_t *page, const json_t *change)
{
    json_t *nodes = json_object_get(json_object_get(page, "tree"), "nodes");
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(change, "nodes"), i, row)
    {
        json_t *node = json_array_get(nodes, (size_t)json_integer_value(json_array_get(row, 0)));
        json_array_set(node, 2, json_array_get(row, 1));
        json_array_set(node, 4, json_array_get(row, 2));
        json_array_set(node, 5, json_array_get(row, 3));
        json_array_set(node, 6, json_array_get(row, 4));
        if (json_array_size(row) > 5) {
            json_array_set(node, 3, json_array_get(row, 5));
        }
    }
}

static void apply_groups(json_t *page, const json_t *change)
{
    json_t *groups = json_object_get(page, "groups");
    size_t i;
    const json_t *row, *value;
    const char *key;
    json_array_foreach(json_object_get(change, "groups"), i, row)
    {
        const size_t at = (size_t)json_integer_value(json_array_get(row, 0));
        json_t *fields = json_array_get(row, 1);
        assert_true(at <= json_array_size(groups));
        if (at == json_array_size(groups)) {
            json_array_append_new(groups, json_object());
        }
        if (json_is_null(fields)) {
            json_array_set(groups, at, fields);
            continue;
        }
        json_object_foreach(fields, key, value)
        {
            json_object_set(json_array_get(groups, at), key,
                            json_incref((json_t *)(uintptr_t)value));
            json_decref((json_t *)(uintptr_t)value);
        }
    }
}

static void apply(json_t *page, const json_t *change)
{
    apply_nodes(page, change);
    apply_groups(page, change);
    json_array_extend(json_object_get(page, "decisions"), json_object_get(change, "decisions"));
    json_object_set(page, "version", json_object_get(change, "version"));
    json_object_set(page, "time", json_object_get(change, "time"));
}

/* ---- looking ---- */

static int draw(struct look *l, const char *resource, struct skr_strbuf *out,
                enum skr_picture_news *ret_news)
{
    struct skr_view_query query = {.path = "/v1/picture"};
    query.argument[SKR_VIEW_RESOURCE] = resource;
    return skr_gang_draw(l->rig->gang, &query, l->rig->now, l->picture, ret_news, out);
}

static void look_begin(struct look *l, struct rig *rig)
{
    static const struct skr_hash_seed seed;
    *l = (struct look){.rig = rig, .picture = skr_picture_create("gangs", &seed)};
}

static void look_end(struct look *l)
{
    skr_picture_destroy(l->picture);
    json_decref(l->page);
}

/* The page that changes led to is the document. */
static void look_at(struct look *l, const char *resource)
{
    SKR_STRBUF(change);
    SKR_STRBUF(whole);
    enum skr_picture_news news;
    assert_int_equal(draw(l, resource, &change, &news), 200);
    skr_picture_write(l->picture, &whole);
    json_t *document = load(&whole);
    l->anew += news == SKR_PICTURE_ANEW;
    l->changes += news == SKR_PICTURE_CHANGED;
    if (news == SKR_PICTURE_ANEW) {
        json_decref(l->page);
        l->page = json_deep_copy(document);
    } else if (news == SKR_PICTURE_CHANGED) {
        json_auto_t *json = load(&change);
        apply(l->page, json);
    } else {
        assert_int_equal(change.len, 0);
    }
    if (!json_equal(l->page, document)) {
        SKR_AUTO_FREE char *a = json_dumps(l->page, 0);
        fail_msg("page %s\nbut document %s", a, whole.s);
    }
    json_decref(document);
}

static void look(struct look *l)
{
    look_at(l, "cpu");
}

/* A picture that has followed all changes shows what one that begins now shows. */
static void expect_as_fresh(struct look *l)
{
    struct look fresh;
    SKR_STRBUF(a);
    SKR_STRBUF(b);
    look(l);
    look_begin(&fresh, l->rig);
    look(&fresh);
    picture_text(l->picture, &a);
    picture_text(fresh.picture, &b);
    assert_string_equal(a.s, b.s);
    look_end(&fresh);
}

/* Without an argument; the document names the resource. */
static void look_default(struct look *l, enum skr_picture_news wanted, const char *resource)
{
    SKR_STRBUF(change);
    SKR_STRBUF(whole);
    enum skr_picture_news news;
    assert_int_equal(draw(l, NULL, &change, &news), 200);
    assert_int_equal(news, wanted);
    skr_picture_write(l->picture, &whole);
    json_auto_t *document = load(&whole);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(document, "tree"), "resource")),
        resource);
}

TEST_RIG(rig_create(), changes_add_up_to_the_document)
{
    struct look l;
    rig_racks(rig, 2, 3, 4);
    rig_sync(rig);
    look_begin(&l, rig);
    look(&l);
    assert_int_equal(l.anew, 1);
    for (int i = 0; i < 6; i++) {
        char group[16], prefix[16];
        snprintf(group, sizeof group, "g%d", i);
        snprintf(prefix, sizeof prefix, "p%d", i);
        rig_gang(rig, group, 4, prefix, 4, 0);
        while (rig_step(rig)) {
            look(&l);
        }
        rig_run(rig, SKR_SECOND);
        expect_as_fresh(&l);
    }
    rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'unschedulable':true}}");
    rig_run(rig, SKR_SECOND);
    expect_as_fresh(&l);
    for (int i = 0; i < 4; i++) {
        rig_remove(rig, test_text("p0-%d", i));
        rig_run(rig, SKR_SECOND);
        expect_as_fresh(&l);
    }
    rig_delete(rig, RIG_MAP, "g0");
    rig_run(rig, 5 * SKR_SECOND);
    expect_as_fresh(&l);
    assert_int_equal(l.anew, 1);
    assert_true(l.changes > 10);
    look(&l);
    const size_t before = l.changes;
    look(&l);
    assert_int_equal(l.changes, before); /* nothing happened */
    look_end(&l);
}

TEST_RIG(rig_create(), another_tree_or_resource_begins_anew)
{
    struct look l;
    SKR_STRBUF(out);
    enum skr_picture_news news;
    rig_racks(rig, 2, 3, 4);
    rig_sync(rig);
    look_begin(&l, rig);
    look(&l);
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'r\\':{\\'node-0\\':{},\\'node-4\\':{}}}'}}");
    rig_run(rig, 10 * SKR_SECOND);
    look(&l);
    assert_int_equal(l.anew, 2);
    expect_as_fresh(&l);
    look_end(&l);
    look_begin(&l, rig);
    assert_int_equal(draw(&l, "zpu", &out, &news), 404);
    skr_strbuf_reset(&out);
    assert_int_equal(draw(&l, "memory", &out, &news), 200);
    assert_int_equal(news, SKR_PICTURE_ANEW);
    look_end(&l);
}

/* The tree names no device, so the default is one that nodes offer. */
TEST_RIG(rig_create(), the_default_resource_follows_what_nodes_offer)
{
    struct look l;
    SKR_STRBUF(out);
    enum skr_picture_news news;
    rig_racks(rig, 2, 3, 4);
    rig_sync(rig);
    look_begin(&l, rig);
    look_default(&l, SKR_PICTURE_ANEW, "cpu");
    rig_edit(rig, RIG_NODE, "node-1", "{'status':{'allocatable':{'example.com/gpu':'2'}}}");
    rig_run(rig, SKR_SECOND);
    look_default(&l, SKR_PICTURE_ANEW, "example.com/gpu");
    rig_edit(rig, RIG_NODE, "node-2", "{'spec':{'unschedulable':true}}");
    rig_run(rig, SKR_SECOND);
    look_default(&l, SKR_PICTURE_CHANGED, "example.com/gpu");
    rig_delete(rig, RIG_NODE, "node-1");
    rig_run(rig, SKR_SECOND);
    look_default(&l, SKR_PICTURE_ANEW, "cpu");
    look_end(&l);
    look_begin(&l, rig); /* what is asked for stays */
    assert_int_equal(draw(&l, "cpu", &out, &news), 200);
    rig_edit(rig, RIG_NODE, "node-2", "{'status':{'allocatable':{'example.com/gpu':'2'}}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(draw(&l, "cpu", &out, &news), 200);
    assert_int_equal(news, SKR_PICTURE_SAME);
    look_end(&l);
}

/* [used, slots, [group, pods, amount]] of a node, without groups [used, slots, []]. */
static void expect_node(const struct look *l, size_t node, const char *wanted)
{
    const json_t *row =
        json_array_get(json_object_get(json_object_get(l->page, "tree"), "nodes"), node);
    json_auto_t *part =
        json_pack("[OOO]", json_array_get(row, 4), json_array_get(row, 5), json_array_get(row, 6));
    SKR_AUTO_FREE char *text = json_dumps(part, JSON_COMPACT);
    assert_string_equal(text, wanted);
}

TEST_RIG(device_cluster(2, 4), a_class_of_devices_is_drawn_as_a_resource)
{
    struct look l;
    look_begin(&l, rig);
    look_at(&l, "class/gpu");
    expect_node(&l, 0, "[0,4,[]]");
    rig_group(rig, "g", 1, 0, NULL);
    rig_create_json(rig, RIG_POD, "g-0",
                    "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                    "'sakkara','containers':[{'name':'c','resources':{'requests':{"
                    "'example.com/gpu':'3'}}}]},'status':{'phase':'Pending'}}");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 1);
    look_at(&l, "class/gpu");
    expect_node(&l, 0, "[0,4,[0,1,3]]"); /* what it asked for: its claim has not come yet */
    device_claim(rig, "c", 1);
    device_give(rig, "c", "node-0", true);
    look_at(&l, "class/gpu");
    expect_node(&l, 0, "[1,3,[0,1,3]]"); /* another pod has one */
    rig_edit(rig, RIG_DEVICE_CLAIM, "c",
             "{'status':{'reservedFor':[{'resource':'pods','name':"
             "'p','uid':'%s'}]}}",
             rig_find(rig, RIG_POD, "g-0")->pod->meta.uid);
    rig_run(rig, SKR_SECOND);
    look_at(&l, "class/gpu");
    expect_node(&l, 0, "[1,3,[0,1,1]]");
    expect_node(&l, 1, "[0,4,[]]");
    rig_delete(rig, RIG_CLASS, "gpu");
    rig_run(rig, SKR_SECOND);
    look_at(&l, "class/gpu");
    expect_node(&l, 0, "[0,0,[0,1,0]]");
    assert_int_equal(l.anew, 1);
    look_end(&l);
}

static bool always(void *context)
{
    size_t *n = context;
    return ++*n < 3;
}

TEST_RIG(rig_create(), a_picture_that_is_broken_off_goes_on)
{
    struct look l;
    size_t n = 0;
    SKR_STRBUF(out);
    enum skr_picture_news news = SKR_PICTURE_SAME;
    struct skr_view_query query = {.path = "/v1/picture", .interrupted = always, .context = &n};
    rig_racks(rig, 4, 66, 4);
    rig_sync(rig);
    look_begin(&l, rig);
    assert_int_equal(skr_gang_draw(rig->gang, &query, rig->now, l.picture, &news, &out),
                     SKR_VIEW_INTERRUPTED);
    assert_int_equal(skr_picture_version(l.picture), 0);
    while (skr_gang_draw(rig->gang, &query, rig->now, l.picture, &news, &out) == 0) {
    }
    assert_int_equal(news, SKR_PICTURE_ANEW);
    assert_int_equal(skr_picture_version(l.picture), 1);
    look_end(&l);
}

TEST_RIG(rig_create(), decisions_are_in_the_order_of_their_times)
{
    struct look l;
    rig_racks(rig, 1, 2, 4);
    rig_sync(rig);
    rig_gang(rig, "fits", 4, "a", 4, 0);
    rig_run(rig, SKR_SECOND);
    rig_gang(rig, "large", 40, "b", 40, 0);
    rig_run(rig, SKR_SECOND);
    look_begin(&l, rig);
    look(&l);
    const json_t *decisions = json_object_get(l.page, "decisions");
    int64_t last = 0;
    size_t i, n[2] = {0};
    const json_t *d;
    json_array_foreach(decisions, i, d)
    {
        const char *kind = json_string_value(json_array_get(d, 2));
        assert_true(json_integer_value(json_array_get(d, 0)) >= last);
        last = json_integer_value(json_array_get(d, 0));
        n[0] += strcmp(kind, "bound") == 0;
        n[1] += strcmp(kind, "failed") == 0;
    }
    assert_int_equal(n[0], 1);
    assert_int_equal(n[1], 1);
    look_end(&l);
}

TEST_RIG(rig_create(), nodes_and_groups_that_come_and_go_are_seen)
{
    struct look l;
    rig_racks(rig, 2, 3, 4);
    rig_sync(rig);
    rig_gang(rig, "stays", 4, "a", 4, 0);
    rig_gang(rig, "goes", 4, "b", 4, 0);
    rig_run(rig, SKR_SECOND);
    look_begin(&l, rig);
    look(&l);
    rig_delete(rig, RIG_NODE, "node-2");
    rig_run(rig, SKR_SECOND);
    expect_as_fresh(&l);
    for (int i = 0; i < 4; i++) {
        rig_remove(rig, test_text("b-%d", i));
    }
    rig_delete(rig, RIG_MAP, "goes");
    rig_run(rig, 2 * SKR_SECOND);
    expect_as_fresh(&l);
    rig_gang(rig, "comes", 4, "c", 4, 0);
    rig_run(rig, SKR_SECOND);
    expect_as_fresh(&l);
    assert_int_equal(l.anew, 1);
    look_end(&l);
}

/* The least of some tries: what the machine does beside it only ever adds. */
static double cost_of_a_change(int nodes, int groups)
{
    struct picture_scene s;
    double least = 0;
    picture_scene_init(&s, nodes, groups);
    picture_scene_draw(&s, SKR_PICTURE_ANEW);
    for (int i = 0; i < 40; i++) {
        picture_scene_change(&s);
        const double took = picture_scene_draw(&s, SKR_PICTURE_CHANGED);
        least = i == 0 || took < least ? took : least;
    }
    picture_scene_fini(&s);
    return least;
}

TEST(a_change_costs_what_differs_and_not_the_cluster)
{
    const double small = cost_of_a_change(200, 20), large = cost_of_a_change(3200, 320);
    if (large > 3 * small) {
        fail_msg("%.0f us in 200 nodes, %.0f us in 3,200", small, large);
    }
}

/* A daemon that does not lead has no picture. */
TEST_RIG(rig_create(), a_follower_refuses)
{
    struct look l;
    SKR_STRBUF(out);
    enum skr_picture_news news;
    rig_racks(rig, 1, 2, 4);
    rig_sync(rig);
    rig_event(rig, SKR_EVENT_LEADER_LOST);
    look_begin(&l, rig);
    assert_int_equal(draw(&l, NULL, &out, &news), 503);
    assert_non_null(strstr(out.s, "not leader"));
    look_end(&l);
}
