/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_PAGE_H
#define SKR_SERVER_KUBE_PAGE_H
/*
 * Pages of lists and lines of watches: what stands around the objects. The objects go to the feed one by
 * one.
 *
 * An object that is no JSON costs only itself. Its text is cut out by its quotes and brackets alone, and
 * the feed hears which object it is and why. If that cannot be read either, the page or line is refused.
 */
#include "server/kube/feed.h"

struct skr_kube_page {
    struct skr_strbuf version; /* metadata.resourceVersion; "": none */
    struct skr_strbuf next;    /* metadata.continue */
};

/* Feeds all items of a page. SKR_INVALID: it is no page, and the items until there have been fed. O(n). */
int skr_kube_page_take(struct skr_feed *feed, const char *text, size_t n, struct skr_kube_page *ret,
                       struct skr_error *error);

enum skr_kube_line_type {
    SKR_KUBE_LINE_ADDED,
    SKR_KUBE_LINE_MODIFIED,
    SKR_KUBE_LINE_DELETED,
    SKR_KUBE_LINE_BOOKMARK,
    SKR_KUBE_LINE_ERROR,
    SKR_KUBE_LINE_UNKNOWN, /* of a later API: skipped */
    SKR_KUBE_LINE_TYPE_COUNT
};

/* Borrowed from the feed's reader until its next use. */
struct skr_kube_line {
    enum skr_kube_line_type type;
    const struct skr_json *object; /* NULL: it is no JSON */
    const char *version;           /* of the object; "": none */
};

/* Feeds what a line {"type":…,"object":{…}} (metav1.WatchEvent) says of an object. SKR_INVALID: nothing was
 * done. O(n). */
int skr_kube_line_take(struct skr_feed *feed, const char *text, size_t n, struct skr_kube_line *ret,
                       struct skr_error *error);

#endif
