/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, selectors, watches and what is loaded. */
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "test/unit/sandbox_rig.h"

static struct skr_store *store;

BEFORE_EACH
{
    store = sandbox_store();
}

AFTER_EACH
{
    skr_store_destroy(store);
}

/* ---- reading ---- */

static void make_maps(int n)
{
    char body[100];
    for (int i = 0; i < n; i++) {
        snprintf(body, sizeof body, "{'metadata':{'name':'m%02d','labels':{'odd':'%d'}}}", i,
                 i % 2);
        sandbox_ok(store, 201, "POST " MAPS, body);
    }
}

TEST(a_list_in_pages_shows_one_moment)
{
    char line[200], seen[400] = "";
    json_t *page = NULL;
    make_maps(7);
    page = sandbox_expect(store, 200, "GET " MAPS "?limit=3", NULL);
    char revision[32];
    snprintf(revision, sizeof revision, "%s", sandbox_text(page, "metadata.resourceVersion"));
    sandbox_ok(store, 200, "DELETE " MAPS "/m04", NULL);
    sandbox_ok(store, 201, "POST " MAPS, "{'metadata':{'name':'m045'}}");
    sandbox_ok(store, 200, "MERGE " MAPS "/m05", "{'data':{'a':'late'}}");
    for (;;) {
        assert_string_equal(sandbox_text(page, "metadata.resourceVersion"), revision);
        for (size_t i = 0; i < json_array_size(json_object_get(page, "items")); i++) {
            const json_t *item = json_array_get(json_object_get(page, "items"), i);
            const size_t n = strlen(seen);
            snprintf(seen + n, sizeof seen - n, "%s%s ", sandbox_text(item, "metadata.name"),
                     sandbox_text(item, "data.a"));
        }
        if (*sandbox_text(page, "metadata.continue") == '\0') {
            break;
        }
        snprintf(line, sizeof line, "GET " MAPS "?limit=3&continue=%s",
                 sandbox_text(page, "metadata.continue"));
        json_decref(page);
        page = sandbox_expect(store, 200, line, NULL);
    }
    json_decref(page);
    assert_string_equal(seen, "m00 m01 m02 m03 m04 m05 m06 ");
}

static size_t count(const char *line)
{
    json_t *list = sandbox_expect(store, 200, line, NULL);
    const size_t n = json_array_size(json_object_get(list, "items"));
    json_decref(list);
    return n;
}

TEST(selectors_select)
{
    static const struct {
        const char *line;
        size_t n;
    } table[] = {
        {"GET " MAPS, 5},
        {"GET /api/v1/configmaps", 6},
        {"GET " MAPS "?labelSelector=odd=1", 2},
        {"GET " MAPS "?labelSelector=odd!=1", 3},
        {"GET " MAPS "?labelSelector=odd in (0,1)", 5},
        {"GET " MAPS "?labelSelector=odd notin (0)", 2},
        {"GET " MAPS "?labelSelector=!odd", 0},
        {"GET " MAPS "?labelSelector=odd", 5},
        {"GET " MAPS "?labelSelector=odd>0", 2},
        {"GET " MAPS "?labelSelector=odd=0,odd=1", 0},
        {"GET " MAPS "?fieldSelector=metadata.name=m01", 1},
        {"GET " MAPS "?fieldSelector=metadata.name!=m01", 4},
        {"GET /api/v1/configmaps?fieldSelector=metadata.namespace=kube-system", 1},
        {"GET " PODS "?fieldSelector=spec.nodeName=", 2},
        {"GET " PODS "?fieldSelector=spec.nodeName=n1,status.phase=Pending", 0},
        {"GET /api/v1/nodes?fieldSelector=spec.unschedulable=false", 1},
    };
    make_maps(5);
    sandbox_ok(store, 201, "POST /api/v1/namespaces/kube-system/configmaps",
               "{'metadata':{'name':'x'}}");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (count(table[i].line) != table[i].n) {
            fail_msg("%s: %zu instead of %zu", table[i].line, count(table[i].line), table[i].n);
        }
    }
    sandbox_ok(store, 200, "DELETE " MAPS "?labelSelector=odd=1", NULL);
    assert_int_equal(count("GET " MAPS), 3);
}

