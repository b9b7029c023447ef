/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_FAKE_CLIENT_H
#define SKR_TEST_UNIT_FAKE_CLIENT_H
/* A kube client between a scripted API server and a sink, with times that suit tests. Make it with
 * begin, change options, then start. */
#include "core/gang/state/types.h"
#include "server/kube/client.h"
#include "test/unit/fake_api.h"
#include "test/unit/fake_sink.h"

/* What it watches, in the order of its statistics. */
enum { FAKE_NODES, FAKE_PODS, FAKE_GROUP_MAPS, FAKE_TOPOLOGY_MAPS, FAKE_PODGROUPS, FAKE_RESOURCES };

struct fake_client {
    struct fake_api *api;
    struct fake_sink *sink;
    struct skr_kube_options options;
    struct skr_kube_access access;
    struct skr_kube *kube;
};

void fake_client_begin(struct fake_client *c); /* plain HTTP server, back-off of milliseconds */
void fake_client_begin_tls(struct fake_client *c, bool require_client);
void fake_client_start(struct fake_client *c);
void fake_client_start_synced(struct fake_client *c); /* and waits for "synced" */
void fake_client_end(struct fake_client *c);
/* A test on a client that has begun; it ends behind the test (needs test/test.h). */
#define TEST_CLIENT(test_name)                         \
    static void test_name##_on(struct fake_client *c); \
    TEST(test_name)                                    \
    {                                                  \
        struct fake_client client;                     \
        fake_client_begin(&client);                    \
        test_name##_on(&client);                       \
        fake_client_end(&client);                      \
    }                                                  \
    static void test_name##_on(struct fake_client *c)

struct skr_kube_stats fake_client_stats(struct fake_client *c);

#define POD_LIST  "GET /api/v1/pods?limit="
#define POD_WATCH "GET /api/v1/pods?watch=true"
/* The i-th request that matches has this part, or the test fails. */
void fake_client_expect_request(struct fake_client *c, const char *match, size_t i,
                                const char *part);

#endif
