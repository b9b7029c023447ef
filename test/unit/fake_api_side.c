/* SPDX-License-Identifier: Apache-2.0 */
/* The test's side of the scripted API server: its steps, what was asked, open streams, and the waits
 * for them. */
#include "test/unit/fake_api_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct timespec deadline(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += FAKE_DEADLINE_S;
    return t;
}

static void wait_changed(struct fake_api *api, const struct timespec *until, const char *what)
{
    if (pthread_cond_timedwait(&api->changed, &api->lock, until) == ETIMEDOUT) {
        fprintf(stderr, "fake_api: nothing happened for %d s: %s\nrequests so far:\n",
                FAKE_DEADLINE_S, what);
        for (const struct fake_request *r = api->requests; r; r = r->next) {
            fprintf(stderr, "  %.*s\n", (int)strcspn(r->text, "\n"), r->text);
        }
        abort();
    }
}

uint16_t fake_api_port(const struct fake_api *api)
{
    return api->port;
}

void fake_api_expect(struct fake_api *api, const struct fake_step *step)
{
    fake_api_lock(api);
    if (api->n_steps == FAKE_STEPS_MAX) {
        abort();
    }
    struct fake_set_step *s = &api->steps[api->n_steps++];
    s->step = *step;
    s->step.match = fake_copy(step->match);
    s->step.headers = fake_copy(step->headers);
    s->step.body = fake_copy(step->body);
    fake_api_unlock(api);
}

static const struct fake_request *find_request(const struct fake_api *api, const char *match,
                                               size_t i, size_t *ret_n)
{
    const struct fake_request *found = NULL;
    size_t n = 0;
    for (const struct fake_request *r = api->requests; r; r = r->next) {
        if (fake_line_matches(r->text, match) && n++ == i) {
            found = r;
        }
    }
    *ret_n = n;
    return found;
}

size_t fake_api_count(struct fake_api *api, const char *match)
{
    size_t n = 0;
    fake_api_lock(api);
    (void)find_request(api, match, 0, &n);
    fake_api_unlock(api);
    return n;
}

void fake_api_wait_count(struct fake_api *api, const char *match, size_t n)
{
    struct timespec until = deadline();
    fake_api_lock(api);
    for (size_t have = 0; (void)find_request(api, match, 0, &have), have < n;) {
        wait_changed(api, &until, match);
    }
    fake_api_unlock(api);
}

char *fake_api_request(struct fake_api *api, const char *match, size_t i)
{
    fake_api_wait_count(api, match, i + 1);
    size_t n = 0;
    fake_api_lock(api);
    char *text = fake_copy(find_request(api, match, i, &n)->text);
    fake_api_unlock(api);
    return text;
}

static struct fake_conn *wait_stream(struct fake_api *api, const char *match)
{
    struct timespec until = deadline();
    for (;;) {
        for (struct fake_conn *c = api->conns; c; c = c->next) {
            if (c->stream && !c->ending && fake_line_matches(c->stream, match)) {
                return c;
            }
        }
        wait_changed(api, &until, match);
    }
}

void fake_api_send(struct fake_api *api, const char *match, const char *text)
{
    fake_api_lock(api);
    fake_chunk_add(wait_stream(api, match), fake_copy(text));
    fake_api_changed(api);
    fake_api_unlock(api);
}

void fake_api_end(struct fake_api *api, const char *match, enum fake_mode how)
{
    fake_api_lock(api);
    struct fake_conn *c = wait_stream(api, match);
    c->end = how;
    c->ending = true;
    fake_api_changed(api);
    fake_api_unlock(api);
}

void fake_api_release(struct fake_api *api, const char *match)
{
    fake_api_lock(api);
    if (api->n_released == FAKE_STEPS_MAX) {
        abort();
    }
    api->released[api->n_released++] = fake_copy(match);
    fake_api_changed(api);
    fake_api_unlock(api);
}

size_t fake_api_peak(struct fake_api *api)
{
    fake_api_lock(api);
    size_t peak = api->peak;
    fake_api_unlock(api);
    return peak;
}

size_t fake_api_connections(struct fake_api *api)
{
    fake_api_lock(api);
    size_t n = api->n_accepted;
    fake_api_unlock(api);
    return n;
}

void fake_api_wait_connections(struct fake_api *api, size_t n)
{
    struct timespec until = deadline();
    fake_api_lock(api);
    while (api->n_accepted < n) {
        wait_changed(api, &until, "connections");
    }
    fake_api_unlock(api);
}

void fake_api_respond(struct fake_api *api, fake_responder responder, void *context)
{
    fake_api_lock(api);
    api->responder = responder;
    api->responder_context = context;
    fake_api_unlock(api);
}

bool fake_api_wait(struct fake_api *api, const struct timespec *until)
{
    return pthread_cond_timedwait(&api->changed, &api->lock, until) != ETIMEDOUT;
}

size_t fake_api_break(struct fake_api *api, const char *match, const char *text, enum fake_mode how)
{
    size_t n = 0;
    for (struct fake_conn *c = api->conns; c; c = c->next) {
        if (!c->stream || c->ending || !fake_line_matches(c->stream, match)) {
            continue;
        }
        if (text) {
            fake_chunk_add(c, fake_copy(text));
        }
        c->end = how;
        c->ending = true;
        n++;
    }
    fake_api_changed(api);
    return n;
}
