/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and watches to upserts and deletions, with skr_known as the memory of what exists. */
#include "server/kube/feed.h"

#include <stdlib.h>
#include <string.h>

#include "server/log.h"
#include "topology/base/json_tree.h"

void skr_feed_init(struct skr_feed *feed, struct skr_kube_session *session, const char *name,
                   size_t index)
{
    *feed = (struct skr_feed){
        .session = session,
        .counters = &session->counters->resource[index],
        .name = name,
        .known = skr_known_create(&session->options->hash_seed),
    };
}

void skr_feed_add(struct skr_feed *feed, const struct skr_kube_subscriber *to,
                  const struct skr_object_type *type)
{
    skr_bug_on(feed->n_takers == SKR_KUBE_SUBSCRIBERS_MAX);
    feed->taker[feed->n_takers].to = to;
    feed->taker[feed->n_takers].type = type;
    feed->taker[feed->n_takers++].memory =
        type->reader && type->reader->create_memory ? type->reader->create_memory() : NULL;
}

bool skr_feed_shares(const struct skr_feed *a, const struct skr_feed *b)
{
    for (size_t i = 0; i < a->n_takers; i++) {
        for (size_t k = 0; k < b->n_takers; k++) {
            if (a->taker[i].to == b->taker[k].to) {
                return true;
            }
        }
    }
    return false;
}

void skr_feed_fini(struct skr_feed *feed)
{
    for (size_t i = 0; i < feed->n_takers; i++) {
        if (feed->taker[i].memory) {
            feed->taker[i].type->reader->destroy_memory(feed->taker[i].memory);
        }
    }
    feed->n_takers = 0;
    skr_known_destroy(feed->known);
    feed->known = NULL;
    skr_json_reader_fini(&feed->reader);
    skr_strbuf_fini(&feed->names);
}

static void deliver(const struct skr_kube_subscriber *to, struct skr_event *event)
{
    to->deliver(to->context, event);
}

static void count_objects(struct skr_feed *feed)
{
    skr_count_set(&feed->counters->objects, skr_known_count(feed->known));
}

static void deliver_deleted(struct skr_feed *feed, const struct skr_known_names *names)
{
    skr_count_add(&feed->counters->events, 1);
    for (size_t i = 0; i < feed->n_takers; i++) {
        struct skr_event event =
            skr_kube_deleted(feed->taker[i].type, names->namespace_, names->name, names->uid);
        deliver(feed->taker[i].to, &event);
    }
}

/* An event for one that takes the object. tree: made once for all that need one. */
static int decode_for(const struct skr_feed *feed, size_t taker, const struct skr_json *object,
                      json_t **tree, struct skr_event *ret, struct skr_error *error)
{
    const struct skr_object_type *type = feed->taker[taker].type;
    *ret = (struct skr_event){.kind = SKR_EVENT_UPSERT, .upsert = {.type = type}};
    if (type->reader) {
        return type->reader->read(feed->taker[taker].memory, object, &ret->upsert.object, error);
    }
    *tree = *tree ? *tree : skr_json_tree(object);
    return *tree ? type->decode(*tree, &ret->upsert.object, error)
                 : skr_error_set(error, SKR_NO_MEMORY, "out of memory");
}

/* Whether any of them could decode it; error is that of the last one that could not. */
static bool deliver_object(struct skr_feed *feed, const struct skr_json *object,
                           struct skr_error *error)
{
    bool any = false;
    json_auto_t *tree = NULL;
    for (size_t i = 0; i < feed->n_takers; i++) {
        struct skr_event event;
        if (decode_for(feed, i, object, &tree, &event, error) == 0) {
            any = true;
            deliver(feed->taker[i].to, &event);
        }
    }
    return any;
}

/* The newest record of the same object in a peer, when the engine has it from there; else NULL. */
static struct skr_known_object *in_peer(const struct skr_feed *feed, const char *namespace_,
                                        const char *name, const char *uid)
{
    struct skr_known_object *ret = NULL;
    for (const struct skr_feed *peer = feed->peer; peer && peer != feed; peer = peer->peer) {
        struct skr_known_object *o = skr_known_find(peer->known, namespace_, name);
        if (o && o->delivered && skr_known_has_uid(o, uid) && (!ret || o->version > ret->version)) {
            ret = o;
        }
    }
    return ret;
}

static void forget(struct skr_feed *feed, struct skr_known_object *object)
{
    struct skr_known_names names;
    const bool delivered = object->delivered;
    skr_known_read(feed->known, object, &names);
    skr_known_remove(feed->known, object);
    count_objects(feed);
    if (delivered && !in_peer(feed, names.namespace_, names.name, names.uid)) {
        deliver_deleted(feed, &names);
    }
}

