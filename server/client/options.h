/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_OPTIONS_H
#define SKR_SERVER_CLIENT_OPTIONS_H
/* What a client is given, and its limits. */
#include "core/gang/state/pages.h"
#include "topology/label_levels.h"
#include "topology/object.h"

enum {
    SKR_CLIENT_TIMEOUT_S = 30,         /* of a request, unless the options say otherwise */
    SKR_CLIENT_STDERR_MAX = 64 * 1024, /* bytes kept of what kubectl says */
};

/* Borrowed for the life of the client; NULL: not given. */
struct skr_client_options {
    const char *file; /* "-": standard input */
    const char *server;
    const char *token_file; /* of server */
    const char *context;    /* of kubectl */
    const char *kubeconfig; /* of kubectl */
    const char *service;    /* of kubectl: NAMESPACE/[SCHEME:]NAME[:PORT]; SKR_VIEW_SERVICE */
    const struct skr_label_levels *label_levels; /* of file: the daemon's option topology */
    bool levels_first;        /* of file: in place of its topology maps, as if there were none */
    skr_time request_timeout; /* 0: SKR_CLIENT_TIMEOUT_S */
};

#endif
