/* SPDX-License-Identifier: Apache-2.0 */
/* Who does not lead changes nothing, not even by what was on its way when leadership ended. */
#include <stdatomic.h>

#include "core/gang/state/writes.h"
#include "test/test.h"
#include "test/unit/fake_client.h"

#define DROPPED " dropped 0 v=0 retry=0 message=this process does not lead"

/* How often the answer is yes. */
static bool may_write(void *context)
{
    return atomic_fetch_sub((atomic_int *)context, 1) > 0;
}

static void start(struct fake_client *c, atomic_int *left)
{
    c->options.may_write = may_write;
    c->options.may_write_context = left;
    fake_client_start(c);
}

static void submit(struct fake_client *c, uint64_t id, enum skr_write_kind kind)
{
    struct skr_write write = skr_write_of_kind(kind);
    write.id = id;
    write.class = SKR_WRITE_CLASS_MEMBER;
    write.namespace_ = "ns";
    write.name = "x";
    write.body = kind == SKR_WRITE_GET_POD ? "" : "{}";
    write.body_len = strlen(write.body);
    assert_int_equal(skr_kube_submit(c->kube, 0, &write), 0);
}

TEST_CLIENT(who_does_not_lead_reads_and_writes_nothing)
{
    atomic_int left = 0;
    start(c, &left);
    submit(c, 1, SKR_WRITE_PATCH_POD);
    fake_sink_wait(c->sink, "write 1" DROPPED, 1);
    submit(c, 2, SKR_WRITE_BINDING);
    fake_sink_wait(c->sink, "write 2" DROPPED, 1);
    submit(c, 3, SKR_WRITE_GET_POD);
    fake_sink_wait(c->sink, "write 3 ", 1);
    assert_int_equal(fake_api_count(c->api, "GET /api/v1/namespaces/ns/pods/x"), 1);
    assert_int_equal(fake_api_count(c->api, "PATCH "), 0);
    assert_int_equal(fake_api_count(c->api, "/binding"), 0);
}

TEST_CLIENT(leadership_that_ends_while_a_connection_is_made_stops_the_request)
{
    atomic_int left = 1;
    start(c, &left);
    submit(c, 1, SKR_WRITE_PATCH_POD);
    fake_sink_wait(c->sink, "write 1" DROPPED, 1);
    assert_int_equal(fake_api_count(c->api, "PATCH "), 0);
    /* Whoever leads again uses what is left of it. */
    atomic_store(&left, 2);
    submit(c, 2, SKR_WRITE_PATCH_POD);
    fake_sink_wait(c->sink, "write 2 ", 1);
    assert_int_equal(fake_api_count(c->api, "PATCH "), 1);
}
