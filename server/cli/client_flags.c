/* SPDX-License-Identifier: Apache-2.0 */
/* Shared flags, and what they mean. */
#include "server/cli/client_flags.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/cli/did_you_mean.h"
#include "server/client/source.h"
#include "server/exit_code.h"
#include "server/object/view_url.h"
#include "server/render/page.h"
#include "topology/base/arena.h"

const struct skr_flag skr_client_flag_table[] = {
    SKR_FLAG(TEXT, skr_client_flags, namespace_, "--namespace", "-n", "NAME",
             "namespace; default: that of kubectl's context"),
    SKR_FLAG(TEXT, skr_client_flags, context, "--context", NULL, "NAME", "kubectl's context"),
    SKR_FLAG(TEXT, skr_client_flags, kubeconfig, "--kubeconfig", NULL, "FILE",
             "kubectl's kubeconfig"),
    SKR_FLAG(TEXT, skr_client_flags, service, "--service", NULL, "SERVICE",
             "the daemon's, for kubectl; default " SKR_VIEW_SERVICE),
    SKR_FLAG(TEXT, skr_client_flags, server, "--server", NULL, "URL",
             "ask a daemon's admin listener, without kubectl"),
    SKR_FLAG(TEXT, skr_client_flags, token_file, "--token-file", NULL, "FILE",
             "bearer token for --server"),
    SKR_FLAG(TEXT, skr_client_flags, file, "--file", NULL, "DUMP",
             "no cluster: a dump of kubectl get nodes,pods,configmaps -A -o json; - is stdin"),
    SKR_FLAG(DURATION, skr_client_flags, request_timeout, "--request-timeout", NULL, "DURATION",
             "of one request; default 30s"),
    {0},
};

static const char *const colors[] = {
    [SKR_COLOR_AUTO] = "auto", [SKR_COLOR_ALWAYS] = "always", [SKR_COLOR_NEVER] = "never", NULL};

const struct skr_flag skr_look_flag_table[] = {
    SKR_FLAG(SWITCH, skr_look_flags, no_headers, "--no-headers", NULL, NULL,
             "tables without their first line"),
    SKR_FLAG(CHOICE, skr_look_flags, color, "--color", NULL, "WHEN",
             "auto (default: on a terminal), always or never", .choice = colors),
    SKR_FLAG(SWITCH, skr_look_flags, ascii, "--ascii", NULL, NULL,
             "draw with ASCII characters only"),
    {0},
};

static const char *const outputs[] = {
    [SKR_PAGE_TEXT] = "text", [SKR_PAGE_JSON] = "json", [SKR_PAGE_YAML] = "yaml", NULL};

const struct skr_flag skr_page_flag_table[] = {
    SKR_FLAG(CHOICE, skr_page_flags, output, "--output", "-o", "FORMAT",
             "text (default), json or yaml", .choice = outputs),
    {0},
};

bool skr_page_flags_write(const struct skr_page_flags *flags, const json_t *page,
                          struct skr_strbuf *out)
{
    if (flags->output == SKR_PAGE_JSON) {
        skr_page_write_json(page, out);
    } else if (flags->output == SKR_PAGE_YAML) {
        skr_page_write_yaml(page, out);
    }
    return flags->output != SKR_PAGE_TEXT;
}

/* A flag that has no meaning together with another one; NULL: none. */
static const char *find_conflict(const struct skr_client_flags *flags)
{
    const bool kubectl = flags->context || flags->kubeconfig || flags->service;
    if (flags->file && flags->server) {
        return "--file and --server are two sources, give one:";
    }
    if (kubectl && (flags->file || flags->server)) {
        return "--context, --kubeconfig and --service are kubectl's, which is not asked with";
    }
    return flags->token_file && !flags->server ? "--token-file goes with --server, not" : NULL;
}

int skr_client_flags_open(const struct skr_call *call, const struct skr_client_flags *flags,
                          struct skr_client **ret, struct skr_strbuf *messages)
{
    const struct skr_client_options options = {.file = flags->file,
                                               .server = flags->server,
                                               .token_file = flags->token_file,
                                               .context = flags->context,
                                               .kubeconfig = flags->kubeconfig,
                                               .service = flags->service,
                                               .label_levels = flags->label_levels,
                                               .levels_first = flags->levels_first,
                                               .request_timeout = flags->request_timeout};
    struct skr_error error = {0};
    const char *conflict = find_conflict(flags);
    if (conflict) {
        return skr_cli_refuse(call->command, conflict,
                              flags->server ? "--server"
                              : flags->file ? "--file"
                                            : "kubectl",
                              messages);
    }
    const int rc = skr_client_create(&options, ret, messages, &error);
    if (rc < 0) {
        skr_strbuf_addf(messages, "sakkara %s: %s\n", call->command->name, error.text);
        return skr_client_exit_code(rc);
    }
    return SKR_EXIT_OK;
}

int skr_client_flags_fetch(const struct skr_call *call, struct skr_client *client,
                           const struct skr_view_query *query, const char *kind, json_t **ret,
                           struct skr_strbuf *messages)
{
    struct skr_error error = {0};
    const int rc = skr_client_fetch(client, query, kind, ret, &error);
    if (rc < 0) {
        skr_strbuf_addf(messages, "sakkara %s: ", call->command->name);
        skr_page_add_clean(messages, error.text, false);
        skr_strbuf_addc(messages, '\n');
    }
    return skr_client_exit_code(rc);
}

char *skr_client_flags_namespace(const struct skr_client_flags *flags, struct skr_client *client)
{
    return flags->namespace_ ? skr_strdup(flags->namespace_) : skr_client_default_namespace(client);
}

bool skr_look_is_coloured(const struct skr_look_flags *flags, FILE *stream)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (flags->color != SKR_COLOR_AUTO) {
        return flags->color == SKR_COLOR_ALWAYS;
    }
    return isatty(fileno(stream)) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

int skr_client_flags_fetch_group(const struct skr_call *call, const struct skr_client_flags *flags,
                                 const struct skr_view_query *page, const char *kind, json_t **ret,
                                 struct skr_strbuf *messages)
{
    struct skr_view_query query = *page;
    struct skr_client *client = NULL;
    SKR_STRBUF(path);
    int code = skr_client_flags_open(call, flags, &client, messages);
    if (code != SKR_EXIT_OK) {
        return code;
    }
    SKR_AUTO_FREE char *namespace_ = skr_client_flags_namespace(flags, client);
    skr_strbuf_addf(&path, "%s/%s/%s", page->path, namespace_, call->word[0]);
    query.path = path.s;
    code = skr_client_flags_fetch(call, client, &query, kind, ret, messages);
    if (code == SKR_EXIT_NOT_FOUND) {
        skr_suggest_group(client, namespace_, call->word[0], messages);
    }
    skr_client_destroy(client);
    return code;
}

int skr_client_flags_list(const struct skr_client_flags *flags, const char *resources,
                          struct skr_strbuf *out, struct skr_error *error)
{
    const struct skr_client_options options = {
        .context = flags->context,
        .kubeconfig = flags->kubeconfig,
        .request_timeout = flags->request_timeout != 0 ? flags->request_timeout
                                                       : SKR_CLIENT_TIMEOUT_S * SKR_SECOND};
    return skr_source_kubectl_list(&options, resources, out, error);
}
