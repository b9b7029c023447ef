/* SPDX-License-Identifier: Apache-2.0 */
/* How the scripted API server answers a request: it goes into the journal, then the step that is
 * meant for it, the responder or a default says what is sent. */
#include "test/unit/fake_api_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "topology/base/attr.h"

enum { HEAD_MAX = 1024 };

/* ---- the journal ---- */

char *fake_request_text(const char *raw, size_t head, size_t n)
{
    char *text = malloc(n + 1);
    if (!text) {
        abort();
    }
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (i >= head || raw[i] != '\r') {
            text[len++] = raw[i];
        }
    }
    text[len] = '\0';
    char *version = strstr(text, " HTTP/1.1\n");
    if (version) {
        memmove(version, version + 9, strlen(version + 9) + 1);
    }
    return text;
}

static void write_down(struct fake_api *api, char *text)
{
    struct fake_request *r = calloc(1, sizeof *r);
    if (!r) {
        abort();
    }
    r->text = text;
    *api->requests_end = r;
    api->requests_end = &r->next;
    fake_api_changed(api);
}

/* ---- answers ---- */

static bool answer(struct fake_conn *c, int status, const char *headers, const char *body,
                   bool half)
{
    char head[HEAD_MAX];
    size_t n = strlen(body);
    int len = snprintf(head, sizeof head,
                       "HTTP/1.1 %d Said\r\nContent-Type: application/json\r\n%sContent-Length: "
                       "%zu\r\n\r\n",
                       status, headers, n);
    return fake_wire_write(c, head, (size_t)len) && fake_wire_write(c, body, half ? n / 2 : n);
}

static bool send_chunk(struct fake_conn *c, const char *text)
{
    char head[32];
    int len = snprintf(head, sizeof head, "%zx\r\n", strlen(text));
    return fake_wire_write(c, head, (size_t)len) && fake_wire_write(c, text, strlen(text)) &&
           fake_wire_write(c, "\r\n", 2);
}

void fake_chunks_free(struct fake_conn *c)
{
    while (c->chunks) {
        struct fake_chunk *next = c->chunks->next;
        free(c->chunks->text);
        free(c->chunks);
        c->chunks = next;
    }
}

void fake_chunk_add(struct fake_conn *c, char *text)
{
    struct fake_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk) {
        abort();
    }
    chunk->text = text;
    struct fake_chunk **end = &c->chunks;
    while (*end) {
        end = &(*end)->next;
    }
    *end = chunk;
}

/* The thread of a stream with a source. What comes after the stream was ended is lost. */
static void *pump(void *context)
{
    struct fake_conn *c = context;
    for (bool more = true; more;) {
        char *text = c->source.next(c->source.context);
        fake_api_lock(c->api);
        more = text && c->stream && !c->ending;
        if (more) {
            fake_chunk_add(c, text);
        } else {
            c->ending = true;
            free(text);
        }
        fake_api_changed(c->api);
        fake_api_unlock(c->api);
    }
    return NULL;
}

/* Lock held at call and return, not in between. */
static void stop_pump(struct fake_conn *c, pthread_t thread)
{
    c->source.stop(c->source.context);
    fake_api_unlock(c->api);
    (void)pthread_join(thread, NULL);
    c->source.destroy(c->source.context);
    fake_api_lock(c->api);
}

/* Called and left with the lock held, which is not let go before the stream can be found. Returns
 * whether the connection can be used on. */
static bool stream(struct fake_conn *c, const char *line, const struct fake_reply *reply)
{
    struct fake_api *api = c->api;
    pthread_t thread;
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    c->ending = reply->end;
    c->end = FAKE_ANSWER;
    c->stream = fake_copy(line);
    c->source = reply->source;
    if (reply->source.context && pthread_create(&thread, NULL, pump, c) != 0) {
        abort();
    }
    if (reply->body && reply->body[0] != '\0') {
        fake_chunk_add(c, fake_copy(reply->body));
    }
    fake_api_unlock(api);
    bool ok = fake_wire_write(c, head, sizeof head - 1);
    fake_api_lock(api);
    fake_api_changed(api);
    while (ok && !api->stopping && !(c->ending && !c->chunks)) {
        struct fake_chunk *first = c->chunks;
        if (!first) {
            (void)pthread_cond_wait(&api->changed, &api->lock);
            continue;
        }
        c->chunks = first->next;
        fake_api_unlock(api);
        ok = send_chunk(c, first->text);
        free(first->text);
        free(first);
        fake_api_lock(api);
    }
    free(c->stream);
    c->stream = NULL;
    fake_chunks_free(c);
    if (reply->source.context) {
        stop_pump(c, thread);
    }
    if (c->ending && c->end == FAKE_RESET) {
        fake_wire_reset(c);
    }
    return ok && c->ending && c->end == FAKE_ANSWER && fake_wire_write(c, "0\r\n\r\n", 5);
}

