/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of explanations, as pages have them. */
#include "test/test.h"

#include "core/spotmix/page.h"

#define K "cloudpilot.ai/webhook-scheduler"
#define OWNED                                                        \
    "\"ownerReferences\":[{\"apiVersion\":\"apps/"                   \
    "v1\",\"kind\":\"ReplicaSet\",\"name\":\"web-a\",\"uid\":\"r\"," \
    "\"controller\":true}]"
#define STARTED \
    "\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}"
#define LABELLED(class_, index) \
    "\"labels\":{\"" K "-class\":\"" class_ "\",\"" K "-index\":\"" index "\"}"
#define POD(name, labels, node)                                                                \
    "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"" name "\",\"uid\":\"" name "\"," labels \
    "," OWNED "},\"spec\":{\"nodeName\":\"" node "\"}," STARTED "}"

struct world {
    struct skr_spotmix_settings settings;
    struct skr_spotmix *mix;
};

static void put(struct world *world, enum skr_spotmix_kind kind, const char *text)
{
    json_auto_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    skr_spotmix_put(world->mix, kind, json);
}

static void world_set_up(struct world *world)
{
    skr_spotmix_settings_default(&world->settings);
    assert_int_equal(skr_spotmix_create(&world->settings, &world->mix, NULL), 0);
    put(world, SKR_SPOTMIX_DEPLOYMENT,
        "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"web\",\"uid\":\"d\",\"labels\":{\"" K
        "\":\"true\",\"" K "-max-on-demand-count\":\"1\"}},\"spec\":{\"replicas\":2}}");
    put(world, SKR_SPOTMIX_REPLICA_SET,
        "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"web-a\",\"uid\":\"r\","
        "\"ownerReferences\":"
        "[{\"apiVersion\":\"apps/"
        "v1\",\"kind\":\"Deployment\",\"name\":\"web\",\"uid\":\"d\",\"controller\":true}]},"
        "\"spec\":{"
        "\"replicas\":2}}");
}

static void world_tear_down(struct world *world)
{
    skr_spotmix_destroy(world->mix);
}

/* The text of a member of the page of name, of its first pod with in_pod. free() */
static char *text_of(const struct world *world, const char *name, bool in_pod, const char *key)
{
    SKR_STRBUF(page);

    assert_true(skr_spotmix_page_write_one(world->mix, "shop", name, &page));
    json_auto_t *json = json_loads(page.s, 0, NULL);
    const json_t *at = in_pod ? json_array_get(json_object_get(json, "pods"), 0) : json;
    return strdup(json_string_value(json_object_get(at, key)));
}

static void expect(const struct world *world, const char *name, bool in_pod, const char *want)
{
    SKR_AUTO_FREE char *got = text_of(world, name, in_pod, in_pod ? "why" : "next");
    assert_string_equal(got, want);
}

TEST_WITH(world, the_next_pod_takes_the_first_vacant_index)
{
    expect(world, "web", false, "the next pod gets index 0: on-demand");
    put(world, SKR_SPOTMIX_POD, POD("a", LABELLED("on-demand", "0"), "n"));
    expect(world, "web", false, "the next pod gets index 1: spot");
    put(world, SKR_SPOTMIX_POD, POD("c", LABELLED("spot", "2"), "n"));
    expect(world, "web", false, "the next pod gets index 1: spot");
    put(world, SKR_SPOTMIX_POD, POD("b", LABELLED("spot", "1"), "n"));
    expect(world, "web", false, "the next pod gets index 3: spot");
}

TEST_WITH(world, a_pod_has_the_class_of_its_index)
{
    put(world, SKR_SPOTMIX_POD, POD("a", LABELLED("on-demand", "0"), "n"));
    put(world, SKR_SPOTMIX_POD, POD("b", LABELLED("spot", "1"), "n"));
    expect(world, "a", true, "index 0 is below max 1: on-demand");
    expect(world, "b", true, "index 1 is not below max 1: spot");
}

