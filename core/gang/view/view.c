/* SPDX-License-Identifier: Apache-2.0 */
/* The entry of the read API: from paths to pages. */
#include "core/gang/view/view.h"

#include <string.h>

#include "core/gang/group/start.h"

static const char *const argument_name[] = {"namespace", "labelSelector", "domain", "resource",
                                            "slot",      "preempt",       "hours"};
_Static_assert(sizeof argument_name / sizeof *argument_name == SKR_VIEW_ARGUMENT_COUNT, "names");

const char *skr_view_argument_name(enum skr_view_argument argument)
{
    return argument_name[argument];
}

/* ---- paths ---- */

static const struct page {
    const char *path;
    int (*write)(struct view *v, const char *rest);
    bool tells_starts; /* of waiting groups */
} pages[] = {
    {"/v1/tree", skr_view_tree, false},
    {"/v1/groups", skr_view_groups, true},
    {"/v1/reservations", skr_view_reservations, false},
    {"/v1/timeline", skr_view_timeline, false},
};

/* The rest of path after the page's path and a slash; "" if there is none, NULL for another
 * path. */
static const char *rest_of(const char *path, const char *page)
{
    const size_t n = strlen(page);
    if (strncmp(path, page, n) != 0 || (path[n] != '\0' && path[n] != '/')) {
        return NULL;
    }
    return path[n] == '/' ? path + n + 1 : path + n;
}

int skr_gang_view(struct skr_gang *e, const struct skr_view_query *query, skr_time now,
                  struct skr_strbuf *out)
{
    struct view v = {.e = e, .query = query, .now = now, .w = {.out = out}, .begin = out->len};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        const char *rest = rest_of(query->path, pages[i].path);
        if (!rest) {
            continue;
        }
        if (!skr_frame_is_synced(e->frame) || skr_frame_is_stopped(e->frame)) {
            return skr_view_refuse(&v, 503, "not ready: the first lists are not complete");
        }
        if (!skr_frame_is_leader(e->frame)) {
            return skr_view_refuse(&v, 503, "not leader");
        }
        if (query->awaits && pages[i].tells_starts && !skr_start_is_fresh(e, now)) {
            return SKR_VIEW_AWAITED;
        }
        const int code = pages[i].write(&v, rest);
        if (v.interrupted) {
            out->len = v.begin;
            return SKR_VIEW_INTERRUPTED;
        }
        if (code == 200 && skr_view_is_too_large(&v)) {
            return skr_view_refuse(&v, 413, "the answer has more than %d bytes",
                                   SKR_VIEW_BYTES_MAX);
        }
        return code;
    }
    return skr_view_refuse(
        &v, 404,
        "no such path; there are /v1/tree, /v1/groups, /v1/groups/NAMESPACE/NAME, "
        "/v1/reservations, /v1/timeline and /v1/explain/NAMESPACE/NAME");
}
