/* SPDX-License-Identifier: Apache-2.0 */
/* The worked example through the simulated cluster, and the manners of a small table of objects. */
#include <string.h>

#include "server/exit_code.h"
#include "server/simulate/demo.h"
#include "server/simulate/demo_objects.h"
#include "test/test.h"

/* ---- the story ---- */

TEST(the_worked_example_ends_as_the_contract_says)
{
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    assert_int_equal(skr_demo_play(true, false, &out), SKR_EXIT_OK);
    /* Everything free: 3, 3, 2 in one rack. */
    assert_non_null(strstr(out.s, "node-0    .....             %%%..   +3  ranks 0 1 2\n"));
    assert_non_null(strstr(out.s, "node-2    .....             %%...   +2  ranks 6 7\n"));
    /* node-2 full, node-1 takes three: 5, 3. */
    assert_non_null(strstr(out.s, "node-0    .....             %%%%%   +5  ranks 0 1 2 3 4\n"));
    assert_non_null(strstr(out.s, "node-1    ##...             ##%%%   +3  ranks 5 6 7\n"));
    /* No rack for all: 3 + 3 and 1 + 1. */
    assert_non_null(strstr(out.s, "node-5    ###..             ###%.   +1  ranks 7\n"));
    /* The second gang waits, with the reason. */
    assert_non_null(strstr(out.s, "  status: Ready\n  reason: TopologyPlacementFailed\n"
                                  "  message: group group-b needs 14 slots in one rack, best rack "
                                  "has 13\n"));
    skr_strbuf_fini(&out);
}

TEST(two_runs_are_equal_to_the_byte)
{
    struct skr_strbuf a, b;
    skr_strbuf_init(&a);
    skr_strbuf_init(&b);
    skr_demo_play(false, true, &a);
    skr_demo_play(false, true, &b);
    assert_int_equal(a.len, b.len);
    assert_string_equal(a.s, b.s);
    skr_strbuf_fini(&a);
    skr_strbuf_fini(&b);
}

/* ---- objects ---- */

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return json;
}

static int patch(struct skr_demo_objects *objects, const char *text)
{
    json_t *json = parse(text);
    int status = skr_demo_objects_patch(objects, SKR_DEMO_POD, "d", "p", json);
    json_decref(json);
    return status;
}

static struct skr_demo_objects *with_pod(const char *more)
{
    struct skr_strbuf text;
    struct skr_demo_objects *objects = skr_demo_objects_create();
    skr_strbuf_init(&text);
    skr_strbuf_addf(&text,
                    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\","
                    "\"labels\":{\"a\":\"1\",\"b\":\"2\"}},\"spec\":{%s}}",
                    more);
    assert_int_equal(skr_demo_objects_add(objects, parse(text.s), 0, NULL, NULL), 0);
    skr_strbuf_fini(&text);
    return objects;
}

TEST(a_merge_patch_changes_what_it_names)
{
    struct skr_demo_objects *objects = with_pod("");
    assert_int_equal(
        patch(objects,
              "{\"metadata\":{\"labels\":{\"a\":null,\"c\":\"3\"}},\"status\":{\"x\":\"y\"}}"),
        200);
    const json_t *pod = skr_demo_objects_get(objects, SKR_DEMO_POD, "d", "p");
    assert_string_equal(skr_demo_label(pod, "a"), "");
    assert_string_equal(skr_demo_label(pod, "b"), "2");
    assert_string_equal(skr_demo_label(pod, "c"), "3");
    assert_string_equal(skr_demo_text(pod, "status.x"), "y");
    assert_string_equal(skr_demo_text(pod, "metadata.resourceVersion"), "2");
    skr_demo_objects_destroy(objects);
}

