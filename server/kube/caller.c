/* SPDX-License-Identifier: Apache-2.0 */
/* A transfer on a multi handle of its own, driven until it has ended. */
#include "server/kube/caller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/kube/decode.h"
#include "server/kube/transfer.h"
#include "topology/base/arena.h"

enum { POLL_MS = 1000 };

struct skr_caller {
    struct skr_kube_access access;
    struct skr_kube_counters counters;
    struct skr_kube_session session;
    struct skr_transfer transfer;
    struct skr_strbuf body;
    bool ended;
    CURLcode result;
    atomic_bool interrupted;
};

static void on_done(struct skr_transfer *transfer, CURLcode result)
{
    struct skr_caller *caller = transfer->owner;
    caller->ended = true;
    caller->result = result;
}

int skr_caller_create(struct skr_kube_access *access, const char *user_agent,
                      struct skr_caller **ret, struct skr_error *error)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        skr_kube_access_fini(access);
        return skr_error_set(error, SKR_BUG, "libcurl cannot be used");
    }
    struct skr_caller *caller = skr_alloc(sizeof *caller);
    caller->access = *access;
    skr_kube_access_init(access);
    caller->session = (struct skr_kube_session){
        .multi = curl_multi_init(),
        .access = &caller->access,
        .counters = &caller->counters,
        .user_agent = skr_strdup(user_agent),
        .random = 1,
        .refresh_at = skr_kube_now() + SKR_KUBE_REFRESH_S * SKR_SECOND,
    };
    skr_strbuf_init(&caller->body);
    skr_transfer_init(&caller->transfer, &caller->session, caller);
    caller->transfer.body = &caller->body;
    caller->transfer.done = on_done;
    if (!caller->session.multi) {
        skr_caller_destroy(caller);
        return skr_error_set(error, SKR_NO_MEMORY, "no memory for a client of the API server");
    }
    *ret = caller;
    return 0;
}

void skr_caller_destroy(struct skr_caller *caller)
{
    if (!caller) {
        return;
    }
    skr_transfer_fini(&caller->transfer);
    if (caller->session.multi) {
        (void)curl_multi_cleanup(caller->session.multi);
    }
    skr_kube_access_fini(&caller->access);
    skr_strbuf_fini(&caller->body);
    free(caller->session.user_agent);
    free(caller);
    curl_global_cleanup();
}

void skr_call_answer_fini(struct skr_call_answer *answer)
{
    json_decref(answer->json);
    *answer = (struct skr_call_answer){0};
}

/* Until the transfer ends or the caller is interrupted. */
static void drive(struct skr_caller *caller)
{
    while (!caller->ended && !atomic_load(&caller->interrupted)) {
        int running = 0;
        (void)curl_multi_perform(caller->session.multi, &running);
        (void)skr_transfer_take_results(&caller->session);
        if (!caller->ended) {
            (void)curl_multi_poll(caller->session.multi, NULL, 0, POLL_MS, NULL);
        }
    }
    skr_transfer_cancel(&caller->transfer);
}

static void set_message(struct skr_call_answer *answer, const char *text)
{
    (void)snprintf(answer->message, sizeof answer->message, "%s", text);
}

static void read_answer(struct skr_caller *caller, const struct skr_call *call,
                        struct skr_call_answer *ret)
{
    struct skr_error error = {0};
    struct skr_kube_status status = {.message = ""};
    const char *text = caller->body.s ? caller->body.s : "";
    ret->http_status = skr_transfer_status(&caller->transfer);
    if (call->text && ret->http_status == 200) {
        const struct skr_strbuf answer = caller->body;
        caller->body = *call->text;
        *call->text = answer;
    } else if (skr_kube_json_parse(text, caller->body.len, &ret->json, &error) < 0) {
        set_message(ret, error.text);
    } else if (ret->http_status >= 300) {
        (void)skr_kube_status_parse(ret->json, &status);
        set_message(ret, status.message);
    }
}

static void read_failure(struct skr_caller *caller, struct skr_call_answer *ret)
{
    if (atomic_load(&caller->interrupted)) {
        set_message(ret, "interrupted");
    } else if (caller->transfer.too_large) {
        ret->too_large = true;
        (void)snprintf(ret->message, sizeof ret->message, "the answer has more than %zu bytes",
                       caller->transfer.body_max);
    } else {
        set_message(ret, skr_transfer_error(&caller->transfer, caller->result));
        ret->never_sent = skr_transfer_never_sent(&caller->transfer, caller->result);
    }
}

void skr_caller_call(struct skr_caller *caller, const struct skr_call *call,
                     struct skr_call_answer *ret)
{
    struct skr_error error = {0};
    const struct skr_transfer_request request = {
        .method = call->method,
        .target = call->target,
        .accept = "application/json",
        .content_type = !call->body                          ? NULL
                        : strcmp(call->method, "PATCH") == 0 ? "application/merge-patch+json"
                                                             : "application/json",
        .body = call->body,
        .body_len = call->body ? strlen(call->body) : 0,
        .timeout_ms = call->timeout / SKR_MILLISECOND + 1,
    };
    *ret = (struct skr_call_answer){0};
    caller->ended = false;
    caller->transfer.body_max = call->answer_max ? call->answer_max : SKR_CALLER_ANSWER_MAX;
    skr_kube_session_refresh(&caller->session, skr_kube_now(), false);
    if (skr_transfer_start(&caller->transfer, &request, &error) < 0) {
        ret->never_sent = true;
        set_message(ret, error.text);
        return;
    }
    drive(caller);
    if (caller->ended && caller->result == CURLE_OK) {
        read_answer(caller, call, ret);
    } else {
        read_failure(caller, ret);
    }
    if (ret->http_status == 401) {
        skr_kube_session_refresh(&caller->session, skr_kube_now(), true);
    }
}

void skr_caller_interrupt(struct skr_caller *caller, bool on)
{
    atomic_store(&caller->interrupted, on);
    (void)curl_multi_wakeup(caller->session.multi);
}

const char *skr_caller_server(const struct skr_caller *caller)
{
    return caller->access.server;
}