TEST(an_event_has_two_shapes)
{
    sandbox_ok(store, 201, "POST " EVENTS,
               "{'metadata':{'name':'e1'},'eventTime':'2026-01-01T00:00:00.000001Z',"
               "'reportingController':'x','reportingInstance':'y','action':'A','reason':'R','type':"
               "'Normal','regarding':{'kind':'Pod','name':'a','namespace':'default'},'note':'hi'}");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "message"), "hi");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "involvedObject.name"), "a");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "reportingComponent"), "x");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "apiVersion"), "v1");
    assert_string_equal(sandbox_field(store, EVENTS "/e1", "note"), "hi");
    assert_int_equal(count("GET " RIG_NS "/events?fieldSelector=involvedObject.name=a"), 1);
    sandbox_ok(store, 200, "MERGE " EVENTS "/e1", "{'note':'ho'}");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "message"), "ho");
}

/* ---- watching ---- */

TEST(every_change_is_told_once_and_in_order)
{
    struct skr_store_change change;
    bool gone;
    const uint64_t start = skr_store_revision(store);
    sandbox_ok(store, 201, "POST " MAPS, "{'metadata':{'name':'m'},'data':{'a':'1'}}");
    sandbox_ok(store, 200, "MERGE " MAPS "/m", "{'data':{'a':'2'}}");
    sandbox_ok(store, 200, "DELETE " MAPS "/m", NULL);
    assert_true(skr_store_next_change(store, start, &change, &gone));
    assert_int_equal(change.kind, SKR_STORE_ADDED);
    assert_null(change.before);
    assert_true(skr_store_next_change(store, start + 1, &change, &gone));
    assert_int_equal(change.kind, SKR_STORE_MODIFIED);
    assert_string_equal(sandbox_text(change.before, "data.a"), "1");
    assert_string_equal(sandbox_text(change.object, "data.a"), "2");
    assert_true(skr_store_next_change(store, start + 2, &change, &gone));
    assert_int_equal(change.kind, SKR_STORE_DELETED);
    assert_string_equal(sandbox_text(change.object, "data.a"), "2");
    assert_int_equal(change.revision, start + 3);
    assert_int_equal(strtoull(sandbox_text(change.object, "metadata.resourceVersion"), NULL, 10),
                     start + 3);
    assert_false(skr_store_next_change(store, start + 3, &change, &gone));
    assert_false(gone);
}

TEST(the_history_is_cut)
{
    struct skr_store_change change;
    bool gone;
    sandbox_ok(store, 201, "POST " MAPS, "{'metadata':{'name':'m'},'data':{'a':'1'}}");
    const uint64_t start = skr_store_revision(store);
    enum { MAX = 2000 };
    skr_store_limit_history(store, MAX);
    json_t *patch[2] = {json_text_load("{'data':{'a':'1'}}"), json_text_load("{'data':{'a':'2'}}")};
    for (int i = 0; i <= MAX; i++) {
        assert_int_equal(skr_store_merge(store, "ConfigMap", "default", "m", "", patch[(i + 1) % 2],
                                         RIG_NOW, NULL),
                         200);
    }
    assert_false(skr_store_next_change(store, start, &change, &gone));
    assert_true(gone);
    assert_true(skr_store_next_change(store, start + 1, &change, &gone));
    assert_false(gone);
    json_decref(patch[0]);
    json_decref(patch[1]);
}