TEST(preconditions_are_kept)
{
    struct skr_demo_objects *objects = with_pod("");
    assert_int_equal(patch(objects, "{\"metadata\":{\"resourceVersion\":\"7\"}}"), 409);
    assert_int_equal(patch(objects, "{\"metadata\":{\"uid\":\"other\"}}"), 422);
    assert_int_equal(patch(objects, "{\"metadata\":{\"resourceVersion\":\"1\"}}"), 200);
    json_t *empty = json_object();
    assert_int_equal(skr_demo_objects_patch(objects, SKR_DEMO_POD, "d", "q", empty), 404);
    json_decref(empty);
    skr_demo_objects_destroy(objects);
}

TEST(a_patch_nested_too_deep_changes_nothing)
{
    struct skr_demo_objects *objects = with_pod("");
    struct skr_strbuf text;
    skr_strbuf_init(&text);
    for (int i = 0; i < SKR_DEMO_PATCH_DEPTH_MAX + 1; i++) {
        skr_strbuf_add(&text, "{\"a\":");
    }
    skr_strbuf_add(&text, "1");
    for (int i = 0; i < SKR_DEMO_PATCH_DEPTH_MAX + 1; i++) {
        skr_strbuf_add(&text, "}");
    }
    assert_int_equal(patch(objects, text.s), 400);
    assert_null(json_object_get(skr_demo_objects_get(objects, SKR_DEMO_POD, "d", "p"), "a"));
    skr_strbuf_fini(&text);
    skr_demo_objects_destroy(objects);
}

static int bind_to(struct skr_demo_objects *objects, const char *text)
{
    json_t *json = parse(text);
    int status = skr_demo_objects_bind(objects, "d", "p", json);
    json_decref(json);
    return status;
}

TEST(a_binding_is_given_once_and_never_to_a_gated_pod)
{
    struct skr_demo_objects *objects = with_pod("\"schedulingGates\":[{\"name\":\"sakkara.gang\"},"
                                                "{\"name\":\"x\"}]");
    static const char binding[] = "{\"metadata\":{\"labels\":{\"r\":\"0\"}},"
                                  "\"target\":{\"name\":\"n\"}}";
    assert_int_equal(bind_to(objects, binding), 409);
    json_t *one = parse("{\"spec\":{\"schedulingGates\":[{\"$patch\":\"delete\",\"name\":"
                        "\"sakkara.gang\"}]}}");
    assert_int_equal(skr_demo_objects_patch_gates(objects, "d", "p", one), 200);
    json_decref(one);
    const json_t *pod = skr_demo_objects_get(objects, SKR_DEMO_POD, "d", "p");
    const json_t *gates = json_object_get(json_object_get(pod, "spec"), "schedulingGates");
    assert_int_equal(json_array_size(gates), 1);
    assert_int_equal(patch(objects, "{\"spec\":{\"schedulingGates\":null}}"), 200);
    assert_int_equal(bind_to(objects, "{\"metadata\":{\"uid\":\"x\"},\"target\":{\"name\":\"n\"}}"),
                     409);
    assert_int_equal(bind_to(objects, binding), 201);
    assert_int_equal(bind_to(objects, binding), 409);
    pod = skr_demo_objects_get(objects, SKR_DEMO_POD, "d", "p");
    assert_string_equal(skr_demo_text(pod, "spec.nodeName"), "n");
    assert_string_equal(skr_demo_label(pod, "r"), "0");
    skr_demo_objects_destroy(objects);
}

TEST(objects_of_wrong_kind_or_name_are_refused)
{
    struct skr_error error;
    struct skr_demo_objects *objects = with_pod("");
    assert_int_equal(skr_demo_objects_add(objects, parse("{\"kind\":\"Job\"}"), 0, NULL, &error),
                     -SKR_INVALID);
    assert_int_equal(skr_demo_objects_add(objects, parse("{\"kind\":\"Pod\"}"), 0, NULL, &error),
                     -SKR_INVALID);
    assert_int_equal(
        skr_demo_objects_add(
            objects, parse("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"}}"),
            0, NULL, &error),
        -SKR_CONFLICT);
    skr_demo_objects_destroy(objects);
}