TEST_WITH(world, a_pod_of_the_wrong_class_is_evicted_next_or_stays)
{
    put(world, SKR_SPOTMIX_POD, POD("a", LABELLED("spot", "0"), "n"));
    put(world, SKR_SPOTMIX_POD, POD("b", LABELLED("spot", "1"), "n"));
    expect(world, "a", true, "index 0 is below max 1: on-demand; it is spot");
    expect(world, "web", false, "1 of the wrong class: a is evicted next");
    world->settings.rebuild = SKR_SPOTMIX_REBUILD_NONE;
    expect(world, "web", false, "1 of the wrong class: they stay (spotmix.rebuild)");
}

TEST_WITH(world, a_pod_of_the_right_class_on_a_node_of_the_other_one_is_told_its_node)
{
    put(world, SKR_SPOTMIX_NODE,
        "{\"metadata\":{\"name\":\"s\",\"labels\":{\"node.kubernetes.io/capacity\":\"spot\"}}}");
    put(world, SKR_SPOTMIX_POD, POD("a", LABELLED("on-demand", "0"), "s"));
    expect(world, "a", true, "index 0 is below max 1: on-demand; its node is spot");
}

TEST_WITH(world, a_label_that_is_no_index_is_not_taken_for_an_ordinal)
{
    put(world, SKR_SPOTMIX_POD, POD("a", LABELLED("spot", "99999999999"), "n"));
    put(world, SKR_SPOTMIX_POD, POD("b", LABELLED("spot", "-1"), ""));
    expect(world, "a", true, "its label is no index: it takes the class of its node");
    expect(world, "b", true,
           "its label is no index: its node will tell its class; too many pods are spot");
}

TEST_WITH(world, a_pod_that_no_review_has_seen_takes_the_class_of_its_node)
{
    put(world, SKR_SPOTMIX_NODE,
        "{\"metadata\":{\"name\":\"s\",\"labels\":{\"node.kubernetes.io/capacity\":\"spot\"}}}");
    put(world, SKR_SPOTMIX_POD, POD("a", "\"labels\":{}", "s"));
    expect(world, "a", true, "no review has seen it: it takes the class of its node");
    put(world, SKR_SPOTMIX_POD, POD("c", "\"labels\":{}", "n"));
    expect(world, "c", true, "no review has seen it: its node is of neither class");
    put(world, SKR_SPOTMIX_POD, POD("b", "\"labels\":{}", ""));
    expect(world, "b", true, "no review has seen it: its node will tell its class");
}

TEST_WITH(world, what_is_not_mixed_has_no_page)
{
    SKR_STRBUF(page);

    assert_false(skr_spotmix_page_write_one(world->mix, "shop", "nobody", &page));
    assert_false(skr_spotmix_page_write_one(world->mix, "bank", "web", &page));
    assert_int_equal(page.len, 0);
}

/* Nodes of neither class are left out; pods count that carry a class, whichever it is. */
TEST_WITH(world, nodes_have_their_class_and_how_many_mixed_pods_sit_there)
{
    SKR_STRBUF(page);

    put(world, SKR_SPOTMIX_NODE,
        "{\"metadata\":{\"name\":\"s\",\"labels\":{\"node.kubernetes.io/capacity\":\"spot\"}}}");
    put(world, SKR_SPOTMIX_NODE,
        "{\"metadata\":{\"name\":\"d\",\"labels\":{\"node.kubernetes.io/"
        "capacity\":\"on-demand\"}}}");
    put(world, SKR_SPOTMIX_NODE, "{\"metadata\":{\"name\":\"n\"}}");
    put(world, SKR_SPOTMIX_POD, POD("a", LABELLED("on-demand", "0"), "d"));
    put(world, SKR_SPOTMIX_POD, POD("b", LABELLED("spot", "1"), "s"));
    put(world, SKR_SPOTMIX_POD, POD("c", LABELLED("on-demand", "2"), "s"));
    put(world, SKR_SPOTMIX_POD, POD("e", LABELLED("spot", "3"), "n"));
    put(world, SKR_SPOTMIX_POD, POD("f", LABELLED("spot", "4"), "gone"));
    put(world, SKR_SPOTMIX_POD, POD("g", "\"labels\":{}", "s"));
    skr_spotmix_page_write_nodes(world->mix, &page);
    assert_string_equal(page.s, "{\"nodes\":[{\"name\":\"d\",\"class\":\"on-demand\",\"pods\":1},"
                                "{\"name\":\"s\",\"class\":\"spot\",\"pods\":2}]}");
}
