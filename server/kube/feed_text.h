/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_FEED_TEXT_H
#define SKR_SERVER_KUBE_FEED_TEXT_H
/*
 * Pages and lines of kinds whose types have readers (core/frame/resource.h), in one scan, object by
 * object, without a tree. What is not as API servers write it is left to the tree: the page is then
 * read again as a whole, and objects that were taken already are known by their versions.
 */
#include "server/kube/feed.h"

/* Upserts the items of a list page. *ret_metadata: of the page, the caller drops it. false: not all
 * was read, the page has to be read as a tree. text is left as it is. O(n). */
bool skr_feed_text_page(struct skr_feed *feed, char *text, size_t n, json_t **ret_metadata);

/* Upserts the object of a watch line, ADDED or MODIFIED, whose version is a number above 0, in
 * *ret_version. false: nothing was done. O(n). */
bool skr_feed_text_line(struct skr_feed *feed, const char *text, size_t n, uint64_t *ret_version);

#endif