static bool is_released(const struct fake_api *api, const char *line)
{
    for (size_t i = 0; i < api->n_released; i++) {
        if (fake_line_matches(line, api->released[i])) {
            return true;
        }
    }
    return false;
}

static struct fake_step default_step(const char *line)
{
    if (strstr(line, "watch=true")) {
        return (struct fake_step){.mode = FAKE_STREAM};
    }
    if (strstr(line, "?limit=")) {
        return (struct fake_step){
            .body = "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}"};
    }
    return (struct fake_step){.body = "{\"kind\":\"Status\",\"status\":\"Success\"}"};
}

static struct fake_step choose_step(struct fake_api *api, const char *text)
{
    for (size_t i = 0; i < api->n_steps; i++) {
        struct fake_set_step *s = &api->steps[i];
        if (s->used || !fake_line_matches(text, s->step.match)) {
            continue;
        }
        if (s->step.skip > 0) {
            s->step.skip--;
            continue;
        }
        s->used = !s->step.forever;
        return s->step;
    }
    return api->responder ? (struct fake_step){.mode = FAKE_PASS} : default_step(text);
}

/* Lets ms pass, or less when the server goes down. Lock held at call and return. */
static void delay(struct fake_api *api, int ms)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (!api->stopping &&
           pthread_cond_timedwait(&api->changed, &api->lock, &until) != ETIMEDOUT) {
        ;
    }
}

/* Lock held at call and return. Returns whether the connection can be used on. */
static bool answer_step(struct fake_conn *c, const struct fake_step *step)
{
    struct fake_api *api = c->api;
    bool half = step->mode == FAKE_SHORT;
    fake_api_unlock(api);
    bool ok = answer(c, step->status ? step->status : 200, step->headers ? step->headers : "",
                     step->body ? step->body : "", half);
    fake_api_lock(api);
    return ok && !half;
}

/* The same with the responder's answer. */
static bool pass(struct fake_conn *c, const struct fake_step *step, const char *text,
                 const char *line)
{
    struct fake_api *api = c->api;
    struct fake_reply reply = api->responder(api->responder_context, text);
    bool ok = false;
    if (step->mode == FAKE_LOST || (!reply.stream && reply.status == 0)) {
        fake_wire_reset(c);
    } else if (reply.stream) {
        ok = stream(c, line, &reply);
    } else {
        ok = answer_step(c, &(struct fake_step){.status = reply.status, .body = reply.body});
    }
    free(reply.body);
    return ok;
}

bool fake_answer_request(struct fake_conn *c, char *text)
{
    struct fake_api *api = c->api;
    bool is_read = fake_line_matches(text, "watch=true") || fake_line_matches(text, "?limit=");
    struct fake_step step = choose_step(api, text);
    SKR_AUTO_FREE char *line = fake_copy(text);
    line[strcspn(line, "\n")] = '\0';
    write_down(api, text);
    bool ok = false;
    if (!is_read && ++api->busy > api->peak) {
        api->peak = api->busy;
    }
    if (step.delay_ms > 0) {
        delay(api, step.delay_ms);
    }
    while (step.mode == FAKE_HANG && !api->stopping && !is_released(api, line)) {
        (void)pthread_cond_wait(&api->changed, &api->lock);
    }
    if (api->stopping) {
        ok = false; /* it went down before it took the request */
    } else if (step.mode == FAKE_PASS || step.mode == FAKE_LOST) {
        ok = pass(c, &step, text, line);
    } else if (step.mode == FAKE_STREAM) {
        ok = stream(c, line, &(struct fake_reply){.body = (char *)(uintptr_t)step.body});
    } else if (step.mode == FAKE_RESET) {
        fake_wire_reset(c);
    } else if (step.mode != FAKE_CLOSE) {
        ok = answer_step(c, &step);
    }
    if (!is_read) {
        api->busy--;
    }
    return ok && !api->stopping;
}
