/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_FRESHNESS_H
#define SKR_SERVER_KUBE_FRESHNESS_H
/*
 * Whether a watch has shown everything that was written before a moment: who takes over from another process must
 * not act on what it saw before that one's last writes.
 *
 * The API server is asked for one object of the kind, without a resourceVersion, so that it reads what is newest
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/, "Resource versions"): the version of
 * that list is what the watch has to reach. Versions of one kind are compared as numbers (KEP-5504). A kind of
 * which nothing changes shows no versions; so when the watch has not come that far after a moment, or the API
 * server did not answer as it should, the kind is listed anew, once: a list that began after that moment is as
 * new.
 *
 * Kube thread only.
 */
#include "core/frame/resource.h"
#include "server/kube/transfer.h"

enum skr_freshness_state { SKR_FRESH, SKR_FRESH_ASKED, SKR_FRESH_BEHIND, SKR_FRESH_LISTING };

struct skr_freshness {
    struct skr_transfer transfer;
    struct skr_strbuf body;
    enum skr_freshness_state state;
    uint64_t wanted; /* what the watch has to reach; state BEHIND; 0: it cannot be told */
    int64_t until;   /* of patience; states ASKED, BEHIND */
};

void skr_freshness_init(struct skr_freshness *freshness, struct skr_kube_session *session);
void skr_freshness_fini(struct skr_freshness *freshness);

/* From here on what was written before now counts. namespace_: "" all. */
void skr_freshness_begin(struct skr_freshness *freshness, const struct skr_resource *resource,
                         const char *namespace_, int64_t now);
/* version: that the watch has seen last. Returns whether the kind is to be listed anew now: once, then
 * skr_freshness_listed() has to follow. *ret_at: when to call again at the latest, if that is sooner. */
bool skr_freshness_tick(struct skr_freshness *freshness, const char *version, int64_t now,
                        int64_t *ret_at);
/* A list is complete that began at this time, or the kind is not installed. */
void skr_freshness_listed(struct skr_freshness *freshness);

#endif