static void log_undecodable(struct skr_feed *feed, const struct skr_kube_identity *id,
                            const char *text)
{
    skr_count_add(&feed->counters->undecodable, 1);
    const struct skr_log_pair pair[] = {
        SKR_LOG_S("resource", feed->name), SKR_LOG_S("namespace", id->namespace_),
        SKR_LOG_S("name", id->name), SKR_LOG_S("err", text), SKR_LOG_END};
    skr_log_emit_limited(SKR_LOG_ERROR, 0, __FILE__, __LINE__, "Object was left out",
                         id->namespace_, pair);
}

/* The entry of the object, marked as seen; what carried its name before is delivered as deleted.
 * NULL: a name beyond all limits. */
static struct skr_known_object *see(struct skr_feed *feed, const struct skr_kube_identity *id)
{
    struct skr_known_object *old = skr_known_find(feed->known, id->namespace_, id->name);
    if (old && !skr_known_has_uid(old, id->uid) && old->delivered) {
        struct skr_known_names names;
        skr_known_read(feed->known, old, &names);
        deliver_deleted(feed, &names);
    }
    struct skr_known_object *o = skr_known_put(feed->known, id->namespace_, id->name, id->uid);
    if (!o) {
        log_undecodable(feed, id, "its name or uid is too long");
        return NULL;
    }
    o->list = feed->list % SKR_KNOWN_LISTS;
    count_objects(feed);
    return o;
}

static bool is_left_out(const struct skr_feed *feed, const char *namespace_)
{
    return feed->no_system &&
           (strcmp(namespace_, "kube-system") == 0 || strcmp(namespace_, "kube-public") == 0 ||
            strcmp(namespace_, "kube-node-lease") == 0);
}

/* Logged when it begins, counted every time. */
static void leave_out(struct skr_feed *feed, struct skr_known_object *object,
                      const struct skr_kube_identity *id, const char *text)
{
    if (object->broken) {
        skr_count_add(&feed->counters->undecodable, 1);
    } else {
        log_undecodable(feed, id, text);
    }
    object->broken = true;
}

/* The entry of an object whose version is to be delivered; NULL: it is left out, or is known. */
static struct skr_known_object *admit(struct skr_feed *feed, const struct skr_kube_identity *id)
{
    if (is_left_out(feed, id->namespace_)) {
        return NULL;
    }
    struct skr_known_object *o = see(feed, id);
    if (!o || (id->version != 0 && o->version == id->version)) {
        return NULL;
    }
    o->version = id->version;
    const struct skr_known_object *other = in_peer(feed, id->namespace_, id->name, id->uid);
    if (other && id->version != 0 && other->version >= id->version) {
        o->delivered = true;
        return NULL;
    }
    return o;
}

void skr_feed_upsert(struct skr_feed *feed, const struct skr_json *object)
{
    struct skr_error error = {0};
    struct skr_kube_identity id;
    if (skr_kube_identity_read(object, &feed->names, &id, &error) < 0) {
        log_undecodable(feed, &id, error.text);
        return;
    }
    struct skr_known_object *o = admit(feed, &id);
    if (!o) {
        return;
    }
    bool delivered = deliver_object(feed, object, &error);
    if (error.code != SKR_OK) {
        leave_out(feed, o, &id, error.text);
    } else {
        o->broken = false;
    }
    if (delivered) {
        o->delivered = true;
        skr_count_add(&feed->counters->events, 1);
    }
}

void skr_feed_unreadable(struct skr_feed *feed, const struct skr_kube_identity *id, const char *why)
{
    if (is_left_out(feed, id->namespace_)) {
        return;
    }
    struct skr_known_object *o = see(feed, id);
    if (o && (id->version == 0 || o->version != id->version)) {
        o->version = id->version;
        leave_out(feed, o, id, why);
    }
}

void skr_feed_delete(struct skr_feed *feed, const struct skr_kube_identity *id)
{
    struct skr_known_object *o = skr_known_find(feed->known, id->namespace_, id->name);
    if (o && skr_known_has_uid(o, id->uid)) {
        forget(feed, o);
    }
}

void skr_feed_forbidden(struct skr_feed *feed, bool forbidden)
{
    for (size_t i = 0; i < feed->n_takers; i++) {
        struct skr_event event = {.kind = SKR_EVENT_FORBIDDEN,
                                  .forbidden = {.type = feed->taker[i].type, .is = forbidden}};
        deliver(feed->taker[i].to, &event);
    }
}

void skr_feed_begin_list(struct skr_feed *feed)
{
    feed->list++;
}

void skr_feed_end_list(struct skr_feed *feed)
{
    size_t n = 0;
    SKR_AUTO_FREE struct skr_known_object **gone = skr_known_unseen(feed->known, feed->list, &n);
    for (size_t i = 0; i < n; i++) {
        forget(feed, gone[i]);
    }
}
