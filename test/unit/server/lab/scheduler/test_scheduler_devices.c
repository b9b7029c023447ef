/* SPDX-License-Identifier: Apache-2.0 */
/* Devices in the model of kube-scheduler: which node serves a claim, what is written before a bind, what a
 * refused bind leaves, and what is freed. */
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/scheduler_model_rig.h"
#include "topology/base/arena.h"

#define CLAIM "ResourceClaim"

static void put(struct rig *r, const char *text)
{
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    sched_put(r, object);
}

static void add_class(struct rig *r)
{
    put(r, "{\"apiVersion\":\"resource.k8s.io/"
           "v1\",\"kind\":\"DeviceClass\",\"metadata\":{\"name\":\"gpu\"},"
           "\"spec\":{\"extendedResourceName\":\"example.com/gpu\",\"selectors\":[{\"cel\":{"
           "\"expression\":\"device.driver == 'gpu.example.com'\"}}]}}");
}

/* A node with so many devices. */
static void add_devices(struct rig *r, const char *node, int n)
{
    json_t *devices = json_array();
    for (int i = 0; i < n; i++) {
        json_array_append_new(devices, json_pack("{s:o}", "name", json_sprintf("gpu-%d", i)));
    }
    sched_add_node(r, node, "64");
    sched_put(r,
              json_pack("{s:s, s:s, s:{s:s}, s:{s:s, s:s, s:{s:s, s:i, s:i}, s:o}}", "apiVersion",
                        "resource.k8s.io/v1", "kind", "ResourceSlice", "metadata", "name", node,
                        "spec", "driver", "gpu.example.com", "nodeName", node, "pool", "name", node,
                        "generation", 1, "resourceSliceCount", 1, "devices", devices));
}

static void add_claim(struct rig *r, const char *name, int count)
{
    sched_put(r, json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:{s:[{s:s, s:{s:s, s:i}}]}}}",
                           "apiVersion", "resource.k8s.io/v1", "kind", CLAIM, "metadata", "name",
                           name, "namespace", "default", "spec", "devices", "requests", "name",
                           "gpus", "exactly", "deviceClassName", "gpu", "count", count));
}

static void add_claiming(struct rig *r, const char *pod, const char *claim)
{
    json_auto_t *spec =
        json_pack("{s:[{s:s, s:s}]}", "resourceClaims", "name", "c", "resourceClaimName", claim);
    SKR_AUTO_FREE char *text = json_dumps(spec, 0);
    sched_add_pod_with(r, pod, "1", text);
}

/* "POOL/DEVICE POOL/DEVICE", then the number of consumers. */
static void assert_taken(struct rig *r, const char *claim, const char *expected, size_t consumers)
{
    const json_t *object = skr_store_get(r->store, CLAIM, "default", claim);
    const json_t *results = skr_path_get(object, "status.allocation.devices.results");
    SKR_STRBUF(text);
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *one = json_array_get(results, i);
        skr_strbuf_addf(&text, "%s%s/%s", i > 0 ? " " : "", skr_path_text(one, "pool"),
                        skr_path_text(one, "device"));
    }
    assert_string_equal(text.s ? text.s : "", expected);
    assert_int_equal(json_array_size(skr_path_get(object, "status.reservedFor")), consumers);
}

TEST_WITH(rig, claims_take_devices_in_order_and_the_next_node_serves_what_is_left)
{
    add_class(rig);
    add_devices(rig, "n1", 3);
    add_devices(rig, "n2", 2);
    add_claim(rig, "a", 2);
    add_claim(rig, "b", 2);
    add_claim(rig, "c", 2);
    rig->best = "n1";
    add_claiming(rig, "p", "a");
    sched_run(rig, 10 * MS);
    add_claiming(rig, "q", "b");
    sched_run(rig, 10 * MS);
    add_claiming(rig, "o", "c");
    sched_run(rig, 10 * MS);
    sched_assert_on(rig, "p", "n1");
    sched_assert_on(rig, "q", "n2");
    sched_assert_on(rig, "o", "");
    assert_taken(rig, "a", "n1/gpu-0 n1/gpu-1", 1);
    assert_taken(rig, "b", "n2/gpu-0 n2/gpu-1", 1);
    assert_taken(rig, "c", "", 0);
    assert_string_equal(sched_condition(rig, "o", "message"),
                        "0/2 nodes are available: 2 cannot allocate all claims" AFTER);
    /* a freed claim wakes it */
    sched_patch(rig, CLAIM, "b", "status",
                "{\"status\":{\"allocation\":null,\"reservedFor\":null}}");
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "o", "n2");
}

TEST_WITH(rig,
          a_refused_bind_leaves_the_allocation_which_keeps_the_pod_on_that_node_until_it_is_freed)
{
    add_class(rig);
    add_devices(rig, "n1", 2);
    add_devices(rig, "n2", 2);
    add_claim(rig, "a", 2);
    rig->bind_error = "not yet";
    rig->best = "n1";
    add_claiming(rig, "p", "a");
    sched_run(rig, 10 * MS);
    assert_int_equal(rig->n_binds, 1);
    assert_taken(rig, "a", "n1/gpu-0 n1/gpu-1", 0);
    rig->only = "n2"; /* the extender wants it elsewhere */
    rig->bind_error = NULL;
    sched_run(rig, 30 * SKR_SECOND);
    sched_assert_on(rig, "p", "n2");
    assert_taken(rig, "a", "n2/gpu-0 n2/gpu-1", 1);
}