TEST(what_everybody_has_read_may_be_forgotten)
{
    struct skr_store_change change;
    bool gone;
    const uint64_t start = skr_store_revision(store);
    make_maps(3);
    skr_store_forget_history(store, start + 2);
    assert_false(skr_store_next_change(store, start + 1, &change, &gone));
    assert_true(gone);
    assert_true(skr_store_next_change(store, start + 2, &change, &gone));
    assert_string_equal(sandbox_text(change.object, "metadata.name"), "m02");
    skr_store_forget_history(store, UINT64_MAX);
    assert_false(skr_store_next_change(store, start + 3, &change, &gone));
    assert_false(gone);
    sandbox_ok(store, 200, "MERGE " MAPS "/m01", "{'data':{'a':'1'}}");
    assert_true(skr_store_next_change(store, start + 3, &change, &gone));
    assert_string_equal(sandbox_text(change.before, "metadata.name"), "m01");
}

TEST(what_is_equal_in_two_objects_is_kept_once_and_changes_apart)
{
    static const char *const body[] = {
        "{'metadata':{'name':'a','labels':{'x':'1'}},'data':{'k':'v'},'binaryData':{'b':'eA=='}}",
        "{'metadata':{'name':'b','labels':{'x':'1'}},'data':{'k':'v'},'binaryData':{'b':'eQ=='}}"};
    for (size_t i = 0; i < 2; i++) {
        sandbox_ok(store, 201, "POST " MAPS, body[i]);
    }
    const json_t *a = skr_store_get(store, "ConfigMap", "default", "a");
    const json_t *b = skr_store_get(store, "ConfigMap", "default", "b");
    assert_ptr_equal(json_object_get(a, "data"), json_object_get(b, "data"));
    assert_ptr_equal(skr_path_get(a, "metadata.labels"), skr_path_get(b, "metadata.labels"));
    assert_ptr_not_equal(json_object_get(a, "binaryData"), json_object_get(b, "binaryData"));
    sandbox_ok(store, 200, "MERGE " MAPS "/a", "{'data':{'k':'w'},'metadata':{'labels':null}}");
    a = skr_store_get(store, "ConfigMap", "default", "a");
    assert_string_equal(sandbox_text(a, "data.k"), "w");
    assert_null(skr_path_get(a, "metadata.labels"));
    assert_string_equal(sandbox_text(b, "data.k"), "v");
    assert_string_equal(sandbox_text(b, "metadata.labels.x"), "1");
    /* A change that leaves nothing of an object but its revision. */
    sandbox_ok(store, 200, "MERGE " MAPS "/b", "{'data':{'k':'w'}}");
    sandbox_ok(store, 200, "MERGE " MAPS "/b", "{'data':{'k':'v'}}");
    assert_string_not_equal(
        sandbox_text(skr_store_get(store, "ConfigMap", "default", "a"), "metadata.resourceVersion"),
        sandbox_text(skr_store_get(store, "ConfigMap", "default", "b"),
                     "metadata.resourceVersion"));
}

TEST(defaults_of_one_object_do_not_reach_another_one)
{
    static const char *const body[] = {
        "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'x','resources':"
        "{'requests':{'cpu':'1'}}}]}}",
        "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'c','image':'x','resources':"
        "{'requests':{'cpu':'1'},'limits':{'memory':'1Gi'}}}]}}"};
    static const char *const node[] = {
        "{'metadata':{'name':'a'},'status':{'capacity':{'cpu':'2'},'allocatable':{'cpu':'1'}}}",
        "{'metadata':{'name':'b'},'status':{'capacity':{'pods':'9'},'allocatable':{'cpu':'1'}}}"};
    for (size_t i = 0; i < 2; i++) {
        sandbox_ok(store, 201, "POST /api/v1/namespaces/default/pods", body[i]);
        sandbox_ok(store, 201, "POST /api/v1/nodes", node[i]);
    }
    const json_t *a = skr_store_get(store, "Pod", "default", "a");
    const json_t *b = skr_store_get(store, "Pod", "default", "b");
    assert_string_equal(sandbox_text(a, "spec.containers[0].resources.requests"),
                        "{\"cpu\":\"1\"}");
    assert_string_equal(sandbox_text(b, "spec.containers[0].resources.requests.memory"), "1Gi");
    a = skr_store_get(store, "Node", "", "a");
    b = skr_store_get(store, "Node", "", "b");
    assert_string_equal(sandbox_text(a, "status.allocatable"), "{\"cpu\":\"1\"}");
    assert_string_equal(sandbox_text(b, "status.allocatable.pods"), "9");
}

