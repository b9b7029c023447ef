/* SPDX-License-Identifier: Apache-2.0 */
/* Watches of the sandbox's store, as streams of the scripted HTTP server. */
#include <stdlib.h>
#include <string.h>

#include "server/sandbox/stream.h"
#include "test/integration/cluster.h"
#include "topology/base/arena.h"

/* What a watch is told about everything after a revision. Heap. */
static char *lines_after(struct cluster *c, const char *target, uint64_t revision)
{
    struct cluster_query query;
    struct skr_stream *stream = NULL;
    struct skr_error error = {.code = SKR_OK};
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    if (cluster_query_read(&query, target)) {
        const struct skr_stream_options options = {.resource = query.route.resource,
                                                   .namespace_ = query.route.namespace_,
                                                   .label_selector = query.label_selector,
                                                   .field_selector = query.field_selector,
                                                   .revision = revision,
                                                   .end = SKR_TIME_NEVER};
        if (skr_stream_create(c->store, &options, cluster_now(), &stream, &error) != 0) {
            cluster_violate(c, "%s: %s", target, error.text);
        }
    }
    /* It gives so many bytes at a time. */
    for (bool more = stream; more && skr_stream_is_behind(stream);) {
        SKR_STRBUF(part);
        more = skr_stream_more(stream, cluster_now(), &part);
        skr_strbuf_addn(&out, part.s ? part.s : "", part.len);
    }
    skr_stream_destroy(stream);
    return skr_strbuf_take(&out, NULL);
}

static char *choose(void *context, const char *line)
{
    struct cluster *c = context;
    const char *target = strchr(line, ' ');
    char *text = target ? lines_after(c, target + 1, c->told) : NULL;
    if (text && !text[0]) {
        free(text);
        text = NULL;
    }
    return text;
}

void cluster_tell(struct cluster *c)
{
    const uint64_t revision = skr_store_revision(c->store);
    if (revision != c->told) {
        fake_api_push(c->api, choose, c);
        c->told = revision;
    }
    fake_api_changed(c->api);
}

void cluster_compact_locked(struct cluster *c)
{
    c->compacted = skr_store_revision(c->store);
}

struct fake_reply cluster_watch(struct cluster *c, const char *target, uint64_t revision)
{
    if (revision < c->compacted) {
        return (struct fake_reply){
            .stream = true,
            .end = true,
            .body = skr_strdup("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":"
                               "\"Failure\",\"message\":\"too old resource version\",\"reason\":"
                               "\"Expired\",\"code\":410}}\n")};
    }
    return (struct fake_reply){.stream = true, .body = lines_after(c, target, revision)};
}
