/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for one object of a kind and compares versions. */
#include "server/kube/freshness.h"

#include "server/kube/decode.h"
#include "server/kube/options.h"
#include "server/kube/target.h"

enum { BODY_MAX = 4 * 1024 * 1024 }; /* of a list of one object */

static skr_time patience(const struct skr_freshness *f)
{
    return f->transfer.session->options->fresh_patience;
}

static uint64_t version_of_list(const struct skr_freshness *f)
{
    struct skr_error error = {0};
    json_auto_t *list = NULL;
    if (f->body.len == 0 || skr_kube_json_parse(f->body.s, f->body.len, &list, &error) < 0) {
        return 0;
    }
    const char *text =
        json_string_value(json_object_get(json_object_get(list, "metadata"), "resourceVersion"));
    return text ? skr_kube_version_parse(text) : 0;
}

static void on_done(struct skr_transfer *transfer, CURLcode result)
{
    struct skr_freshness *f = transfer->owner;
    const bool answered = result == CURLE_OK && skr_transfer_status(transfer) == 200;
    f->wanted = answered ? version_of_list(f) : 0;
    f->state = SKR_FRESH_BEHIND;
    f->until = f->wanted > 0 ? skr_kube_now() + patience(f) : 0;
    skr_strbuf_reset(&f->body);
}

void skr_freshness_init(struct skr_freshness *freshness, struct skr_kube_session *session)
{
    *freshness = (struct skr_freshness){.state = SKR_FRESH};
    skr_transfer_init(&freshness->transfer, session, freshness);
    freshness->transfer.body = &freshness->body;
    freshness->transfer.body_max = BODY_MAX;
    freshness->transfer.done = on_done;
    skr_strbuf_init(&freshness->body);
}

void skr_freshness_fini(struct skr_freshness *freshness)
{
    skr_transfer_fini(&freshness->transfer);
    skr_strbuf_fini(&freshness->body);
}

void skr_freshness_begin(struct skr_freshness *freshness, const struct skr_resource *resource,
                         const char *namespace_, int64_t now)
{
    struct skr_freshness *f = freshness;
    struct skr_error error = {0};
    SKR_STRBUF(target);
    skr_transfer_cancel(&f->transfer);
    skr_kube_collection(&target, resource, namespace_);
    skr_strbuf_add(&target, "?limit=1");
    const struct skr_transfer_request request = {
        .method = "GET", .target = target.s, .accept = "application/json"};
    f->state = SKR_FRESH_ASKED;
    f->until = now + patience(f);
    if (skr_transfer_start(&f->transfer, &request, &error) < 0) {
        f->until = now;
    }
}

bool skr_freshness_tick(struct skr_freshness *freshness, const char *version, int64_t now,
                        int64_t *ret_at)
{
    struct skr_freshness *f = freshness;
    if (f->state == SKR_FRESH_BEHIND && f->wanted > 0 &&
        skr_kube_version_parse(version) >= f->wanted) {
        f->state = SKR_FRESH;
    }
    if (f->state != SKR_FRESH_ASKED && f->state != SKR_FRESH_BEHIND) {
        return false;
    }
    if (now < f->until) {
        *ret_at = f->until < *ret_at ? f->until : *ret_at;
        return false;
    }
    skr_transfer_cancel(&f->transfer);
    f->state = SKR_FRESH_LISTING;
    return true;
}

void skr_freshness_listed(struct skr_freshness *freshness)
{
    if (freshness->state == SKR_FRESH_LISTING) {
        freshness->state = SKR_FRESH;
    }
}
