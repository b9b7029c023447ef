/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_FRESHNESS_H
#define SKR_SERVER_KUBE_FRESHNESS_H
/*
 * Whether a watch has shown everything that was written before a moment. A process that takes over
 * from another one must not act on a state from before the last writes of that process.
 *
 * The API server is asked for one object of the kind, without a resourceVersion, so it reads the
 * newest state (https://kubernetes.io/docs/reference/using-api/api-concepts/, "Resource versions").
 * The watch has to reach the version of that list. Versions of one kind are compared as numbers
 * (KEP-5504). A kind without changes shows no versions. If the watch is still behind after the
 * patience, or the API server gave no usable answer, the kind is therefore listed again, once.
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
    uint64_t wanted; /* what the watch has to reach; state BEHIND; 0: not known */
    int64_t until;   /* of patience; states ASKED, BEHIND */
};

void skr_freshness_init(struct skr_freshness *freshness, struct skr_kube_session *session);
void skr_freshness_fini(struct skr_freshness *freshness);

/* Begins anew for everything that was written before now. namespace_: "" all. */
void skr_freshness_begin(struct skr_freshness *freshness, const struct skr_resource *resource,
                         const char *namespace_, int64_t now);
/* version: the last one of the watch. Returns whether the kind has to be listed again now; then
 * skr_freshness_listed() has to follow. *ret_at is lowered to the time of the next call. */
bool skr_freshness_tick(struct skr_freshness *freshness, const char *version, int64_t now,
                        int64_t *ret_at);
/* The list that skr_freshness_tick() asked for is complete, or the kind is not installed. */
void skr_freshness_listed(struct skr_freshness *freshness);

#endif