TEST_WITH(rig, a_pod_without_its_claim_waits_and_consumers_of_one_claim_share_the_node)
{
    add_class(rig);
    add_devices(rig, "n1", 1);
    add_devices(rig, "n2", 1);
    add_claiming(rig, "p", "late");
    sched_run(rig, 10 * MS);
    assert_string_equal(sched_condition(rig, "p", "message"),
                        "0/2 nodes are available: 2 resourceclaim \"late\" not found" AFTER);
    rig->best = "n2";
    add_claim(rig, "late", 1);
    sched_run(rig, 2 * SKR_SECOND);
    sched_assert_on(rig, "p", "n2");
    rig->best = "n1";
    add_claiming(rig, "q", "late");
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "q", "n2");
    assert_taken(rig, "late", "n2/gpu-0", 2);
}

TEST_WITH(rig, an_extended_resource_of_a_class_takes_devices_by_a_claim_of_its_own)
{
    add_class(rig);
    add_devices(rig, "n1", 3);
    for (int i = 0; i < 2; i++) {
        sched_add_pod_with(rig, i == 0 ? "p" : "q", "1",
                           "{\"containers\":[{\"name\":\"c\",\"image\":\"x\",\"resources\":{"
                           "\"limits\":{\"example.com/gpu\":\"2\"}}}]}");
    }
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "p", "n1");
    sched_assert_on(rig, "q", "");
    const char *name =
        skr_path_text(sched_get(rig, "p"), "status.extendedResourceClaimStatus.resourceClaimName");
    assert_int_equal(strncmp(name, "p-extended-resources-", 21), 0);
    assert_taken(rig, name, "n1/gpu-0 n1/gpu-1", 1);
    assert_string_equal(sched_condition(rig, "q", "message"),
                        "0/1 nodes are available: 1 cannot allocate all claims" AFTER);
}

TEST_WITH(rig, devices_are_free_again_when_the_pod_goes_before_they_are_written)
{
    add_class(rig);
    add_devices(rig, "n1", 1);
    add_claim(rig, "a", 1);
    add_claim(rig, "b", 1);
    add_claiming(rig, "p", "a");
    sched_run(rig, 1); /* the cycle is not over yet */
    assert_int_equal(rig->n_binds, 0);
    assert_int_equal(skr_store_delete(rig->store, "Pod", "default", "p", rig->now), 200);
    add_claiming(rig, "q", "b");
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "q", "n1");
    assert_taken(rig, "a", "", 0);
    assert_taken(rig, "b", "n1/gpu-0", 1);
}

TEST_WITH(rig, devices_of_a_held_bind_are_taken)
{
    add_class(rig);
    add_devices(rig, "n1", 1);
    add_claim(rig, "a", 1);
    add_claim(rig, "b", 1);
    rig->hold = true;
    add_claiming(rig, "p", "a");
    add_claiming(rig, "q", "b");
    sched_run(rig, 10 * MS);
    assert_int_equal(rig->n_binds, 1);
    assert_taken(rig, "a", "n1/gpu-0", 1);
    assert_string_equal(sched_condition(rig, "q", "message"),
                        "0/1 nodes are available: 1 cannot allocate all claims" AFTER);
}

TEST_WITH(rig, shares_of_a_device_are_written_with_what_they_consume)
{
    add_class(rig);
    sched_add_node(rig, "n1", "64");
    put(rig,
        "{\"apiVersion\":\"resource.k8s.io/"
        "v1\",\"kind\":\"ResourceSlice\",\"metadata\":{\"name\":\"n1\"},"
        "\"spec\":{\"driver\":\"gpu.example.com\",\"nodeName\":\"n1\",\"pool\":{\"name\":\"n1\","
        "\"generation\":1,\"resourceSliceCount\":1},\"devices\":[{\"name\":\"whole\","
        "\"allowMultipleAllocations\":true,\"capacity\":{\"memory\":{\"value\":\"40Gi\"}}}]}}");
    static const char *const name[] = {"a", "b", "c"};
    static const char *const pod[] = {"p", "q", "o"};
    for (size_t i = 0; i < 3; i++) {
        sched_put(rig,
                  json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:{s:[{s:s, s:{s:s, s:{s:{s:s}}}}]}}}",
                            "apiVersion", "resource.k8s.io/v1", "kind", CLAIM, "metadata", "name",
                            name[i], "namespace", "default", "spec", "devices", "requests", "name",
                            "gpus", "exactly", "deviceClassName", "gpu", "capacity", "requests",
                            "memory", "16Gi"));
        add_claiming(rig, pod[i], name[i]);
    }
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "p", "n1");
    sched_assert_on(rig, "q", "n1");
    sched_assert_on(rig, "o", "");
    const json_t *result =
        json_array_get(skr_path_get(skr_store_get(rig->store, CLAIM, "default", "a"),
                                    "status.allocation.devices.results"),
                       0);
    assert_string_equal(skr_path_text(result, "consumedCapacity.memory"), "17179869184");
    assert_string_not_equal(skr_path_text(result, "shareID"), "");
}

