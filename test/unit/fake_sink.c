/* SPDX-License-Identifier: Apache-2.0 */
/* Events as lines of text. */
#include "test/unit/fake_sink.h"
#include "core/gang/state/types.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/kube/client.h"
#include "test/unit/fake_api.h"
#include "topology/base/strbuf.h"

struct fake_sink {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char **line;
    size_t n, cap;
};

struct fake_sink *fake_sink_create(void)
{
    struct fake_sink *sink = skr_alloc(sizeof *sink);
    if (pthread_mutex_init(&sink->lock, NULL) != 0 ||
        pthread_cond_init(&sink->changed, NULL) != 0) {
        abort();
    }
    return sink;
}

void fake_sink_clear(struct fake_sink *sink)
{
    (void)pthread_mutex_lock(&sink->lock);
    for (size_t i = 0; i < sink->n; i++) {
        free(sink->line[i]);
    }
    sink->n = 0;
    (void)pthread_mutex_unlock(&sink->lock);
}

void fake_sink_destroy(struct fake_sink *sink)
{
    fake_sink_clear(sink);
    free(sink->line);
    (void)pthread_cond_destroy(&sink->changed);
    (void)pthread_mutex_destroy(&sink->lock);
    free(sink);
}

static void write_meta(struct skr_strbuf *b, const char *kind, const struct skr_meta *m)
{
    skr_strbuf_addf(b, "upsert %s %s/%s uid=%s v=%" PRIu64, kind, m->namespace_, m->name, m->uid,
                    m->resource_version);
}

static const char *kind_of(const struct skr_object_type *type)
{
    return type == &skr_gang_node        ? "node"
           : type == &skr_gang_pod       ? "pod"
           : type == &skr_gang_configmap ? "configmap"
           : type == &skr_gang_class     ? "class"
           : skr_gang_owner_kind(type)   ? skr_gang_owner_kind(type)
                                         : "podgroup";
}

static void write_done(struct skr_strbuf *b, const struct skr_event *e)
{
    skr_strbuf_addf(b, "write %" PRIu64 " %s %d v=%" PRIu64 " retry=%" PRId64, e->written.id,
                    skr_kube_outcome_name[e->written.outcome], (int)e->written.http_status,
                    e->written.resource_version, e->written.retry_after);
    if (e->written.object) {
        const struct skr_meta *m = e->written.type->meta(e->written.object);
        skr_strbuf_addf(b, " %s=%s%s%s", kind_of(e->written.type), m->namespace_,
                        *m->namespace_ ? "/" : "", m->name);
    }
    skr_strbuf_addf(b, " message=%s", e->written.message);
}

static void write_event(struct skr_strbuf *b, const struct skr_event *e)
{
    if (e->kind == SKR_EVENT_UPSERT) {
        write_meta(b, kind_of(e->upsert.type), e->upsert.type->meta(e->upsert.object));
    } else if (e->kind == SKR_EVENT_DELETE) {
        skr_strbuf_addf(b, "delete %s %s/%s uid=%s", kind_of(e->deleted.type),
                        e->deleted.namespace_, e->deleted.name, e->deleted.uid);
    } else if (e->kind == SKR_EVENT_WRITE_DONE) {
        write_done(b, e);
    } else if (e->kind == SKR_EVENT_FORBIDDEN) {
        skr_strbuf_addf(b, "%s %s", e->forbidden.is ? "forbidden" : "allowed",
                        kind_of(e->forbidden.type));
    } else if (e->kind == SKR_EVENT_LISTED) {
        skr_strbuf_addf(b, "listed %s", kind_of(e->listed));
    } else if (e->kind == SKR_EVENT_SYNCED) {
        skr_strbuf_add(b, "synced");
    } else {
        abort();
    }
}

void fake_sink_deliver(void *context, struct skr_event *event)
{
    struct fake_sink *sink = context;
    SKR_STRBUF(b);
    write_event(&b, event);
    skr_event_fini(event);
    (void)pthread_mutex_lock(&sink->lock);
    skr_grow(&sink->line, &sink->cap, sink->n + 1, sizeof(char *));
    sink->line[sink->n++] = skr_strbuf_take(&b, NULL);
    (void)pthread_cond_broadcast(&sink->changed);
    (void)pthread_mutex_unlock(&sink->lock);
}

static size_t count_locked(const struct fake_sink *sink, const char *begin)
{
    size_t n = 0;
    for (size_t i = 0; i < sink->n; i++) {
        n += strncmp(sink->line[i], begin, strlen(begin)) == 0;
    }
    return n;
}

size_t fake_sink_count(struct fake_sink *sink, const char *begin)
{
    (void)pthread_mutex_lock(&sink->lock);
    size_t n = count_locked(sink, begin);
    (void)pthread_mutex_unlock(&sink->lock);
    return n;
}

size_t fake_sink_total(struct fake_sink *sink)
{
    return fake_sink_count(sink, "");
}

void fake_sink_wait(struct fake_sink *sink, const char *begin, size_t n)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += FAKE_DEADLINE_S;
    (void)pthread_mutex_lock(&sink->lock);
    while (count_locked(sink, begin) < n) {
        if (pthread_cond_timedwait(&sink->changed, &sink->lock, &until) == ETIMEDOUT) {
            fprintf(stderr, "fake_sink: no %zu x \"%s\" among\n", n, begin);
            for (size_t i = 0; i < sink->n; i++) {
                fprintf(stderr, "  %s\n", sink->line[i]);
            }
            abort();
        }
    }
    (void)pthread_mutex_unlock(&sink->lock);
}

char *fake_sink_line(struct fake_sink *sink, const char *begin, size_t i)
{
    fake_sink_wait(sink, begin, i + 1);
    char *found = NULL;
    size_t seen = 0;
    (void)pthread_mutex_lock(&sink->lock);
    for (size_t k = 0; k < sink->n && !found; k++) {
        if (strncmp(sink->line[k], begin, strlen(begin)) == 0 && seen++ == i) {
            found = skr_strdup(sink->line[k]);
        }
    }
    (void)pthread_mutex_unlock(&sink->lock);
    return found;
}

char *fake_sink_text(struct fake_sink *sink)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    (void)pthread_mutex_lock(&sink->lock);
    for (size_t i = 0; i < sink->n; i++) {
        skr_strbuf_addf(&b, "%s\n", sink->line[i]);
    }
    (void)pthread_mutex_unlock(&sink->lock);
    if (b.len == 0) {
        skr_strbuf_add(&b, "");
    }
    char *text = skr_strbuf_take(&b, NULL);
    return text ? text : skr_strdup("");
}
