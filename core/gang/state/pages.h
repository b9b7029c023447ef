/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_PAGES_H
#define SKR_CORE_GANG_STATE_PAGES_H
/*
 * The read side for people: what the engine knows, as JSON, by the paths of docs/reference.md
 * (API). The daemon answers HTTP requests with it, the command line a dump of a cluster; both get
 * the same bytes. Nothing is changed by looking.
 *
 * Errors are answers too: a Status as kube-apiserver writes it, so that kubectl shows its message.
 */
#include "topology/base/strbuf.h"
#include "topology/object.h"

struct skr_gang; /* skr_engine_self() of its engine */

/* What may stand behind "?" in a path. */
enum skr_view_argument {
    SKR_VIEW_NAMESPACE, /* groups: of this one only */
    SKR_VIEW_SELECTOR,  /* groups: see selects */
    SKR_VIEW_DOMAIN,   /* tree: this unit and what is below; its name, or its path below the root */
    SKR_VIEW_RESOURCE, /* tree: the one that is looked at, "nvidia.com/gpu" or "gpu" */
    SKR_VIEW_SLOT,     /* tree: what SLOTS count, "gpu=2,memory=8Gi" */
    SKR_VIEW_PREEMPT,  /* explain: "true": who would give way, too */
    SKR_VIEW_ARGUMENT_COUNT
};
const char *skr_view_argument_name(enum skr_view_argument argument); /* "namespace" */

enum {
    SKR_VIEW_BYTES_MAX = 256 * 1024 * 1024, /* of one answer */
    SKR_VIEW_SLOT_MAX = 4096,               /* bytes of the argument slot */
};

struct skr_view_query {
    const char *path;                              /* "/v1/groups/NAMESPACE/NAME" */
    const char *argument[SKR_VIEW_ARGUMENT_COUNT]; /* NULL: absent */
    /* Whether an object with these labels is selected; compiled from the selector by the shell.
     * NULL: every one is. */
    bool (*selects)(void *context, const struct skr_labels *labels);
    /* Whether somebody waits for the engine who must not: the page is given up where it is. Asked for
     * each group and unit. NULL: nobody does. */
    bool (*interrupted)(void *context);
    void *context;
};

enum { SKR_VIEW_INTERRUPTED = 0 }; /* instead of a status: nothing was written */

/* Appends the JSON of the answer and returns its HTTP status: 200, 400 (an argument), 404 (no such
 * path, group, unit or resource), 413 (beyond SKR_VIEW_BYTES_MAX), 503 (not synced, not leader).
 * Cost: O(what is written); a tree also O(members of all groups). */
int skr_gang_view(struct skr_gang *gang, const struct skr_view_query *query, skr_time now,
                  struct skr_strbuf *out);

/* A Status of that code for whoever answers in the engine's place. */
void skr_view_write_status(struct skr_strbuf *out, int code, const char *message);
/* With one cause among its details, for programs: "ModuleOff", and the option that it is about. */
void skr_view_write_refusal(struct skr_strbuf *out, int code, const char *message,
                            const char *cause, const char *field);

#endif
