/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_FEED_H
#define SKR_SERVER_KUBE_FEED_H
/*
 * From the objects that lists and watches show to the events the engines get:
 *
 * - an object is delivered once a version; what a relist shows unchanged is left out;
 * - what a complete list does not show any more is delivered as deleted, and so is the old object
 *   when a name comes back with another uid;
 * - an object that cannot be read or decoded is counted, logged once and skipped; the engine keeps
 *   the version it has until the object is gone;
 * - feeds of one kind and engine with different selectors are peers: an object that leaves one of them is
 *   deleted only when no other holds it either, and the older of two versions is dropped.
 *
 * Several engines may take from one feed, each with a type of its own. What one of them cannot decode
 * the others get all the same. Types that read tapes (core/frame/resource.h) need no tree of the object.
 *
 * Objects of users that stand in the namespaces of the system (kube-system, kube-public,
 * kube-node-lease) are left out unless the options say otherwise: who may label a map there must not
 * make us write to it.
 *
 * Kube thread only.
 */
#include "server/kube/decode.h"
#include "server/kube/known.h"
#include "server/kube/options.h"
#include "server/kube/transfer.h"

struct skr_feed {
    struct skr_kube_session *session;
    struct skr_kube_resource_counters *counters;
    struct {
        const struct skr_kube_subscriber *to;
        const struct skr_object_type *type;
        void *memory; /* of its type */
    } taker[SKR_KUBE_SUBSCRIBERS_MAX];
    size_t n_takers;
    const char *name; /* of the resource, for logs */
    struct skr_known *known;
    struct skr_feed *peer; /* the next in the ring of peers; NULL: none */
    bool no_system;        /* objects in the system's namespaces are left out */
    uint32_t list;         /* number of the running or last list */
    struct skr_json_reader reader;
    struct skr_strbuf names; /* of the object that is looked at */
};

/* name is borrowed; index: of the counters. */
void skr_feed_init(struct skr_feed *feed, struct skr_kube_session *session, const char *name,
                   size_t index);
/* What the feed brings goes to one more engine, as objects of type. */
void skr_feed_add(struct skr_feed *feed, const struct skr_kube_subscriber *to,
                  const struct skr_object_type *type);
bool skr_feed_shares(const struct skr_feed *a, const struct skr_feed *b); /* a subscriber */
void skr_feed_fini(struct skr_feed *feed);

void skr_feed_begin_list(struct skr_feed *feed);
void skr_feed_end_list(struct skr_feed *feed); /* delivers the deletions. O(known) */
/* Borrows object. */
void skr_feed_upsert(struct skr_feed *feed, const struct skr_json *object);
/* The object is there, but its text is no JSON. */
void skr_feed_unreadable(struct skr_feed *feed, const struct skr_kube_identity *id,
                         const char *why);
/* All that take from the feed hear that the kind may not be read, or may be again. */
void skr_feed_forbidden(struct skr_feed *feed, bool forbidden);
void skr_feed_delete(struct skr_feed *feed, const struct skr_kube_identity *id);

#endif
