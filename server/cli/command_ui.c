/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara ui`: forwards a local port to the page of the daemon that leads, until Ctrl-C. */
#include <stdio.h>
#include <string.h>

#include "server/cli/client_flags.h"
#include "server/daemon/signals.h"
#include "server/exit_code.h"

#define LOOK_EVERY (3 * SKR_SECOND) /* whether the daemon still leads */

struct options {
    int64_t port;
    struct skr_client_flags client;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(NUMBER, options, port, "--port", NULL, "N",
             "local port of the page; default 0, a free one", .max = 65535),
    SKR_HELP_FLAG,
    {0},
};

static void say(struct skr_strbuf *text, FILE *stream)
{
    if (text->len > 0) {
        (void)fwrite(text->s, 1, text->len, stream);
        (void)fflush(stream);
    }
    skr_strbuf_reset(text);
}

/* Looks after the way until a signal comes. A leader that is gone is reported once. */
static void tend(struct skr_client *client, unsigned port, const sigset_t *set)
{
    bool lost = false;
    while (skr_signals_wait(set, LOOK_EVERY) == 0) {
        struct skr_error error = {0};
        const char *url = "";
        const int rc = skr_client_open_way(client, port, &url, &error);
        if (rc < 0 && !lost) {
            (void)fprintf(stderr, "sakkara ui: %s; looking for another leader\n", error.text);
        } else if (rc >= 0 && lost) {
            (void)fprintf(stderr, "sakkara ui: %s/ui/ answers again\n", url);
        }
        lost = rc < 0;
    }
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct skr_client *client = NULL;
    struct skr_error error = {0};
    const char *url = "";
    sigset_t set;
    unsigned port = (unsigned)o->port;
    if (o->client.file) {
        skr_strbuf_add(messages, "sakkara ui: --file: the page is one of a daemon; simulate "
                                 "--picture=html draws a dump\n");
        return SKR_EXIT_USAGE;
    }
    skr_signals_block(&set);
    int code = skr_client_flags_open(call, &o->client, &client, messages);
    if (code != SKR_EXIT_OK) {
        return code;
    }
    const int rc = skr_client_open_way(client, port, &url, &error);
    if (rc < 0) {
        skr_strbuf_addf(messages, "sakkara ui: %s\n", error.text);
        skr_client_destroy(client);
        return skr_client_exit_code(rc);
    }
    (void)sscanf(url, "http://127.0.0.1:%5u", &port);
    const size_t n = strlen(url);
    skr_strbuf_addf(out, "%s%sui/\n", url, n > 0 && url[n - 1] == '/' ? "" : "/");
    say(out, stdout);
    if (rc > 0) {
        skr_strbuf_add(messages, "Open it in a browser. Ctrl-C ends the way to it.\n");
        say(messages, stderr);
        tend(client, port, &set);
    } else if (!o->client.server) {
        skr_strbuf_add(messages, "Open it in a browser. It is the page of a sandbox.\n");
    }
    skr_client_destroy(client);
    return SKR_EXIT_OK;
}

const struct skr_command skr_command_ui = {
    .name = "ui",
    .usage = "sakkara ui [--port N] [--server URL]",
    .summary = "open the way to the page, and print its address",
    .text = "A kubectl port-forward to the daemon that leads, and the address of its page: racks,\n"
            "nodes and groups, live. It opens no browser, and lasts until Ctrl-C. If another\n"
            "daemon leads, the same address shows its page. It takes create of\n"
            "pods/portforward; the page writes nothing.\n",
    .examples = "  sakkara ui\n"
                "  sakkara ui --port 8080 --context production\n"
                "  sakkara ui --server http://127.0.0.1:9662\n",
    .next = "sakkara tree",
    .group = {{flags, 0}, {skr_client_flag_table, offsetof(struct options, client)}},
    .options_size = sizeof(struct options),
    .run = run,
};
