/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_WATCH_STATE_H
#define SKR_SERVER_KUBE_WATCH_STATE_H
/* The state of a list-and-watch loop (watch.h), for watch.c, which runs it, and watch_trouble.c, which
 * handles its failures. Kube thread only. */
#include "server/kube/freshness.h"
#include "server/kube/lines.h"
#include "server/kube/page.h"
#include "server/kube/watch.h"

enum skr_watch_state { IDLE, LISTING, WATCHING };

/* Kinds of trouble that have no HTTP status; libcurl's codes stand at TROUBLE_CURL and above. */
enum skr_watch_trouble {
    TROUBLE_NONE = 0,
    TROUBLE_SILENCE = 1000,
    TROUBLE_CONTENT,
    TROUBLE_SIZE,
    TROUBLE_START,
    TROUBLE_CURL = 2000
};

struct skr_kube_watch {
    struct skr_kube_session *session;
    const struct skr_resource *resource;
    const char *selector;   /* NULL: all */
    const char *namespace_; /* "": all */
    bool topology_only, seldom;
    bool optional, may_be_forbidden; /* for all that take it */
    const char *name;
    struct skr_feed feed;
    struct skr_transfer transfer;
    struct skr_freshness freshness;
    struct skr_lines lines;
    struct skr_strbuf body;       /* of a list page or of an answer that is no success */
    struct skr_kube_page of_page; /* next: continue token of the running list; empty: first page */
    char version[SKR_KUBE_VERSION_MAX + 1];
    bool has_version; /* a watch can start from version; else list */
    enum skr_watch_state state;
    int32_t page;
    int64_t due;
    uint64_t failures; /* since it last was healthy */
    int trouble;       /* of the last failure; TROUBLE_NONE: none */
    uint64_t repeated; /* the same trouble in a row */
    bool absent;       /* the kind was not installed when it was asked for last */
    bool forbidden;    /* the kind may not be read, and the subscribers were told */
    /* Set while bytes are taken in, reported when the transfer ends. */
    int stream_trouble;
    struct skr_error stream_error;
};

/* How long to wait after as many failures, ns. */
int64_t skr_watch_backoff(struct skr_kube_watch *w);
/* Back to idle until the back-off is over, at_least that long. trouble: an HTTP status or an enum
 * skr_watch_trouble; text is for the log. */
void skr_watch_fail(struct skr_kube_watch *w, int trouble, const char *text, skr_time at_least);
/* The same after an answer that is no success; w->body holds its explanation. */
void skr_watch_fail_by_status(struct skr_kube_watch *w, int status);
/* A list was complete, a watch has begun or brought a line that could be read. */
void skr_watch_note_success(struct skr_kube_watch *w);
/* That, and the trouble is over. */
void skr_watch_recovered(struct skr_kube_watch *w);
void skr_watch_set_synced(struct skr_kube_watch *w);
/* Whether the kind is missing; a change is logged. */
void skr_watch_set_absent(struct skr_kube_watch *w, bool absent);
/* Whether the kind may be read; a change is an event for all that take it. */
void skr_watch_set_forbidden(struct skr_kube_watch *w, bool forbidden);

#endif
