/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_CLIENT_FLAGS_H
#define SKR_SERVER_CLI_CLIENT_FLAGS_H
/*
 * The flags that the commands for people share, kubectl's wherever it has one: where answers come
 * from, and how they look. A command puts the structs into its options and names the tables in its
 * groups:
 *
 *   .group = {{flags, 0},
 *             {skr_client_flag_table, offsetof(struct options, client)},
 *             {skr_look_flag_table, offsetof(struct options, look)}}
 */
#include <stdio.h>

#include "server/cli/cli.h"
#include "server/client/client.h"

struct skr_client_flags {
    const char *namespace_; /* NULL: that of kubectl's context, or "default" */
    const char *context, *kubeconfig, *service;
    const char *server, *token_file;
    const char *file;
    skr_time request_timeout;
    /* Set by the command, for a dump (server/client/options.h). */
    const struct skr_label_levels *label_levels;
    bool levels_first;
};
extern const struct skr_flag skr_client_flag_table[];

struct skr_look_flags {
    int color; /* enum skr_color_choice */
    bool ascii, no_headers;
};
enum skr_color_choice { SKR_COLOR_AUTO, SKR_COLOR_ALWAYS, SKR_COLOR_NEVER };
extern const struct skr_flag skr_look_flag_table[];

struct skr_page_flags {
    int output; /* enum skr_page_output */
};
enum skr_page_output { SKR_PAGE_TEXT, SKR_PAGE_JSON, SKR_PAGE_YAML };
extern const struct skr_flag skr_page_flag_table[];

/* Writes the page as the API gave it if -o asks for JSON or YAML; else false, and nothing is
 * written: the command writes its own text. */
bool skr_page_flags_write(const struct skr_page_flags *flags, const json_t *page,
                          struct skr_strbuf *out);

/* The client of these flags; messages as commands have them. Returns an exit code; *ret is set with
 * SKR_EXIT_OK only. Flags that exclude one another are refused with SKR_EXIT_USAGE. */
int skr_client_flags_open(const struct skr_call *call, const struct skr_client_flags *flags,
                          struct skr_client **ret, struct skr_strbuf *messages);
/* skr_client_fetch(); an error is one line "sakkara COMMAND: ..." in messages. Returns an exit
 * code. */
int skr_client_flags_fetch(const struct skr_call *call, struct skr_client *client,
                           const struct skr_view_query *query, const char *kind, json_t **ret,
                           struct skr_strbuf *messages);
/* The page at page->path/NAMESPACE/NAME of the group that is the command's first word, with the
 * arguments of page, as skr_client_flags_fetch(); a name that is not there gets suggestions.
 * json_decref() *ret. */
int skr_client_flags_fetch_group(const struct skr_call *call, const struct skr_client_flags *flags,
                                 const struct skr_view_query *page, const char *kind, json_t **ret,
                                 struct skr_strbuf *messages);
/* skr_source_kubectl_list() with these flags. */
int skr_client_flags_list(const struct skr_client_flags *flags, const char *resources,
                          struct skr_strbuf *out, struct skr_error *error);
/* free() */
char *skr_client_flags_namespace(const struct skr_client_flags *flags, struct skr_client *client);

/* Whether colour goes to this stream: always, never, or on a terminal unless NO_COLOR is set or
 * TERM is dumb. */
bool skr_look_is_coloured(const struct skr_look_flags *flags, FILE *stream);

#endif
