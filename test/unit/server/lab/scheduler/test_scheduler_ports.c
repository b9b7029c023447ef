/* SPDX-License-Identifier: Apache-2.0 */
/* Host ports in the model of kube-scheduler: which ones a pod has, and which exclude each other. */
#include "server/lab/scheduler/scheduler_ports.h"
#include "test/test.h"

static struct skr_sched_ports ports_of(const char *spec)
{
    struct skr_sched_ports ports;
    json_t *pod = json_pack("{s:o}", "spec", json_loads(spec, 0, NULL));
    assert_non_null(pod);
    skr_sched_ports_read(pod, &ports);
    json_decref(pod);
    return ports;
}

TEST(a_pod_has_the_ports_of_what_keeps_running)
{
    static const struct {
        const char *spec;
        size_t n;
    } rows[] = {
        {"{}", 0},
        {"{\"containers\":[{}]}", 0},
        {"{\"containers\":[{\"ports\":[{\"containerPort\":80}]}]}", 0},
        {"{\"containers\":[{\"ports\":[{\"hostPort\":80},{\"hostPort\":81}]}]}", 2},
        {"{\"containers\":[{\"ports\":[{\"hostPort\":-1},{\"hostPort\":65536}]}]}", 0},
        {"{\"hostNetwork\":true,\"containers\":[{\"ports\":[{\"containerPort\":80}]}]}", 1},
        {"{\"initContainers\":[{\"ports\":[{\"hostPort\":80}]}]}", 0},
        {"{\"initContainers\":[{\"restartPolicy\":\"Always\",\"ports\":[{\"hostPort\":80}]}]}", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_sched_ports ports = ports_of(rows[i].spec);
        assert_int_equal(ports.n, rows[i].n);
        skr_sched_ports_fini(&ports);
    }
}

TEST(ports_exclude_each_other_by_protocol_number_and_address)
{
    static const struct {
        const char *a, *b;
        bool expected;
    } rows[] = {
        {"{\"hostPort\":80}", "{\"hostPort\":80}", true},
        {"{\"hostPort\":80}", "{\"hostPort\":81}", false},
        {"{\"hostPort\":80,\"protocol\":\"UDP\"}", "{\"hostPort\":80}", false},
        {"{\"hostPort\":80,\"protocol\":\"TCP\"}", "{\"hostPort\":80}", true},
        {"{\"hostPort\":80,\"hostIP\":\"10.0.0.1\"}", "{\"hostPort\":80}", true},
        {"{\"hostPort\":80,\"hostIP\":\"10.0.0.1\"}", "{\"hostPort\":80,\"hostIP\":\"10.0.0.2\"}",
         false},
        {"{\"hostPort\":80,\"hostIP\":\"10.0.0.1\"}", "{\"hostPort\":80,\"hostIP\":\"10.0.0.1\"}",
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char spec[2][256];
        snprintf(spec[0], sizeof spec[0], "{\"containers\":[{\"ports\":[%s]}]}", rows[i].a);
        snprintf(spec[1], sizeof spec[1], "{\"containers\":[{\"ports\":[%s]}]}", rows[i].b);
        struct skr_sched_ports a = ports_of(spec[0]), b = ports_of(spec[1]);
        assert_int_equal(skr_sched_ports_conflict(&a, &b), rows[i].expected);
        assert_int_equal(skr_sched_ports_conflict(&b, &a), rows[i].expected);
        skr_sched_ports_fini(&a);
        skr_sched_ports_fini(&b);
    }
}

TEST(a_node_forgets_the_ports_of_the_pod_that_leaves_and_no_others)
{
    struct skr_sched_ports node = {0};
    struct skr_sched_ports a = ports_of("{\"containers\":[{\"ports\":[{\"hostPort\":80}]}]}");
    struct skr_sched_ports b = ports_of("{\"containers\":[{\"ports\":[{\"hostPort\":81}]}]}");
    skr_sched_ports_add(&node, &a);
    skr_sched_ports_add(&node, &b);
    skr_sched_ports_add(&node, &a);
    skr_sched_ports_remove(&node, &a);
    assert_true(skr_sched_ports_conflict(&a, &node)); /* the other one's */
    skr_sched_ports_remove(&node, &a);
    assert_false(skr_sched_ports_conflict(&a, &node));
    assert_true(skr_sched_ports_conflict(&b, &node));
    skr_sched_ports_fini(&node);
    skr_sched_ports_fini(&a);
    skr_sched_ports_fini(&b);
}
