/* SPDX-License-Identifier: Apache-2.0 */
/* Setting up and tearing down for the tests of the kube client. */
#include "test/unit/fake_client.h"
#include "test/test.h"

static void begin(struct fake_client *c, const struct fake_pki *pki, bool require_client)
{
    char url[64];
    struct skr_error error = {0};
    *c = (struct fake_client){.api = fake_api_start(pki, require_client),
                              .sink = fake_sink_create()};
    (void)snprintf(url, sizeof url, "%s://127.0.0.1:%u", pki ? "https" : "http",
                   (unsigned int)fake_api_port(c->api));
    skr_kube_access_init(&c->access);
    if (skr_kube_access_set_server(&c->access, url, &error) < 0) {
        abort();
    }
    c->access.source = skr_strdup("test");
    skr_kube_options_default(&c->options);
    c->options.n_subscribers = 1;
    c->options.subscriber[0] = (struct skr_kube_subscriber){.watch = skr_gang_watch,
                                                            .n_watches = SKR_GANG_WATCHES,
                                                            .deliver = fake_sink_deliver,
                                                            .context = c->sink};
    c->options.backoff_min = 2 * SKR_MILLISECOND;
    c->options.backoff_max = 20 * SKR_MILLISECOND;
    c->options.seed = 1;
    if (pki) {
        skr_kube_secret_take(&c->access.ca, skr_strdup(pki->ca), strlen(pki->ca));
    }
}

void fake_client_begin(struct fake_client *c)
{
    begin(c, NULL, false);
}

void fake_client_begin_tls(struct fake_client *c, bool require_client)
{
    begin(c, fake_pki_get(), require_client);
}

void fake_client_start(struct fake_client *c)
{
    struct skr_error error = {0};
    if (skr_kube_create(&c->options, &c->access, &c->kube, &error) < 0) {
        fprintf(stderr, "client: %s\n", error.text);
        abort();
    }
}

void fake_client_start_synced(struct fake_client *c)
{
    fake_client_start(c);
    fake_sink_wait(c->sink, "synced", 1);
}

void fake_client_end(struct fake_client *c)
{
    skr_kube_destroy(c->kube);
    skr_kube_access_fini(&c->access);
    fake_api_stop(c->api);
    fake_sink_destroy(c->sink);
}

struct skr_kube_stats fake_client_stats(struct fake_client *c)
{
    struct skr_kube_stats stats;
    skr_kube_get_stats(c->kube, &stats);
    return stats;
}

void fake_client_expect_request(struct fake_client *c, const char *match, size_t i,
                                const char *part)
{
    SKR_AUTO_FREE char *text = fake_api_request(c->api, match, i);
    if (!strstr(text, part)) {
        fail_msg("no \"%s\" in\n%s", part, text);
    }
}
