/* SPDX-License-Identifier: Apache-2.0 */
/* A page from a daemon's admin listener. */
#include <stdio.h>
#include <string.h>

#include "server/client/source.h"
#include "server/kube/caller.h"
#include "server/version.h"

static int read_access(const struct skr_client_options *options, struct skr_kube_access *access,
                       struct skr_error *error)
{
    SKR_STRBUF(url);
    skr_strbuf_addf(&url, "%s%s", strstr(options->server, "://") ? "" : "http://", options->server);
    int rc = skr_kube_access_set_server(access, url.s, error);
    if (rc < 0) {
        return skr_error_prefix(error, "--server");
    }
    if (options->token_file) {
        rc = skr_kube_secret_read(&access->token, options->token_file, error);
        rc = rc < 0 ? rc : skr_kube_token_check(&access->token, error);
    }
    return rc;
}

static int refused(const char *server, const struct skr_call_answer *answer,
                   struct skr_error *error)
{
    const char *message = json_string_value(json_object_get(answer->json, "message"));
    const int status = answer->http_status;
    if (answer->too_large) {
        return skr_error_set(error, SKR_LIMIT, "%s", answer->message);
    }
    if (status == 0) {
        return skr_error_set(error, SKR_RETRY, "%.100s cannot be reached: %.120s", server,
                             answer->message);
    }
    if (message) {
        return skr_source_refused(status, message, error);
    }
    if (status == 401 || status == 403) {
        return skr_error_set(error, SKR_DENIED, "%.180s: not allowed (HTTP %d)", server, status);
    }
    return skr_error_set(error, SKR_INVALID, "%.180s: HTTP %d, not an answer of sakkara", server,
                         status);
}

int skr_source_http(const struct skr_client_options *options, const char *target,
                    struct skr_strbuf *out, struct skr_error *error)
{
    char agent[128];
    struct skr_kube_access access;
    struct skr_call_answer answer;
    struct skr_caller *caller = NULL;
    const struct skr_call call = {.method = "GET",
                                  .target = target,
                                  .timeout = options->request_timeout,
                                  .answer_max = SKR_VIEW_BYTES_MAX,
                                  .text = out};
    snprintf(agent, sizeof agent, "sakkara/%s", skr_version);
    skr_kube_access_init(&access);
    int rc = read_access(options, &access, error);
    rc = rc < 0 ? rc : skr_caller_create(&access, agent, &caller, error);
    skr_kube_access_fini(&access);
    if (rc < 0) {
        return rc;
    }
    skr_caller_call(caller, &call, &answer);
    rc = answer.http_status == 200 ? 0 : refused(options->server, &answer, error);
    skr_call_answer_fini(&answer);
    skr_caller_destroy(caller);
    return rc;
}
