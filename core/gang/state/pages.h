/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_PAGES_H
#define SKR_CORE_GANG_STATE_PAGES_H
/*
 * The read API: the engine's state as JSON, by the paths of docs/reference.md (API). The daemon
 * answers HTTP requests with it; the command line reads a dump of a cluster with it. Both get the
 * same bytes. Reads change nothing.
 *
 * Errors are answers too: a Status as kube-apiserver writes it, so that kubectl shows its message.
 */
#include "core/frame/picture.h"
#include "topology/base/strbuf.h"
#include "topology/object.h"

struct skr_gang; /* skr_engine_self() of its engine */

/* Arguments behind "?" in a path. */
enum skr_view_argument {
    SKR_VIEW_NAMESPACE, /* groups: only of this namespace */
    SKR_VIEW_SELECTOR,  /* groups: see selects */
    SKR_VIEW_DOMAIN, /* tree, timeline: the subtree of this unit; its name, or its path below the root */
    SKR_VIEW_RESOURCE, /* tree, timeline: the resource to show, "nvidia.com/gpu" or "gpu" */
    SKR_VIEW_SLOT, /* tree: the request that SLOTS counts, "gpu=2,memory=8Gi" or "worker@serve" */
    SKR_VIEW_PREEMPT, /* explain: "true": includes victims */
    SKR_VIEW_HOURS,   /* timeline: "1" to "720"; absent: 4 */
    SKR_VIEW_ARGUMENT_COUNT
};
const char *skr_view_argument_name(enum skr_view_argument argument); /* "namespace" */

enum {
    SKR_VIEW_BYTES_MAX = 256 * 1024 * 1024, /* of one answer */
    SKR_VIEW_SLOT_MAX = 4096,               /* bytes of the argument slot */
    SKR_VIEW_HOURS_MAX = 720,
};

struct skr_view_query {
    const char *path;                              /* "/v1/groups/NAMESPACE/NAME" */
    const char *argument[SKR_VIEW_ARGUMENT_COUNT]; /* NULL: absent */
    /* Whether an object with these labels is selected; the shell compiles the selector. NULL: all
     * are. */
    bool (*selects)(void *context, const struct skr_labels *labels);
    /* Whether a request waits for the engine that must not wait: then the page is abandoned. Called
     * for each group and unit. NULL: never. */
    bool (*interrupted)(void *context);
    void *context;
    /* Whether the caller asks again behind a later event if the page lacks what the engine only makes on
     * demand: forecasts of starts. The next event makes them. */
    bool awaits;
};

/* Instead of a status: nothing was written. */
enum { SKR_VIEW_INTERRUPTED = 0, SKR_VIEW_AWAITED = 1 };

/* Appends the JSON of the answer and returns its HTTP status: 200, 400 (an argument), 404 (no such
 * path, group, unit or resource), 413 (beyond SKR_VIEW_BYTES_MAX), 503 (not synced, not leader).
 * Cost: O(what is written); a tree also O(members of all groups). */
int skr_gang_view(struct skr_gang *gang, const struct skr_view_query *query, skr_time now,
                  struct skr_strbuf *out);

/* Brings the picture of gangs up to date: arguments resource and interrupted() of the query count.
 * 200: *ret_news says what became of it, and a change was appended to out. Otherwise the status of
 * the refusal in out, or SKR_VIEW_INTERRUPTED; a later call goes on. O(nodes of the tree + groups +
 * members of groups that changed). */
int skr_gang_draw(struct skr_gang *gang, const struct skr_view_query *query, skr_time now,
                  struct skr_picture *picture, enum skr_picture_news *ret_news,
                  struct skr_strbuf *out);

/* A Status with that code, for a caller that answers in the engine's place. */
void skr_view_write_status(struct skr_strbuf *out, int code, const char *message);
/* The same with one cause in its details, for programs: "ModuleOff", and the option concerned. */
void skr_view_write_refusal(struct skr_strbuf *out, int code, const char *message,
                            const char *cause, const char *field);

#endif
