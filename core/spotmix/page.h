/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_PAGE_H
#define SKR_CORE_SPOTMIX_PAGE_H
/* The mix as JSON: what /v1/spotmix answers. */
#include "core/frame/picture.h"
#include "core/spotmix/view.h"

/* {"workloads": [{namespace, kind, name, max, onDemand: {actual, desired}, spot: {...}, drift,
 * reason}]}; max and reason are null where there is none. */
void skr_spotmix_page_write(const struct skr_spotmix *mix, struct skr_strbuf *out);
/* {"nodes": [{name, class, pods}]}: the nodes of a class, each with the number of its mixed
 * pods. */
void skr_spotmix_page_write_nodes(const struct skr_spotmix *mix, struct skr_strbuf *out);
/* One workload with its pods: {..., "next", "pods": [{name, owner, index, class, cost, node,
 * reason, why}]}. If workloads of several kinds have the name, the Deployment. If no workload
 * has the name and a pod has it, that pod alone. false: no workload that is on has the name, and
 * none of their pods. */
bool skr_spotmix_page_write_one(const struct skr_spotmix *mix, const char *namespace_,
                                const char *name, struct skr_strbuf *out);

/* Brings the picture of workloads on their nodes up to date; a change is appended. false: no node has
 * a class. O(nodes + pods). */
bool skr_spotmix_draw(const struct skr_spotmix *mix, skr_time now, struct skr_picture *picture,
                      enum skr_picture_news *ret_news, struct skr_strbuf *change);

#endif
