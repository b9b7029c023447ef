/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_STREAM_H
#define SKR_SERVER_LAB_SANDBOX_STREAM_H
/*
 * One watch of one client: the events of a resource as lines of JSON, with selection, bookmarks, an
 * end, and 410 if the history is too short. No thread, no socket: server/lab/sandbox/http.c
 * requests more lines under the cluster's lock. Rules: kube-apiserver's watch cache.
 */
#include "server/lab/sandbox/table.h"
#include "topology/base/strbuf.h"

enum skr_stream_shape { SKR_STREAM_OBJECT, SKR_STREAM_TABLE, SKR_STREAM_METADATA };

struct skr_stream_options {
    const struct skr_store_resource *resource; /* as requested */
    const char *namespace_;                    /* "": all; strings are used during the call only */
    const char *label_selector;
    const char *field_selector;
    bool from_now; /* begin with the present objects, as ADDED events */
    uint64_t revision;
    enum skr_stream_shape shape;
    enum skr_table_include include;
    bool bookmarks;
    skr_time end; /* when the stream ends by itself */
};

struct skr_stream;

/* Errors: SKR_INVALID (a selector), in kube-apiserver's words. store: borrowed. */
int skr_stream_create(const struct skr_store *store, const struct skr_stream_options *options,
                      skr_time now, struct skr_stream **ret, struct skr_error *error);
void skr_stream_destroy(struct skr_stream *stream); /* NULL allowed */
/* Appends the lines due at now, about 64 KB at most. False: these were the last. */
bool skr_stream_more(struct skr_stream *stream, skr_time now, struct skr_strbuf *out);
/* When a line is due without a change: a bookmark, the end. */
skr_time skr_stream_due(const struct skr_stream *stream);
/* Whether there are changes not yet examined. */
bool skr_stream_is_behind(const struct skr_stream *stream);

#endif