/* ---- models and loading ---- */

TEST(loading_takes_objects_as_they_are)
{
    struct skr_error error;
    json_t *pod = json_text_load(
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'old','namespace':'away','uid':'u-1',"
        "'resourceVersion':'77','creationTimestamp':'2020-01-01T00:00:00Z','ownerReferences':[{"
        "'apiVersion':'v1','kind':'X','name':'x','uid':'gone'}]},'spec':{'nodeName':'n1','priority'"
        ":"
        "5,'priorityClassName':'lost','containers':[{'name':'c','image':'x'}]},'status':{'phase':"
        "'Running'}}");
    assert_int_equal(skr_store_put(store, pod, RIG_NOW, &error), 201);
    const json_t *kept = skr_store_get(store, "Pod", "away", "old");
    assert_string_equal(sandbox_text(kept, "metadata.uid"), "u-1");
    assert_string_equal(sandbox_text(kept, "metadata.creationTimestamp"), "2020-01-01T00:00:00Z");
    assert_string_equal(sandbox_text(kept, "status.phase"), "Running");
    assert_string_equal(sandbox_text(kept, "spec.nodeName"), "n1");
    assert_string_equal(sandbox_text(kept, "spec.schedulerName"), "default-scheduler");
    assert_non_null(skr_store_get(store, "Namespace", "", "away"));
    assert_int_equal(skr_store_put(store, pod, RIG_NOW, &error), 200);
    json_decref(pod);
    pod = json_text_load("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'x y'}," RIG_POD "}");
    assert_int_equal(skr_store_put(store, pod, RIG_NOW, &error), 422);
    assert_non_null(strstr(error.text, "metadata.name: Invalid value"));
    json_decref(pod);
    pod = json_text_load("{'apiVersion':'policy/v1','kind':'PodDisruptionBudget','metadata':{'name'"
                         ":'b','namespace':'away'},'status':{'disruptionsAllowed':1}}");
    assert_int_equal(skr_store_put(store, pod, RIG_NOW, &error), 201);
    kept = skr_store_get(store, "PodDisruptionBudget", "away", "b");
    assert_string_equal(sandbox_text(kept, "metadata.generation"), ""); /* the status is of now */
    json_decref(pod);
    pod = json_text_load("{'apiVersion':'v1','kind':'Toaster','metadata':{'name':'x'}}");
    assert_int_equal(skr_store_put(store, pod, RIG_NOW, &error), 404);
    json_decref(pod);
}

TEST(the_same_requests_make_the_same_store)
{
    struct skr_store *other = skr_store_create(1);
    struct skr_store *third = skr_store_create(2);
    json_t *a, *b, *c;
    sandbox_ok(other, 201, "POST /api/v1/nodes",
               "{'metadata':{'name':'n1'},'status':{'capacity':{'cpu':'4','pods':'10'}}}");
    sandbox_ok(other, 201, "POST " PODS, "{'metadata':{'name':'a1'}," RIG_POD "}");
    sandbox_ok(third, 201, "POST " PODS, "{'metadata':{'name':'a1'}," RIG_POD "}");
    a = sandbox_expect(store, 200, "GET " PODS "/a1", NULL);
    b = sandbox_expect(other, 200, "GET " PODS "/a1", NULL);
    c = sandbox_expect(third, 200, "GET " PODS "/a1", NULL);
    assert_true(json_equal(a, b));
    assert_string_not_equal(
        sandbox_text(a, "metadata.uid"),
        json_string_value(json_object_get(json_object_get(c, "metadata"), "uid")));
    json_decref(a);
    json_decref(b);
    json_decref(c);
    skr_store_destroy(other);
    skr_store_destroy(third);
}