/* Of the fabric; reach: more fields of the slice. */
static void add_fabric(struct rig *r, const char *reach, const char *devices)
{
    SKR_STRBUF(text);
    skr_strbuf_addf(&text,
                    "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceSlice\","
                    "\"metadata\":{\"name\":\"fabric\"},\"spec\":{%s,\"devices\":[%s],"
                    "\"driver\":\"gpu.example.com\",\"pool\":{\"name\":\"fabric\","
                    "\"generation\":1,\"resourceSliceCount\":1}}}",
                    reach, devices);
    put(r, text.s);
}

static void assert_selector(struct rig *r, const char *expected)
{
    const json_t *selector = skr_path_get(skr_store_get(r->store, CLAIM, "default", "c"),
                                          "status.allocation.nodeSelector");
    SKR_AUTO_FREE char *text = selector ? json_dumps(selector, JSON_COMPACT) : skr_strdup("");
    assert_string_equal(text, expected);
}

/* As createNodeSelector() of k8s.io/dynamic-resource-allocation, v0.36.3. */
TEST_WITH(rig, a_claim_is_open_to_the_nodes_that_reach_its_devices)
{
#define NODES "\"matchExpressions\":[{\"key\":\"rack\",\"operator\":\"In\",\"values\":[\"a\"]}]"
#define RACK  "\"nodeSelector\":{\"nodeSelectorTerms\":[{" NODES "}]}"
#define ON_N1                                                                                   \
    "{\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\"," \
    "\"values\":[\"n1\"]}]}]}"
    static const struct {
        const char *reach, *devices, *selector;
        bool n2, n3;
    } cases[] = {
        {"\"allNodes\":true", "{\"name\":\"x\"},{\"name\":\"y\"}", "", true, true},
        {RACK, "{\"name\":\"x\"},{\"name\":\"y\"}", "{\"nodeSelectorTerms\":[{" NODES "}]}", true,
         false},
        {"\"allNodes\":true", "{\"name\":\"x\",\"bindsToNode\":true},{\"name\":\"y\"}", ON_N1,
         false, false},
        {"\"perDeviceNodeSelection\":true",
         "{\"name\":\"x\",\"allNodes\":true},{\"name\":\"y\",\"nodeName\":\"n1\"}", ON_N1, false,
         false},
    };
    static const char *const node[] = {"n1", "n2", "n3"};
    add_class(rig);
    add_claim(rig, "c", 2);
    for (size_t i = 0; i < 3; i++) {
        sched_add_node(rig, node[i], "64");
        sched_patch(rig, "Node", node[i], "",
                    i < 2 ? "{\"metadata\":{\"labels\":{\"rack\":\"a\"}}}"
                          : "{\"metadata\":{\"labels\":{\"rack\":\"b\"}}}");
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add_fabric(rig, cases[i].reach, cases[i].devices);
        for (size_t k = 0; k < 3; k++) {
            rig->best = node[k];
            const bool open = k == 0 || (k == 1 ? cases[i].n2 : cases[i].n3);
            const char pod[] = {'p', (char)('a' + i), (char)('0' + k), '\0'};
            add_claiming(rig, pod, "c");
            sched_run(rig, SKR_SECOND);
            sched_assert_on(rig, pod, open ? node[k] : "n1");
            if (k == 0) {
                assert_selector(rig, cases[i].selector);
            }
        }
        sched_patch(rig, CLAIM, "c", "status",
                    "{\"status\":{\"allocation\":null,\"reservedFor\":null}}");
        assert_int_equal(skr_store_delete(rig->store, "ResourceSlice", "", "fabric", rig->now),
                         200);
        sched_run(rig, SKR_SECOND);
    }
}

TEST_WITH(rig, a_claim_has_256_consumers_at_most)
{
    json_auto_t *consumers = json_array();
    for (int i = 0; i < 255; i++) {
        json_array_append_new(consumers,
                              json_pack("{s:s, s:o, s:o}", "resource", "pods", "name",
                                        json_sprintf("o-%d", i), "uid", json_sprintf("o-%d", i)));
    }
    json_auto_t *patch =
        json_pack("{s:{s:O, s:{}}}", "status", "reservedFor", consumers, "allocation");
    SKR_AUTO_FREE char *text = json_dumps(patch, 0);
    add_class(rig);
    add_devices(rig, "n1", 1);
    add_claim(rig, "c", 1);
    sched_patch(rig, CLAIM, "c", "status", text);
    add_claiming(rig, "p", "c");
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "p", "n1");
    add_claiming(rig, "q", "c");
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "q", "");
    assert_string_equal(sched_condition(rig, "q", "message"),
                        "0/1 nodes are available: 1 resourceclaim in use" AFTER);
}
