/* SPDX-License-Identifier: Apache-2.0 */
/* A gang through the real program: a small API server, a model of kube-scheduler, real HTTP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "test/integration/daemon.h"
#include "test/integration/scheduler.h"
#include "test/integration/web.h"

#define PACK_SPREAD "{'rack':{'type':'pack'},'node':{'type':'spread'}}"

struct row {
    bool gated;
    bool old_api; /* Bindings carry no labels */
    const char *format;
};

static void play(const struct row *row)
{
    struct cluster *c = cluster_start(NULL, false);
    struct scheduler *s = scheduler_start(c, NULL);
    c->bindings_carry_labels = !row->old_api;
    cluster_racks(c, 2, 3, 4);
    cluster_group(c, "gang", 8, PACK_SPREAD);
    const struct daemon_options options = {.format = row->format};
    struct daemon *d = daemon_start(c, &options);
    daemon_wait_ready(d);
    scheduler_point(s, daemon_port(d), daemon_bind_port(d));
    cluster_pods(c, "job", 8, "gang", row->gated);
    cluster_wait_bound(c, "job", 8);
    cluster_expect_bound(c, "gang", "job", 8);
    scheduler_wait_idle(s);
    struct scheduler_counts counts = scheduler_counts(s);
    assert_int_equal(counts.bound, 8);
    assert_int_equal(counts.answered, counts.binds);
    assert_int_equal(counts.failed, 0);
    assert_int_equal(cluster_writes(c, SKR_WRITE_BINDING), 8);
    assert_int_equal(cluster_writes(c, SKR_WRITE_PATCH_POD_STATUS), 8);
    assert_int_equal(cluster_writes(c, SKR_WRITE_UNGATE_POD), row->gated ? 8 : 0);
    cluster_wait_writes(c, SKR_WRITE_PATCH_POD, row->old_api ? 8 : 0);
    for (int i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "job-%d", i);
        char *status = cluster_label(c, name, "sakkara.member.status");
        char *retries = cluster_label(c, name, "sakkara.member.retries");
        assert_string_equal(status, "Bound");
        assert_string_equal(retries, "1");
        free(status);
        free(retries);
    }
    scheduler_stop(s);
    daemon_stop(d);
    assert_int_equal(cluster_writes(c, SKR_WRITE_PATCH_POD), row->old_api ? 8 : 0);
    assert_true(cluster_writes(c, SKR_WRITE_PATCH_CONFIGMAP) <= 5);
    cluster_stop(c);
}

static void eight_pods_are_bound_with_two_writes_each(void **state)
{
    (void)state;
    play(&(struct row){.format = "text"});
}

static void eight_gated_pods_are_bound_with_three_writes_each(void **state)
{
    (void)state;
    play(&(struct row){.gated = true, .format = "json"});
}

static void an_old_api_server_costs_one_write_more(void **state)
{
    (void)state;
    play(&(struct row){.gated = true, .old_api = true, .format = "text"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_pods_are_bound_with_two_writes_each),
        cmocka_unit_test(eight_gated_pods_are_bound_with_three_writes_each),
        cmocka_unit_test(an_old_api_server_costs_one_write_more),
    };
    web_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
